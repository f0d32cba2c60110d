"""Own pages of records: which are needed, and how to fetch them."""

# Today's live service sends projects in collections without their analysis; only the page of each
# project has it. A record needs its own page if it came without an analysis but with an analysis
# id. If no record of a collection has such an id, nothing shows which projects have an analysis, so
# every record without one needs its page.

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from dirframe.client.records import Records
from dirframe.errors import Hint, InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.page import Page
    from dirframe.schema import Resource


_ELEMENT = "analysis"
_ID = "analysis_id"

#: The columns of a project that only its analysis fills.
ANALYSIS_COLUMNS = tuple(
    field.column for field in PROJECT.fields if field.path[0] == _ELEMENT and len(field.path) > 1
)


@dataclass(frozen=True)
class Refused:
    """An own page that could not be fetched.

    Parameters
    ----------
    why
        Short reason; empty if the project has no analysis, as today's live service answers for
        some.
    requests
        Number of requests used.
    """

    why: str
    requests: int = 1

    @property
    def is_loss(self) -> bool:
        """Whether data is missing; a project without an analysis is complete."""
        return bool(self.why)


@dataclass(frozen=True)
class Sent:
    """Which records of a collection came with an analysis.

    Parameters
    ----------
    held
        For each record, whether it came with an analysis.
    named
        For each record, whether it came with an analysis id.
    """

    held: NDArray[np.bool_]
    named: NDArray[np.bool_]

    def needed(self) -> NDArray[np.bool_]:
        """Return for each record whether its own page is needed."""
        return ~self.held & (self.named if self.named.any() else True)

    @property
    def left_out(self) -> bool:
        """Whether records have analyses but none came with its analysis."""
        return bool(self.named.any()) and not self.held.any()


class Details:
    """Fetch the own pages of records, according to the cache policy.

    The cache stores refusals as it stores pages, so that repeating a load costs nothing.

    Parameters
    ----------
    directory
        The directory to query.
    resource
        Resource of the records.
    policy
        Whether to `refresh`, or to be `offline`.
    store
        Whether received pages are kept in the cache.
    """

    def __init__(
        self,
        directory: Directory,
        resource: Resource,
        policy: dict[str, bool],
        *,
        store: bool = True,
    ) -> None:
        self._session, self._resource = directory.session, resource
        self._policy, self._store = policy, store

    def fetch(self, identifier: str) -> FetchedPage | Refused:
        """Return the own page of a record, or the reason why it is not available."""
        path = record_path(self._resource, identifier)
        try:
            return self._session.get(path, None, **self._policy, store=self._store)
        except (ServiceError, NotFoundError) as error:
            if (refused := refusal_from_error(error)) is None:
                raise
            # Without a status, the directory gave no answer about this record.
            if self._store and error.status is not None:
                self._session.put_refusal(path, refused.why)
            return refused

    def get_cached(self, identifier: str) -> FetchedPage | Refused | None:
        """Return the own page of a record, or its refusal, from the cache if allowed."""
        path = record_path(self._resource, identifier)
        why = self._session.get_refusal(path, **self._policy)
        if why is not None:
            return Refused(why, requests=0)
        return self._session.get_cached(path, None, **self._policy)


def refusal_from_error(error: NotFoundError | ServiceError) -> Refused | None:
    """Return the refusal of one record; None if the error concerns the whole directory."""
    if isinstance(error, NotFoundError):
        return Refused("gone")
    if error.status == 200 and error.reported is None:
        return Refused("")
    if error.status is None or error.status < 500:
        return Refused("refused")
    return None


def sent_columns(records: Records) -> Sent:
    """Return which records came with an analysis."""
    return Sent(records.holding(_ELEMENT), records.holding(_ID))


def read_sent(pages: Iterable[Page], resource: Resource) -> tuple[list[str | None], Sent]:
    """Return the ids of the records of some pages, and which came with an analysis."""
    records = Records(resource)
    ids: list[str | None] = []
    for page in pages:
        records.add(page)
        ids += page.values("id")
    return ids, sent_columns(records)


def record_path(resource: Resource, identifier: str) -> str:
    """Return the path of a record's own page below the base URL."""
    return f"/{resource.collection}/{quote(identifier, safe='')}.xml"


def check_details(collection: str, *, details: bool) -> None:
    """Raise if `details` is set for a collection without details.

    Raises
    ------
    InvalidInputError
        If the records are not projects.
    """
    if details and collection != PROJECT.collection:
        raise InvalidInputError(
            f"Details are the own page of each project; {collection} has none.",
            hint=Hint("Leave details= out.", shell="Leave --details out."),
        )

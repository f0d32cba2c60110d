"""The own pages of records: which are needed, and how one is asked for.

Today's live service sends projects in collections without their analysis; only the page of each
project has it. A record needs its own page if it came without an analysis and with the id of one.
Where no record of a collection has such an id, nothing tells which have an analysis, and all of
them need their page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from dirframe.client.frames.builder import FrameBuilder
from dirframe.client.xml.records import RecordReader
from dirframe.errors import Hint, InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from dirframe.client.directory import Directory
    from dirframe.client.http.client import CachePolicy, FetchedPage
    from dirframe.client.xml.parser import Page
    from dirframe.schema import Resource

__all__ = [
    "ANALYSIS_COLUMNS",
    "Details",
    "Refused",
    "Sent",
    "check_details",
    "read_sent",
    "record_path",
    "refusal_from_error",
    "sent_columns",
    "unsent_columns",
    "wants_analysis",
    "with_signs",
]

_ELEMENT = "analysis"
_ID = "analysis_id"

#: The columns of a project that only its analysis fills.
ANALYSIS_COLUMNS = tuple(
    field.column for field in PROJECT.fields if field.path[0] == _ELEMENT and len(field.path) > 1
)

#: Columns that tell whether a record came with an analysis, and whether it has one.
_SIGNS = (_ID, "analysis__id")


@dataclass(frozen=True)
class Refused:
    """An own page that did not come.

    Parameters
    ----------
    why
        In a few words; empty where the project has no analysis, as today's live service answers
        for some.
    requests
        What asking for it cost.
    """

    why: str
    requests: int = 1

    @property
    def is_loss(self) -> bool:
        """Whether something is missing: a project without an analysis is complete."""
        return bool(self.why)


@dataclass(frozen=True)
class Sent:
    """What a collection said of the analyses of its records.

    Parameters
    ----------
    held
        Of each record whether it came with an analysis.
    named
        Of each record whether it came with the id of one.
    """

    held: NDArray[np.bool_]
    named: NDArray[np.bool_]

    def needed(self) -> NDArray[np.bool_]:
        """Tell of each record whether its own page has to be asked for."""
        return ~self.held & (self.named if self.named.any() else True)

    @property
    def left_out(self) -> bool:
        """Whether records have analyses, and none came with its own."""
        return bool(self.named.any()) and not self.held.any()


class Details:
    """Asks for own pages, with the cache and the quota as the manner has it.

    The cache remembers a refusal as it does a page, so that the same load again costs nothing.

    Parameters
    ----------
    directory
        Where to ask.
    resource
        What the records are.
    manner
        How the cache and the quota may be used.
    """

    def __init__(self, directory: Directory, resource: Resource, manner: CachePolicy) -> None:
        self._session, self._resource, self._manner = directory.session, resource, manner

    def fetch(self, identifier: str) -> FetchedPage | Refused:
        """Return the own page of a record, or why the directory does not give it."""
        path = record_path(self._resource, identifier)
        try:
            return self._session.get(path, {}, self._manner)
        except (ServiceError, NotFoundError) as error:
            if (refused := refusal_from_error(error)) is None:
                raise
            # Without a status the directory said nothing about this record.
            if self._manner.keep and error.status is not None:
                self._session.put_refusal(path, refused.why)
            return refused

    def at_hand(self, identifier: str) -> FetchedPage | Refused | None:
        """Return the own page of a record, or its refusal, from the cache if it may be used."""
        path = record_path(self._resource, identifier)
        why = self._session.get_refusal(path, self._manner)
        if why is not None:
            return Refused(why, requests=0)
        return self._session.get_cached(path, {}, self._manner)


def refusal_from_error(error: NotFoundError | ServiceError) -> Refused | None:
    """Say what an error means for one record; None if it means the whole directory."""
    if isinstance(error, NotFoundError):
        return Refused("gone")
    if error.status == 200 and error.reported is None:
        return Refused("")
    if error.status is None or error.status < 500:
        return Refused("refused")
    return None


def sent_columns(builder: FrameBuilder) -> Sent:
    """Say what the records of a builder came with."""
    return Sent(builder.holding(_ELEMENT), builder.holding(_ID))


def read_sent(pages: Iterable[Page], resource: Resource) -> tuple[list[str | None], Sent]:
    """Read the ids of the records of some pages, and what they came with."""
    reader, builder = RecordReader(resource), FrameBuilder(resource)
    ids: list[str | None] = []
    for page in pages:
        reader.add(page)
        ids += reader.last_values("id")
        builder.add(reader.pop_columns())
    return ids, sent_columns(builder)


def wants_analysis(resource: Resource, columns: Sequence[str] | None) -> bool:
    """Tell whether columns are asked for that only an analysis fills."""
    if resource is not PROJECT:
        return False
    return columns is None or not set(columns).isdisjoint(ANALYSIS_COLUMNS)


def unsent_columns(resource: Resource, columns: Sequence[str] | None) -> tuple[str, ...]:
    """Name the columns of a frame that only analyses fill."""
    if not wants_analysis(resource, columns):
        return ()
    return tuple(one for one in ANALYSIS_COLUMNS if columns is None or one in columns)


def with_signs(resource: Resource, columns: Sequence[str] | None) -> list[str] | None:
    """Return chosen columns with those that tell whether an analysis came."""
    if columns is None or not wants_analysis(resource, columns):
        return None if columns is None else list(columns)
    return list(dict.fromkeys([*columns, *_SIGNS]))


def record_path(resource: Resource, identifier: str) -> str:
    """Return the path of a record's own page below the base URL."""
    return f"/{resource.collection}/{quote(identifier, safe='')}.xml"


def check_details(resource: Resource, *, details: bool) -> None:
    """Refuse details of what has none.

    Raises
    ------
    InvalidInputError
        If the records are not projects.
    """
    if details and resource is not PROJECT:
        raise InvalidInputError(
            f"Details are the own page of each project; {resource.collection} come whole in their "
            "collection.",
            hint=Hint("Leave details= out.", shell="Leave --details out."),
        )

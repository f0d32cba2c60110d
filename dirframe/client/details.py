"""Own pages of projects, and collections of many projects."""

# Today's live service sends projects in collections without their analysis; only the page of each
# project has it. A record needs its own page if it came without an analysis but with an analysis
# id. If no record of a collection has such an id, nothing shows which projects have an analysis, so
# every record without one needs its page.

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from dirframe.client.page import local_name
from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml import etree

    from dirframe.client.http.session import FetchedPage, Session
    from dirframe.client.page import Page
    from dirframe.client.query import Policy
    from dirframe.schema import Resource

#: The columns of a project that only its analysis fills.
ANALYSIS_COLUMNS = tuple(
    field.column for field in PROJECT.fields if field.path[0] == "analysis" and len(field.path) > 1
)

Key = TypeVar("Key")

_NAMED = 20  # missing records in a message; the provenance lists all of them


@dataclass(frozen=True)
class Refused:
    """A page that did not come, and why; `why` is empty if the project has no analysis."""

    why: str
    requests: int = 1


def fetch_own_page(
    session: Session, resource: Resource, identifier: str, policy: Policy
) -> FetchedPage | Refused:
    """Return the own page of a record, or why it is not available; the cache keeps both."""
    path = record_path(resource, identifier)
    why = get_refusal(session, path, policy)
    if why is not None:
        return Refused(why, requests=0)
    try:
        return session.get(path, {}, **policy)
    except (ServiceError, NotFoundError) as error:
        why = why_refused(error)
        if why is None:
            raise
        # Without a status, the directory gave no answer about this record.
        if policy.get("store", True) and error.status is not None:
            session.put_refusal(path, why)
        return Refused(why)


def get_refusal(session: Session, path: str, policy: Policy) -> str | None:
    """Return why a page was refused, if the cache has it and may be used."""
    refresh, offline = policy.get("refresh", False), policy.get("offline", False)
    return session.get_refusal(path, refresh=refresh, offline=offline)


def own_page_is_cached(session: Session, resource: Resource, identifier: str) -> bool:
    """Return whether the own page of a record, or its refusal, is fresh in the cache."""
    path = record_path(resource, identifier)
    return session.is_cached(path, {}) or session.get_refusal(path) is not None


def why_refused(error: NotFoundError | ServiceError) -> str | None:
    """Return why one record is refused; None if the error concerns the whole directory."""
    if isinstance(error, NotFoundError):
        return "gone"
    if error.status == 200 and error.reported is None:
        return ""
    return "refused" if error.status is None or error.status < 500 else None


def signs_of(page: Page, resource: Resource) -> str:
    """Return of each project a digit: 1 came with its analysis, 2 with its id, 3 both, 0 none."""
    return "".join(str(_sign(record)) for record in page.records) if resource is PROJECT else ""


def _sign(record: etree._Element) -> int:
    parts = [(local_name(child), child) for child in record]
    held, named = (
        any(text.strip() for name, child in parts if name == element for text in child.itertext())
        for element in ("analysis", "analysis_id")
    )
    return held + 2 * named


def needed_pages(signs: Mapping[Key, str]) -> list[Key]:
    """Return the ids of the records that need their own page; `signs` are by id."""
    any_named = not {"2", "3"}.isdisjoint(signs.values())
    return [id_ for id_, sign in signs.items() if sign == "2" or (sign == "0" and not any_named)]


def are_left_out(signs: Iterable[str]) -> bool:
    """Return whether records have analyses, but none came with its analysis."""
    kinds = set(signs)
    return "2" in kinds and kinds.isdisjoint({"1", "3"})


def list_named(missing: Mapping[str, str]) -> str:
    """Return the names of what did not come, and why: the first twenty."""
    named = [f"{identifier} ({why})" for identifier, why in missing.items()]
    more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
    return f"{', '.join(named[:_NAMED])}{more}"


def record_path(resource: Resource, identifier: str) -> str:
    """Return the path of a record's own page below the base URL."""
    return f"/{resource.collection}/{quote(identifier, safe='')}.xml"


def check_details(resource: Resource, *, details: bool) -> None:
    """Raise `InvalidInputError` if `details` is set for records without details."""
    if details and resource is not PROJECT:
        raise InvalidInputError(
            f"Details are the own page of each project; {resource.collection} has none.",
            hint="Leave details= (--details) out.",
        )

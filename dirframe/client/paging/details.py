"""Own pages of projects: which are needed, which are missing, and which could not be loaded."""

# Today's live service sends an analysis only with the own page of its project. A project needs that if
# it came without its analysis, but with an analysis id; or without both, if no project says whether it
# has such an id.

# Pure: no request, no thread, no text for people.

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from dirframe.client.paging.fetch import Failure, Refusal
from dirframe.client.paging.pages import Key, Place
from dirframe.client.xml.page import AnalysisSent
from dirframe.schema import PROJECT

Name = TypeVar("Name")

#: The columns of a project that only its analysis fills.
ANALYSIS_COLUMNS = tuple(
    field.column for field in PROJECT.fields if field.path[0] == "analysis" and len(field.path) > 1
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnPage:
    """The own page of a record, as it was received, without its content."""

    record: str
    received_at: datetime


@dataclass(slots=True, kw_only=True)
class Details:
    """The own pages of the records of a query."""

    is_wanted: bool = False
    answers: dict[str, OwnPage | Refusal | Failure] = field(default_factory=dict)  # by record

    def missing(self, places: Mapping[Key, Place]) -> list[str]:
        """Return the ids of the records whose own page is needed and was not asked for yet."""
        return [id_ for id_ in needed(analyses_of(places)) if id_ not in self.answers]

    def page_of(self, record: Key) -> OwnPage | None:
        """Return the own page of a record, if it was received."""
        answer = self.answers.get(record) if isinstance(record, str) else None
        return answer if isinstance(answer, OwnPage) else None

    @property
    def received(self) -> int:
        """Number of own pages that were received."""
        return sum(isinstance(answer, OwnPage) for answer in self.answers.values())


def analyses_of(places: Mapping[Key, Place]) -> dict[str, AnalysisSent]:
    """Return what each project came with, by id."""
    return {
        key: place.analysis
        for key, place in places.items()
        if isinstance(key, str) and place.analysis is not None
    }


def needed(analyses: Mapping[Name, AnalysisSent]) -> list[Name]:
    """Return the names of the projects that need their own page."""
    says_ids = AnalysisSent.ID | AnalysisSent.NO_ID
    if any(sent & says_ids for sent in analyses.values()):
        needs_page = AnalysisSent.ID  # alone: there is an analysis, which was not sent
    else:
        needs_page = AnalysisSent.NOTHING
    return [name for name, sent in analyses.items() if sent == needs_page]


def are_analyses_left_out(analyses: Iterable[AnalysisSent]) -> bool:
    """Return whether projects have analyses, but none came with its analysis."""
    kinds = set(analyses)
    return AnalysisSent.ID in kinds and not any(AnalysisSent.ANALYSIS in sent for sent in kinds)

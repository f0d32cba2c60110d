"""What an archive holds: the question, its rounds, and each page that came.

The manifest is a journal (`dirframe.archive.journal`) of five kinds of lines: the archive, a
round, a page, an own page that did not come, the end of a round. A round is one passage through
the collection, or through the own pages of its records, over as many days as it takes. It begins
with its first page: the line of a round that no page follows is what a process left that was ended
between the two, and does not count. What stays out: the pages themselves
(`dirframe.archive.storing`).
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from dirframe.archive.journal import read_lines
from dirframe.archive.pages import Chosen, Kept, Pages
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.archive.pages import Opened
    from dirframe.schema import Resource

__all__ = ["DETAILS", "FORMAT", "MANIFEST", "Manifest", "Round"]

MANIFEST = "manifest.jsonl"
DETAILS = "details"
FORMAT = 1


@dataclass(slots=True)
class Round:
    """One passage: the whole collection, what changed since the one before, or own pages.

    Parameters
    ----------
    number, kind, sort, began
        Which it is, what it asks for and in which order, and when it began.
    pages
        What came.
    end
        What is known since it ended.
    details
        Whether own pages are to follow.
    wanted
        Of a round of own pages, how many there are.
    refused
        Of these, whose did not come, and why.
    """

    number: int
    kind: str
    sort: str | None
    began: str
    pages: Pages = field(default_factory=Pages, repr=False)
    end: dict[str, Any] | None = None
    details: bool = False
    wanted: int = 0
    refused: dict[str, str] = field(default_factory=dict, repr=False)

    def used(self) -> Chosen:
        """List the readings that count, in the order of the collection.

        Pages of changes lie elsewhere from one request to the next: all of them count. So do
        those of a round that has not ended, as far as one knows.
        """
        pages, numbers = self.pages, self.pages.numbers
        order: Sequence[int] = range(len(pages))
        if self.kind == DETAILS:  # several are asked for at a time
            return Chosen(pages, sorted(order, key=numbers.__getitem__))
        if self.kind != "whole":
            return Chosen(pages, order)
        if self.end is None:
            moments = [kept.retrieved for kept in pages]
            return Chosen(pages, sorted(order, key=lambda n: (numbers[n], moments[n])))
        if self.end["order"] is not None:
            order = array("Q", self.end["order"])
            _ = [numbers[number] for number in order]  # one that is not there fails here
            return Chosen(pages, order)
        if any(a > b for a, b in pairwise(numbers)):
            order = array("Q", sorted(order, key=numbers.__getitem__))
        return Chosen(pages, order)

    def settled(self, ids: list[str | None]) -> dict[str, Any]:
        """Say which readings hold the records of a finished round, and which records came again.

        Parameters
        ----------
        ids
            The records, in the order of the collection.
        """
        newest: dict[str | None, int] = {}
        again: set[str] = set()
        moments = [kept.retrieved for kept in self.pages]
        by_time = sorted(range(len(moments)), key=moments.__getitem__)
        for number, kept in zip(by_time, self.pages.at(by_time), strict=True):
            for one in kept.ids:
                if one is not None and one in newest:
                    again.add(one)
                newest[one] = number
        gone = set(newest) - set(ids)
        order = list(dict.fromkeys(newest[one] for one in ids if one in newest))
        plain = [self.pages.numbers[number] for number in order] == list(range(1, len(order) + 1))
        return {
            "order": None if plain and len(order) == len(self.pages) else order,
            "again": sorted(again),
            "gone": sorted(one for one in gone if one is not None),
        }


@dataclass(slots=True)
class Manifest:
    """What stands in a manifest."""

    resource: Resource
    base_url: str
    source: str
    query: str | None
    rounds: list[Round] = field(default_factory=list, repr=False)
    refusals: list[tuple[str, int]] = field(default_factory=list, repr=False)

    @property
    def details(self) -> bool:
        """Whether own pages belong to it."""
        return any(one.details or one.kind == DETAILS for one in self.rounds)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask for: the newest round has ended, with its own pages."""
        if not self.rounds or self.rounds[-1].end is None:
            return False
        return self.rounds[-1].kind == DETAILS or not self.details

    @classmethod
    def read(cls, opened: Opened, name: str) -> Self:
        """Read a manifest, and remember how to open it: lines of pages are read again.

        Raises
        ------
        ArchiveError
            If it is damaged or of another version; the message names the place.
        """
        with opened() as lines:
            events = read_lines(lines, name)
            _, head = next(events, (0, {}))
            if head.get("event") != "archive":
                raise ArchiveError(f"{name} is not the manifest of an archive.")
            if head.get("format") != FORMAT:
                raise ArchiveError(
                    f"{name} is of format {head.get('format')}; this dirframe reads {FORMAT}."
                )
            try:
                what = head["base_url"], head["source"], head["query"]
                manifest = cls(RESOURCES[head["resource"]], *what)
                for place, event in events:
                    manifest._take(event, place, opened)
                manifest._drop_unbegun()
            except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
                raise ArchiveError(f"{name} says what no archive holds ({error!r}).") from error
        return manifest

    def _take(self, event: dict[str, Any], place: int, opened: Opened) -> None:
        if event["event"] == "round":
            self._drop_unbegun()
            facts = event["kind"], event["sort"], event["at"]
            begun = Round(len(self.rounds) + 1, *facts, Pages(opened=opened))
            begun.details, begun.wanted = bool(event.get("details")), int(event.get("wanted", 0))
            self.rounds.append(begun)
        elif event["event"] == "refused":
            self.rounds[event["round"] - 1].refused[str(event["id"])] = str(event["why"])
            datetime.fromisoformat(event["at"])
            self.refusals.append((event["at"], int(event["paid"])))
        elif event["event"] == "page":
            self.rounds[event["round"] - 1].pages.append(Kept.of(event), place)
        elif event["event"] == "end":
            ended = self.rounds[event["round"] - 1]
            ended.end = event
            datetime.fromisoformat(event["at"])
            if ended.kind == "whole":  # whoever wrote it: what cannot be fails here
                _ = ended.used(), {*event["again"], *event["gone"]}
            _ = {*event.get("gone", ())}
            _ = event["pages"] + (event["available"] or 0), event["complete"], event["why"]
        else:
            raise ValueError(event["event"])

    def _drop_unbegun(self) -> None:
        """Forget a last round of which neither a page nor an end was written down."""
        if self.rounds and not self.rounds[-1].pages and self.rounds[-1].end is None:
            self.rounds.pop()

    def until(self, as_of: datetime | None) -> list[Round]:
        """List the rounds that a frame is made of: the last whole one, and what changed since.

        A round of changes that was given up does not count, nor does one that ended without a
        page. A whole round that has not ended counts only where there is no other; own pages
        count as they come.
        """
        ended = [
            one
            for one in self.rounds
            if one.end
            and one.pages
            and one.end.get("reached", True)
            and (as_of is None or datetime.fromisoformat(one.end["at"]) <= as_of)
        ]
        whole = [one for one in ended if one.kind == "whole"]
        if not whole:
            begun = [one for one in self.rounds if one.kind == "whole" and one.pages]
            if as_of is not None or not begun:
                raise ArchiveError(
                    "The archive holds no finished harvest"
                    + (f" of {as_of:%Y-%m-%d %H:%M} UTC or before." if as_of else ".")
                )
            return begun[-1:]
        until = [one for one in ended if one.number >= whole[-1].number]
        last = self.rounds[-1]
        if as_of is None and last.kind == DETAILS and last.end is None:
            until.append(last)
        return until

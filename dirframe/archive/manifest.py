"""What an archive holds: the question, its rounds, and each page that came.

The manifest is a journal (`dirframe.archive.journal`) of four kinds of lines: the archive, a
round, a page, the end of a round. A round is one passage through the collection, over as many
days as it takes. What stays out: the pages themselves (`dirframe.archive.storing`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

from dirframe.archive.journal import read_lines
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dirframe.schema import Resource

__all__ = ["FORMAT", "MANIFEST", "Kept", "Manifest", "Round"]

MANIFEST = "manifest.jsonl"
FORMAT = 1


#: Stands between ids; XML 1.0 (section 2.2) has no such character.
_BETWEEN = "\x1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One page as it came: where it lies in the collection, and what proves it.

    An archive has one of these for each page in memory, so the ids are one text.
    """

    page: int
    session: int
    sha256: str
    bytes: int
    packed: int
    retrieved: str
    first: int | None
    available: int | None
    names: str | None
    low: str | None
    high: str | None
    ordered: bool
    paid: int
    synthetic: bool

    @property
    def moment(self) -> datetime:
        """When it was fetched."""
        return datetime.fromisoformat(self.retrieved)

    @property
    def ids(self) -> tuple[str | None, ...]:
        """The ids of its records; None for one without."""
        if self.names is None:
            return ()
        return tuple(name or None for name in self.names.split(_BETWEEN))

    @property
    def count(self) -> int:
        """How many records it holds."""
        return 0 if self.names is None else self.names.count(_BETWEEN) + 1

    @staticmethod
    def joined(ids: Iterable[str | None]) -> str | None:
        """Return ids as `names` holds them."""
        texts = [one or "" for one in ids]
        return _BETWEEN.join(texts) if texts else None

    def event(self, number: int) -> dict[str, Any]:
        """Return its line in the manifest."""
        facts = asdict(self)
        del facts["names"]
        return {"event": "page", "round": number} | facts | {"ids": self.ids}

    @classmethod
    def of(cls, event: dict[str, Any]) -> Self:
        """Read a line of the manifest."""
        facts = {name: event[name] for name in cls.__slots__ if name != "names"}
        if len(facts["sha256"]) != 64 or not set(facts["sha256"]) <= set("0123456789abcdef"):
            raise ValueError("a digest that is none")
        for name in ("page", "session", "bytes", "packed", "paid"):
            if type(facts[name]) is not int or facts[name] < 0:
                raise ValueError(f"{name} is {facts[name]!r}")
        for name in ("first", "available"):  # as the directory said it, whatever that was
            if facts[name] is not None and type(facts[name]) is not int:
                raise ValueError(f"{name} is {facts[name]!r}")
        datetime.fromisoformat(facts["retrieved"])
        return cls(**facts, names=cls.joined(event["ids"]))


@dataclass(slots=True)
class Round:
    """One passage: the whole collection, or what changed since the one before."""

    number: int
    kind: str
    sort: str | None
    began: str
    pages: list[Kept] = field(default_factory=list, repr=False)
    end: dict[str, Any] | None = None

    def used(self) -> list[Kept]:
        """List the readings that count, in the order of the collection.

        Pages of changes lie elsewhere from one request to the next: all of them count. So do
        those of a round that has not ended, as far as one knows.
        """
        if self.kind != "whole":
            return list(self.pages)
        if self.end is None:
            return sorted(self.pages, key=lambda kept: (kept.page, kept.retrieved))
        if self.end["order"] is not None:
            return [self.pages[number] for number in self.end["order"]]
        return sorted(self.pages, key=lambda kept: kept.page)

    def settled(self, ids: list[str | None]) -> dict[str, Any]:
        """Say which readings hold the records of a finished round, and which records came again.

        Parameters
        ----------
        ids
            The records, in the order of the collection.
        """
        newest: dict[str | None, int] = {}
        again: set[str] = set()
        for number in sorted(range(len(self.pages)), key=lambda n: self.pages[n].retrieved):
            for one in self.pages[number].ids:
                if one is not None and one in newest:
                    again.add(one)
                newest[one] = number
        gone = set(newest) - set(ids)
        order = list(dict.fromkeys(newest[one] for one in ids if one in newest))
        plain = [self.pages[number].page for number in order] == list(range(1, len(order) + 1))
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

    @classmethod
    def read(cls, lines: Iterable[bytes], name: str) -> Self:
        """Read the lines of a manifest.

        Raises
        ------
        ArchiveError
            If it is damaged or of another version; the message names the place.
        """
        events = read_lines(lines, name)
        head = next(events, None)
        if head is None or head.get("event") != "archive":
            raise ArchiveError(f"{name} is not the manifest of an archive.")
        if head.get("format") != FORMAT:
            raise ArchiveError(
                f"{name} is of format {head.get('format')}; this dirframe reads {FORMAT}."
            )
        try:
            manifest = cls(
                RESOURCES[head["resource"]], head["base_url"], head["source"], head["query"]
            )
            for event in events:
                manifest._take(event)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ArchiveError(f"{name} says what no archive holds ({error!r}).") from error
        return manifest

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] == "round":
            self.rounds.append(
                Round(len(self.rounds) + 1, event["kind"], event["sort"], event["at"])
            )
        elif event["event"] == "page":
            self.rounds[event["round"] - 1].pages.append(Kept.of(event))
        elif event["event"] == "end":
            ended = self.rounds[event["round"] - 1]
            ended.end = event
            datetime.fromisoformat(event["at"])
            if ended.kind == "whole":  # whoever wrote it: what cannot be fails here
                _ = ended.used(), {*event["again"], *event["gone"]}
            _ = event["pages"] + (event["available"] or 0), event["complete"], event["why"]
        else:
            raise ValueError(event["event"])

    def until(self, as_of: datetime | None) -> list[Round]:
        """List the rounds that a frame is made of: the last whole one, and what changed since.

        A round of changes that was given up does not count. A whole round that has not ended counts only where there is no other.
        """
        ended = [
            one
            for one in self.rounds
            if one.end
            and one.end.get("reached", True)
            and (as_of is None or datetime.fromisoformat(one.end["at"]) <= as_of)
        ]
        whole = [one for one in ended if one.kind == "whole"]
        if not whole:
            begun = [one for one in self.rounds if one.kind == "whole"]
            if as_of is not None or not begun:
                raise ArchiveError(
                    "The archive holds no finished harvest"
                    + (f" of {as_of:%Y-%m-%d %H:%M} UTC or before." if as_of else ".")
                )
            return begun[-1:]
        return [one for one in ended if one.number >= whole[-1].number]

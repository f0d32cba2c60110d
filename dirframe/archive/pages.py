"""The pages of a round, as they stand in the manifest, and read from there when they are asked for.

Of each page that stands in the file only its place and its number are held, so that an archive
of a million pages needs no more memory than one of a hundred.

What stays out: their contents (`dirframe.archive.contents`).
"""

from __future__ import annotations

from array import array
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, Self

from dirframe.archive.journal import read_line
from dirframe.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    #: Opens what the lines stand in, anew each time.
    Opened = Callable[[], AbstractContextManager[IO[bytes]]]

__all__ = ["Chosen", "Kept", "Pages"]

#: Stands between ids; XML 1.0 (section 2.2) has no such character.
_BETWEEN = "\x1f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One page as it came: where it lies in the collection, and what proves it."""

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


class Pages:
    """The pages of a round, in the order in which they came.

    Parameters
    ----------
    kept
        Those that are held in memory.
    opened
        Opens the file that has the others.
    """

    def __init__(self, kept: Iterable[Kept] = (), opened: Opened | None = None) -> None:
        self._opened = opened
        self._places = array("Q")  # where the lines begin, of those in the file
        self._numbers = array("Q")
        self._new: list[Kept] = []
        for one in kept:
            self.append(one)

    def append(self, kept: Kept, place: int | None = None) -> None:
        """Take a page; one whose line begins at a place of the file is not held."""
        self._numbers.append(kept.page)
        if place is None:
            self._new.append(kept)
        else:
            self._places.append(place)

    @property
    def numbers(self) -> Sequence[int]:
        """The place of each in the collection."""
        return self._numbers

    def at(self, order: Iterable[int]) -> Iterator[Kept]:
        """Give some of them, in this order."""
        stored = len(self._places)
        if not stored or self._opened is None:
            yield from (self._new[number] for number in order)
            return
        try:
            with self._opened() as stream:
                for number in order:
                    if number >= stored:
                        yield self._new[number - stored]
                    else:
                        stream.seek(self._places[number])
                        yield Kept.of(read_line(stream.readline()))
        except (OSError, ValueError, LookupError) as error:
            raise ArchiveError(
                f"The manifest cannot be read any more ({error}). Open the archive again."
            ) from error

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Kept]:
        return self.at(range(len(self)))

    def __getitem__(self, number: int) -> Kept:
        return next(self.at([range(len(self))[number]]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """Some of the pages of a round, in an order."""

    pages: Pages
    order: Sequence[int]

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Kept]:
        return self.pages.at(self.order)

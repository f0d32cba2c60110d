"""What an archive holds: its collection, rounds, pages, and why something is not proven.

Each class is a table of the archive's file (`dirframe.archive.store`), its fields the columns.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from dirframe import __version__
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dirframe.schema import Resource

__all__ = [
    "Collection",
    "Doubt",
    "Outcome",
    "PageRecord",
    "Reason",
    "Refusal",
    "Round",
    "RoundKind",
    "encode_ids",
]


class RoundKind(StrEnum):
    """What a round asks for."""

    FULL = "full"
    CHANGES = "changes"
    REMOVALS = "removals"
    DETAILS = "details"


class Reason(StrEnum):
    """Why a state of an archive is not proven complete."""

    NOT_FINISHED = "not_finished"
    UNSTABLE_ORDER = "unstable_order"
    TOO_FEW_REQUESTS = "too_few_requests"
    TOO_MANY_CHANGES = "too_many_changes"
    PAGES_UNPROVEN = "pages_unproven"
    REMOVALS_UNKNOWN = "removals_unknown"
    REMOVED = "removed"
    RECORDS_MISSING = "records_missing"
    TOTAL_UNKNOWN = "total_unknown"
    CHANGED_WHILE_READ = "changed_while_read"
    UNSORTED = "unsorted"
    REPLACED_BY_FULL = "replaced_by_full"
    DETAILS_PENDING = "details_pending"
    DETAILS_MISSING = "details_missing"


_TEXTS = {
    Reason.NOT_FINISHED: "the harvest is not finished",
    Reason.UNSTABLE_ORDER: "the collection changed while it was read, in an order that does not "
    "keep still",
    Reason.TOO_FEW_REQUESTS: "{0:.0f} requests at a time were too few to find what changed "
    "meanwhile; begin anew with more of them (update with full=True and a larger requests_per_day)",
    Reason.TOO_MANY_CHANGES: "the collection changed too often while it was read",
    Reason.PAGES_UNPROVEN: "{0}",
    Reason.REMOVALS_UNKNOWN: "which records were removed could not be found ({0}); a full update "
    "finds them",
    Reason.REMOVED: "{0} removed from the directory; which, only a full update shows",
    Reason.RECORDS_MISSING: "{0:,} different records are kept of {1:,}; a full update finds the "
    "others",
    Reason.TOTAL_UNKNOWN: "the directory does not say how many records there are (items_available)",
    Reason.CHANGED_WHILE_READ: "the directory changed too often while its changes were read",
    Reason.UNSORTED: "the directory does not sort by {0}",
    Reason.REPLACED_BY_FULL: "it was given up for a full round",
    Reason.DETAILS_PENDING: "not all own pages were asked for yet",
    Reason.DETAILS_MISSING: "the own pages of {0:,} records did not come: {1}",
}


class Doubt(NamedTuple):
    """A reason, and what its text names."""

    reason: Reason
    values: tuple[str | int | float, ...] = ()

    @classmethod
    def because(cls, reason: Reason, *values: str | float) -> Self:
        """Make one."""
        return cls(reason, values)

    def __str__(self) -> str:
        values: tuple[object, ...] = self.values
        if self.reason is Reason.REMOVED:
            values = ("1 record was" if values == (1,) else f"{values[0]:,} records were",)
        return _TEXTS[self.reason].format(*values)


class _Row:
    """A row of the archive's file, as a line of JSON too; each kind is a dataclass."""

    __slots__: tuple[str, ...] = ()

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Return what a row says, checked."""
        record = cls(*row)
        record._check()
        return record

    def to_row(self) -> tuple[Any, ...]:
        """Return the columns."""
        self._check()
        return tuple(getattr(self, name) for name in self.__slots__)

    def to_json(self) -> dict[str, Any]:
        """Return what a line of a bundle's manifest says."""
        line: dict[str, Any] = asdict(self)  # type: ignore[call-overload]  # see the docstring
        return line

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Self:
        """Read such a line, checked."""
        return cls.from_row([line[name] for name in cls.__slots__])

    def _check(self) -> None:
        for column in fields(self):  # type: ignore[arg-type]  # as above
            value: Any = getattr(self, column.name)
            kind = str(column.type)
            if type(value) not in _TYPES[kind] or (kind == "int" and value < 0):
                raise ValueError(f"{column.name} is {value!r}")
            if column.name in _TIMES:
                datetime.fromisoformat(value)


@dataclass(slots=True)
class Collection(_Row):
    """What an archive is of: where it was asked for, and with which query."""

    resource_name: str
    base_url: str
    source: str
    query: str | None
    dirframe: str = __version__
    rounds: int = 0

    @property
    def resource(self) -> Resource:
        """What the records are."""
        return RESOURCES[self.resource_name]

    def _check(self) -> None:
        super(Collection, self)._check()
        _ = self.resource


@dataclass(slots=True)
class PageRecord(_Row):
    """One page as it came: where it lies in the collection, and what proves it.

    Parameters
    ----------
    page, session
        Its number in the collection, and in which process's run it came.
    sha256, size, compressed_size
        The digest of what came, and bytes.
    retrieved
        When, ISO 8601 in UTC.
    first, available
        Position of its first record and number of all, as the directory said.
    ids_json
        The ids of its records as a list in JSON; None for one without.
    low, high, ordered
        The first and the last value of the sort on it, and whether all are in order.
    paid
        What it cost, in requests.
    synthetic
        1 if the directory says that the records are.
    round, number
        Where it stands in the archive.
    """

    page: int
    session: int
    sha256: str
    size: int
    compressed_size: int
    retrieved: str
    first: int | None
    available: int | None
    ids_json: str
    low: str | None
    high: str | None
    ordered: int
    paid: int
    synthetic: int
    round: int = 0
    number: int = 0

    @property
    def moment(self) -> datetime:
        """When it was fetched."""
        return datetime.fromisoformat(self.retrieved)

    @property
    def ids(self) -> tuple[str | None, ...]:
        """The ids of its records; None for one without."""
        return tuple(json.loads(self.ids_json))

    def to_json(self) -> dict[str, Any]:
        """Return what a line of a bundle's manifest says."""
        line = asdict(self)
        line["ids"] = json.loads(line.pop("ids_json"))
        return line

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Self:
        """Read such a line, checked."""
        ids = line["ids"]
        if type(ids) is not list or not all(one is None or type(one) is str for one in ids):
            raise ValueError(f"ids is {ids!r}")
        return super(PageRecord, cls).from_json(line | {"ids_json": encode_ids(ids)})

    def _check(self) -> None:
        if len(self.sha256) != 64 or not set(self.sha256) <= set("0123456789abcdef"):
            raise ValueError("a digest that is none")
        super(PageRecord, self)._check()


@dataclass(slots=True)
class Refusal(_Row):
    """The own page of a record that did not come; without a text there is none."""

    id: str
    text: str
    at: str
    paid: int
    round: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(_Row):
    """What is known of a round since it ended.

    Parameters
    ----------
    at
        When it ended, ISO 8601 in UTC.
    pages, available
        How many pages the collection has, and how many records, as the directory said last.
    doubt
        Why the state is not proven complete; None if it is.
    reached
        Whether the round did what it was begun for; what one that did not found does not count.
    order
        The readings that hold the records, by their numbers in the round, in the order of the
        collection; None where that is the order of all pages.
    repeated
        How many records were read more than once.
    gone
        Records that were read and are no more.
    """

    at: str
    pages: int
    available: int | None
    doubt: Doubt | None = None
    reached: bool = True
    order: list[int] | None = None
    repeated: int = 0
    gone: list[str] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether the state is proven complete."""
        return self.doubt is None

    def to_text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read that, checked."""
        facts = json.loads(text)
        if facts["doubt"] is not None:
            reason, values = facts["doubt"]
            facts["doubt"] = Doubt(Reason(reason), tuple(values))
            _ = str(facts["doubt"])
        one = cls(**facts)
        one._check()
        if {*map(type, one.order or ())} - {int} or {*map(type, one.gone)} - {str}:
            raise ValueError("an end that is none")
        return one


@dataclass(slots=True)
class Round(_Row):
    """One passage: the whole collection, what changed since the one before, or own pages.

    Parameters
    ----------
    number, kind, sort, began
        Which it is, what it asks for and in which order, and when it began.
    details, expected
        1 if own pages are to follow; of a round of own pages, how many there are.
    pages, refusals
        How many rows it has.
    outcome
        What is known since it ended.
    """

    number: int
    kind: RoundKind
    sort: str | None
    began: str
    details: int = 0
    expected: int = 0
    pages: int = 0
    refusals: int = 0
    outcome: Outcome | None = None

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Return what a row says, checked."""
        number, kind, *facts, outcome = row
        record = cls(number, RoundKind(kind), *facts)
        record.outcome = outcome and Outcome.from_text(outcome)
        record._check()
        return record

    def to_row(self) -> tuple[Any, ...]:
        """Return the columns."""
        self._check()
        *facts, _ = (getattr(self, name) for name in self.__slots__)
        return (*facts, self.outcome and self.outcome.to_text())

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Self:
        """Read a line of a bundle's manifest, checked."""
        outcome = line["outcome"] and json.dumps(line["outcome"])
        return cls.from_row([*(line[name] for name in cls.__slots__[:-1]), outcome])


#: What a column of these annotations may hold.
_TYPES: dict[str, set[Any]] = {
    "int": {int},
    "int | None": {int, NoneType},  # as the directory said it, whatever that was
    "str": {str},
    "str | None": {str, NoneType},
    "bool": {bool},
    "RoundKind": {RoundKind},
    "Doubt | None": {Doubt, NoneType},
    "Outcome | None": {Outcome, NoneType},
    "list[int] | None": {list, NoneType},
    "list[str]": {list},
}
_TIMES = {"at", "began", "retrieved"}


def encode_ids(ids: Iterable[str | None]) -> str:
    """Return ids as `PageRecord.ids_json` holds them."""
    return json.dumps([one or None for one in ids], ensure_ascii=False, separators=(",", ":"))

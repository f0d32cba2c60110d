"""Data model of an archive: collection, rounds, pages and reasons for doubt."""

# Each class is a table of the archive's file (`dirframe.archive.store`), its fields the columns.

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from dirframe import __version__
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dirframe.schema import Resource


class RoundKind(StrEnum):
    """What a round fetches."""

    FULL = "full"
    CHANGES = "changes"
    REMOVALS = "removals"
    DETAILS = "details"


class Reason(StrEnum):
    """Why a state of an archive is not proven complete: its name in a file, and its text."""

    text: str

    def __new__(cls, value: str, text: str = "") -> Self:
        """Create a reason."""
        reason = str.__new__(cls, value)
        reason._value_, reason.text = value, text
        return reason

    NOT_FINISHED = "not_finished", "the harvest is not finished"
    UNSTABLE_ORDER = (
        "unstable_order",
        "the collection changed while it was read, in an order that does not keep still",
    )
    TOO_FEW_REQUESTS = (
        "too_few_requests",
        (
            "{0:.0f} requests at a time were too few to find what changed meanwhile; begin anew with "
            "more of them (update with full=True and a larger requests_per_day)"
        ),
    )
    TOO_MANY_CHANGES = "too_many_changes", "the collection changed too often while it was read"
    PAGES_UNPROVEN = "pages_unproven", "{0}"
    REMOVALS_UNKNOWN = (
        "removals_unknown",
        "which records were removed could not be found ({0}); a full update finds them",
    )
    REMOVED = "removed", "{0} removed from the directory; which, only a full update shows"
    RECORDS_MISSING = (
        "records_missing",
        "{0:,} different records are kept of {1:,}; a full update finds the others",
    )
    TOTAL_UNKNOWN = (
        "total_unknown",
        "the directory does not state the number of records (items_available)",
    )
    CHANGED_WHILE_READ = (
        "changed_while_read",
        "the directory changed too often while its changes were read",
    )
    UNSORTED = "unsorted", "the directory does not sort by {0}"
    REPLACED_BY_FULL = "replaced_by_full", "it was given up for a full round"
    DETAILS_PENDING = "details_pending", "not all own pages were asked for yet"
    DETAILS_MISSING = "details_missing", "the own pages of {0:,} records did not come: {1}"


class Doubt(NamedTuple):
    """A reason, and the values in its text."""

    reason: Reason
    values: tuple[str | int | float, ...] = ()

    def __str__(self) -> str:
        values: tuple[object, ...] = self.values
        if self.reason is Reason.REMOVED:
            values = ("1 record was" if values == (1,) else f"{values[0]:,} records were",)
        return self.reason.text.format(*values)


class _Row:
    """A row of the archive's file, also as a line of JSON; each subclass is a dataclass."""

    __slots__: tuple[str, ...] = ()

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Create a validated record from a row."""
        record = cls(*row)
        record._check()
        return record

    def to_row(self) -> tuple[Any, ...]:
        """Return the values of the columns."""
        self._check()
        return tuple(getattr(self, name) for name in self.__slots__)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a line of a bundle's manifest."""
        line: dict[str, Any] = asdict(self)  # type: ignore[call-overload]  # each subclass is a dataclass
        return line

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Self:
        """Create a validated record from a line of the manifest."""
        return cls.from_row([line[name] for name in cls.__slots__])

    def _check(self) -> None:
        for name, types, is_count in _columns(type(self)):  # type: ignore[arg-type]  # mypy checks the instance's hash
            value: Any = getattr(self, name)
            if type(value) not in types or (is_count and value < 0):
                raise ValueError(f"{name} is {value!r}")
            if name in _TIMES and datetime.fromisoformat(value).tzinfo is None:
                raise ValueError(f"{name} has no time zone")


@dataclass(slots=True)
class Collection(_Row):
    """The archived collection: its directory and query."""

    resource_name: str
    base_url: str
    source: str
    query: str | None
    dirframe: str = __version__
    rounds: int = 0

    @property
    def resource(self) -> Resource:
        """Resource of the records."""
        return RESOURCES[self.resource_name]

    def _check(self) -> None:
        super(Collection, self)._check()
        _ = self.resource


@dataclass(slots=True)
class PageRecord(_Row):
    """One page as received: its position in the collection, and its checksums.

    Parameters
    ----------
    page, session
        Number in the collection, and number of the session that fetched it.
    sha256, size, compressed_size
        Digest and size in bytes of the content, and its compressed size.
    retrieved
        Time of the fetch, ISO 8601 in UTC.
    first, available
        Position of its first record and total number of records, according to the directory.
    ids_json
        The ids of its records as a list in JSON; None for a record without an id.
    low, high, ordered
        The first and the last value of the sort key, and whether all are in order.
    paid
        Number of requests used.
    synthetic
        1 if the directory declares the records as generated.
    round, number
        Number of its round, and its number in the round.
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
        """Time of the fetch."""
        return datetime.fromisoformat(self.retrieved)

    @property
    def ids(self) -> tuple[str | None, ...]:
        """The ids of its records; None for a record without an id."""
        return tuple(json.loads(self.ids_json))

    def to_json(self) -> dict[str, Any]:
        """Return the record as a line of a bundle's manifest."""
        line = asdict(self)
        line["ids"] = json.loads(line.pop("ids_json"))
        return line

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Self:
        """Create a validated record from a line of the manifest."""
        ids = line["ids"]
        _check_ids(ids)
        return super(PageRecord, cls).from_json(line | {"ids_json": encode_ids(ids)})

    def _check(self) -> None:
        if len(self.sha256) != 64 or not set(self.sha256) <= set("0123456789abcdef"):
            raise ValueError("a digest that is none")
        super(PageRecord, self)._check()
        _check_ids(json.loads(self.ids_json))


@dataclass(slots=True)
class Refusal(_Row):
    """An own page that could not be fetched; an empty text means that there is none."""

    id: str
    text: str
    at: str
    paid: int
    round: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(_Row):
    """Result of a finished round.

    Parameters
    ----------
    at
        Time of its end, ISO 8601 in UTC.
    pages, available
        Number of pages and records of the collection, as last reported by the directory.
    doubt
        Why the state is not proven complete; None if it is.
    reached
        Whether the round reached its goal; pages of a round that did not are not used.
    order
        The pages that hold the records, by their numbers in the round, in the order of the
        collection; None if that is the order of all pages.
    repeated
        Number of records that were read more than once.
    gone
        Records that were read and have been removed since.
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
        """Return the outcome as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Create a validated outcome from JSON."""
        facts = json.loads(text)
        if facts["doubt"] is not None:
            reason, values = facts["doubt"]
            facts["doubt"] = Doubt(Reason(reason), tuple(values))
            _ = str(facts["doubt"])
        outcome = cls(**facts)
        outcome._check()
        if {*map(type, outcome.order or ())} - {int} or {*map(type, outcome.gone)} - {str}:
            raise ValueError("an end that is none")
        return outcome


@dataclass(slots=True)
class Round(_Row):
    """One pass: the whole collection, changes since the previous round, or own pages.

    Parameters
    ----------
    number, kind, sort, began
        Its number, what it fetches and in which order, and when it began.
    details, expected
        1 if own pages are to follow; in a round of own pages, their number.
    pages, refusals
        Number of rows.
    outcome
        Result of the finished round.
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
        """Create a validated round from a row."""
        number, kind, *facts, outcome = row
        record = cls(number, RoundKind(kind), *facts)
        record.outcome = outcome and Outcome.from_text(outcome)
        record._check()
        return record

    def to_row(self) -> tuple[Any, ...]:
        """Return the values of the columns."""
        self._check()
        *facts, _ = (getattr(self, name) for name in self.__slots__)
        return (*facts, self.outcome and self.outcome.to_text())

    @classmethod
    def from_json(cls, line: dict[str, Any]) -> Self:
        """Create a validated round from a line of a bundle's manifest."""
        outcome = line["outcome"] and json.dumps(line["outcome"])
        return cls.from_row([*(line[name] for name in cls.__slots__[:-1]), outcome])


#: Valid types of the values for each annotation.
_TYPES: dict[str, set[Any]] = {
    "int": {int},
    "int | None": {int, NoneType},  # as reported by the directory, even if impossible
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


@cache
def _columns(kind: type[Any]) -> list[tuple[str, set[Any], bool]]:
    """Return the name and the types of each column, and whether it is a count."""
    return [
        (column.name, _TYPES[str(column.type)], column.type == "int") for column in fields(kind)
    ]


def _check_ids(ids: object) -> None:
    if type(ids) is not list or not {*map(type, ids)} <= {str, NoneType}:
        raise ValueError(f"ids is {ids!r}")


def encode_ids(ids: Iterable[str | None]) -> str:
    """Encode ids as in `PageRecord.ids_json`."""
    return json.dumps(
        [identifier or None for identifier in ids], ensure_ascii=False, separators=(",", ":")
    )


def sort_keys(texts: list[str]) -> list[Any]:
    """Return numbers or times if all texts can be converted, or else the texts."""
    if all(text.isdigit() for text in texts):
        return [int(text) for text in texts]
    try:
        times = [datetime.fromisoformat(text) for text in texts]
    except ValueError:
        return list(texts)
    return [time if time.tzinfo else time.replace(tzinfo=UTC) for time in times]

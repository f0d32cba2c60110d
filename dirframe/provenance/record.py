"""The record of what a frame was made from, as JSON values."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self
from urllib.parse import urlsplit

from dirframe import __version__
from dirframe.errors import InvalidInputError

__all__ = ["ATTRIBUTE", "Provenance"]

#: The key in ``frame.attrs`` under which the record stands.
ATTRIBUTE = "dirframe"

_MAPPINGS = ("question", "counted", "records", "base")
_TUPLES = ("steps", "columns", "not_sent", "details_missing")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What a frame was made from; None and empty mean that it is not known.

    Parameters
    ----------
    source : str
        What the directory is called.
    base_url : str
        Address of the directory, without a key.
    resource : str
        Kind of record: ``"account"``, ``"project"``, or the element of other records.
    question : Mapping of str to object
        What was asked: ``query``, ``sort``, ``max_items``.
    items_available : int or None
        Records that the directory said it has for this question.
    items_loaded : int or None
        Records that came, after duplicates were removed.
    complete : bool or None
        Whether the load was proven to hold every record that answers the question.
    why : str or None
        Why it is not complete.
    duplicates_removed : int
        Records that came more than once.
    retrieved_oldest, retrieved_newest : str or None
        When the oldest and the newest page were fetched, ISO 8601 in UTC.
    records_oldest, records_newest : str or None
        Where it is not known when pages were fetched: the first and the last change that a
        record names, ISO 8601 in UTC.
    requests_paid, requests_cached : int
        Pages that were asked of the directory, and that came from the cache.
    synthetic : bool
        Whether the data is generated.
    columns : tuple of str
        The columns that were asked for; empty: all.
    not_sent : tuple of str
        Columns that are empty because the directory sent none of them with any record, which
        says nothing of the records.
    details : int
        Records that are those of their own page, not of the collection.
    details_missing : tuple of str
        Ids of the records whose own page was asked for and did not come.
    dirframe : str
        Version of this package.
    steps : tuple of str
        What was done to the records since they were loaded, oldest first.
    counted : Mapping of str to int
        What a statistic counted, and what it had to leave out.
    ids : str
        Digest of the ids of the records that were loaded; empty: not known.
    records : Mapping of str to int
        Of a table without ids, such as a statistic: ``rows`` and ``repeated`` ids of the
        frame that it was made of, and ``others``, 1 if these are not those that were loaded.
    base : Mapping of str to object
        Of a statistic: ``records``, how many its figures are of, and ``which`` these are.
    """

    source: str = ""
    base_url: str = ""
    resource: str = ""
    question: Mapping[str, Any] = field(default_factory=dict)
    items_available: int | None = None
    items_loaded: int | None = None
    complete: bool | None = None
    why: str | None = None
    duplicates_removed: int = 0
    retrieved_oldest: str | None = None
    retrieved_newest: str | None = None
    records_oldest: str | None = None
    records_newest: str | None = None
    requests_paid: int = 0
    requests_cached: int = 0
    synthetic: bool = False
    columns: tuple[str, ...] = ()
    not_sent: tuple[str, ...] = ()
    details: int = 0
    details_missing: tuple[str, ...] = ()
    dirframe: str = __version__
    steps: tuple[str, ...] = ()
    counted: Mapping[str, int] = field(default_factory=dict)
    ids: str = ""
    records: Mapping[str, int] = field(default_factory=dict)
    base: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.query or address.username or address.password or "api_key" in self.question:
            raise InvalidInputError(
                "A frame's provenance was given an address with a user or a query, or a "
                "question with an api_key. It is shown and exported: pass neither."
            )

    @classmethod
    def from_dict(cls, record: object) -> Self:
        """Read a record; missing keys get their default, unknown ones are ignored."""
        if not isinstance(record, Mapping):
            return cls()
        known = {f.name: record[f.name] for f in fields(cls) if record.get(f.name) is not None}
        return cls(**known | {name: tuple(known.get(name, ())) for name in _TUPLES})

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values; changing them changes nothing here."""
        record = {f.name: copy.deepcopy(getattr(self, f.name)) for f in fields(self)}
        return (
            record
            | {name: dict(record[name]) for name in _MAPPINGS}
            | {name: list(record[name]) for name in _TUPLES}
        )

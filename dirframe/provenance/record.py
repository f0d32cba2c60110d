"""The provenance record of a frame, as JSON values."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self
from urllib.parse import urlsplit

from dirframe import __version__
from dirframe.errors import InvalidInputError

_MAPPINGS = ("sample", "failures", "query", "counted", "records", "base", "statistic")
_TUPLES = ("steps", "columns", "not_sent", "details_missing")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Provenance of a frame; None and empty values mean that a fact is not known.

    Parameters
    ----------
    source : str
        Name of the directory.
    base_url : str
        Address of the directory, without a key.
    resource : str
        Kind of record: ``"account"``, ``"project"``, or the element of other records.
    query : Mapping of str to object
        Query of the load: ``query``, ``sort``, ``max_items``.
    items_available : int or None
        Number of records that the directory reported for this query.
    items_loaded : int or None
        Number of records loaded, after duplicates were removed.
    complete : bool or None
        Whether the load was verified to hold every record that matches the query.
    completeness : str
        How far that is known: ``"proven"``; ``"counted"``, pages of several days with as many
        different records as the directory has; ``"incomplete"``; empty: not known.
    incomplete_reason : str or None
        Reason why it is not proven complete.
    duplicates_removed : int
        Number of duplicate records removed.
    retrieved_oldest, retrieved_newest : str or None
        Times when the oldest and the newest page were fetched, ISO 8601 in UTC.
    records_oldest, records_newest : str or None
        If the time of the fetch is not known: the first and the last change of a record, ISO
        8601 in UTC.
    requests_made, requests_cached : int
        Number of pages requested from the directory, and read from the cache.
    synthetic : bool
        Whether the data is generated.
    columns : tuple of str
        Selected columns; empty: all.
    not_sent : tuple of str
        Columns that are empty because the directory sent them with no record, so that nothing
        is known about their values.
    details : int
        Number of records read from their own page instead of the collection.
    details_missing : tuple of str
        Ids of the records whose own page was requested and could not be fetched.
    dirframe : str
        Version of this package.
    steps : tuple of str
        Processing steps since the load, oldest first.
    counted : Mapping of str to int
        Numbers of records that a statistic counted and excluded.
    ids : str
        Digest of the ids of the loaded records; empty: not known.
    records : Mapping of str to int
        For a table without ids, such as a statistic: ``rows`` and ``repeated`` ids of the
        frame that it was computed from, and ``others``, 1 if that frame has other records than
        were loaded.
    statistic : Mapping of str to object
        For a statistic: its ``name`` and the ``options`` that it was given; empty for records.
    base : Mapping of str to object
        For a statistic: ``records``, the number of records that its figures are based on, and
        ``which`` these are.
    """

    source: str = ""
    base_url: str = ""
    resource: str = ""
    query: Mapping[str, Any] = field(default_factory=dict)
    items_available: int | None = None
    items_loaded: int | None = None
    complete: bool | None = None
    completeness: str = ""
    incomplete_reason: str | None = None
    sample: Mapping[str, Any] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    duplicates_removed: int = 0
    retrieved_oldest: str | None = None
    retrieved_newest: str | None = None
    records_oldest: str | None = None
    records_newest: str | None = None
    requests_made: int = 0
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
    statistic: Mapping[str, Any] = field(default_factory=dict)
    base: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.query or address.username or address.password or "api_key" in self.query:
            raise InvalidInputError(
                "A frame's provenance was given an address with a user or a query, or a "
                "query with an api_key. It is shown and exported: pass neither."
            )

    @classmethod
    def from_dict(cls, record: object) -> Self:
        """Create a record from a dict; missing keys get their default, unknown ones are ignored."""
        if not isinstance(record, Mapping):
            return cls()
        known = {f.name: record[f.name] for f in fields(cls) if record.get(f.name) is not None}
        return cls(**known | {name: tuple(known.get(name, ())) for name in _TUPLES})

    @property
    def days(self) -> list[str]:
        """First and last day of access in UTC, or the only one; empty if not known."""
        times = (self.retrieved_oldest, self.retrieved_newest)
        return list(dict.fromkeys(time[:10] for time in times if time))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a new dict of JSON values."""
        record = {f.name: copy.deepcopy(getattr(self, f.name)) for f in fields(self)}
        return (
            record
            | {name: dict(record[name]) for name in _MAPPINGS}
            | {name: list(record[name]) for name in _TUPLES}
        )

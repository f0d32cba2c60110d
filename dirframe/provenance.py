"""Provenance of a frame: a small record in ``frame.attrs["dirframe"]``."""

# The record is JSON, so that it survives query, assign, copy, pickle and Parquet. After operations
# that drop attributes (merge, concat, groupby), use `copy_provenance`.

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

import pandas as pd

from dirframe import __version__, _tables
from dirframe._accessor import check_pandas, check_text_dtype, register_accessor
from dirframe._tables import ATTRIBUTE
from dirframe.errors import ColumnsNotSentError, InvalidInputError
from dirframe.schema.extensions import ALL_RESOURCES, UNKNOWN, detect_resource, resource_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dirframe.schema import Resource

__all__ = [
    "ATTRIBUTE",
    "Difference",
    "Provenance",
    "absent",
    "attributes_of",
    "caption",
    "copy_provenance",
    "difference",
    "get_provenance",
    "resource_of",
    "set_provenance",
]

# Every code path that makes or takes a frame imports this module, also on the command line.
check_pandas()
register_accessor()

F = TypeVar("F")

_TUPLES = ("steps", "not_sent", "details_missing")
#: What `Provenance.complete` says for a word; None for the others.
_COMPLETE = {"proven": True, "incomplete": False}
_NOTES = {
    "proven": "",
    "counted": "counted, not proven complete",
    "unknown": "completeness unknown",
}


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
    completeness : str
        ``"proven"``: the load was verified to hold every record that matches the query.
        ``"counted"``: pages of several days with as many different records as the directory has.
        ``"sample"``: a random sample. ``"incomplete"``. ``"unknown"``.
    incomplete_reason : str or None
        Reason why it is not proven complete.
    sample : Mapping of str to object
        Design of a random sample: its ``size``, the ``population`` that it was drawn from, the
        ``seed``, and the ``order`` of the records.
    failures : Mapping of str to str
        What was asked for and did not come, by name, with the reason.
    excluded : Mapping of str to int
        Numbers of records that were excluded, by rule.
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
    completeness: str = "unknown"
    incomplete_reason: str | None = None
    sample: Mapping[str, Any] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)
    duplicates_removed: int = 0
    retrieved_oldest: str | None = None
    retrieved_newest: str | None = None
    records_oldest: str | None = None
    records_newest: str | None = None
    requests_made: int = 0
    requests_cached: int = 0
    synthetic: bool = False
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
        known["completeness"] = known.get("completeness") or _word(record.get("complete"))
        return cls(**known | {name: tuple(known.get(name, ())) for name in _TUPLES})

    @property
    def complete(self) -> bool | None:
        """True if every record is proven to be there, False if not; None if that is not known."""
        return _COMPLETE.get(self.completeness)

    @property
    def days(self) -> list[str]:
        """First and last day of access in UTC, or the only one; empty if not known."""
        times = (self.retrieved_oldest, self.retrieved_newest)
        return list(dict.fromkeys(time[:10] for time in times if time))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as a new dict of JSON values, with ``complete``."""
        record = {f.name: copy.deepcopy(getattr(self, f.name)) for f in fields(self)}
        record |= {name: list(record[name]) for name in _TUPLES}
        record |= {name: dict(v) for name, v in record.items() if isinstance(v, Mapping)}
        return record | {"complete": self.complete}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How the records of a frame differ from those that were loaded.

    Numbers of records `loaded` and now (`rows`), of `repeated` ids, and 1 if there are `others`,
    which were not loaded. The provenance holds a digest of all ids, which cannot be compared with
    that of a part: `others` is 0 if there are fewer than were loaded.
    """

    loaded: int
    rows: int
    repeated: int = 0
    others: int = 0

    def __str__(self) -> str:
        parts = [
            f"{self.rows:,} of {self.loaded:,} records loaded" if self.rows < self.loaded else ""
        ]
        if self.repeated:
            parts.append(f"{self.repeated:,} with a repeated id")
        if self.others:
            parts.append(f"not the {self.loaded:,} that were loaded")
        elif self.rows > self.loaded and not self.repeated:
            parts.append(f"{self.loaded:,} were loaded")
        return ", ".join(part for part in parts if part)


def attributes_of(frame: Any) -> dict[str, Any]:
    """Return the attributes of a frame of pandas, or of a table or schema of Arrow."""
    check_text_dtype()  # whatever reads or makes a frame comes by here
    return _tables.attributes_of(frame)


def record_of(frame: Any) -> Provenance:
    """Return the provenance of a frame as a record."""
    return Provenance.from_dict(attributes_of(frame).get(ATTRIBUTE))


def get_provenance(frame: Any) -> dict[str, Any]:
    """Return the provenance of a frame.

    Parameters
    ----------
    frame : pandas.DataFrame or pyarrow.Table
        Any frame; one without provenance gives an empty record.

    Returns
    -------
    dict
        Every field of `Provenance` and ``complete``: True if the records are proven to be all,
        False if not, None if that is not known. Further keys are those of another version. A copy:
        changing it does not change the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = set_provenance(pd.DataFrame({"id": ["1"]}), source="A directory", complete=True)
    >>> get_provenance(frame.query("id == '1'"))["source"]
    'A directory'
    """
    record = attributes_of(frame).get(ATTRIBUTE)
    others = copy.deepcopy(record) if isinstance(record, dict) else {}
    return others | Provenance.from_dict(record).to_dict()


def set_provenance(frame: F, **facts: Any) -> F:
    """Set provenance facts of a frame.

    If ``items_loaded`` equals the number of rows, a digest of their ids is set too.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame; its record is changed in place, its columns are not.
    **facts : object
        Fields of `Provenance`, as JSON values; ``complete=True`` is ``completeness="proven"``,
        and False ``"incomplete"``. Other fields keep their value.

    Returns
    -------
    pandas.DataFrame
        The same frame.

    Raises
    ------
    TypeError
        If a fact is not a field of `Provenance`.
    InvalidInputError
        If a value is not JSON, or an address or a query could contain an API key.

    Examples
    --------
    >>> import pandas as pd
    >>> set_provenance(pd.DataFrame(), items_loaded=0).attrs["dirframe"]["items_loaded"]
    0
    """
    before = get_provenance(frame)
    known = {f.name: before[f.name] for f in fields(Provenance)}
    if "complete" in facts:
        complete = facts.pop("complete")
        facts = {"completeness": _word(complete)} | facts
    rows = len(frame)  # type: ignore[arg-type]  # every frame has a length
    if facts.get("items_loaded") == rows and (ids := _ids(frame)) is not None:
        facts = {"ids": digest_ids(ids)[1]} | facts
    after = before | Provenance(**known | facts).to_dict()
    try:
        record = json.loads(json.dumps(after, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"Provenance holds JSON values only, so that every export keeps it: {error}."
        ) from None
    frame.attrs[ATTRIBUTE] = record  # type: ignore[attr-defined]  # every frame of pandas has them
    return frame


def copy_provenance(source: Any, target: F, step: str = "", *, records: bool = True) -> F:
    """Copy the provenance of a frame to a frame derived from it.

    Parameters
    ----------
    source : pandas.DataFrame or pyarrow.Table
        The frame with the provenance.
    target : pandas.DataFrame
        The derived frame; its record is replaced in place.
    step : str, default ""
        What was done; appended to ``steps``.
    records : bool, default True
        Whether the rows of `target` are still records; False for a statistic, whose ids, if it
        has any, are of something else.

    Returns
    -------
    pandas.DataFrame
        `target`.

    Examples
    --------
    >>> import pandas as pd
    >>> loaded = set_provenance(pd.DataFrame({"id": ["1", "2"]}), source="A directory")
    >>> counts = copy_provenance(loaded, loaded.groupby("id").size().to_frame(), "count")
    >>> get_provenance(counts)["steps"]
    ['count']
    """
    record = get_provenance(source)
    if step:
        record["steps"].append(step)
    are_records = records and _ids(target) is not None
    if _ids(source) is not None and not are_records and not record["records"]:
        record["records"] = _records(source, Provenance.from_dict(record))
    target.attrs[ATTRIBUTE] = record  # type: ignore[attr-defined]  # every frame of pandas has them
    return target


def resource_of(frame: Any) -> Resource | None:
    """Return the resource of a frame, from its provenance or else from its columns, or None."""
    record = record_of(frame)
    if record.resource:
        return resource_named(record.resource)
    return detect_resource(getattr(frame, "column_names", None) or frame.columns)


def difference(frame: Any) -> Difference | None:
    """Return how the records of a frame differ from those that were loaded, in any order.

    None if they do not, or if the number of loaded records is not known.
    """
    record = record_of(frame)
    if record.items_loaded is None:
        return None
    change = Difference(loaded=record.items_loaded, **(record.records or _records(frame, record)))
    return None if change == Difference(loaded=change.loaded, rows=change.loaded) else change


def absent(frame: pd.DataFrame, columns: Iterable[str]) -> ColumnsNotSentError | None:
    """Return the error for the columns that the directory did not send; None if there are none."""
    not_sent = record_of(frame).not_sent
    empty = [
        name
        for name in columns
        if name in not_sent and len(frame) and not (name in frame and frame[name].notna().any())
    ]
    if not empty:
        return None
    was, it = ("was", "it") if len(empty) == 1 else ("were", "them")
    return ColumnsNotSentError(
        f"{', '.join(empty)} {was} not sent: the directory gives {it} on the own page of each "
        "project alone, so that nothing is known here.",
        columns=empty,
        hint="Load with details=True (--details) to ask for these pages; "
        "dirframe.plan(..., details=True) (dirframe plan projects --details) estimates the cost.",
    )


def caption(frame: Any) -> str:
    """Return the caption of a chart or a table.

    Parameters
    ----------
    frame : pandas.DataFrame or pyarrow.Table
        A frame of a loader, or a statistic of one.

    Returns
    -------
    str
        Number of records, source, and dates of retrieval (UTC). It states what is excluded,
        whether the data is synthetic, a sample, incomplete or not proven complete, and how the
        records differ from those loaded. For a statistic, it has the number of records that its
        figures are based on, and that of the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "2"]})
    >>> caption(set_provenance(frame, resource="project", source="A directory", synthetic=True))
    'n = 2 projects · Source: A directory · synthetic sample data · completeness unknown'
    """
    record = record_of(frame)
    excluded = sum(record.excluded.values())
    parts = [
        _size(record, frame),
        f"{excluded:,} excluded ({', '.join(record.excluded)})" if excluded else "",
        _origin(record),
        "synthetic sample data" if record.synthetic else "",
        completeness_note(record),
    ]
    return " · ".join(part for part in parts if part)


def completeness_note(record: Provenance) -> str:
    """Return what a caption or a title says about the completeness; empty if it is proven."""
    if record.completeness == "sample":
        size, population = (record.sample.get(name) for name in ("size", "population"))
        return f"random sample of {size:,} of {population:,} (seed {record.sample.get('seed')})"
    if record.completeness != "incomplete":
        return _NOTES[record.completeness]
    loaded, available = record.items_loaded, record.items_available
    known = loaded is not None and available is not None
    return "incomplete" + (f": {loaded:,} of {available:,} loaded" if known else "")


def _word(complete: object) -> str:
    """Return the word of completeness for what `Provenance.complete` says."""
    return "unknown" if complete is None else "proven" if complete else "incomplete"


def _ids(frame: Any) -> Any:
    # A Series has attrs too, and column labels may be duplicated.
    names: Any = getattr(frame, "column_names", None) or getattr(frame, "columns", ())
    return frame["id"] if list(names).count("id") == 1 else None


def digest_ids(ids: Any) -> tuple[int, str]:
    """Return the number of distinct ids, and a digest of them; the number 7 is the text "7"."""
    column = ids if isinstance(ids, pd.Series) else ids.to_pandas()
    texts = column.dropna().astype("str")
    hashes = pd.util.hash_pandas_object(texts, index=False, categorize=False).to_numpy()
    distinct = pd.unique(hashes)  # of a million, several times as fast as numpy's
    return len(distinct), f"{int(distinct.sum()):016x}"


def _records(frame: Any, record: Provenance) -> dict[str, int]:
    """Count rows and repeated ids, and check whether there are records that were not loaded."""
    rows = _rows(record, frame)
    column = None if record.counted or record.items_loaded is None else _ids(frame)
    if column is None:
        return {"rows": rows, "repeated": 0, "others": 0}
    distinct, digest = digest_ids(column)
    loaded = record.items_loaded or 0
    others = distinct > loaded or (distinct == loaded and record.ids not in {"", digest})
    missing = int(pd.isna(column).sum()) if isinstance(column, pd.Series) else column.null_count
    return {
        "rows": len(column),
        "repeated": len(column) - missing - distinct,
        "others": int(others),
    }


def _rows(record: Provenance, frame: Any) -> int:
    # A statistic has one row per group; `counted` has the number of records behind it.
    resource = ALL_RESOURCES.get(record.resource)
    rows = record.records.get("rows", len(frame))
    return record.counted.get(resource.collection, rows) if resource else rows


def _size(record: Provenance, frame: Any) -> str:
    rows = _rows(record, frame)
    count = record.base.get("records", rows)
    which = record.base.get("which", "") if count < rows else ""
    differs = difference(frame)
    of = rows if count < rows else differs.loaded if differs and rows < differs.loaded else count
    singular, plural = ALL_RESOURCES.get(record.resource, UNKNOWN).words
    noun = singular if of == 1 else plural
    parts = [f"{count:,} of {of:,}" if count < of else f"{count:,}", noun, which]
    size = f"n = {' '.join(part for part in parts if part)}"
    if differs is None:
        return size
    if of == differs.loaded:  # the size states that number
        differs = replace(differs, rows=differs.loaded)
    return f"{size}, {differs}" if str(differs) else size


def _origin(record: Provenance) -> str:
    text = f"Source: {record.source or record.base_url or 'not recorded'}"
    return f"{text}, retrieved {' to '.join(record.days)}" if record.days else text

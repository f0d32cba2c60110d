"""Provenance of a frame: a small record in ``frame.attrs["dirframe"]``."""

# The record is JSON, so that it survives query, assign, copy, pickle and Parquet. After operations
# that drop attributes (merge, concat, groupby), use `copy_provenance`.

from __future__ import annotations

import copy
import enum
import json
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.types import is_numeric_dtype

from dirframe import __version__
from dirframe._accessor import check_text_dtype
from dirframe._arrow import as_text
from dirframe._display import quantity
from dirframe._tables import ATTRIBUTE, attributes_of
from dirframe.errors import ColumnsNotSentError, InvalidInputError
from dirframe.schema import PROJECT, Resource, detect_resource, resource_named

#: The public functions, and the key of a record in the attributes of a frame.
__all__ = ["ATTRIBUTE", "caption", "copy_provenance", "get_provenance", "set_provenance"]

F = TypeVar("F", bound="pd.DataFrame | pd.Series[Any]")

#: The facts of a record, and what they are if nothing is known.
FACTS: dict[str, Any] = {
    "source": "",  # name of the directory
    "base_url": "",  # its address, without a key
    "resource": "",  # account, project, or the element of other records
    "query": {},  # query, sort, max_items, details; or path, id, number of projects or files
    "items_available": None,  # records that the directory reported for this query
    "items_loaded": None,  # records loaded, without duplicates
    "completeness": "unknown",  # or proven, counted, sample, incomplete
    "incomplete_reason": None,  # why it is not proven
    "sample": {},  # size, population, seed and order of a random sample
    "walk": {},  # of today's live service: by ids up to a bound, or why by page numbers
    "domain": None,  # of a random sample: records that are left since the last selection of its own
    "failures": {},  # what was asked for and did not come, by name, with the reason
    "excluded": {},  # numbers of records that were excluded, by rule
    "duplicates_removed": 0,
    "retrieved_oldest": None,  # when the oldest and the newest page were fetched, in UTC
    "retrieved_newest": None,
    "requests_made": 0,  # requests of this load to the directory, and pages from the cache
    "requests_cached": 0,
    "requests_paid": 0,  # requests for all that was used, also those of earlier loads
    "synthetic": False,  # generated, not observed
    "not_sent": [],  # columns that the directory sent with no record: nothing is known of them
    "sent": [],  # columns with a value in any record of the load: one that is absent was taken away
    "details": 0,  # records read from their own page
    "details_missing": [],  # ids of those whose own page could not be fetched
    "dirframe": __version__,
    "steps": [],  # processing steps since the load, oldest first
    "selection": [],  # those of them that chose records by their values
    "personal_steps": [],  # those of them whose words may tell who a person is
    "list": "",  # of a table of entries: the column of lists that they were in
    "counted": {},  # numbers of records that a statistic counted and left out
    "records": {},  # of a table: rows and repeated ids of the frame that it was computed from
    "statistic": {},  # of a table: its name
    "interval": {},  # of a table of shares of a random sample: its confidence, or why it has none
    "other_data": [],  # of a table: what stands in it that is not from the directory, and where from
    "countries": {},  # counts of `unify_countries` or `country_audit`, and their column
    "whole": {},  # of a stratum: the days at which the whole frame is judged, by their columns
    # Of a statistic: what its records are called, how many its figures are based on, which these
    # are, and how many rows and which columns the table had.
    "base": {},
}

#: The words of completeness, and what `complete` says for each; the last is that for None.
_COMPLETE = {"proven": True, "incomplete": False, "counted": None, "sample": None, "unknown": None}


class Difference(NamedTuple):
    """How the records of a frame differ from those that were loaded."""

    loaded: int  # numbers of records then and now
    rows: int
    repeated: int  # ids

    def __str__(self) -> str:
        parts = []
        if self.rows < self.loaded:
            parts.append(f"{self.rows:,} of {quantity(self.loaded, 'record')} loaded")
        if self.repeated:
            parts.append(f"{self.repeated:,} with a repeated id")
        if self.rows - self.repeated > self.loaded:
            parts.append(f"{self.loaded:,} were loaded")
        return ", ".join(parts)


class Drawn(NamedTuple):
    """How many records were drawn at random, and of how many."""

    size: int
    population: int


class NoInterval(enum.Enum):
    """Why shares of a random sample have no interval."""

    CHANGED = "changed"  # records were taken away or added, nobody knows by which rule
    INCOMPLETE = "incomplete"  # records that were drawn could not be loaded
    WEIGHTED = "weighted"  # the shares are not of records


#: What captions say of shares without an interval.
_WITHOUT_INTERVAL = {
    NoInterval.CHANGED: "no interval: records were removed or added other than by select, exclude "
    "or by",
    NoInterval.INCOMPLETE: "no interval: some of the drawn records are missing",
    NoInterval.WEIGHTED: "no interval: the shares are not of records",
}


def get_provenance(frame: Any) -> dict[str, Any]:
    """Return a copy of the provenance of a frame.

    Parameters
    ----------
    frame : pandas.DataFrame or pyarrow.Table
        Any frame.

    Returns
    -------
    dict
        Source, query, days and cost of the load, and what was done since; None or empty is unknown.
        ``requests_made`` are those of this load, ``requests_paid`` also those of earlier loads whose
        pages came from the cache.
        ``completeness`` is ``"proven"`` (every record of the query), ``"counted"`` (pages of several
        days with as many different records as the directory has), ``"sample"`` (a random one),
        ``"incomplete"`` or ``"unknown"``; ``complete`` is True if proven, False if incomplete.

    Examples
    --------
    >>> import pandas as pd
    >>> get_provenance(set_provenance(pd.DataFrame(), source="A directory"))["source"]
    'A directory'
    """
    check_text_dtype()  # whatever reads or makes a frame comes by here
    return record_from(attributes_of(frame).get(ATTRIBUTE))


def record_from(stored: object) -> dict[str, Any]:
    """Return a record with every fact; those of another version are kept, those of a wrong type not."""
    known = stored if isinstance(stored, dict) else {}
    usable = {name: value for name, value in known.items() if _has_type_of_fact(name, value)}
    record = copy.deepcopy(FACTS | usable)
    record["complete"] = _COMPLETE.get(str(record["completeness"]))
    return record


def _has_type_of_fact(name: str, value: object) -> bool:
    """Return whether a value is known, and of the type of the fact of its name."""
    default = FACTS.get(name)
    return value is not None and (default is None or type(value) is type(default))


def set_provenance(frame: F, **facts: Any) -> F:
    """Set facts of the provenance of a frame, in place, and return it.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame.
    **facts : object
        Facts as `get_provenance` returns them; others keep their value.

    Raises
    ------
    TypeError, InvalidInputError
        If there is no such fact, or a value is of another type, not JSON, or could hold an API key.

    Examples
    --------
    >>> import pandas as pd
    >>> set_provenance(pd.DataFrame(), items_loaded=0).attrs["dirframe"]["items_loaded"]
    0
    """
    if "complete" in facts:
        complete = facts.pop("complete")
        words = [word for word, value in _COMPLETE.items() if value == complete]
        facts = {"completeness": words[-1] if words else complete} | facts
    if unknown := [name for name in facts if name not in FACTS]:
        raise TypeError(f"Provenance has no fact {unknown[0]!r}.")
    try:
        text = json.dumps(get_provenance(frame) | facts, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"Provenance holds JSON values only: {error}.") from None
    changed = json.loads(text)
    for name in facts:
        if changed[name] is not None and not _has_type_of_fact(name, changed[name]):
            expected, given = type(FACTS[name]).__name__, type(changed[name]).__name__
            raise InvalidInputError(f"{name} must be of type {expected}, not {given}.")
    record = record_from(changed)
    word = record["completeness"]
    if "completeness" in facts and word not in _COMPLETE:
        raise InvalidInputError(f"completeness is {word!r}; it is one of {', '.join(_COMPLETE)}.")
    address = urlsplit(record["base_url"])
    if address.query or address.username or address.password or "api_key" in record["query"]:
        raise InvalidInputError(
            "Provenance is shown and exported: it takes no address with a user or a query, and no "
            "query with an api_key."
        )
    frame.attrs[ATTRIBUTE] = record
    return frame


def copy_provenance(source: Any, target: F, step: str = "", *, records: bool = True) -> F:
    """Copy the provenance of a frame to one derived from it, in place, and return that.

    Parameters
    ----------
    source, target : pandas.DataFrame
        The frame with the provenance, which may be an Arrow table, and the derived one.
    step : str, default ""
        What was done; appended to ``steps``.
    records : bool, default True
        Whether the rows of `target` are still records; False for a statistic.

    Examples
    --------
    >>> import pandas as pd
    >>> loaded = pd.DataFrame({"id": ["1", "2"]})
    >>> copy_provenance(loaded, loaded.describe(), "describe").attrs["dirframe"]["steps"]
    ['describe']
    """
    record = get_provenance(source)
    if step:
        record["steps"].append(step)
    is_table = not records or (_ids(record, target) is None and _ids(record, source) is not None)
    if is_table and not record["records"]:
        record["records"] = {"rows": _rows(record, source), "repeated": _repeated(record, source)}
    target.attrs[ATTRIBUTE] = record
    return target


def add_selection(frame: F, steps: list[str], *, personal: Iterable[str] = ()) -> F:
    """Add steps that chose records by their values, in place, and return the frame.

    `personal` are those of them whose words may tell who a person is.
    """
    record = get_provenance(frame)
    facts: dict[str, Any] = {name: [*record[name], *steps] for name in ("steps", "selection")}
    facts["personal_steps"] = [*record["personal_steps"], *personal]
    return set_provenance(frame, **facts)


def is_about_persons(frame: pd.DataFrame, column: str) -> bool:
    """Return whether a column of records tells who or where a person is, or may do so."""
    resource = resource_of(frame)
    field = resource.by_column.get(column) if resource else None
    if field is None:
        return not is_numeric_dtype(frame[column].dtype)
    return field.personal


def resource_of(frame: Any) -> Resource | None:
    """Return the resource of a frame, from its provenance or else from its columns, or None."""
    if name := get_provenance(frame)["resource"]:
        return resource_named(name)
    return detect_resource(getattr(frame, "column_names", None) or frame.columns)


def difference(frame: Any) -> Difference | None:
    """Return how the records of a frame differ from those loaded; None if not, or not known."""
    record = get_provenance(frame)
    loaded, repeated = record["items_loaded"], record["records"].get("repeated")
    if loaded is None:
        return None
    repeated = _repeated(record, frame) if repeated is None else repeated
    change = Difference(loaded, _rows(record, frame), repeated)
    return None if change == (loaded, loaded, 0) else change


def drawn_sample(frame: Any, records: int | None = None) -> Drawn | NoInterval | None:
    """Return how the random sample was drawn that a frame is, or some of which it is.

    `records` is the number of its records, if they are elsewhere. A frame that is no random sample
    gives None, and one that was changed otherwise than by `add_domain` a reason.
    """
    record = get_provenance(frame)
    design = record["sample"]
    if not {"size", "population"} <= design.keys():
        return None
    if record["items_loaded"] != design["size"]:
        return NoInterval.INCOMPLETE
    expected = design["size"] if record["domain"] is None else record["domain"]
    if records is None:
        records = _rows(record, frame)
    repeated = record["records"].get("repeated")
    if repeated is None:
        repeated = _repeated(record, frame)
    if records != expected or repeated:
        return NoInterval.CHANGED
    return Drawn(design["size"], design["population"])


def add_domain(source: Any, target: F) -> F:
    """Note, in place, that the records of a frame were chosen from another by their values.

    Some records of a random sample that were chosen so are a sample of all such records.
    """
    if isinstance(drawn_sample(source), Drawn):
        set_provenance(target, domain=len(target))
    return target


def absent(frame: pd.DataFrame, columns: Iterable[str]) -> ColumnsNotSentError | None:
    """Return the error for the columns that the directory did not send; None if there are none."""
    not_sent = get_provenance(frame)["not_sent"]
    asked = [name for name in columns if name in not_sent]
    empty = [name for name in asked if name not in frame or frame[name].isna().all()]
    if not empty or not len(frame):
        return None
    return ColumnsNotSentError(
        f"Columns that were not sent: {', '.join(empty)}. The directory sends them only on each "
        "project's own page, so their values are unknown.",
        columns=empty,
        hint="Load with details=True (--details) to request these pages; "
        "dirframe.plan(..., details=True) (dirframe projects --details --plan) estimates the cost.",
    )


def added_columns(frame: Any) -> list[str]:
    """Return the columns of the table of a statistic that it did not make."""
    made = get_provenance(frame)["base"].get("columns")
    if made is None:
        return []
    names: Any = getattr(frame, "column_names", None) or getattr(frame, "columns", ())
    return [str(name) for name in names if name not in made]


def columns_with_values(frame: pd.DataFrame) -> list[str]:
    """Return the columns that have a value in any record."""
    # To take each column alone would copy the provenance as often.
    return [str(name) for name in frame.columns[frame.notna().any()]]


def caption(frame: Any) -> str:
    """Return the caption of a chart or a table.

    Parameters
    ----------
    frame : pandas.DataFrame or pyarrow.Table
        A frame of a loader, or a statistic of one.

    Returns
    -------
    str
        Number of records (of a statistic, those that its figures are based on, and how many of its
        rows are left) and how they differ from those loaded, selection, exclusions, source and days of
        access (UTC); that the data is synthetic, a sample, incomplete or not proven complete; of
        shares of a random sample the level of their interval, or why they have none.

    Examples
    --------
    >>> import pandas as pd
    >>> caption(set_provenance(pd.DataFrame(), resource="project", source="A directory"))
    'n = 0 projects · Source: A directory · completeness unknown'
    """
    record = get_provenance(frame)
    numbers = [_size(record, frame), _rows_left(record, frame)]
    parts = [*numbers, *_selected(record), _source(record), *_reservations(record, frame)]
    return " · ".join(filter(None, parts))


def origin_note(frame: Any) -> str:
    """Return what a caption says besides the number of records: source, selection and completeness.

    The source is first, since it begins a line; a selection can be in the words of a person.
    """
    record = get_provenance(frame)
    parts = [_source(record), *_selected(record), *_reservations(record, frame)]
    return " · ".join(filter(None, parts))


def _selected(record: dict[str, Any]) -> list[str]:
    """Return which records were loaded, selected and excluded."""
    words, only = record["query"].get("query"), record["query"].get("only")
    excluded = sum(record["excluded"].values())
    return [
        f"matching “{' '.join(str(words).split())}”" if words else "",
        f"only {only}" if only else "",
        *record["selection"],
        f"{excluded:,} excluded ({', '.join(record['excluded'])})" if excluded else "",
    ]


def _source(record: dict[str, Any]) -> str:
    """Return the directory and the days of access."""
    source = f"Source: {record['source'] or record['base_url'] or 'not recorded'}"
    days = " to ".join(days_of(record))
    return f"{source}, retrieved {days}" if days else source


def _reservations(record: dict[str, Any], frame: Any) -> list[str]:
    """Return other data in a table, that the data is synthetic, and how complete it is."""
    return [
        *record["other_data"],
        "synthetic sample data" if record["synthetic"] else "",
        estimate_note(frame),
    ]


class Size(NamedTuple):
    """The number of records behind figures, of those in the frame, and of those that it is part of."""

    records: int
    rows: int
    whole: int
    change: str  # how the frame differs from what was loaded, unless `whole` says it


def size_of(frame: Any) -> Size:
    """Return the number of records behind the figures of a table, and of how many."""
    record = get_provenance(frame)
    rows, change = _rows(record, frame), difference(frame)
    records = record["base"].get("records", rows)
    whole = rows
    if change and rows <= records < change.loaded:
        whole = change.loaded
        change = change._replace(rows=whole)  # its text need not repeat this number
    return Size(records, rows, whole, str(change or ""))


def _size(record: dict[str, Any], frame: Any) -> str:
    """Return the number of records behind the figures, of how many, and how the frame differs."""
    size = size_of(frame)
    which = record["base"].get("which", "") if size.records < size.rows else ""
    is_part = size.records < size.whole
    numbers = f"{size.records:,} of {size.whole:,}" if is_part else f"{size.records:,}"
    noun = resource_named(record["resource"]).words[size.whole != 1]
    return ", ".join(filter(None, [f"n = {numbers} {noun} {which}".rstrip(), size.change]))


def _rows_left(record: dict[str, Any], frame: Any) -> str:
    """Return how many rows are left of the table of a statistic; empty if these are all."""
    rows = record["base"].get("rows")
    if rows is None or len(frame) >= rows:
        return ""
    return f"{len(frame):,} of {quantity(rows, 'row')}"


def days_of(record: dict[str, Any]) -> list[str]:
    """Return the first and the last day of access in UTC, or the only one; empty if not known.

    A day in the future is that of a clock that was wrong: it is today at the latest.
    """
    today = datetime.now(UTC).date().isoformat()
    times = (record["retrieved_oldest"], record["retrieved_newest"])
    return list(dict.fromkeys(min(time[:10], today) for time in times if time))


def completeness_note(record: dict[str, Any], *, with_reason: bool = False) -> str:
    """Return what a caption or a title says about the completeness; empty if it is proven."""
    if with_reason:
        why, note = record["incomplete_reason"], completeness_note(record)
        return f"{note} ({why})" if note and why else note
    word, design = record["completeness"], record["sample"]
    loaded, available = record["items_loaded"], record["items_available"]
    if word not in {"sample", "incomplete"}:
        notes = {"proven": "", "counted": "counted, not proven complete"}
        return notes.get(word, "completeness unknown")
    if design:
        sample = _sample_note(record, design)
        return sample if word == "sample" else f"incomplete {sample}: {loaded:,} loaded"
    is_part = loaded is not None and available is not None and loaded < available
    return "incomplete" + (f": {loaded:,} of {available:,} loaded" if is_part else "")


def estimate_note(frame: Any) -> str:
    """Return what a caption says of the completeness and, of a random sample, of its intervals."""
    record = get_provenance(frame)
    note = completeness_note(record)
    if not record["sample"]:
        return note
    interval = record["interval"]
    if "confidence" in interval:
        return estimate(record, interval["confidence"])
    reason = NoInterval(interval["absent"]) if "absent" in interval else None
    if reason is None and not record["statistic"] and not record["list"]:
        is_changed = drawn_sample(frame) is NoInterval.CHANGED
        reason = NoInterval.CHANGED if is_changed else None
    return f"{note} ({_WITHOUT_INTERVAL[reason]})" if reason else note


def estimate(record: dict[str, Any], confidence: float, *, with_reason: bool = False) -> str:
    """Return that figures are estimates from a random sample, with the level of their interval."""
    note = completeness_note(record, with_reason=with_reason)
    article = "an" if record["completeness"] == "incomplete" else "a"
    lost = len(record["details_missing"])
    parts = [
        f"estimate from {article} {note}",
        f"{confidence * 100:g}% interval",
        f"{quantity(lost, 'detail page')} could not be loaded" if lost else "",
    ]
    return ", ".join(filter(None, parts))


def _sample_note(record: dict[str, Any], design: dict[str, Any]) -> str:
    noun = resource_named(record["resource"]).words[design["population"] != 1]
    ids = f" (ids up to {design['bound']:,})" if "bound" in design else ""
    days = " to ".join(days_of(record))
    parts = [
        f"random sample of {design['size']:,} of {design['population']:,} {noun}{ids}",
        f"drawn on {days}" if days else "",
        f"seed {design['seed']}",
    ]
    return ", ".join(filter(None, parts))


def _ids(record: dict[str, Any], frame: Any) -> pd.Series[Any] | None:
    """Return the ids of records whose key these are."""
    if resource_named(record["resource"] or PROJECT.name).key != "id":
        return None
    # A Series has attrs too, and column labels may be duplicated.
    names: Any = getattr(frame, "column_names", None) or getattr(frame, "columns", ())
    if list(names).count("id") != 1:
        return None
    ids = frame["id"]
    return ids if isinstance(ids, pd.Series) else ids.to_pandas()


def _repeated(record: dict[str, Any], frame: Any) -> int:
    ids = _ids(record, frame)
    if ids is None:
        return 0
    texts = pa.array(as_text(ids)).drop_null()  # some are lists
    with suppress(pa.ArrowInvalid):  # different numbers are different texts, in a sixth of the time
        if (np.diff(np.sort(texts.cast(pa.int64()))) > 0).all():
            return 0
    return len(texts) - len(texts.unique())


def _rows(record: dict[str, Any], frame: Any) -> int:
    """Return the number of records in a frame, or behind a table."""
    rows = record["records"].get("rows", len(frame))
    # A statistic counted the records of a file or a relation, which has no rows here.
    number: int = record["counted"].get(resource_named(record["resource"]).collection, rows)
    return number

"""Provenance of a frame: a small record in ``frame.attrs["dirframe"]``."""

# The record is JSON, so that it survives query, assign, copy, pickle and Parquet. After operations
# that drop attributes (merge, concat, groupby), use `copy_provenance`.

from __future__ import annotations

import copy
import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from dirframe._pandas import check_pandas, check_text_dtype
from dirframe.errors import InvalidInputError
from dirframe.provenance.absent_columns import Absent, absent
from dirframe.provenance.fingerprint import Difference, ids_of
from dirframe.provenance.record import Provenance
from dirframe.schema.attributes import ATTRIBUTE, frame_attributes
from dirframe.schema.extensions import ALL_RESOURCES, UNKNOWN, detect_resource, resource_named

if TYPE_CHECKING:
    from dirframe.schema import Resource

__all__ = [
    "ATTRIBUTE",
    "Absent",
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

F = TypeVar("F")

#: What pandas needs to read its own metadata.
_PANDAS_METADATA = ("index_columns", "column_indexes", "columns")

# Every code path that creates or accepts a frame imports this module, also on the command line.
check_pandas()


def attributes_of(frame: Any) -> dict[str, Any]:
    """Return the attributes of a frame of any library, empty if it has none.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Any frame. Arrow has them in the metadata of the schema, as pandas writes them.

    Returns
    -------
    dict
        The attributes, of which ``"dirframe"`` is the provenance.

    Examples
    --------
    >>> import pyarrow as pa
    >>> attributes_of(pa.table({"id": ["1"]}))
    {}
    """
    check_text_dtype()  # whatever reads or makes a frame comes by here
    return frame_attributes(frame)


def get_provenance(frame: Any) -> dict[str, Any]:
    """Return the provenance of a frame.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        Any frame; one without provenance gives an empty record.

    Returns
    -------
    dict
        Every field of `Provenance`, and further keys that another version has written.
        A copy: changing it does not change the frame.

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


def resource_of(frame: Any) -> Resource | None:
    """Return the resource of a frame, from its provenance or else from its columns.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table of another engine
        Any frame.

    Returns
    -------
    Resource or None
        The resource, created from its name if the package does not know it; None if neither
        the provenance nor the columns identify it.

    Examples
    --------
    >>> import pandas as pd
    >>> resource_of(pd.DataFrame({"id": ["1"], "posts_count": [2]})).name
    'account'
    """
    record = attributes_of(frame).get(ATTRIBUTE)
    if name := Provenance.from_dict(record).resource:
        return resource_named(name)
    return detect_resource(frame.columns)


def set_provenance(frame: F, **facts: Any) -> F:
    """Set provenance facts of a frame.

    If ``items_loaded`` equals the number of rows, a digest of their ids is set too.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The frame; its record is changed in place, its columns are not.
    **facts : object
        Fields of `Provenance`, as JSON values. Other fields keep their value.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The same frame; of Arrow a table with the same columns.

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
    rows = len(frame)  # type: ignore[arg-type]  # every frame has a length
    if facts.get("items_loaded") == rows and (ids := _ids(frame)) is not None:
        facts = {"ids": ids_of(ids).digest} | facts
    after = before | Provenance(**known | facts).to_dict()
    try:
        record = json.loads(json.dumps(after, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"Provenance holds JSON values only, so that every export keeps it: {error}."
        ) from None
    return _attach(frame, record)


def copy_provenance(source: Any, target: F, step: str = "", *, records: bool = True) -> F:
    """Copy the provenance of a frame to a frame derived from it.

    A table without ids also gets the number of records that it was computed from.

    Parameters
    ----------
    source : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The frame that `target` was derived from.
    target : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        The derived frame; its record is replaced in place, but for a table of Arrow, which cannot
        be changed.
    step : str, default ""
        Name of the processing step, such as ``"unify_countries"``.
    records : bool, default True
        Whether the rows of `target` are records; never true without a column ``id``.

    Returns
    -------
    pandas.DataFrame, polars.DataFrame or pyarrow.Table
        `target`; of Arrow a table with the same columns.

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
    return _attach(target, record)


def difference(frame: Any) -> Difference | None:
    """Compare the records of a frame with those that were loaded.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A frame of a loader, or one derived from it.

    Returns
    -------
    Difference or None
        How the records have changed since the load: filtered, cut, joined or duplicated. None
        if they are the same in any order, or if the number of loaded records is not known.

    Notes
    -----
    Rows are counted, and ids if the frame has the column ``id``. Other records than those
    loaded are detected only if counts are at least as many: the provenance holds a digest of all
    ids, which cannot be compared with a subset.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "2", "3"]})
    >>> frame = set_provenance(frame, items_loaded=3)
    >>> difference(frame.sort_values("id", ascending=False))
    >>> str(difference(frame.head(2)))
    '2 of 3 records loaded'
    >>> str(difference(pd.concat([frame, frame])))
    '3 with a repeated id'
    """
    record = Provenance.from_dict(attributes_of(frame).get(ATTRIBUTE))
    if record.items_loaded is None:
        return None
    counts = record.records or _records(frame, record)
    change = Difference(
        loaded=record.items_loaded,
        rows=counts["rows"],
        repeated=counts["repeated"],
        others=bool(counts["others"]),
    )
    same = change.rows == change.loaded and not change.repeated and not change.others
    return None if same else change


def _attach(frame: F, record: dict[str, Any]) -> F:
    """Set the record of a frame in place; a table of Arrow cannot be changed and is returned anew."""
    if isinstance(frame, pa.Table):
        metadata = frame.schema.pandas_metadata or {name: [] for name in _PANDAS_METADATA}
        attributes = {**attributes_of(frame), ATTRIBUTE: record}
        text = json.dumps(metadata | {"attributes": attributes})
        table: Any = frame
        return table.replace_schema_metadata({**(table.schema.metadata or {}), b"pandas": text})  # type: ignore[no-any-return]  # Arrow has no types
    if not hasattr(frame, "attrs"):  # of Polars
        frame.attrs = {}  # type: ignore[attr-defined]  # as pandas calls it
    frame.attrs[ATTRIBUTE] = record  # type: ignore[attr-defined]  # as above
    return frame


def _ids(frame: Any) -> Any:
    # A Series has attrs too, and column labels may be duplicated.
    if isinstance(frame, pa.Table):
        return frame["id"] if frame.column_names.count("id") == 1 else None
    ids = frame["id"] if "id" in getattr(frame, "columns", ()) else None
    return ids if getattr(ids, "ndim", 1) == 1 else None


def _records(frame: Any, record: Provenance) -> dict[str, int]:
    """Count rows and repeated ids, and check whether there are records that were not loaded."""
    rows = _rows(record, frame)
    column = None if record.counted or record.items_loaded is None else _ids(frame)
    if column is None:
        return {"rows": rows, "repeated": 0, "others": 0}
    ids = ids_of(column)
    distinct, loaded = ids.rows - ids.repeated, record.items_loaded or 0
    others = distinct > loaded or (distinct == loaded and record.ids not in {"", ids.digest})
    return {"rows": rows, "repeated": ids.repeated, "others": int(others)}


def caption(frame: Any) -> str:
    """Return the caption of a chart or a table.

    Parameters
    ----------
    frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
        A frame of a loader, or a statistic of one.

    Returns
    -------
    str
        Number of records, source, and dates of retrieval (UTC). If applicable, it states that
        the data is synthetic, incomplete or not proven complete, or that the records differ from those loaded. For a
        statistic, it has the number of records that its figures are based on, and that of the
        frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "2"]})
    >>> caption(set_provenance(frame, resource="project", source="A directory", synthetic=True))
    'n = 2 projects · Source: A directory · synthetic sample data'
    """
    record = Provenance.from_dict(attributes_of(frame).get(ATTRIBUTE))
    parts = [_size(record, frame), _origin(record)]
    if record.synthetic:
        parts.append("synthetic sample data")
    if record.complete is False:
        parts.append("incomplete" + _shortfall(record))
    elif record.completeness == "counted":
        parts.append("counted, not proven complete")
    return " · ".join(parts)


def _rows(record: Provenance, frame: Any) -> int:
    # A statistic has one row per group; `counted` has the number of records behind it.
    resource = ALL_RESOURCES.get(record.resource)
    rows = record.records.get("rows", len(frame))
    return record.counted.get(resource.collection, rows) if resource else rows


def _noun(record: Provenance, count: int) -> str:
    singular, plural = ALL_RESOURCES.get(record.resource, UNKNOWN).words
    return singular if count == 1 else plural


def _size(record: Provenance, frame: Any) -> str:
    rows = _rows(record, frame)
    count = record.base.get("records", rows)
    which = record.base.get("which", "") if count < rows else ""
    differs = difference(frame)
    of = rows if count < rows else differs.loaded if differs and rows < differs.loaded else count
    parts = [f"{count:,} of {of:,}" if count < of else f"{count:,}", _noun(record, of), which]
    size = f"n = {' '.join(part for part in parts if part)}"
    if differs is None:
        return size
    if of == differs.loaded:  # the size states that number
        differs = replace(differs, rows=differs.loaded)
    return f"{size}, {differs}" if str(differs) else size


def _origin(record: Provenance) -> str:
    text = f"Source: {record.source or record.base_url or 'not recorded'}"
    return f"{text}, retrieved {' to '.join(record.days)}" if record.days else text


def _shortfall(record: Provenance) -> str:
    if record.items_loaded is None or record.items_available is None:
        return ""
    return f": {record.items_loaded:,} of {record.items_available:,} loaded"

"""What a frame was made from: a small record in ``frame.attrs["dirframe"]``.

The record is JSON, so that it survives what pandas lets survive: query, assign, copy,
pickle and Parquet. Operations that drop attributes (merge, concat, groupby) need `copy_provenance`.
"""

from __future__ import annotations

import copy
import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from dirframe._requirements import check_pandas
from dirframe.errors import InvalidInputError
from dirframe.provenance.absent_columns import Absent, absent
from dirframe.provenance.fingerprint import Difference, ids_of
from dirframe.provenance.record import ATTRIBUTE, Provenance
from dirframe.schema import Resource
from dirframe.schema.extensions import ALL_RESOURCES, detect_resource

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ATTRIBUTE",
    "Absent",
    "Difference",
    "Provenance",
    "absent",
    "caption",
    "copy_provenance",
    "difference",
    "get_provenance",
    "resource_of",
    "set_provenance",
]

# Whatever makes or takes a frame comes by here, the commands of the shell too.
check_pandas()


def get_provenance(frame: pd.DataFrame) -> dict[str, Any]:
    """Tell what a frame was made from.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any frame; one that did not come from a directory gives an empty record.

    Returns
    -------
    dict
        Every key of `Provenance`, and those that another version has written besides.
        A copy: changing it does not change the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = set_provenance(pd.DataFrame({"id": ["1"]}), source="A directory", complete=True)
    >>> get_provenance(frame.query("id == '1'"))["source"]
    'A directory'
    """
    record = frame.attrs.get(ATTRIBUTE)
    others = copy.deepcopy(record) if isinstance(record, dict) else {}
    return others | Provenance.from_dict(record).to_dict()


def resource_of(frame: Any) -> Resource | None:
    """Tell what a frame holds: as its record says, else by its columns.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table of another engine
        Any frame.

    Returns
    -------
    Resource or None
        The resource, made of its name where the package does not know it; None where neither
        the record nor the columns say.

    Examples
    --------
    >>> import pandas as pd
    >>> resource_of(pd.DataFrame({"id": ["1"], "posts_count": [2]})).name
    'account'
    """
    attributes = getattr(frame, "attrs", None)  # tables of other engines have none
    record = attributes.get(ATTRIBUTE) if isinstance(attributes, dict) else None
    if name := Provenance.from_dict(record).resource:
        return ALL_RESOURCES.get(name) or Resource(name, f"{name}s", (), (), "")
    return detect_resource(frame.columns)


def set_provenance(frame: pd.DataFrame, **facts: Any) -> pd.DataFrame:
    """Note facts about a frame in the frame itself.

    A fact ``items_loaded`` that is the number of rows notes a digest of their ids too.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame; its record is changed in place, its columns are not touched.
    **facts : object
        Fields of `Provenance`, as JSON values. What was noted before and is not named
        stays.

    Returns
    -------
    pandas.DataFrame
        The same frame.

    Raises
    ------
    TypeError
        If a fact is no field of `Provenance`.
    InvalidInputError
        If a value is not JSON, or an address or a question could hold a key.

    Examples
    --------
    >>> import pandas as pd
    >>> set_provenance(pd.DataFrame(), items_loaded=0).attrs["dirframe"]["items_loaded"]
    0
    """
    before = get_provenance(frame)
    known = {f.name: before[f.name] for f in fields(Provenance)}
    if facts.get("items_loaded") == len(frame) and (ids := _ids(frame)) is not None:
        facts = {"ids": ids_of(ids).digest} | facts
    after = before | Provenance(**known | facts).to_dict()
    try:
        frame.attrs[ATTRIBUTE] = json.loads(json.dumps(after, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"Provenance holds JSON values only, so that every export keeps it: {error}."
        ) from None
    return frame


def copy_provenance(
    source: pd.DataFrame, target: pd.DataFrame, step: str = "", *, records: bool = True
) -> pd.DataFrame:
    """Hand the record of one frame on to a frame that was made from it.

    A table without ids also gets the number of records that it was made of.

    Parameters
    ----------
    source : pandas.DataFrame
        The frame that `target` was made from.
    target : pandas.DataFrame
        The derived frame; its record is replaced in place.
    step : str, default ""
        What was done, in a few words, such as ``"unify_countries"``.
    records : bool, default True
        Whether the rows of `target` are records; without a column ``id`` they are not.

    Returns
    -------
    pandas.DataFrame
        `target`.

    Examples
    --------
    >>> import pandas as pd
    >>> loaded = set_provenance(pd.DataFrame({"id": ["1", "2"]}), source="A directory")
    >>> get_provenance(copy_provenance(loaded, loaded.groupby("id").size().to_frame(), "count"))["steps"]
    ['count']
    """
    record = get_provenance(source)
    if step:
        record["steps"].append(step)
    are_records = records and _ids(target) is not None
    if _ids(source) is not None and not are_records and not record["records"]:
        record["records"] = _records(source, Provenance.from_dict(record))
    target.attrs[ATTRIBUTE] = record
    return target


def difference(frame: pd.DataFrame) -> Difference | None:
    """Compare the records of a frame with those that its load has noted.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a loader, or one that was made from it.

    Returns
    -------
    Difference or None
        What pandas did to the records since: filtered, cut, joined or doubled them. None if
        they are the same in any order, or if it is not known how many were loaded.

    Notes
    -----
    Rows are counted, and their ids where the frame has the column ``id``. That records are
    others than those loaded shows if they are as many or more: the record holds a digest of
    all ids, which says nothing of a part of them.

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
    record = Provenance.from_dict(frame.attrs.get(ATTRIBUTE))
    if record.items_loaded is None:
        return None
    there = record.records or _records(frame, record)
    found = Difference(
        loaded=record.items_loaded,
        rows=there["rows"],
        repeated=there["repeated"],
        others=bool(there["others"]),
    )
    same = found.rows == found.loaded and not found.repeated and not found.others
    return None if same else found


def _ids(frame: pd.DataFrame) -> pd.Series[Any] | None:
    # A Series has attributes too, and a label may be there twice.
    ids = frame["id"] if "id" in getattr(frame, "columns", ()) else None
    return ids if getattr(ids, "ndim", 0) == 1 else None


def _records(frame: pd.DataFrame, record: Provenance) -> dict[str, int]:
    """Count rows and repeated ids, and tell whether they are certainly not what was loaded."""
    rows = _rows(record, frame)
    column = None if record.counted or record.items_loaded is None else _ids(frame)
    if column is None:
        return {"rows": rows, "repeated": 0, "others": 0}
    ids = ids_of(column)
    different, loaded = ids.rows - ids.repeated, record.items_loaded or 0
    others = different > loaded or (different == loaded and record.ids not in {"", ids.digest})
    return {"rows": rows, "repeated": ids.repeated, "others": int(others)}


def caption(frame: pd.DataFrame) -> str:
    """Give the discreet line below a chart or a table.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a loader, or a statistic of one.

    Returns
    -------
    str
        How many records, of which source, retrieved when (dates in UTC), and where they
        apply: that the data is synthetic, and that it is incomplete. Of a statistic, the
        number is that of the records that its figures are of, beside those of the frame;
        where these are not those that were loaded, it says so.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "2"]})
    >>> caption(set_provenance(frame, resource="project", source="A directory", synthetic=True))
    'n = 2 projects · Source: A directory · synthetic sample data'
    """
    record = Provenance.from_dict(frame.attrs.get(ATTRIBUTE))
    parts = [_size(record, frame), _origin(record)]
    if record.synthetic:
        parts.append("synthetic sample data")
    if record.complete is False:
        parts.append("incomplete" + _shortfall(record))
    return " · ".join(parts)


def _rows(record: Provenance, frame: pd.DataFrame) -> int:
    # A statistic has a row a group; what it counted says how many records are behind it.
    resource = ALL_RESOURCES.get(record.resource)
    rows = record.records.get("rows", len(frame))
    return record.counted.get(resource.collection, rows) if resource else rows


def _noun(record: Provenance, count: int) -> str:
    resource = ALL_RESOURCES.get(record.resource)
    if resource is None:
        return "record" if count == 1 else "records"
    return resource.words[0 if count == 1 else 1]


def _size(record: Provenance, frame: pd.DataFrame) -> str:
    rows = _rows(record, frame)
    count = record.base.get("records", rows)
    which = record.base.get("which", "") if count < rows else ""
    differs = difference(frame)
    of = rows if count < rows else differs.loaded if differs and rows < differs.loaded else count
    parts = [f"{count:,} of {of:,}" if count < of else f"{count:,}", _noun(record, of), which]
    size = f"n = {' '.join(part for part in parts if part)}"
    if differs is None:
        return size
    if of == differs.loaded:  # that is said
        differs = replace(differs, rows=differs.loaded)
    return f"{size}, {differs}" if str(differs) else size


def _origin(record: Provenance) -> str:
    text = f"Source: {record.source or record.base_url or 'not recorded'}"
    days = [t[:10] for t in (record.retrieved_oldest, record.retrieved_newest) if t]
    return f"{text}, retrieved {' to '.join(dict.fromkeys(days))}" if days else text


def _shortfall(record: Provenance) -> str:
    if record.items_loaded is None or record.items_available is None:
        return ""
    return f": {record.items_loaded:,} of {record.items_available:,} loaded"

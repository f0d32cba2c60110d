"""Compare two snapshots of the same records."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._arrow import check_unicode
from dirframe._display import Overview
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import Mask
from dirframe.stats.records import read, require_records

if TYPE_CHECKING:
    from collections.abc import Iterable

_ID_KINDS = {"string", "integer", "mixed-integer", "empty"}


@dataclass(frozen=True, repr=False)
class Comparison(Overview):
    """Result of `compare`, which describes its parts; displayed as text and in notebooks."""

    title: str
    new: pd.DataFrame
    gone: pd.DataFrame
    changed: pd.DataFrame
    notes: tuple[str, ...]

    def _overview(self) -> tuple[str, dict[str, pd.DataFrame], list[str]]:
        counts = self.changed["column"].value_counts().sort_index(kind="stable")
        table = counts.rename("values_changed").reset_index()
        return self.title, {"Changed columns": table}, list(self.notes)


def compare(before: pd.DataFrame, after: pd.DataFrame) -> Comparison:
    """Compare two snapshots of accounts or of projects, record by record.

    Parameters
    ----------
    before, after : pandas.DataFrame
        Frames of the same loader and query, from different days, with an id of its own for each
        record, as text or a whole number; the number 7 is the id "7".

    Returns
    -------
    Comparison
        Printed, or as the last line of a notebook's cell, it is an overview. Its parts:

        - ``new`` and ``gone``: the records that are only in `after` and only in `before`
        - ``changed``: a row per value that differs in records of both, not only in dtype, time
          zone or the order of a list or mapping: ``id``, ``column``, ``before``, ``after`` (str)
        - ``notes`` (tuple of str): caveats, such as that a snapshot is incomplete, and the columns
          that only one has, which are not compared

    Examples
    --------
    >>> before = pd.DataFrame({"id": ["1", "2"], "name": ["Ant", "Bee"]})
    >>> compare(before, before.assign(id=["1", "3"])).title
    '1 new, 1 gone, 0 changed, 1 the same'
    """
    before, after = require_records(before), require_records(after)
    old = before.set_index(_checked_ids(before, "before"))
    new = after.set_index(_checked_ids(after, "after"))
    old_kind = provenance.get_provenance(before)["resource"]
    new_kind = provenance.get_provenance(after)["resource"]
    if old_kind and new_kind and old_kind != new_kind:
        raise InvalidInputError(
            f"The snapshots are of {old_kind}s and of {new_kind}s. Compare two of the same."
        )
    common = new.index[new.index.isin(old.index)]
    try:
        changed = _changed(old.loc[common], new.loc[common])
    except UnicodeEncodeError:
        for frame in (before, after):
            for name in frame:
                check_unicode(frame[name], name)
        raise
    gone = before[~old.index.isin(new.index)].reset_index(drop=True)
    added = after[~new.index.isin(old.index)].reset_index(drop=True)
    provenance.copy_provenance(before, gone, "compare: gone")
    provenance.copy_provenance(after, added, "compare: new")
    different = changed["id"].nunique()
    return Comparison(
        title=f"{len(added):,} new, {len(gone):,} gone, {different:,} changed, "
        f"{len(common) - different:,} the same",
        new=added,
        gone=gone,
        changed=changed,
        notes=tuple(_notes(before, after)),
    )


def _checked_ids(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    """Return the ids as text; raise unless each identifies one record."""
    ids = read(frame, ["id"])["id"]
    missing, repeated = int(ids.isna().sum()), int(ids.duplicated().sum())
    kind = pd.api.types.infer_dtype(frame["id"].astype("object"))
    if missing or repeated or kind not in _ID_KINDS:
        raise InvalidInputError(
            f"In `{name}`, each record must have an id of its own, as text or a whole number: "
            f"{missing:,} without one, {repeated:,} with that of an earlier one; the ids are {kind}.",
            hint="Leave records out first, such as with frame.dropna(subset='id') and "
            "frame.drop_duplicates('id'), or convert them with frame.astype({'id': 'Int64'}).",
        )
    return ids


def _notes(before: pd.DataFrame, after: pd.DataFrame) -> Iterable[str]:
    for side, own, other in (("before", before, after), ("after", after, before)):
        if names := [str(name) for name in own if name not in other]:
            yield f"Not compared, since only `{side}` has them: {', '.join(names)}."
    old, new = provenance.get_provenance(before), provenance.get_provenance(after)
    for name, frame, record, doubt in (
        ("before", before, old, "what is new may have been there"),
        ("after", after, new, "what is gone may still be there"),
    ):
        if record["complete"] is False:
            yield f"`{name}` is {record['completeness']}: {doubt}."
        if differs := provenance.difference(frame):
            yield f"`{name}` is not what was loaded ({differs}): {doubt}."
    if old["query"] != new["query"]:
        yield "The snapshots answer different questions: what is new or gone may be due to that."
    yield f"Before: {provenance.caption(before)}"
    yield f"After: {provenance.caption(after)}"


# Values


def _changed(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each value that differs, by record, then by column."""
    tables = [pd.DataFrame(columns=["row", "place", "id", "column", "before", "after"])]
    for place, name in enumerate(after):
        if name not in before or name == "id":
            continue
        rows = np.flatnonzero(_differing(before[name], after[name]))
        cells = {
            "row": rows,
            "place": place,
            "id": after.index[rows],
            "column": str(name),
            "before": [_text(value) for value in before[name].iloc[rows]],
            "after": [_text(value) for value in after[name].iloc[rows]],
        }
        if len(rows):
            tables.append(pd.DataFrame(cells, dtype="object"))
    changed = pd.concat(tables, ignore_index=True).sort_values(["row", "place"])
    changed = changed.reset_index(drop=True)
    return changed[["id", "column", "before", "after"]].astype("str")


def _differing(before: pd.Series[Any], after: pd.Series[Any]) -> Mask:
    """Return a mask of the rows in which two columns differ, whatever their dtypes."""
    if before.dtype == after.dtype and before.dtype not in ("object", "category"):
        same = (before == after).fillna(value=False) | (before.isna() & after.isna())
        return np.asarray(~same, dtype=bool)
    cells = zip(map(_plain, before), map(_plain, after), strict=True)
    return np.array([old != new for old, new in cells], dtype=bool)


def _plain(value: Any) -> Any:
    """Return a cell as comparable Python values: lists in order, times in UTC."""
    if isinstance(value, dict):
        cells = {str(key): _plain(cell) for key, cell in value.items()}
        # Parquet adds the keys of other rows as nulls.
        return {key: cells[key] for key in sorted(cells) if cells[key] is not None}
    if isinstance(value, list | tuple | np.ndarray):
        return sorted(map(_plain, value), key=lambda cell: (type(cell).__name__, str(cell)))
    if value is None or pd.isna(value):
        return None
    if isinstance(value, date | np.datetime64):
        moment = pd.Timestamp(value)
        return moment.tz_localize("UTC") if moment.tz is None else moment.tz_convert("UTC")
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, bool | int | float) else str(value)


def _text(value: Any) -> str | None:
    """Return a value as text; missing values stay missing."""
    plain = _plain(value)
    if isinstance(plain, list | dict | bool):
        return json.dumps(plain, default=str, ensure_ascii=False)
    return None if plain is None else str(plain)

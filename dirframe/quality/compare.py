"""Compare two snapshots of the same records."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display import Overview
from dirframe.errors import InvalidInputError
from dirframe.stats.kernel import read, require_records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dirframe.stats.counts import Mask

_SHOWN = 10
_ID_KINDS = {"string", "integer", "mixed-integer", "empty"}


@dataclass(frozen=True, repr=False)
class Comparison(Overview):
    """Result of `compare`, which describes its parts; displayed as text and in notebooks."""

    title: str
    new: pd.DataFrame
    gone: pd.DataFrame
    changed: pd.DataFrame
    languages: pd.DataFrame
    contributors: pd.DataFrame
    columns: pd.DataFrame
    notes: tuple[str, ...]

    def _overview(self) -> tuple[str, dict[str, pd.DataFrame], list[str]]:
        counts = self.changed["column"].value_counts().sort_index(kind="stable")
        shown = {"Changed columns": counts.rename("values_changed").reset_index()}
        tables = {"Main languages": self.languages, "Contributors": self.contributors}
        for title, table in tables.items():
            more = f" (first {_SHOWN} of {len(table):,})" if len(table) > _SHOWN else ""
            shown[title + more] = table.head(_SHOWN)
        return self.title, shown, list(self.notes)


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
        - ``languages``: a row per main language that gained or lost projects, the most gained
          first: ``language`` (str), ``before``, ``after`` and ``change`` (Int64, projects)
        - ``contributors``: a row per project whose valid number differs, the most lost first:
          ``id``, ``name`` (str), ``before``, ``after`` and ``change`` (Int64, people)
        - ``columns``: a row per column that only one has: ``column`` and ``only_in`` (str)
        - ``notes`` (tuple of str): caveats, such as that a snapshot is incomplete

    Examples
    --------
    >>> before = pd.DataFrame({"id": ["1", "2"], "name": ["Ant", "Bee"]})
    >>> compare(before, before.assign(id=["1", "3"])).title
    '1 new, 1 gone, 0 changed, 1 the same'
    """
    before, after = require_records(before), require_records(after)
    old, new = (
        frame.set_index(_checked_ids(frame, name))
        for name, frame in (("before", before), ("after", after))
    )
    kinds = [provenance.get_provenance(frame)["resource"] for frame in (before, after)]
    if all(kinds) and kinds[0] != kinds[1]:
        raise InvalidInputError(
            f"The snapshots are of {kinds[0]}s and of {kinds[1]}s. Compare two of the same."
        )
    common = new.index[new.index.isin(old.index)]
    changed = _changed(old.loc[common], new.loc[common])
    gone = before[~old.index.isin(new.index)].reset_index(drop=True)
    added = after[~new.index.isin(old.index)].reset_index(drop=True)
    provenance.copy_provenance(before, gone, "compare: gone")
    provenance.copy_provenance(after, added, "compare: new")
    sides = [(str(name), "before") for name in before if name not in after]
    sides += [(str(name), "after") for name in after if name not in before]
    columns = pd.DataFrame(sides, columns=["column", "only_in"]).astype("str")
    different = changed["id"].nunique()
    then, now = (
        read(side, optional=["language", "name", "people"]).set_axis(side.index)
        for side in (old, new)
    )
    return Comparison(
        title=f"{len(added):,} new, {len(gone):,} gone, {different:,} changed, "
        f"{len(common) - different:,} the same",
        new=added,
        gone=gone,
        changed=changed,
        languages=_languages(then, now, common),
        contributors=_contributors(then.loc[common], now.loc[common]),
        columns=columns,
        notes=tuple(_notes(before, after, columns)),
    )


def _checked_ids(frame: pd.DataFrame, name: str) -> pd.Index[str]:
    """Return the ids as text; raise unless each identifies one record."""
    read(frame, "id")  # raises if there is none
    column = frame["id"].astype("object")
    ids = pd.Index(column.astype("str"), dtype="str")
    missing, repeated = int(column.isna().sum()), int(ids.duplicated().sum())
    kind = pd.api.types.infer_dtype(column)
    if missing or repeated or kind not in _ID_KINDS:
        raise InvalidInputError(
            f"In `{name}`, each record must have an id of its own, as text or a whole number: "
            f"{missing:,} have none, {repeated:,} that of an earlier one, and the ids are {kind}.",
            hint="Leave records out first, such as with frame.dropna(subset='id') and "
            "dirframe.exclude(frame, ['duplicate_id']) (--exclude duplicate_id), or convert them "
            "with frame.astype({'id': 'Int64'}).",
        )
    return ids


def _languages(before: pd.DataFrame, after: pd.DataFrame, common: pd.Index[Any]) -> pd.DataFrame:
    if "language" not in before or "language" not in after:  # what was not loaded is unknown
        before = after = pd.DataFrame({"language": pd.Series(dtype="str")})
        common = common[:0]
    old, new = before["language"], after["language"]
    table = pd.DataFrame({"before": old.value_counts(), "after": new.value_counts()})
    table = table.fillna(0).astype("Int64").rename_axis("language").reset_index()
    table["change"] = table["after"] - table["before"]
    then, now = old.loc[common], new.loc[common]
    moved = pd.concat([then[then != now], now[then != now]])
    table = table[(table["change"] != 0) | table["language"].isin(moved.dropna())]
    table = table.sort_values(["change", "language"], ascending=[False, True], ignore_index=True)
    return table.astype({"language": "str"})


def _contributors(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    dtypes = {"name": "str", "people": "Int64"}
    old, new = (side.reindex(columns=[*dtypes]).astype(dtypes) for side in (before, after))
    table = pd.DataFrame({"name": new["name"], "before": old["people"], "after": new["people"]})
    table["change"] = table["after"] - table["before"]
    table = table[(table["before"] >= 0) & (table["after"] >= 0) & (table["change"] != 0)]
    table = table.rename_axis("id").reset_index().astype({"id": "str"})
    return table.sort_values(["change", "id"], ignore_index=True)


def _notes(before: pd.DataFrame, after: pd.DataFrame, columns: pd.DataFrame) -> Iterable[str]:
    for side, names in columns.groupby("only_in", sort=False)["column"]:
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
    cells: list[tuple[Any, ...]] = []
    for place, name in enumerate(after):
        if name in before and name != "id":
            rows = np.flatnonzero(_differing(before[name], after[name]))
            texts = (_as_text(side[name].iloc[rows]) for side in (before, after))
            cells += zip(rows, repeat(place), after.index[rows], repeat(str(name)), *texts)
    columns = ["row", "place", "id", "column", "before", "after"]
    return pd.DataFrame(sorted(cells), columns=columns)[columns[2:]].astype("str")


def _differing(before: pd.Series[Any], after: pd.Series[Any]) -> Mask:
    """Return a mask of the rows in which two columns differ, whatever their dtypes."""
    if before.dtype == after.dtype and before.dtype not in ("object", "category"):
        same = (before == after).fillna(value=False) | (before.isna() & after.isna())
        return np.asarray(~same, dtype=bool)
    cells = zip(_cells(before), _cells(after), strict=True)
    return np.array([old != new for old, new in cells], dtype=bool)


def _as_text(column: pd.Series[Any]) -> Iterable[Any]:
    """Return the values as text; missing values stay missing."""
    if column.dtype != "object":
        return column.astype("str")
    return [None if value is None else _text(value) for value in _cells(column)]


def _cells(column: pd.Series[Any]) -> list[Any]:
    if column.dtype == "float32":
        column = column.astype("str").astype("float64")  # makes its 0.1 the 0.1 of 64 bits
    return [_plain(value) for value in column]


def _plain(value: Any) -> Any:
    """Return a cell as comparable Python values: lists in order, times in UTC."""
    if isinstance(value, dict):
        cells = {str(key): _plain(cell) for key, cell in value.items()}
        # Parquet adds the keys of other rows as nulls.
        return {key: cells[key] for key in sorted(cells) if cells[key] is not None}
    if isinstance(value, list | tuple | np.ndarray):
        return sorted(map(_plain, value), key=lambda cell: (type(cell).__name__, _text(cell)))
    if value is None or pd.isna(value):
        return None
    if isinstance(value, date | np.datetime64):
        moment = pd.Timestamp(value)
        return moment.tz_localize("UTC") if moment.tz is None else moment.tz_convert("UTC")
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, bool | int | float) else str(value)


def _text(value: Any) -> str:
    if isinstance(value, list | dict | bool):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)

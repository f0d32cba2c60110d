"""Compare two snapshots of the same records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe._display import Overview
from dirframe.errors import InvalidInputError
from dirframe.quality.values import as_text, differing
from dirframe.stats.kernel import COLUMNS, read, require_records

if TYPE_CHECKING:
    from collections.abc import Iterable

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
        tables = {
            "Changed columns": pd.DataFrame(
                {"column": counts.index, "values_changed": counts.to_numpy()}
            )
        }
        for title, table in (
            ("Main languages", self.languages),
            ("Contributors", self.contributors),
        ):
            more = f" (first {_SHOWN} of {len(table):,})" if len(table) > _SHOWN else ""
            tables[title + more] = table.head(_SHOWN)
        return self.title, tables, list(self.notes)


def compare(before: pd.DataFrame, after: pd.DataFrame) -> Comparison:
    """Compare two snapshots of accounts or of projects, record by record.

    Parameters
    ----------
    before, after : pandas.DataFrame
        Frames of the same loader and query, from different days.

    Returns
    -------
    Comparison
        Printed, or as the last line of a notebook's cell, it is an overview. Its parts:

        - ``new`` and ``gone``: the records that are only in `after` and only in `before`
        - ``changed``: a row per value that differs in records of both: ``id``, ``column``,
          ``before`` and ``after`` (str). Another dtype or time zone, and a list or mapping in
          another order, are no change
        - ``languages``: a row per main language that gained or lost projects, the most gained
          first: ``language`` (str), ``before``, ``after`` and ``change`` (Int64, projects)
        - ``contributors``: a row per project whose number differs, the most lost first: ``id``,
          ``name`` (str), ``before``, ``after`` and ``change`` (Int64, people); neither missing
          nor negative
        - ``columns``: a row per column that only one has: ``column`` and ``only_in`` (str)
        - ``notes`` (tuple of str): caveats, such as that a record is gone from an incomplete
          snapshot

    Raises
    ------
    InvalidInputError
        If ids are missing, repeated, or neither text nor whole numbers, two columns have one name,
        or the frames are of different resources. Ids are matched as text: the number 7 is the id
        "7".

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({"id": ["1", "2"], "name": ["Ant", "Bee"]})
    >>> compare(before, before.assign(id=["1", "3"])).title
    '1 new, 1 gone, 0 changed, 1 the same'
    """
    ids = {}
    before, after = require_records(before), require_records(after)
    for name, frame in (("before", before), ("after", after)):
        ids[name] = _checked_ids(frame, name)
    kinds = [provenance.get_provenance(frame)["resource"] for frame in (before, after)]
    if all(kinds) and kinds[0] != kinds[1]:
        raise InvalidInputError(
            f"The snapshots are of {kinds[0]}s and of {kinds[1]}s. Compare two of the same."
        )
    old, new = before.set_index(ids["before"]), after.set_index(ids["after"])
    common = new.index[new.index.isin(old.index)]
    changed = _changed(old.loc[common], new.loc[common])
    gone = before[~old.index.isin(new.index)].reset_index(drop=True)
    added = after[~new.index.isin(old.index)].reset_index(drop=True)
    sides = [(str(name), "before") for name in before if name not in after]
    sides += [(str(name), "after") for name in after if name not in before]
    columns = pd.DataFrame(sides, columns=["column", "only_in"]).astype("str")
    different = changed["id"].nunique()
    provenance.copy_provenance(before, gone, "compare: gone")
    provenance.copy_provenance(after, added, "compare: new")
    return Comparison(
        title=f"{len(added):,} new, {len(gone):,} gone, {different:,} changed, "
        f"{len(common) - different:,} the same",
        new=added,
        gone=gone,
        changed=changed,
        languages=_languages(old, new, common),
        contributors=_contributors(old.loc[common], new.loc[common]),
        columns=columns,
        notes=tuple(_notes(before, after, columns)),
    )


def _checked_ids(frame: pd.DataFrame, name: str) -> pd.Index[str]:
    """Return the ids as text; raise unless each identifies one record."""
    read(frame, "id")  # raises if there is none
    column = frame["id"]
    if missing := int(column.isna().sum()):
        raise InvalidInputError(
            f"In `{name}`, {missing:,} records have no id, so they cannot be found in the other "
            "snapshot.",
            hint="Leave them out: frame.dropna(subset='id').",
        )
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if isinstance(column.dtype, pd.CategoricalDtype):
        kind = pd.api.types.infer_dtype(column.cat.categories)
    if kind not in _ID_KINDS:
        raise InvalidInputError(
            f"In `{name}`, the ids are {kind}; they must be text or whole numbers, so that those "
            "of both snapshots can be matched.",
            hint="Convert them: frame.astype({'id': 'Int64'}).",
        )
    ids = pd.Index(column.astype("str"), dtype="str")
    if repeated_ids := int(ids.duplicated().sum()):
        raise InvalidInputError(
            f"In `{name}`, ids are repeated (rows with the id of an earlier row: {repeated_ids:,}), so "
            "records cannot be distinguished.",
            hint=(
                "Remove duplicates first: frame.drop_duplicates('id') or "
                "dirframe.exclude(frame, ['duplicate_id']) (--exclude duplicate_id)."
            ),
        )
    return ids


def _changed(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    parts = []
    for position, name in enumerate(after):
        if name not in before or name == "id":
            continue
        old, new = before[name], after[name]
        rows = differing(old, new)
        parts.append(
            pd.DataFrame(
                {
                    "id": after.index[rows].to_numpy(),
                    "column": str(name),
                    "before": as_text(old[rows]).to_numpy(),
                    "after": as_text(new[rows]).to_numpy(),
                    "row": rows.nonzero()[0],
                    "place": position,
                }
            )
        )
    columns = ["id", "column", "before", "after"]
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype="str") for name in columns})
    table = pd.concat(parts).sort_values(["row", "place"], ignore_index=True)
    return table[columns].astype(dict.fromkeys(columns, "str"))


def _languages(before: pd.DataFrame, after: pd.DataFrame, common: pd.Index[Any]) -> pd.DataFrame:
    old, new = (_column(frame, "language", "str") for frame in (before, after))
    [name] = COLUMNS["language"]
    if name not in before or name not in after:  # what was not loaded is unknown
        old, new, common = old[:0], new[:0], common[:0]
    counts = pd.DataFrame({"before": old.value_counts(), "after": new.value_counts()})
    counts = counts.fillna(0).astype("int64")
    counts["change"] = counts["after"] - counts["before"]
    moved = old.loc[common] != new.loc[common]
    affected = {*old.loc[common][moved].dropna(), *new.loc[common][moved].dropna()}
    counts = counts[(counts["change"] != 0) | counts.index.isin(affected)]
    table = counts.rename_axis("language").reset_index()
    table = table.sort_values(["change", "language"], ascending=[False, True], ignore_index=True)
    return table.astype({"language": "str", "before": "Int64", "after": "Int64", "change": "Int64"})


def _contributors(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    old, new = (
        _column(frame, "people", "Int64").reset_index(drop=True) for frame in (before, after)
    )
    table = pd.DataFrame(
        {
            "id": after.index.to_numpy(),
            "name": _column(after, "name", "str").to_numpy(),
            "before": old,
            "after": new,
            "change": new - old,
        }
    ).astype({"id": "str", "name": "str"})
    differs = ((old >= 0) & (new >= 0) & (old != new)).fillna(value=False)
    return table[differs].sort_values(["change", "id"], ignore_index=True)


def _column(frame: pd.DataFrame, name: str, dtype: str) -> pd.Series[Any]:
    """Return a column with the index of the frame; missing throughout if the frame lacks it."""
    column = read(frame, optional=[name]).get(name)
    if column is None:
        return pd.Series(index=frame.index, dtype=dtype)
    return column.set_axis(frame.index)


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

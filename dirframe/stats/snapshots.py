"""What changed between two loads of the same records.

What stays out: fetching either of them, and judging why a record is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.stats._columns import text, whole
from dirframe.stats._edges import require
from dirframe.stats._show import Shown
from dirframe.stats._tables import CONTRIBUTORS, LANGUAGE

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Comparison", "compare"]

_SHOWN = 10


@dataclass(frozen=True, repr=False)
class Comparison(Shown):
    """What `compare` found; it shows itself as text and in notebooks.

    Parameters
    ----------
    title : str
        How many records are new, gone, changed and the same.
    new, gone : pandas.DataFrame
        The records that are in one snapshot only.
    changed : pandas.DataFrame
        A row a value that differs.
    languages : pandas.DataFrame
        A row a main language that gained or lost projects.
    contributors : pandas.DataFrame
        A row a project whose number of contributors differs.
    notes : tuple of str
        What makes the comparison uncertain, and where both snapshots are from.
    """

    title: str
    new: pd.DataFrame
    gone: pd.DataFrame
    changed: pd.DataFrame
    languages: pd.DataFrame
    contributors: pd.DataFrame
    notes: tuple[str, ...]

    def _heading(self) -> str:
        return self.title

    def _sections(self) -> Iterable[tuple[str, pd.DataFrame]]:
        counts = self.changed["column"].value_counts().sort_index(kind="stable")
        values = pd.DataFrame({"column": counts.index, "values_changed": counts.to_numpy()})
        yield "Changed columns", values
        for title, table in (
            ("Main languages", self.languages),
            ("Contributors", self.contributors),
        ):
            more = f" (first {_SHOWN} of {len(table):,})" if len(table) > _SHOWN else ""
            yield title + more, table.head(_SHOWN)

    def _notes(self) -> Iterable[str]:
        return self.notes


def compare(before: pd.DataFrame, after: pd.DataFrame) -> Comparison:
    """Compare two snapshots of accounts or of projects, record by record.

    Parameters
    ----------
    before, after : pandas.DataFrame
        Frames of the same loader, of the same question, from different days.

    Returns
    -------
    Comparison
        Printed, or as the last line of a notebook's cell, it is an overview. Its parts:

        - ``new`` and ``gone`` (pandas.DataFrame): the records that are only in `after` and
          only in `before`, with their columns
        - ``changed`` (pandas.DataFrame): a row a value that differs in records of both, by the
          order of `after`: ``id``, ``column``, ``before`` and ``after`` (str; missing where
          there is none). Columns that only one snapshot has are not compared.
        - ``languages`` (pandas.DataFrame): a row a main language of which the number of
          projects differs or that a project changed to or from, the most gained first:
          ``language`` (str), ``before``, ``after`` and ``change`` (Int64, projects)
        - ``contributors`` (pandas.DataFrame): a row a project of both whose number of
          contributors differs, the most lost first: ``id`` and ``name`` (str), ``before``,
          ``after`` and ``change`` (Int64, people). Missing and negative numbers are no change.
        - ``notes`` (tuple of str)

    Raises
    ------
    InvalidInputError
        If a frame has no ``id`` or one twice, or they are of different resources.

    Notes
    -----
    A record that is gone was deleted, or is no longer an answer to the question. Where a
    snapshot is not complete, it may just not have been loaded; ``notes`` say so.

    Examples
    --------
    >>> import pandas as pd
    >>> before = pd.DataFrame({
    ...     "id": ["1", "2"], "name": ["Ant", "Bee"],
    ...     "analysis_main_language_name": ["C", "Java"],
    ...     "analysis_twelve_month_contributor_count": [5, 2],
    ... })
    >>> after = before.assign(
    ...     id=["1", "3"], analysis_main_language_name=["C", "Perl"],
    ...     analysis_twelve_month_contributor_count=[3, 2],
    ... )
    >>> found = compare(before, after)
    >>> found.title
    '1 new, 1 gone, 1 changed, 0 the same'
    >>> print(found.contributors)
      id name  before  after  change
    0  1  Ant       5      3      -2
    """
    for name, frame in (("before", before), ("after", after)):
        require(frame, "id", giver="a loader")
        if twice := int(frame["id"].duplicated().sum()):
            raise InvalidInputError(
                f"In `{name}`, {twice:,} ids are there twice, so records cannot be told apart. "
                "Remove duplicates first: frame.drop_duplicates('id')."
            )
    _same_resource(before, after)
    old, new = before.set_index("id", drop=False), after.set_index("id", drop=False)
    both = new.index[new.index.isin(old.index)]
    changed = _changed(old.loc[both], new.loc[both])
    gone = before[~before["id"].isin(new.index)].reset_index(drop=True)
    fresh = after[~after["id"].isin(old.index)].reset_index(drop=True)
    different = changed["id"].nunique()
    provenance.carry(before, gone, "compare: gone")
    provenance.carry(after, fresh, "compare: new")
    return Comparison(
        title=f"{len(fresh):,} new, {len(gone):,} gone, {different:,} changed, "
        f"{len(both) - different:,} the same",
        new=fresh,
        gone=gone,
        changed=changed,
        languages=_languages(old, new, both),
        contributors=_contributors(old.loc[both], new.loc[both]),
        notes=(*_uncertain(before, after), *_sources(before, after)),
    )


def _same_resource(before: pd.DataFrame, after: pd.DataFrame) -> None:
    kinds = [provenance.describe(frame)["resource"] for frame in (before, after)]
    if all(kinds) and kinds[0] != kinds[1]:
        raise InvalidInputError(
            f"The snapshots are of {kinds[0]}s and of {kinds[1]}s. Compare two of the same."
        )


def _changed(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    parts = []
    for place, name in enumerate(after):
        if name not in before or name == "id":
            continue
        old, new = before[name], after[name]
        if old.dtype != new.dtype or old.dtype == object:
            old, new = _plain(old), _plain(new)
        same = (old == new).fillna(value=False).astype(bool) | (old.isna() & new.isna())
        rows = ~same.to_numpy(dtype=bool)
        parts.append(
            pd.DataFrame(
                {
                    "id": after["id"][rows].astype("str").to_numpy(),
                    "column": str(name),
                    "before": _plain(old[rows]).to_numpy(),
                    "after": _plain(new[rows]).to_numpy(),
                    "row": rows.nonzero()[0],
                    "place": place,
                }
            )
        )
    columns = ["id", "column", "before", "after"]
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype="str") for name in columns})
    table = pd.concat(parts).sort_values(["row", "place"], ignore_index=True)
    return table[columns].astype(dict.fromkeys(columns, "str"))


def _plain(column: pd.Series[Any]) -> pd.Series[str]:
    if column.dtype != object:
        return column.astype("str")
    # Parquet gives lists back as arrays: written the same, they are the same.
    texts = [str(list(value)) if hasattr(value, "__len__") else None for value in column]
    return pd.Series(texts, index=column.index, dtype="str")


def _languages(before: pd.DataFrame, after: pd.DataFrame, both: pd.Index[Any]) -> pd.DataFrame:
    old, new = text(LANGUAGE).of(before), text(LANGUAGE).of(after)
    counts = pd.DataFrame({"before": old.value_counts(), "after": new.value_counts()})
    counts = counts.fillna(0).astype("int64")
    counts["change"] = counts["after"] - counts["before"]
    moved = old.loc[both] != new.loc[both]
    touched = {*old.loc[both][moved].dropna(), *new.loc[both][moved].dropna()}
    counts = counts[(counts["change"] != 0) | counts.index.isin(touched)]
    table = counts.rename_axis("language").reset_index()
    table = table.sort_values(["change", "language"], ascending=[False, True], ignore_index=True)
    return table.astype({"language": "str", "before": "Int64", "after": "Int64", "change": "Int64"})


def _contributors(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    old, new = (whole(CONTRIBUTORS).of(frame).reset_index(drop=True) for frame in (before, after))
    table = pd.DataFrame(
        {
            "id": after["id"].astype("str").to_numpy(),
            "name": text("name").of(after).to_numpy(),
            "before": old,
            "after": new,
            "change": new - old,
        }
    ).astype({"id": "str", "name": "str"})
    differs = ((old >= 0) & (new >= 0) & (old != new)).fillna(value=False)
    return table[differs].sort_values(["change", "id"], ignore_index=True)


def _uncertain(before: pd.DataFrame, after: pd.DataFrame) -> Iterable[str]:
    old, new = provenance.describe(before), provenance.describe(after)
    if old["complete"] is False:
        yield "`before` is incomplete: what is new may have been there."
    if new["complete"] is False:
        yield "`after` is incomplete: what is gone may still be there."
    if old["question"] != new["question"]:
        yield "The snapshots answer different questions: what is new or gone may be due to that."


def _sources(before: pd.DataFrame, after: pd.DataFrame) -> Iterable[str]:
    yield f"Before: {provenance.caption(before)}"
    yield f"After: {provenance.caption(after)}"

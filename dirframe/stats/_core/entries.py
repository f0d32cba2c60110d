"""List entries inside records: licences, tags and languages of projects, and their counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dirframe.client.frames.child_tables import child_table
from dirframe.errors import InvalidInputError
from dirframe.stats._core.groupby import combine

if TYPE_CHECKING:
    from collections.abc import Sequence

LANGUAGES = "analysis_languages"


class Counts(NamedTuple):
    """Counts of some projects: a table by label, totals by name, titles by label."""

    table: pd.DataFrame
    numbers: dict[str, float]
    titles: dict[str, str] | None = None


def combine_counts(parts: Sequence[Counts]) -> Counts:
    table = combine([part.table for part in parts], [parts[0].table.columns[0]])
    names, titles = parts[0].numbers, parts[0].titles
    for other in parts[1:]:
        if titles is not None:
            titles = _least(titles, other.titles or {})
    numbers = {name: sum(part.numbers[name] for part in parts) for name in names}
    return Counts(table, numbers, titles)


def _least(titles: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    shared = {label: min(titles[label], others[label]) for label in titles.keys() & others.keys()}
    return titles | others | shared


def list_entries(projects: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the entries with the row number of their project, since ids may repeat."""
    column = LANGUAGES if name == "languages" else name
    parents = pd.DataFrame({"id": pd.Series(range(len(projects))).astype("str")})
    if column in projects:
        parents[column] = _lists(projects[column]).to_numpy()
    parents.attrs["dirframe"] = {"resource": "project"}
    entries = child_table(parents, name)
    entries.attrs = {}
    return entries


def _lists(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.infer_dtype(column) != "string":
        return column
    try:  # lists of mixed structure are stored in Parquet as JSON
        return column.map(json.loads, na_action="ignore").astype("object")
    except ValueError as error:
        raise InvalidInputError(
            f"The column {column.name} must hold lists, or lists as JSON; it holds text. Dask "
            "makes text of them unless the option dataframe.convert-string is False."
        ) from error

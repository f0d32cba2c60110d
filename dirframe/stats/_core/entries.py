"""Entries of lists inside records: licences, tags and languages of a project, and their counts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from dirframe.client.frames.child_tables import child_table
from dirframe.errors import InvalidInputError
from dirframe.stats._core.groupby import combine

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LANGUAGES", "Counts", "combine_counts", "list_entries"]

LANGUAGES = "analysis_languages"


class Counts(NamedTuple):
    """What some projects come to: a table by label, numbers by what they are, titles of labels."""

    table: pd.DataFrame
    numbers: dict[str, float]
    titles: dict[str, str] | None = None


def combine_counts(parts: Sequence[Counts]) -> Counts:
    table = combine([part.table for part in parts], [parts[0].table.columns[0]])
    whats, titles = parts[0].numbers, parts[0].titles
    for other in parts[1:]:
        if titles is not None:
            titles = _least(titles, other.titles or {})
    numbers = {what: sum(part.numbers[what] for part in parts) for what in whats}
    return Counts(table, numbers, titles)


def _least(titles: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    both = {label: min(titles[label], others[label]) for label in titles.keys() & others.keys()}
    return titles | others | both


def list_entries(projects: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give the entries with the number of their project: an id may be there twice."""
    column = LANGUAGES if name == "languages" else name
    own = pd.DataFrame({"id": pd.Series(range(len(projects))).astype("str")})
    if column in projects:
        own[column] = _lists(projects[column]).to_numpy()
    own.attrs["dirframe"] = {"resource": "project"}
    entries = child_table(own, name)
    entries.attrs = {}
    return entries


def _lists(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.infer_dtype(column) != "string":
        return column
    try:  # lists that differ in form stand in Parquet as JSON
        return column.map(json.loads, na_action="ignore").astype("object")
    except ValueError as error:
        raise InvalidInputError(
            f"The column {column.name} must hold lists, or lists as JSON; it holds text. Dask "
            "makes text of them unless the option dataframe.convert-string is False."
        ) from error

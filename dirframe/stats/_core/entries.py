"""List entries inside records: licences, tags and languages of projects, and their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from dirframe.client.child_tables import entry_columns
from dirframe.schema import PROJECT
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


def list_entries(projects: pd.DataFrame, name: str, *, categories: bool = False) -> pd.DataFrame:
    """Return the entries with the row number of their project, since ids may repeat.

    With `categories`, columns of text are categorical.
    """
    column = LANGUAGES if name == "languages" else name
    lists = projects[column] if column in projects else pd.Series([None] * len(projects))
    field = PROJECT.by_column[column]
    lengths, entries = entry_columns(lists, field, PROJECT, categories=categories)
    number = np.repeat(np.arange(len(projects)), lengths)
    # An entry may have a field of this name.
    return pd.DataFrame(entries | {"project": number}, copy=False)

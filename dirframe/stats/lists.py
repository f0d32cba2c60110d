"""The entries of lists, one row each, and the records that have each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dirframe._arrow import as_list, check_unicode
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import (
    name_groups,
    share_of,
    sort_groups,
    split_top,
    with_other_row,
)


def explode(lists: pd.Series[Any], fields: Sequence[str]) -> pd.DataFrame:
    """Return a row for each entry of the lists: ``record``, its position, and the texts of fields.

    Blanks around a text are left out, and a blank text is missing. An entry that is no record is
    each of its fields.
    """
    values: Iterable[Any] = lists
    if not lists.map(type).isin([list, type(None)]).all():
        values = [as_list(value, lists.name) for value in lists]
    values = [value or [] for value in values]
    record = np.repeat(np.arange(len(lists)), [len(value) for value in values])
    entries = list(chain.from_iterable(values))  # pandas would guess their type
    columns: dict[str, Any] = {"record": record}
    try:
        for field in fields:
            columns[field] = _texts(entries, field)
    except UnicodeEncodeError:
        check_unicode(values, lists.name)
        raise
    return pd.DataFrame(columns)


def _texts(entries: Sequence[Any], field: str) -> Any:
    """Return a field of each entry as text."""
    try:
        plain = pa.array(entries, pa.large_string())  # in a tenth of the time
    except pa.ArrowException:  # some are records
        values = [entry.get(field) if isinstance(entry, dict) else entry for entry in entries]
        codes, different = _factorize(values)
    else:
        encoded = plain.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy()
        different = encoded.dictionary.to_pylist()
    texts = pd.Series([_text(value) for value in different], dtype="str").array
    return texts.take(codes, allow_fill=True)


def _factorize(values: Sequence[Any]) -> tuple[Any, Any]:
    """Return the place of each value among the different ones, of which there are few, and these."""
    try:
        return pd.factorize(pd.Series(values, dtype="object"))
    except TypeError as error:  # it cannot be hashed
        raise InvalidInputError(
            "The entries of a list must be texts, or records of texts."
        ) from error


def _text(value: Any) -> str | None:
    return None if pd.isna(value) else str(value).strip() or None


def count_records_by(
    entries: pd.DataFrame, name: str, noun: str, top: int | None
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Count the records of each name, once each, with their share of the records that have one.

    A record counts once in the row of the others, too.
    """
    entries = entries[["record", name]].dropna().astype({name: "category"}).drop_duplicates()
    with_any = entries["record"].nunique()
    numbers = entries[name].value_counts().rename("projects").astype("Int64").to_frame()
    kept, others = split_top(sort_groups(numbers, ["projects"]), top, noun)
    with_others = entries.loc[entries[name].isin(others.index), "record"].nunique()
    table = with_other_row(kept, others, noun, {"projects": with_others})
    table["share"] = share_of(table["projects"], with_any)
    counts = {"with_any": with_any, "different": len(numbers), "in_other": len(others)}
    return name_groups(table, name), counts

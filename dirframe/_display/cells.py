"""Values of a frame as text, and texts of equal width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from rich.cells import cell_len, set_cell_size

from dirframe._display.values import entries, percent, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Quantiles that have a name of their own.
_QUANTILES = {0.0: "minimum", 0.5: "median", 1.0: "maximum"}


def align(texts: Sequence[str], *, right: bool) -> list[str]:
    """Pad texts to the width of the widest."""
    widths = [cell_len(text) for text in texts]
    widest = max(widths, default=0)
    blanks = (" " * (widest - width) for width in widths)
    return [f"{b}{t}" if right else f"{t}{b}" for t, b in zip(texts, blanks, strict=True)]


def cell_texts(values: pd.Series[Any], name: str) -> list[str]:
    """Format a column: thousands separated, but not in years; shares in percent; missing empty."""
    if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
        day = bool((values.dropna() == values.dropna().dt.normalize()).all())
        form = "%Y-%m-%d" if day else "%Y-%m-%d %H:%M"
        return ["" if pd.isna(value) else value.strftime(form) for value in values]
    if pd.api.types.is_float_dtype(values.dtype):
        return _numbers(values, name)
    if pd.api.types.is_integer_dtype(values.dtype):
        form = "d" if "year" in name.split("_") else ",d"
        return ["" if pd.isna(value) else f"{value:{form}}" for value in values]
    return [_text(value) for value in values]


def _numbers(values: pd.Series[Any], name: str) -> list[str]:
    if "share" in name.split("_"):
        return ["" if pd.isna(value) else percent(float(value)) for value in values]
    # The same number of decimals in the whole column: as many as needed, three at most.
    rounded = values.dropna().astype("float64").round(3)
    decimals = next(n for n in range(4) if n == 3 or bool((rounded.round(n) == rounded).all()))
    texts = ["" if pd.isna(value) else f"{value:,.{decimals}f}" for value in values]
    if name != "quantile":
        return texts
    words = (_QUANTILES.get(value, "") for value in values)
    return [f"{word} {text}".strip() for word, text in zip(words, texts, strict=True)]


def _text(value: object) -> str:
    if isinstance(value, list | tuple | np.ndarray):
        return printable(entries(value))
    if pd.isna(value):  # type: ignore[call-overload]  # a cell that is not a list is a scalar
        return ""
    return printable(str(value))


def cut(text: str, widest: int) -> str:
    """Cut a text after a word; a single long word anywhere."""
    if cell_len(text) <= widest:
        return text
    begin = set_cell_size(text, widest - 1)
    words = begin if text[len(begin) :].startswith(" ") else begin.rpartition(" ")[0]
    return f"{(words if 2 * cell_len(words) >= widest else begin).rstrip()}…"

"""The formats of files, by the suffix: one table for exports, readers, the command line and tests."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """A format of files."""

    suffix: str
    is_text: bool = False  # its provenance is in a file beside it
    holds_several: bool = False  # tables


FORMATS = (
    Format(".csv", is_text=True),
    Format(".tsv", is_text=True),
    Format(".json", is_text=True),
    Format(".jsonl", is_text=True),
    Format(".parquet"),
    Format(".xlsx", holds_several=True),
    Format(".zip", holds_several=True),
)
#: Suffixes of all formats, of text, of one table, and of several.
SUFFIXES = tuple(form.suffix for form in FORMATS)
TEXTS = tuple(form.suffix for form in FORMATS if form.is_text)
OF_ONE_TABLE = tuple(form.suffix for form in FORMATS if not form.holds_several)
OF_SEVERAL = tuple(form.suffix for form in FORMATS if form.holds_several)

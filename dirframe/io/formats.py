"""The formats of files, by the suffix: one table for exports, readers, the command line and tests."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """A format of files."""

    suffix: str
    has_record: bool = False  # its provenance is in a file beside it; else in the file
    holds_several: bool = False  # tables


FORMATS = (
    Format(".csv", has_record=True),
    Format(".tsv", has_record=True),
    Format(".json", has_record=True),
    Format(".jsonl", has_record=True),
    Format(".parquet"),
    Format(".xlsx", holds_several=True),
    Format(".zip", holds_several=True),
)
#: Suffixes of all formats, of those with a file of provenance beside them, of one table, and of several.
SUFFIXES = tuple(form.suffix for form in FORMATS)
WITH_RECORD = tuple(form.suffix for form in FORMATS if form.has_record)
OF_ONE_TABLE = tuple(form.suffix for form in FORMATS if not form.holds_several)
OF_SEVERAL = tuple(form.suffix for form in FORMATS if form.holds_several)

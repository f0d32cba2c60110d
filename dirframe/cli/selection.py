"""Which of its records a command keeps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click

import dirframe
from dirframe import _display

if TYPE_CHECKING:
    import pandas as pd

#: Names of the conditions of `--where`: the arguments of `dirframe.select`.
CONDITIONS = {
    "language": "languages",
    "country": "countries",
    "license": "licenses",
    "tag": "tags",
    "year": "years",
    "activity": "activity",
    "search": "search",
}
#: The columns that a condition is about, by its name; a frame may have the first or the second.
_COLUMNS_OF_CONDITIONS = {
    "language": ["analysis_main_language_name"],
    "country": ["country_name", "country_code"],
    "license": ["licenses"],
    "licence": ["licenses"],
    "tag": ["tags"],
    "year": ["created_at"],
}


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Conditions on records, and how many of those that meet them are kept.

    `filters` are arguments of `dirframe.select`; `values` has a value by column, "" for a missing
    one.
    """

    filters: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    exclude: Sequence[str] = ()
    older_than: str | None = None
    limit: int | None = None

    @property
    def has_conditions(self) -> bool:
        """Whether records are left out by what they hold."""
        return bool(self.filters or self.values or self.exclude or self.older_than)

    def only_of(self, columns: Collection[str]) -> Selection:
        """Return the selection without ranges and values of other columns."""
        filters = dict(self.filters)
        if "ranges" in filters:
            filters["ranges"] = {
                column: span for column, span in filters["ranges"].items() if column in columns
            }
        values = {column: value for column, value in self.values.items() if column in columns}
        return replace(self, filters=filters, values=values)

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the records that meet the conditions, at most as many as the limit."""
        if "countries" in self.filters:
            frame = with_countries(frame)
        if self.filters:
            frame = dirframe.select(frame, **self.filters)
        for column, value in self.values.items():
            frame = _with_value(frame, column, value)
        if self.exclude or self.older_than:
            frame = dirframe.exclude(frame, self.exclude, older_than=self.older_than)
        if self.limit is not None and len(frame) > self.limit:
            frame = frame.head(self.limit)
            dirframe.provenance.add_selection(frame, [f"only the first {self.limit:,}"])
        return frame


def with_countries(frame: pd.DataFrame) -> pd.DataFrame:
    """Return accounts with their countries."""
    from dirframe.clean.countries import with_countries as add_countries

    return add_countries(frame)


def _with_value(frame: pd.DataFrame, column: str, text: str) -> pd.DataFrame:
    """Return the records with a value in a column; without one, if the text is empty."""
    known = [str(name) for name in frame]
    if column not in known:
        question = _display.did_you_mean(column, [*CONDITIONS, *known])
        raise click.UsageError(f"There is no column {column}.{question}")
    if error := dirframe.provenance.absent(frame, [column]):
        raise error
    cells = frame[column]
    if text == "":
        kept = frame[cells.isna()]
    elif _display.is_number(cells.dtype):
        kept = frame[cells == _number(text, column)]
    elif cells.dtype == "str":
        kept = frame[cells == text]
    else:
        raise click.UsageError(f"{column} holds neither texts nor numbers to compare with.")
    step = f"only {_display.label(column)} {text or '(missing)'}"
    personal = [step] if dirframe.provenance.is_about_persons(kept, column) else []
    dirframe.provenance.add_selection(kept, [step], personal=personal)
    return kept


def _number(text: str, column: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{column} has numbers, not {text!r}.") from None


def columns_named(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return columns by their names, by those of conditions, or by the headings of a table.

    Raises if there is no such column.
    """
    return [_column_named(name, known) for name in names]


def _column_named(name: str, known: Sequence[str]) -> str:
    if name in known:
        return name
    for column in _COLUMNS_OF_CONDITIONS.get(name, []):
        if column in known:
            return column
    as_heading = name.replace("_", " ").replace("-", " ").casefold()
    for column, heading in _display.headings(known).items():
        if heading.casefold() == as_heading:
            return column
    raise click.UsageError(f"There is no column {name}.{_display.did_you_mean(name, known)}")

"""What the package knows of itself, as Markdown: the data dictionary and the public names."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import dirframe
from dirframe import errors, plot, provenance, stats
from dirframe.schema import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType


def substitutions() -> dict[str, str]:
    """Return what a page may ask for as ``{{ name }}``."""
    others = {*errors.__all__, "errors", "plot", "provenance", "stats"}
    return {
        "fields": "\n\n".join(map(_fields, ALL_RESOURCES)),
        "api_dirframe": _reference(dirframe, set(dirframe.__all__) - others),
        "api_stats": _reference(stats, stats.__all__),
        "api_plot": _reference(plot, plot.__all__),
        "api_provenance": _reference(provenance, filter(str.islower, provenance.__all__)),
        "api_errors": _reference(errors, errors.__all__),
    }


def _fields(name: str) -> str:
    """Return the fields of a kind of record, and of the entries of its lists, as a table."""
    by_column = ALL_RESOURCES[name].by_column
    lines = ["| Column | Meaning | Type | Unit | Marks | Known from |", "|" + " --- |" * 6]
    for row in dirframe.fields(name).itertuples(index=False):
        field = by_column[row.name]
        marks = [mark for mark in ("required", "personal") if getattr(row, mark)]
        unit = row.unit if isinstance(row.unit, str) else ""
        cells = [f"`{row.name}`", field.meaning, f"`{row.type}`", unit, ", ".join(marks)]
        lines.append("| " + " | ".join([*cells, row.dialects]) + " |")
        for entry in field.fields:
            cells = [f"`{row.name}[].{entry.column}`", entry.meaning, f"`{entry.kind.dtype}`"]
            lines.append("| " + " | ".join([*cells, entry.unit, "", ""]) + " |")
    return "\n".join([f"**{name}**", "", *lines])


def _reference(module: ModuleType, names: Iterable[str]) -> str:
    """Return the docstrings of a module and of its public functions and classes."""
    lines = [f".. automodule:: {module.__name__}", "", ".. py:currentmodule:: None", ""]
    for name in sorted(names):
        value = getattr(module, name)
        if callable(value):
            is_error = inspect.isclass(value) and issubclass(value, BaseException)
            kind = "class" if inspect.isclass(value) else "function"
            shown = "dirframe" if is_error else module.__name__
            lines.append(f".. auto{'exception' if is_error else kind}:: {shown}.{name}")
            if kind == "class":
                lines.append("   :show-inheritance:" if is_error else "   :members:")
    return "\n".join(["```{eval-rst}", *lines, "```"])

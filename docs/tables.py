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


#: The functions and classes of the package by what a person wants to do.
TASKS = {
    "connect": ["Directory", "sample_directory", "check"],
    "load": [
        *("plan", "load_projects", "load_accounts", "load_project", "load_account"),
        *("load_organizations", "load_portfolio", "load_repositories"),
        *("load_activity", "load_contributors", "load_size", "load_languages", "load"),
    ],
    "harvest": ["harvest", "open_archive", "Archive"],
    "read": ["read_pages", "read_table", "fields", "child_table"],
    "countries": ["unify_countries", "country_audit", "country_note"],
    "choose": [
        "summary",
        "select",
        "flags",
        "exclude",
        "with_age",
        "with_license_family",
        "compare",
    ],
    "publish": ["cite", "export", "report", "Explorer"],
    "serve": ["serve"],
    "cache": ["cache_info", "clear_cache", "prune_cache"],
}

#: The statistics and charts by their subject.
SUBJECTS = {
    "languages": [
        *("language_share", "languages_by_year", "language_breakdown", "contributors_by_language"),
    ],
    "contributors": [
        *("contributor_distribution", "contributor_concentration", "lorenz"),
        *("team_size_classes", "users_against_contributors"),
    ],
    "lifetimes": ["activity", "life_span", "survival", "growth"],
    "licenses": ["licenses", "license_families", "tags"],
    "accounts": [
        "accounts_by_country",
        "accounts_by_kudo_rank",
        "posts_distribution",
        "accounts_map",
    ],
    "one_project": ["monthly_activity", "commits_by_contributor", "commit_concentration"],
    "groups": ["by", "panels"],
}


def substitutions() -> dict[str, str]:
    """Return what a page may ask for as ``{{ name }}``."""
    return {
        "fields": "\n\n".join(map(_fields, ALL_RESOURCES)),
        "api_dirframe": _module(dirframe),
        **{f"api_{task}": _reference(dirframe, names) for task, names in TASKS.items()},
        "api_stats": _module(stats),
        **{f"api_stats_{name}": _statistics(names) for name, names in SUBJECTS.items()},
        "api_plot": _module(plot) + "\n\n" + _reference(plot, ["style"]),
        "api_provenance": _module(provenance)
        + "\n\n"
        + _reference(provenance, filter(str.islower, provenance.__all__)),
        "api_errors": _module(errors) + "\n\n" + _reference(errors, sorted(errors.__all__)),
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


def _module(module: ModuleType) -> str:
    """Return the docstring of a module."""
    return _directives([f".. automodule:: {module.__name__}", ""])


def _statistics(names: Iterable[str]) -> str:
    """Return the docstrings of statistics and charts, those of one name after another."""
    lines = []
    for name in names:
        for module in (stats, plot):
            if hasattr(module, name):
                lines += _entry(module, name)
    return _directives(lines)


def _reference(module: ModuleType, names: Iterable[str]) -> str:
    """Return the docstrings of functions and classes of a module, in this order."""
    lines = []
    for name in names:
        lines += _entry(module, name)
    return _directives(lines)


def _entry(module: ModuleType, name: str) -> list[str]:
    """Return the directive for a function, a class or an error."""
    value = getattr(module, name)
    if not inspect.isclass(value):
        return [f".. autofunction:: {module.__name__}.{name}"]
    if issubclass(value, BaseException):
        return [f".. autoexception:: dirframe.{name}", "   :show-inheritance:"]
    return [f".. autoclass:: {module.__name__}.{name}", "   :members:"]


def _directives(lines: list[str]) -> str:
    """Return lines of reStructuredText as a block of a Markdown page."""
    return "\n".join(["```{eval-rst}", ".. py:currentmodule:: None", "", *lines, "```"])

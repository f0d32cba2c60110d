"""The public names by theme: a new name has to be put somewhere here, or the tests fail.

What stays out: what the names mean (their docstrings), and prose around them (the pages).
"""

from __future__ import annotations

import inspect

import dirframe
from dirframe import errors, plot, stats

#: What nobody calls: described on the page itself.
CONSTANTS = ("plot.FONTS", "plot.STYLE")

THEMES: dict[str, tuple[str, ...]] = {
    "loading": (
        "Directory",
        "sample_directory",
        "plan",
        "load_projects",
        "load_accounts",
        "load_project",
        "load_account",
        "child_table",
        "cache_info",
        "prune_cache",
        "clear_cache",
    ),
    "archives": (
        "harvest",
        "refresh",
        "open_archive",
        "Archive",
        "read_pages",
        "bundle",
        "open_bundle",
    ),
    "cleaning": ("unify_countries", "country_audit", "country_note"),
    "statistics": tuple(f"stats.{name}" for name in stats.__all__),
    "charts": tuple(f"plot.{name}" for name in plot.__all__ if f"plot.{name}" not in CONSTANTS),
    "overview": ("summary", "compare", "cite", "report", "export", "read_export", "fields"),
    "provenance": tuple(
        f"provenance.{name}" for name in ("describe", "carry", "attach", "caption", "Provenance")
    ),
    "service": ("serve",),
    "errors": tuple(errors.__all__),
}


def reference(theme: str) -> str:
    """Give the names of a theme as Markdown: a table with links, then each docstring."""
    rows, directives = [], []
    for name in THEMES[theme]:
        kind, value = _kind(name)
        first = (inspect.getdoc(value) or "").splitlines()[0].replace("`", "")
        rows.append(f"| {{py:obj}}`{name} <dirframe.{name}>` | {first} |")
        directives.append(f".. auto{kind}:: dirframe.{name}")
        if kind == "class":
            directives.append("   :members:")
    table = "\n".join(["| Name | What it does |", "| --- | --- |", *rows])
    return f"{table}\n\n```{{eval-rst}}\n" + "\n".join(directives) + "\n```"


def _kind(name: str) -> tuple[str, object]:
    value: object = dirframe
    for part in name.split("."):
        value = getattr(value, part)
    if not inspect.isclass(value):
        return "function", value
    return ("exception" if issubclass(value, BaseException) else "class"), value

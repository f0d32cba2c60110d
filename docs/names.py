"""The public names by theme: one from a new part of the package has to be given a theme here."""

from __future__ import annotations

import inspect

import dirframe
from dirframe import plot, provenance, stats

#: What nobody calls: described on the page itself.
CONSTANTS = ("plot.FONTS", "plot.STYLE")

#: Which theme a public name belongs to, by the part of the package that it comes from.
HOMES = {
    "dirframe.client": "loading",
    "dirframe.sample": "loading",
    "dirframe.archive": "archives",
    "dirframe.clean": "cleaning",
    "dirframe.stats": "overview",
    "dirframe.filters": "overview",
    "dirframe.citation": "overview",
    "dirframe.io": "saving",
    "dirframe.reports": "saving",
    "dirframe.explorer": "explorer",
    "dirframe.service": "service",
    "dirframe.errors": "errors",
}


def themes() -> dict[str, list[str]]:
    """Give the names of each theme, classes first; a name without a theme is an error."""
    found: dict[str, list[str]] = {theme: [] for theme in HOMES.values()}
    for name in dirframe.__all__:
        value = getattr(dirframe, name)
        if not inspect.ismodule(value):
            found[_theme(value.__module__)].append(name)
    found["statistics"] = [f"stats.{name}" for name in stats.__all__]
    found["charts"] = [f"plot.{name}" for name in plot.__all__ if f"plot.{name}" not in CONSTANTS]
    found["provenance"] = [f"provenance.{name}" for name in provenance.__all__ if name.islower()]
    return found


def reference(theme: str) -> str:
    """Give the names of a theme as Markdown: a table with links, then each docstring."""
    rows, directives = [], []
    for name in themes()[theme]:
        kind, value = _kind(name)
        first = (inspect.getdoc(value) or "").splitlines()[0].replace("`", "")
        rows.append(f"| {{py:obj}}`{name} <dirframe.{name}>` | {first} |")
        directives.append(f".. auto{kind}:: dirframe.{name}")
        if kind == "class":
            directives.append("   :members:")
    table = "\n".join(["| Name | What it does |", "| --- | --- |", *rows])
    return f"{table}\n\n```{{eval-rst}}\n" + "\n".join(directives) + "\n```"


def _theme(module: str) -> str:
    home = ".".join(module.split(".")[:2])
    if home not in HOMES:
        raise LookupError(f"{home} has public names and no theme: give it one in HOMES.")
    return HOMES[home]


def _kind(name: str) -> tuple[str, object]:
    value: object = dirframe
    for part in name.split("."):
        value = getattr(value, part)
    if not inspect.isclass(value):
        return "function", value
    return ("exception" if issubclass(value, BaseException) else "class"), value

"""Aggregate the languages of synthetic projects."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from tools.synthetic.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable


_MARKUP = {"HTML", "XML", "CSS", "XSL Transformation", "XML Schema", "TeX/LaTeX"}
_BUILD = {"Make", "Autoconf", "Automake", "CMake", "Jam", "Ebuild"}
_LINES = ("code", "comments", "blanks")


def languages(projects: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a record for each language of generated projects, by name.

    Lines are split by the percentages of each analysis; people and commits of a project count for
    its main language.
    """
    names: dict[str, str] = {}
    totals: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for project in projects:
        if not (analysis := project.get("analysis")):
            continue
        project_totals = History(project).totals()
        main = analysis["main_language_id"]
        for entry in analysis.get("languages", ()):
            if not (identifier := entry["@id"]):
                continue  # the line for others
            names[identifier], share = entry["#text"], entry["@percentage"]
            percent = int(share) if share.isdigit() else 0
            counts = totals[identifier]
            counts["projects"] += 1
            for name in _LINES:
                counts[name] += max(project_totals[name], 0) * percent // 100
            if identifier == main:
                counts["contributors"] += project_totals["contributors"]
                counts["commits"] += project_totals["commits"]
    return [
        _record(number, names[number], totals[number])
        for number in sorted(names, key=names.__getitem__)
    ]


def _record(identifier: str, name: str, totals: dict[str, int]) -> dict[str, Any]:
    lines = totals["code"] + totals["comments"]
    category = "markup" if name in _MARKUP else "build" if name in _BUILD else "code"
    return {
        "id": identifier,
        "name": "".join(name.lower().split()),
        "nice_name": name,
        "category": category,
        "code": str(totals["code"]),
        "comments": str(totals["comments"]),
        "blanks": str(totals["blanks"]),
        "comment_ratio": str(round(totals["comments"] / lines, 6)) if lines else None,
        "projects": str(totals["projects"]),
        "contributors": str(totals["contributors"]),
        "commits": str(totals["commits"]),
    }

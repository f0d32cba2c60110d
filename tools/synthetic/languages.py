"""Aggregate the languages of synthetic projects."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dirframe.service.records import entries_of, text_of
from tools.synthetic.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dirframe.service.records import Record, Value


_MARKUP = {"HTML", "XML", "CSS", "XSL Transformation", "XML Schema", "TeX/LaTeX"}
_BUILD = {"Make", "Autoconf", "Automake", "CMake", "Jam", "Ebuild"}
_LINES = ("code", "comments", "blanks")


def languages(projects: Iterable[Record]) -> list[dict[str, Value]]:
    """Return a record for each language of generated projects, by name.

    Lines are split by the percentages of each analysis; people and commits of a project count for
    its main language.
    """
    names: dict[str, str] = {}
    totals: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for project in projects:
        analysis = project.get("analysis")
        if not isinstance(analysis, dict):
            continue
        project_totals = History(project).totals()
        main = text_of(analysis, "main_language_id")
        for entry in entries_of(analysis, "languages"):
            if not (identifier := str(entry.get("@id", ""))):
                continue
            names[identifier] = str(entry.get("#text", ""))
            share = str(entry.get("@percentage", ""))
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


def _record(identifier: str, name: str, totals: dict[str, int]) -> dict[str, Value]:
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

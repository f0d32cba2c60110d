"""What there is to choose from: resources, charts, columns.

What stays out: what was chosen (`dirframe.explorer.state`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.explorer.filters import LANGUAGE
from dirframe.plot._multiples import has_panels
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES, Kind
from dirframe.stats._exclusion import applicable
from dirframe.stats._strata import known_strata

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.schema import Resource

__all__ = [
    "CHARTS",
    "PAGE_SIZES",
    "PART",
    "columns",
    "common",
    "heading",
    "resource_of",
    "rules",
    "sortable",
    "strata",
    "usual_columns",
]

PAGE_SIZES = (10, 25, 50, 100)

#: Records that a table which turns its pages in the browser gets at once: what a daily quota
#: loads. A browser is busy for half a second with them, for some three with 100,000.
PART = 25_000

#: For each resource the charts of `dirframe.plot`, with what they are called.
CHARTS: dict[str, dict[str, str]] = {
    "project": {
        "language_share": "Projects by main language",
        "contributors_by_language": "Contributors by main language",
        "contributors_per_thousand_lines": "Contributors per thousand lines",
        "language_breakdown": "All code by language",
        "languages_by_year": "Main languages by year",
        "contributor_distribution": "Contributors a project",
        "team_size_classes": "Sizes of teams",
        "lorenz": "Concentration of contributors",
        "activity": "Active and dormant projects",
        "project_age": "Age of projects",
        "life_span": "Life spans",
        "growth": "Growth",
        "users_against_contributors": "Users and contributors",
        "licenses": "Licences",
        "tags": "Tags",
    },
    "account": {
        "accounts_by_country": "Accounts by country",
        "accounts_map": "Map of accounts",
        "growth": "Growth",
        "accounts_by_kudo_rank": "Accounts by kudo rank",
        "posts_distribution": "Posts an account",
    },
}

_USUAL = {
    "project": (
        "name",
        LANGUAGE,
        "stack_count",
        "analysis_twelve_month_contributor_count",
        "analysis_total_code_lines",
        "created_at",
    ),
    "account": (
        "name",
        "country_name",
        "location",
        "posts_count",
        "kudo_score_kudo_rank",
        "created_at",
    ),
}
#: What tells the two apart where a frame does not say what it holds.
_TELLING = {
    "account": {"email_sha1", "posts_count", "country_code"},
    "project": {LANGUAGE, "analysis_id", "stack_count"},
}


def resource_of(frame: pd.DataFrame) -> Resource:
    """Tell what a frame holds: by its provenance, else by its columns.

    Raises
    ------
    InvalidInputError
        If it holds neither accounts nor projects, or columns that no name tells apart.
    """
    if not frame.columns.is_unique or not all(isinstance(name, str) for name in frame):
        raise InvalidInputError(
            "The frame has two columns of one name, or columns whose names are not text, so that "
            "none can be chosen by its name. Rename or drop them first."
        )
    noted = str(provenance.describe(frame)["resource"])
    if noted in RESOURCES:
        return RESOURCES[noted]
    for resource in () if noted else (ACCOUNT, PROJECT):
        if _TELLING[resource.name] & set(frame):
            return resource
    raise InvalidInputError(
        "The frame holds neither accounts nor projects of a directory. Hand over what "
        "dirframe.load_accounts() or dirframe.load_projects() gave."
    )


def columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name the columns that a table can show, lists last."""
    there = sortable(frame)
    return (*there, *(str(name) for name in frame if name not in there))


def sortable(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name the columns that a table can be ordered by: all but lists."""
    return tuple(str(name) for name in frame if frame[name].dtype != object)


def usual_columns(frame: pd.DataFrame, resource: Resource) -> tuple[str, ...]:
    """Name the columns that a table begins with."""
    there = sortable(frame)
    return tuple(name for name in _USUAL[resource.name] if name in there) or there[:6]


def rules(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name the rules of `dirframe.flags` by which records of a frame can be left out."""
    return tuple(rule.value for rule in applicable(frame))


def strata(frame: pd.DataFrame, chart: str) -> tuple[str, ...]:
    """Name what a chart of a frame can be divided by; nothing where it has no panels."""
    return known_strata(frame) if has_panels(chart) else ()


def heading(column: str, resource: Resource) -> str:
    """Say a column's name in words, with its unit."""
    field = resource.by_column.get(column)
    words = column.removeprefix("analysis_").removeprefix("kudo_score_").replace("_", " ").strip()
    unit = field.unit if field is not None and field.kind is not Kind.TIMESTAMP else ""
    return f"{words} ({unit})" if unit and unit not in words else words


def common(frame: pd.DataFrame, column: str) -> tuple[tuple[str, int], ...]:
    """Count the values of a column, the most frequent first, then by name."""
    if column not in frame:
        return ()
    counts = frame[column].value_counts()
    found = [(str(value), int(count)) for value, count in counts.items()]
    return tuple(sorted(found, key=lambda one: (-one[1], one[0])))

"""What there is to choose from: resources, charts, columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe import provenance
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError
from dirframe.explorer.filters import LANGUAGE
from dirframe.plot._drawing.small_multiples import has_panels
from dirframe.schema import RESOURCES, Kind
from dirframe.stats._options.strata import known_strata
from dirframe.stats._rules.exclusion import applicable

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.schema import Resource

__all__ = [
    "PAGE_SIZES",
    "PART",
    "charts",
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
    resource = provenance.resource_of(frame)
    if resource is not None and resource.name in RESOURCES:
        return resource
    raise InvalidInputError(
        "The frame holds neither accounts nor projects of a directory. Hand over what "
        "dirframe.load_accounts() or dirframe.load_projects() gave."
    )


def charts(resource: Resource) -> dict[str, str]:
    """Name the charts of a resource, with what they are called."""
    return {
        name: spec.title
        for name, spec in CHARTS.items()
        if spec.collection in {"", resource.collection}
    }


def columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name the columns that a table can show, lists last."""
    scalar = sortable(frame)
    return (*scalar, *(str(name) for name in frame if name not in scalar))


def sortable(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name the columns that a table can be ordered by: all but lists."""
    return tuple(str(name) for name in frame if frame[name].dtype != object)


def usual_columns(frame: pd.DataFrame, resource: Resource) -> tuple[str, ...]:
    """Name the columns that a table begins with."""
    available = sortable(frame)
    return tuple(name for name in _USUAL[resource.name] if name in available) or available[:6]


def rules(frame: pd.DataFrame) -> tuple[str, ...]:
    """Name the rules of `dirframe.flags` by which records of a frame can be left out."""
    return tuple(rule.value for rule in applicable(frame))


def strata(frame: pd.DataFrame, chart: str) -> tuple[str, ...]:
    """Name what a chart of a frame can be divided by; nothing where it has no panels."""
    return known_strata(frame) if has_panels(chart) else ()


def heading(column: str, resource: Resource) -> str:
    """Say a column's name in words, with its unit."""
    field = resource.by_column.get(column)
    label = column.removeprefix("analysis_").removeprefix("kudo_score_").replace("_", " ").strip()
    unit = field.unit if field is not None and field.kind is not Kind.TIMESTAMP else ""
    return f"{label} ({unit})" if unit and unit not in label else label


def common(frame: pd.DataFrame, column: str) -> tuple[tuple[str, int], ...]:
    """Count the values of a column, the most frequent first, then by name."""
    if column not in frame:
        return ()
    counts = frame[column].value_counts()
    pairs = [(str(value), int(count)) for value, count in counts.items()]
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

"""Available choices: resources, charts, columns, rules and strata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe import provenance
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError
from dirframe.explorer.filters import LANGUAGE
from dirframe.schema import RESOURCES, Kind
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
    "usual_columns",
]

PAGE_SIZES = (10, 25, 50, 100)

#: Records sent at once to a table that is paged in the browser: the yield of a daily quota. A
#: browser needs half a second to render them, and about three for 100,000.
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
    """Return the resource of a frame, from its provenance or else its columns.

    Raises
    ------
    InvalidInputError
        If it holds neither accounts nor projects, or its column names are not unique strings.
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
    """Return the charts of a resource with their titles."""
    return {
        name: spec.title
        for name, spec in CHARTS.items()
        if spec.collection in {"", resource.collection}
    }


def columns(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that a table can show, lists last."""
    scalar = sortable(frame)
    return (*scalar, *(str(name) for name in frame if name not in scalar))


def sortable(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the columns that a table can be sorted by: all but lists."""
    return tuple(str(name) for name in frame if frame[name].dtype != object)


def usual_columns(frame: pd.DataFrame, resource: Resource) -> tuple[str, ...]:
    """Return the default columns of a table."""
    available = sortable(frame)
    return tuple(name for name in _USUAL[resource.name] if name in available) or available[:6]


def rules(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the rules of `dirframe.flags` that apply to a frame."""
    return tuple(rule.value for rule in applicable(frame))


def heading(column: str, resource: Resource) -> str:
    """Return a readable heading for a column, with its unit."""
    field = resource.by_column.get(column)
    label = column.removeprefix("analysis_").removeprefix("kudo_score_").replace("_", " ").strip()
    unit = field.unit if field is not None and field.kind is not Kind.TIMESTAMP else ""
    return f"{label} ({unit})" if unit and unit not in label else label


def common(frame: pd.DataFrame, column: str) -> tuple[tuple[str, int], ...]:
    """Count the values of a column, sorted by frequency, then by name."""
    if column not in frame:
        return ()
    counts = frame[column].value_counts()
    pairs = [(str(value), int(count)) for value, count in counts.items()]
    return tuple(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))

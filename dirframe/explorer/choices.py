"""Available choices: resources, charts, columns, rules and strata."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from dirframe import provenance
from dirframe._display.values import label
from dirframe.charts import CHARTS
from dirframe.client.fields import overview
from dirframe.errors import InvalidInputError
from dirframe.filters.conditions import COUNTRY, CREATED, LANGUAGE
from dirframe.filters.select import Filters
from dirframe.schema import RESOURCES, Kind
from dirframe.stats._options.selection import result_of
from dirframe.stats._rules.exclusion import applicable

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.schema import Resource

#: Words for what the explorer filters by that the name of the column does not say.
FACETS = {
    LANGUAGE: "Main language",
    COUNTRY: "Country",
    "licenses": "Licence",
    "tags": "Tag",
    CREATED: "Year of creation",
}

#: Names of the filters.
FILTERS = tuple(field.name for field in fields(Filters))

PAGE_SIZES = (10, 25, 50, 100)

_AS_NUMBER = "lambda ids: ids.str.zfill(20)"
_WITHOUT_CASE = "lambda texts: texts.str.casefold()"
#: Sort keys by the expression that stands in the code.
SORT_KEYS: dict[str, Callable[[pd.Series[str]], pd.Series[str]]] = {
    _AS_NUMBER: lambda ids: ids.str.zfill(20),
    _WITHOUT_CASE: lambda texts: texts.str.casefold(),
}


def resource_of(frame: pd.DataFrame) -> Resource:
    """Return the resource of a frame, from its provenance or else its columns.

    Raises
    ------
    InvalidInputError
        If it holds neither accounts nor projects, is the result of a statistic, or its column
        names are not unique strings.
    """
    if not frame.columns.is_unique or not all(isinstance(name, str) for name in frame):
        raise InvalidInputError(
            "The frame has two columns of one name, or columns whose names are not text, so that "
            "none can be chosen by its name. Rename or drop them first."
        )
    if statistic := result_of(frame):
        raise InvalidInputError(
            f"The frame is the result of stats.{statistic}; the explorer takes the records."
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
    """Return the columns that a table can be sorted by: no lists, and no names of the index."""
    return tuple(
        str(name)
        for name in frame
        if not _holds_lists(frame[name].dtype) and name not in frame.index.names
    )


def _holds_lists(dtype: Any) -> bool:
    if isinstance(dtype, pd.ArrowDtype):
        return bool(pa.types.is_nested(dtype.pyarrow_dtype))
    return bool(dtype == "object")


def sort_key(frame: pd.DataFrame, column: str) -> str:
    """Return the expression of the sort key of a column; empty if its values need none.

    Ids are text but mostly numbers; zero-padding sorts them as such. Other text is sorted without
    regard to case.
    """
    if not column or frame[column].dtype != "str":
        return ""
    return _AS_NUMBER if column == "id" else _WITHOUT_CASE


def usual_columns(frame: pd.DataFrame, resource: Resource) -> tuple[str, ...]:
    """Return the default columns of a table."""
    return overview(frame, resource) or sortable(frame)[:6]


def rules(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the rules of `dirframe.flags` that apply to a frame."""
    return tuple(rule.value for rule in applicable(frame))


def heading(column: str, resource: Resource) -> str:
    """Return a readable and distinct heading for a column, with its unit."""
    field = resource.by_column.get(column)
    words = label(column)
    unit = field.unit if field is not None and field.kind is not Kind.TIMESTAMP else ""
    return f"{words} ({unit})" if unit and unit not in words else words

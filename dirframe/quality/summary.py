"""Overview of a frame: completeness, missing values and sources of bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe._display import Overview, quantity
from dirframe.client.paging.order import is_in_order
from dirframe.quality.rules import (
    DOUBTFUL,
    applicable,
    columns_of,
    matches,
    offset_of,
    reference_day,
)
from dirframe.schema import ACCOUNT, PROJECT, Kind, Resource
from dirframe.stats.counts import names_of, table_of
from dirframe.stats.kernel import read, require_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    Reasons = Iterator[tuple[str, pd.Series[bool]]]

#: Rules with reasons of their own.
_SEPARATE = {"duplicate_id", "stale_analysis"}


@dataclass(frozen=True, repr=False)
class Summary(Overview):
    """Result of `summary`, which describes its parts; displayed as text and in notebooks."""

    title: str
    fields: pd.DataFrame
    bias: pd.DataFrame
    source: str

    def _overview(self) -> tuple[str, dict[str, pd.DataFrame], list[str]]:
        tables = {"Columns": self.fields, "Reasons to beware": self.bias}
        return self.title, tables, [self.source]


def summary(frame: pd.DataFrame) -> Summary:
    """Return an overview of accounts, projects or other records: completeness, gaps, bias.

    Parameters
    ----------
    frame : pandas.DataFrame
        Records as the loaders give them.

    Returns
    -------
    Summary
        Printed, or as the last line of a notebook's cell, it is a table. Its parts:

        - ``title`` (str): how many records, whether they are all, and how they differ from what was
          loaded where they were filtered, cut, joined or doubled since
        - ``fields`` (pandas.DataFrame): one row per column: ``column`` (str), ``present`` (Int64,
          records), ``missing_share`` (Float64, 0 to 1; an empty list is missing), ``values`` (str)
        - ``bias`` (pandas.DataFrame): one row per reason to beware, with the rules of `flags`, whether
          it occurs or not: ``reason`` (str), ``records`` (Int64) and ``share`` (Float64, 0 to 1) of
          the frame or, of what was not loaded (a capped or broken load is no fair sample), of the
          directory. Stale is a fetch over a year before the load or, if not known, as in `flags`
        - ``source`` (str): the caption of charts

    Examples
    --------
    >>> overview = summary(pd.DataFrame({"email_sha1": ["x", "y"], "country_code": ["DE", None]}))
    >>> print(overview.bias)
           reason  records  share
    0  no country        1    0.5
    """
    frame = require_records(frame)
    known = provenance.resource_of(frame)
    record = provenance.get_provenance(frame)
    title = quantity(len(frame), *(known.words if known else ("record",)))
    differs = provenance.difference(frame)
    if differs is not None:
        title += f", {differs}"
    if record["completeness"] != "unknown":
        note = provenance.completeness_note(record, with_reason=True) or "complete"
        title += f"{'; the load was' if differs is not None else ','} {note}"
    if absent := provenance.absent(frame, record["not_sent"]):
        title += f". {quantity(len(absent.columns), 'column')} not sent by the directory"
    bias = _bias(frame, known or PROJECT, record)
    return Summary(title, _fields(frame), bias, provenance.caption(frame))


def _fields(frame: pd.DataFrame) -> pd.DataFrame:
    present = [_present(frame[name]) for name in frame]
    counts = pd.Series([int(rows.sum()) for rows in present], dtype="Int64")
    return table_of(
        column=("str", list(frame)),
        present=("Int64", counts),
        missing_share=("Float64", 1 - counts / len(frame) if len(frame) else [None] * len(counts)),
        values=("str", [_values(frame[n][rows]) for n, rows in zip(frame, present, strict=True)]),
    )


def _present(column: pd.Series[Any]) -> pd.Series[bool]:
    if column.dtype == "object":
        return column.map(lambda value: bool(len(value)) if hasattr(value, "__len__") else False)
    return column.notna()


def _values(column: pd.Series[Any]) -> str:
    if column.empty:
        return ""
    if pd.api.types.is_datetime64_any_dtype(column):
        return f"{column.min():%Y-%m-%d} to {column.max():%Y-%m-%d}"
    if pd.api.types.is_bool_dtype(column):
        return f"{int(column.sum()):,} true"
    if pd.api.types.is_numeric_dtype(column):
        low, middle, high = (f"{v:,.10g}" for v in (column.min(), column.median(), column.max()))
        return f"min {low}, median {middle}, max {high}"
    if column.dtype == "object":
        return f"{column.map(len).sum():,} entries"
    return f"{column.nunique():,} different"


def _bias(frame: pd.DataFrame, resource: Resource, record: dict[str, Any]) -> pd.DataFrame:
    reasons = {reason: int(rows.sum()) for reason, rows in _reasons(frame, resource)}
    rows = [(reason, number, number / max(len(frame), 1)) for reason, number in reasons.items()]
    available, loaded = record["items_available"], record["items_loaded"]
    if record["complete"] is False and available is not None and loaded is not None:
        lacking = max(available - loaded, 0)
        rows.insert(0, (_not_loaded(frame, resource, record), lacking, lacking / max(available, 1)))
    dtypes = {"reason": "str", "records": "Int64", "share": "Float64"}
    return pd.DataFrame(rows, columns=[*dtypes]).astype(dtypes)


def _not_loaded(frame: pd.DataFrame, resource: Resource, record: dict[str, Any]) -> str:
    query = record["query"]
    order = query.get("sort")
    if order is None:
        order = (query.get("query") and resource.query_sort) or resource.default_sort
        if not order or is_in_order(frame, order) is False:
            return "not loaded: the last, in an order of the directory's own"
    return f"not loaded: the last, sorted by {order}"


def _reasons(frame: pd.DataFrame, resource: Resource) -> Reasons:
    """Yield each reason to beware, and the records that it is about."""
    columns = ["id", "language", "fetched", "country_code", "country_alpha_2"]
    p = read(frame, optional=columns)
    if resource is PROJECT:
        yield from _of_projects(frame, p)
    elif resource is ACCOUNT and "country_code" in p:
        unknown = names_of(p["country_code"]).isna()
        yield "no country", unknown
        if "country_alpha_2" in p:
            yield "country not resolved", ~unknown & p["country_alpha_2"].isna()
    if "id" in p:
        yield "repeated id: counted more than once", p["id"].notna() & p["id"].duplicated()
    rules = [name for name in applicable(frame) if name not in _SEPARATE]
    values = columns_of(frame, rules)
    for name in sorted(rules, key=DOUBTFUL.__contains__):
        doubt = " (in doubt)" if name in DOUBTFUL else ""
        yield f"rule {name}{doubt}", pd.Series(matches(values, name))


def _of_projects(frame: pd.DataFrame, p: pd.DataFrame) -> Reasons:
    analysis_columns = [
        f.column for f in PROJECT.specified if f.path[0] == "analysis" and f.kind is not Kind.ITEMS
    ]
    if present := [name for name in analysis_columns if name in frame]:
        without_analysis = frame[present].isna().all(axis=1)
        if provenance.absent(frame, present):
            yield "analysis not sent: load with details=True", without_analysis
            return
        yield "no analysis", without_analysis
    if "language" in p:
        yield "no main language", names_of(p["language"]).isna()
    if "fetched" in p:
        fetched, now = p["fetched"], reference_day(frame, p["fetched"])
        day = "the load" if now is None else f"{now:%Y-%m-%d}"
        stale = fetched < (now - offset_of(None) if now else pd.NaT)
        yield f"stale: code fetched over a year before {day}", stale
        yield "no date of the code's fetch", fetched.isna()

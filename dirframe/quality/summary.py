"""Overview of a frame: completeness, missing values and sources of bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display import Overview, quantity
from dirframe.client.paging.order import is_in_order
from dirframe.quality.rules import (
    DOUBTFUL,
    RULE_TITLES,
    applicable,
    columns_of,
    matches,
    offset_of,
    reference_day,
)
from dirframe.schema import ACCOUNT, PROJECT, Kind, Resource
from dirframe.stats.counts import as_names
from dirframe.stats.intervals import CONFIDENCE, Shares, with_intervals
from dirframe.stats.records import (
    COUNTRY_CODE,
    COUNTRY_RAW,
    FETCHED,
    LANGUAGE,
    read,
    require_records,
)
from dirframe.stats.result import typed_table

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Rules with reasons of their own.
_SEPARATE = {"duplicate_id", "stale_analysis"}


class Reason(NamedTuple):
    """A reason to beware of records: in words, how many it is about, and the rule if it is one."""

    words: str
    records: int
    share: float | None  # None of no records
    rule: str = ""


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
          directory; of a random sample, with ``low`` and ``high``, the 95% interval of the share in
          the directory, as in `dirframe.stats`. Stale is a fetch over a year before the load or, if
          not known, as in `flags`
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
    drawn = provenance.drawn_sample(frame)
    title = quantity(len(frame), *(known.words if known else ("record",)))
    differs = provenance.difference(frame)
    if differs is not None:
        title += f", {differs}"
    if record["completeness"] != "unknown":
        note = provenance.completeness_note(record, with_reason=True) or "complete"
        if isinstance(drawn, provenance.Drawn):
            note = provenance.estimate(record, CONFIDENCE, with_reason=True)
        title += f"{'; the load was' if differs is not None else ','} {note}"
    if absent := provenance.absent(frame, record["not_sent"]):
        title += f". {quantity(len(absent.columns), 'column')} not sent by the directory"
    reasons = [
        (f"rule {reason.rule}{_doubt(reason.rule)}" if reason.rule else reason.words, *reason[1:3])
        for reason in reasons_to_beware(frame)
    ]
    dtypes = {"reason": "str", "records": "Int64", "share": "Float64"}
    bias = pd.DataFrame(reasons, columns=[*dtypes]).astype(dtypes)
    if isinstance(drawn, provenance.Drawn):
        bias = with_intervals(bias, Shares(len(frame), CONFIDENCE), "records", drawn)
    return Summary(title, _fields(frame), bias, provenance.caption(frame))


def _doubt(rule: str) -> str:
    return " (in doubt)" if rule in DOUBTFUL else ""


def _fields(frame: pd.DataFrame) -> pd.DataFrame:
    masks = {name: _are_present(frame[name]) for name in frame}
    counts = pd.Series([int(mask.sum()) for mask in masks.values()], dtype="Int64")
    missing_share: Any = [None] * len(counts)
    if len(frame):
        missing_share = 1 - counts / len(frame)
    return typed_table(
        {
            "column": ("str", list(frame)),
            "present": ("Int64", counts),
            "missing_share": ("Float64", missing_share),
            "values": ("str", [_describe(frame[name][mask]) for name, mask in masks.items()]),
        }
    )


def _are_present(column: pd.Series[Any]) -> pd.Series[bool]:
    """Return which cells have a value; an empty list has none."""
    if _is_of_texts(column) or column.dtype.kind != "O":  # without lists
        return column.notna()
    return column.map(_is_present).astype("bool")


def _is_of_texts(column: pd.Series[Any]) -> bool:
    return isinstance(column.dtype, pd.StringDtype)


def _is_present(value: Any) -> bool:
    """Return whether a cell has a value; an empty list has none."""
    if isinstance(value, list | tuple | dict | set | np.ndarray):
        return len(value) > 0
    return not pd.isna(value)


def _describe(column: pd.Series[Any]) -> str:
    """Return the range of numbers and dates, how many entries lists have, or how many texts differ."""
    if column.empty:
        return ""
    kind = "string" if _is_of_texts(column) else pd.api.types.infer_dtype(column)
    if kind in {"datetime64", "datetime", "date"}:
        days = pd.to_datetime(column, utc=True)
        return f"{days.min():%Y-%m-%d} to {days.max():%Y-%m-%d}"
    if kind == "boolean":
        return f"{int(column.sum()):,} true"
    if kind in {"integer", "floating", "mixed-integer-float", "decimal"}:
        numbers = column.astype("float64")
        low, middle, high = numbers.min(), numbers.median(), numbers.max()
        return f"min {low:,.10g}, median {middle:,.10g}, max {high:,.10g}"
    texts = column
    if kind != "string":
        if column.map(lambda value: isinstance(value, list | tuple | np.ndarray)).all():
            return quantity(int(column.map(len).sum()), "entry", "entries")
        texts = column.map(str)
    return f"{texts.nunique():,} different"


def reasons_to_beware(frame: pd.DataFrame) -> list[Reason]:
    """Return the reasons to beware of records, whether they occur or not; rules are the last."""
    record = provenance.get_provenance(frame)
    resource = provenance.resource_of(frame) or PROJECT
    reasons = []
    available, loaded = record["items_available"], record["items_loaded"]
    is_sample = bool(record["sample"])  # what was not drawn is not missing
    if (
        record["complete"] is False
        and not is_sample
        and available is not None
        and loaded is not None
    ):
        lacking = max(available - loaded, 0)
        words = _not_loaded(frame, resource, record)
        reasons.append(Reason(words, lacking, lacking / available if available else None))
    matched = [(words, mask, "") for words, mask in _reasons(frame, resource)]
    matched += [(RULE_TITLES[rule], mask, rule) for rule, mask in _rules(frame)]
    for words, mask, rule in matched:
        number = int(mask.sum())
        share = number / len(frame) if len(frame) else None
        reasons.append(Reason(words, number, share, rule))
    return reasons


def _not_loaded(frame: pd.DataFrame, resource: Resource, record: dict[str, Any]) -> str:
    query = record["query"]
    order = query.get("sort")
    if order is None:
        order = (query.get("query") and resource.query_sort) or resource.default_sort
        if not order or is_in_order(frame, order) is False:
            return "not loaded: the last, in an order of the directory's own"
    return f"not loaded: the last, sorted by {order}"


def _reasons(frame: pd.DataFrame, resource: Resource) -> Iterator[tuple[str, pd.Series[bool]]]:
    """Yield each reason to beware that is no rule, and the records that it is about."""
    optional = ["id", LANGUAGE, FETCHED, COUNTRY_RAW, COUNTRY_CODE]
    columns = read(frame, [], optional=optional)
    if resource is PROJECT:
        yield from _of_projects(frame, columns)
    elif resource is ACCOUNT and COUNTRY_RAW in columns:
        unknown = as_names(columns[COUNTRY_RAW]).isna()
        yield "no country", unknown
        if COUNTRY_CODE in columns:
            yield "country not resolved", ~unknown & columns[COUNTRY_CODE].isna()
    if "id" in columns:
        ids = columns["id"]
        yield "repeated id: counted more than once", ids.notna() & ids.duplicated()


def _rules(frame: pd.DataFrame) -> Iterator[tuple[str, pd.Series[bool]]]:
    """Yield each rule that has no reason of its own, and the records that it matches."""
    rules = [name for name in applicable(frame) if name not in _SEPARATE]
    values = columns_of(frame, rules)
    for name in sorted(rules, key=lambda rule: rule in DOUBTFUL):
        yield name, pd.Series(matches(values, name))


def _of_projects(
    frame: pd.DataFrame, columns: pd.DataFrame
) -> Iterator[tuple[str, pd.Series[bool]]]:
    of_analysis = [
        field.column
        for field in PROJECT.specified
        if field.path[0] == "analysis" and field.kind is not Kind.ITEMS
    ]
    present = [name for name in of_analysis if name in frame]
    sent = provenance.get_provenance(frame)["sent"]
    was_removed = any(name in sent and name not in frame for name in of_analysis)
    without_analysis = frame[present].isna().all(axis=1)
    if provenance.absent(frame, present):
        yield "analysis not sent: load with details=True", without_analysis
        return
    if present and not was_removed:
        yield "no analysis", without_analysis
    if LANGUAGE in columns:
        yield "no main language", as_names(columns[LANGUAGE]).isna()
    if FETCHED in columns:
        fetched = columns[FETCHED]
        now = reference_day(frame, fetched)
        day = "the load" if now is None else f"{now:%Y-%m-%d}"
        stale_before = pd.NaT if now is None else now - offset_of(None)
        yield f"stale: code fetched over a year before {day}", fetched < stale_before
        yield "no date of the code's fetch", fetched.isna()

"""Common options of all statistics: exclusion of records and stratification.

`selectable` adds the options to the parameters, the signature and the docstring of a statistic.
"""

from __future__ import annotations

import inspect
from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypedDict, TypeVar

import pandas as pd

from dirframe import provenance
from dirframe._arrow import as_pandas
from dirframe.errors import ColumnsNotSentError, InvalidInputError, StrataOmittedWarning, warn
from dirframe.schema.extensions import ALL_RESOURCES
from dirframe.stats._core.result import attach_counts
from dirframe.stats._options.strata import Stratum, names_of, strata_of
from dirframe.stats._rules.exclusion import exclude_records, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from dask.dataframe import DataFrame as DaskFrame
    from duckdb import DuckDBPyRelation

#: Records as statistics take them.
Frame: TypeAlias = "pd.DataFrame | DaskFrame | DuckDBPyRelation"
#: Table of a statistic, with the counts of its records: all of them first, by their collection.
Counted: TypeAlias = tuple[pd.DataFrame, dict[str, int]]


class Selection(TypedDict, total=False):
    """Common options of all statistics and charts; `DEFAULTS` holds their defaults.

    Parameters
    ----------
    exclude : collection of str, default ()
        Names of rules: records that `dirframe.flags` flags by them are excluded. Outliers
        are determined on the whole frame, before stratification. ``counted`` holds the number of
        excluded records, ``excluded``, and by rule ``excluded_negative_lines`` and so on, where a
        record can match several; its other counts are of the remaining records.
    max_age : str, int or datetime.timedelta, optional
        Leave out projects whose code was fetched longer ago than this, as the rule
        ``stale_analysis``: a number of days, a timedelta, or text such as ``"2y"``. Those
        without a date are kept. By default, any age.
    by : str or sequence of str, optional
        Compute the statistic for each stratum: a column of text or whole numbers, or
        ``"language"`` (the main language), ``"country"`` (``country_name``), ``"year"`` (UTC, of
        the first month with activity or, where that was not sent or loaded, of creation) or
        ``"team_size"`` (contributors: 0, 1, 2–4, 5–9, 10–19, 20–49, 50–99, 100 or more). The
        result has a column (str) for each name before its own, missing where the value is
        missing, blank or, of a size, negative (``by_language`` where the statistic has a column of
        this name itself, and so on), and the rows that the statistic gives for the
        records of the stratum alone: a day that it takes from the data, such as ``as_of``, is the
        stratum's own if it is not given. Numbers, years and sizes ascend; of texts the one with
        the most records is first, then by text; missing ones are last. Each stratum is a pass
        over the records. A stratum for whose records alone a needed column was not sent has no
        rows; a `dirframe.errors.StrataOmittedWarning` and the record name it. ``counted`` holds
        the records of all strata, ``strata``, ``strata_in_other``, ``stratum_missing`` (records in
        strata of missing values that are not in ``other``) and ``stratum_not_sent`` (records in
        strata without rows for that reason).
    min_records : int, default 1
        Strata with fewer records are pooled into one, the last: ``other (n strata)``, with
        thousands separated by commas.
    """

    exclude: Collection[str]
    max_age: str | int | timedelta | None
    by: str | Sequence[str] | None
    min_records: int


DEFAULTS: Selection = {"exclude": (), "max_age": None, "by": None, "min_records": 1}

#: Types of options that are kept as they are, since they are values of JSON.
_PLAIN = (str, int, float, list, tuple, type(None))

F = TypeVar("F", bound="Callable[..., Any]")
P = ParamSpec("P")
R = TypeVar("R")


def extend_signature(
    function: Callable[..., Any],
    returns: str,
    *,
    annotations: Mapping[str, Any] = Selection.__annotations__,
    defaults: Mapping[str, Any] = DEFAULTS,
) -> inspect.Signature:
    """Return the signature of a function with the common options and another result."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=annotations[name].__forward_arg__,
        )
        for name, default in defaults.items()
    ]
    return signature.replace(parameters=[*own, *options], return_annotation=returns)


def parameters_of(options: type) -> str:
    """Return the parameters that the docstring of a class describes; empty under ``python -OO``."""
    return inspect.cleandoc(options.__doc__ or "").partition("\n----------\n")[2]


def document(wrapper: F, signature: inspect.Signature, parameters: str) -> F:
    """Give a wrapper its signature, and add the common options to its docstring."""
    wrapper.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect
    if wrapper.__doc__ is not None:
        before, returns, after = inspect.cleandoc(wrapper.__doc__).partition("\n\nReturns\n")
        wrapper.__doc__ = f"{before}\n{parameters}{returns}{after}\n"
    return wrapper


def split_arguments(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[Any, dict[str, Any], Selection]:
    """Split the arguments of a call into frame, own options and common options."""
    try:
        bound = signature.bind(*args, **options)
    except TypeError as error:
        raise TypeError(f"{name}(): {error}") from None
    first = next(iter(signature.parameters))
    arguments = bound.arguments
    selection: Selection = DEFAULTS | {n: v for n, v in arguments.items() if n in DEFAULTS}  # type: ignore[assignment]  # filtered by the keys of the TypedDict
    own = {n: v for n, v in arguments.items() if n not in DEFAULTS and n != first}
    return as_pandas(arguments[first]), own, selection


def as_json(selection: Selection) -> Selection:
    """Return the options that differ from their defaults, as values of JSON."""
    by, age = selection.get("by"), selection.get("max_age")
    if isinstance(age, timedelta):
        age = str(age) if age % timedelta(days=1) else age.days
    plain: Selection = {
        "exclude": [rule.value for rule in rules_of(selection.get("exclude", ()))],
        "max_age": age,
        "by": names_of(by),
        "min_records": selection.get("min_records", 1),
    }
    defaults = DEFAULTS | {"exclude": [], "by": []}
    return {n: v for n, v in plain.items() if v != defaults[n]}  # type: ignore[return-value,literal-required]  # a TypedDict, by its names


def selectable(statistic: Callable[P, Counted]) -> Callable[P, pd.DataFrame]:
    """Decorate a statistic to accept `Selection` and to use only the selected records.

    The result is the table, with the provenance of the records and the counts.
    """
    signature = extend_signature(statistic, "pd.DataFrame")
    name = getattr(statistic, "__name__", "statistic")
    counted: Callable[..., Counted] = statistic

    @wraps(statistic)
    def wrapper(*args: P.args, **options: P.kwargs) -> pd.DataFrame:
        frame, own, selection = split_arguments(name, signature, args, options)
        if result_of(frame):
            raise InvalidInputError(
                f"The frame is the result of stats.{result_of(frame)}; {name} takes the records."
            )

        def compute(part: Any) -> pd.DataFrame:
            return attach_counts(part, *counted(part, **own), step=name)

        selected, counts = exclude_records(frame, selection["exclude"], selection["max_age"])
        if selection["by"] is None:
            result = compute(selected)
        else:
            result = _stratified(selected, selection, compute)
        record_exclusions(result, counts, before=1 if selection["by"] is None else 2)
        plain = {n: v if isinstance(v, _PLAIN) else str(v) for n, v in own.items()}
        given = plain | as_json(selection)
        facts = {"name": name, "options": given, "rows": len(result)}
        return provenance.set_provenance(result, statistic=facts)

    return document(wrapper, signature, parameters_of(Selection))


def result_of(frame: Any) -> str:
    """Return the name of the statistic that a frame is the result of; empty for records."""
    record = provenance.get_provenance(frame) if isinstance(frame, pd.DataFrame) else {}
    return str(record.get("statistic", {}).get("name", ""))


def record_exclusions(
    result: pd.DataFrame, numbers: Mapping[str, int], *, before: int
) -> pd.DataFrame:
    """Record the exclusions in the provenance of a result, `before` steps from the end."""
    if not numbers:
        return result
    record = provenance.get_provenance(result)
    parts = [f"{name.partition('_')[2]} {n:,}" for name, n in numbers.items() if "_" in name]
    step = f"exclude: {', '.join(parts)}"
    return provenance.set_provenance(
        result,
        counted=record["counted"] | dict(numbers),
        steps=[*record["steps"][:-before], step, *record["steps"][-before:]],
    )


def _stratified(
    frame: Any, selection: Selection, compute: Callable[[Any], pd.DataFrame]
) -> pd.DataFrame:
    names = names_of(selection["by"])
    strata = strata_of(frame, names, min_records=selection["min_records"])
    # An empty frame has no strata, but the same columns.
    outcomes = compute_strata(strata, lambda stratum: compute(stratum.frame))
    pairs = [
        (table, stratum)
        for table, stratum in zip(outcomes, strata, strict=True)
        if isinstance(table, pd.DataFrame)
    ]
    tables = [table for table, _ in pairs] or [compute(frame)]
    own = set(tables[0].columns)
    columns = [f"by_{name}" if name in own else name for name in names]
    if clash := {name for name in columns if name in own or columns.count(name) > 1}:
        raise InvalidInputError(
            f"Stratified by {selection['by']!r}: the result has a column {', '.join(sorted(clash))} already. Stratify by "
            "something else."
        )
    labelled = [_label(table, columns, stratum) for table, stratum in pairs] or [
        _label(tables[0].iloc[:0], columns, None)
    ]
    result = pd.concat(labelled, ignore_index=True).astype(tables[0].dtypes.to_dict())
    return record_strata(frame, result, outcomes or tables, strata, names)


def compute_strata(
    strata: Sequence[Stratum], compute: Callable[[Stratum], R]
) -> list[R | ColumnsNotSentError]:
    """Compute each stratum, or return why not; raise if there is none that can be computed."""
    outcomes: list[R | ColumnsNotSentError] = []
    for stratum in strata:
        try:
            outcomes.append(compute(stratum))
        except ColumnsNotSentError as error:
            outcomes.append(error)
    errors = [outcome for outcome in outcomes if isinstance(outcome, ColumnsNotSentError)]
    if errors and len(errors) == len(outcomes):
        raise errors[0]
    return outcomes


def record_strata(
    frame: Any,
    result: pd.DataFrame,
    outcomes: Sequence[pd.DataFrame | ColumnsNotSentError],
    strata: Sequence[Stratum],
    names: Sequence[str],
) -> pd.DataFrame:
    """Record the number of records of all strata, and those not computed, in a result."""
    tables = [outcome for outcome in outcomes if isinstance(outcome, pd.DataFrame)]
    omitted = [
        (stratum, error)
        for stratum, error in zip(strata, outcomes, strict=False)
        if isinstance(error, ColumnsNotSentError)
    ]
    record = provenance.get_provenance(tables[0])
    records = sum(stratum.records for stratum in strata)
    unknown = sum(s.records for s in strata if not s.pooled and None in s.labels)
    resource = ALL_RESOURCES.get(record["resource"])
    counted = {
        resource.collection if resource else "records": records,
        "strata": sum(max(stratum.pooled, 1) for stratum in strata),
        "strata_in_other": sum(stratum.pooled for stratum in strata),
        "stratum_missing": unknown,
        "stratum_not_sent": sum(stratum.records for stratum, _ in omitted),
    }
    step = f"by: {', '.join(names)}"
    if omitted:
        titles = [stratum.title for stratum, _ in omitted]
        columns = sorted({column for _, error in omitted for column in error.columns})
        note = f"{', '.join(titles)} (not sent: {', '.join(columns)})"
        step += f", not computed: {note}"
        warn(
            StrataOmittedWarning(
                f"Not computed: {note}. The other strata are.",
                strata=titles,
                columns=columns,
                hint=omitted[0][1].hint,
            )
        )
    provenance.copy_provenance(tables[0], result, step)
    return provenance.set_provenance(
        result, counted=counted, records=_records_of(frame), base=_base_of(tables)
    )


def _records_of(frame: Any) -> dict[str, int]:
    """Return the record counts of the whole frame, if the engine keeps the provenance."""
    if not isinstance(frame, pd.DataFrame):
        return {}
    table = provenance.copy_provenance(frame, pd.DataFrame(), records=False)
    records: dict[str, int] = provenance.get_provenance(table)["records"]
    return records


def _base_of(tables: Sequence[pd.DataFrame]) -> dict[str, Any]:
    """Sum the bases of the strata; empty if one has none."""
    bases = [provenance.get_provenance(table)["base"] for table in tables]
    if not all(bases):
        return {}
    return {"records": sum(base["records"] for base in bases), "which": bases[0]["which"]}


def _label(table: pd.DataFrame, names: list[str], stratum: Stratum | None) -> pd.DataFrame:
    values = stratum.labels if stratum else (None,) * len(names)
    labels = {
        name: pd.Series([value] * len(table), dtype="str", index=table.index)
        for name, value in zip(names, values, strict=True)
    }
    return pd.concat([pd.DataFrame(labels, index=table.index), table], axis=1)

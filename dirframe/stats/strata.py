"""Divide a frame into strata, and compute a statistic for each."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from dirframe import provenance
from dirframe.charts import STATISTICS
from dirframe.errors import ColumnsNotSentError, InvalidInputError, MissingColumnsError
from dirframe.stats.contributors import SIZES, size_names
from dirframe.stats.counts import names_of, other_label
from dirframe.stats.kernel import read, require_records, whole_number

#: Strata that are derived from other columns.
_DERIVED = ("language", "country", "year", "team_size")


class Stratum(NamedTuple):
    """Records that share a value: its text, None where it is missing; and how many were pooled."""

    label: str | None
    frame: pd.DataFrame
    pooled: int = 0


def by(
    statistic: Callable[..., pd.DataFrame],
    frame: pd.DataFrame,
    column: str,
    *,
    min_records: int = 1,
    **options: Any,
) -> pd.DataFrame:
    """Compute a statistic for each value of a column.

    Parameters
    ----------
    statistic, frame
        A function of `dirframe.stats`, and its records in pandas.
    column : str
        A column of text or whole numbers, or else ``"language"``, ``"country"``, ``"year"`` (of the
        first activity or creation) or ``"team_size"`` (contributors: 0, 1, 2–4, ..., 100 or more).
    min_records : int, default 1
        Strata with fewer records are pooled into the last: ``other (n strata)``.
    **options
        Options of the statistic, which takes ``as_of`` and the like from each stratum by itself.

    Returns
    -------
    pandas.DataFrame
        The rows of each stratum, after a column (str) named as `column`, or ``by_language`` and so
        on where the statistic has it. Numbers, years and sizes ascend; of texts the most records
        are first; missing values last. Counted: the records, ``strata``, ``strata_in_other`` and
        ``stratum_missing`` (records without a value).

    Examples
    --------
    >>> from dirframe.stats import posts_distribution
    >>> accounts = pd.DataFrame({"posts_count": [1, 1, 4], "country_name": ["Chad", "Chad", "Cuba"]})
    >>> by(posts_distribution, accounts, "country")["accounts"].tolist()
    [2, 1]
    """
    require_own(statistic, "stats", STATISTICS)
    frame = require_records(frame)
    strata = divided(frame, column, min_records=min_records)
    tables = [(s.label, statistic(s.frame, **options)) for s in strata or [Stratum(None, frame)]]
    first = tables[0][1]
    name = f"by_{column}" if column in first else column
    result = pd.concat(
        [table.assign(**{name: label}) for label, table in tables], ignore_index=True
    )
    result = result[[name, *first.columns]].astype({**first.dtypes.to_dict(), name: "str"})
    numbers = {
        "strata": sum(max(stratum.pooled, 1) for stratum in strata),
        "strata_in_other": sum(stratum.pooled for stratum in strata),
        "stratum_missing": sum(len(s.frame) for s in strata if s.label is None),
    }
    describe(frame, [table for _, table in tables], result, f"by: {column}", numbers)
    facts = provenance.get_provenance(result)["statistic"]
    return provenance.set_provenance(result, statistic=facts | {"by": column})


def require_own(function: object, package: str, names: Container[str]) -> None:
    """Raise unless a function is a statistic of `dirframe.stats`, or a chart of `dirframe.plot`."""
    module, name = (getattr(function, part, "") for part in ("__module__", "__name__"))
    if not module.startswith(f"dirframe.{package}.") or name not in names:
        raise InvalidInputError(
            f"Expected a function of dirframe.{package}, such as {package}.tags; got {function!r}.",
            hint="stats.by divides what a statistic counts, and plot.panels what a chart shows.",
        )


def describe(
    frame: pd.DataFrame,
    tables: Iterable[pd.DataFrame],
    result: pd.DataFrame,
    step: str,
    numbers: Mapping[str, int],
) -> pd.DataFrame:
    """Give a result the provenance of the frame and of its statistic by stratum."""
    first, *_ = records = [provenance.get_provenance(table) for table in tables]
    provenance.copy_provenance(frame, result, records=False)
    return provenance.set_provenance(
        result,
        steps=[*first["steps"], step],
        resource=first["resource"],
        statistic=first["statistic"],
        counted={next(iter(first["counted"])): len(frame), **numbers},
        base=first["base"] | {"records": sum(record["base"]["records"] for record in records)},
    )


def divided(
    frame: pd.DataFrame, column: str, *, min_records: int = 1, most: int | None = None
) -> list[Stratum]:
    """Divide a frame into strata, in order; small ones, and those beyond `most`, share the last."""
    least = whole_number("min_records", min_records, least=1, ending="for all strata")
    labels = _labels(require_records(frame), column).reset_index(drop=True)
    sizes = labels.value_counts(sort=False, dropna=False)
    sizes = sizes[sizes > 0]
    large = sizes[sizes >= least]
    if most is not None and len(large) + (len(large) < len(sizes)) > most:
        large = large[large.index.isin(large.sort_values(kind="stable").index[1 - most :])]
    codes = pd.Index([*large.index]).get_indexer(labels)
    strata = [
        Stratum(None if pd.isna(name) else str(name), frame[codes == place])
        for place, name in enumerate(large.index)
    ]
    if pooled := len(sizes) - len(large):
        label = other_label(pooled, "stratum" if pooled == 1 else "strata")
        strata.append(Stratum(label, frame[codes < 0], pooled))
    return strata


def _labels(frame: pd.DataFrame, column: str) -> pd.Series[Any]:
    """Return the text by which each record is divided, as categories in the order of the strata."""
    if not isinstance(column, str):
        raise InvalidInputError(f"Expected the name of a column; got {column!r}.")
    if error := provenance.absent(frame, [column]):
        raise error
    if column in frame:
        return _of_column(frame[column])
    if column in {"language", "country"}:
        return _most_first(read(frame, column)[column])
    if column == "team_size":
        people = read(frame, "people")["people"].astype("Float64")
        bins = pd.cut(people, [*SIZES, float("inf")], right=False)
        return bins.cat.rename_categories(size_names(SIZES)).cat.remove_unused_categories()
    if column == "year":
        try:
            began = read(frame, "first")["first"]
        except (ColumnsNotSentError, MissingColumnsError):
            began = read(frame, "created")["created"]
        return _ascending(began.dt.year)
    raise MissingColumnsError(
        f"The stratum {column!r} is neither a column of the frame nor one of {', '.join(_DERIVED)}.",
        columns=[column],
    )


def _of_column(values: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.is_integer_dtype(values):
        return _ascending(values)
    if pd.api.types.infer_dtype(values, skipna=True) in {"string", "categorical", "empty"}:
        return _most_first(values.astype("str"))
    raise InvalidInputError(
        f"The column {values.name!r} holds neither text nor whole numbers to divide by.",
        hint="Convert it first, such as with frame.astype('str').",
    )


def _most_first(texts: pd.Series[Any]) -> pd.Series[Any]:
    names = names_of(texts)
    order = names.value_counts(sort=False).sort_index().sort_values(ascending=False, kind="stable")
    return names.cat.reorder_categories(list(order.index))


def _ascending(numbers: pd.Series[Any]) -> pd.Series[Any]:
    whole = numbers.astype("Int64")
    order = pd.Index(sorted(whole.dropna().unique()), dtype="str")
    return whole.astype("str").astype(pd.CategoricalDtype(order))

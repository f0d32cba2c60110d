"""Values of columns by group, collected as frequencies, and what the tests of them share.

The frequencies are sorted, so that results depend neither on the order of the records nor on the
engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from numbers import Real
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError, MissingExtraError
from dirframe.schema import PROJECT
from dirframe.stats._core.backends import is_relation, relation_table, resource_of
from dirframe.stats._core.columns import number, timestamp_column
from dirframe.stats._core.groupby import check_top, group_sizes
from dirframe.stats._core.loaders import EITHER
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.strata import key_of, largest_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from dirframe.stats._core.columns import Column

#: The only columns whose negative values are possible; the others are counts.
_SIGNED = {"latitude", "longitude"}
#: Methods to correct p-values of several tests, named as `statsmodels` names them.
CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "fdr_by")
#: Name of the group of all records.
ALL = "all"


@dataclass(frozen=True)
class Samples:
    """Records by group and value: columns ``group``, one for each value, and ``records``."""

    table: pd.DataFrame
    groups: list[str]
    counted: dict[str, int]

    def of(self, group: str) -> pd.DataFrame:
        """Return the rows of a group."""
        return self.table[self.table["group"] == group]

    def values(self, group: str, column: str) -> NDArray[np.float64]:
        """Return the value of each record of a group, ascending."""
        rows = self.of(group)
        repeated: NDArray[np.float64] = np.repeat(
            rows[column].to_numpy(np.float64), rows["records"].to_numpy(np.int64)
        )
        return np.sort(repeated)


def samples_of(
    frame: Any,
    columns: Sequence[str],
    *,
    groups: str | None = None,
    top: int | None = None,
    dates: bool = False,
) -> Samples:
    """Collect the records that have a value in each column, by group.

    Missing, infinite and, of counts, negative values are left out, then records without a group,
    then groups beyond the `top` with the most records; each record is counted once.
    """
    check_top(top, "groups")
    require_columns(frame, *columns, loader=EITHER)
    read: dict[str, Column] = {f"value_{n}": _column(frame, n, dates) for n in columns}
    key = None if groups is None else key_of(frame, groups)
    sizes = group_sizes(
        frame,
        {**(key.columns if key else {}), **read},
        by=[*(["group"] if key else []), *read],
        prepare=(lambda table: table.with_columns(group=key.stated)) if key else None,
    )
    table = pd.DataFrame(
        {
            "group": sizes["group"].astype("str") if key else ALL,
            **{n: _floats(sizes[f"value_{n}"]) for n in columns},
            "records": sizes["records"].to_numpy(np.int64),
        }
    )
    values = table[[*columns]]
    counts = [n for n in columns if read[f"value_{n}"].dtype == "Float64" and n not in _SIGNED]
    state = pd.Series("with_value", index=table.index)
    conditions: tuple[tuple[str, Any], ...] = (  # the first of these that applies is set last
        ("group_missing", table["group"].isna()),
        ("value_negative", (values[counts] < 0).any(axis=1)),
        ("value_missing", ~np.isfinite(values).all(axis=1)),
    )
    for reason, applies in conditions:
        state[applies] = reason
    sizes_by_group = table[state == "with_value"].groupby("group")["records"].sum()
    order = largest_groups(sizes_by_group, key, top)
    state[(state == "with_value") & ~table["group"].isin(order)] = "in_other_groups"
    by_state = table["records"].groupby(state).sum()
    resource = resource_of(frame) or PROJECT
    reasons = ["with_value", "value_missing", "value_negative"]
    reasons += ["group_missing", "in_other_groups"] if key else []
    counted = {
        resource.collection: int(table["records"].sum()),
        **{reason: int(by_state.get(reason, 0)) for reason in reasons},
    }
    rows = table[state == "with_value"].sort_values(["group", *columns], ignore_index=True)
    return Samples(rows, order, counted)


def _column(frame: Any, name: str, dates: bool) -> Column:
    if dates:
        if is_relation(frame):
            is_date = relation_table(frame, [name]).collect_schema()[name].is_temporal()
        else:
            is_date = pd.api.types.is_datetime64_any_dtype(frame[name].dtype)
        if is_date:
            return timestamp_column(name)
    return number(name)


def _floats(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Return numbers as floats; dates as microseconds."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        moments = column.dt.as_unit("us")
        return np.asarray(np.where(moments.isna(), np.nan, moments.astype("int64")), np.float64)
    return np.asarray(column.astype("Float64").to_numpy(np.float64, na_value=np.nan))


def check_confidence(confidence: object) -> float:
    """Validate the level of an interval; return the normal quantile of its upper end."""
    if isinstance(confidence, Real) and 0 < float(confidence) < 1:
        return NormalDist().inv_cdf((1 + float(confidence)) / 2)
    raise InvalidInputError(
        f"confidence is {confidence!r}; it must be a share between 0 and 1, such as 0.95."
    )


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise if an option is none of its choices."""
    if value not in choices:
        raise InvalidInputError(f"{name} is {value!r}; it must be one of {', '.join(choices)}.")


def library(name: str, purpose: str) -> Any:
    """Import a module of an optional package; raise an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingExtraError(package, purpose=purpose) from error


def corrected(p_values: Sequence[float], method: str) -> NDArray[np.float64]:
    """Correct p-values for the number of tests; missing ones stay missing and do not count."""
    result = np.asarray(p_values, dtype=np.float64).copy()
    known = ~np.isnan(result)
    n = int(known.sum())
    if not n:
        return result
    raw = result[known]
    # Not multipletests() of statsmodels, which collects the garbage of the whole process: a tenth of
    # a second in a notebook.
    if method == "bonferroni":
        result[known] = np.minimum(raw * n, 1)
    elif method == "holm":  # Holm, Scandinavian Journal of Statistics 6 (1979), 65-70
        order = raw.argsort()
        stepped = np.maximum.accumulate(raw[order] * np.arange(n, 0, -1))
        result[np.flatnonzero(known)[order]] = np.minimum(stepped, 1)
    else:
        scipy = library("scipy.stats", "A correction of p-values")
        result[known] = scipy.false_discovery_control(raw, method=method.removeprefix("fdr_"))
    return result

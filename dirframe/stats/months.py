"""Monthly activity of one project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import pandas as pd

from dirframe import provenance
from dirframe.errors import Hint, InvalidInputError
from dirframe.schema.extensions import ACTIVITY_FACT
from dirframe.stats._core.columns import integer_column, timestamp_column
from dirframe.stats._core.groupby import group_sizes
from dirframe.stats._core.loaders import ACTIVITY
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

if TYPE_CHECKING:
    from collections.abc import Sequence


_NEEDED = ("month", "commits", "contributors")
_NUMBERS = ("commits", "contributors", "code_added", "code_removed")


@selectable
def monthly_activity(
    frame: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Return the activity of a project in each month.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The months of one project as `dirframe.load_activity` gives them; with `by`, those of
        several and a column that tells their projects apart.

    Returns
    -------
    pandas.DataFrame
        One row per month from the first to the last of the frame (UTC), ascending, without gaps:

        - ``month`` (datetime64[us, UTC]): its first day
        - ``commits`` (Int64, commits)
        - ``contributors`` (Int64, people who committed)
        - ``code_added``, ``code_removed`` (Int64, lines of code): missing in all rows where
          the frame has no such column, or nothing in it
        - ``finished`` (boolean): whether the month was over when the frame was loaded. Where
          that is not known, missing for the last month and true for all before

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold months or whole numbers, or a month
        is there more than once, as in a frame of several projects.

    Notes
    -----
    A month between the first and the last that has no row counts as one without activity: 0.
    Months before and after are not included. A number that is missing or negative in a row is
    missing. Months after the project's last analysis can hold zeros that only mean that they
    were not analysed. ``attrs["dirframe"]["counted"]`` holds ``activity_facts`` (all rows), ``with_month``,
    ``month_missing`` (in no row here), ``months_filled`` (months without a row), and
    ``commits_invalid`` and ``contributors_invalid``, the rows with a month whose number is
    missing or negative. The rules of `exclude` know accounts and projects: one whose columns
    the frame lacks is refused.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.to_datetime(["2013-01-01", "2013-03-01"])
    >>> frame = pd.DataFrame({"month": months, "commits": [7, 2], "contributors": [3, 1]})
    >>> print(monthly_activity(frame)[["month", "commits", "contributors"]])
                          month  commits  contributors
    0 2013-01-01 00:00:00+00:00        7             3
    1 2013-02-01 00:00:00+00:00        0             0
    2 2013-03-01 00:00:00+00:00        2             1
    """
    return months_filled(frame, _NUMBERS, needed=_NEEDED)


def months_filled(frame: Frame, names: Sequence[str], *, needed: Sequence[str]) -> Counted:
    """Return numbers by month without gaps, as `monthly_activity` documents them, and the counts.

    Numbers that are not `needed` are missing throughout where the frame has none.
    """
    require_columns(frame, *needed, loader=ACTIVITY)
    columns = {
        "month": timestamp_column("month"),
        **{name: integer_column(name) for name in names},
    }
    sizes = group_sizes(frame, columns, by=[*columns])
    records = int(sizes["records"].sum())
    dated = sizes.dropna(subset=["month"])
    first_days = _first_day(dated["month"])
    repeated = first_days[first_days.duplicated() | (dated["records"] > 1)]
    if len(repeated):
        raise InvalidInputError(
            f"The month {repeated.iloc[0]:%Y-%m} is in the frame more than once.",
            hint=Hint(
                f"Pass the months of one project, as {ACTIVITY.python} gives them, or "
                "those of several with by= and the column that tells their projects apart.",
                shell=f"Name a file of one project, as {ACTIVITY.shell} writes it, or give "
                "--by and the column that tells projects apart.",
            ),
        )
    numbers = dated.loc[:, [*names]].astype("Int64").set_index(pd.DatetimeIndex(first_days))
    numbers = numbers.sort_index().where(lambda table: table.ge(0).fillna(value=False))
    days = numbers.index
    span = pd.date_range(days.min(), days.max(), freq="MS") if len(days) else days
    filled = numbers.reindex(span)
    filled[~span.isin(numbers.index)] = 0
    for name in names:
        if name not in needed and not dated[name].notna().any():  # absent, so unknown
            filled[name] = pd.NA
    result = filled.astype("Int64").reset_index(drop=True)
    result.insert(0, "month", pd.Series(span, dtype="datetime64[us, UTC]"))
    result["finished"] = _finished(frame, result["month"])
    counted = {
        ACTIVITY_FACT.collection: records,
        "with_month": int(dated["records"].sum()),
        "month_missing": records - int(dated["records"].sum()),
        "months_filled": len(span) - len(numbers),
        **{f"{name}_invalid": int(numbers[name].isna().sum()) for name in names if name in needed},
    }
    return result, counted


def _first_day(moments: pd.Series[Any]) -> pd.Series[Any]:
    days = pd.Series(moments, dtype="datetime64[us, UTC]").dt.floor("D")
    first: pd.Series[Any] = days - pd.to_timedelta(days.dt.day - 1, unit="D")
    return first


def _finished(frame: Any, months: pd.Series[Any]) -> pd.Series[Any]:
    """Return which months were over when the frame was loaded, if that date is known."""
    origin = provenance.get_provenance(frame) if isinstance(frame, pd.DataFrame) else {}
    loaded = origin.get("retrieved_newest")
    if loaded is None:
        flags: list[bool | None] = [True] * len(months)
        return pd.Series([*flags[:-1], *([None] if flags else [])], dtype="boolean")
    ends = months + pd.offsets.MonthBegin()
    return (ends <= pd.Timestamp(loaded)).astype("boolean")

"""Life span of projects.

A month is represented by its first day, as in the interface.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Unpack

import narwhals as nw
import numpy as np

from dirframe.stats._core.activity_months import (
    COLUMNS,
    latest_possible,
    month_number,
    months_back,
    require_fetched,
)
from dirframe.stats._core.columns import integer_column, text_column
from dirframe.stats._core.groupby import (
    CONTRIBUTORS,
    FIRST_MONTH,
    LANGUAGE,
    LAST_MONTH,
    aggregate,
    check_top,
    group_sizes,
    true,
)
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.stats._options.strata import Key

_MOMENT = "datetime64[us, UTC]"
UNKNOWN_END = 2
#: Life spans up to this many months are not filtered in advance.
_SHORT = 2


@selectable
def life_span(
    projects: Frame,
    *,
    top: int | None = None,
    window: int = 12,
    **_selection: Unpack[Selection],
) -> Counted:
    """Return the time from the first to the last month with activity of each project.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Give this many projects, those with the longest life. By default, all.
    window : int, default 12
        Months without activity, up to the month of the fetch, after which a life has ended: 1
        to 24.

    Returns
    -------
    pandas.DataFrame
        One row per project, the longest life first, then the earlier first month, then by name
        and id (as text, by code point, missing ones first):

        - ``id`` and ``name`` (str)
        - ``language`` (str): main language; missing where there is none
        - ``first_month`` and ``last_month`` (datetime64[us, UTC]): as in the frame, which has
          the first day of the month
        - ``months`` (Int64, months): from the first to the last, both counted
        - ``ended`` (boolean): whether the last `window` months that were seen of the project
          had no activity; missing where the date of the fetch is missing or impossible
        - ``contributors`` (Int64, people): who committed in the twelve months before the
          analysis; missing where unknown or negative

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers or dates, `top` is
        below 1, or `window` is not from 1 to 24.

    Notes
    -----
    The months of a life that has not ended (``ended`` is False) are a lower bound: it is
    censored at the fetch. Most lives have not, so that a mean or median of ``months`` is too
    small, and one of the ended alone too small as well, as long lives end later: `survival`
    estimates with censored times.

    With months numbered, ``ended`` is ``last <= fetched - window``, each project's own code
    having been fetched in the month ``fetched`` (the columns are those of `activity`). Nothing
    says that a project was active in every month between.

    Projects that lack one of the months (``month_missing``), with the last before the first
    (``months_reversed``), or with the last after the month of the fetch or, where no fetch is
    known, of the retrieval (``months_after_fetch``) are in no row, for the first of these
    reasons. ``attrs["dirframe"]["counted"]`` holds these, ``projects`` (all),
    ``with_life_span``, of those (with and without a row) ``ended``, ``not_ended`` and
    ``end_unknown``, ``window`` (months), and ``projects_not_shown`` (beyond `top`).

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "id": ["1", "2"],
    ...     "name": ["Ant", "Bee"],
    ...     "analysis_main_language_name": ["C", None],
    ...     "analysis_min_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2011-02-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"]),
    ...     "analysis_twelve_month_contributor_count": [3, 0],
    ... })
    >>> print(life_span(projects)[["name", "months", "ended"]])
      name  months  ended
    0  Bee      14   True
    1  Ant       1  False
    """
    require_fetched(projects, "id", "name", LANGUAGE, FIRST_MONTH, LAST_MONTH, CONTRIBUTORS)
    check_top(top, "projects")
    latest, months_in_window = latest_possible(projects), months_back(window)
    lengths_of = _lengths_of(months_in_window, latest)
    lengths = life_lengths(projects, window)
    valid_lives = lengths[lengths["state"] == "valid"]
    least = 1
    if top is not None and len(valid_lives):  # shortest life that can be among the top
        longer = int((valid_lives["records"].cumsum() < top).sum())
        least = int(valid_lives["months"].iloc[min(longer, len(valid_lives) - 1)])

    def long_enough(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        if least > _SHORT:
            # Most lives are far too short, so their months need not be numbered again.
            shortest = timedelta(days=28 * (least - 2))
            table = table.filter(nw.col("last") - nw.col("first") >= nw.lit(shortest))
        lives = lengths_of(table).filter(nw.col("months") >= least, ~nw.col("beyond"))
        return lives.drop("fetched", "beyond", *(f"{name}_number" for name in COLUMNS))

    spans = aggregate(
        projects,
        {
            "id": text_column("id"),
            "name": text_column("name"),
            "language": text_column(LANGUAGE),
            "contributors": integer_column(CONTRIBUTORS),
            **COLUMNS,
        },
        long_enough,
    ).rename(columns={"first": "first_month", "last": "last_month"})
    spans["contributors"] = spans["contributors"].where(spans["contributors"] >= 0)
    spans["ended"] = (spans["end"] == 1).astype("boolean").mask(spans["end"] == UNKNOWN_END)
    result = spans.sort_values(
        ["months", "first_month", "name", "id"],
        ascending=[False, True, True, True],
        na_position="first",
    ).head(len(spans) if top is None else top)
    dtypes = {
        **dict.fromkeys(["id", "name", "language"], "str"),
        **dict.fromkeys(["first_month", "last_month"], _MOMENT),
        "months": "Int64",
        "ended": "boolean",
        "contributors": "Int64",
    }
    result = result[[*dtypes]].astype(dtypes).reset_index(drop=True)
    counted = {
        **counted_lives(lengths),
        "window": months_in_window,
        "projects_not_shown": int(valid_lives["records"].sum()) - len(result),
    }
    return result, counted


def life_lengths(projects: Frame, window: object, key: Key | None = None) -> pd.DataFrame:
    """Count projects by the length of their life in ``months``, descending, and by its ``end``.

    ``end`` is 0 for a life that has not ended, 1 for one that has and 2 where that is unknown;
    ``state`` is "valid" or why there is no length. `key` divides them by ``group`` too.
    """
    statement = _lengths_of(months_back(window), latest_possible(projects))

    def prepare(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        lengths = statement(table)
        return lengths.with_columns(group=key.stated) if key else lengths

    by = [*(["group"] if key else []), "months", "end", "beyond"]
    columns = COLUMNS | (dict(key.columns) if key else {})
    lengths = group_sizes(projects, columns, by=by, prepare=prepare)
    lengths["months"] = lengths["months"].astype("Int64")
    lengths["state"] = np.select(
        [
            lengths["months"].isna().to_numpy(dtype=bool),
            ~true(lengths["months"] > 0),
            true(lengths["beyond"]),
        ],
        ["month_missing", "months_reversed", "months_after_fetch"],
        default="valid",
    )
    return lengths.sort_values("months", ascending=False)


def counted_lives(lengths: pd.DataFrame) -> dict[str, int]:
    """Return the numbers of projects with and without a life span, by reason, and by its end."""
    by_state = lengths["records"].groupby(lengths["state"]).sum()
    valid_lives = lengths[lengths["state"] == "valid"]
    by_end = valid_lives["records"].groupby(valid_lives["end"]).sum()
    return {
        "projects": int(lengths["records"].sum()),
        "with_life_span": int(by_end.sum()),
        "ended": int(by_end.get(1, 0)),
        "not_ended": int(by_end.get(0, 0)),
        "end_unknown": int(by_end.get(UNKNOWN_END, 0)),
        **{
            reason: int(by_state.get(reason, 0))
            for reason in ("month_missing", "months_reversed", "months_after_fetch")
        },
    }


def _lengths_of(
    months_in_window: int, latest: int
) -> Callable[[nw.LazyFrame[Any]], nw.LazyFrame[Any]]:
    def lengths_of(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        # Each month is numbered once, in separate columns.
        numbers = [month_number(name).alias(f"{name}_number") for name in COLUMNS]
        first, last, fetched = (nw.col(f"{name}_number") for name in COLUMNS)
        # A number, since pandas booleans cannot be missing.
        end = nw.when(last <= fetched - months_in_window).then(nw.lit(1)).otherwise(nw.lit(0))
        return table.with_columns(*numbers).with_columns(
            months=last - first + 1,
            end=nw.when(fetched <= latest).then(end).otherwise(nw.lit(UNKNOWN_END)),
            # After the fetch or, without one, after the retrieval.
            beyond=last > nw.coalesce(fetched, nw.lit(latest)),
        )

    return lengths_of

"""Numbers of active, dormant and unknown projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from dirframe.stats._core.activity_months import (
    BEGUN_LATER,
    COLUMNS,
    UNKNOWN,
    classify,
    latest_possible,
    month_number,
    month_of,
    months_back,
    numbered,
    require_fetched,
    timestamp,
    usual_month,
)
from dirframe.stats._core.columns import integer_column
from dirframe.stats._core.groupby import (
    CONTRIBUTORS,
    FIRST_MONTH,
    LAST_MONTH,
    as_int64,
    group_sizes,
    shares,
    true,
    valid,
)
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

if TYPE_CHECKING:
    from datetime import date

    import narwhals as nw
    from numpy.typing import NDArray


_MOMENT = "datetime64[us, UTC]"


@selectable
def activity(
    projects: Frame,
    *,
    as_of: date | str | None = None,
    window: int = 12,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the projects that were active, dormant or unknown in a month.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    as_of : datetime.date or str, optional
        A day such as ``"2013-07-31"``, or a month such as ``"2013-07"``: the reference
        month. By default, the month in which the code of the median project was fetched, of those
        with such a date that is not after the retrieval (of two medians, the later). At least
        half of them were fetched then or later, and a few wrong dates do not change it.
    window : int, default 12
        Length of the window in months, including the month of `as_of`: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        A row for ``"active"``, ``"dormant"`` and ``"unknown"``, in this order, also where no
        project is:

        - ``activity`` (str)
        - ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the active and dormant ones; 0.0 where there is
          neither, missing for the unknown
        - ``share_of_all`` (Float64, 0 to 1): of all three; 0.0 where there is none
        - ``as_of`` (datetime64[us, UTC]): first day of the reference month; missing
          where it was left out and no project has a date of the fetch

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold dates or whole numbers, `as_of` is
        neither a day nor a month (a year alone is none), or `window` is not from 1 to 24.

    Notes
    -----
    What a project did is known up to the day its code was fetched: ``analysis_logged_at``, or
    ``analysis_oldest_code_set_time`` where that is missing. A date counts as its month in UTC.
    With months numbered, ``last`` the last month with activity and ``first`` the first:

    - it is *active* if ``last > as_of - window``. One that went on after `as_of` (``first <=
      as_of < last``) is active: it was alive, although no column says in which of the months
      between somebody committed. A project that paused at `as_of` and was taken up again counts
      as active, so that earlier months have larger shares;
    - it is *dormant* if ``last <= as_of - window``;
    - it is *unknown*, and neither, for the first of these reasons: the first or last month is
      missing (``month_missing``); the last is before the first (``months_reversed``); the last
      is after the month of the fetch, or after that of the retrieval where no fetch is known,
      so that it cannot be (``months_after_fetch``); the date of the fetch is missing
      (``fetch_missing``) or after the retrieval (``fetch_impossible``); the code was last
      fetched before the month of `as_of`, so that nobody saw the end of the window
      (``not_fetched_since``), whatever was seen before: were those that are active already
      taken in, the share of the active would be too large.

    A project that begins after `as_of` was not there, and is in no row
    (``begun_after_as_of``; looked at after ``months_after_fetch`` and before the date of the
    fetch is). The retrieval is when the frame was loaded, which frames of pandas note, and else
    now; a load later than now is taken for now. It, too, is a month.

    ``attrs["dirframe"]["counted"]`` holds ``projects`` (all), ``with_activity`` (active or
    dormant), ``unknown`` and each of its reasons (they add up to it), ``begun_after_as_of``,
    ``not_fetched_since_but_active`` (of ``not_fetched_since``, those with ``last > as_of -
    window``), ``window`` (months) and ``in_disagreement``. The last is a check alone: projects
    with ``first <= last <= fetched``, and that not after the retrieval, whose own analysis
    counts no contributor in the twelve months before it although ``fetched - last < 12``, or
    one or more although ``fetched - last > 12``; a missing or negative count is no
    disagreement. Frames without the column of the contributors have none.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01", "2010-07-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01", "2011-11-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02", "2011-12-24"]),
    ... })
    >>> print(activity(projects)[["activity", "projects", "share"]])
      activity  projects  share
    0   active         1    0.5
    1  dormant         1    0.5
    2  unknown         1   <NA>
    >>> print(activity(projects, as_of="2011-11")[["activity", "projects", "share"]])
      activity  projects     share
    0   active         2  0.666667
    1  dormant         1  0.333333
    2  unknown         0      <NA>
    """
    require_fetched(projects, FIRST_MONTH, LAST_MONTH)
    requested, months_in_window = None if as_of is None else month_of(as_of), months_back(window)

    def months(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        numbers = [month_number(name) for name in COLUMNS]
        return table.select(*numbers, working=valid("people") > 0)

    sizes = group_sizes(
        projects,
        {**COLUMNS, "people": integer_column(CONTRIBUTORS)},
        by=[*COLUMNS, "working"],
        prepare=months,
    )
    count = sizes["records"].to_numpy(dtype=np.int64)
    numbers, latest = numbered(sizes), latest_possible(projects)
    month = usual_month(numbers["fetched"], count, latest) if requested is None else requested
    state = classify(numbers, month, months_in_window, latest)
    by_state = {name: int(count[state == name].sum()) for name in {*state.tolist()}}
    reasons: dict[str, int] = {reason: by_state.get(reason, 0) for reason in UNKNOWN}
    rows = [by_state.get("active", 0), by_state.get("dormant", 0), sum(reasons.values())]
    known = as_int64([*rows[:2], 0])
    result = pd.DataFrame(
        {
            "activity": pd.Series(["active", "dormant", "unknown"], dtype="str"),
            "projects": as_int64(rows),
            "share": shares(known).mask(pd.Series([False, False, True])),
            "share_of_all": shares(as_int64(rows)),
            "as_of": pd.Series([timestamp(month)] * 3, dtype=_MOMENT),
        }
    )
    late = (state == "not_fetched_since") & (month is not None)
    recent = numbers["last"] > (month or 0) - months_in_window
    counted = {
        "projects": int(count.sum()),
        "with_activity": rows[0] + rows[1],
        "unknown": rows[2],
        **reasons,
        BEGUN_LATER: by_state.get(BEGUN_LATER, 0),
        "not_fetched_since_but_active": int(count[late & recent].sum()),
        "window": months_in_window,
        "in_disagreement": int(count[_disagrees(numbers, sizes["working"], latest)].sum()),
    }
    return result, counted


def _disagrees(numbers: dict[str, Any], working: pd.Series[Any], latest: int) -> NDArray[np.bool_]:
    """Return a mask where the contributor count of the analysis contradicts its own months.

    The twelve months before the fetch begin within a month, so the twelfth agrees with both.
    """
    first, last, fetched = (numbers[name] for name in ("first", "last", "fetched"))
    is_consistent = (first <= last) & (last <= fetched) & (fetched <= latest)
    known = working.astype("boolean")
    nobody, somebody = true(~known), true(known)
    months_since_last = fetched - last
    disagrees: NDArray[np.bool_] = is_consistent & (
        (nobody & (months_since_last < 12)) | (somebody & (months_since_last > 12))
    )
    return disagrees

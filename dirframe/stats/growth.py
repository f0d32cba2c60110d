"""Growth of the directory, and main languages by year."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import narwhals as nw
import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.schema import PROJECT
from dirframe.stats._core.backends import resource_of
from dirframe.stats._core.columns import text_column, timestamp_column
from dirframe.stats._core.groupby import (
    ANALYSIS,
    CREATED,
    FIRST_MONTH,
    LACKING,
    LANGUAGE,
    as_int64,
    group_sizes,
    has_name,
    rank_names,
    whole_number,
    without_analysis,
)
from dirframe.stats._core.loaders import EITHER, PROJECTS
from dirframe.stats._core.periods import Periods, newest_date
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

if TYPE_CHECKING:
    from collections.abc import Sequence


@selectable
def growth(
    frame: Frame,
    *,
    freq: str = "MS",
    **_selection: Unpack[Selection],
) -> Counted:
    """Count accounts or projects by the date on which they were created.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts or projects as the loaders give them.
    freq : str, default "MS"
        Length of a period, as pandas names it: ``"D"`` (days), ``"W"`` (weeks from Monday to
        Sunday, as ISO 8601 and pandas have them; ``"W-TUE"`` ends them on another day),
        ``"MS"`` or ``"ME"`` (months), ``"QS"`` or ``"QE"`` (quarters), ``"YS"`` or ``"YE"``
        (years; ``"QS-FEB"`` begins and ``"YE-JUN"`` ends them in another month), or several of
        them: ``"2W"``.

    Returns
    -------
    pandas.DataFrame
        One row per period from the first to the last with a record, ascending, without gaps; none
        where no record has a date:

        - ``start`` (datetime64[us, UTC]): first day of the period, also where pandas itself
          would name it by its last (``"W"``, ``"ME"``, ``"QE"``, ``"YE"``)
        - ``new`` (Int64, records): created in the period
        - ``total`` (Int64, records): created up to its end
        - ``finished`` (boolean): whether the period ended before the newest date of the
          records, of ``created_at`` and, where the frame has it, ``updated_at``

    Raises
    ------
    InvalidInputError
        If the column ``created_at`` is missing or does not hold dates, or `freq`
        is another frequency.

    Notes
    -----
    ``new`` is ``frame.set_index("created_at").resample(freq).size()`` of pandas, in UTC, without
    the empty period that pandas sometimes adds after the last record. A record belongs to
    the period that its day (UTC) is in. Several units, as in ``"2W"``, are
    counted from the first record's, so that another first record moves them all.

    Only records that are still in the directory are counted. The last period may not have been
    over when the directory sent them, which can be long before they were loaded from a file:
    ``finished`` is false unless a date in the records shows that it was. Records without ``created_at`` are in no row. ``attrs["dirframe"]["counted"]`` holds
    ``accounts`` or ``projects``, ``with_created_at`` and ``created_at_missing``.

    Examples
    --------
    >>> import pandas as pd
    >>> created = pd.to_datetime(["2013-01-31 23:00", "2013-03-01 00:00", "2013-03-31 10:00"])
    >>> print(growth(pd.DataFrame({"created_at": created})))
                          start  new  total  finished
    0 2013-01-01 00:00:00+00:00    1      1      True
    1 2013-02-01 00:00:00+00:00    0      1      True
    2 2013-03-01 00:00:00+00:00    2      3     False
    """
    require_columns(frame, CREATED, loader=EITHER)
    periods = Periods.of(freq)

    def days(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return table.select(day=nw.col("created").dt.truncate("1d"))

    by_day = group_sizes(frame, {"created": timestamp_column(CREATED)}, by=["day"], prepare=days)
    dated = by_day.dropna(subset=["day"]).set_index("day")["records"].sort_index()
    dated.index = pd.DatetimeIndex(dated.index).tz_convert("UTC")
    new = periods.count(dated)
    count = as_int64(new)
    result = pd.DataFrame(
        {
            "start": pd.Series(new.index, dtype="datetime64[us, UTC]"),
            "new": count,
            "total": count.cumsum(),
            "finished": _finished([start + periods.step for start in new.index], frame, CREATED),
        }
    )
    collection = (resource_of(frame) or PROJECT).collection
    with_date, records = int(dated.sum()), int(by_day["records"].sum())
    counted = {
        collection: records,
        "with_created_at": with_date,
        "created_at_missing": records - with_date,
    }
    return result, counted


@selectable
def languages_by_year(
    projects: Frame,
    *,
    top: int | None = None,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    min_projects: int = 1,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the projects of each main language by the year in which they began.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many languages, those with the most projects over all years, and sum up the
        others as ``other (n languages)``, with thousands separated by commas. A single
        language left over keeps its own rows. By default, all languages.
    date : {"analysis_min_month", "created_at"}, default "analysis_min_month"
        Whether a project begins with its first month with activity, or when the directory
        got it.
    min_projects : int, default 1
        Take years with fewer projects together with those that follow, until there are so
        many, and those at the end with the last before.

    Returns
    -------
    pandas.DataFrame
        A row for each year from the first to the last and each language, also where it has no
        project: by year, then the language with the most projects over all years first, then
        by name (by code point), ``other`` last in each year:

        - ``year`` (Int64, year in UTC); of years taken together, the last
        - ``from_year`` (Int64, year in UTC): the first of the years taken together, else the same
        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects): begun in this year
        - ``share`` (Float64, 0 to 1): of the year's projects with a main language; missing in
          a year without any, as nothing says that it has none
        - ``finished`` (boolean): whether the year ended before the newest date of the records,
          of `date` and, where the frame has it, ``updated_at``

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold dates, `top` or `min_projects` is
        below 1, or `date` is another column.

    Notes
    -----
    The main language is that of the latest analysis, not that of the year. Projects without
    a main language (missing or blank) or a date are in no row.
    ``attrs["dirframe"]["counted"]`` holds ``projects`` (all), ``with_language_and_date``,
    ``without_language``, ``without_analysis`` (those of the last that have no ``analysis_id``;
    only where the frame has that column), ``date_missing`` (with a language), ``languages`` (in a row, those in
    ``other`` too) and ``languages_in_other``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "Java", "C"],
    ...     "analysis_min_month": pd.to_datetime(["2012-05-01", "2013-01-01", "2013-02-01"]),
    ... })
    >>> print(languages_by_year(projects).drop(columns="from_year"))
       year language  projects  share  finished
    0  2012        C         1    1.0      True
    1  2012     Java         0    0.0      True
    2  2013        C         1    0.5     False
    3  2013     Java         1    0.5     False
    """
    if date not in {FIRST_MONTH, CREATED}:
        raise InvalidInputError(f"date is {date!r}; it must be {FIRST_MONTH!r} or {CREATED!r}.")
    require_columns(projects, LANGUAGE, date, loader=PROJECTS)
    least = whole_number("min_projects", min_projects, least=1, instead="of projects")

    def years_of(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return table.select("language", LACKING, year=nw.col("date").dt.year())

    columns = {"language": text_column(LANGUAGE), "date": timestamp_column(date), **ANALYSIS}
    keys = ["language", "year", "lacking"]
    sizes = group_sizes(projects, columns, by=keys, prepare=years_of)
    has_language, has_date = has_name(sizes, "language"), sizes["year"].notna().to_numpy(dtype=bool)
    rows = sizes[has_language & has_date]
    totals = rows.groupby("language")["records"].sum().reset_index()
    names, pooled = rank_names(totals, "language", ["records"], top=top, noun="languages")
    order = list(dict.fromkeys(names))
    years = rows["year"].astype("int64")
    last_of = _taken_together(rows["records"].groupby(years).sum(), least)
    labels = names.reindex(rows["language"]).to_numpy()
    grid = rows["records"].groupby([years.map(last_of), labels]).sum()
    span = last_of.unique()
    index = pd.MultiIndex.from_product([span, order], names=["year", "language"])
    counts = grid.rename_axis(["year", "language"]).reindex(index, fill_value=0)
    per_year = counts.groupby(level="year").transform("sum")
    first_of = pd.Series(last_of.index, dtype="Int64").groupby(last_of.to_numpy()).min()
    # The last instant, for the year 9999 has no next one.
    ends = [pd.Timestamp(f"{int(year):04}-12-31T23:59:59.999999Z") for year in span]
    count = as_int64(counts)
    result = pd.DataFrame(
        {
            "year": as_int64(index.get_level_values("year")),
            "from_year": as_int64(first_of.repeat(len(order))),
            "language": pd.Series(index.get_level_values("language"), dtype="str"),
            "projects": count,
            "share": (count / as_int64(per_year.where(per_year > 0).astype("Int64"))).astype(
                "Float64"
            ),
            "finished": _finished(ends, projects, date).repeat(len(order)).array,
        }
    )
    records = sizes["records"]
    unanalysed = records[sizes["lacking"].to_numpy(dtype=bool) & ~has_language].sum()
    counted = {
        "projects": int(records.sum()),
        "with_language_and_date": int(records[has_language & has_date].sum()),
        "without_language": int(records[~has_language].sum()),
        **without_analysis(projects, unanalysed),
        "date_missing": int(records[has_language & ~has_date].sum()),
        "languages": len(names),
        "languages_in_other": pooled,
    }
    return result, counted


def _taken_together(projects: pd.Series[int], least: int) -> pd.Series[int]:
    """Return, for each year from the first to the last, the last year of its group."""
    if projects.empty:
        return projects
    years = range(int(projects.index.min()), int(projects.index.max()) + 1)
    numbers = projects.reindex(years, fill_value=0)
    ends, together = [], 0
    for year, number in numbers.items():
        together += int(number)
        if together >= least or least == 1:
            ends.append(year)
            together = 0
    ends = [*(ends[:-1] if together else ends), years[-1]] if ends[-1:] != [years[-1]] else ends
    groups = np.searchsorted(np.array(ends), np.array(years))
    return pd.Series(np.array(ends)[groups], index=pd.Index(years), dtype="int64")


def _finished(ends: Sequence[pd.Timestamp], frame: Frame, date: str) -> pd.Series[bool]:
    """Return which periods ended before the newest date of the records."""
    newest = newest_date(frame, date)
    return pd.Series([bool(end <= newest) for end in ends], dtype="boolean")

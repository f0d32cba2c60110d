"""Statistics of projects by language."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats.entries import coded, distinct_pairs, entries_of, field_of
from dirframe.stats.kernel import (
    ANALYSIS,
    CONTRIBUTORS,
    CREATED,
    FIRST_MONTH,
    LANGUAGE,
    LINES,
    UPDATED,
    USERS,
    Counted,
    Frame,
    exact,
    first_reason,
    named_rows,
    names_of,
    ranked,
    read,
    shares,
    statistic,
    table_of,
    true,
    whole_number,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Columns that describe a distribution: quartiles, median, and its 95% confidence interval.
_SPREAD = ("lower_quartile", "median", "upper_quartile", "median_low", "median_high")
#: Entry, without an id, for the languages that the directory does not list.
_REST = r"\d+ Others?"


@statistic("with_language", "with a main language")
def language_share(projects: Frame, *, top: int | None = None) -> Counted:
    """Count the projects of each main language.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    top : int, optional
        Number of languages with a row of their own.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most projects first:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the projects that have a main language
        - ``code_lines`` (Int64, lines): sum of ``analysis_total_code_lines``, in all languages of
          the projects; missing where none has a valid count, or the frame has no such column
        - ``users`` (Int64, members): sum of ``stack_count``, or ``user_count`` where that is
          missing; a member who uses two projects counts twice; missing as above

    Notes
    -----
    Counted: ``projects``, ``with_language``, ``without_language``, ``without_analysis``
    (of the last, if the frame tells), ``languages``, ``languages_in_other``, and of the projects
    with a language ``code_lines_missing``, ``code_lines_negative``, ``users_missing`` and
    ``users_negative``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "Java", "C", None]})
    >>> print(language_share(projects)[["language", "projects", "share"]])
      language  projects     share
    0        C         2  0.666667
    1     Java         1  0.333333
    """
    p = read(
        projects,
        language=LANGUAGE,
        code_lines=LINES,
        users=USERS,
        analysis=ANALYSIS,
        optional=("code_lines", "users", "analysis"),
    )
    language = names_of(p["language"])
    values = ["code_lines", "users"]
    numbers = p.reindex(columns=values).astype("Int64")
    groups = exact(numbers.where(numbers >= 0)).groupby(language, observed=True)
    table = groups.sum(min_count=1)
    table.insert(0, "projects", groups.size().astype("Int64"))
    table, pooled = ranked(table, ["projects"], top, "languages")
    table.insert(1, "share", shares(table["projects"]))
    counted = _without_language(p, language) | {
        "languages": len(language.cat.categories),
        "languages_in_other": pooled,
    }
    spoken = p[true(language.notna())]
    for name in [name for name in values if name in p]:
        counted[f"{name}_missing"] = spoken[name].isna().sum()
        counted[f"{name}_negative"] = (spoken[name] < 0).sum()
    return named_rows(table, "language"), counted


def _without_language(p: pd.DataFrame, language: pd.Series[Any]) -> dict[str, Any]:
    unspoken = language.isna()
    counted = {
        "projects": len(p),
        "with_language": (~unspoken).sum(),
        "without_language": unspoken.sum(),
    }
    if "analysis" in p:
        counted["without_analysis"] = (unspoken & p["analysis"].isna()).sum()
    return counted


@statistic(
    "with_language_and_contributors", "with a main language and a valid number of contributors"
)
def contributors_by_language(projects: Frame, *, top: int | None = None) -> Counted:
    """Describe how many contributors the projects of each main language have.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    top : int, optional
        Number of languages with a row of their own; the last describes the projects of all others.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most contributors first (missing ones last), then the most
        projects:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects)
        - ``projects_counted`` (Int64, projects): those with a valid
          ``analysis_twelve_month_contributor_count``, which the following describe; missing if 0
        - ``contributors`` (Int64, people): sum; a person in two projects counts twice
        - ``lower_quartile``, ``median``, ``upper_quartile`` (Float64, people per project)
        - ``median_low``, ``median_high`` (Float64, people per project): 95% confidence interval of
          the median, for a larger population of such projects; missing below 6 projects
        - ``maximum`` (Int64, people per project)

    Notes
    -----
    Counted: as `language_share` up to ``languages_in_other``,
    ``with_language_and_contributors``, ``contributors_missing`` and ``contributors_negative``.
    Quartiles: type 7 of Hyndman and Fan, The American Statistician 50 (1996), 361-365. Interval:
    ranks of the binomial distribution, Conover, Practical Nonparametric Statistics (1999), section
    3.2.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "C", "C", "Java"],
    ...                          "analysis_twelve_month_contributor_count": [0, 2, 10, None]})
    >>> print(contributors_by_language(projects)[["language", "contributors", "median"]])
      language  contributors  median
    0        C            12     2.0
    1     Java          <NA>    <NA>
    """
    p = read(
        projects,
        language=LANGUAGE,
        contributors=CONTRIBUTORS,
        analysis=ANALYSIS,
        optional=("analysis",),
    )
    language = names_of(p["language"])
    people = exact(p[["contributors"]].where(p["contributors"] >= 0))["contributors"]

    def pool(names: pd.Index[Any]) -> pd.Series[Any]:
        chosen = true(language.isin(names))
        return _describe(people[chosen], pd.Series("other", people.index[chosen])).iloc[0]

    table = _describe(people, language)
    groups = len(table)
    table, pooled = ranked(table, ["contributors", "projects"], top, "languages", pool)
    spoken = p["contributors"][true(language.notna())]
    counted = _without_language(p, language) | {
        "with_language_and_contributors": (spoken >= 0).sum(),
        "languages": groups,
        "languages_in_other": pooled,
        "contributors_missing": spoken.isna().sum(),
        "contributors_negative": (spoken < 0).sum(),
    }
    return named_rows(table, "language"), counted


def _describe(people: pd.Series[Any], by: pd.Series[Any]) -> pd.DataFrame:
    """Return number, sum, quartiles, interval of the median and maximum of each group."""
    groups = people.groupby(by, observed=True)
    table = groups.agg(["size", "count"]).set_axis(["projects", "projects_counted"], axis=1)
    table = table.astype("Int64")
    table["contributors"] = groups.sum(min_count=1)
    known = true(people.notna() & by.notna())
    codes = pd.Categorical(by[known], table.index).codes
    values = people[known].to_numpy(np.int64)
    ascending = values[np.lexsort([values, codes])].astype(np.float64)
    counts = np.bincount(codes, minlength=len(table))
    spread = _quantiles(ascending, counts)
    table[[*_SPREAD]] = pd.DataFrame(spread, table.index, [*_SPREAD]).astype("Float64")
    return table.assign(maximum=groups.max())


def _quantiles(ascending: NDArray[np.float64], counts: NDArray[Any]) -> NDArray[np.float64]:
    """Return the columns of `_SPREAD` of consecutive runs of ascending values."""
    quartiles = np.array([0.25, 0.5, 0.75]) * (counts[:, None] - 1)
    low = np.array([_rank_below_median(int(count)) for count in counts], np.float64)
    places = np.column_stack([quartiles, low, counts - 1 - low])
    places[counts == 0] = np.nan
    start = (counts.cumsum() - counts)[:, None]
    known = np.nan_to_num(places)
    values = np.append(ascending, np.nan)  # of an empty run at the end
    below, above = (values[start + side(known).astype(np.int64)] for side in (np.floor, np.ceil))
    return np.where(np.isnan(places), np.nan, below + (above - below) * (known - np.floor(known)))


@cache
def _rank_below_median(count: int) -> float:
    """Return the position of the lower end of the 95% interval of a median; NaN below 6 values.

    The number of values below the median is binomial, whatever their distribution; the ends are
    the innermost values that lie beyond it with a probability of at most 2.5% each.
    """
    middle = count // 2
    below = np.arange(middle, max(middle - 10 * math.isqrt(count) - 10, 0), -1)
    at_middle = math.lgamma(count + 1) - math.lgamma(middle + 1) - math.lgamma(count - middle + 1)
    steps = np.log(below / (count - below + 1))
    logarithms = np.append(0, steps.cumsum()) + at_middle - count * math.log(2)
    tail = np.exp(logarithms)[::-1].cumsum()
    ranks = int(np.searchsorted(tail, 0.025, side="right"))
    return middle - len(below) + ranks - 1 if ranks else math.nan


@statistic("with_breakdown", "with a valid breakdown")
def language_breakdown(projects: Frame, *, top: int | None = None) -> Counted:
    """Share out the lines of code among all languages, not only the main ones.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    top : int, optional
        Number of languages with a row; in the last, a project counts once for each of the others.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most lines first, then the most projects:

        - ``language`` (str): without blanks around it
        - ``projects`` (Int64, projects): that list it, if twice, then with the lines of both
        - ``code_lines`` (Float64, lines): sum of the projects' ``analysis_total_code_lines`` times
          the language's whole percentage by 100 (``<1`` counts as 0.5)
        - ``share`` (Float64, 0 to 1): of the lines in all rows

    Notes
    -----
    The rest that the directory sums up (``7 Other``, without an id) is in no row and no
    share. Counted: ``projects``, ``with_breakdown``, ``languages``, ``languages_in_other``,
    ``code_lines_unnamed`` (of the rest and of entries without a name), and by the first reason why
    a project is left out: ``breakdown_missing`` (or empty), ``code_lines_missing``,
    ``code_lines_negative``, ``percentages_impossible`` (one cannot be read, or is not from 0 to
    100).

    Examples
    --------
    >>> import pandas as pd
    >>> both = [{"language": "C", "percentage": "80"}, {"language": "Perl", "percentage": "20"}]
    >>> projects = pd.DataFrame({"analysis_total_code_lines": [1000], "analysis_languages": [both]})
    >>> print(language_breakdown(projects))
      language  projects  code_lines  share
    0        C         1       800.0    0.8
    1     Perl         1       200.0    0.2
    """
    p = read(projects, analysis_languages="analysis_languages", lines=LINES)
    rows, entries = entries_of(p["analysis_languages"])
    codes, names = coded(field_of(entries, "language", is_text=True))
    percent = _percentages(field_of(entries, "percentage"))
    counts = np.bincount(rows, minlength=len(p))
    wrong = np.bincount(rows[~((percent >= 0) & (percent <= 100))], minlength=len(p))
    reason = first_reason(
        len(p),
        breakdown_missing=counts == 0,
        code_lines_missing=p["lines"].isna(),
        code_lines_negative=p["lines"] < 0,
        percentages_impossible=wrong > 0,
    )
    weight = percent * p["lines"].to_numpy(np.float64, na_value=np.nan)[rows] / 100
    included = (reason == "")[rows]
    is_rest = pd.Series(names, dtype="str").str.fullmatch(_REST).to_numpy(dtype=bool)
    named = included & (codes >= 0)
    if is_rest.any():
        ids, _ = coded(field_of(entries, "id"))
        named &= ~(np.append(is_rest, False)[codes] & (ids < 0))
    listed = distinct_pairs(rows[named], codes[named], len(names))[1]
    lines = np.bincount(codes[named], weight[named], minlength=len(names))
    table = table_of(
        projects=("Int64", np.bincount(listed, minlength=len(names))), code_lines=("Float64", lines)
    ).set_axis(names)
    table = table[table["projects"] > 0]
    groups = len(table)
    table, pooled = ranked(table, ["code_lines", "projects"], top, "languages")
    table["share"] = table["code_lines"] / (float(table["code_lines"].sum()) or 1.0)
    counted = {
        "projects": len(p),
        "with_breakdown": (reason == "").sum(),
        **{
            name: (reason == name).sum()
            for name in (
                *("breakdown_missing", "code_lines_missing", "code_lines_negative"),
                "percentages_impossible",
            )
        },
        "languages": groups,
        "languages_in_other": pooled,
        "code_lines_unnamed": round(weight[included & ~named].sum()),
    }
    return named_rows(table, "language"), counted


def _percentages(texts: list[Any]) -> NDArray[np.float64]:
    """Return texts as numbers: ``<1`` is 0.5, what cannot be read NaN."""
    codes, names = coded(texts)
    known = pd.Series(names, dtype="str").replace("<1", "0.5")
    numbers = known.where(known.str.fullmatch(r"-?\d+(\.\d+)?"))
    return np.append(numbers.astype("float64"), np.nan)[codes]


@statistic("with_language_and_date", "with a main language and a date")
def languages_by_year(
    projects: Frame,
    *,
    top: int | None = None,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    min_projects: int = 1,
) -> Counted:
    """Count the projects of each main language, that of the latest analysis, by year.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects.
    top : int, optional
        Number of languages with rows of their own, those with the most projects over all years.
    date : {"analysis_min_month", "created_at"}, default "analysis_min_month"
        Whether a project begins with its first month with activity, or when the directory got it.
    min_projects : int, default 1
        Take years with fewer projects together with those that follow, until there are so many, and
        those at the end with the last before.

    Returns
    -------
    pandas.DataFrame
        A row for each year from the first to the last and each language, also where it has no
        project, by year, then the most projects over all years first:

        - ``year``, ``from_year`` (Int64): the last and the first of the years taken together
        - ``language`` (str)
        - ``projects`` (Int64, projects): begun in this year
        - ``share`` (Float64, 0 to 1): of the year's projects; missing in a year without any
        - ``finished`` (boolean): whether the year ended before the newest date of the records, of
          `date` and, where the frame has it, ``updated_at``

    Notes
    -----
    Counted: ``with_language_and_date``, ``date_missing`` (with a language), and as `language_share`
    ``projects``, ``without_language``, ``without_analysis``, ``languages``, ``languages_in_other``.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.to_datetime(["2012-05-01", "2013-01-01"])
    >>> projects = pd.DataFrame({"analysis_main_language_name": "C", "analysis_min_month": months})
    >>> print(languages_by_year(projects)[["year", "language", "projects", "finished"]])
       year language  projects  finished
    0  2012        C         1      True
    1  2013        C         1     False
    """
    if date not in {FIRST_MONTH, CREATED}:
        raise InvalidInputError(f"date is {date!r}; it must be {FIRST_MONTH!r} or {CREATED!r}.")
    least = whole_number("min_projects", min_projects, least=1, instead="of projects")
    p = read(
        projects,
        language=LANGUAGE,
        date=date,
        updated=UPDATED,
        analysis=ANALYSIS,
        optional=("updated", "analysis"),
    )
    language = names_of(p["language"])
    counts = _without_language(p, language)
    with_language = counts.pop("with_language")
    shown = true(language.notna() & p["date"].notna())
    years = p["date"][shown].dt.year.astype("int64")
    grid = pd.crosstab(years, language[shown].astype("str"))
    totals = grid.sum().to_frame("projects")
    table, pooled = ranked(totals, ["projects"], top, "languages")
    order = list(table.index)
    if pooled:
        others = totals.index.difference(order)
        grid[order[-1]] = grid[others].sum(axis=1)
    first, last = _spans(years, least)
    grid = grid.reindex(range(first[0], last[-1] + 1) if len(last) else [], fill_value=0)[order]
    ends = np.searchsorted(last, grid.index)
    grid = grid.groupby(last[ends] if len(last) else []).sum()
    newest = p[["date", *(["updated"] if "updated" in p else [])]].max().max()
    finished = [pd.Timestamp(f"{int(year) + 1}-01-01", tz="UTC") <= newest for year in last]
    number = grid.to_numpy().ravel()
    whole = np.repeat(grid.to_numpy().sum(axis=1), len(order))
    size = len(order)
    result = table_of(
        year=("Int64", np.repeat(last, size)),
        from_year=("Int64", np.repeat(first, size)),
        language=("str", np.tile(np.array(order, dtype=object), len(last))),
        projects=("Int64", number),
        share=(
            "Float64",
            np.divide(number, whole, out=np.full(len(number), np.nan), where=whole > 0),
        ),
        finished=("boolean", np.repeat(np.array(finished, dtype=bool), size)),
    )
    return result, {
        "projects": counts.pop("projects"),
        "with_language_and_date": shown.sum(),
        **counts,
        "date_missing": with_language - shown.sum(),
        "languages": len(totals),
        "languages_in_other": pooled,
    }


def _spans(years: pd.Series[int], least: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and the last year of those that are taken together."""
    ends: list[int] = []
    together = 0
    for year in range(years.min(), years.max() + 1) if len(years) else ():
        together += int((years == year).sum()) if least > 1 else 1
        if together >= least:
            ends.append(year)
            together = 0
    if together:  # those at the end, with the last before
        ends = [*ends[:-1], int(years.max())]
    last = np.array(ends, dtype=np.int64)
    return np.append(years.min() if len(years) else [], last[:-1] + 1).astype(np.int64), last

"""Statistics of projects by language."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dirframe.errors import InvalidInputError
from dirframe.stats.counts import exact, first_reason, names_of, ranked, shares, table_of, unusable
from dirframe.stats.entries import coded, distinct_pairs, entries_of
from dirframe.stats.kernel import Counted, Frame, read, statistic

#: Columns that describe a distribution: quartiles, median, and its 95% confidence interval.
_SPREAD = ("lower_quartile", "median", "upper_quartile", "median_low", "median_high")
#: Entry for the languages that the directory does not list.
_REST = re.compile(r"\d+ Others?")
_DATES = {"analysis_min_month": "first", "created_at": "created"}


@statistic("with_language", "with a main language")
def language_share(projects: Frame, *, top: int | None = None) -> Counted:
    """Count the projects of each main language.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        One row per main language, the most projects first:

        - ``language`` (str), ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the projects that have a main language
        - ``code_lines`` (Int64, lines): sum of ``analysis_total_code_lines``, in all languages;
          missing where no project has a valid count, or the frame has no such column
        - ``users`` (Int64, members): likewise of ``stack_count`` (or else ``user_count``); a member
          who uses two projects counts twice

        Counted: ``with_language``, ``without_language``, of the last ``without_analysis`` (if the
        frame tells), ``languages``, ``languages_in_other``, and of the projects with a language
        ``code_lines_missing``, ``code_lines_negative``, ``users_missing``, ``users_negative``.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "Java", "C", None]})
    >>> language_share(projects)["projects"].tolist()
    [2, 1]
    """
    sums = ["code_lines", "users"]
    p = read(projects, "language", optional=[*sums, "analysis"])
    language, counted = _main_languages(p)
    numbers = p.reindex(columns=sums).astype("Int64")
    groups = exact(numbers.where(numbers >= 0)).groupby(language, observed=True)
    table = groups.sum(min_count=1)
    table.insert(0, "projects", groups.size().astype("Int64"))
    table, groups_counted = ranked(table, "language", "languages", by=["projects"], top=top)
    table.insert(2, "share", shares(table["projects"]))
    for name in p.columns.intersection(sums):
        counted |= unusable(p[name][language.notna()], name)
    return table, counted | groups_counted


def _main_languages(p: pd.DataFrame) -> tuple[pd.Series[Any], dict[str, Any]]:
    """Return the main languages as categories, and how many projects have one."""
    language = names_of(p["language"])
    without = language.isna()
    counted = {
        "projects": len(p),
        "with_language": (~without).sum(),
        "without_language": without.sum(),
    }
    if "analysis" in p:
        counted["without_analysis"] = (without & p["analysis"].isna()).sum()
    return language, counted


@statistic(
    "with_language_and_contributors", "with a main language and a valid number of contributors"
)
def contributors_by_language(projects: Frame, *, top: int | None = None) -> Counted:
    """Describe how many contributors the projects of each main language have.

    Parameters as in `dirframe.stats`; ``other`` describes the projects of these languages together.

    Returns
    -------
    pandas.DataFrame
        One row per ``language`` (str), by sum (missing ones last), then ``projects``, descending:

        - ``projects`` (Int64, projects), and ``projects_counted``: those with a valid
          ``analysis_twelve_month_contributor_count``, which the following describe; missing if 0
        - ``contributors``, ``maximum`` (Int64, people): sum (in two projects, twice), and the most
        - ``lower_quartile``, ``median``, ``upper_quartile`` (Float64, people per project): type 7
          of Hyndman and Fan, The American Statistician 50 (1996), 361-365
        - ``median_low``, ``median_high`` (Float64): 95% interval of the median by binomial ranks
          (Conover, Practical Nonparametric Statistics, 1999, 3.2); missing below 6 projects

        Counted: as `language_share` up to ``languages_in_other``,
        ``with_language_and_contributors``, ``contributors_missing``, ``contributors_negative``.

    Examples
    --------
    >>> people = {"analysis_twelve_month_contributor_count": [0, 2, 10]}
    >>> projects = pd.DataFrame(people).assign(analysis_main_language_name="C")
    >>> contributors_by_language(projects)["contributors"].tolist()
    [12]
    """
    p = read(projects, "language", "people", optional=["analysis"])
    language, counted = _main_languages(p)
    people = p["people"].where(p["people"] >= 0).rename("contributors")
    exact(people.to_frame())

    def pool(names: pd.Index[Any]) -> pd.Series[Any]:
        chosen = people[language.isin(names)]
        return _describe(chosen, pd.Series("other", chosen.index)).iloc[0]

    table, by = _describe(people, language), ["contributors", "projects"]
    table, groups = ranked(table, "language", "languages", by=by, top=top, pool=pool)
    spoken = p["people"][language.notna()]
    counted["with_language_and_contributors"] = (spoken >= 0).sum()
    return table, counted | groups | unusable(spoken, "contributors")


def _describe(people: pd.Series[Any], by: pd.Series[Any]) -> pd.DataFrame:
    """Return number, sum, quartiles, interval of the median and maximum of each group."""
    groups = people.groupby(by, observed=True)
    table = groups.agg(["size", "count"]).set_axis(["projects", "projects_counted"], axis=1)
    table = table.astype("Int64").assign(contributors=groups.sum(min_count=1))
    spread = [_spread(group.dropna().to_numpy(np.float64)) for _, group in groups]
    table[[*_SPREAD]] = pd.DataFrame(spread, table.index, [*_SPREAD]).astype("Float64")
    return table.assign(maximum=groups.max())


def _spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the columns of `_SPREAD`."""
    if not len(values):
        return np.full(len(_SPREAD), np.nan)
    last, low = len(values) - 1, _rank_below_median(len(values))
    places = np.array([0.25 * last, 0.5 * last, 0.75 * last, low, last - low])
    found = np.interp(places, np.arange(len(values)), np.sort(values))
    return np.where(np.isnan(places), np.nan, found)


@cache
def _rank_below_median(count: int) -> float:
    """Return the position of the lower end of the 95% interval of a median; NaN below 6 values.

    The number of values below the median is binomial, whatever their distribution; the ends are
    the innermost values that lie beyond it with a probability of at most 2.5% each.
    """
    below = np.arange(1, count // 2 + 1)
    ways = np.append(0.0, np.log((count - below + 1) / below).cumsum())  # logarithms
    probability = np.exp(ways - count * math.log(2)).cumsum()
    ranks = int(np.searchsorted(probability, 0.025, side="right"))
    return ranks - 1 if ranks else math.nan


@statistic("with_breakdown", "with a valid breakdown")
def language_breakdown(projects: Frame, *, top: int | None = None) -> Counted:
    """Share out the lines of code among all languages, not only the main ones.

    Parameters as in `dirframe.stats`; in ``other``, a project counts once for each language.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most lines first, then the most projects:

        - ``language`` (str): without blanks around it
        - ``projects`` (Int64, projects): that list it, if twice, then with the lines of both
        - ``code_lines`` (Float64, lines): sum of the projects' ``analysis_total_code_lines`` times
          the language's whole percentage by 100 (``<1`` counts as 0.5)
        - ``share`` (Float64, 0 to 1): of the lines in all rows

        Counted: ``with_breakdown``, ``languages``, ``languages_in_other``, ``code_lines_unnamed``
        (in no row: of entries without a name, and of the rest, such as ``7 Other``), and by the
        first reason why a project is left out ``breakdown_missing`` (or empty),
        ``code_lines_missing``, ``code_lines_negative``, ``percentages_impossible`` (not 0 to 100).

    Examples
    --------
    >>> both = [{"language": "C", "percentage": "80"}, {"language": "Perl", "percentage": "20"}]
    >>> projects = pd.DataFrame({"analysis_total_code_lines": [1000], "analysis_languages": [both]})
    >>> language_breakdown(projects)["code_lines"].tolist()
    [800.0, 200.0]
    """
    p = read(projects, "analysis_languages", "code_lines")
    rows, numbers, kinds = entries_of(p["analysis_languages"], "percentage", "language")
    percent = _percentages([percentage for percentage, _ in kinds])
    is_impossible = ~((percent >= 0) & (percent <= 100))
    faults = {
        "breakdown_missing": np.bincount(rows, minlength=len(p)) == 0,
        "code_lines_missing": p["code_lines"].isna(),
        "code_lines_negative": p["code_lines"] < 0,
        "percentages_impossible": np.bincount(rows[is_impossible[numbers]], minlength=len(p)),
    }
    reason = first_reason(**faults)
    lines_of_one = p["code_lines"].to_numpy(np.float64, na_value=np.nan)
    weight = percent[numbers] * np.where(reason == "", lines_of_one, np.nan)[rows] / 100
    own, names = coded(None if _REST.fullmatch(str(name).strip()) else name for _, name in kinds)
    codes = np.where(np.isnan(weight), -1, own[numbers])
    named = codes >= 0
    lines = np.bincount(codes[named], weight[named], minlength=len(names))
    listed = distinct_pairs(rows[named], codes[named], len(names))[1]
    number = np.bincount(listed, minlength=len(names))
    table = table_of(projects=("Int64", number), code_lines=("Float64", lines)).set_axis(names)
    by = ["code_lines", "projects"]
    table, groups = ranked(table[number > 0], "language", "languages", by=by, top=top)
    table["share"] = table["code_lines"] / (float(table["code_lines"].sum()) or 1.0)
    counted = {"projects": len(p), "with_breakdown": (reason == "").sum()}
    counted |= {fault: (reason == fault).sum() for fault in faults} | groups
    return table, counted | {"code_lines_unnamed": round(np.nansum(weight[~named]))}


def _percentages(texts: list[str | None]) -> NDArray[np.float64]:
    """Return texts as numbers: ``<1`` is 0.5, what cannot be read NaN."""
    known = pd.Series(texts, dtype="str").str.strip().replace("<1", "0.5")
    known = known.where(known.str.fullmatch(r"-?\d+(\.\d+)?"))
    return known.to_numpy(np.float64)


@statistic("with_language_and_date", "with a main language and a date")
def languages_by_year(
    projects: Frame,
    *,
    top: int | None = None,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
) -> Counted:
    """Count the projects of each main language, that of the latest analysis, by year.

    Parameters
    ----------
    projects, top
        As in `dirframe.stats`; the languages with the most projects over all years have rows.
    date : {"analysis_min_month", "created_at"}, default "analysis_min_month"
        Whether a project begins with its first month with activity, or when the directory got it.

    Returns
    -------
    pandas.DataFrame
        A row for each year and language, by year, then the most projects over all years first:

        - ``year`` (Int64, from the first to the last, without gaps), ``language`` (str)
        - ``projects`` (Int64, projects): begun in this year
        - ``share`` (Float64, 0 to 1): of the year's projects; missing in a year without any
        - ``finished`` (boolean): whether the year ended before the newest `date` or ``updated_at``

        Counted: ``with_language_and_date``, ``date_missing``, and as in `language_share`
        ``without_language``, ``without_analysis``, ``languages``, ``languages_in_other``.

    Examples
    --------
    >>> projects = {"main_language_name": "C", "min_month": pd.to_datetime(["2012-05", "2013-01"])}
    >>> languages_by_year(pd.DataFrame(projects).add_prefix("analysis_"))["finished"].tolist()
    [True, False]
    """
    if date not in [*_DATES]:
        raise InvalidInputError(f"date is {date!r}; it must be {' or '.join(map(repr, _DATES))}.")
    p = read(projects, "language", _DATES[date], optional=["updated", "analysis"])
    language, counted = _main_languages(p)
    begun = p[_DATES[date]]
    shown = language.notna() & begun.notna()
    year, names = begun[shown].dt.year.to_numpy(np.int64), language[shown].cat
    number = names.codes.value_counts()
    totals = pd.DataFrame({"projects": number.array}, names.categories[number.index])
    ranking, groups = ranked(totals, "language", "languages", by=["projects"], top=top)
    order = pd.Index(ranking["language"])
    years = np.arange(year.min(), year.max() + 1) if len(year) else year
    size, places = len(order), order.get_indexer(names.categories)
    places[places < 0] = size - 1  # in the row of the others
    cells = np.searchsorted(years, year) * size + places[names.codes]
    number = pd.Series(np.bincount(cells, minlength=size * len(years)))
    newest = p[p.columns.intersection([_DATES[date], "updated"])].max().max()
    table = table_of(
        year=("Int64", np.repeat(years, size)),
        language=("str", [*order] * len(years)),
        projects=("Int64", number),
        share=("Float64", number / number.groupby(number.index // max(size, 1)).transform("sum")),
        finished=("boolean", np.repeat(years < newest.year, size)),
    )
    counted["date_missing"] = counted.pop("with_language") - shown.sum()
    return table, counted | {"with_language_and_date": shown.sum()} | groups

"""Statistics of projects by language."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, Literal

import numpy as np
import pandas as pd

from dirframe._display import suggests_options
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import (
    as_bool,
    as_names,
    check_sum_fits,
    count_reasons,
    count_unusable,
    first_reason,
    name_groups,
    other_label,
    share_of,
    sort_groups,
    split_top,
    with_other_row,
)
from dirframe.stats.intervals import Shares, WeightedShares, check_confidence
from dirframe.stats.lists import explode
from dirframe.stats.records import (
    ANALYSIS,
    CODE_LINES,
    CONTRIBUTORS,
    CREATED,
    FIRST_MONTH,
    LANGUAGE,
    LANGUAGES,
    USERS,
    Frame,
    observed_until,
    read,
)
from dirframe.stats.result import Counts, as_statistic, typed_table

#: Columns that describe how many contributors the projects of a language have.
_DESCRIPTION = {
    "projects": "Int64",
    "projects_counted": "Int64",
    "contributors": "Int64",
    "lower_quartile": "Float64",
    "median": "Float64",
    "upper_quartile": "Float64",
    "median_low": "Float64",
    "median_high": "Float64",
    "maximum": "Int64",
}
#: Entry for the languages that the directory does not list, as in "7 Other".
_UNLISTED = r"\d+ Others?"


@suggests_options
def language_share(
    frame: Frame, *, top: int | None = None, confidence: float = 0.95
) -> pd.DataFrame:
    """Count the projects of each main language.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``analysis_main_language_name``; blanks around a name do not count.
    top : int, optional
        Number of languages with rows of their own; the others share a last row,
        ``other (n languages)``. By default, all have rows.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per main language, the most projects first; ties by name:

        - ``language`` (str), ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the projects that have a main language
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``
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
    check_confidence(confidence)
    columns = read(frame, [LANGUAGE], optional=[CODE_LINES, USERS, ANALYSIS])
    language = as_names(columns[LANGUAGE])
    numbers = _count_main_languages(columns, language)
    sums = {"code_lines": CODE_LINES, "users": USERS}
    valid = pd.DataFrame(index=columns.index)
    for name, column in sums.items():
        values = columns.get(column, pd.Series(None, columns.index, dtype="Int64"))
        valid[name] = values.where(values >= 0)
        check_sum_fits(valid[name])
    groups = valid.groupby(language, observed=True)
    table = groups.sum(min_count=1)
    table.insert(0, "projects", groups.size().astype("Int64"))
    kept, others = split_top(sort_groups(table, ["projects"]), top, "languages")
    numbers |= {"languages": len(table), "languages_in_other": len(others)}
    for name, column in sums.items():
        if column in columns:
            numbers |= count_unusable(columns[column][language.notna()], name)
    table = name_groups(with_other_row(kept, others, "languages"), "language")
    table.insert(2, "share", share_of(table["projects"], numbers["with_language"]))
    counts = Counts(
        "projects",
        len(columns),
        base="with_language",
        which="with a main language",
        numbers=numbers,
    )
    shares = Shares(numbers["with_language"], confidence)
    return as_statistic(table, "language_share", source=frame, counts=counts, shares=shares)


def _count_main_languages(columns: pd.DataFrame, language: pd.Series[Any]) -> dict[str, int]:
    """Return how many projects have a main language, and why others have none."""
    without = language.isna()
    numbers = {"with_language": int((~without).sum()), "without_language": int(without.sum())}
    if ANALYSIS in columns:
        numbers["without_analysis"] = int((without & columns[ANALYSIS].isna()).sum())
    return numbers


@suggests_options
def contributors_by_language(frame: Frame, *, top: int | None = None) -> pd.DataFrame:
    """Describe how many contributors the projects of each main language have.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the columns ``analysis_main_language_name`` and
        ``analysis_twelve_month_contributor_count``.
    top : int, optional
        Number of languages with rows of their own; ``other (n languages)``, the last row, describes
        the projects of the others together. By default, all have rows.

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
    columns = read(frame, [LANGUAGE, CONTRIBUTORS], optional=[ANALYSIS])
    language = as_names(columns[LANGUAGE])
    people = columns[CONTRIBUTORS]
    check_sum_fits(people[as_bool(people >= 0)].rename("contributors"))
    groups = {name: _describe(group) for name, group in people.groupby(language, observed=True)}
    columns_of = {
        name: (dtype, [row[name] for row in groups.values()])
        for name, dtype in _DESCRIPTION.items()
    }
    table = typed_table(columns_of).set_axis(list(groups))
    table = sort_groups(table, ["contributors", "projects"])
    kept, others = split_top(table, top, "languages")
    row = _describe(people[language.isin(others.index)])
    with_language = people[language.notna()]
    counts = Counts(
        "projects",
        len(columns),
        base="with_language_and_contributors",
        which="with a main language and a valid number of contributors",
        numbers={
            **_count_main_languages(columns, language),
            "with_language_and_contributors": (with_language >= 0).sum(),
            "languages": len(table),
            "languages_in_other": len(others),
            **count_unusable(with_language, "contributors"),
        },
    )
    table = name_groups(with_other_row(kept, others, "languages", row), "language")
    return as_statistic(table, "contributors_by_language", source=frame, counts=counts)


def _describe(people: pd.Series[Any]) -> dict[str, float | None]:
    """Return the columns of `_DESCRIPTION` for the projects of one group."""
    numbers = people[as_bool(people >= 0)]
    description: dict[str, float | None] = dict.fromkeys(_DESCRIPTION)
    description |= {"projects": len(people), "projects_counted": len(numbers)}
    if numbers.empty:
        return description
    values = np.sort(numbers.to_numpy(np.float64))
    lower_quartile, median, upper_quartile = np.quantile(values, [0.25, 0.5, 0.75])
    low: float | None = None
    high: float | None = None
    below = _rank_below_median(len(values))
    if below is not None:
        low, high = values[below], values[-1 - below]
    return description | {
        "contributors": int(numbers.sum()),
        "lower_quartile": lower_quartile,
        "median": median,
        "upper_quartile": upper_quartile,
        "median_low": low,
        "median_high": high,
        "maximum": int(numbers.max()),
    }


@cache
def _rank_below_median(count: int) -> int | None:
    """Return the position of the lower end of the 95% interval of a median; None below 6 values.

    The number of values below the median is binomial, whatever their distribution; the ends are
    the innermost values that lie beyond it with a probability of at most 2.5% each.
    """
    below = np.arange(1, count // 2 + 1)
    logarithms = np.append(0.0, np.log((count - below + 1) / below).cumsum())
    probability = np.exp(logarithms - count * math.log(2)).cumsum()
    ranks = int(np.searchsorted(probability, 0.025, side="right"))
    return ranks - 1 if ranks else None


@suggests_options
def language_breakdown(frame: Frame, *, top: int | None = None) -> pd.DataFrame:
    """Share out the lines of code among all languages, not only the main ones.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the columns ``analysis_languages`` and ``analysis_total_code_lines``.
    top : int, optional
        Number of languages with rows of their own; the others share a last row,
        ``other (n languages)``, in which a project counts once for each language. By default, all
        have rows.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most lines first, then the most projects; ties by name:

        - ``language`` (str): without blanks around it
        - ``projects`` (Int64, projects): that list it, if twice, then with the lines of both
        - ``code_lines`` (Float64, lines): sum of the projects' ``analysis_total_code_lines`` times
          the language's whole percentage by 100 (``<1`` counts as 0.5)
        - ``share`` (Float64, 0 to 1): of the lines in all rows; without an interval, also of a
          random sample: a few large projects have most lines

        Counted: ``with_breakdown``, ``languages``, ``languages_in_other``, ``code_lines_unnamed``
        (in no row: of entries without a name, and of those that the directory does not break down,
        such as ``7 Other``), and by the first reason why a project is left out ``breakdown_missing``
        (or empty), ``code_lines_missing``, ``code_lines_negative``, ``percentages_impossible`` (not
        0 to 100).

    Examples
    --------
    >>> both = [{"language": "C", "percentage": "80"}, {"language": "Perl", "percentage": "20"}]
    >>> projects = pd.DataFrame({"analysis_total_code_lines": [1000], "analysis_languages": [both]})
    >>> language_breakdown(projects)["code_lines"].tolist()
    [800.0, 200.0]
    """
    columns = read(frame, [LANGUAGES, CODE_LINES])
    entries = explode(columns[LANGUAGES], ["language", "percentage"])
    entries["percent"] = _as_percent(entries["percentage"])
    is_possible = entries["percent"].between(0, 100)
    faults = {
        "breakdown_missing": ~columns.index.isin(entries["record"]),
        "code_lines_missing": columns[CODE_LINES].isna(),
        "code_lines_negative": columns[CODE_LINES] < 0,
        "percentages_impossible": columns.index.isin(entries.loc[~is_possible, "record"]),
    }
    reason = first_reason(faults)
    is_valid = np.asarray(reason == "")
    record = entries["record"].to_numpy()
    lines = columns[CODE_LINES].to_numpy(np.float64, na_value=np.nan)
    entries["code_lines"] = entries["percent"] * lines[record] / 100
    entries = entries[is_valid[record]]
    is_named = entries["language"].notna() & ~_is_unlisted(entries["language"])
    groups = entries[is_named].groupby("language")
    table = groups.agg(projects=("record", "nunique"), code_lines=("code_lines", "sum"))
    table = sort_groups(table.astype({"projects": "Int64"}), ["code_lines", "projects"])
    kept, others = split_top(table.astype({"code_lines": "Float64"}), top, "languages")
    counts = Counts(
        "projects",
        len(columns),
        base="with_breakdown",
        which="with a valid breakdown",
        numbers={
            "with_breakdown": is_valid.sum(),
            **count_reasons(reason, list(faults)),
            "languages": len(table),
            "languages_in_other": len(others),
            "code_lines_unnamed": round(entries.loc[~is_named, "code_lines"].sum()),
        },
    )
    whole = float(table["code_lines"].sum())
    table = name_groups(with_other_row(kept, others, "languages"), "language")
    table["share"] = share_of(table["code_lines"], whole)
    shares = WeightedShares()
    return as_statistic(table, "language_breakdown", source=frame, counts=counts, shares=shares)


def _is_unlisted(names: pd.Series[Any]) -> pd.Series[bool]:
    """Return which names stand for languages that the directory does not list."""
    different = names.dropna().drop_duplicates()
    return names.isin(different[different.str.fullmatch(_UNLISTED)])


def _as_percent(texts: pd.Series[Any]) -> pd.Series[float]:
    """Return texts as numbers: ``<1`` is 0.5, what cannot be read is missing."""
    different = texts.dropna().drop_duplicates()
    numerals = different.replace("<1", "0.5")
    numerals = numerals[numerals.str.fullmatch(r"-?\d+(\.\d+)?")]
    number_of = dict(zip(different[numerals.index], numerals.astype("float64"), strict=True))
    return texts.map(number_of).astype("float64")


@suggests_options
def languages_by_year(
    frame: Frame,
    *,
    top: int | None = None,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Count the projects of each main language, that of the latest analysis, by year.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``analysis_main_language_name`` and that of `date`.
    top : int, optional
        Number of languages with rows of their own, those with the most projects over all years; the
        others share a last row of each year, ``other (n languages)``. By default, all have rows.
    date : {"analysis_min_month", "created_at"}, default "analysis_min_month"
        Whether a project begins with its first month with activity, or when the directory got it.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        A row for each year and language, by year, then the most projects over all years first:

        - ``year`` (Int64, from the first to the last, without gaps), ``language`` (str)
        - ``projects`` (Int64, projects): begun in this year
        - ``share`` (Float64, 0 to 1): of the year's projects; missing in a year without any
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``
        - ``finished`` (boolean): whether the year was over when the records were retrieved; where
          that is not known, or the data are synthetic, whether a later year has a project

        Counted: ``with_language_and_date``, ``date_missing``, and as in `language_share`
        ``without_language``, ``without_analysis``, ``languages``, ``languages_in_other``.

    Examples
    --------
    >>> projects = {"main_language_name": "C", "min_month": pd.to_datetime(["2012-05", "2013-01"])}
    >>> languages_by_year(pd.DataFrame(projects).add_prefix("analysis_"))["finished"].tolist()
    [True, False]
    """
    check_confidence(confidence)
    if date not in [FIRST_MONTH, CREATED]:
        raise InvalidInputError(f"date is {date!r}; it must be {FIRST_MONTH!r} or {CREATED!r}.")
    columns = read(frame, [LANGUAGE, date], optional=[ANALYSIS])
    language = as_names(columns[LANGUAGE])
    numbers = _count_main_languages(columns, language)
    is_dated = language.notna() & columns[date].notna()
    year = columns[date][is_dated].dt.year.rename("year")
    name = language[is_dated].rename("language")
    totals = name.value_counts().astype("Int64").to_frame("projects")
    totals = totals[totals["projects"] > 0]
    kept, others = split_top(sort_groups(totals, ["projects"]), top, "languages")
    order = list(with_other_row(kept, others, "languages").index)
    years = range(int(year.min()), int(year.max()) + 1) if len(year) else range(0)
    projects = name.groupby([year, name], observed=True).size()
    label = other_label(len(others), "languages")
    projects = projects.rename(index=dict.fromkeys(others.index, label), level="language")
    rows = pd.MultiIndex.from_product([years, order], names=["year", "language"])
    projects = projects.groupby(level=["year", "language"]).sum().reindex(rows, fill_value=0)
    yearly = projects.groupby(level="year").transform("sum")
    until = observed_until(frame, columns[date])
    table = typed_table(
        {
            "year": ("Int64", rows.get_level_values("year")),
            "language": ("str", rows.get_level_values("language")),
            "projects": ("Int64", projects),
            "share": ("Float64", projects / yearly),
            "finished": ("boolean", rows.get_level_values("year") < until.year),
        }
    )
    with_language = numbers.pop("with_language")
    counts = Counts(
        "projects",
        len(columns),
        base="with_language_and_date",
        which="with a main language and a date",
        numbers={
            **numbers,
            "with_language_and_date": len(year),
            "date_missing": with_language - len(year),
            "languages": len(totals),
            "languages_in_other": len(others),
        },
    )
    shares = Shares(yearly.to_numpy(), confidence)
    return as_statistic(table, "languages_by_year", source=frame, counts=counts, shares=shares)

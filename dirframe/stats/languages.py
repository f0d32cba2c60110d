"""Statistics of projects by language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
    summed = {"code_lines": CODE_LINES, "users": USERS}
    values = pd.DataFrame(index=columns.index)
    for name, column in summed.items():
        values[name] = columns[column] if column in columns else pd.Series(None, dtype="Int64")
        values[name] = values[name].where(values[name] >= 0)
        check_sum_fits(values[name])
    groups = values.groupby(language, observed=True)
    languages = groups.sum(min_count=1)
    languages.insert(0, "projects", groups.size().astype("Int64"))
    kept, others = split_top(sort_groups(languages, ["projects"]), top, "languages")
    table = name_groups(with_other_row(kept, others, "languages"), "language")
    with_language = columns[language.notna()]
    table.insert(2, "share", share_of(table["projects"], len(with_language)))
    numbers = _count_main_languages(columns, language)
    numbers["languages"] = len(languages)
    numbers["languages_in_other"] = len(others)
    for name, column in summed.items():
        if column in columns:
            numbers |= count_unusable(with_language[column], name)
    counts = Counts(
        "projects",
        len(columns),
        base="with_language",
        which="with a main language",
        numbers=numbers,
    )
    shares = Shares(len(with_language), confidence)
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
    descriptions = {
        name: _describe(group) for name, group in people.groupby(language, observed=True)
    }
    languages = _as_table(descriptions)
    languages = sort_groups(languages, ["contributors", "projects"])
    kept, others = split_top(languages, top, "languages")
    # Quartiles cannot be added up: the others are described together.
    row_of_others = _describe(people[language.isin(others.index)])
    table = name_groups(with_other_row(kept, others, "languages", row_of_others), "language")
    with_language = people[language.notna()]
    counts = Counts(
        "projects",
        len(columns),
        base="with_language_and_contributors",
        which="with a main language and a valid number of contributors",
        numbers={
            **_count_main_languages(columns, language),
            "with_language_and_contributors": (with_language >= 0).sum(),
            "languages": len(languages),
            "languages_in_other": len(others),
            **count_unusable(with_language, "contributors"),
        },
    )
    return as_statistic(table, "contributors_by_language", source=frame, counts=counts)


def _as_table(descriptions: Mapping[Any, Mapping[str, float | None]]) -> pd.DataFrame:
    """Return descriptions as the rows of a table, by their names."""
    # As objects until they have their dtypes, so that large whole numbers are not rounded.
    rows = pd.DataFrame(
        list(descriptions.values()),
        index=list(descriptions),
        columns=list(_DESCRIPTION),
        dtype="object",
    )
    return rows.astype(_DESCRIPTION)


def _describe(people: pd.Series[Any]) -> dict[str, float | None]:
    """Return the columns of `_DESCRIPTION` for the projects of one group."""
    numbers = people[as_bool(people >= 0)]
    description: dict[str, float | None] = dict.fromkeys(_DESCRIPTION)
    description["projects"] = len(people)
    description["projects_counted"] = len(numbers)
    if numbers.empty:
        return description
    description["contributors"] = int(numbers.sum())
    description["maximum"] = int(numbers.max())
    values = np.sort(numbers.to_numpy(np.float64))
    lower_quartile, median, upper_quartile = np.quantile(values, [0.25, 0.5, 0.75])
    description["lower_quartile"] = lower_quartile
    description["median"] = median
    description["upper_quartile"] = upper_quartile
    place = _place_of_lower_end(len(values))
    if place is not None:
        description["median_low"] = values[place]
        description["median_high"] = values[-1 - place]
    return description


@cache
def _place_of_lower_end(count: int) -> int | None:
    """Return the position of the lower end of the 95% interval of a median; None below 6 values.

    The number of values below the median is binomial, whatever their distribution; the ends are
    the innermost values that lie beyond it with a probability of at most 2.5% each.
    """
    # The logarithms of the binomial coefficients of 0, 1, 2, ... of the values.
    chosen = np.arange(1, count // 2 + 1)
    coefficients = np.append(0.0, np.log((count - chosen + 1) / chosen).cumsum())
    at_most = np.exp(coefficients - count * math.log(2)).cumsum()
    ends_beyond = int(np.searchsorted(at_most, 0.025, side="right"))
    return ends_beyond - 1 if ends_beyond else None


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
    impossible = entries.loc[~entries["percent"].between(0, 100), "record"]
    faults = {
        "breakdown_missing": ~columns.index.isin(entries["record"]),
        "code_lines_missing": columns[CODE_LINES].isna(),
        "code_lines_negative": columns[CODE_LINES] < 0,
        "percentages_impossible": columns.index.isin(impossible),
    }
    fault = first_reason(faults)
    is_valid = np.asarray(fault == "")
    # The lines of each project, and those of each entry, which has the position of its project.
    lines = columns[CODE_LINES].to_numpy(np.float64, na_value=np.nan)
    project = entries["record"].to_numpy()
    entries["code_lines"] = entries["percent"] * lines[project] / 100
    entries = entries[is_valid[project]]
    is_named = entries["language"].notna() & ~_is_unlisted(entries["language"])
    groups = entries[is_named].groupby("language")
    languages = groups.agg(projects=("record", "nunique"), code_lines=("code_lines", "sum"))
    languages = languages.astype({"projects": "Int64", "code_lines": "Float64"})
    languages = sort_groups(languages, ["code_lines", "projects"])
    kept, others = split_top(languages, top, "languages")
    table = name_groups(with_other_row(kept, others, "languages"), "language")
    table["share"] = share_of(table["code_lines"], float(languages["code_lines"].sum()))
    counts = Counts(
        "projects",
        len(columns),
        base="with_breakdown",
        which="with a valid breakdown",
        numbers={
            "with_breakdown": is_valid.sum(),
            **count_reasons(fault, list(faults)),
            "languages": len(languages),
            "languages_in_other": len(others),
            "code_lines_unnamed": round(entries.loc[~is_named, "code_lines"].sum()),
        },
    )
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
    is_counted = language.notna() & columns[date].notna()
    begun = pd.DataFrame(
        {"year": columns.loc[is_counted, date].dt.year, "language": language[is_counted]}
    )
    totals = begun["language"].value_counts().astype("Int64").to_frame("projects")
    totals = totals[totals["projects"] > 0]
    kept, others = split_top(sort_groups(totals, ["projects"]), top, "languages")
    languages = list(with_other_row(kept, others, "languages").index)
    label = other_label(len(others), "languages")
    projects = _count_by_year(begun, languages, dict.fromkeys(others.index, label))
    yearly = projects.groupby(level="year").transform("sum")
    year = projects.index.get_level_values("year")
    until = observed_until(frame, columns[date])
    table = typed_table(
        {
            "year": ("Int64", year),
            "language": ("str", projects.index.get_level_values("language")),
            "projects": ("Int64", projects),
            "share": ("Float64", projects / yearly),
            "finished": ("boolean", year < until.year),
        }
    )
    numbers = _count_main_languages(columns, language)
    with_language = numbers.pop("with_language")  # the figures are based on those with a date, too
    counts = Counts(
        "projects",
        len(columns),
        base="with_language_and_date",
        which="with a main language and a date",
        numbers={
            **numbers,
            "with_language_and_date": len(begun),
            "date_missing": with_language - len(begun),
            "languages": len(totals),
            "languages_in_other": len(others),
        },
    )
    shares = Shares(yearly.to_numpy(), confidence)
    return as_statistic(table, "languages_by_year", source=frame, counts=counts, shares=shares)


def _count_by_year(
    begun: pd.DataFrame, languages: Sequence[str], pooled: Mapping[str, str]
) -> pd.Series[int]:
    """Count projects by year and language, also where there are none, from the first year on.

    `pooled` has the name of the row that several languages share, by their own.
    """
    years = range(0)
    if len(begun):
        years = range(int(begun["year"].min()), int(begun["year"].max()) + 1)
    projects = begun.groupby(["year", "language"], observed=True).size()
    projects = projects.rename(index=pooled, level="language")
    projects = projects.groupby(level=["year", "language"]).sum()
    rows = pd.MultiIndex.from_product([years, languages], names=["year", "language"])
    counted: pd.Series[int] = projects.reindex(rows, fill_value=0)
    return counted

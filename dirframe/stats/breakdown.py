"""Lines of code by language, over all languages of each project."""

from __future__ import annotations

from typing import Unpack

import narwhals as nw
import pandas as pd

from dirframe.stats._core.backends import collect, map_reduce
from dirframe.stats._core.columns import integer_column
from dirframe.stats._core.entries import LANGUAGES, Counts, combine_counts, list_entries
from dirframe.stats._core.groupby import LINES, as_int64, has_name, rank_names
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

_UNNAMED = "code_lines_unnamed"
#: Entry, without an id, for the languages that the directory does not list.
_REST = r"\d+ Others?"


@selectable
def language_breakdown(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Share out the lines of code among all languages, not only the main ones.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many languages and sum up the others in a last row named
        ``other (n languages)``, with thousands separated by commas, where a project counts
        once for each of them. A single language left over keeps its own row. By default, all
        languages.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most lines first, then the most projects, then by name (by code
        point), ``other`` last whatever its size:

        - ``language`` (str): without blanks around it
        - ``projects`` (Int64, projects): that list this language
        - ``code_lines`` (Float64, lines): sum over these projects of their lines
          (``analysis_total_code_lines``) times the language's percentage by 100, which the
          directory gives in whole percent (``<1`` counts as 0.5)
        - ``share`` (Float64, 0 to 1): of the lines in all rows; 0.0 in each where that sum
          is 0, so that nothing can be shared out

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers, or `top` is below 1.

    Notes
    -----
    The directory lists a project's largest languages and sums up the rest, such as
    ``7 Other``: digits, a blank, ``Other`` or ``Others``, and no id. The rest is in no row and
    in no share; its lines, reckoned as those of a language, are in ``code_lines_unnamed``, with
    those of entries without a name. A language that a project lists twice counts as one
    project, with the lines of both. In the row ``other (n languages)``, a project counts once
    for each of its languages there. Left out are, for the first of these reasons, projects
    without a breakdown or with one that lists nothing (``breakdown_missing``), without a number
    of lines (``code_lines_missing``) or with a negative one (``code_lines_negative``), and
    those with a percentage, of the rest too, that is missing, cannot be read, is below 0 or
    above 100 (``percentages_impossible``: negative lines in one language make others exceed the
    whole). ``attrs["dirframe"]["counted"]`` holds these, ``projects`` (all) and
    ``with_breakdown``, which they add up with to that; ``languages`` (those in ``other`` too),
    ``languages_in_other``, and ``code_lines_unnamed`` (rounded to whole lines).

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "id": ["1", "2"],
    ...     "analysis_total_code_lines": [1000, 500],
    ...     "analysis_languages": [
    ...         [{"language": "C", "percentage": "80", "id": "1"},
    ...          {"language": "2 Other", "percentage": "20", "id": ""}],
    ...         [{"language": "C", "percentage": "40", "id": "1"},
    ...          {"language": "Perl", "percentage": "60", "id": "8"}],
    ...     ],
    ... })
    >>> print(language_breakdown(projects))
      language  projects  code_lines    share
    0        C         2      1000.0  0.769231
    1     Perl         1       300.0  0.230769
    """
    require_columns(projects, LINES, loader=PROJECTS, lists=[LANGUAGES])
    by_language, numbers, _ = map_reduce(projects, [LANGUAGES, LINES], _breakdown, combine_counts)
    names, pooled = rank_names(
        by_language, "language", ["code_lines", "projects"], top=top, noun="languages"
    )
    label = names.reindex(by_language["language"]).to_numpy()
    sums = by_language.groupby(label)[["projects", "code_lines"]].sum()
    sums = sums.reindex(pd.Index(list(dict.fromkeys(names)), dtype="str"))
    code_lines = pd.Series(sums["code_lines"].to_numpy(), dtype="Float64")
    result = pd.DataFrame(
        {
            "language": pd.Series(sums.index, dtype="str"),
            "projects": as_int64(sums["projects"]),
            "code_lines": code_lines,
            "share": code_lines / (float(code_lines.sum()) or 1.0),
        }
    )
    counted = {
        **{name: int(number) for name, number in numbers.items() if name != _UNNAMED},
        "languages": len(names),
        "languages_in_other": pooled,
        _UNNAMED: round(numbers[_UNNAMED]),
    }
    return result, counted


def _breakdown(projects: pd.DataFrame) -> Counts:
    entries = list_entries(projects, "languages")
    lines = integer_column(LINES).of(projects).reset_index(drop=True)
    number = entries["project"]
    percentage = entries["percentage"]
    is_invalid = percentage.isna() | (percentage < 0) | (percentage > 100)
    listed = pd.Series(range(len(projects))).isin(set(number))
    impossible = pd.Series(range(len(projects))).isin(set(number[is_invalid.fillna(value=True)]))
    missing, negative = lines.isna(), (lines < 0).fillna(value=False)
    counts = listed & ~missing & ~negative & ~impossible
    included = counts.reindex(number).to_numpy(dtype=bool)
    is_rest = (entries["language"].str.fullmatch(_REST) & entries["id"].isna()).to_numpy(dtype=bool)
    weight = (percentage * lines.reindex(number).to_numpy() / 100).astype("Float64")
    named_rows = included & ~is_rest & has_name(entries, "language")
    table = nw.from_native(
        pd.DataFrame(
            {
                "project": number[named_rows],
                "language": entries["language"][named_rows],
                "lines": weight[named_rows],
            }
        )
    ).lazy()
    own = table.group_by("project", "language").agg(nw.col("lines").sum())
    by_language = own.group_by("language").agg(projects=nw.len(), code_lines=nw.col("lines").sum())
    numbers = {
        "projects": len(projects),
        "with_breakdown": counts.sum(),
        "breakdown_missing": (~listed).sum(),
        "code_lines_missing": (listed & missing).sum(),
        "code_lines_negative": (listed & negative).sum(),
        "percentages_impossible": (listed & ~missing & ~negative & impossible).sum(),
        _UNNAMED: weight[included & ~named_rows].sum(),
    }
    return Counts(collect(by_language), {what: float(number) for what, number in numbers.items()})

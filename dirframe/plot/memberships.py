"""Charts of multi-valued columns: licences, tags, languages of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe._display.values import counted
from dirframe.plot._backends import drawn
from dirframe.plot._description.options import current
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.bars import ranking

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.plot._description.chart import Chart
    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame


@drawn("x")
def licenses(
    projects: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of projects by licence.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.licenses` counts them.
    top : int or None, default 20
        Licences to show; projects with any other share one hatched bar. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per licence title, the most projects at the top, labelled with their number and
        their share of the projects with a licence.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.licenses`.

    Examples
    --------
    >>> import pandas as pd
    >>> gpl = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
    >>> projects = pd.DataFrame({"id": ["1", "2"], "licenses": [[gpl], [gpl]]})
    >>> [int(bar.get_width()) for bar in licenses(projects).patches]
    [2]
    """
    table, _ = table_of(stats.licenses, projects, top=top, **selection)
    titles = table["title"].where(table["title"].notna(), table["license"])
    return _memberships(
        table.assign(license=titles),
        "license",
        pooled="licenses_in_other",
        title="Projects by licence",
        what="a licence",
    )


@drawn("x")
def tags(
    projects: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of projects by tag.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.tags` counts them.
    top : int or None, default 20
        Tags to show. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per tag, the most projects at the top, labelled with their number and their share
        of the projects with a tag. Nearly all projects have a tag that is not shown, and a bar for
        these would dwarf the rest, so the caption states the numbers of these tags and projects.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.tags`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"id": ["1", "2"], "tags": [["xml", "web"], ["xml"]]})
    >>> [int(bar.get_width()) for bar in tags(projects).patches]
    [2, 1]
    """
    table, counts = table_of(stats.tags, projects, top=top, **selection)
    note = ""
    if pooled := counts["tags_in_other"]:
        other_projects = counted(int(table["projects"].iloc[-1]), "project")
        note = f"{other_projects} with any of {pooled:,} other tags."
        table = table.iloc[:-1]
    return _memberships(table, "tag", pooled="", title="Projects by tag", what="a tag", note=note)


@drawn("x")
def language_breakdown(
    projects: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the lines of code by language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.language_breakdown`
        divides their lines by language.
    top : int or None, default 20
        Languages to show; the others become one hatched bar. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per language, the most lines at the top, labelled with their number and share.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.language_breakdown`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "id": ["1"],
    ...     "analysis_total_code_lines": [1000],
    ...     "analysis_languages": [
    ...         [{"language": "C", "percentage": "80", "id": "1"},
    ...          {"language": "Perl", "percentage": "20", "id": "8"}],
    ...     ],
    ... })
    >>> [int(bar.get_width()) for bar in language_breakdown(projects).patches]
    [800, 200]
    """
    table, counts = table_of(stats.language_breakdown, projects, top=top, **selection)
    pooled = counts["languages_in_other"]
    colours = current().palette.languages(table["language"], pooled=pooled)
    lines = counts["code_lines_missing"] + counts["code_lines_negative"]
    reasons = {
        "without a breakdown": counts["breakdown_missing"],
        "without a valid number of lines": lines,
        "with an impossible percentage": counts["percentages_impossible"],
    }
    unnamed = counts["code_lines_unnamed"]
    return ranking(
        table,
        "language",
        "code_lines",
        title="Lines of code by language",
        unit="Lines of code (share of those in a named language)",
        colours=colours,
        message=typography.empty_reason(counts, "languages with lines of code"),
        notes=[
            f"{counted(unnamed, 'line')} in languages without a name." if unnamed else "",
            typography.not_shown(counts, reasons),
        ],
    )


def _memberships(
    table: pd.DataFrame,
    name: str,
    *,
    pooled: str,
    title: str,
    what: str,
    note: str = "",
) -> Chart:
    counts = table.attrs["dirframe"]["counted"]
    reasons = {f"without {what}": counts[f"without_{name}"]}
    return ranking(
        table,
        name,
        "projects",
        title=title,
        unit=f"Projects (share of those with {what})",
        pooled=counts.get(pooled, 0),
        message=typography.empty_reason(counts, what),
        notes=["A project can have several.", note, typography.not_shown(counts, reasons)],
    )

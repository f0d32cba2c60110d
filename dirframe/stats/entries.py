"""Statistics of what a project has several of: licences, tags, languages of its code.

A project counts once for each of its entries, however often it names it, so that the shares
sum up to more than 1.

What stays out: the main language (`dirframe.stats.languages`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import narwhals as nw
import pandas as pd

from dirframe.client.children import child_table
from dirframe.errors import InvalidInputError
from dirframe.stats._columns import whole
from dirframe.stats._edges import finish, require
from dirframe.stats._engines import collected, in_parts
from dirframe.stats._loaders import PROJECTS
from dirframe.stats._selection import selectable
from dirframe.stats._tables import LINES, added, named, ranking, whole_column

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.stats._engines import Frame
    from dirframe.stats._selection import Selection

__all__ = ["language_breakdown", "licenses", "tags"]

_LANGUAGES = "analysis_languages"
_UNNAMED = "code_lines_unnamed"
#: What the directory writes for the languages that it does not list, without an id.
_REST = r"\d+ Others?"


@selectable
def licenses(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> pd.DataFrame:
    """Count the projects under each licence.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them, of either dialect.
    top : int, optional
        Keep this many licences and count the projects that have any other in a last row
        named ``other (n licences)``, with thousands separated by commas. A single licence left
        over keeps its own row. Left out: all licences.

    Returns
    -------
    pandas.DataFrame
        A row a licence, the most projects first, then by code (by code point), ``other`` last
        whatever its size:

        - ``license`` (str): its code, such as ``gpl3``: its ``vanity_url``, its ``name`` where
          there is none
        - ``title`` (str): the first by code point of those that the projects give it: its
          ``nice_name``, its ``name`` where there is none; missing for ``other``, and where no
          project gives either
        - ``projects`` (Int64, projects): that name it, each once; in ``other``, those that
          name any of the others, each once
        - ``share`` (Float64, 0 to 1): of the projects that name a licence

    Raises
    ------
    InvalidInputError
        If `top` is below 1, or what came is no frame.

    Notes
    -----
    Recorded answers have the code in ``name`` and the title in ``nice_name``, today's the
    title in ``name`` and the code in ``vanity_url``. Blanks around a text go, and a blank one is
    none; an entry with neither ``vanity_url`` nor ``name`` is no licence. A licence of the
    recorded answers without a title has its code for one. Not to name a licence is not to have
    none: those projects are in no row. ``attrs["dirframe"]["counted"]`` holds ``projects``
    (all), ``with_license``, ``without_license``, ``licenses`` (those in ``other`` too) and
    ``licenses_in_other``.

    Examples
    --------
    >>> import pandas as pd
    >>> gpl = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
    >>> today = {"name": "GNU General Public License 3.0", "vanity_url": "gpl3"}
    >>> projects = pd.DataFrame({"id": ["1", "2", "3"], "licenses": [[gpl], [today], None]})
    >>> print(licenses(projects)[["license", "projects", "share"]])
      license  projects  share
    0    gpl3         2    1.0
    """
    return _memberships(projects, "licenses", _licenses, "license", top=top, noun="licences")


@selectable
def tags(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> pd.DataFrame:
    """Count the projects with each tag.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many tags and count the projects that have any other in a last row named
        ``other (n tags)``, with thousands separated by commas. A single tag left over keeps
        its own row. Left out: all tags.

    Returns
    -------
    pandas.DataFrame
        A row a tag, the most projects first, then by tag (by code point), ``other`` last
        whatever its size:

        - ``tag`` (str): as the directory wrote it, without blanks around it: ``"xml "`` is
          ``"xml"``, but ``"XML"`` is another; a tag of blanks alone is none
        - ``projects`` (Int64, projects): that have it, each once; in ``other``, those that
          have any of the others, each once
        - ``share`` (Float64, 0 to 1): of the projects that have a tag

    Raises
    ------
    InvalidInputError
        If `top` is below 1, or what came is no frame.

    Notes
    -----
    Projects without a tag are in no row. ``attrs["dirframe"]["counted"]`` holds ``projects``
    (all), ``with_tag``, ``without_tag``, ``tags`` (those in ``other`` too) and
    ``tags_in_other``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"id": ["1", "2"], "tags": [["xml", "web"], ["xml", "xml"]]})
    >>> print(tags(projects))
       tag  projects  share
    0  xml         2    1.0
    1  web         1    0.5
    """
    return _memberships(projects, "tags", _tags, "tag", top=top, noun="tags")


@selectable
def language_breakdown(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> pd.DataFrame:
    """Share out the lines of code among all languages, not only the main ones.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many languages and sum up the others in a last row named
        ``other (n languages)``, with thousands separated by commas, where a project counts
        once for each of them. A single language left over keeps its own row. Left out: all
        languages.

    Returns
    -------
    pandas.DataFrame
        A row a language, the most lines first, then the most projects, then by name (by code
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
        If a column is missing or holds something else than whole numbers, or `top` is below 1.

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
    require(projects, LINES, giver=PROJECTS, lists=[_LANGUAGES])
    found, numbers, _ = in_parts(projects, [_LANGUAGES, LINES], _breakdown, _together)
    names, pooled = ranking(
        found, "language", ["code_lines", "projects"], top=top, noun="languages"
    )
    label = names.reindex(found["language"]).to_numpy()
    sums = found.groupby(label)[["projects", "code_lines"]].sum()
    sums = sums.reindex(pd.Index(list(dict.fromkeys(names)), dtype="str"))
    code_lines = pd.Series(sums["code_lines"].to_numpy(), dtype="Float64")
    result = pd.DataFrame(
        {
            "language": pd.Series(sums.index, dtype="str"),
            "projects": whole_column(sums["projects"]),
            "code_lines": code_lines,
            "share": code_lines / (float(code_lines.sum()) or 1.0),
        }
    )
    counted = {
        **{what: int(number) for what, number in numbers.items() if what != _UNNAMED},
        "languages": len(names),
        "languages_in_other": pooled,
        _UNNAMED: round(numbers[_UNNAMED]),
    }
    step = "language_breakdown"
    return finish(projects, result, step=step, resource="project", counted=counted)


class _Counts(NamedTuple):
    """What some projects come to: a table by label, numbers by what they are, titles of labels."""

    table: pd.DataFrame
    numbers: dict[str, float]
    titles: dict[str, str] | None = None


def _together(parts: Sequence[_Counts]) -> _Counts:
    table = added([part.table for part in parts], [parts[0].table.columns[0]])
    whats, titles = parts[0].numbers, parts[0].titles
    for other in parts[1:]:
        if titles is not None:
            titles = _least(titles, other.titles or {})
    numbers = {what: sum(part.numbers[what] for part in parts) for what in whats}
    return _Counts(table, numbers, titles)


def _sum(parts: Sequence[int]) -> int:
    return sum(parts)


def _least(titles: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    both = {label: min(titles[label], others[label]) for label in titles.keys() & others.keys()}
    return titles | others | both


def _breakdown(projects: pd.DataFrame) -> _Counts:
    entries = _entries(projects, "languages")
    lines = whole(LINES).of(projects).reset_index(drop=True)
    number = entries["project_id"].astype("int64")
    percentage = entries["percentage"]
    odd = percentage.isna() | (percentage < 0) | (percentage > 100)
    listed = pd.Series(range(len(projects))).isin(set(number))
    impossible = pd.Series(range(len(projects))).isin(set(number[odd.fillna(value=True)]))
    missing, negative = lines.isna(), (lines < 0).fillna(value=False)
    counts = listed & ~missing & ~negative & ~impossible
    kept = counts.reindex(number).to_numpy(dtype=bool)
    rest = (entries["language"].str.fullmatch(_REST) & entries["id"].isna()).to_numpy(dtype=bool)
    weight = (percentage * lines.reindex(number).to_numpy() / 100).astype("Float64")
    named_rows = kept & ~rest & named(entries, "language")
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
    found = own.group_by("language").agg(projects=nw.len(), code_lines=nw.col("lines").sum())
    numbers = {
        "projects": len(projects),
        "with_breakdown": counts.sum(),
        "breakdown_missing": (~listed).sum(),
        "code_lines_missing": (listed & missing).sum(),
        "code_lines_negative": (listed & negative).sum(),
        "percentages_impossible": (listed & ~missing & ~negative & impossible).sum(),
        _UNNAMED: weight[kept & ~named_rows].sum(),
    }
    return _Counts(collected(found), {what: float(number) for what, number in numbers.items()})


def _licenses(projects: pd.DataFrame) -> pd.DataFrame:
    entries = _entries(projects, "licenses")
    code, title = entries["vanity_url"], entries["nice_name"]
    return pd.DataFrame(
        {
            "project": entries["project_id"],
            "label": code.where(code.notna(), entries["name"]),
            "title": title.where(title.notna(), entries["name"]),
        }
    )


def _tags(projects: pd.DataFrame) -> pd.DataFrame:
    entries = _entries(projects, "tags")
    return pd.DataFrame({"project": entries["project_id"], "label": entries["tag"]})


def _entries(projects: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give the entries with the number of their project: an id may be there twice."""
    column = _LANGUAGES if name == "languages" else name
    own = pd.DataFrame({"id": pd.Series(range(len(projects))).astype("str")})
    if column in projects:
        own[column] = _lists(projects[column]).to_numpy()
    own.attrs["dirframe"] = {"resource": "project"}
    entries = child_table(own, name)
    entries.attrs = {}
    return entries


def _lists(column: pd.Series[Any]) -> pd.Series[Any]:
    if pd.api.types.infer_dtype(column) != "string":
        return column
    try:  # lists that differ in form stand in Parquet as JSON
        return column.map(json.loads, na_action="ignore").astype("object")
    except ValueError as error:
        raise InvalidInputError(
            f"The column {column.name} must hold lists, or lists as JSON; it holds text. Dask "
            "makes text of them unless the option dataframe.convert-string is False."
        ) from error


def _memberships(
    projects: Any,
    column: str,
    read: Callable[[pd.DataFrame], pd.DataFrame],
    name: str,
    *,
    top: int | None,
    noun: str,
) -> pd.DataFrame:
    """Count the projects of each label; one that has two of the others counts once there."""
    require(projects, giver=PROJECTS, lists=[column])
    if isinstance(projects, pd.DataFrame):  # read once for both rounds
        entries = read(projects)
        entries_of: Callable[[pd.DataFrame], pd.DataFrame] = lambda _: entries
    else:
        entries_of = read

    def memberships(part: pd.DataFrame) -> _Counts:
        return _of_labels(entries_of(part), len(part))

    found, numbers, titles = in_parts(projects, [column], memberships, _together)
    names, pooled = ranking(found, "label", ["projects"], top=top, noun=noun)
    kept = names.index[: len(names) - pooled]
    order, counts = [*kept], list(found.set_index("label")["projects"].reindex(kept))
    if pooled:
        others = set(names.index[-pooled:])

        def in_other(part: pd.DataFrame) -> int:
            own = entries_of(part)
            return int(own["project"][own["label"].isin(others)].nunique())

        order.append(names.iloc[-1])
        counts.append(in_parts(projects, [column], in_other, _sum))
    result = pd.DataFrame({name: pd.Series(order, dtype="str"), "projects": whole_column(counts)})
    if titles is not None:
        result.insert(1, "title", pd.Series([titles.get(label) for label in order], dtype="str"))
    records, having = int(numbers["projects"]), int(numbers["having"])
    result["share"] = (result["projects"] / max(having, 1)).astype("Float64")
    counted = {
        "projects": records,
        f"with_{name}": having,
        f"without_{name}": records - having,
        column: len(names),
        f"{column}_in_other": pooled,
    }
    return finish(projects, result, step=column, resource="project", counted=counted)


def _of_labels(entries: pd.DataFrame, records: int) -> _Counts:
    own = entries[named(entries, "label")]
    once = own.drop_duplicates(["project", "label"])
    table = once.groupby("label", sort=False).size().reset_index(name="projects")
    numbers = {"projects": float(records), "having": float(own["project"].nunique())}
    if "title" not in own:
        return _Counts(table, numbers)
    titles = own.dropna(subset=["title"]).groupby("label")["title"].min()
    return _Counts(table, numbers, dict(zip(titles.index.astype("str"), titles, strict=True)))

"""Numbers of projects by licence and by tag.

A project counts once for each of its entries, even if it repeats them, so the shares can sum to
more than 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from dirframe.stats._core.backends import map_reduce, row_batches
from dirframe.stats._core.entries import Counts, combine_counts, list_entries
from dirframe.stats._core.groupby import as_int64, rank_names
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


@selectable
def licenses(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the projects under each licence.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them, of either dialect.
    top : int, optional
        Keep this many licences and count the projects that have any other in a last row
        named ``other (n licences)``, with thousands separated by commas. A single licence left
        over keeps its own row. By default, all licences.

    Returns
    -------
    pandas.DataFrame
        One row per licence, the most projects first, then by code (by code point), ``other`` last
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
        If `top` is below 1, or the input is not a frame.

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
) -> Counted:
    """Count the projects with each tag.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many tags and count the projects that have any other in a last row named
        ``other (n tags)``, with thousands separated by commas. A single tag left over keeps
        its own row. By default, all tags.

    Returns
    -------
    pandas.DataFrame
        One row per tag, the most projects first, then by tag (by code point), ``other`` last
        whatever its size:

        - ``tag`` (str): as the directory wrote it, without blanks around it: ``"xml "`` is
          ``"xml"``, but ``"XML"`` is another; a tag of blanks alone is none
        - ``projects`` (Int64, projects): that have it, each once; in ``other``, those that
          have any of the others, each once
        - ``share`` (Float64, 0 to 1): of the projects that have a tag

    Raises
    ------
    InvalidInputError
        If `top` is below 1, or the input is not a frame.

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


def _licenses(projects: pd.DataFrame) -> pd.DataFrame:
    entries = list_entries(projects, "licenses")
    code, title = entries["vanity_url"], entries["nice_name"]
    return pd.DataFrame(
        {
            "project": entries["project"],
            "label": code.where(code.notna(), entries["name"]),
            "title": title.where(title.notna(), entries["name"]),
        }
    )


def _tags(projects: pd.DataFrame) -> pd.DataFrame:
    entries = list_entries(projects, "tags", categories=True)
    return entries[["project", "tag"]].rename(columns={"tag": "label"})


def _memberships(
    projects: Any,
    column: str,
    read: Callable[[pd.DataFrame], pd.DataFrame],
    name: str,
    *,
    top: int | None,
    noun: str,
) -> Counted:
    """Count the projects of each label; a project counts once in the pooled row."""
    require_columns(projects, loader=PROJECTS, lists=[column])
    if isinstance(projects, pd.DataFrame):  # read once for both passes
        parts = [(_named(read(part)), len(part)) for part in row_batches(projects)]
        reduce_entries: Callable[..., Any] = lambda work, together: together(
            [work(*part) for part in parts]
        )
    else:
        reduce_entries = lambda work, together: map_reduce(
            projects, [column], lambda part: work(_named(read(part)), len(part)), together
        )
    totals, numbers, titles = reduce_entries(_of_labels, combine_counts)
    names, pooled = rank_names(totals, "label", ["projects"], top=top, noun=noun)
    labels = names.index[: len(names) - pooled]
    order, counts = [*labels], list(totals.set_index("label")["projects"].reindex(labels))
    if pooled:
        others = set(names.index[-pooled:])

        def in_other(named: pd.DataFrame, _: int) -> int:
            return int(named["project"][named["label"].isin(others)].nunique())

        order.append(names.iloc[-1])
        counts.append(reduce_entries(in_other, sum))
    result = pd.DataFrame({name: pd.Series(order, dtype="str"), "projects": as_int64(counts)})
    if titles is not None:
        result.insert(1, "title", pd.Series([titles.get(label) for label in order], dtype="str"))
    records, with_entries = int(numbers["projects"]), int(numbers["having"])
    result["share"] = (result["projects"] / max(with_entries, 1)).astype("Float64")
    counted = {
        "projects": records,
        f"with_{name}": with_entries,
        f"without_{name}": records - with_entries,
        column: len(names),
        f"{column}_in_other": pooled,
    }
    return result, counted


def distinct_entries(projects: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the named tags or licences of each project by its row number, each once."""
    return _distinct(_named({"tags": _tags, "licenses": _licenses}[column](projects)))


def _named(entries: pd.DataFrame) -> pd.DataFrame:
    """Return the entries with a label, by project, as categories, which compare as numbers."""
    entries = entries.astype(dict.fromkeys(entries.columns.drop("project"), "category"))
    return entries.dropna(subset=["label"])  # which copies nothing if all have one


def _distinct(named: pd.DataFrame) -> pd.DataFrame:
    """Return the first entry of each project and label."""
    pairs = _pairs(named)
    order = np.argsort(pairs, kind="stable")  # nearly in order: many times as fast as hashing
    return named.iloc[np.sort(order[_is_first(pairs[order])])]


def _pairs(named: pd.DataFrame) -> NDArray[np.int64]:
    """Return a number for each pair of a project and a label; its remainder is the label's code."""
    label = named["label"].cat
    project: NDArray[np.int64] = named["project"].to_numpy()
    return project * max(len(label.categories), 1) + label.codes.to_numpy()


def _is_first(ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of some sorted numbers differ from the one before."""
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return is_first


def _of_labels(named: pd.DataFrame, records: int) -> Counts:
    labels = named["label"].cat.categories
    pairs = np.sort(_pairs(named))
    codes = pairs[_is_first(pairs)] % max(len(labels), 1)
    sizes = np.bincount(codes, minlength=len(labels))
    table = pd.DataFrame({"label": labels.astype("str"), "projects": sizes})
    having = np.count_nonzero(np.bincount(named["project"], minlength=1))
    numbers = {"projects": float(records), "having": float(having)}
    if "title" not in named:
        return Counts(table, numbers)
    titles = named[["label", "title"]].dropna().drop_duplicates().astype("str")
    least = titles.groupby("label")["title"].min()
    return Counts(table, numbers, dict(zip(least.index.astype("str"), least, strict=True)))

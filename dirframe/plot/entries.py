"""Charts of the licences and tags of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import text
from dirframe.plot.canvas import bar_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width


def licenses(
    projects: Any,
    *,
    top: int | None = 20,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of projects by licence.

    Parameters
    ----------
    projects, top, ax, title, caption, width
        As `dirframe.stats.licenses` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per title of a licence, the most projects at the top, with their number and share of
        the projects with a licence.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "gpl3"}]]})
    >>> [int(bar.get_width()) for bar in licenses(projects).patches]
    [2]
    """
    table = stats.licenses(projects, top=top)
    counts = text.counts_of(table)
    return bar_chart(
        *(table, "licenses", (ax, title, caption, width)),
        shown=table.assign(title=table["title"].fillna(table["license"])),
        name="title",
        unit="Projects (share of those with a licence)",
        needs="a licence",
        notes=[
            "A project can have several.",
            text.not_shown(counts, without_license="without a licence"),
        ],
    )


def license_families(
    projects: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of projects by family of their licence.

    Parameters
    ----------
    projects, ax, title, caption, width
        As `dirframe.stats.license_families` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per family, with the number and share of all projects.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}]]})
    >>> [int(bar.get_width()) for bar in license_families(projects).patches]
    [1, 0, 1, 0, 0]
    """
    table = stats.license_families(projects)
    return bar_chart(
        *(table, "license_families", (ax, title, caption, width)),
        name="family",
        unit="Projects (share of all)",
        needs="a licence",
        is_empty=not text.counts_of(table)["with_license"],
        notes=["A project can have licences of several families; none: it names none."],
    )


def tags(
    projects: Any,
    *,
    top: int | None = 20,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of projects by tag.

    Parameters
    ----------
    projects, top, ax, title, caption, width
        As `dirframe.stats.tags` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per tag, the most projects at the top, with their number and share of the projects
        with a tag. A bar for other tags would dwarf the rest: the caption states their number.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"tags": [["xml", "web"], ["xml"]]})
    >>> [int(bar.get_width()) for bar in tags(projects).patches]
    [2, 1]
    """
    table = stats.tags(projects, top=top)
    counts = text.counts_of(table)
    pooled = counts["tags_in_other"]
    others = counted(int(table["projects"].iloc[-1]), "project") if pooled else ""
    return bar_chart(
        *(table, "tags", (ax, title, caption, width)),
        shown=table.iloc[: len(table) - bool(pooled)],
        name="tag",
        unit="Projects (share of those with a tag)",
        needs="a tag",
        notes=[
            "A project can have several.",
            f"{others} with any of {pooled:,} other tags." if pooled else "",
            text.not_shown(counts, without_tag="without a tag"),
        ],
    )

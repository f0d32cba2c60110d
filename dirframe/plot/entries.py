"""Charts of the licences and tags of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas

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
    projects, top
        As for `dirframe.stats.licenses`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per licence title, the most projects at the top, labelled with their number and
        their share of the projects with a licence.

    Examples
    --------
    >>> import pandas as pd
    >>> gpl = {"name": "gpl3", "nice_name": "GNU General Public License 3.0"}
    >>> projects = pd.DataFrame({"id": ["1", "2"], "licenses": [[gpl], [gpl]]})
    >>> [int(bar.get_width()) for bar in licenses(projects).patches]
    [2]
    """
    table = stats.licenses(projects, top=top)
    names = table["title"].fillna(table["license"])
    with Canvas(
        *(table, "licenses", ax, title, caption, width),
        needs="a licence",
        rows=axes.height_of(names),
    ) as canvas:
        if not canvas.is_empty:
            axes.bars(
                *(canvas.ax, table.assign(title=names), "title", "projects"),
                "Projects (share of those with a licence)",
                is_pooled=bool(canvas.counts["licenses_in_other"]),
            )
        reasons = {"without a licence": canvas.counts["without_license"]}
        canvas.notes = ["A project can have several.", text.not_shown(canvas.counts, reasons)]
    return canvas.ax


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
    projects
        As for `dirframe.stats.license_families`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per family, labelled with the number and share of all projects.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}]]})
    >>> [int(bar.get_width()) for bar in license_families(projects).patches]
    [1, 0, 1, 0, 0]
    """
    table = stats.license_families(projects)
    with Canvas(
        *(table, "license_families", ax, title, caption, width),
        needs="a licence",
        is_empty=not table.attrs["dirframe"]["counted"]["with_license"],
    ) as canvas:
        if not canvas.is_empty:
            unit = "Projects (share of all)"
            axes.bars(canvas.ax, table, "family", "projects", unit, is_pooled=False)
        canvas.notes = ["A project can have licences of several families; none: it names none."]
    return canvas.ax


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
    projects, top
        As for `dirframe.stats.tags`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per tag, the most projects at the top, labelled with their number and their share
        of the projects with a tag. Nearly all projects have a tag that is not shown, and a bar for
        these would dwarf the rest, so the caption states the numbers of these tags and projects.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"id": ["1", "2"], "tags": [["xml", "web"], ["xml"]]})
    >>> [int(bar.get_width()) for bar in tags(projects).patches]
    [2, 1]
    """
    table = stats.tags(projects, top=top)
    pooled = table.attrs["dirframe"]["counted"]["tags_in_other"]
    shown = table.iloc[: len(table) - bool(pooled)]
    with Canvas(
        *(table, "tags", ax, title, caption, width),
        needs="a tag",
        rows=axes.height_of(shown["tag"]),
    ) as canvas:
        if not canvas.is_empty:
            axes.bars(
                *(canvas.ax, shown, "tag", "projects"),
                "Projects (share of those with a tag)",
            )
        others = counted(int(table["projects"].iloc[-1]), "project") if pooled else ""
        canvas.notes = [
            "A project can have several.",
            f"{others} with any of {pooled:,} other tags." if pooled else "",
            text.not_shown(canvas.counts, {"without a tag": canvas.counts["without_tag"]}),
        ]
    return canvas.ax

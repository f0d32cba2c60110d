"""Charts of the licences and tags of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import text
from dirframe.plot.axes import bar_chart
from dirframe.plot.colours import ACCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Look
    from dirframe.stats.kernel import Frame


def licenses(
    projects: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each licence: its projects, and their share of those with one.

    Options as `dirframe.stats.licenses` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "gpl3"}]]})
    >>> [int(bar.get_width()) for bar in licenses(projects).patches]
    [2]
    """
    table = stats.licenses(projects, top=top)
    table["title"] = table["title"].fillna(table["license"])
    note = text.not_shown(table, without_license="without a licence")
    return bar_chart(table, ax, look, "A project can have several.", note, name="title")


def license_families(projects: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw a bar for each family of licences: its projects, and their share of all.

    Options as `dirframe.stats.license_families` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}]]})
    >>> [int(bar.get_width()) for bar in license_families(projects).patches]
    [1, 0, 1, 0, 0]
    """
    table = stats.license_families(projects)
    return bar_chart(
        table,
        ax,
        look,
        "A project can have licences of several families; none: it names none.",
        unit="Projects (share of all)",
        needs="with a licence",
        is_empty=not text.counts_of(table)["with_license"],
    )


def tags(
    projects: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each tag: its projects, and their share of those with one.

    A bar for other tags would dwarf the rest: the caption states their number.

    Options as `dirframe.stats.tags` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"tags": [["xml", "web"], ["xml"]]})
    >>> [int(bar.get_width()) for bar in tags(projects).patches]
    [2, 1]
    """
    table = stats.tags(projects, top=top)
    notes = ["A project can have several.", text.not_shown(table, without_tag="without a tag")]
    if others := text.counts_of(table)["tags_in_other"]:
        with_others = counted(int(table["projects"].iloc[-1]), "project")
        notes.insert(1, f"{with_others} with any of {others:,} other tags.")
        table = table.iloc[:-1]
    return bar_chart(table, ax, look, *notes, colours=[ACCENT] * len(table))

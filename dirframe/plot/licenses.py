"""Charts of the licences of projects, and of their families."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from dirframe import stats
from dirframe._display import suggests_options
from dirframe.plot import rows
from dirframe.plot.caption import not_shown
from dirframe.plot.colours import ACCENT, NEUTRAL
from dirframe.plot.figure import Width, show
from dirframe.stats.licenses import spdx_id
from dirframe.stats.records import Frame


@suggests_options
def licenses(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each licence: its projects, and their share of those with one.

    A licence is named by its SPDX id where it has one, else by its title.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.licenses` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of licences with bars of their own; None for all.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "gpl3"}]]})
    >>> [label.get_text() for label in licenses(projects).get_yticklabels()]
    ['GPL-3.0-only']
    """
    table = stats.licenses(frame, top=top, confidence=confidence)
    return show(
        draw_licenses,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=rows.height_of(license_names(table)),
    )


def draw_licenses(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each licence."""
    notes = rows.share_bars(
        ax, table, names=license_names(table), others="with any of {} other licences"
    )
    return [*notes, "A project can have several licences.", *not_shown(table)]


def license_names(table: pd.DataFrame) -> list[str]:
    """Return the SPDX id of each licence, or else its title, or its code."""
    names = []
    for code, title in zip(table["license"], table["title"], strict=True):
        shown = code if pd.isna(title) else title
        names.append(spdx_id(code, title) or str(shown))
    # Two licences of one id, such as a code and a title of another spelling, keep their titles.
    titles = table["title"].fillna(table["license"])
    return [
        str(title) if names.count(name) > 1 else name
        for name, title in zip(names, titles, strict=True)
    ]


@suggests_options
def license_families(
    frame: Frame,
    *,
    ax: Axes | None = None,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each family of licences: its projects, and their share of all.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.license_families` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}]]})
    >>> [int(bar.get_width()) for bar in license_families(projects).patches]
    [1, 0, 1, 0, 0]
    """
    table = stats.license_families(frame, confidence=confidence)
    return show(
        draw_license_families,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_license_families(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each family of licences, grey for projects that name none."""
    colours = [NEUTRAL if family == "none" else ACCENT for family in table["family"]]
    notes = rows.share_bars(ax, table, colours=colours)
    return [
        *notes,
        "A project can have licences of several families.",
        "None: the project names no licence.",
    ]

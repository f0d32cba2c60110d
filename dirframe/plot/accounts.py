"""Charts of accounts: countries as bars and as a map, kudo ranks and forum posts."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, PathPatch

from dirframe import provenance, stats
from dirframe._display import quantity, suggests_options
from dirframe.plot import fonts, rows, worldmap
from dirframe.plot.caption import not_shown
from dirframe.plot.colours import NEUTRAL, classes, land
from dirframe.plot.distributions import draw_distribution
from dirframe.plot.figure import Width, require_figures, show
from dirframe.plot.labels import legend_below
from dirframe.stats.records import Frame

#: Title of a map of rates.
PER_MILLION = "Accounts per million inhabitants"

_NAMED = 6  # territories named in the caption


@suggests_options
def accounts_by_country(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each country: its accounts, and their share of those with a known country.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts, as `dirframe.stats.accounts_by_country` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of countries with bars of their own; None for all.
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
    >>> accounts = pd.DataFrame({"country_code": ["DE", "Germany"], "country_alpha_2": "DE",
    ...                          "country_name": "Germany"})
    >>> [label.get_text() for label in accounts_by_country(accounts).get_yticklabels()]
    ['Germany']
    """
    table = stats.accounts_by_country(frame, top=top, confidence=confidence)
    provenance.set_provenance(table, other_data=[])  # no inhabitants are drawn
    return show(
        draw_accounts_by_country,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_accounts_by_country(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each country."""
    names = [str(name) for name in table["country_name"]]
    return [
        *rows.share_bars(ax, table, names=names, others="from {} other countries"),
        *not_shown(table),
    ]


@suggests_options
def accounts_map(
    frame: Frame,
    *,
    ax: Axes | None = None,
    per_million: bool = False,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw countries on an equal-area map, darker with the number of accounts.

    The numbers follow the population: `per_million` draws accounts per million inhabitants. The
    caption states how many accounts are in no country, or in a territory too small for the map.
    The shape of a country has its two-letter code as its gid.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts, as `dirframe.stats.accounts_by_country` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    per_million : bool, default False
        Whether to draw accounts per million inhabitants, in countries with ten accounts or more.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Notes
    -----
    Nothing is fetched. Boundaries: Natural Earth (public domain) at 1:110 million, by world-atlas
    2.0.2 (ISC); they show de facto control, without Antarctica. An overseas part with its own code,
    such as French Guiana, counts as a territory. Projection: Equal Earth, Šavrič, Patterson and
    Jenny, International Journal of Geographical Information Science 33 (2019), 454-465.

    Examples
    --------
    >>> accounts = pd.DataFrame({"country_code": ["DE", "SG"], "country_alpha_2": ["DE", "SG"],
    ...                          "country_name": ["Germany", "Singapore"]})
    >>> ax = accounts_map(accounts)
    >>> "Not shown: 1 account in a territory too small" in ax.figure.get_supxlabel()
    True
    """
    table = stats.accounts_by_country(frame)
    if not per_million:
        provenance.set_provenance(table, other_data=[])  # no inhabitants are drawn
    return show(
        partial(draw_accounts_map, per_million=per_million),
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        chart="accounts_map",
        heading=PER_MILLION if per_million else "",
        rows=8 if width == "column" else 11,  # the map is half as high as wide
    )


def draw_accounts_map(ax: Axes, table: pd.DataFrame, *, per_million: bool = False) -> list[str]:
    """Draw the countries with their shades, and the classes below."""
    require_figures(table)
    outlines, sea = worldmap.outlines(), worldmap.sea()
    on_map = table["country_alpha_2"].isin(list(outlines))
    shown = table[on_map]
    numbers = shown["accounts"]
    if per_million:
        # Of a few accounts a rate says nothing.
        shown = shown[(shown["accounts"] >= rows.FEW) & shown["per_million"].notna()]
        numbers = shown["per_million"].astype(float).clip(lower=1).round().astype(int)
    places, present = classes(numbers)
    shades = [present[place][1] for place in places]
    shade_of = dict(zip(shown["country_alpha_2"], shades, strict=True))
    (left, bottom), (right, top) = sea.get_extents().get_points()
    ax.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[])
    ax.set(aspect="equal", anchor="S")
    ax.set_axis_off()
    ax.add_patch(PathPatch(sea, facecolor="none", edgecolor="none"))
    empty = land()
    for code, outline in outlines.items():
        shape = PathPatch(outline, edgecolor=NEUTRAL, gid=code)
        shape.set_facecolor(shade_of.get(code, empty))
        shape.set(linewidth=0.35, in_layout=False)  # all land lies within the sea
        ax.add_artist(shape)  # as `add_patch` without measuring each coast: the limits are set
        shape.set_clip_path(sea, ax.transData)
    key = [(f"fewer than {rows.FEW}" if per_million else "none", empty), *present.values()]
    handles = [Patch(facecolor=shade, edgecolor=NEUTRAL, label=name) for name, shade in key]
    legend_below(ax, handles, PER_MILLION if per_million else "Accounts")
    notes = []
    if per_million:
        notes.append(
            f"Pale: countries with fewer than {rows.FEW} accounts, or without a population."
        )
    if rows.has_intervals(table):
        notes.append(rows.NOT_DRAWN)
    unknown = not_shown(table)
    return [
        *notes,
        *unknown,
        *_too_small(table[~on_map], "Also not shown" if unknown else "Not shown"),
    ]


def _too_small(territories: pd.DataFrame, prefix: str) -> list[str]:
    """Return a note on the territories that the map does not show, if there are any."""
    if territories.empty:
        return []
    names = [
        f"{fonts.short_name(name)} ({number:,})"
        for name, number in zip(territories["country_name"], territories["accounts"], strict=True)
    ]
    more = len(names) - _NAMED
    if more > 1:
        names = [*names[:_NAMED], f"{more:,} others"]
    accounts = quantity(int(territories["accounts"].sum()), "account")
    places = "a territory" if len(territories) == 1 else f"{len(territories):,} territories"
    return [f"{prefix}: {accounts} in {places} too small for the map: {', '.join(names)}."]


@suggests_options
def accounts_by_kudo_rank(
    frame: Frame,
    *,
    ax: Axes | None = None,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each kudo rank, from 1 (new): its accounts, and their share of those with one.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts, as `dirframe.stats.accounts_by_kudo_rank` takes them.
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
    >>> ax = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1]}))
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    table = stats.accounts_by_kudo_rank(frame, confidence=confidence)
    return show(
        draw_accounts_by_kudo_rank,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_accounts_by_kudo_rank(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each kudo rank."""
    names = [str(rank) for rank in table["kudo_rank"]]
    names[0], names[-1] = "1 (new)", "10 (highest)"
    return [*rows.share_bars(ax, table, names=names), *not_shown(table)]


@suggests_options
def posts_distribution(
    frame: Frame,
    *,
    ax: Axes | None = None,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the share of the accounts that have at least each number of forum posts.

    Scales and caption are those of `contributor_distribution`.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts, as `dirframe.stats.posts_distribution` takes them.
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
    >>> posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0]})).lines[0].get_xdata().tolist()
    [12.0]
    """
    return show(
        draw_posts_distribution,
        stats.posts_distribution(frame, confidence=confidence),
        ax=ax,
        title=title,
        caption=caption,
        width=width,
    )


def draw_posts_distribution(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw the share of the accounts that have at least each number of forum posts."""
    return draw_distribution(ax, table, "post")

"""Charts of accounts: countries as bars and as a map, kudo ranks and forum posts."""

from __future__ import annotations

from typing import Unpack

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, PathPatch

from dirframe import stats
from dirframe._display import quantity
from dirframe.plot import axes, text, worldmap
from dirframe.plot.axes import bar_chart, distribution_chart
from dirframe.plot.canvas import Canvas, Look
from dirframe.plot.colours import NEUTRAL, classes
from dirframe.stats.records import Frame

_NAMED = 6  # territories named in the caption


def accounts_by_country(
    frame: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each country: its accounts, and their share of those with a known country.

    Options as `dirframe.stats.accounts_by_country` and `dirframe.plot`.

    Examples
    --------
    >>> accounts = pd.DataFrame({"country_code": ["DE", "Germany"], "country_alpha_2": "DE",
    ...                          "country_name": "Germany"})
    >>> [label.get_text() for label in accounts_by_country(accounts).get_yticklabels()]
    ['Germany']
    """
    table = stats.accounts_by_country(frame, top=top)
    return bar_chart(table, ax, look, name="country_name")


def accounts_map(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw countries on an equal-area map, darker with the number of accounts.

    The caption states how many accounts are in no country, or in a territory too small for the map.
    The shape of a country has its two-letter code as its gid. Options as
    `dirframe.stats.accounts_by_country` and `dirframe.plot`, without `top`.

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
    >>> print(accounts_map(accounts).texts[-1].get_text().splitlines()[0])
    Not shown: 1 account in a territory too small for the map: Singapore (1).
    """
    table = stats.accounts_by_country(frame)
    rows = 6 if look.get("width") == "column" else 12  # the map is half as high as wide
    canvas = Canvas(table, ax, look, chart="accounts_map", rows=rows)
    if canvas.is_empty:
        return canvas.finish()
    ax, edge, outlines = canvas.ax, worldmap.frame(), worldmap.outlines()
    on_map = table["country_alpha_2"].isin([*outlines])
    places, present = classes(table["accounts"][on_map])
    shades = [present[place][1] for place in places]
    shade_of = dict(zip(table["country_alpha_2"][on_map], shades, strict=True))
    xlim, ylim = edge.get_extents().get_points().T
    ax.set(xlim=xlim, ylim=ylim, xticks=[], yticks=[], aspect="equal", anchor="S")
    ax.set_axis_off()
    ax.add_patch(PathPatch(edge, facecolor="none", edgecolor=NEUTRAL, linewidth=0.4, alpha=0.6))
    for code, outline in outlines.items():
        land = PathPatch(outline, facecolor=shade_of.get(code, "none"), edgecolor=NEUTRAL, gid=code)
        land.set(linewidth=0.35, in_layout=False)  # all land lies within the sea
        ax.add_artist(land)  # as `add_patch` without measuring each coast: the limits are set
        land.set_clip_path(edge, ax.transData)
    key = [("none", "none"), *present.values()]
    patches = [Patch(facecolor=shade, edgecolor=NEUTRAL, label=name) for name, shade in key]
    axes.legend(ax, patches, "Accounts")
    unknown = text.not_shown(table)
    too_small = _too_small(table[~on_map], "Nor" if unknown else "Not shown:")
    return canvas.finish(unknown, too_small, reasons=())


def _too_small(territories: pd.DataFrame, prefix: str) -> str:
    """Return a note on the territories that the map does not show; empty if there are none."""
    if territories.empty:
        return ""
    pairs = zip(territories["country_name"], territories["accounts"], strict=True)
    names = [f"{name} ({number:,})" for name, number in pairs]
    if (more := len(names) - _NAMED) > 1:
        names[_NAMED:] = [f"{more:,} others"]
    accounts = quantity(int(territories["accounts"].sum()), "account")
    places = "a territory" if len(territories) == 1 else f"{len(territories):,} territories"
    return f"{prefix} {accounts} in {places} too small for the map: {', '.join(names)}."


def accounts_by_kudo_rank(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw a bar for each kudo rank, from 1 (new): its accounts, and their share of those with one.

    Options as `dirframe.stats.accounts_by_kudo_rank` and `dirframe.plot`.

    Examples
    --------
    >>> ax = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1]}))
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    table = stats.accounts_by_kudo_rank(frame)
    table["kudo_rank"] = ["1 (new)", *map(str, range(2, 10)), "10 (highest)"]
    return bar_chart(table, ax, look)


def posts_distribution(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw a dot for each number of forum posts, at the number of accounts with it.

    Scales and caption are those of `contributor_distribution`. Options as
    `dirframe.stats.posts_distribution` and `dirframe.plot`.

    Examples
    --------
    >>> posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0]})).lines[0].get_xdata().tolist()
    [0.0, 12.0]
    """
    table = stats.posts_distribution(frame)
    return distribution_chart(table, ax, look, unit="Forum posts of an account")

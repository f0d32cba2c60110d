"""Charts of accounts: countries as bars and as a map, kudo ranks and forum posts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch, PathPatch

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import axes, text, worldmap
from dirframe.plot.canvas import Canvas, bar_chart
from dirframe.plot.colours import NEUTRAL, Classes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width

_ROWS = 12  # slightly more than the map needs, so that the layout leaves room for the title
_NAMED = 6  # territories named in the caption


def accounts_by_country(
    accounts: Any,
    *,
    top: int | None = 20,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of accounts by country.

    Parameters
    ----------
    accounts, top, ax, title, caption, width
        As `dirframe.stats.accounts_by_country` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per country, the most accounts at the top, with their number and share of the
        accounts with a known country. The caption states how many are unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({"country_code": ["DE", "Germany"], "country_alpha_2": "DE",
    ...                          "country_name": "Germany"})
    >>> [label.get_text() for label in accounts_by_country(accounts).get_yticklabels()]
    ['Germany']
    """
    table = stats.accounts_by_country(accounts, top=top)
    return bar_chart(
        *(table, "accounts_by_country", (ax, title, caption, width)),
        name="country_name",
        number="accounts",
        unit="Accounts (share of those with a known country)",
        needs="a known country",
        notes=[_unknown(table)],
    )


def accounts_map(
    accounts: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of accounts by country on a world map.

    Parameters
    ----------
    accounts, ax, title, caption, width
        As `dirframe.stats.accounts_by_country` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        Countries on an equal-area map, darker with the number of accounts, in at most six classes
        whose bounds grow by a factor; one without accounts is white. The caption states how many
        accounts are in no country, or in a territory too small for the map. The shape of a country
        has its two-letter code as ``get_gid()``.

    Notes
    -----
    Nothing is fetched. Boundaries: Natural Earth (public domain) at 1:110 million, by world-atlas
    2.0.2 (ISC); they show de facto control, without Antarctica. An overseas part with its own code,
    such as French Guiana, counts as a territory. Projection: Equal Earth, Šavrič, Patterson and
    Jenny, International Journal of Geographical Information Science 33 (2019), 454-465.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({"country_code": ["DE", "SG"], "country_alpha_2": ["DE", "SG"],
    ...                          "country_name": ["Germany", "Singapore"]})
    >>> print(accounts_map(accounts).texts[-1].get_text().splitlines()[0])
    Not shown: 1 account in a territory too small for the map: Singapore (1).
    """
    table = stats.accounts_by_country(accounts)
    on_map = table["country_alpha_2"].isin([*worldmap.outlines()])
    with Canvas(
        *(table, "accounts_map", (ax, title, caption, width)),
        needs="a known country",
        rows=_ROWS,
    ) as canvas:
        if not canvas.is_empty:
            numbers = dict(table[on_map][["country_alpha_2", "accounts"]].to_numpy())
            _draw_map(canvas.ax, numbers, max(numbers.values(), default=1))
        unknown = _unknown(table)
        canvas.notes = [unknown, _too_small(table[~on_map], is_continued=bool(unknown))]
    return canvas.ax


def _draw_map(ax: Axes, numbers: dict[str, int], most: int) -> None:
    """Draw each country in the shade of its number of accounts, with a legend of the classes."""
    classes = Classes(most)
    edge = worldmap.frame()
    (left, bottom), (right, top) = edge.get_extents().get_points()
    ax.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], aspect="equal", anchor="S")
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
    ax.add_patch(PathPatch(edge, facecolor="none", edgecolor=NEUTRAL, linewidth=0.4, alpha=0.6))
    for code, outline in worldmap.outlines().items():
        number = numbers.get(code, 0)
        land = PathPatch(
            outline,
            facecolor=classes.shade_of(number) if number else "none",
            edgecolor=NEUTRAL,
            linewidth=0.35,
            gid=code,
            in_layout=False,  # all land lies within the sea
        )
        ax.add_artist(land)  # as `add_patch` without measuring each coast: the limits are set
        land.set_clip_path(edge, ax.transData)
    none = Patch(facecolor="none", edgecolor=NEUTRAL, label="none")
    axes.legend(ax, [none, *classes.patches()], "Accounts")


def _unknown(table: pd.DataFrame) -> str:
    """Return a note on accounts without a known country; empty if all have one."""
    return text.not_shown(
        text.counts_of(table),
        country_missing="without a country",
        country_unresolved="with one that was not identified",
    )


def _too_small(territories: pd.DataFrame, *, is_continued: bool) -> str:
    if territories.empty:
        return ""
    pairs = zip(territories["country_name"], territories["accounts"], strict=True)
    names = [f"{name} ({number:,})" for name, number in pairs]
    if (more := len(names) - _NAMED) > 1:
        names[_NAMED:] = [f"{more:,} others"]
    accounts = counted(int(territories["accounts"].sum()), "account")
    territory_text = "a territory" if len(territories) == 1 else f"{len(territories):,} territories"
    prefix = "Nor" if is_continued else "Not shown:"
    return f"{prefix} {accounts} in {territory_text} too small for the map: {', '.join(names)}."


def accounts_by_kudo_rank(
    accounts: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of accounts by kudo rank.

    Parameters
    ----------
    accounts, ax, title, caption, width
        As `dirframe.stats.accounts_by_kudo_rank` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per rank, from 1 (new) at the top to 10, with the number of accounts and their share
        of those with a rank. The caption states how many have none.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1]}))
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    table = stats.accounts_by_kudo_rank(accounts)
    names = ["1 (new)", *map(str, range(2, 10)), "10 (highest)"]
    return bar_chart(
        *(table, "accounts_by_kudo_rank", (ax, title, caption, width)),
        shown=table.assign(kudo_rank=names),
        name="kudo_rank",
        number="accounts",
        unit="Accounts (share of those with a rank)",
        needs="a kudo rank",
        notes=[
            text.not_shown(
                text.counts_of(table),
                kudo_rank_missing="without a kudo rank",
                kudo_rank_impossible="with an impossible one",
            )
        ],
    )


def posts_distribution(
    accounts: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the distribution of forum posts over accounts.

    Parameters
    ----------
    accounts, ax, title, caption, width
        As `dirframe.stats.posts_distribution` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each number of posts that occurs, at the number of accounts with it. Both axes
        are logarithmic, the x axis linear from 0 to 1, since most accounts have none. The caption
        states what half, 90% and 99% of the accounts have at most.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0]}))
    >>> ax.lines[0].get_xdata().tolist()
    [0.0, 12.0]
    """
    table = stats.posts_distribution(accounts)
    with Canvas(
        *(table, "posts_distribution", (ax, title, caption, width)),
        needs="a valid number of posts",
    ) as canvas:
        if not canvas.is_empty:
            axes.frequencies(canvas.ax, table["posts"], table["accounts"])
            axes.units(canvas.ax, "Forum posts of an account, logarithmic", "Accounts, logarithmic")
            canvas.notes = [
                text.at_most(table["posts"], table["share_at_most"]),
                text.not_shown(
                    canvas.counts,
                    posts_missing="without a number of posts",
                    posts_negative="with a negative one",
                ),
            ]
    return canvas.ax

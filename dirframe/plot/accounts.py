"""Charts of accounts: countries as bars and as a map, kudo ranks and forum posts."""

from __future__ import annotations

from bisect import bisect_right
from itertools import count, islice, takewhile
from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch, PathPatch

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import axes, text, worldmap
from dirframe.plot.canvas import Canvas
from dirframe.plot.colours import NEUTRAL, shades

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width

_ROWS = 12  # slightly more than the map needs, so that the layout leaves room for the title
_NAMED = 6  # territories named in the caption
_CLASSES = 6  # more shades of one colour are indistinguishable


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
    accounts, top
        As for `dirframe.stats.accounts_by_country`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per country, the most accounts at the top, labelled with their number and their
        share of the accounts with a known country. The caption states how many are unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({
    ...     "country_code": ["DE", "Germany", "NA"],
    ...     "country_alpha_2": ["DE", "DE", "NA"],
    ...     "country_name": ["Germany", "Germany", "Namibia"],
    ... })
    >>> ax = accounts_by_country(accounts)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Germany', 'Namibia']
    """
    table = stats.accounts_by_country(accounts, top=top)
    with Canvas(
        *(table, "accounts_by_country", ax, title, caption, width),
        needs="a known country",
        rows=axes.height_of(table["country_name"]),
    ) as canvas:
        if not canvas.is_empty:
            axes.bars(
                *(canvas.ax, table, "country_name", "accounts"),
                "Accounts (share of those with a known country)",
                is_pooled=bool(canvas.counts["countries_in_other"]),
            )
        canvas.notes = [_unknown(canvas.counts)]
    return canvas.ax


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
    accounts
        As for `dirframe.stats.accounts_by_country`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        Countries on an equal-area map, darker with the number of accounts, in at most six classes
        whose bounds grow by a factor; a country without accounts is white. The caption states how
        many accounts the map cannot show: without a country, and in territories too small for the
        map, with their names. The shape of a country has its two-letter code as ``get_gid()``.

    Raises
    ------
    DirframeError
        If the boundaries are missing from the installation.

    Notes
    -----
    Nothing is fetched. Boundaries: Natural Earth (public domain) at 1:110 million, by
    world-atlas 2.0.2 (ISC); they show de facto control. Antarctica is omitted. An overseas part of
    a country with its own code, such as French Guiana, counts as a territory that the map lacks.
    Projection: Equal Earth, Šavrič, Patterson and Jenny, International Journal of Geographical
    Information Science 33 (2019), 454-465.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({
    ...     "country_code": ["DE", "Germany", "SG"],
    ...     "country_alpha_2": ["DE", "DE", "SG"],
    ...     "country_name": ["Germany", "Germany", "Singapore"],
    ... })
    >>> ax = accounts_map(accounts)
    >>> print(ax.texts[-1].get_text().splitlines()[0])
    Not shown: 1 account in a territory too small for the map: Singapore (1).
    """
    table = stats.accounts_by_country(accounts)
    on_map = table["country_alpha_2"].isin([*worldmap.outlines()])
    with Canvas(
        *(table, "accounts_map", ax, title, caption, width),
        needs="a known country",
        rows=_ROWS,
    ) as canvas:
        if not canvas.is_empty:
            numbers = dict(table[on_map][["country_alpha_2", "accounts"]].to_numpy())
            _draw_map(canvas.ax, numbers, max(numbers.values(), default=1))
        unknown = _unknown(canvas.counts)
        canvas.notes = [unknown, _too_small(table[~on_map], is_continued=bool(unknown))]
    return canvas.ax


def _draw_map(ax: Axes, numbers: dict[str, int], most: int) -> None:
    """Draw each country in the shade of its number of accounts, with a legend of the classes."""
    lowest = size_classes(most)
    colours = shades(len(lowest))
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
            facecolor=colours[bisect_right(lowest, number) - 1] if number else "none",
            edgecolor=NEUTRAL,
            linewidth=0.35,
            gid=code,
            in_layout=False,  # all land lies within the sea
        )
        ax.add_artist(land)  # as `add_patch` without measuring each coast: the limits are set
        land.set_clip_path(edge, ax.transData)
    handles = [Patch(facecolor="none", edgecolor=NEUTRAL, label="none")]
    for label, colour in zip(class_labels(lowest, most), colours, strict=True):
        handles.append(Patch(facecolor=colour, edgecolor=NEUTRAL, label=label))
    axes.legend(ax, handles, "Accounts")


def size_classes(most: int) -> list[int]:
    """Divide 1 to `most` into a few classes of logarithmic width; return their lower bounds."""
    for steps in _divisions():
        lowest = list(islice(takewhile(most.__ge__, steps), _CLASSES + 1))
        if len(lowest) <= _CLASSES:
            return lowest
    raise AssertionError("some division is coarse enough")


def _divisions() -> Iterator[Iterator[int]]:
    """Yield sequences of lower bounds, the finest first."""
    yield count(1)
    yield (digit * 10**power for power in count() for digit in (1, 2, 5))
    yield (digit * 10**power for power in count() for digit in (1, 3))
    for step in count(1):
        yield (10 ** (step * power) for power in count())


def class_labels(lowest: list[int], most: int) -> list[str]:
    """Return the bounds of each class as labels."""
    ends = [*(low - 1 for low in lowest[1:]), most]
    return [
        f"{low:,}" if low == end else f"{low:,}–{end:,}"
        for low, end in zip(lowest, ends, strict=True)
    ]


def _unknown(counts: dict[str, int]) -> str:
    """Return a note on accounts without a known country; empty if all have one."""
    reasons = {
        "without a country": counts["country_missing"],
        "with one that was not identified": counts["country_unresolved"],
    }
    return text.not_shown(counts, reasons)


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
    accounts
        As for `dirframe.stats.accounts_by_kudo_rank`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per rank, from 1 (new) at the top to 10, labelled with the number of accounts and
        their share of the accounts with a rank. The caption states how many have none.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": [1, 9, 1]}))
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 0, 0, 0, 0, 0, 0, 0, 1, 0]
    """
    table = stats.accounts_by_kudo_rank(accounts)
    with Canvas(
        *(table, "accounts_by_kudo_rank", ax, title, caption, width),
        needs="a kudo rank",
        is_empty=not table["accounts"].sum(),
        rows=len(table),
    ) as canvas:
        if not canvas.is_empty:
            ends = {1: "1 (new)", 10: "10 (highest)"}
            names = [ends.get(rank, f"{rank}") for rank in table["kudo_rank"]]
            unit = "Accounts (share of those with a rank)"
            axes.bars(canvas.ax, table.assign(kudo_rank=names), "kudo_rank", "accounts", unit)
        reasons = {
            "without a kudo rank": canvas.counts["kudo_rank_missing"],
            "with an impossible one": canvas.counts["kudo_rank_impossible"],
        }
        canvas.notes = [text.not_shown(canvas.counts, reasons)]
    return canvas.ax


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
    accounts
        As for `dirframe.stats.posts_distribution`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each number of posts that occurs, at the number of accounts with it. Both axes
        are logarithmic, the x axis linear from 0 to 1, since most accounts have none. The caption
        states the maximum of half, 90% and 99% of the accounts.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = posts_distribution(pd.DataFrame({"posts_count": [0, 12, 0]}))
    >>> ax.lines[0].get_xdata().tolist()
    [0.0, 12.0]
    """
    table = stats.posts_distribution(accounts)
    with Canvas(
        *(table, "posts_distribution", ax, title, caption, width),
        needs="a valid number of posts",
    ) as canvas:
        if not canvas.is_empty:
            axes.frequencies(canvas.ax, table["posts"], table["accounts"])
            axes.units(canvas.ax, "Forum posts of an account, logarithmic", "Accounts, logarithmic")
            reasons = {
                "without a number of posts": canvas.counts["posts_missing"],
                "with a negative one": canvas.counts["posts_negative"],
            }
            canvas.notes = [
                text.at_most(table["posts"], table["share_at_most"]),
                text.not_shown(canvas.counts, reasons),
            ]
    return canvas.ax

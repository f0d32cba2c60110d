"""Charts of accounts by country: bars and a world map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from matplotlib.patches import Patch, PathPatch

from dirframe import stats
from dirframe._display.values import counted
from dirframe.plot._backends import drawn
from dirframe.plot._description.bins import Bins
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import axes, typography, worldmap
from dirframe.plot._drawing.bars import ranking

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

_ROWS = 12  # slightly more than the map needs, so that the layout leaves room for the title
_NAMED = 6  # territories named in the caption


@drawn("x")
def accounts_by_country(
    accounts: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of accounts by country.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them;
        `dirframe.stats.accounts_by_country` counts them.
    top : int or None, default 20
        Countries to show; the others become one hatched bar. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per country, the most accounts at the top, labelled with their number and their
        share of the accounts with a known country. The caption states how many are unknown.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.accounts_by_country`.

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
    table, counts = table_of(stats.accounts_by_country, accounts, top=top, **selection)
    return ranking(
        table,
        "country_name",
        "accounts",
        title="Accounts by country",
        unit="Accounts (share of those with a known country)",
        pooled=counts["countries_in_other"],
        message=typography.empty_reason(counts, "a known country"),
        notes=[_unknown(counts)],
    )


def _most_accounts(accounts: Frame) -> int:
    table = stats.accounts_by_country(accounts)
    on_map = table["country_alpha_2"].isin(list(worldmap.outlines()))
    return int(max(table["accounts"][on_map], default=1))


@drawn("", height=2.6, highest=_most_accounts)
def accounts_map(
    accounts: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of accounts by country on a world map.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them;
        `dirframe.stats.accounts_by_country` counts them.

    Returns
    -------
    matplotlib.axes.Axes
        Countries on an equal-area map, darker with the number of accounts (accounts), in at most
        six classes whose bounds grow by a factor, the same in all panels; a country without accounts is white. The caption
        states how many accounts the map cannot show: without a country, and in territories too
        small for the map, with their names. The shape of a country has its two-letter code as
        ``get_gid()``.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.accounts_by_country`.
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
    table, counts = table_of(stats.accounts_by_country, accounts, **selection)
    on_map = table["country_alpha_2"].isin(list(worldmap.outlines()))
    shown = table[on_map]
    classes = Bins.up_to(max(shown["accounts"], default=1))
    countries = Marks(
        kind="regions",
        table=shown,
        x=list(shown["country_alpha_2"]),
        y=list(shown["accounts"]),
        colours=[classes.colour(number) for number in shown["accounts"]],
    )
    note = _unknown(counts)
    return Chart(
        table=table,
        title="Accounts by country",
        empty=typography.empty_reason(counts, "a known country"),
        marks=[countries] if len(table) else [],
        notes=[note, _too_small(table[~on_map], is_continued=bool(note))],
        x=Axis(scale="none"),
        y=Axis(scale="none"),
        rows=_ROWS,
        key="Accounts",
        bins=classes,
        draw=_draw,
    )


def _draw(ax: Axes, chart: Chart) -> None:
    (countries,) = chart.marks
    axes.titles(ax, chart.title)
    colours = dict(zip(countries.x, countries.colours, strict=True))
    edge = worldmap.frame()
    (left, bottom), (right, top) = edge.get_extents().get_points()
    ax.set(xlim=(left, right), ylim=(bottom, top), xticks=[], yticks=[], aspect="equal", anchor="S")
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
    sea = PathPatch(edge, facecolor="none", edgecolor=NEUTRAL, linewidth=0.4, alpha=0.6)
    ax.add_patch(sea)
    for code, outline in worldmap.outlines().items():
        land = PathPatch(
            outline,
            facecolor=colours.get(code, "none"),
            edgecolor=NEUTRAL,
            linewidth=0.35,
            gid=code,
            in_layout=False,  # all land lies within the sea
        )
        ax.add_artist(land)  # as `add_patch` without measuring each coast: the limits are set
        land.set_clip_path(edge, ax.transData)
    no_accounts = Patch(facecolor="none", edgecolor=NEUTRAL, label="none")
    handles = chart.bins.handles() if chart.bins else []
    axes.legend(ax, [no_accounts, *handles], chart.key)


def _too_small(territories: pd.DataFrame, *, is_continued: bool) -> str:
    if territories.empty:
        return ""
    names = [
        f"{name} ({number:,})"
        for name, number in zip(territories["country_name"], territories["accounts"], strict=True)
    ]
    if (more := len(names) - _NAMED) > 1:
        names[_NAMED:] = [f"{more:,} others"]
    accounts = counted(int(territories["accounts"].sum()), "account")
    territory_text = "a territory" if len(territories) == 1 else f"{len(territories):,} territories"
    prefix = "Nor" if is_continued else "Not shown:"
    return f"{prefix} {accounts} in {territory_text} too small for the map: {', '.join(names)}."


def _unknown(counts: dict[str, int]) -> str:
    """Return a note on accounts without a known country; empty if all have one."""
    reasons = {
        "without a country": counts["country_missing"],
        "with one that was not identified": counts["country_unresolved"],
    }
    return typography.not_shown(counts, reasons)

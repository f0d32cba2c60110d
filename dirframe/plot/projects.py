"""Charts of projects: their contributors, commits, users, licences and tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import pandas as pd
from matplotlib.axes import Axes

from dirframe import provenance, stats
from dirframe._display import percent, quantity
from dirframe.plot import axes, text
from dirframe.plot.axes import bar_chart, distribution_chart
from dirframe.plot.canvas import Canvas, Look, of_project
from dirframe.plot.colours import ACCENT, NEUTRAL, classes
from dirframe.stats.records import CONTRIBUTORS, Frame, fetch
from dirframe.stats.result import REASONS

_DOTS = 60  # contributors; more dots would merge into a line


def contributor_distribution(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw a dot for each number of contributors, at the number of projects with it.

    Both axes are logarithmic, the x axis linear from 0 to 1, since many have none. The caption
    states what half, 90% and 99% have at most. Options as `dirframe.stats.contributor_distribution`
    and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 0, 3]})
    >>> contributor_distribution(projects).lines[0].get_ydata().tolist()
    [2.0, 1.0]
    """
    table = stats.contributor_distribution(frame)
    unit = "Contributors of a project (people in twelve months)"
    return distribution_chart(table, ax, look, unit=unit)


def team_size_classes(
    frame: Frame,
    *,
    ax: Axes | None = None,
    bounds: Sequence[int] = (0, 1, 2, 5, 10, 20, 50, 100),
    **look: Unpack[Look],
) -> Axes:
    """Draw a bar for each size of teams: its projects, and their share of those with a valid one.

    Options as `dirframe.stats.team_size_classes` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> [int(bar.get_width()) for bar in team_size_classes(projects, bounds=[0, 1, 5]).patches]
    [1, 2, 1]
    """
    table = stats.team_size_classes(frame, bounds=bounds)
    return bar_chart(table, ax, look, "Size: people who contributed in twelve months.")


def lorenz(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw the Lorenz curve of contributors over projects, with the Gini coefficient.

    The cumulative share of contributors, from the projects with the fewest, beside the diagonal of
    equality. The caption states the share of the top tenth, and the coefficient without the
    projects that have none. Options as `dirframe.stats.lorenz` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> lorenz(projects).texts[0].get_text()
    'Gini coefficient 0.62'
    """
    frame = fetch(frame, [CONTRIBUTORS])  # a stream can be read only once
    table = stats.lorenz(frame)
    canvas = Canvas(table, ax, look, needs="with a contributor", rows=13, inches=4.6)
    ax = canvas.ax
    ax.set(aspect="equal", anchor="SW")  # the caption starts at the left and uses the full width
    if canvas.is_empty:
        return canvas.finish()
    x, y = (table[name].to_numpy(float) for name in ("projects_share", "contributors_share"))
    measures = stats.contributor_concentration(frame).iloc[0]
    gini, positive = measures["gini"], measures["gini_without_zeros"]
    top_tenth = measures["top_10_percent_share"]
    ax.plot([0, 1], [0, 1], "--", color=NEUTRAL, linewidth=1, label="equality")
    ax.fill_between(x, x, y, color=ACCENT, alpha=0.15, linewidth=0)
    ax.plot(x, y, color=ACCENT, linewidth=1.8, label="lorenz", clip_on=False)
    size = text.size(ax, "small")
    ax.text(0.04, 0.95, f"Gini coefficient {gini:.2f}", va="top", fontsize=size)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    axes.share_axis(ax.xaxis)
    axes.share_axis(ax.yaxis)
    axes.units(ax, "Projects, those with the fewest first (share)", "Contributors (share)")
    axes.grid(ax)
    none = percent(float(x[y == 0].max()))
    return canvas.finish(
        f"The top 10% of projects have {percent(top_tenth)} of all contributors.",
        x[y == 0].size > 1
        and f"Without the {none} that have none, the coefficient is {positive:.2f}.",
        pad=4,
    )


def commits_by_contributor(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw the cumulative share of a project's commits, the most active contributors first.

    Over their number (logarithmic). Dashed lines mark half of the commits and the bus factor, who
    reach it. The caption states the shares of the first and the first five. Options as
    `dirframe.stats.commits_by_contributor` and `dirframe.plot`.

    Examples
    --------
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame).lines[0].get_ydata().tolist()
    [0.6, 0.9, 1.0]
    """
    # A stream can be read only once.
    columns = ["contributor_id", "contributor_name", "commits", "project_id"]
    frame = fetch(frame, columns)
    table = stats.commits_by_contributor(frame)
    measures = stats.commit_concentration(frame).iloc[0]
    bus_factor = measures["bus_factor"]
    canvas = Canvas(table, ax, look, needs="with a commit", is_empty=pd.isna(bus_factor))
    canvas.subject = of_project(frame)
    if canvas.is_empty:
        return canvas.finish()
    ax = canvas.ax
    ranks, shares = (table[name].to_numpy(float) for name in ("rank", "cumulative_share"))
    marker = "o" if len(table) <= _DOTS else ""
    ax.plot(ranks, shares, marker=marker, color=ACCENT, linewidth=1.8, markersize=3)
    ax.plot([0, bus_factor, bus_factor], [0.5, 0.5, 0], "--", color=NEUTRAL, linewidth=1)
    axes.log_axis(ax, "x", ranks[-1], least=0.7)
    axes.share_axis(ax.yaxis)
    ax.set_ylim(0, 1.04)
    unit = "Contributors, most commits first (people), logarithmic"
    axes.units(ax, unit, "Commits of all these (share)")
    axes.grid(ax)
    # To the right of the bus factor, the curve is above the half.
    place: Any = {"textcoords": "offset points", "va": "center", "fontsize": text.size(ax, "small")}
    ax.annotate(f"Bus factor {bus_factor:,.0f}", (bus_factor, 0.25), (4, 0), **place)
    rest = f", the first five have {percent(measures['top_5_share'])}." if len(table) > 5 else "."
    return canvas.finish(
        f"The first has {percent(measures['top_1_share'])} of the commits{rest}",
        "Bus factor: the fewest people who made half of the commits.",
    )


def users_against_contributors(
    frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]
) -> Axes:
    """Draw a dot for each pair of users and contributors, larger and darker the more projects.

    Both axes are logarithmic, and linear from 0 to 1, since many projects have none. Options as
    `dirframe.stats.users_against_contributors` and `dirframe.plot`.

    Examples
    --------
    >>> people = "analysis_twelve_month_contributor_count"
    >>> projects = pd.DataFrame({"stack_count": [7, 0, 0], people: [2, 1, 1]})
    >>> users_against_contributors(projects).collections[0].get_offsets().tolist()
    [[7.0, 2.0]]
    """
    table = stats.users_against_contributors(frame)
    canvas = Canvas(table, ax, look)
    if canvas.is_empty:
        return canvas.finish()
    ax, (x, y) = canvas.ax, (table[name].astype(float) for name in ("users", "contributors"))
    unit = "Contributors (people in twelve months), logarithmic"
    axes.units(ax, "Users (members), logarithmic", unit)
    axes.grid(ax)
    axes.log_axis(ax, "x", x.max())
    axes.log_axis(ax, "y", y.max())
    places, present = classes(table["projects"])
    smallest = (0.5 * text.size(ax, "small")) ** 2
    edge: Any = {"edgecolor": NEUTRAL, "linewidth": 0.4, "clip_on": False, "zorder": 3}
    dots = []
    for place, (label, shade) in present.items():  # the most projects are on top
        rows, area = places == place, smallest * (1 + 0.6 * place)
        dots.append(ax.scatter(x[rows], y[rows], area, [shade], label=label, **edge))
    axes.legend(ax, dots, "Projects")
    counts = text.counts_of(table)
    faults = sum(number for name, number in counts.items() if name in REASONS)
    is_twice = faults > counts["projects"] - counts["with_both"]
    what = "Not shown, some for two reasons" if is_twice else "Not shown"
    return canvas.finish(text.not_shown(table, what=what), reasons=())


def licenses(
    frame: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each licence: its projects, and their share of those with one.

    Options as `dirframe.stats.licenses` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "gpl3"}]]})
    >>> [int(bar.get_width()) for bar in licenses(projects).patches]
    [2]
    """
    table = stats.licenses(frame, top=top)
    table["title"] = table["title"].fillna(table["license"])
    return bar_chart(table, ax, look, "A project can have several.", name="title")


def license_families(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw a bar for each family of licences: its projects, and their share of all.

    Options as `dirframe.stats.license_families` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"licenses": [[{"name": "gpl3"}], [{"name": "mit"}]]})
    >>> [int(bar.get_width()) for bar in license_families(projects).patches]
    [1, 0, 1, 0, 0]
    """
    table = stats.license_families(frame)
    return bar_chart(
        table,
        ax,
        look,
        "A project can have licences of several families; none: it names none.",
        unit="Projects (share of all)",
        reasons=(),
    )


def tags(
    frame: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each tag: its projects, and their share of those with one.

    A bar for other tags would dwarf the rest: the caption states their number. Options as
    `dirframe.stats.tags` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"tags": [["xml", "web"], ["xml"]]})
    >>> [int(bar.get_width()) for bar in tags(projects).patches]
    [2, 1]
    """
    table = stats.tags(frame, top=top)
    notes = ["A project can have several."]
    if others := text.counts_of(table)["tags_in_other"]:
        with_others = quantity(int(table["projects"].iloc[-1]), "project")
        notes.append(f"{with_others} with any of {others:,} other tags.")
        table = table.iloc[:-1]
        base = provenance.get_provenance(table)["base"]
        provenance.set_provenance(table, base=base | {"rows": len(table)})  # the note says it
    return bar_chart(table, ax, look, *notes, colours=[ACCENT] * len(table))

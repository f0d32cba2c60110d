"""Small multiples: a chart once for each stratum, on axes that are the same.

What stays out: the charts themselves, and what a stratum is (`dirframe.stats._strata`).
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Literal, ParamSpec

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import FixedLocator

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.plot import _axes, _text
from dirframe.stats._edges import finish
from dirframe.stats._exclusion import excluded
from dirframe.stats._selection import BY_CHART, extended, noted, taken
from dirframe.stats._strata import strata_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from matplotlib.axes import Axes

    from dirframe.stats._selection import Selection
    from dirframe.stats._strata import Stratum

P = ParamSpec("P")

PANELS = 9  # more of them are too small to compare
_COLUMNS = 3
_WIDTH = 3.7  # inches
_CAPTION = 7  # points, as the caption of a chart that is small


def multiples(
    share: Literal["", "x", "xy"], *, height: float = 3.2
) -> Callable[[Callable[P, Axes]], Callable[P, Axes]]:
    """Let a chart take `Selection`; `share` are the axes that its panels have in common.

    Without any, the chart has no sensible panels and refuses them. A panel is `height` inches.
    """

    def decorate(chart: Callable[P, Axes]) -> Callable[P, Axes]:
        signature, state = extended(chart, BY_CHART)
        name = getattr(chart, "__name__", "chart")

        @wraps(chart)
        def wrapper(*args: P.args, **options: P.kwargs) -> Axes:
            frame, own, selection = taken(name, signature, args, options)
            draw: Callable[..., Axes] = chart
            if selection["by"] is None:
                some = {what: selection[what] for what in ("exclude", "max_age")}
                return draw(frame, **own, **some)
            if not share:
                raise InvalidInputError(
                    f"plot.{name} has no panels by stratum: it would be too small to read. "
                    "Draw the records of one stratum at a time."
                )
            if own.pop("ax", None) is not None:
                raise InvalidInputError("by= draws a figure of its own: leave out ax, or by.")
            return _draw(frame, selection, lambda part, ax: draw(part, ax=ax, **own), share, height)

        return state(wrapper)

    return decorate


def _draw(
    frame: Any,
    selection: Selection,
    draw: Callable[[Any, Axes], Axes],
    share: str,
    height: float,
) -> Axes:
    kept, numbers = excluded(frame, selection["exclude"], selection["max_age"])
    by = selection["by"] or ()
    strata = strata_of(kept, by, min_records=selection["min_records"], most=PANELS)
    if not strata:
        return draw(kept, _axes.axes(None, 4))
    lines = -(-len(strata) // _COLUMNS)
    columns = min(len(strata), _COLUMNS)
    size = (_WIDTH * columns, height * lines + 0.8)
    figure, grid = plt.subplots(lines, columns, figsize=size, layout="constrained", squeeze=False)
    try:
        panels = list(grid.flat)
        for ax in panels[len(strata) :]:
            ax.remove()
        panels = panels[: len(strata)]
        title = ""
        for ax, stratum in zip(panels, strata, strict=True):
            ax.set_gid(_axes.PANEL)
            draw(stratum.frame, ax)
            title = ax.get_title().replace("\n", " ")
            named = f"{_text.short(stratum.title)} (n = {stratum.records:,})"
            ax.set_title(named, fontsize=_text.size(ax, "medium"), **_text.literal())
        for place, ax in enumerate(panels):  # the outer ones say it for all
            if place + columns < len(panels):
                ax.set_xlabel("")
            if place % columns and ax.has_data():
                ax.set_ylabel("")
        for which in share:
            _same(panels, which)
        said = ", ".join([by] if isinstance(by, str) else by).replace("_", " ")
        figure.suptitle(f"{title}, by {said}", **_text.literal())
        _caption(figure, kept, numbers, strata)
    except BaseException:
        plt.close(figure)
        raise
    first: Axes = panels[0]
    return first


def _same(panels: Sequence[Axes], which: str) -> None:
    """Give panels the widest limits of any, and its ticks where they were set one by one."""
    drawn = [ax for ax in panels if ax.has_data()]
    if not drawn:
        return
    limits = [getattr(ax, f"get_{which}lim")() for ax in drawn]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    widest = max(drawn, key=lambda ax: abs(getattr(ax, f"get_{which}lim")()[1]))
    ticks = getattr(widest, f"{which}axis").get_major_locator()
    for ax in drawn:
        if isinstance(ticks, FixedLocator):
            getattr(ax, f"set_{which}ticks")([float(tick) for tick in ticks()])
        getattr(ax, f"set_{which}lim")(low, high)


def _caption(figure: Any, kept: Any, numbers: dict[str, int], strata: Sequence[Stratum]) -> None:
    resource = provenance.describe(kept)["resource"] if isinstance(kept, pd.DataFrame) else ""
    collection = {"account": "accounts", "project": "projects"}.get(resource, "records")
    records = {collection: sum(stratum.records for stratum in strata)}
    table = finish(kept, pd.DataFrame(), step="", resource=resource, counted=records)
    notes = []
    if pooled := sum(stratum.pooled for stratum in strata):
        notes.append(f"The last panel holds {_text.counted(pooled, 'smaller group')} together.")
    table = noted(table, numbers, before=1)
    text = "\n".join([" ".join([*notes, _axes.excluded(table)]), provenance.caption(table)])
    wide = figure.get_figwidth() * 72
    shown = _text.wrapped(text.strip(), _CAPTION, 0.95 * wide)
    figure.supxlabel(
        shown, x=0.01, ha="left", fontsize=_CAPTION, alpha=0.75, gid="caption", **_text.literal()
    )

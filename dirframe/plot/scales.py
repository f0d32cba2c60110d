"""Scales of charts: numbers, shares, dates, and their ticks and grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import matplotlib as mpl
from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import (
    FixedLocator,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    NullLocator,
    PercentFormatter,
    SymmetricalLogLocator,
)

from dirframe.plot import fonts

_UNITS = {1e9: "bn", 1e6: "M", 1e3: "k"}
#: Factor from the width of axes before the layout to that of axes and the margins beside them.
_MARGINS = 1.2
_YEAR_WIDTH = 4.0  # ems of a tick with a year
_SHORT_FROM = 10_000  # numbers of an axis that reaches this have a unit


#: Years from tick to tick, the finest first.
_YEARS_BETWEEN = (1, 2, 5, 10, 20, 50)


class _DateLocator(dates.AutoDateLocator):
    """Ticks of dates: on an axis of years at least two, however narrow it is."""

    def __init__(self, most: dict[int, int]) -> None:
        super().__init__(minticks=2, maxticks=most)  # type: ignore[no-untyped-call]  # it has no types
        # Where there is room for two ticks, Matplotlib has no interval for some months or days.
        self.intervald[dates.MONTHLY] = [*self.intervald[dates.MONTHLY], 12]
        self.intervald[dates.DAILY] = [*self.intervald[dates.DAILY], 30]

    def get_locator(self, dmin: datetime, dmax: datetime) -> Any:
        """Return the locator of the ticks between two times."""
        locator = dates.AutoDateLocator.get_locator(self, dmin, dmax)
        if not isinstance(locator, dates.YearLocator):
            return locator
        low, high = dates.date2num([dmin, dmax])
        if sum(low <= tick <= high for tick in locator.tick_values(dmin, dmax)) >= 2:
            return locator
        first = dmin.year if (dmin.month, dmin.day) == (1, 1) else dmin.year + 1
        years = list(range(first, dmax.year + 1))
        for step in reversed(_YEARS_BETWEEN):
            ticks = [year for year in years if year % step == 0]
            if len(ticks) >= 2:
                break
        if len(ticks) > self.maxticks[dates.YEARLY]:
            ticks = [ticks[0], ticks[-1]]
        return FixedLocator([dates.date2num(datetime(year, 1, 1, tzinfo=UTC)) for year in ticks])


def compact(number: float, digits: int = 3, *, pads: bool = False) -> str:
    """Format a number with a unit: 950, 2.1k, 50k, 1.25M, 4.5bn.

    With `pads`, one with a unit has all digits: 2.10k, 50.0k.
    """
    for size, unit in _UNITS.items():
        # 999,999 with three digits is 1M, not 1e+03k.
        if abs(number) >= size * (1 - 0.5 / 10**digits):
            rounded = float(f"{number / size:.{digits}g}")
            text = f"{rounded:#,.{digits}g}" if pads and rounded < 10**digits else f"{rounded:,g}"
            return f"{text.removesuffix('.')}{unit}"
    return f"{number:,g}"


def grid(ax: Axes, which: Literal["both", "x", "y"] = "both") -> None:
    """Draw pale lines behind what is drawn, and no box around it."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, axis=which, linewidth=0.6, alpha=0.5)
    ax.set_axisbelow(True)


def number_axis(axis: Axis) -> None:
    """Set ticks at whole numbers, as many as have room."""
    locator = MaxNLocator("auto", integer=True, min_n_ticks=2, steps=[1, 2, 5, 10])
    axis.set(major_locator=locator, major_formatter=lambda number, _: _on_axis(axis, number))


def year_axis(axis: Axis) -> None:
    """Set ticks at whole years."""
    axis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    axis.set_major_formatter("{x:.0f}")


def share_axis(axis: Axis) -> None:
    """Show shares in percent."""
    axis.set(major_locator=MaxNLocator(5), major_formatter=PercentFormatter(1, decimals=0))


def log_number_axis(ax: Axes, most: float) -> None:
    """Set a logarithmic x axis of numbers from 1 to a little beyond the most."""
    ax.set(xscale="log", xlim=(0.85, 1.4 * max(most, 10)))
    ax.xaxis.set_major_locator(LogLocator(base=10, numticks=8))
    ax.xaxis.set_major_formatter(lambda number, _: _on_axis(ax.xaxis, number))
    ax.xaxis.set_minor_locator(NullLocator())


def log_share_axis(ax: Axes, least: float) -> None:
    """Set a logarithmic y axis of shares from a little below the least to all."""
    ax.set(yscale="log", ylim=(min(least, 0.1) / 1.3, 1.3))
    ax.yaxis.set_major_locator(LogLocator(base=10, numticks=8))
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    ax.yaxis.set_minor_formatter(NullFormatter())


def log_axis_from_zero(ax: Axes, most: float) -> None:
    """Set an x axis that is linear from 0 to 1, then logarithmic."""
    ax.set_xscale("symlog", linthresh=1, linscale=0.5)
    locator = SymmetricalLogLocator(base=10, linthresh=1, subs=[1.0] if most >= 50 else [1, 2, 5])
    locator.set_params(numticks=8)
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(lambda number, _: _on_axis(ax.xaxis, number))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(-0.15, max(most, 1) * 1.15)


def date_axis(ax: Axes, taken: float = 0) -> None:
    """Set an x axis of dates, with as many ticks as fit.

    `taken` are the points of the width that the layout will give to texts beside the axes.
    """
    ax.xaxis_date()
    # The layout gives axes with little text beside them some of the margins, too.
    room = max(_MARGINS * fonts.axes_width(ax) - taken, fonts.axes_width(ax) / 3)
    ems = room / fonts.font_size(ax, mpl.rcParams["xtick.labelsize"])
    widths = {dates.YEARLY: 3.6, dates.MONTHLY: 6, dates.DAILY: 8}
    most = {unit: max(int(ems / width), 2) for unit, width in widths.items()}
    locator = _DateLocator(most)
    formats = ["%Y", "%Y-%m", "%Y-%m-%d", "%H:%M", "%H:%M", "%S.%f"]
    at_zero = ["", *formats[:4], "%H:%M"]
    formatter = dates.ConciseDateFormatter(
        locator, formats=formats, zero_formats=at_zero, show_offset=False
    )
    ax.xaxis.set(major_locator=locator, major_formatter=formatter)


def step_of_years(years: float, fitting: float) -> int:
    """Return the years from tick to tick, of which as many fit."""
    for step in _YEARS_BETWEEN:
        if years / step <= fitting:
            return step
    return _YEARS_BETWEEN[-1]


def middle_of_years_axis(ax: Axes, years: float) -> None:
    """Set an x axis of dates with ticks in the middle of years, as many as fit."""
    ax.xaxis_date()
    ems = fonts.axes_width(ax) / fonts.font_size(ax, mpl.rcParams["xtick.labelsize"])
    step = step_of_years(years, max(ems / _YEAR_WIDTH, 1))
    ax.xaxis.set_major_locator(dates.YearLocator(step, month=7, day=2))
    ax.xaxis.set_major_formatter(dates.DateFormatter("%Y"))


def labelled_ticks(axis: Axis, places: Sequence[float], text: Callable[[int], str]) -> None:
    """Set ticks at places; `text` labels each whole number, since panels share their ticks."""
    axis.set_major_locator(FixedLocator(list(places)))
    axis.set_major_formatter(lambda place, _: text(round(place)))


def _on_axis(axis: Axis, number: float) -> str:
    """Format the number of a tick: with a unit where those of its axis are long."""
    is_long = max(axis.get_view_interval()) >= _SHORT_FROM
    return compact(number) if is_long else f"{number:,g}"

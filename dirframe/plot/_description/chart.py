"""What a chart shows: stated once, and drawn by Matplotlib."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dirframe.plot._description.options import current

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot._description.bins import Bins

_ROWS = 11  # height of a chart with two numeric axes, in rows


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis; one of ``rows`` has a name for each, a logarithm includes zero but for ``ratio``."""

    label: str = ""
    scale: Literal["number", "share", "log", "ratio", "date", "rows", "none"] = "number"
    names: Sequence[str] = ()
    least: float = 0
    limits: tuple[float, float] | None = None

    @property
    def text(self) -> str:
        """Label that says so if the axis is logarithmic."""
        return f"{self.label}, logarithmic" if self.scale in {"log", "ratio"} else self.label


@dataclass(frozen=True, kw_only=True, eq=False)
class Marks:
    """Bars, dots, a line or countries: each mark shows a row of the table.

    `rows` are horizontal bars, of the length `x` from `base`; `columns` are vertical ones, which
    without a `width` lie between the edges `x`. `bubbles` have a colour and a size each, dots
    without a colour are rings. `table` is empty for marks without data of their own. By default
    they have the accent colour. Fewer `records` than ten are pale.
    """

    kind: Literal["rows", "columns", "dots", "bubbles", "line", "regions"]
    table: pd.DataFrame
    x: Any
    y: Any
    base: Any = 0
    width: Any = None
    colours: Sequence[str] = field(default_factory=lambda: [current().palette.accent])
    hatches: Sequence[str] = ()
    records: Sequence[int] = ()
    sizes: Sequence[float] = ()
    symbol: Literal["o", "|"] = "o"
    labels: Sequence[str] = ()
    name: str = ""
    unfinished: Any = False
    #: Low and high ends, and the width in points, of lines at the marks.
    ranges: Sequence[tuple[Any, Any, float]] = ()
    is_filled: bool = False
    dash: Literal["solid", "dash", "dot", "dashdot"] = "solid"
    is_stepped: bool = False
    #: Low and high ends of a band around a line.
    band: tuple[Any, Any] | None = None
    lane: int = 0

    def ends(self, which: str) -> Iterator[float]:
        """Yield the values along an axis, with the ends of bars and ranges."""
        if self.kind == "regions":
            return
        is_length = (self.kind, which) in {("rows", "x"), ("columns", "y")}
        base = np.asarray(self.base, dtype=float)
        values = np.asarray(getattr(self, which), dtype=float)
        ends = [values + base if is_length else values]
        if is_length and np.ndim(base):
            ends.append(base)
        if which == "x":
            ends += [np.asarray(end, float) for low, high, _ in self.ranges for end in (low, high)]
        yield from (float(value) for end in ends for value in end if not np.isnan(value))


@dataclass(frozen=True, kw_only=True)
class Remark:
    """Text at a place in the chart."""

    text: str
    x: float
    y: float
    #: Height of the text if it only fits to the left of `x`.
    y_left: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Chart:
    """A chart of a table; without marks it says why it is empty.

    Axes have the height of `rows`; `draw` replaces the Matplotlib renderer, for a chart with more
    than its marks. `columns` are numbers beside the rows, `key` is the title of the legend, `bins`
    its classes; at `reference` on the x axis is a dashed line.
    """

    table: pd.DataFrame
    title: str
    empty: str
    marks: Sequence[Marks] = ()
    notes: Sequence[str] = ()
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    rows: int = _ROWS
    is_square: bool = False
    remark: Remark | None = None
    reference: float | None = None
    key: str = ""
    bins: Bins | None = None
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lanes: Sequence[str] = ()
    draw: Callable[[Axes, Chart], None] | None = None

    @property
    def shown_notes(self) -> Sequence[str]:
        """Notes on the marks; without marks there are none."""
        return self.notes if self.marks else ()

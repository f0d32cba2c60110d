"""Plotly figures of charts and panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.errors import MissingExtraError
from dirframe.plot._description.chart import Chart
from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.options import current
from dirframe.plot._drawing import axes, typography
from dirframe.plot._interactive.scales import GRID, SMALL, TEXT, limits_of, ticks
from dirframe.plot._interactive.traces import INK, coordinates, legend_entries, literal, traces

try:
    from dirframe.plot._interactive.figure import InteractiveFigure
except ImportError as error:
    raise MissingExtraError("plotly", purpose="An interactive chart") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.plot._description.chart import Axis
    from dirframe.plot._drawing.panels import Panel, Panels

# All in pixels, which Plotly takes for points, too.
_TITLE = 16.0
_LINE = 1.35  # of a size of text
_NARROW = 350.0  # what texts are wrapped to: a figure without a width takes that of its page
_PANELS_WIDTH = 720.0
_ROW, _PLOT, _LANES, _MAP = 22.0, 300.0, 380.0, 320.0
_PIXELS = 96  # an inch
_NAMES = 195.0  # at most, for the names of rows
_RIGHT = 18.0


def figure_of(what: Chart | Panels, name: str) -> InteractiveFigure:
    """Return the figure of a chart or of panels; `name` is that of the downloaded file."""
    look = current()
    if isinstance(what, Chart):
        notes: Sequence[str] = what.shown_notes
        charts: list[tuple[str, Chart | None, str]] = [("", what, "")]
    else:
        notes = what.notes
        charts = [(panel.title, panel.chart, _message(panel)) for panel in what.panels]
    width = look.inches * _PIXELS if look.inches else None
    if len(charts) > 1 and width is None:
        width = _PANELS_WIDTH
    page = _Page(width, columns=min(len(charts), max(int((width or 0) / 320), 1)))
    title = what.title if look.title is None else look.title
    page.add(charts, share="" if isinstance(what, Chart) else what.share)
    return page.figure(title, axes.caption_text(what.table, notes), name)


def _message(panel: Panel) -> str:
    return panel.message or (panel.notes if current().caption is True else "")


class _Page:
    """Collects traces, axes and texts in a grid of panels, with sizes in pixels."""

    def __init__(self, width: float | None, *, columns: int) -> None:
        self._width = width
        self._room = width or _NARROW
        self._columns = columns
        self._traces: list[dict[str, Any]] = []
        self._axes: dict[str, dict[str, Any]] = {}
        self._texts: list[dict[str, Any]] = []
        self._shapes: list[dict[str, Any]] = []
        self._count = 0
        self._left = 12.0
        self._below = 0.0
        self._inner = 0.0
        self._plot = 0.0
        self._key = ""
        self._has_heads = False

    def add(self, charts: Sequence[tuple[str, Chart | None, str]], *, share: str) -> None:
        """Place the charts in the grid, from left to right."""
        shown = [chart for _, chart, _ in charts if chart]
        names = max((_names_width(chart) for chart in shown), default=0.0)
        self._left = 12 + names
        self._has_heads = len(charts) > 1 or any(chart.lanes for chart in shown)
        lines = -(-len(charts) // self._columns)
        plot = self._room - self._left - _RIGHT
        gap = (names + 30) / plot if self._columns > 1 else 0.0
        breadth = (1 - gap * (self._columns - 1)) / self._columns
        self._inner = inner = breadth * plot
        bottom = max((_below(chart, inner) for chart in shown), default=0.0)
        height = max((_height(chart) for chart in shown), default=_PLOT)
        notes = [typography.wrapped(note, SMALL, inner) for _, _, note in charts]
        head = 26.0 if len(charts) > 1 else 0.0
        foot = bottom + max(_lines(note) for note in notes) * SMALL * _LINE
        self._plot = lines * (height + head + foot) - foot
        self._below = foot
        for index, (title, chart, _) in enumerate(charts):
            line, column = divmod(index, self._columns)
            left = column * (breadth + gap)
            top = 1 - (line * (height + head + foot) + head) / self._plot
            low = top - height / self._plot
            domain = (left, left + breadth, max(low, 0.0), top)
            if title:
                self._text(title, left, top, size=TEXT, shift=4, yanchor="bottom", width=inner)
            if notes[index]:
                self._text(notes[index], left, low, size=SMALL, shift=-bottom, yanchor="top")
            if chart and chart.marks:
                self._chart(chart, domain, share)
            else:
                number = str(self._count + 1) if self._count else ""
                self._count += 1
                hidden = {"visible": False, "domain": [left, left + breadth]}
                self._axes[f"xaxis{number}"] = hidden
                self._axes[f"yaxis{number}"] = hidden | {"domain": [max(low, 0.0), top]}
                reason = typography.wrapped(chart.empty if chart else "", TEXT + 2, inner)
                x, y = (domain[0] + domain[1]) / 2, (domain[2] + domain[3]) / 2
                self._text(reason, x, y, size=TEXT + 2, yanchor="middle", xanchor="center")
        if key := next((chart for chart in shown if chart.key and chart.marks), None):
            self._key = key.key
            self._traces += legend_entries(key)

    def _chart(self, chart: Chart, domain: tuple[float, ...], share: str) -> None:
        left, right, low, high = domain
        lanes = max(len(chart.lanes), 1)
        for lane in range(lanes):
            self._count += 1
            number = "" if self._count == 1 else str(self._count)
            step = (high - low) / lanes
            top = high - lane * step
            x = self._axis(chart, "x", lane) | {"domain": [left, right], "anchor": f"y{number}"}
            y = self._axis(chart, "y", lane) | {"anchor": f"x{number}"}
            y["domain"] = [top - step * (0.86 if lanes > 1 else 1), top]
            if chart.y.text:
                self._text(
                    typography.wrapped(chart.y.text, TEXT, _height(chart)),
                    left,
                    (low + high) / 2,
                    size=TEXT,
                    textangle=-90,
                    align="center",
                    xshift=4 - _names_width(chart),
                    yanchor="middle",
                )
            if lanes > 1:
                self._text(chart.lanes[lane], left, top, size=SMALL, yanchor="bottom")
            if lane < lanes - 1:
                x |= {"showticklabels": False, "title": None}
            if number:
                x |= {"matches": "x"} if "x" in share or lane else {}
                y |= {"matches": "y"} if "y" in share and lanes == 1 else {}
            if chart.x.scale == "none":
                y |= {"scaleanchor": f"x{number}", "constrain": "domain"}
            if chart.is_square:
                x |= {"constrain": "domain"}
                y |= {"scaleanchor": f"x{number}", "constrain": "domain"}
            self._axes[f"xaxis{number}"], self._axes[f"yaxis{number}"] = x, y
            for marks in chart.marks:
                if marks.lane == lane:
                    for trace in traces(chart, marks):
                        seen = {old["name"] for old in self._traces if old.get("showlegend")}
                        if trace.get("name") in seen:
                            trace["showlegend"] = False
                        self._traces.append(trace | {"xaxis": f"x{number}", "yaxis": f"y{number}"})
        self._annotate(chart, number)

    def _annotate(self, chart: Chart, number: str) -> None:
        if chart.reference is not None:
            at = float(coordinates(chart.x, [chart.reference])[0])
            line = {"x0": at, "x1": at, "y0": 0, "y1": 1}
            how = {"line": {"width": 1, "dash": "dash", "color": NEUTRAL}, "layer": "below"}
            references = {"xref": f"x{number}", "yref": f"y{number} domain"}
            self._shapes.append({"type": "line"} | line | how | references)
        if remark := chart.remark:
            self._texts.append(
                {
                    "text": literal(remark.text),
                    "x": float(coordinates(chart.x, [remark.x])[0]),
                    "y": float(coordinates(chart.y, [remark.y])[0]),
                    "xref": f"x{number}",
                    "yref": f"y{number}",
                    "xanchor": "left",
                    "xshift": 4,
                    "showarrow": False,
                }
            )

    def _axis(self, chart: Chart, which: str, lane: int) -> dict[str, Any]:
        axis: Axis = getattr(chart, which)
        # The title of the vertical one is a text: Plotly would move it away from a legend.
        text = literal(typography.wrapped(axis.text, TEXT, self._inner)) if which == "x" else ""
        marks = [marks for marks in chart.marks if marks.lane == lane]
        labels = typography.widest((text for mark in marks for text in mark.labels), TEXT)
        room = 1 - min((labels + 6) / self._inner, 0.6)
        return {
            "title": {"text": text, "font": {"size": TEXT}, "standoff": 8},
            "gridcolor": GRID,
            "zeroline": False,
            "tickangle": 0,
            "ticks": "outside",
            "ticklen": 5,
            "tickcolor": GRID,
            **limits_of(chart, which, [end for mark in marks for end in mark.ends(which)], room),
            **ticks(axis, self._inner * room, marks, which),
        }

    def _text(self, text: str, x: float, y: float, *, size: float, **how: Any) -> None:
        shift, width = how.pop("shift", 0), how.pop("width", None)
        if width:
            text = typography.wrapped(text, size, width)
        self._texts.append(
            {
                "text": literal(text),
                "x": x,
                "y": y,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yshift": shift,
                "align": "left",
                "font": {"size": size},
                "showarrow": False,
            }
            | how
        )

    def figure(self, title: str, caption: str, name: str) -> InteractiveFigure:
        """Return the figure, with its title above and its caption below."""
        head = typography.wrapped(title, _TITLE, self._room - 24)
        foot = typography.wrapped(caption, SMALL, self._room - 16)
        top = 14 + _lines(head) * _TITLE * _LINE
        if self._key:
            entries = [trace["name"] for trace in self._traces if trace.get("showlegend")]
            # Entries are in columns of the same width, beside the title of the legend.
            room = self._room - 24 - typography.widest([self._key], TEXT)
            columns = max(int(room / (typography.widest(entries, TEXT) + 46)), 1)
            top += -(-len(entries) // columns) * 20 + 6
        if self._has_heads:
            top += 26
        bottom = self._below + 8 + _lines(foot) * SMALL * _LINE
        if foot:
            left, how = 12 - self._left, {"yanchor": "top", "name": "caption"}
            self._text(foot, 0, 0, size=SMALL, shift=-self._below, xshift=left, **how)
        legend = {
            "title": {"text": f"{literal(self._key)}  "},
            "orientation": "h",
            "xref": "container",
            "x": 0.02,
            "y": 1 + 4 / self._plot,
            "yanchor": "bottom",
            "traceorder": "normal",
            "itemclick": False,
            "itemdoubleclick": False,
        }
        layout = {
            "title": {
                "text": literal(head),
                "font": {"size": _TITLE},
                "x": 0,
                "xref": "container",
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "pad": {"l": 12, "t": 10 + (_lines(head) - 1) * _TITLE},
            },
            "width": self._width,
            "height": round(top + self._plot + bottom),
            "margin": {"l": self._left, "r": _RIGHT, "t": top, "b": bottom, "autoexpand": False},
            "font": {"family": "Arial, Helvetica, sans-serif", "size": TEXT, "color": INK},
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "barmode": "overlay",
            "hoverlabel": {"align": "left", "namelength": -1},
            "hovermode": "closest",
            "legend": legend,
            "annotations": self._texts,
            "shapes": self._shapes,
            **self._axes,
        }
        return InteractiveFigure.of(self._traces, layout, name=name, words=[title, caption])


def _names_width(chart: Chart) -> float:
    if chart.y.scale == "rows":
        names = [typography.short(name) for name in chart.y.names]
        return min(0.94 * typography.widest(names, SMALL) + 12, _NAMES)
    if chart.y.scale == "none":
        return 0.0
    most = max((v for marks in chart.marks for v in marks.ends("y")), default=0)
    widest = "100%" if chart.y.scale == "share" else f"{most:,.0f}"
    lines = _lines(typography.wrapped(chart.y.text, TEXT, _height(chart)))
    return typography.widest([widest], TEXT) + 18 + lines * TEXT * _LINE


def _below(chart: Chart, room: float) -> float:
    if chart.x.scale == "none" or not chart.marks:
        return 14.0
    return 28 + _lines(typography.wrapped(chart.x.text, TEXT, room)) * TEXT * _LINE + 6


def _height(chart: Chart) -> float:
    if chart.y.scale == "rows":
        return max(_ROW * len(chart.y.names), 4 * _ROW) + 12
    if chart.x.scale == "none":
        return _MAP
    return _LANES if chart.lanes else _PLOT


def _lines(text: str) -> int:
    return len(text.split("\n")) if text else 0

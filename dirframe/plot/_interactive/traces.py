"""Marks of a chart as Plotly's traces, and the text that they show on hover."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.scale import SymmetricalLogTransform

from dirframe._display.cells import cell_texts
from dirframe._display.values import label
from dirframe.plot._description.colours import NEUTRAL, OTHER
from dirframe.plot._drawing import axes, worldmap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from dirframe.plot._description.chart import Axis, Chart, Marks

#: Colour of text and of lines without another.
INK = "#2B2F36"
_DAY = 86_400_000  # milliseconds, Plotly's unit of dates
# That of Matplotlib's charts: linear from 0 to 1.
_LOGARITHM = SymmetricalLogTransform(base=10, linthresh=1, linscale=0.5)
_PATTERNS = {"/": "/", "\\": "\\", "x": "x", "*": "x", ".": ".", "o": ".", "-": "-", "|": "|"}
_SYMBOLS = {"o": "circle", "|": "line-ns-open"}
_UNKNOWN = "not known"


def literal(text: str) -> str:
    """Escape text, which Plotly reads as HTML and, between two ``$``, as mathematics."""
    return escape(text, quote=False).replace("$", "&#36;").replace("\n", "<br>")


def coordinates(axis: Axis, values: Any) -> Any:
    """Return the coordinates of values on an axis: logarithms, milliseconds, or the same."""
    numbers = np.asarray(values, dtype=float)
    if axis.scale == "log":
        return _LOGARITHM.transform_non_affine(numbers)
    if axis.scale == "ratio":
        return np.log10(numbers)
    return numbers * _DAY if axis.scale == "date" else numbers


def traces(chart: Chart, marks: Marks) -> Iterator[dict[str, Any]]:
    """Yield the traces of marks."""
    draw = {"rows": _bars, "columns": _bars, "regions": _regions}
    yield from draw.get(marks.kind, _points)(chart, marks)


def legend_entries(chart: Chart) -> Iterator[dict[str, Any]]:
    """Yield empty traces that explain the classes of a chart."""
    classes = list(zip(chart.bins.labels(), chart.bins.shades, strict=True)) if chart.bins else []
    if chart.x.scale == "none":
        classes.insert(0, ("none", "white"))
    for name, shade in classes:
        marker = {"symbol": "square", "size": 12, "color": shade}
        yield {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "marker": marker | {"line": {"width": 1, "color": NEUTRAL}},
            "name": name,
            "showlegend": True,
        }


def _translucent(colour: str) -> str:
    """Return a colour as Plotly 6 takes it too, which knows no hexadecimal opacity."""
    red, green, blue = (round(part * 255) for part in to_rgb(colour))
    return f"rgba({red},{green},{blue},0.15)"


def _hover(table: pd.DataFrame) -> dict[str, Any]:
    """Return what is shown on hover: each column of the row, and what is missing."""
    if table.empty:
        return {"hoverinfo": "skip"}
    cells = [
        [literal(text or _UNKNOWN) for text in cell_texts(table[column], str(column))]
        for column in table
    ]
    lines = [f"{label(str(column))}: %{{customdata[{n}]}}" for n, column in enumerate(table)]
    return {
        "customdata": [list(row) for row in zip(*cells, strict=True)],
        "hovertemplate": "<br>".join([f"<b>{lines[0]}</b>", *lines[1:]]) + "<extra></extra>",
    }


def _bars(chart: Chart, marks: Marks) -> Iterator[dict[str, Any]]:
    is_row = marks.kind == "rows"
    along, across = (chart.x, chart.y) if is_row else (chart.y, chart.x)
    lengths, rows = (marks.x, marks.y) if is_row else (marks.y, marks.x)
    start = coordinates(along, np.broadcast_to(np.asarray(marks.base, dtype=float), len(lengths)))
    end = coordinates(along, np.asarray(marks.base) + np.asarray(lengths, dtype=float))
    bar: dict[str, Any] = {"width": marks.width}
    positions = coordinates(across, rows)
    if is_row:
        bar = {"width": axes.thickness(len(chart.y.names)) * (marks.width or 1)}
    elif marks.width is None:  # the places are edges
        bar = {"width": np.diff(positions).tolist(), "offset": 0}
        positions = positions[:-1]
    elif not np.isscalar(marks.width):
        bar = {"width": marks.width.tolist()}
    count = len(lengths)
    colours = list(marks.colours) * (1 if len(marks.colours) == count else count)
    hatches = list(marks.hatches) * (1 if len(marks.hatches) == count else count) or [""] * count
    unfinished = np.broadcast_to(marks.unfinished, count)
    shapes = [
        "/" if is_hatched or colour == OTHER else _PATTERNS.get(hatch[:1], "")
        for colour, hatch, is_hatched in zip(colours, hatches, unfinished, strict=True)
    ]
    # Only bars of one colour are hatched in a trace.
    hatched = (colour for colour, shape in zip(colours, shapes, strict=True) if shape)
    pale = [0.35 if number < axes.FEW else 1.0 for number in marks.records]
    marker: dict[str, Any] = {
        "color": colours[0] if len(set(colours)) == 1 else colours,
        "opacity": pale or 1.0,
    }
    if first := next(hatched, ""):
        pattern = {"shape": shapes, "fillmode": "overlay", "size": 7, "solidity": 0.25}
        marker["pattern"] = pattern | {"fgcolor": axes.fill(first, "")["edgecolor"]}
    yield {
        "type": "bar",
        "orientation": "h" if is_row else "v",
        "base": start.tolist(),
        "x" if is_row else "y": (end - start).tolist(),
        "y" if is_row else "x": positions.tolist(),
        "marker": marker,
        "text": [literal(text) for text in marks.labels] or None,
        "textposition": "outside",
        "textangle": 0,
        "cliponaxis": False,
        "name": literal(marks.name),
        "showlegend": bool(chart.key and marks.name),
        **bar,
        **_hover(marks.table),
    }


def _points(chart: Chart, marks: Marks) -> Iterator[dict[str, Any]]:
    x, y = coordinates(chart.x, marks.x), coordinates(chart.y, marks.y)
    for low, high, width in marks.ranges:
        yield _segments(coordinates(chart.x, low), coordinates(chart.x, high), y, width)
    is_line = marks.kind == "line"
    colours: str | Sequence[str] = marks.colours if len(marks.colours) > 1 else INK
    if len(marks.colours) == 1:
        colours = marks.colours[0]
    sizes: Any = [7 * size for size in marks.sizes] or [7]
    look: dict[str, Any] = {
        "marker": {
            "color": colours,
            "symbol": _SYMBOLS[marks.symbol],
            "size": 6 if is_line else sizes if marks.kind == "bubbles" else sizes[0],
            "opacity": 1,
            "line": {"width": 0.6, "color": "white" if isinstance(colours, str) else NEUTRAL},
        }
    }
    if is_line:
        look["line"] = {
            "color": colours,
            "width": 2 if marks.dash == "solid" else 1.2,
            "dash": marks.dash,
            "shape": "hv" if marks.is_stepped else "linear",
        }
    if marks.band:
        yield from _band(chart, marks, look["line"] | {"width": 0})
    yield {
        "type": "scatter",
        "mode": ("lines+markers" if marks.sizes else "lines") if is_line else "markers",
        "x": x.tolist(),
        "y": y.tolist(),
        "fill": "tonexty" if marks.is_filled else "none",
        "fillcolor": _translucent(marks.colours[0]) if marks.is_filled else None,
        "name": literal(marks.name),
        "showlegend": bool(chart.key) and marks.dash != "solid",
        "cliponaxis": False,
        **look,
        **_hover(marks.table),
    }


def _band(chart: Chart, marks: Marks, line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Fill the space from the lower to the higher end."""
    x = coordinates(chart.x, marks.x).tolist()
    for end, fill in zip(marks.band or (), ("none", "tonexty"), strict=True):
        yield {
            "type": "scatter",
            "mode": "lines",
            "x": x,
            "y": coordinates(chart.y, end).tolist(),
            "line": line,
            "fill": fill,
            "fillcolor": _translucent(marks.colours[0]),
            "hoverinfo": "skip",
            "showlegend": False,
        }


def _segments(low: Any, high: Any, y: Any, width: float) -> dict[str, Any]:
    """Draw a line in each row from low to high."""
    gaps = np.full(len(y), np.nan)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.column_stack([low, high, gaps]).ravel().tolist(),
        "y": np.repeat(y, 3).tolist(),
        "line": {"color": INK, "width": width * 1.3},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _regions(_chart: Chart, marks: Marks) -> Iterator[dict[str, Any]]:
    edge: Any = worldmap.frame().vertices
    yield {
        "type": "scatter",
        "mode": "lines",
        "x": edge[:, 0].round(4).tolist(),
        "y": edge[:, 1].round(4).tolist(),
        "line": {"color": NEUTRAL, "width": 0.5},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    cells = _hover(marks.table)
    numbers = dict(zip(marks.x, range(len(marks.x)), strict=True))
    for code, outline in worldmap.outlines().items():
        row = numbers.get(code)
        about: dict[str, Any] = {"text": literal(f"{worldmap.name(code)}: no accounts")}
        if row is not None:
            values = zip(marks.table, cells["customdata"][row], strict=True)
            lines = "<br>".join(f"{label(str(column))}: {cell}" for column, cell in values)
            about = {"text": lines, "meta": {"code": code, "number": int(marks.y[row])}}
        polygons = [
            np.vstack([_within(polygon, edge), [np.nan, np.nan]])
            for polygon in outline.to_polygons(closed_only=False)
        ]
        points = np.vstack(polygons).round(4)
        yield {
            "type": "scatter",
            "mode": "lines",
            "x": points[:, 0].tolist(),
            "y": points[:, 1].tolist(),
            "fill": "toself",
            "fillcolor": "rgba(255,255,255,0)" if row is None else marks.colours[row],
            "line": {"color": NEUTRAL, "width": 0.5},
            "hoveron": "fills",
            "hoverinfo": "text",
            "name": literal(code),
            "showlegend": False,
            **about,
        }


def _within(points: Any, edge: Any) -> Any:
    """Move points beyond the 180th meridian onto it, as the other renderer clips them."""
    right = edge[edge[:, 0] > 0]
    order = np.argsort(right[:, 1])
    most = np.interp(points[:, 1], right[order, 1], right[order, 0])
    return np.column_stack([points[:, 0].clip(-most, most), points[:, 1]])

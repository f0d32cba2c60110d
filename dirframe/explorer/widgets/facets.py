"""Bars of all facets in one plotly figure: a click or a drag filters, the state says what is shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from dirframe.explorer import choices
from dirframe.explorer.widgets.bindings import apply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dirframe.explorer.facets import Bar
    from dirframe.explorer.state import State

_LISTED = 9  # bars of a column of values
_LETTERS = 19  # of a label; the whole is shown on hover
_CELL = 210  # pixels of height, with title and labels
_LOWEST = 10  # the least that plotly takes, where the records have no facet
_NARROWEST = 250  # pixels of width
_LABELS = 128  # pixels for the labels of values
_TITLE, _TICKS, _GAP = 26, 30, 24  # pixels
_CHOSEN, _REST = "#1f6feb", "#8c959f"
_CLEAR = "rgba(0, 0, 0, 0)"


class FacetChart(go.FigureWidget):  # type: ignore[misc]  # plotly is not typed
    """Bars of each facet of the loaded records, as far as the filters of the others let them pass.

    It is for the columns of the records that are loaded when it is made: others need another one,
    since traces that are added later are lost on a page whose script is still on its way.

    Parameters
    ----------
    state : State
        What is shown; a click on a bar toggles its value, a drag chooses all bars that it touches.
    """

    data: Any  # plotly sets its traces by a property

    def __init__(self, state: State) -> None:
        description = _Description(state)
        super().__init__(data=description.traces, layout=description.layout)
        self._state = state
        self._facets = description.facets
        # A figure widget of plotly has no public way to leave out the buttons for zooming and the like.
        self._config = {"displayModeBar": False, "doubleClick": False, "responsive": True}
        for column, trace in zip(self._facets, self.data[::2], strict=True):
            trace.on_click(partial(self._click, column))

    def draw(self) -> bool:
        """Follow the state; return whether the columns are still the same."""
        description = _Description(self._state)
        if list(description.facets) != list(self._facets):
            return False
        self._facets = description.facets
        with self.batch_update():
            for trace, values in zip(self.data, description.traces, strict=True):
                trace.update(values, overwrite=True)
            self.layout.update(description.layout, overwrite=True)
        # A page whose script is still on its way misses what was sent; this is what it begins with.
        self._repr_mimebundle_()
        return True

    def plotly_relayout(self, relayout_data: Mapping[str, Any], **options: Any) -> None:
        """Take a drag of the user, which plotly reports as a change of the layout, as a choice."""
        super().plotly_relayout(relayout_data, **options)
        boxes = relayout_data.get("selections")
        if boxes:
            super().plotly_relayout({"selections": []})  # the state says which bars are chosen
            self._drag(boxes[-1])

    def _click(self, column: str, _: Any, points: Any, __: Any) -> None:
        bars = self._facets[column]
        if points.point_inds and points.point_inds[0] < len(bars):
            value = bars[points.point_inds[0]].value
            apply(self._state, lambda: self._state.toggle(column, value))

    def _drag(self, box: Mapping[str, Any]) -> None:
        """Choose the bars that a box touches; bar number n reaches from n - 0.5 to n + 0.5."""
        column = list(self._facets)[int(box["xref"][1:] or 1) - 1]
        axis = "y" if column in self._state.choice_filters else "x"
        begin, end = sorted((box[f"{axis}0"], box[f"{axis}1"]))
        touched = [
            bar.value
            for number, bar in enumerate(self._facets[column])
            if number + 0.5 > begin and number - 0.5 < end
        ]
        if touched:
            apply(self._state, lambda: self._state.choose(column, touched))


class _Description:
    """The bars of the facets, and the traces and the layout that show them."""

    def __init__(self, state: State) -> None:
        self._state = state
        shown = state.shown
        columns = [*shown.facets.choices.values(), *shown.facets.ranges] if shown else []
        self.facets = {column: self._bars(column) for column in columns}
        self.traces, self.layout = self._describe()

    def _bars(self, column: str) -> list[Bar]:
        bars = self._state.bars(column)
        if column not in self._state.choice_filters:
            return bars
        chosen = self._state.is_chosen
        missing = [bar for bar in bars if bar.is_missing]
        present = [bar for bar in bars if not bar.is_missing]
        more = [bar for bar in present[_LISTED:] if chosen(column, bar.value)]
        return [*present[: _LISTED - len(missing)], *more, *missing]

    def _describe(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the traces, two for each facet, and the layout."""
        state = self._state
        width = max(state.width, _NARROWEST)
        across = max(min(width // _NARROWEST, len(self.facets)), 1)
        down = -(-len(self.facets) // across)
        height = max(down * _CELL, _LOWEST)
        ink = "#e6e6e6" if state.is_dark else "#24292f"
        traces: list[Any] = []
        layout: dict[str, Any] = {
            "height": height,
            "width": width,
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
            "showlegend": False,
            "barmode": "overlay",
            "bargap": 0.12,
            "dragmode": "select",
            "hovermode": "closest",
            "selections": [],
            "newselection": {"line": {"color": _CHOSEN, "width": 1}},
            "activeselection": {"fillcolor": _CLEAR},
            "paper_bgcolor": _CLEAR,
            "plot_bgcolor": _CLEAR,
            "font": {"size": 11, "color": ink},
            "annotations": [],
        }
        for number, (column, bars) in enumerate(self.facets.items()):
            left, top = (number % across) / across, 1 - (number // across) / down
            is_list = column in state.choice_filters
            begin = left + (_LABELS if is_list else _GAP / 2) / width
            x = [begin, left + 1 / across - _GAP / 2 / width]
            y = [top - 1 / down + (_GAP / 2 if is_list else _TICKS) / height, top - _TITLE / height]
            traces += self._traces(column, bars, number + 1, is_list=is_list)
            layout |= _axes(bars, number + 1, x, y, is_list=is_list)
            heading = self._heading(column, letters=width // across // 8)
            layout["annotations"].append(_title(heading, left + 4 / width, top))
        return traces, layout

    def _heading(self, column: str, *, letters: int) -> str:
        shown = self._state.shown
        heading = choices.heading(column, shown.resource) if shown else column
        heading = choices.FACETS.get(column) or heading.removeprefix("analysis ")
        mark = "● " if self._state.chosen(column) else ""
        return f"{mark}<b>{_cut(heading, letters)}</b>"

    def _traces(self, column: str, bars: Sequence[Bar], number: int, *, is_list: bool) -> list[Any]:
        """Return bars as wide or high as the facet, to be clicked, and those of the counts."""
        counts = [bar.count for bar in bars]
        full = [max([*counts, 1])] * len(bars)
        positions = list(range(len(bars)))
        chosen = self._state.chosen(column) is not None
        colours = [
            _CHOSEN if not chosen or self._state.is_chosen(column, bar.value) else _REST
            for bar in bars
        ]
        axes = {"xaxis": f"x{number if number > 1 else ''}"}
        axes["yaxis"] = axes["xaxis"].replace("x", "y")
        noun = self._state.shown.resource.collection if self._state.shown else "records"

        def trace(values: list[int], **options: Any) -> Any:
            along = {"x": values, "y": positions} if is_list else {"x": positions, "y": values}
            return go.Bar(
                **along,
                **axes,
                **options,
                orientation="h" if is_list else "v",
                selected={"marker": {"opacity": 1}},
                unselected={"marker": {"opacity": 1}},
            )

        return [
            trace(
                full,
                marker={"color": _CLEAR, "line": {"width": 0}},
                customdata=[[_cut(bar.title, 80), f"{bar.count:,}", noun] for bar in bars],
                hovertemplate="%{customdata[0]}: %{customdata[1]} %{customdata[2]}<extra></extra>",
            ),
            trace(
                counts,
                marker={"color": colours, "line": {"width": 0}},
                hoverinfo="skip",
                text=[f"{count:,}" for count in counts] if is_list else None,
                textposition="outside" if is_list else "none",
                cliponaxis=False,
            ),
        ]


def _axes(
    bars: Sequence[Bar], number: int, x: Sequence[float], y: Sequence[float], *, is_list: bool
) -> dict[str, Any]:
    """Return the axes of a facet: one of labels, and one of counts, which is not drawn."""
    name = number if number > 1 else ""
    top = max([1, *(bar.count for bar in bars)])
    plain = {"showgrid": False, "zeroline": False, "fixedrange": True}
    ends = [-0.5, max(len(bars), 1) - 0.5]
    labels = {
        **plain,
        "range": ends[::-1] if is_list else ends,
        "tickmode": "array",
        "tickvals": [position for position, _ in _labels(bars, is_list=is_list)],
        "ticktext": [text for _, text in _labels(bars, is_list=is_list)],
        "tickangle": 0,
        "ticks": "",
    }
    counts = {**plain, "range": [0, top * (1.25 if is_list else 1.05)], "showticklabels": False}
    return {
        f"xaxis{name}": {**(counts if is_list else labels), "domain": x, "anchor": f"y{name}"},
        f"yaxis{name}": {**(labels if is_list else counts), "domain": y, "anchor": f"x{name}"},
    }


def _labels(bars: Sequence[Bar], *, is_list: bool) -> list[tuple[int, str]]:
    if is_list:
        # Titles of licences begin alike, their codes do not.
        texts = [bar.title if len(bar.title) <= _LETTERS else str(bar.value) for bar in bars]
        return list(enumerate(map(_cut, texts)))
    spans = [bar for bar in bars if not bar.is_missing]
    step = max(-(-len(spans) // 5), 1)
    labels = [(index, _short(bar.value[0])) for index, bar in enumerate(spans) if not index % step]
    if len(spans) < len(bars):
        labels = [label for label in labels if label[0] < len(spans) - 1]
        labels.append((len(spans), "missing"))
    return labels


def _cut(text: str, letters: int = _LETTERS) -> str:
    text = text if len(text) <= letters else f"{text[: letters - 1].rstrip()}…"
    return text.replace("<", "&lt;")


def _short(number: float) -> str:
    """Return a number of few letters: years as they are, 20k, 1.5M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(number) >= size:
            return f"{number / (1e3 if unit == 'k' else size):.3g}{unit}"
    return f"{number:g}"


def _title(text: str, x: float, y: float) -> dict[str, Any]:
    anchors = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"size": 12}, **anchors}

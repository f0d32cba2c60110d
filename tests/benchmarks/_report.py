"""What a benchmark reports: each figure is stated once, printed as Markdown and recorded as data."""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

#: Where `__main__` names the file that the figures of one script are appended to, a line each.
FIGURES = "DIRFRAME_BENCHMARK_FIGURES"

#: The unit of what was divided by another figure of the same run.
TIMES = "times"

Better = Literal["lower", "higher"]


@dataclass(frozen=True)
class Figure:
    """A figure as it is recorded; without `better`, it is a fact that is neither good nor bad."""

    name: str
    value: float
    unit: str
    better: Better | None = None
    goal: float | None = None

    @property
    def is_missed(self):
        """Whether there is a goal and the figure is on its wrong side."""
        return self.goal is not None and self.is_worse_than(self.goal)

    def is_worse_than(self, value, factor=1):
        """Tell whether the figure is worse than a value, by more than a factor."""
        if self.better == "higher":
            return self.value * factor < value
        return self.better == "lower" and self.value > value * factor

    def is_better_than(self, value, factor=1):
        """Tell whether the figure is better than a value, by more than a factor."""
        return replace(self, value=value).is_worse_than(self.value, factor)


@dataclass(frozen=True)
class Measure:
    """A column of figures of one unit; where there are `parts`, each cell has a figure for each."""

    title: str
    unit: str = TIMES
    better: Better | None = None
    form: str = ".2f"
    parts: tuple[str, ...] = ()


class Cell(NamedTuple):
    """A figure that is more, or less, than its column says: with a goal, or only a fact."""

    value: float
    goal: float | None = None
    directed: bool = True


#: A text is shown and not recorded, as is what is not finite; None is an empty cell.
Shown = float | Cell | tuple[float | Cell, ...] | str | None

_recorded = set()


class Table:
    """A table of Markdown, printed row by row as its figures are measured."""

    def __init__(self, labels, *measures):
        self._measures = measures
        titles = (labels,) if isinstance(labels, str) else labels
        heads = [
            one.title if one.unit == TIMES else f"{one.title}{_with_unit(one.unit, ', ')}"
            for one in measures
        ]
        print_head(titles, heads)

    def row(self, labels, *cells):
        """Print a row and record its figures, each named after the row's labels and its column."""
        names = [labels] if isinstance(labels, str) else [_label(one) for one in labels]
        texts = [
            _state(f"{', '.join(names)}: {measure.title}", measure, cell)
            for measure, cell in zip(self._measures, cells, strict=True)
        ]
        print_row([*names, *texts])


class Listing:
    """A table of single figures, each of a unit of its own."""

    def __init__(self):
        print_head(("measure",), ["figure"])

    def row(
        self,
        name,
        value,
        unit=TIMES,
        better=None,
        *,
        goal=None,
        form=".2f",
    ):
        """Print and record a figure."""
        measure = Measure(name, unit, better, form)
        print_row([name, _state(name, measure, Cell(value, goal), unit=_with_unit(unit, " "))])


def _state(name, measure, shown, unit=""):
    """Record a cell's figures and return its text."""
    if shown is None or isinstance(shown, str):
        return shown or ""
    if isinstance(shown, tuple) and not isinstance(shown, Cell):
        names = [f"{name}, {part}" for part in measure.parts]
        return " / ".join(
            _state(one, measure, cell) for one, cell in zip(names, shown, strict=True)
        )
    cell = shown if isinstance(shown, Cell) else Cell(shown)
    better = measure.better if cell.directed else None
    if cell.goal is not None and better is None:
        raise ValueError(f"{name!r} has a goal and no direction.")
    _record(Figure(name, float(cell.value), measure.unit, better, cell.goal))
    text = f"{cell.value:{measure.form}}{unit}"
    sign = ">=" if better == "higher" else "<="
    return text if cell.goal is None else f"{text} ({sign} {cell.goal:,})"


def _record(figure):
    if figure.name in _recorded:
        raise ValueError(f"Two figures of one script are called {figure.name!r}.")
    _recorded.add(figure.name)
    if (path := os.environ.get(FIGURES)) and math.isfinite(figure.value):
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps(asdict(figure))}\n")


def _with_unit(unit, before):
    return f"{before}{unit}" if unit and unit != "share" else ""


def _label(label):
    return f"{label:,}" if isinstance(label, int) else str(label)


def print_head(labels, titles):
    print()
    print_row([*labels, *titles])
    print_row(["---"] * len(labels) + ["--:"] * len(titles))


def print_row(cells):
    print(f"| {' | '.join(cells)} |", flush=True)

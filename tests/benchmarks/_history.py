"""A chart of the runs at hand, in the order of their commits: what changed since the first."""

from __future__ import annotations

from math import log2
from statistics import median
from textwrap import shorten
from typing import TYPE_CHECKING

from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from tests.benchmarks._report import TIMES

if TYPE_CHECKING:
    #: How many times worse than in its first run a figure was, by the number of the run.
    Course = dict[int, float]

_COLUMNS = 3
#: A panel names as many of the worst figures as there are colours, in as many letters.
_LETTERS = 52
_COLOURS = ("#b3261e", "#c77700", "#7b3fa0")
_TITLE = (
    "Times worse than in the first run. Grey: each figure, darker the ratios within one run; "
    "black: their median; coloured: by now over the dashed line."
)


def draw_history(runs, file, threshold):
    """Draw a panel for each script that two runs have; return whether there is one."""
    scripts = sorted({script for run in runs for script in run.figures})
    panels = {script: found for script in scripts if (found := _courses(runs, script))}
    if not panels:
        return False
    columns = min(len(panels), _COLUMNS)
    rows = -(-len(panels) // columns)
    canvas = Canvas(figsize=(max(4.4 * columns, 7), 2.8 * rows + 1), layout="constrained")
    grid = canvas.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, (script, courses) in zip(grid, panels.items(), strict=False):
        axes.set_title(f"{script}: {len(courses)} figures", loc="left", fontsize=10)
        _draw_panel(axes, courses, threshold)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    for axes in grid[: len(panels)][-columns:]:
        axes.set_xticks(range(len(runs)), [run.title for run in runs], rotation=45, ha="right")
        axes.tick_params(axis="x", labelbottom=True, labelsize=7)
    values = [
        value for found in panels.values() for one in found.values() for value in one.values()
    ]
    most = max(abs(log2(value)) for value in (*values, 1.2 * threshold))
    grid[0].set(yscale="log", ylim=(2 ** -(most * 1.1), 2 ** (most * 1.1)))
    grid[0].yaxis.set_major_locator(LogLocator(2))
    grid[0].yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    grid[0].yaxis.set_minor_locator(NullLocator())
    canvas.suptitle(_TITLE, x=0.01, ha="left", fontsize=9, wrap=True)
    canvas.savefig(file)
    return True


def _courses(runs, script):
    """Return the courses of a script's figures that are good or bad and that two runs have."""
    values = {}
    for number, run in enumerate(runs):
        for figure in run.figures.get(script, ()):
            if figure.better and figure.value > 0:  # else there is no ratio
                values.setdefault((figure.name, figure.unit), {})[number] = figure
    courses = {}
    for by_run in values.values():
        if len(by_run) > 1:
            first, last = next(iter(by_run.values())), [*by_run.values()][-1]
            sign = -1 if last.better == "higher" else 1
            courses[last] = {n: (one.value / first.value) ** sign for n, one in by_run.items()}
    return courses


def _draw_panel(axes, courses, threshold):
    axes.axhline(1, color="#808080", linewidth=0.8)
    axes.axhline(threshold, color="#808080", linewidth=0.8, linestyle="--")
    ends = {figure: [*course.values()][-1] for figure, course in courses.items()}
    worst = sorted((one for one in ends if ends[one] > threshold), key=lambda one: -ends[one])
    named = dict(zip(worst, _COLOURS, strict=False))
    for figure, course in courses.items():
        if figure not in named:
            grey = "#8a8a8a" if figure.unit == TIMES else "#d0d0d0"
            axes.plot(list(course), list(course.values()), "o-", color=grey, lw=0.8, ms=2)
    if len(courses) > len(_COLOURS):
        numbers = sorted({number for course in courses.values() for number in course})
        middle = [median(c[n] for c in courses.values() if n in c) for n in numbers]
        axes.plot(numbers, middle, color="black", lw=1.6)
    for figure, colour in named.items():
        course, name = courses[figure], shorten(figure.name, _LETTERS, placeholder=" …")
        axes.plot(list(course), list(course.values()), "o-", color=colour, ms=3, label=name)
    if named:
        axes.legend(loc="upper left", fontsize=6.5, frameon=False, borderpad=0, labelspacing=0.2)
    axes.spines[["top", "right"]].set_visible(False)

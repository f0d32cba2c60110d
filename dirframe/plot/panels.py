"""Panels: a chart of each part of a frame."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dirframe import provenance, stats
from dirframe._display import quantity
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError
from dirframe.plot import fonts
from dirframe.plot.accounts import (
    PER_MILLION,
    draw_accounts_by_country,
    draw_accounts_by_kudo_rank,
    draw_accounts_map,
    draw_posts_distribution,
)
from dirframe.plot.activity import draw_activity, draw_activity_by
from dirframe.plot.caption import (
    caption_text,
    collection_of,
    write_figure_caption,
    write_note,
)
from dirframe.plot.contributors import (
    draw_contributor_distribution,
    draw_lorenz,
    draw_team_size_classes,
    draw_users_against_contributors,
)
from dirframe.plot.figure import (
    INCHES,
    Draw,
    Width,
    check_options,
    collected_notes,
    draw_or_explain,
    house_style,
    reason_if_empty,
    set_figure_title,
    set_title,
    wrap_labels,
)
from dirframe.plot.growth import draw_growth, heading_of
from dirframe.plot.languages import (
    draw_contributors_by_language,
    draw_language_breakdown,
    draw_language_share,
    draw_languages_by_year,
)
from dirframe.plot.licenses import draw_license_families, draw_licenses
from dirframe.plot.one_project import draw_commits_by_contributor, draw_monthly_activity
from dirframe.plot.survival import draw_life_span, draw_survival, draw_survival_by
from dirframe.plot.tags import draw_tags
from dirframe.stats.strata import (
    Stratum,
    check_function,
    copy_strata_provenance,
    count_repeated,
    divide,
    is_own,
)

_PANELS = 12  # more would be too small to compare
_LINES = 7  # more could not be told apart
#: Inches of a panel: three are as wide as a notebook's cell, two as a page of most journals.
_WIDTH, _NARROWEST = 3.7, 3.3
_HEIGHT = 2.9
_TALL, _LOW = 5.0, 2.4  # of those that have 20 rows, or are wide
_ROW = 0.3  # inches of a row of one chart of all parts
_UNKNOWN = "not known"


@dataclass(frozen=True)
class _FigureOptions:
    """The column that divides the records of a figure, its title, caption and width."""

    column: str
    title: str | bool | None
    caption: str | bool | None
    width: Width | None


@dataclass(frozen=True)
class _Chart:
    """The statistic of a chart and what draws its table; `measures` is a second table to draw."""

    statistic: Callable[..., pd.DataFrame]
    draw: Callable[..., list[str]]
    measures: Callable[..., pd.DataFrame] | None = None
    height: float = _HEIGHT


_CHARTS = {
    "accounts_by_country": _Chart(
        stats.accounts_by_country, draw_accounts_by_country, height=_TALL
    ),
    "accounts_by_kudo_rank": _Chart(stats.accounts_by_kudo_rank, draw_accounts_by_kudo_rank),
    "accounts_map": _Chart(stats.accounts_by_country, draw_accounts_map, height=_LOW),
    "activity": _Chart(stats.activity, draw_activity),
    "commits_by_contributor": _Chart(
        stats.commits_by_contributor,
        draw_commits_by_contributor,
        stats.commit_concentration,
    ),
    "contributor_distribution": _Chart(
        stats.contributor_distribution, draw_contributor_distribution
    ),
    "contributors_by_language": _Chart(
        stats.contributors_by_language, draw_contributors_by_language, height=_TALL
    ),
    "growth": _Chart(stats.growth, draw_growth),
    "language_breakdown": _Chart(stats.language_breakdown, draw_language_breakdown, height=_TALL),
    "language_share": _Chart(stats.language_share, draw_language_share, height=_TALL),
    "languages_by_year": _Chart(stats.languages_by_year, draw_languages_by_year),
    "license_families": _Chart(stats.license_families, draw_license_families),
    "licenses": _Chart(stats.licenses, draw_licenses, height=_TALL),
    "life_span": _Chart(stats.life_span, draw_life_span, height=_TALL),
    "lorenz": _Chart(stats.lorenz, draw_lorenz, stats.contributor_concentration),
    "monthly_activity": _Chart(stats.monthly_activity, draw_monthly_activity),
    "posts_distribution": _Chart(stats.posts_distribution, draw_posts_distribution),
    "survival": _Chart(stats.survival, draw_survival),
    "tags": _Chart(stats.tags, draw_tags, height=_TALL),
    "team_size_classes": _Chart(stats.team_size_classes, draw_team_size_classes),
    "users_against_contributors": _Chart(
        stats.users_against_contributors, draw_users_against_contributors
    ),
}

#: Words of columns whose names are spelled otherwise.
_COLUMNS = {"license": "licence", "license_family": "licence family"}
#: Strata that have an order of their own.
_ORDERED = {"age", "license_family", "team_size", "year"}


def panels(
    chart: Callable[..., Any],
    frame: pd.DataFrame,
    column: str,
    *,
    min_records: int = 1,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
    **options: Any,
) -> Figure:
    """Draw a chart of each part of a frame, on the same axes.

    Parts of two charts are compared in one: `survival` has a labelled line for each, and `activity`
    a bar of 100%.

    Parameters
    ----------
    chart : callable
        A function of `dirframe.plot`, or a `functools.partial` of one, or a function of your own
        that draws a frame on ``ax``: ``chart(frame, ax=ax)``.
    frame : pandas.DataFrame
        Records for the chart.
    column, min_records
        What divides them, as in `dirframe.stats.by`; small parts, and those beyond twelve (of
        `survival` seven), share the last panel.
    title, caption : str or bool, optional
        In place of those of the figure; False for none.
    width : {"column", "page"}, optional
        Width of the figure; by default 3.7 inches a panel, up to three beside each other.
    **options
        Those of the chart.

    Returns
    -------
    matplotlib.figure.Figure
        Each panel has its name and number of records as its title, in place of any other; notes
        that hold for all are below the figure. A panel that cannot show anything says why.

    Examples
    --------
    >>> from dirframe import plot
    >>> ranks = {"kudo_score_kudo_rank": [1, 2, 9], "country_name": ["Chad", "Chad", "Cuba"]}
    >>> figure = plot.panels(plot.accounts_by_kudo_rank, pd.DataFrame(ranks), "country")
    >>> [ax.get_title("left") for ax in figure.axes]
    ['Chad (n = 2)', 'Cuba (n = 1)']
    """
    if isinstance(chart, partial) and not chart.args and is_own(chart.func, "plot", CHARTS):
        words = {"title": title, "caption": caption, "width": width}
        given = {name: value for name, value in words.items() if value is not None}
        options = {**chart.keywords, **given, **options}
        return panels(chart.func, frame, column, min_records=min_records, **options)
    _check_chart(chart)
    check_options(title, caption, width)
    if "ax" in options:
        raise InvalidInputError("panels makes its own axes: leave out ax.")
    figure_options = _FigureOptions(column, title, caption, width)
    with house_style():
        if not is_own(chart, "plot", CHARTS):
            strata = divide(frame, column, min_records=min_records, most=_PANELS)
            return _own_panels(chart, frame, strata, figure_options, options)
        name = chart.__name__
        most = _LINES if name == "survival" else _PANELS
        strata = divide(frame, column, min_records=min_records, most=most)
        if not strata:
            drawn = chart(frame, title=title, caption=caption, width=width, **options)
            figure: Figure = drawn.get_figure(root=True)
            return figure
        return _panels(chart, frame, strata, figure_options, options)


def _check_chart(chart: Callable[..., Any]) -> None:
    """Raise unless a chart is a function of `dirframe.plot`, or a person's own that takes ``ax``."""
    check_function(chart, "plot", CHARTS)
    parameters = signature(chart, follow_wrapped=False).parameters
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    if not takes_any and "ax" not in parameters:
        raise InvalidInputError(
            f"{getattr(chart, '__name__', chart)!s} takes no ax: panels calls chart(frame, ax=ax)."
        )


def _panels(
    chart: Callable[..., Any],
    frame: pd.DataFrame,
    strata: Sequence[Stratum],
    figure_options: _FigureOptions,
    options: dict[str, Any],
) -> Figure:
    """Draw a chart of `dirframe.plot` for each stratum."""
    name = chart.__name__
    spec = _CHARTS[name]
    options = _with_defaults(chart, options)
    of_statistic = _taken_by(spec.statistic, options)
    tables = [spec.statistic(stratum.frame, **of_statistic) for stratum in strata]
    column, width = figure_options.column, figure_options.width
    if name == "survival":
        names = _names_of(strata)
        pooled = names[-1] if strata[-1].pooled else ""
        draw_lines = partial(draw_survival_by, pooled=pooled)
        figure, notes = _one_chart(draw_lines, names, tables, width, rows=11)
    elif name == "activity":
        names = _names_of(strata)
        is_ordered = column in _ORDERED or all(label.isdecimal() for label in names)
        draw_bars = partial(draw_activity_by, in_order=is_ordered)
        figure, notes = _one_chart(draw_bars, names, tables, width, rows=len(tables))
    else:
        figure, axes, across = _new_figure(len(strata), width, spec.height)
        notes_of_each = []
        for ax, stratum, table in zip(axes, strata, tables, strict=True):
            draw = _draw_of(spec, stratum, options)
            notes_of_each.append(draw_or_explain(draw, ax, table))
            wrap_labels(ax)
            _write_size(ax, stratum, provenance.get_provenance(table)["base"]["records"])
        notes = _common(notes_of_each)
        _write_own_notes(axes, notes_of_each, notes, figure_options.caption)
        _share_axes(axes, across)
    heading = f"{_heading(name, tables[0], options)}, by {_words_of(column)}"
    _write_title(figure, figure_options.title, heading)
    if figure_options.caption is not False:
        notes += _strata_notes(strata, frame)
        whole = None
        if count_repeated(strata, frame) > 0:
            whole = spec.statistic(frame, **of_statistic)
        total = copy_strata_provenance(
            frame, tables, pd.DataFrame(), column, numbers={}, whole=whole
        )
        if not options.get("per_million"):
            provenance.set_provenance(total, other_data=[])  # no inhabitants are drawn
        _write_caption(figure, total, notes, figure_options.caption)
    return figure


def _own_panels(
    chart: Callable[..., Any],
    frame: pd.DataFrame,
    strata: Sequence[Stratum],
    figure_options: _FigureOptions,
    options: dict[str, Any],
) -> Figure:
    """Call a person's own function for each stratum."""
    figure, axes, across = _new_figure(max(len(strata), 1), figure_options.width, _HEIGHT)
    notes_of_each: list[list[str]] = []
    try:
        for ax, stratum in zip(axes, strata, strict=False):
            with collected_notes(ax) as notes:
                chart(stratum.frame, ax=ax, **options)
            notes_of_each.append(notes)
            ax.set_title("")  # one of the function would stand beside that of the panel
            _write_size(ax, stratum, len(stratum.frame))
    except BaseException:
        plt.close(figure)
        raise
    common = _common(notes_of_each)
    _write_own_notes(axes[: len(strata)], notes_of_each, common, figure_options.caption)
    _share_axes(axes[: len(strata)], across)
    _write_title(figure, figure_options.title, f"By {_words_of(figure_options.column)}")
    if figure_options.caption is not False:
        notes = [*common, *_strata_notes(strata, frame)]
        _write_caption(figure, frame, notes, figure_options.caption)
    return figure


def _with_defaults(chart: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a chart, those that are not given by their defaults."""
    of_figure = {"ax", "title", "caption", "width"}
    defaults = {
        name: parameter.default
        for name, parameter in signature(chart).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in of_figure
    }
    if not options.keys() <= defaults.keys():
        chart(pd.DataFrame(), **options)  # raises, and says which option was meant
    return {**defaults, **options}


def _taken_by(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the options of a chart that its statistic, or what draws it, takes."""
    names = signature(function).parameters
    return {name: value for name, value in options.items() if name in names}


def _draw_of(spec: _Chart, stratum: Stratum, options: Mapping[str, Any]) -> Draw:
    """Return what draws the table of a stratum."""
    taken = _taken_by(spec.draw, options)
    if spec.measures is not None:
        taken["measures"] = spec.measures(stratum.frame)
    return partial(spec.draw, **taken)


def _names_of(strata: Sequence[Stratum]) -> list[str]:
    """Return a different name for each stratum: short, unless several would have the same."""
    labels = {stratum.label for stratum in strata}
    unknown = _UNKNOWN
    while unknown in labels:
        unknown = f"({unknown})"
    texts = [unknown if stratum.label is None else stratum.label for stratum in strata]
    short = [fonts.short_name(text) for text in texts]
    return [
        text if short.count(name) > 1 else name for text, name in zip(texts, short, strict=True)
    ]


def _words_of(column: str) -> str:
    """Return what a column that divides records is called in a title."""
    return _COLUMNS.get(column, column.replace("_", " "))


def _heading(name: str, table: pd.DataFrame, options: Mapping[str, Any]) -> str:
    if options.get("per_million"):
        return PER_MILLION
    if name == "growth":
        return heading_of(collection_of(table), cumulative=options["cumulative"])
    return CHARTS[name].title


# Figures


def _new_figure(number: int, width: Width | None, height: float) -> tuple[Figure, list[Axes], int]:
    """Return a figure of panels, these, and how many are beside each other."""
    room = INCHES[width] if width else 3 * _WIDTH
    across = min(number, max(int(room / _NARROWEST), 1))
    down = math.ceil(number / across)
    inches = INCHES[width] if width else _WIDTH * across
    figure = plt.figure(figsize=(inches, height * down + 0.8))
    # With matplotlib's default padding, titles would touch the ticks above.
    figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
    axes = [figure.add_subplot(down, across, place + 1) for place in range(number)]
    return figure, axes, across


def _one_chart(
    draw: Callable[[Axes, Mapping[str, pd.DataFrame]], list[str]],
    names: Sequence[str],
    tables: Sequence[pd.DataFrame],
    width: Width | None,
    *,
    rows: int,
) -> tuple[Figure, list[str]]:
    """Draw all strata on the same axes."""
    inches = INCHES[width] if width else 6.4
    figure = plt.figure(figsize=(inches, 1.3 + _ROW * max(rows, 3)), layout="constrained")
    by_name = dict(zip(names, tables, strict=True))
    notes = draw_or_explain(lambda ax, _: draw(ax, by_name), figure.subplots(), tables[0])
    return figure, notes


def _write_title(figure: Figure, title: str | bool | None, default: str) -> None:
    if title is None or title is True:
        title = default
    if title:
        set_figure_title(figure, title)


def _write_caption(
    figure: Figure, table: pd.DataFrame, notes: Sequence[str], caption: str | bool | None
) -> None:
    own = caption if isinstance(caption, str) else None
    write_figure_caption(figure, caption_text(table, notes, own))


def _write_size(ax: Axes, stratum: Stratum, records: int) -> None:
    """Write the name of a panel and its number of records above it."""
    of = f" of {len(stratum.frame):,}" if records < len(stratum.frame) else ""
    name = fonts.short_name(stratum.label or _UNKNOWN)
    set_title(ax, f"{name} (n = {records:,}{of})", mpl.rcParams["axes.labelsize"])


def _common(noted: Sequence[list[str]]) -> list[str]:
    """Return the notes that all panels with notes have; of a single one, none."""
    with_notes = [notes for notes in noted if notes]
    if len(with_notes) < 2:
        return []
    return [note for note in with_notes[0] if all(note in notes for notes in with_notes)]


def _write_own_notes(
    axes: Sequence[Axes],
    noted: Sequence[list[str]],
    common: Sequence[str],
    caption: str | bool | None,
) -> None:
    """Write the notes of each panel below it, unless the figure has a person's own caption."""
    if caption not in {None, True}:
        return
    for ax, notes in zip(axes, noted, strict=True):
        own = [note for note in notes if note not in common]
        if own:
            write_note(ax, " ".join(own))


def _strata_notes(strata: Sequence[Stratum], frame: pd.DataFrame) -> list[str]:
    """Return what is to be said of the strata."""
    notes = []
    pooled = sum(stratum.pooled for stratum in strata)
    if pooled:
        notes.append(f"The last part holds {quantity(pooled, 'smaller group')} together.")
    if count_repeated(strata, frame) > 0:
        notes.append("A record that belongs to several parts is in each of them.")
    return notes


# Axes


def _share_axes(panels: Sequence[Axes], across: int) -> None:
    """Give all panels the limits and ticks of the widest, and the labels to the outer ones."""
    filled = [ax for ax in panels if not reason_if_empty(ax)]
    _share(filled, "x")
    # Rows have names of their own, and go downwards.
    _share([ax for ax in filled if not ax.yaxis_inverted()], "y")
    for lanes in zip(*(ax.child_axes for ax in filled), strict=False):
        _share(lanes, "y")
    for index, ax in enumerate(panels):
        if index + across < len(panels):
            ax.set_xlabel("")
        if any(other in filled for other in panels[index - index % across : index]):
            ax.set_ylabel("")


def _share(panels: Sequence[Axes], which: str) -> None:
    """Give axes the limits of all, and the ticks of the widest."""
    if not panels:
        return
    axes = [getattr(ax, f"{which}axis") for ax in panels]
    lows = [min(axis.get_view_interval()) for axis in axes]
    highs = [max(axis.get_view_interval()) for axis in axes]
    widest = axes[highs.index(max(highs))]
    for ax, axis in zip(panels, axes, strict=True):
        axis.set_major_locator(widest.get_major_locator())
        ax.set(**{f"{which}lim": (min(lows), max(highs))})

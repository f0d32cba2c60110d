"""Small multiples: one panel per stratum with shared axes."""

from __future__ import annotations

from copy import copy
from functools import wraps
from typing import TYPE_CHECKING, Literal, ParamSpec

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.dates import DateLocator
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.plot._drawing import axes, typography
from dirframe.plot._drawing.axes import Caption
from dirframe.plot._drawing.bins import bins_shared
from dirframe.plot._drawing.options import (
    DEFAULT_APPEARANCE,
    DOCUMENTED,
    ChartOptions,
    appearance,
    current,
)
from dirframe.plot._drawing.tables import options_of_table
from dirframe.stats._options.selection import (
    BY_CHART,
    DEFAULTS,
    compute_strata,
    extend_signature,
    record_exclusions,
    record_strata,
    result_of,
    split_arguments,
)
from dirframe.stats._options.strata import strata_of
from dirframe.stats._rules.exclusion import exclude_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dirframe.stats._options.selection import Selection
    from dirframe.stats._options.strata import Stratum

P = ParamSpec("P")

PANELS = 9  # more would be too small to compare
_WIDTH, _NARROWEST = 3.7, 3.3  # inches
_CAPTION = 7  # points, as the caption of a small chart


def multiples(
    share: Literal["", "x", "xy"],
    *,
    height: float = 3.2,
    highest: Callable[[Any], int] | None = None,
) -> Callable[[Callable[P, Axes]], Callable[P, Axes]]:
    """Add the options of `ChartOptions` to a chart; `share` names the axes shared by its panels.

    `share` is empty for a chart without scales. A panel is `height` inches high. `highest` returns
    the highest number in a chart of all records, for a chart whose shades mean numbers.
    """

    def decorate(chart: Callable[P, Axes]) -> Callable[P, Axes]:
        signature, document = extend_signature(
            chart,
            BY_CHART + DOCUMENTED,
            annotations=ChartOptions.__annotations__,
            defaults=DEFAULTS | DEFAULT_APPEARANCE,
        )
        name = getattr(chart, "__name__", "chart")

        @wraps(chart)
        def wrapper(*args: P.args, **options: P.kwargs) -> Axes:
            frame, chart_options, selection = split_arguments(name, signature, args, options)
            draw: Callable[..., Axes] = chart
            look = {n: chart_options.pop(n) for n in DEFAULT_APPEARANCE if n in chart_options}
            with appearance(look, has_axes=chart_options.get("ax") is not None):
                if result_of(frame):
                    ax = draw(frame, **options_of_table(name, frame, chart_options, selection))
                elif selection["by"] is None:
                    exclusions = {option: selection[option] for option in ("exclude", "max_age")}
                    ax = draw(frame, **chart_options, **exclusions)
                elif chart_options.pop("ax", None) is not None:
                    raise InvalidInputError("by= draws a figure of its own: leave out ax, or by.")
                else:
                    ax = _draw(
                        frame,
                        selection,
                        lambda part, ax: draw(part, ax=ax, **chart_options),
                        share=share,
                        height=height,
                        highest=highest,
                    )
            texts = ax.figure.findobj(Text)
            typography.warn_of_missing_glyphs(text.get_text() for text in texts)
            return ax

        return document(wrapper)

    return decorate


def _draw(
    frame: Any,
    selection: Selection,
    draw: Callable[[Any, Axes], Axes],
    *,
    share: str,
    height: float,
    highest: Callable[[Any], int] | None,
) -> Axes:
    records, numbers = exclude_records(frame, selection["exclude"], selection["max_age"])
    by = selection["by"] or ()
    strata = strata_of(records, by, min_records=selection["min_records"], most=PANELS)
    if not strata:
        return draw(records, axes.axes(None, 4))
    look = current()
    columns = min(len(strata), max(int((look.inches or 3 * _WIDTH) / _NARROWEST), 1))
    lines = -(-len(strata) // columns)
    size = (look.inches or _WIDTH * columns, height * lines + 0.8)
    figure, grid = plt.subplots(lines, columns, figsize=size, squeeze=False)
    # With matplotlib's default padding, panel titles would touch the ticks above.
    figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
    try:
        panels = list(grid.flat)
        for ax in panels[len(strata) :]:
            ax.remove()
        panels = panels[: len(strata)]
        title = ""
        remaining = iter(panels)

        def drawn(stratum: Stratum) -> Caption:
            nonlocal title
            ax = next(remaining)
            ax.set_gid(axes.PANEL)
            with axes.captions_held() as captions:
                draw(stratum.frame, ax)
            title = ax.get_title().replace("\n", " ")
            _title(ax, stratum, captions[0].statistic)
            return captions[0]

        with bins_shared(highest(records) if highest else None):
            outcomes = compute_strata(strata, drawn)
        common = _common([outcome for outcome in outcomes if isinstance(outcome, Caption)])
        for ax, stratum, caption in zip(panels, strata, outcomes, strict=True):
            if not isinstance(caption, Caption):
                _title(ax, stratum, pd.DataFrame())
                axes.empty_message(ax, caption.message)
                continue
            panel_notes = [note for note in caption.notes if note and note not in common]
            if panel_notes and look.caption is True:
                axes.note_below(ax, " ".join(panel_notes))
        _label_outer(panels, columns)
        for which in share:
            _same(panels, which)
        names = [by] if isinstance(by, str) else list(by)
        strata_names = ", ".join(names).replace("_", " ")
        _figure_title(figure, f"{title}, by {strata_names}" if look.title is None else look.title)
        results = [
            outcome.statistic if isinstance(outcome, Caption) else outcome for outcome in outcomes
        ]
        table = record_exclusions(
            record_strata(records, pd.DataFrame(), results, strata, names), numbers, before=2
        )
        _caption(figure, table, [*common, _pooled(strata)])
    except BaseException:
        plt.close(figure)
        raise
    first: Axes = panels[0]
    return first


def _title(ax: Axes, stratum: Stratum, statistic: pd.DataFrame) -> None:
    """Set the title of a panel, with the number of records that its statistic uses."""
    count = provenance.get_provenance(statistic)["base"].get("records", 0)
    of = f" of {stratum.records:,}" if count < stratum.records else ""
    size = typography.size(ax, "medium")
    named = f"{typography.short(stratum.title)} (n = {count:,}{of})"
    # The distance from the axes stays: some charts write above them.
    ax.title.set(
        text=typography.wrapped(named, size, typography.width(ax)),
        fontsize=size,
        **typography.plain_text_props(),
    )


def _figure_title(figure: Figure, title: str) -> None:
    """Set the title of all panels."""
    default_size = FontProperties(size=mpl.rcParams["figure.titlesize"]).get_size_in_points()
    width = 0.95 * figure.get_figwidth() * 72
    size = default_size * min(1, width / typography.FULL_WIDTH)
    text = typography.wrapped(title, size, width)
    figure.suptitle(text, fontsize=size, **typography.plain_text_props())


def _common(captions: Sequence[Caption]) -> list[str]:
    """Return the notes common to all panels that have notes; these are shown once."""
    notes = [caption.notes for caption in captions if caption.notes]
    if len(notes) < 2:
        return []
    return [
        note for note in notes[0] if note and all(note in other_notes for other_notes in notes[1:])
    ]


def _pooled(strata: Sequence[Stratum]) -> str:
    groups = sum(stratum.pooled for stratum in strata)
    group_count = typography.counted(groups, "smaller group")
    return f"The last panel holds {group_count} together." if groups else ""


def _label_outer(panels: Sequence[Axes], columns: int) -> None:
    """Keep the labels of the outer panels alone, wrapped to what all leave for them."""
    for index, ax in enumerate(panels):
        if index + columns < len(panels):
            ax.set_xlabel("")
        if any(other.has_data() for other in panels[index - index % columns : index]):
            ax.set_ylabel("")
    room = min(axes.inner_width(ax) for ax in panels)  # the longest names are those of all
    for ax in panels:
        _wrap_unit(ax, min(room, typography.width(ax)))


def _wrap_unit(ax: Axes, room: float) -> None:
    """Wrap the unit below the axes to a width in points."""
    unit = ax.xaxis.label
    size = float(unit.get_fontsize())
    unit.set_text(typography.wrapped(" ".join(unit.get_text().split()), size, 0.9 * room))


def _same(panels: Sequence[Axes], which: str) -> None:
    """Set the limits and ticks of all panels to those of the widest."""
    filled = [ax for ax in panels if ax.has_data()]
    if not filled:
        return
    limits = [getattr(ax, f"get_{which}lim")() for ax in filled]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    widest = max(filled, key=lambda ax: abs(getattr(ax, f"get_{which}lim")()[1]))
    ticks = getattr(widest, f"{which}axis").get_major_locator()
    for ax in filled:
        if isinstance(ticks, FixedLocator):
            getattr(ax, f"set_{which}ticks")([float(tick) for tick in ticks()])
        elif ax is not widest and not isinstance(ticks, DateLocator):
            # The number of ticks depends on the values; date ticks follow the limits.
            getattr(ax, f"{which}axis").set_major_locator(copy(ticks))
        getattr(ax, f"set_{which}lim")(low, high)


def _caption(figure: Any, statistic: pd.DataFrame, notes: Sequence[str]) -> None:
    if not (text := axes.caption_text(statistic, notes)):
        return
    wrapped = typography.wrapped(text, _CAPTION, 0.95 * figure.get_figwidth() * 72)
    figure.supxlabel(
        wrapped,
        x=0.01,
        ha="left",
        fontsize=_CAPTION,
        alpha=0.75,
        gid="caption",
        **typography.plain_text_props(),
    )

"""Turn a function that describes a chart into one that draws it, with the common options."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from matplotlib.axes import Axes
from matplotlib.text import Text

from dirframe.errors import InvalidInputError
from dirframe.plot._description.bins import bins_shared
from dirframe.plot._description.chart import Chart
from dirframe.plot._description.options import (
    DEFAULT_APPEARANCE,
    ChartOptions,
    appearance,
)
from dirframe.plot._description.tables import cut_note, options_of_table
from dirframe.plot._drawing import marks, typography
from dirframe.plot._drawing.panels import PANELS, Share, panels_of
from dirframe.plot._drawing.small_multiples import draw_panels
from dirframe.stats._options.selection import (
    DEFAULTS,
    Selection,
    document,
    extend_signature,
    parameters_of,
    record_exclusions,
    result_of,
    split_arguments,
)
from dirframe.stats._options.strata import names_of, strata_of
from dirframe.stats._rules.exclusion import exclude_records

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.plot._drawing.panels import Panels

P = ParamSpec("P")


def drawn(
    share: Share, *, height: float = 3.2, highest: Callable[[Any], int] | None = None
) -> Callable[[Callable[P, Chart]], Callable[P, Axes]]:
    """Draw the described chart; `share` names the axes shared by its panels.

    `share` is empty for a chart without scales. A panel is `height` inches high. `highest` returns
    the highest number in a chart of all records, for a chart whose shades mean numbers.
    """

    def decorate(describe: Callable[P, Chart]) -> Callable[P, Axes]:
        signature = extend_signature(
            describe,
            "Axes",
            annotations=ChartOptions.__annotations__,
            defaults={**DEFAULTS, "ax": None, **DEFAULT_APPEARANCE},
        )
        name = getattr(describe, "__name__", "chart")

        @wraps(describe)
        def wrapper(*args: P.args, **given: P.kwargs) -> Any:
            frame, own, selection = split_arguments(name, signature, args, given)
            ax = own.pop("ax", None)
            look = {n: own.pop(n) for n in DEFAULT_APPEARANCE if n in own}
            if not isinstance(ax, Axes | None):  # most often the array of plt.subplots
                raise InvalidInputError(
                    f"ax must be one Axes of matplotlib; got a {type(ax).__name__}. Of several axes, "
                    "pass one, such as axes[0]."
                )
            by = selection["by"] is not None and not result_of(frame)
            if by and ax is not None:
                raise InvalidInputError("by= draws a figure of its own: leave out ax, or by.")
            described: Callable[..., Chart] = describe
            with appearance(look, has_axes=ax is not None):
                if by:
                    result = _panels(frame, selection, lambda part: described(part, **own))
                elif result_of(frame):
                    options = options_of_table(name, frame, own, selection)
                    chart = described(frame, **options)
                    result = _draw(replace(chart, notes=[*chart.notes, cut_note(frame)]), ax)
                else:
                    exclusions = {option: selection[option] for option in ("exclude", "max_age")}
                    result = _draw(described(frame, **own, **exclusions), ax)
            texts = result.figure.findobj(Text)
            typography.warn_of_missing_glyphs(text.get_text() for text in texts)
            return result

        def _panels(frame: Any, selection: Selection, part: Callable[[Any], Chart]) -> Any:
            records, numbers = exclude_records(frame, selection["exclude"], selection["max_age"])
            by, least = names_of(selection["by"]), selection["min_records"]
            strata = strata_of(records, by, min_records=least, most=PANELS)
            if not strata:
                return _draw(part(records), None)
            with bins_shared(highest(records) if highest else None):
                panels = panels_of(records, strata, by, part)
                record_exclusions(panels.table, numbers, before=2)
                return _draw(panels._replace(share=share, height=height), None)

        def _draw(what: Chart | Panels, ax: Axes | None) -> Axes:
            return marks.draw(what, ax) if isinstance(what, Chart) else draw_panels(what)

        # What `by` and `min_records` do is another thing for charts.
        exclusions, _, _ = parameters_of(Selection).partition("by : ")
        parameters = exclusions + parameters_of(ChartOptions)
        return cast("Callable[P, Axes]", document(wrapper, signature, parameters))

    return decorate

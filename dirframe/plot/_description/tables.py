"""Tables that charts draw: computed from records, or computed earlier by their statistic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe import provenance
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import InvalidInputError
from dirframe.stats._options.selection import DEFAULTS, result_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe.stats._options.selection import Selection


def table_of(
    statistic: Callable[..., pd.DataFrame], frame: Any, **options: Any
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return the result of a statistic, and its counts; a frame that is such a result is taken."""
    table = frame if result_of(frame) else statistic(frame, **options)
    return table, table.attrs["dirframe"]["counted"]


def is_whole(table: pd.DataFrame) -> bool:
    """Return whether the result of a statistic has as many rows as it had."""
    facts = provenance.get_provenance(table)["statistic"]
    return bool(facts.get("rows", len(table)) == len(table))


def cut_note(table: pd.DataFrame) -> str:
    """Return a note on rows that were taken from the result of a statistic, or added to it."""
    if is_whole(table):
        return ""
    facts = provenance.get_provenance(table)["statistic"]
    return f"Drawn from {len(table):,} rows of {facts['rows']:,} of stats.{facts['name']}."


def options_of_table(
    chart: str, table: pd.DataFrame, given: dict[str, Any], selection: Selection
) -> dict[str, Any]:
    """Return the options to draw a table with: those given, and those it was computed with.

    Raises
    ------
    InvalidInputError
        If the table is of another statistic or of strata, was computed with an option that the
        chart lacks, or options of the statistic are given again.
    """
    spec = CHARTS[chart]
    expected = spec.statistic or chart
    computed_with: dict[str, Any] = provenance.get_provenance(table)["statistic"]["options"]
    if (actual := result_of(table)) != expected:
        raise InvalidInputError(
            f"The frame is the result of stats.{actual}; plot.{chart} draws records, or the result "
            f"of stats.{expected}."
        )
    drawn = spec.options if spec.chart_options is None else spec.chart_options
    if unknown := [option for option in computed_with if option not in drawn]:
        raise InvalidInputError(
            f"plot.{chart} cannot draw a table that was computed with {', '.join(unknown)}; pass "
            "it the records."
        )
    again = [option for option in STATISTICS[expected].options if option in given]
    again += [option for option, default in DEFAULTS.items() if selection.get(option) != default]
    if again:
        raise InvalidInputError(
            f"The table was computed already: pass {', '.join(again)} to stats.{expected}, or "
            f"pass plot.{chart} the records."
        )
    return given | computed_with

"""Panels of a chart, one for each stratum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pandas as pd

from dirframe import provenance
from dirframe._display.values import counted
from dirframe.errors import ColumnsNotSentError
from dirframe.plot._description.options import in_panels
from dirframe.plot._drawing import typography
from dirframe.stats._options.selection import compute_strata, record_strata

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.plot._description.chart import Chart
    from dirframe.stats._options.strata import Stratum

PANELS = 9  # more would be too small to compare

Share = Literal["", "x", "xy"]


class Panel(NamedTuple):
    """A panel: its title and chart, or why it has none, and the notes that others lack."""

    title: str
    chart: Chart | None
    message: str
    notes: str


class Panels(NamedTuple):
    """All panels, what they have in common, and how they are drawn."""

    panels: Sequence[Panel]
    title: str
    table: pd.DataFrame
    notes: Sequence[str]
    share: Share = ""
    height: float = 0.0


def panels_of(
    records: Any,
    strata: Sequence[Stratum],
    by: str | Sequence[str],
    describe: Callable[[Any], Chart],
) -> Panels:
    """Describe the chart of each stratum; one that lacks columns is a panel that says so."""
    with in_panels():
        outcomes = compute_strata(strata, lambda stratum: describe(stratum.frame))
    charts = [None if isinstance(outcome, ColumnsNotSentError) else outcome for outcome in outcomes]
    common = _common([chart.shown_notes for chart in charts if chart and chart.shown_notes])
    panels = [
        Panel(
            title=_title(stratum, chart.table if chart else pd.DataFrame()),
            chart=chart,
            message=outcome.message if isinstance(outcome, ColumnsNotSentError) else "",
            notes=" ".join(
                note for note in (chart.shown_notes if chart else ()) if note and note not in common
            ),
        )
        for stratum, outcome, chart in zip(strata, outcomes, charts, strict=True)
    ]
    names = [by] if isinstance(by, str) else list(by)
    results = [
        outcome if isinstance(outcome, ColumnsNotSentError) else outcome.table
        for outcome in outcomes
    ]
    groups = sum(stratum.pooled for stratum in strata)
    pooled = f"The last panel holds {counted(groups, 'smaller group')} together."
    title = next(chart.title for chart in reversed(charts) if chart)
    return Panels(
        panels=panels,
        title=f"{title}, by {', '.join(names).replace('_', ' ')}",
        table=record_strata(records, pd.DataFrame(), results, strata, names, stacklevel=5),
        notes=[*common, pooled if groups else ""],
    )


def _title(stratum: Stratum, statistic: pd.DataFrame) -> str:
    """Return the title of a panel, with the number of records that its statistic uses."""
    count = provenance.get_provenance(statistic)["base"].get("records", 0)
    of = f" of {stratum.records:,}" if count < stratum.records else ""
    return f"{typography.short(stratum.title)} (n = {count:,}{of})"


def _common(notes: Sequence[Sequence[str]]) -> list[str]:
    """Return the notes common to all panels that have notes; these are shown once."""
    if len(notes) < 2:
        return []
    return [note for note in notes[0] if note and all(note in others for others in notes[1:])]

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
from dirframe.stats._options.strata import names_of

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
    charts = [outcome for outcome in outcomes if not isinstance(outcome, ColumnsNotSentError)]
    common = _common([chart.shown_notes for chart in charts if chart.shown_notes])
    panels: list[Panel] = []
    results: list[pd.DataFrame | ColumnsNotSentError] = []
    for stratum, outcome in zip(strata, outcomes, strict=True):
        if isinstance(outcome, ColumnsNotSentError):
            panels.append(Panel(_title(stratum, pd.DataFrame()), None, outcome.message, ""))
            results.append(outcome)
            continue
        own_notes = [note for note in outcome.shown_notes if note and note not in common]
        panels.append(Panel(_title(stratum, outcome.table), outcome, "", " ".join(own_notes)))
        results.append(outcome.table)
    names = names_of(by)
    groups = sum(stratum.pooled for stratum in strata)
    pooled = f"The last panel holds {counted(groups, 'smaller group')} together."
    return Panels(
        panels=panels,
        title=f"{charts[-1].title}, by {', '.join(names).replace('_', ' ')}",
        table=record_strata(records, pd.DataFrame(), results, strata, names),
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

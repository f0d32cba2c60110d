"""Chart of the distribution of commits over the contributors of one project."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

from dirframe import provenance, stats
from dirframe._display.values import percent
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks, Remark
from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import typography
from dirframe.stats.commits import measures_of

if TYPE_CHECKING:
    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

_DOTS = 60  # contributors; more dots would merge into a line


@drawn("xy")
def commits_by_contributor(
    frame: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the cumulative share of a project's commits by contributor.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The contributors of one project as `dirframe.load_contributors` gives them, or with `by`
        those of several;
        `dirframe.stats.commits_by_contributor` ranks them, and
        `dirframe.stats.commit_concentration` computes the measures.

    Returns
    -------
    matplotlib.axes.Axes
        The cumulative share of commits (%), most active contributors first, over the number of
        contributors (logarithmic). Dashed lines mark half of the commits and the number of
        contributors who reach it, the bus factor, which is labelled. The caption states the shares
        of the first and of the first five.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.commits_by_contributor`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame).lines[0].get_ydata().tolist()
    [0.6, 0.9, 1.0]
    """
    table, counts = table_of(stats.commits_by_contributor, frame, **selection)
    project = provenance.get_provenance(table)["query"].get("project")
    title = "Commits by contributor" + (f": {project}" if project else "")
    chart = partial(
        Chart,
        table=table,
        title=title,
        empty=typography.empty_reason(counts, "a commit"),
        x=Axis(label="Contributors, most commits first (people)", scale="log", least=1),
        y=Axis(label="Commits of all these (share)", scale="share", limits=(0, 1.04)),
    )
    measures = measures_of(table)  # avoids a second count
    bus_factor = measures["bus factor"]
    if bus_factor is None:
        return chart()
    curve = Marks(
        kind="line",
        table=table,
        x=table["rank"].to_numpy(float),
        y=table["cumulative_share"].to_numpy(float),
        sizes=[0.6] if len(table) <= _DOTS else [],
    )
    half = Marks(
        kind="line",
        table=table.iloc[:0],
        x=[0, bus_factor, bus_factor],
        y=[0.5, 0.5, 0],
        colours=[NEUTRAL],
        dash="dash",
    )
    first, five = (percent(measures[name] or 0.0) for name in ("top 1", "top 5"))
    note = f"The first has {first} of the commits" + (
        f", the first five have {five}." if len(table) > 5 else "."
    )
    meaning = "Bus factor: so many have half of them together."
    reasons = {
        "without a number of commits": counts["commits_missing"],
        "with a negative one": counts["commits_negative"],
    }
    return chart(
        marks=[curve, half],
        # The curve is neither below the half to the right of the bus factor, nor above to the left.
        remark=Remark(text=f"Bus factor {bus_factor:,.0f}", x=bus_factor, y=0.25, y_left=0.5),
        notes=[note, meaning, typography.not_shown(counts, reasons)],
    )

"""Registry of statistics and charts (``charts.csv``), for command line, explorer and captions.

It imports neither pandas nor Matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dirframe._tables import read_rows

#: Options of every statistic and chart.
SELECTION = ("exclude", "max_age", "by", "min_records")
#: Suffixes of the files of a chart.
FILES = (".png", ".svg", ".pdf")
#: Options of every chart besides.
APPEARANCE = ("title", "caption", "width")


@dataclass(frozen=True, kw_only=True)
class ChartSpec:
    """A statistic, its chart, or both.

    Parameters
    ----------
    name : str
        Name of the function in `dirframe.stats` and in `dirframe.plot`.
    collection : str
        Collection that it describes; empty if accounts and projects are both accepted.
    summary : str
        One-line summary for lists of commands.
    title : str
        Title in lists of charts; empty if there is no chart.
    keys : tuple of str
        Columns of the result that say what a row is about; the others are its figures.
    table_title : str
        Title of the table, if there is no chart.
    base : tuple of str
        Records that its figures are based on: the key in ``counted``, and the words of captions.
    options : tuple of str
        Options of the statistic besides `SELECTION`.
    chart_options : tuple of str or None
        Options of the chart besides `SELECTION` and `APPEARANCE`, if they differ from those of
        the statistic.
    statistic : str
        The statistic that the chart draws, if its name differs.
    by_country : bool
        Whether it needs unified countries.
    """

    name: str
    collection: str
    summary: str
    title: str = ""
    keys: tuple[str, ...] = ()
    table_title: str = ""
    base: tuple[str, str] = ("", "")
    options: tuple[str, ...] = ()
    chart_options: tuple[str, ...] | None = None
    statistic: str = ""
    by_country: bool = False


def _read(row: dict[str, str]) -> ChartSpec:
    return ChartSpec(
        name=row["name"],
        collection=row["collection"],
        summary=row["summary"],
        title=row["title"],
        keys=tuple(row["keys"].split()),
        table_title=row["table_title"],
        base=(row["counted"], row["base"]),
        options=tuple(row["options"].split()),
        chart_options=tuple(row["chart_options"].split()) or None,
        statistic=row["statistic"],
        by_country=row["by_country"] == "yes",
    )


#: In display order.
_ALL = [_read(row) for row in read_rows(Path(__file__).with_name("charts.csv"))]

#: The functions of `dirframe.stats`.
STATISTICS = {spec.name: spec for spec in _ALL if not spec.statistic}

#: The charts of `dirframe.plot`.
CHARTS = {spec.name: spec for spec in _ALL if spec.title}


def base_of(statistic: str) -> tuple[str, str]:
    """Return the base of a statistic; empty strings if there is no such statistic."""
    return STATISTICS[statistic].base if statistic in STATISTICS else ("", "")

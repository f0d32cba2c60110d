"""Statistics of projects by tag."""

from __future__ import annotations

import pandas as pd

from dirframe._display import suggests_options
from dirframe.stats.intervals import Shares, check_confidence
from dirframe.stats.lists import count_records_by, explode
from dirframe.stats.records import TAGS, Frame, read
from dirframe.stats.result import Counts, as_statistic


@suggests_options
def tags(frame: Frame, *, top: int | None = None, confidence: float = 0.95) -> pd.DataFrame:
    """Count the projects with each tag.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``tags``.
    top : int, optional
        Number of tags with rows of their own; the others share a last row, ``other (n tags)``, with
        the projects that have any of them. By default, all have rows.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per tag, the most projects first; ties by name:

        - ``tag`` (str): without blanks around it
        - ``projects`` (Int64, projects): that have it, each once
        - ``share`` (Float64, 0 to 1): of the projects that have a tag; they can sum to more than 1
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Counted: ``with_tag``, ``without_tag``, ``tags`` and ``tags_in_other``.

    Examples
    --------
    >>> tags(pd.DataFrame({"tags": [["xml", "web"], ["xml", "xml "]]}))["share"].tolist()
    [1.0, 0.5]
    """
    check_confidence(confidence)
    columns = read(frame, [TAGS])
    entries = explode(columns[TAGS], ["tag"])
    table, numbers = count_records_by(entries, "tag", "tags", top)
    counts = Counts(
        "projects",
        len(columns),
        base="with_tag",
        which="with a tag",
        numbers={
            "with_tag": numbers["with_any"],
            "without_tag": len(columns) - numbers["with_any"],
            "tags": numbers["different"],
            "tags_in_other": numbers["in_other"],
        },
    )
    shares = Shares(numbers["with_any"], confidence)
    return as_statistic(table, "tags", source=frame, counts=counts, shares=shares)

"""Growth of the directory: records by the date on which they were created."""

from __future__ import annotations

import pandas as pd

from dirframe._display import suggests_options
from dirframe.errors import InvalidInputError
from dirframe.stats.records import (
    CREATED,
    MOMENT,
    Frame,
    collection_of,
    observed_until,
    read,
)
from dirframe.stats.result import Counts, as_statistic, typed_table

#: Lengths of a period, by the names of pandas for its offsets and periods: its name as a period.
FREQUENCIES = {
    "D": "D",
    "W": "W-SUN",
    "MS": "M",
    "QS": "Q",
    "YS": "Y",
    "M": "M",
    "Q": "Q",
    "Y": "Y",
}


@suggests_options
def growth(frame: Frame, *, freq: str = "MS") -> pd.DataFrame:
    """Count accounts or projects by the date on which they were created.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts or projects with the column ``created_at``.
    freq : {"D", "W", "MS", "QS", "YS"}, default "MS"
        Length of a period: days, weeks from Monday to Sunday, months, quarters or years; ``"M"``,
        ``"Q"`` and ``"Y"`` are the last three.

    Returns
    -------
    pandas.DataFrame
        One row per period from the first to the last with a record, ascending, without gaps:

        - ``start`` (datetime64[us, UTC]): first day of the period
        - ``new``, ``total`` (Int64, records): created in the period, and up to its end
        - ``finished`` (boolean): whether the period was over when the records were retrieved; where
          that is not known, or the data are synthetic, whether a later period has a record

        Only records that are still in the directory are counted. Counted: ``with_created_at`` and
        ``created_at_missing``.

    Examples
    --------
    >>> created = pd.to_datetime(["2013-01-31 23:00", "2013-03-01 00:00", "2013-03-31 10:00"])
    >>> growth(pd.DataFrame({"created_at": created}))["new"].tolist()
    [1, 0, 2]
    """
    if str(freq) not in FREQUENCIES:
        raise InvalidInputError(f"freq is {freq!r}; it must be one of {', '.join(FREQUENCIES)}.")
    created = read(frame, [CREATED])[CREATED]
    dated = created.dropna()
    periods = dated.dt.tz_localize(None).dt.to_period(FREQUENCIES[freq])
    new = periods.value_counts()
    span = new.index
    if len(new):
        span = pd.period_range(new.index.min(), new.index.max())
    new = new.reindex(span, fill_value=0)
    starts = span.start_time.tz_localize("UTC").as_unit("us")
    ends = (span + 1).start_time.tz_localize("UTC").as_unit("us")
    table = typed_table(
        {
            "start": (MOMENT, starts),
            "new": ("Int64", new),
            "total": ("Int64", new.cumsum()),
            "finished": ("boolean", ends <= observed_until(frame, dated)),
        }
    )
    counts = Counts(
        collection_of(frame),
        len(created),
        base="with_created_at",
        which="with a date",
        numbers={
            "with_created_at": len(dated),
            "created_at_missing": len(created) - len(dated),
        },
    )
    return as_statistic(table, "growth", source=frame, counts=counts)

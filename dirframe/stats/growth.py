"""Growth of the directory."""

from __future__ import annotations

import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats.counts import table_of
from dirframe.stats.kernel import MOMENT, Counted, Frame, collection_of, read, statistic

#: Lengths of a period, by their names in pandas: those of its offsets, and of its periods.
FREQUENCIES = {"D": "D", "W": "W-SUN", "MS": "M", "QS": "Q", "YS": "Y"}


@statistic("with_created_at", "with a date")
def growth(frame: Frame, *, freq: str = "MS") -> Counted:
    """Count accounts or projects by the date on which they were created.

    Parameters
    ----------
    frame
        Accounts or projects, as in `dirframe.stats`.
    freq : {"D", "W", "MS", "QS", "YS"}, default "MS"
        Length of a period: days, weeks from Monday to Sunday, months, quarters or years.

    Returns
    -------
    pandas.DataFrame
        One row per period from the first to the last with a record, ascending, without gaps:

        - ``start`` (datetime64[us, UTC]): first day of the period
        - ``new``, ``total`` (Int64, records): created in the period, and up to its end
        - ``finished`` (boolean): whether the period ended before the newest date of the records, of
          ``created_at`` and, where the frame has it, ``updated_at``

    Notes
    -----
    Only records that are still in the directory are counted. Counted: ``accounts`` or ``projects``,
    ``with_created_at`` and ``created_at_missing``.

    Examples
    --------
    >>> created = pd.to_datetime(["2013-01-31 23:00", "2013-03-01 00:00", "2013-03-31 10:00"])
    >>> growth(pd.DataFrame({"created_at": created}))["new"].tolist()
    [1, 0, 2]
    """
    if str(freq) not in FREQUENCIES:
        raise InvalidInputError(
            f"freq is {freq!r}; it must be 'D' (days), 'W' (weeks from Monday to Sunday), 'MS' "
            "(months), 'QS' (quarters) or 'YS' (years)."
        )
    p = read(frame, "created", optional=["updated"])
    dated = p["created"].dropna().dt.tz_localize(None)
    new = dated.dt.to_period(FREQUENCIES[freq]).value_counts()
    span = pd.period_range(new.index.min(), new.index.max()) if len(new) else new.index
    new = new.reindex(span, fill_value=0)
    starts, ends = (at.start_time.tz_localize("UTC") for at in (span, span + 1))
    table = table_of(
        start=(MOMENT, starts.as_unit("us")),
        new=("Int64", new),
        total=("Int64", new.cumsum()),
        finished=("boolean", ends <= p.max().max()),
    )
    return table, {
        collection_of(frame): len(p),
        "with_created_at": len(dated),
        "created_at_missing": len(p) - len(dated),
    }

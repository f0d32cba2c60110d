"""Growth of the directory."""

from __future__ import annotations

import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats.kernel import (
    CREATED,
    MOMENT,
    UPDATED,
    Counted,
    Frame,
    collection_of,
    read,
    statistic,
    table_of,
)

#: Lengths of a period, by their names in pandas: those of its offsets, and of its periods.
FREQUENCIES = {"D": "D", "W": "W-SUN", "MS": "M", "QS": "Q", "YS": "Y"}


@statistic("with_created_at", "with a date")
def growth(frame: Frame, *, freq: str = "MS") -> Counted:
    """Count accounts or projects by the date on which they were created.

    Parameters
    ----------
    frame : pandas.DataFrame, or records elsewhere
        Accounts or projects as the loaders give them.
    freq : str, default "MS"
        Length of a period, as pandas names it: ``"D"`` (days), ``"W"`` (weeks from Monday to
        Sunday, as ISO 8601 and pandas have them; ``"W-TUE"`` ends them on another day),
        ``"MS"`` or ``"ME"`` (months), ``"QS"`` or ``"QE"`` (quarters), ``"YS"`` or ``"YE"``
        (years; ``"QS-FEB"`` begins and ``"YE-JUN"`` ends them in another month), or several of
        them: ``"2W"``.

    Returns
    -------
    pandas.DataFrame
        One row per period from the first to the last with a record, ascending, without gaps; none
        where no record has a date:

        - ``start`` (datetime64[us, UTC]): first day of the period, also where pandas itself
          would name it by its last (``"W"``, ``"ME"``, ``"QE"``, ``"YE"``)
        - ``new`` (Int64, records): created in the period
        - ``total`` (Int64, records): created up to its end
        - ``finished`` (boolean): whether the period ended before the newest date of the
          records, of ``created_at`` and, where the frame has it, ``updated_at``

    Raises
    ------
    InvalidInputError
        If the column ``created_at`` is missing or does not hold dates, or `freq`
        is another frequency.

    Notes
    -----
    ``new`` is ``frame.set_index("created_at").resample(freq).size()`` of pandas, in UTC, without
    the empty period that pandas sometimes adds after the last record. A record belongs to
    the period that its day (UTC) is in. Several units, as in ``"2W"``, are
    counted from the first record's, so that another first record moves them all.

    Only records that are still in the directory are counted. The last period may not have been
    over when the directory sent them, which can be long before they were loaded from a file:
    ``finished`` is false unless a date in the records shows that it was. Records without ``created_at`` are in no row. ``attrs["dirframe"]["counted"]`` holds
    ``accounts`` or ``projects``, ``with_created_at`` and ``created_at_missing``.

    Examples
    --------
    >>> import pandas as pd
    >>> created = pd.to_datetime(["2013-01-31 23:00", "2013-03-01 00:00", "2013-03-31 10:00"])
    >>> print(growth(pd.DataFrame({"created_at": created})))
                          start  new  total  finished
    0 2013-01-01 00:00:00+00:00    1      1      True
    1 2013-02-01 00:00:00+00:00    0      1      True
    2 2013-03-01 00:00:00+00:00    2      3     False
    """
    if str(freq) not in FREQUENCIES:
        raise InvalidInputError(
            f"freq is {freq!r}; it must be 'D' (days), 'W' (weeks from Monday to Sunday), 'MS' "
            "(months), 'QS' (quarters) or 'YS' (years)."
        )
    p = read(frame, created=CREATED, updated=UPDATED, optional=("updated",))
    dated = p["created"].dropna().dt.tz_localize(None)
    new = dated.dt.to_period(FREQUENCIES[freq]).value_counts()
    span = pd.period_range(new.index.min(), new.index.max()) if len(new) else new.index
    new = new.reindex(span, fill_value=0)
    starts, ends = (at.start_time.tz_localize("UTC") for at in (span, span + 1))
    table = table_of(
        {
            "start": starts.as_unit("us"),
            "new": new.to_numpy(),
            "total": new.to_numpy().cumsum(),
            "finished": ends <= p.max().max(),
        },
        {"start": MOMENT, "new": "Int64", "total": "Int64", "finished": "boolean"},
    )
    return table, {
        collection_of(frame): len(p),
        "with_created_at": len(dated),
        "created_at_missing": len(p) - len(dated),
    }

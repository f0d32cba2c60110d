"""What a frame was made from: a small record in ``frame.attrs["dirframe"]``.

The record is JSON, so that it survives what pandas lets survive: query, assign, copy,
pickle and Parquet. Operations that drop attributes (merge, concat, groupby) need `carry`.

What stays out: fetching, drawing, and everything secret. A record holds no key.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

from dirframe import __version__
from dirframe.errors import InvalidInputError
from dirframe.extensions import ALL_RESOURCES
from dirframe.requirements import check_pandas

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ATTRIBUTE", "Absent", "Provenance", "absent", "attach", "caption", "carry", "describe"]

# Whatever makes or takes a frame comes by here, the commands of the shell too.
check_pandas()

#: The key in ``frame.attrs`` under which the record stands.
ATTRIBUTE = "dirframe"

_TUPLES = ("steps", "columns", "not_sent", "details_missing")


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What a frame was made from; None and empty mean that it is not known.

    Parameters
    ----------
    source : str
        What the directory is called.
    base_url : str
        Address of the directory, without a key.
    resource : str
        Kind of record: ``"account"``, ``"project"``, or the element of other records.
    question : Mapping of str to object
        What was asked: ``query``, ``sort``, ``max_items``.
    items_available : int or None
        Records that the directory said it has for this question.
    items_loaded : int or None
        Records that came, after duplicates were removed.
    complete : bool or None
        Whether the load was proven to hold every record that answers the question.
    why : str or None
        Why it is not complete.
    duplicates_removed : int
        Records that came more than once.
    retrieved_oldest, retrieved_newest : str or None
        When the oldest and the newest page were fetched, ISO 8601 in UTC.
    requests_paid, requests_cached : int
        Pages that were asked of the directory, and that came from the cache.
    synthetic : bool
        Whether the data is generated.
    columns : tuple of str
        The columns that were asked for; empty: all.
    not_sent : tuple of str
        Columns that are empty because the directory sent none of them with any record, which
        says nothing of the records.
    details : int
        Records that are those of their own page, not of the collection.
    details_missing : tuple of str
        Ids of the records whose own page was asked for and did not come.
    dirframe : str
        Version of this package.
    steps : tuple of str
        What was done to the records since they were loaded, oldest first.
    counted : Mapping of str to int
        What a statistic counted, and what it had to leave out.
    """

    source: str = ""
    base_url: str = ""
    resource: str = ""
    question: Mapping[str, Any] = field(default_factory=dict)
    items_available: int | None = None
    items_loaded: int | None = None
    complete: bool | None = None
    why: str | None = None
    duplicates_removed: int = 0
    retrieved_oldest: str | None = None
    retrieved_newest: str | None = None
    requests_paid: int = 0
    requests_cached: int = 0
    synthetic: bool = False
    columns: tuple[str, ...] = ()
    not_sent: tuple[str, ...] = ()
    details: int = 0
    details_missing: tuple[str, ...] = ()
    dirframe: str = __version__
    steps: tuple[str, ...] = ()
    counted: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.query or address.username or address.password or "api_key" in self.question:
            raise InvalidInputError(
                "A frame's provenance was given an address with a user or a query, or a "
                "question with an api_key. It is shown and exported: pass neither."
            )

    @classmethod
    def from_dict(cls, record: object) -> Self:
        """Read a record; missing keys get their default, unknown ones are ignored."""
        if not isinstance(record, Mapping):
            return cls()
        known = {f.name: record[f.name] for f in fields(cls) if record.get(f.name) is not None}
        return cls(**known | {name: tuple(known.get(name, ())) for name in _TUPLES})

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON values; changing them changes nothing here."""
        record = {f.name: copy.deepcopy(getattr(self, f.name)) for f in fields(self)}
        return (
            record
            | {
                "question": dict(record["question"]),
                "counted": dict(record["counted"]),
            }
            | {name: list(record[name]) for name in _TUPLES}
        )


def describe(frame: pd.DataFrame) -> dict[str, Any]:
    """Tell what a frame was made from.

    Parameters
    ----------
    frame : pandas.DataFrame
        Any frame; one that did not come from a directory gives an empty record.

    Returns
    -------
    dict
        Every key of `Provenance`, and those that another version has written besides.
        A copy: changing it does not change the frame.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = attach(pd.DataFrame({"id": ["1"]}), source="A directory", complete=True)
    >>> describe(frame.query("id == '1'"))["source"]
    'A directory'
    """
    record = frame.attrs.get(ATTRIBUTE)
    others = copy.deepcopy(record) if isinstance(record, dict) else {}
    return others | Provenance.from_dict(record).to_dict()


def attach(frame: pd.DataFrame, **facts: Any) -> pd.DataFrame:
    """Note facts about a frame in the frame itself.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame; its record is changed in place, its columns are not touched.
    **facts : object
        Fields of `Provenance`, as JSON values. What was noted before and is not named
        stays.

    Returns
    -------
    pandas.DataFrame
        The same frame.

    Raises
    ------
    TypeError
        If a fact is no field of `Provenance`.
    InvalidInputError
        If a value is not JSON, or an address or a question could hold a key.

    Examples
    --------
    >>> import pandas as pd
    >>> attach(pd.DataFrame(), items_loaded=0).attrs["dirframe"]["items_loaded"]
    0
    """
    before = describe(frame)
    known = {f.name: before[f.name] for f in fields(Provenance)}
    after = before | Provenance(**known | facts).to_dict()
    try:
        frame.attrs[ATTRIBUTE] = json.loads(json.dumps(after, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"Provenance holds JSON values only, so that every export keeps it: {error}."
        ) from None
    return frame


def carry(source: pd.DataFrame, target: pd.DataFrame, step: str = "") -> pd.DataFrame:
    """Hand the record of one frame on to a frame that was made from it.

    Parameters
    ----------
    source : pandas.DataFrame
        The frame that `target` was made from.
    target : pandas.DataFrame
        The derived frame; its record is replaced in place.
    step : str, default ""
        What was done, in a few words, such as ``"unify_countries"``.

    Returns
    -------
    pandas.DataFrame
        `target`.

    Examples
    --------
    >>> import pandas as pd
    >>> loaded = attach(pd.DataFrame({"id": ["1", "2"]}), source="A directory")
    >>> describe(carry(loaded, loaded.groupby("id").size().to_frame(), "count"))["steps"]
    ['count']
    """
    record = describe(source)
    if step:
        record["steps"].append(step)
    target.attrs[ATTRIBUTE] = record
    return target


class Absent(NamedTuple):
    """Columns that hold nothing although the records may have it, and why."""

    columns: tuple[str, ...]
    why: str


def absent(
    frame: pd.DataFrame, columns: Iterable[str], *, rows_elsewhere: bool = False
) -> Absent | None:
    """Say which columns hold nothing because they did not come, not because the records lack them.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a loader, or one that was made from it.
    columns : iterable of str
        Names of columns.
    rows_elsewhere : bool, default False
        Whether the frame stands for rows that are not in it, such as those of Dask.

    Returns
    -------
    Absent or None
        The columns that the directory did not send, or else those that were not loaded, and
        what to do; None if neither is known of any.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = attach(pd.DataFrame({"id": ["1"]}), columns=["id"])
    >>> absent(frame, ["name"]).why
    "name was not loaded: columns=['id'] left it out. Name it there, or leave columns out."
    """
    record, names = Provenance.from_dict(frame.attrs.get(ATTRIBUTE)), list(columns)
    unsent = tuple(one for one in names if one in record.not_sent)
    if not rows_elsewhere:
        unsent = tuple(one for one in unsent if len(frame) and not _holds(frame, one))
    if unsent:
        was, it = ("was", "it") if len(unsent) == 1 else ("were", "them")
        return Absent(
            unsent,
            f"{', '.join(unsent)} {was} not sent: the directory gives {it} on the own page of each "
            "project alone, so that nothing is known here. Load with details=True (dirframe projects "
            "--details) to ask for these pages; dirframe.plan(..., details=True) says the price.",
        )
    there = set(frame)
    unloaded = tuple(
        one for one in names if record.columns and one not in there and one not in record.columns
    )
    if unloaded:
        was, it = ("was", "it") if len(unloaded) == 1 else ("were", "them")
        return Absent(
            unloaded,
            f"{', '.join(unloaded)} {was} not loaded: columns={list(record.columns)} left {it} out. "
            f"Name {it} there, or leave columns out.",
        )
    return None


def _holds(frame: pd.DataFrame, column: str) -> bool:
    """Tell whether a column has values, wherever they came from."""
    return column in frame and bool(frame[column].notna().any())


def caption(frame: pd.DataFrame) -> str:
    """Give the discreet line below a chart or a table.

    Parameters
    ----------
    frame : pandas.DataFrame
        A frame of a loader, or a statistic of one.

    Returns
    -------
    str
        How many records, of which source, retrieved when (dates in UTC), and where they
        apply: that the data is synthetic, and that it is incomplete.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["1", "2"]})
    >>> caption(attach(frame, resource="project", source="A directory", synthetic=True))
    'n = 2 projects · Source: A directory · synthetic sample data'
    """
    record = Provenance.from_dict(frame.attrs.get(ATTRIBUTE))
    parts = [_size(record, len(frame)), _origin(record)]
    if record.synthetic:
        parts.append("synthetic sample data")
    if record.complete is False:
        parts.append("incomplete" + _shortfall(record))
    return " · ".join(parts)


def _noun(record: Provenance, count: int) -> str:
    resource = ALL_RESOURCES.get(record.resource)
    if resource is None:
        return "record" if count == 1 else "records"
    return resource.words[0 if count == 1 else 1]


def _size(record: Provenance, rows: int) -> str:
    # A statistic has a row a group; what it counted says how many records are behind it.
    resource = ALL_RESOURCES.get(record.resource)
    count = record.counted.get(resource.collection, rows) if resource else rows
    loaded = record.items_loaded
    if loaded is not None and count < loaded:
        return f"n = {count:,} of {loaded:,} {_noun(record, loaded)}"
    return f"n = {count:,} {_noun(record, count)}"


def _origin(record: Provenance) -> str:
    text = f"Source: {record.source or record.base_url or 'not recorded'}"
    days = [t[:10] for t in (record.retrieved_oldest, record.retrieved_newest) if t]
    return f"{text}, retrieved {' to '.join(dict.fromkeys(days))}" if days else text


def _shortfall(record: Provenance) -> str:
    if record.items_loaded is None or record.items_available is None:
        return ""
    return f": {record.items_loaded:,} of {record.items_available:,} loaded"

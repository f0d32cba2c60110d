"""Validate the inputs of a report: at most one frame of each resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe._arrow import as_pandas, type_name
from dirframe.errors import Hint, InvalidInputError
from dirframe.reports.selection import validate_selection
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES
from dirframe.stats._options.selection import Selection

if TYPE_CHECKING:
    from dirframe.schema import Resource

#: The frames accepted by `dirframe.report`.
Frames = pd.DataFrame | Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame]

_NAMES = {name: r for r in RESOURCES.values() for name in (r.name, r.collection)}


@dataclass(frozen=True)
class ReportData:
    """Title, frames and selection of a report.

    Parameters
    ----------
    title : str
        The report's title.
    frames : Mapping of str to pandas.DataFrame
        The frames by collection: ``projects``, ``accounts`` or both, in this order.
    selection : Selection
        The options ``exclude``, ``max_age``, ``by`` and ``min_records`` of the whole report.
    is_interactive : bool, default False
        Whether the charts are drawn for interactive pages, too.
    """

    title: str
    frames: Mapping[str, pd.DataFrame]
    selection: Selection = field(default_factory=Selection)
    is_interactive: bool = False

    @property
    def projects(self) -> pd.DataFrame | None:
        """The frame of projects, or None."""
        return self.frames.get(PROJECT.collection)

    @property
    def accounts(self) -> pd.DataFrame | None:
        """The frame of accounts, or None."""
        return self.frames.get(ACCOUNT.collection)


def collect_inputs(
    frames: Frames, title: str | None, selection: Selection | None = None
) -> ReportData:
    """Identify the resource of each frame and validate the inputs.

    Parameters
    ----------
    frames : pandas.DataFrame, or a mapping or sequence of them
        Accounts, projects or both.
    title : str or None
        The report's title; None for the name of the directory and the collections.
    selection : Selection, optional
        Records excluded from the whole report, and the strata.

    Returns
    -------
    ReportData
        The validated inputs.

    Raises
    ------
    InvalidInputError
        If there is no frame, there are two of one resource, a frame is not from a loader, a name
        contradicts the provenance of its frame, or no frame has the columns for the selection.

    Examples
    --------
    >>> collect_inputs(pd.DataFrame({"id": ["1"], "stack_count": [2]}), None).title
    'Report on projects'
    """
    by_collection: dict[str, pd.DataFrame] = {}
    for name, given in _named(as_pandas(frames)):
        frame = as_pandas(given)
        collection = _resource(name, frame).collection
        if collection in by_collection:
            raise InvalidInputError(
                f"A report takes one frame of {collection}; got two.",
                hint=Hint(
                    "Make a report of each, or compare them with dirframe.compare(before, after).",
                    shell="Make a report of each, or use dirframe compare BEFORE AFTER.",
                ),
            )
        by_collection[collection] = frame
    if not by_collection:
        raise InvalidInputError("A report needs a frame of accounts or projects; got none.")
    ordered = {
        r.collection: by_collection[r.collection]
        for r in (PROJECT, ACCOUNT)
        if r.collection in by_collection
    }
    named = _line(title) if title else _title(ordered)
    return ReportData(named, ordered, validate_selection(ordered, selection or {}))


def _named(frames: object) -> Iterator[tuple[str | None, Any]]:
    if isinstance(frames, pd.DataFrame):
        yield None, frames
    elif isinstance(frames, Mapping):
        yield from frames.items()
    elif isinstance(frames, Sequence) and not isinstance(frames, str | bytes):
        yield from ((None, frame) for frame in frames)
    else:
        raise InvalidInputError(
            f"A report takes a frame, or a list or mapping of frames; got a {type_name(frames)}."
        )


def _resource(name: str | None, frame: object) -> Resource:
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInputError(f"A report takes frames of the loaders; got a {type_name(frame)}.")
    if name is not None and name not in _NAMES:
        raise InvalidInputError(
            f"A frame is named {name!r}; a report knows {', '.join(sorted(_NAMES))}."
        )
    record = provenance.get_provenance(frame)
    if record["counted"]:
        raise InvalidInputError(
            "A report takes frames of the loaders; got the result of a statistic "
            f"({', '.join(record['steps'])})."
        )
    if not all(isinstance(column, str) for column in frame) or not frame.columns.is_unique:
        raise InvalidInputError("The columns of a report's frame need different names, as text.")
    recorded = provenance.resource_of(frame)
    if recorded is not None and recorded.name not in RESOURCES:
        raise InvalidInputError(
            f"A report takes accounts and projects; the frame holds {recorded.name!r} "
            "records. Leave it out, and export it beside the report."
        )
    resource = _NAMES[name] if name is not None else recorded
    if resource is None:
        raise InvalidInputError(
            "The frame says neither in its provenance nor in its columns whether it holds "
            "accounts or projects.",
            hint=Hint(
                'Name it: {"projects": frame}.',
                shell="Name a file of dirframe accounts or projects.",
            ),
        )
    if recorded is not None and recorded is not resource:
        raise InvalidInputError(f"The frame named {name!r} holds {recorded.collection}.")
    return resource


def _title(frames: Mapping[str, pd.DataFrame]) -> str:
    sources = [provenance.get_provenance(frame)["source"] for frame in frames.values()]
    named = " and ".join(dict.fromkeys(source for source in sources if source))
    holding = " and ".join(frames)
    return _line(f"{named}: {holding}" if named else f"Report on {holding}")


def _line(text: str) -> str:
    return " ".join("".join(s if s.isprintable() else " " for s in text).split())

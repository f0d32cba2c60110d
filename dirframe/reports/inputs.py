"""What a report is made of: at most one frame of each resource, checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe import provenance
from dirframe.errors import Hint, InvalidInputError
from dirframe.reports.selection import checked
from dirframe.schema import ACCOUNT, PROJECT, RESOURCES
from dirframe.stats._options.selection import Selection

if TYPE_CHECKING:
    from dirframe.schema import Resource

__all__ = ["Frames", "ReportData", "collect_inputs"]

#: What `dirframe.report` takes.
Frames = pd.DataFrame | Mapping[str, pd.DataFrame] | Sequence[pd.DataFrame]

_NAMES = {name: r for r in RESOURCES.values() for name in (r.name, r.collection)}


@dataclass(frozen=True)
class ReportData:
    """The frames of a report under the names of their collections, and its title.

    Parameters
    ----------
    title : str
        The report's title.
    frames : Mapping of str to pandas.DataFrame
        ``projects``, ``accounts`` or both, in this order.
    selection : Selection
        The options ``exclude``, ``max_age``, ``by`` and ``min_records`` of the whole report.
    """

    title: str
    frames: Mapping[str, pd.DataFrame]
    selection: Selection = field(default_factory=Selection)

    @property
    def projects(self) -> pd.DataFrame | None:
        """The frame of projects, where there is one."""
        return self.frames.get(PROJECT.collection)

    @property
    def accounts(self) -> pd.DataFrame | None:
        """The frame of accounts, where there is one."""
        return self.frames.get(ACCOUNT.collection)


def collect_inputs(
    frames: Frames, title: str | None, selection: Selection | None = None
) -> ReportData:
    """Say which frame is which, and refuse what cannot be meant.

    Parameters
    ----------
    frames : pandas.DataFrame, or a mapping or sequence of them
        Accounts, projects or both.
    title : str or None
        The report's title; left out, the directory and what the frames hold.
    selection : Selection, optional
        What the whole report leaves out, and by what it is divided.

    Returns
    -------
    Material
        The frames by their collections.

    Raises
    ------
    InvalidInputError
        If there is no frame, two of one resource, something that is no frame of a loader, or
        a name that contradicts what the frame says of itself, or if no frame can follow the
        selection.

    Examples
    --------
    >>> sorted_out(pd.DataFrame({"id": ["1"], "stack_count": [2]}), None).title
    'Report on projects'
    """
    found: dict[str, pd.DataFrame] = {}
    for name, frame in _named(frames):
        collection = _resource(name, frame).collection
        if collection in found:
            raise InvalidInputError(
                f"A report is made of one frame of {collection}; two came.",
                hint=Hint(
                    "Make a report of each, or compare them with dirframe.compare(before, after).",
                    shell="Make a report of each, or use dirframe compare BEFORE AFTER.",
                ),
            )
        found[collection] = frame
    if not found:
        raise InvalidInputError("A report needs a frame of accounts or projects; none came.")
    ordered = {
        r.collection: found[r.collection] for r in (PROJECT, ACCOUNT) if r.collection in found
    }
    named = _line(title) if title else _title(ordered)
    return ReportData(named, ordered, checked(ordered, selection or {}))


def _named(frames: object) -> Iterator[tuple[str | None, Any]]:
    if isinstance(frames, pd.DataFrame):
        yield None, frames
    elif isinstance(frames, Mapping):
        yield from frames.items()
    elif isinstance(frames, Sequence) and not isinstance(frames, str | bytes):
        yield from ((None, frame) for frame in frames)
    else:
        raise InvalidInputError(
            "A report is made of a frame, or a list or mapping of frames; a "
            f"{type(frames).__name__} came."
        )


def _resource(name: str | None, frame: object) -> Resource:
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInputError(
            f"A report is made of frames as the loaders give them; a {type(frame).__name__} came."
        )
    if name is not None and name not in _NAMES:
        raise InvalidInputError(
            f"A frame is named {name!r}; a report knows {', '.join(sorted(_NAMES))}."
        )
    record = provenance.get_provenance(frame)
    if record["counted"]:
        raise InvalidInputError(
            "A report is made of frames as the loaders give them; a statistic of one came "
            f"({', '.join(record['steps'])})."
        )
    if not all(isinstance(column, str) for column in frame) or not frame.columns.is_unique:
        raise InvalidInputError("The columns of a report's frame need different names, as text.")
    said = provenance.resource_of(frame)
    if said is not None and said.name not in RESOURCES:
        raise InvalidInputError(
            f"A report is made of accounts and projects; the frame holds {said.name!r} "
            "records. Leave it out, and export it beside the report."
        )
    given = _NAMES[name] if name is not None else said
    if given is None:
        raise InvalidInputError(
            "The frame says neither in its provenance nor in its columns whether it holds "
            "accounts or projects.",
            hint=Hint(
                'Name it: {"projects": frame}.',
                shell="Name a file of dirframe accounts or projects.",
            ),
        )
    if said is not None and said is not given:
        raise InvalidInputError(f"The frame named {name!r} holds {said.collection}.")
    return given


def _title(frames: Mapping[str, pd.DataFrame]) -> str:
    sources = [provenance.get_provenance(frame)["source"] for frame in frames.values()]
    named = " and ".join(dict.fromkeys(source for source in sources if source))
    holding = " and ".join(frames)
    return _line(f"{named}: {holding}" if named else f"Report on {holding}")


def _line(text: str) -> str:
    return " ".join("".join(s if s.isprintable() else " " for s in text).split())

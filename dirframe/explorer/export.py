"""Write the records shown, or a statistic of them; errors are returned as `LoadResult`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe import stats
from dirframe.errors import DirframeError, DirframeWarning
from dirframe.explorer.load import LoadResult, error_message, success_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd


@dataclass(frozen=True, eq=False, kw_only=True)
class ExportRequest:
    """What is written, and where.

    Parameters
    ----------
    frame : pandas.DataFrame
        The records.
    path : str
        The file; its suffix is the format.
    overwrite : bool
        Whether an existing file is replaced.
    statistic : str
        Name of a function of `dirframe.stats` to write instead of the records; empty for those.
    options : mapping
        Arguments of the statistic.
    noun : str
        What the rows are.
    """

    frame: pd.DataFrame
    path: str
    overwrite: bool
    statistic: str
    options: Mapping[str, Any]
    noun: str


def write(request: ExportRequest) -> LoadResult:
    """Write a file; errors are returned, not raised."""
    from dirframe import export  # with its formats, which are rarely needed

    try:
        frame = request.frame
        if request.statistic:
            frame = getattr(stats, request.statistic)(frame, **request.options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DirframeWarning)
            path = Path(request.path).expanduser()
            file = export(frame, path, overwrite=request.overwrite)
    except DirframeError as error:
        return LoadResult(message=str(error), severity="error", error=error)
    except OSError as error:
        return LoadResult(message=f"Not written: {error}.", severity="error", error=error)
    except Exception as error:  # noqa: BLE001  # the view shows sentences, never a traceback
        return LoadResult(message=error_message(error), severity="error", error=error)
    return success_result(f"{len(frame):,} {request.noun} written to {file}.", caught)

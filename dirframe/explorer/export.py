"""Write the records shown, or a statistic of them; errors are returned as `LoadResult`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe import stats
from dirframe.errors import DirframeWarning
from dirframe.explorer.load import LoadResult, error_result, success_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd


def write(
    frame: pd.DataFrame,
    path: str,
    *,
    overwrite: bool,
    statistic: str,
    options: Mapping[str, Any],
    noun: str,
) -> LoadResult:
    """Write a file; errors are returned, not raised.

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
    from dirframe import export  # with its formats, which are rarely needed

    try:
        if statistic:
            frame = getattr(stats, statistic)(frame, **options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", DirframeWarning)
            file = export(frame, Path(path).expanduser(), overwrite=overwrite)
    except OSError as error:
        return LoadResult(f"Not written: {error}.", "error", error=error)
    except Exception as error:  # noqa: BLE001  # the view shows sentences, never a traceback
        return error_result(error)
    return success_result(f"{len(frame):,} {noun} written to {file}.", caught)

"""Pass frames to the notebook's kernel in files that execute no code when read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe.io.export import export
from dirframe.io.read import read_export
from dirframe.reports.inputs import ReportData, collect_inputs

if TYPE_CHECKING:
    from dirframe.stats._options.selection import Selection

#: Environment variable with the folder of the frames.
VARIABLE = "DIRFRAME_REPORT_FOLDER"

_MANIFEST = "report.json"


def write_inputs(material: ReportData, folder: Path) -> None:
    """Write the frames, the title and the selection for `report_data`.

    Parameters
    ----------
    material : ReportData
        The inputs of the report.
    folder : pathlib.Path
        An empty folder.

    Raises
    ------
    InvalidInputError
        If a column holds values that no file can store.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> material = collect_inputs(pd.DataFrame({"stack_count": [1, 2]}), "T")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_inputs(material, Path(folder))
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['projects.parquet', 'report.json']
    """
    for name, frame in material.frames.items():
        export(frame.reset_index(drop=True), folder / f"{name}.parquet")
    manifest = {
        "title": material.title,
        "collections": list(material.frames),
        "selection": material.selection,
    }
    (folder / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def report_data() -> ReportData:
    """Return the frames of the report that the kernel is executing.

    Returns
    -------
    ReportData
        ``title``, and ``projects`` and ``accounts`` as given to `dirframe.report`, or None.
        Outside of a report, the bundled sample, so that a template can be developed in Jupyter.

    Examples
    --------
    >>> report_data().title
    'dirframe sample directory: projects and accounts'
    """
    if VARIABLE not in os.environ:
        return _sample()
    manifest, folder = _read_manifest(), Path(os.environ[VARIABLE])
    frames = {name: read_export(folder / f"{name}.parquet") for name in manifest["collections"]}
    return ReportData(manifest["title"], frames, manifest["selection"])


def report_options() -> Selection:
    """Return the options of the report that the kernel is executing.

    Returns
    -------
    Selection
        The selection as given to `dirframe.report`; an empty one outside of a report.

    Examples
    --------
    >>> report_options()
    {}
    """
    if VARIABLE not in os.environ:
        return {}
    selection: Selection = _read_manifest()["selection"]
    return selection


def _read_manifest() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(
        (Path(os.environ[VARIABLE]) / _MANIFEST).read_text(encoding="utf-8")
    )
    return manifest


def _sample() -> ReportData:
    from dirframe.client.loaders import load_accounts, load_projects
    from dirframe.sample import sample_directory

    with sample_directory() as directory:
        frames = [load_projects(directory=directory), load_accounts(directory=directory)]
    return collect_inputs(frames, None)

"""Pass frames to the notebook's kernel in files that execute no code when read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.reports.inputs import ReportData, collect_inputs

if TYPE_CHECKING:
    from dirframe.stats._options.selection import Selection

__all__ = ["VARIABLE", "report_data", "selected", "write_inputs"]

#: Environment variable with the folder of the frames.
VARIABLE = "DIRFRAME_REPORT_FOLDER"

_MANIFEST = "report.json"


def write_inputs(material: ReportData, folder: Path) -> None:
    """Write the frames for `report_data`; lists and records become JSON.

    Parameters
    ----------
    material : ReportData
        The inputs of the report.
    folder : pathlib.Path
        An empty folder.

    Raises
    ------
    InvalidInputError
        If a column holds values that neither Parquet nor JSON can store.

    Examples
    --------
    >>> import tempfile
    >>> material = collect_inputs(pd.DataFrame({"tags": [["a"], None], "stack_count": [1, 2]}), "T")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_inputs(material, Path(folder))
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['projects.parquet', 'report.json']
    """
    as_json: dict[str, list[str]] = {}
    for name, frame in material.frames.items():
        as_json[name] = [str(column) for column in frame if frame[column].dtype == object]
        texts = {column: _texts(frame[column]) for column in as_json[name]}
        plain = frame.assign(**texts).reset_index(drop=True)
        # Other attrs can hold values that are not JSON, and the report does not need them.
        record = frame.attrs.get(provenance.ATTRIBUTE)
        plain.attrs = {provenance.ATTRIBUTE: record} if isinstance(record, dict) else {}
        try:
            plain.to_parquet(folder / f"{name}.parquet", index=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InvalidInputError(f"The frame of {name} cannot be reported on: {error}") from None
    manifest = {"title": material.title, "json": as_json, "selection": material.selection}
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
    manifest = _read_manifest()
    folder = Path(os.environ[VARIABLE])
    frames = {name: _read(folder, name, columns) for name, columns in manifest["json"].items()}
    return ReportData(manifest["title"], frames, manifest["selection"])


def selected() -> Selection:
    """Return the selection of the report that the kernel is executing.

    Returns
    -------
    Selection
        As given to `dirframe.report`; empty outside of a report.

    Examples
    --------
    >>> selected()
    {}
    """
    selection: Selection = _read_manifest()["selection"] if VARIABLE in os.environ else {}
    return selection


def _read_manifest() -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(
        (Path(os.environ[VARIABLE]) / _MANIFEST).read_text(encoding="utf-8")
    )
    return manifest


def _read(folder: Path, name: str, columns: list[str]) -> pd.DataFrame:
    frame = pd.read_parquet(folder / f"{name}.parquet")
    values = {c: frame[c].map(json.loads, na_action="ignore").astype(object) for c in columns}
    # Missing entries are None, as the loaders return them.
    values = {c: column.where(column.notna(), None) for c, column in values.items()}
    restored = frame.assign(**values)
    restored.attrs = frame.attrs
    return restored


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    def text(value: Any) -> str | None:
        if value is None or (pd.api.types.is_scalar(value) and pd.isna(value)):
            return None
        return json.dumps(value, ensure_ascii=False, default=_as_list)

    try:
        return pd.Series([text(v) for v in column], index=column.index, dtype="str")
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidInputError(
            f"The column {column.name!r} holds what is neither text, number, list nor record: "
            f"{error}"
        ) from None


def _as_list(value: Any) -> Any:
    return value.tolist()  # Parquet returns lists as arrays


def _sample() -> ReportData:
    from dirframe.client.loaders import load_accounts, load_projects
    from dirframe.sample import sample_directory

    with sample_directory() as directory:
        frames = [load_projects(directory=directory), load_accounts(directory=directory)]
    return collect_inputs(frames, None)

"""The frames' way into the notebook's kernel: files that run nothing when they are read."""

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

#: Tells the kernel in which folder its frames are.
VARIABLE = "DIRFRAME_REPORT_FOLDER"

_LIST = "report.json"


def write_inputs(material: ReportData, folder: Path) -> None:
    """Write the frames for `report_data`; lists and records as JSON, everything else as it is.

    Parameters
    ----------
    material : Material
        What the report is made of.
    folder : pathlib.Path
        An empty folder.

    Raises
    ------
    InvalidInputError
        If a column holds what neither Parquet nor JSON can.

    Examples
    --------
    >>> import tempfile
    >>> material = sorted_out(pd.DataFrame({"tags": [["a"], None], "stack_count": [1, 2]}), "T")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hand_over(material, Path(folder))
    ...     sorted(file.name for file in Path(folder).iterdir())
    ['projects.parquet', 'report.json']
    """
    as_json: dict[str, list[str]] = {}
    for name, frame in material.frames.items():
        as_json[name] = [str(column) for column in frame if frame[column].dtype == object]
        texts = {column: _texts(frame[column]) for column in as_json[name]}
        plain = frame.assign(**texts).reset_index(drop=True)
        # Whatever else a person keeps in attrs may be no JSON, and is nothing for a report.
        record = frame.attrs.get(provenance.ATTRIBUTE)
        plain.attrs = {provenance.ATTRIBUTE: record} if isinstance(record, dict) else {}
        try:
            plain.to_parquet(folder / f"{name}.parquet", index=False)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InvalidInputError(f"The frame of {name} cannot be reported on: {error}") from None
    listed = {"title": material.title, "json": as_json, "selection": material.selection}
    (folder / _LIST).write_text(json.dumps(listed), encoding="utf-8")


def report_data() -> ReportData:
    """Give a template's cells the frames of their report.

    Returns
    -------
    Material
        ``title``, and ``projects`` and ``accounts`` as `dirframe.report` got them, None where
        it got none. Outside of a report, so that a template can be written in Jupyter: the
        bundled sample.

    Examples
    --------
    >>> report_data().title
    'dirframe sample directory: projects and accounts'
    """
    if VARIABLE not in os.environ:
        return _sample()
    listed = _listed()
    folder = Path(os.environ[VARIABLE])
    frames = {name: _read(folder, name, columns) for name, columns in listed["json"].items()}
    return ReportData(listed["title"], frames, listed["selection"])


def selected() -> Selection:
    """Give what the report of this kernel leaves out, and by what it is divided.

    Returns
    -------
    Selection
        As `dirframe.report` got it; nothing outside of a report.

    Examples
    --------
    >>> selected()
    {}
    """
    found: Selection = _listed()["selection"] if VARIABLE in os.environ else {}
    return found


def _listed() -> dict[str, Any]:
    listed: dict[str, Any] = json.loads(
        (Path(os.environ[VARIABLE]) / _LIST).read_text(encoding="utf-8")
    )
    return listed


def _read(folder: Path, name: str, columns: list[str]) -> pd.DataFrame:
    frame = pd.read_parquet(folder / f"{name}.parquet")
    values = {c: frame[c].map(json.loads, na_action="ignore").astype(object) for c in columns}
    # Missing entries come back as the loaders write them.
    values = {c: column.where(column.notna(), None) for c, column in values.items()}
    whole = frame.assign(**values)
    whole.attrs = frame.attrs
    return whole


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
    return value.tolist()  # Parquet gives lists back as arrays


def _sample() -> ReportData:
    from dirframe.client.loaders import load_accounts, load_projects
    from dirframe.sample import sample_directory

    with sample_directory() as directory:
        frames = [load_projects(directory=directory), load_accounts(directory=directory)]
    return collect_inputs(frames, None)

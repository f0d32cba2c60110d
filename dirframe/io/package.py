"""Write and read a study: a zip file of tables with metadata that other programs understand."""

from __future__ import annotations

import copy
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError
from dirframe.io import csv, parquet
from dirframe.io._integrity.checksum import Seal
from dirframe.io._integrity.native_check import SEALED
from dirframe.io.sidecar import write_sidecar
from dirframe.study.metadata import METADATA_FILES, metadata_texts
from dirframe.study.model import Study, StudyOptions, Table, describe_file, describe_table
from dirframe.study.zip_file import add_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.io.frame_codec import ExportFrame


#: The digest in a Parquet file.
SEAL: Seal = Seal(b"PAR1")

_DATA = "data"
#: Parquet is compressed itself; an entry that becomes so many times larger is a zip bomb.
_MOST_TIMES, _SMALL = 100, 1 << 20

_README = """# {title}

{tables}

`datapackage.json` says what each column is: its type, its unit and its meaning.
`ro-crate-metadata.json` says where the files are from and what may be done with them.
The tables are in `data/`, each as CSV and as Parquet, with the same records:

    pandas.read_parquet("data/{name}.parquet")      # Python
    arrow::read_parquet("data/{name}.parquet")      # R
    read.csv("data/{name}.csv", na.strings = "")    # R, without further packages
    SELECT * FROM 'data/{name}.parquet'             -- DuckDB

In CSV, times are ISO 8601 in UTC, lists are JSON, a missing value is an empty cell, and a text
that a spreadsheet would take for a formula begins with an apostrophe.

Written by dirframe {version}.
"""


def write_package(frames: Sequence[ExportFrame], file: Path, **options: Any) -> None:
    """Write the frames with their metadata; `options` are those of `StudyOptions`."""
    chosen = StudyOptions(**options)
    names = [_file_name(prepared.name) for prepared in frames]
    if clash := {name for name in names if names.count(name) > 1}:
        raise InvalidInputError(
            f"Two frames would be written to data/{min(clash)}.csv; give them names that differ in "
            "letters and digits."
        )
    with TemporaryDirectory(dir=file.parent, prefix=f"{file.name}-") as folder:
        root = Path(folder)
        (root / _DATA).mkdir()
        tables = [
            _write_table(prepared, root, name) for prepared, name in zip(frames, names, strict=True)
        ]
        others = [*METADATA_FILES.items()]
        others += [
            (f"{table.files[0].path}.provenance.json", f"Provenance of {table.files[0].path}")
            for table in tables
        ]
        study = Study(
            name=names[0] if len(names) == 1 else "study",
            tables=tuple(tables),
            options=chosen,
            other_files=tuple(others),
        )
        texts = metadata_texts(study) | {"README.md": _readme(study).encode()}
        for name, content in texts.items():
            (root / name).write_bytes(content)
        with zipfile.ZipFile(file, "w") as packed:
            for path in sorted(path for path in root.rglob("*") if path.is_file()):
                add_file(packed, path.relative_to(root).as_posix(), path, compress=True)


def read_package(file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Read what `write_package` wrote, from its Parquet files."""
    frames: dict[str, tuple[pd.DataFrame, dict[str, Any]]] = {}
    with zipfile.ZipFile(file) as packed, TemporaryDirectory() as folder:
        if "datapackage.json" not in packed.namelist():
            raise InvalidInputError(f"{file} is not a study that dirframe exported.")
        for name in packed.namelist():
            if re.fullmatch(r"data/[a-z0-9._-]+\.parquet", name):
                # Not extract(): the name of the copy is ours.
                copied = Path(folder, name.removeprefix("data/"))
                entry = packed.getinfo(name)
                if entry.file_size > _MOST_TIMES * entry.compress_size + _SMALL:
                    raise InvalidInputError(
                        f"{name} in {file} would have {entry.file_size:,} bytes, out of "
                        f"{entry.compress_size:,}: no table is packed so far. Take the file from "
                        "a copy."
                    )
                with packed.open(entry) as source, copied.open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)
                if SEAL.fits(copied) is not True:
                    raise InvalidInputError(
                        f"{name} in {file} was damaged or changed since it was exported: its digest "
                        "does not fit. Restore the file from a copy, or export the frame again."
                    )
                frames |= parquet.read_parquet(copied)
    return frames


def _write_table(prepared: ExportFrame, root: Path, name: str) -> Table:
    as_parquet, as_csv = (root / _DATA / f"{name}.{kind}" for kind in ("parquet", "csv"))
    # Each format adds to the record.
    own = replace(prepared, record=copy.deepcopy(prepared.record) | {SEALED: "sha256"})
    parquet.write_parquet([own], as_parquet)
    SEAL.write(as_parquet)
    csv.write_csv([prepared], as_csv)
    write_sidecar(as_csv, prepared.record)
    files = [describe_file(root, path) for path in (as_csv, as_parquet)]
    return describe_table(name, as_parquet, prepared.frame, files)


def _file_name(name: str) -> str:
    """Return a name that the data package allows: lower case, without spaces."""
    return re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.") or "table"


def _readme(study: Study) -> str:
    first = study.tables[0]
    tables = [
        f"- `{table.name}`: {table.rows:,} rows, {table.completeness}. Cite as: {table.citation}"
        for table in study.tables
    ]
    return _README.format(
        title=study.title,
        tables="\n".join(tables),
        name=first.name,
        version=first.record.dirframe,
    )

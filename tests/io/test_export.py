"""A file is written whole or not at all, and never over another one unasked."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe import InvalidInputError, export, harvest, sample_directory
from tests.io import READABLE, SHOWN

if TYPE_CHECKING:
    from pathlib import Path

FULL = """
import resource, signal, sys
import pandas as pd
from dirframe import export
frame = pd.DataFrame({"a": [str(hash(str(n))) for n in range(50_000)]})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    export(frame, sys.argv[1], overwrite=True)
except OSError as error:
    print(error)
    sys.exit(7)
"""


def small() -> pd.DataFrame:
    return pd.DataFrame({"a": [1]})


@pytest.mark.parametrize("suffix", [*READABLE, *SHOWN])
def test_an_existing_file_is_replaced_only_if_that_was_asked_for(
    suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"f{suffix}"
    file.write_text("mine")
    with pytest.raises(InvalidInputError, match="overwrite=True"):
        export(small(), file)
    assert file.read_text() == "mine"
    export(small(), file, overwrite=True)
    assert file.read_bytes() != b"mine"
    assert {path.name for path in tmp_path.iterdir()} <= {file.name, f"{file.name}.provenance.json"}


def test_a_table_never_replaces_an_archive(tmp_path: Path) -> None:
    with sample_directory() as directory:
        archive = harvest("accounts", tmp_path / "kept.sqlite", directory=directory).path
    before = archive.read_bytes()
    with pytest.raises(InvalidInputError, match="is an archive of harvested pages"):
        export(small(), archive, overwrite=True)
    assert archive.read_bytes() == before


@pytest.mark.parametrize(
    "suffix",
    [".csv", ".json", ".jsonl", ".parquet", ".sqlite", ".duckdb", ".xlsx", ".zip", ".html"],
)
def test_a_full_disk_leaves_the_old_file_and_nothing_else(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"f{suffix}"
    file.write_text("mine")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 7, done.stderr
    told = done.stdout.strip()
    # What DuckDB says follows the name of the file.
    assert told.startswith(f"{file} could not be written: ") or told.endswith(f": '{file}'")
    assert ".part" not in told or suffix == ".duckdb"
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_a_record_stands_beside_a_csv_with_the_citation(tmp_path: Path) -> None:
    export(small(), tmp_path / "a" / "f.csv")
    record = json.loads((tmp_path / "a" / "f.csv.provenance.json").read_text(encoding="utf-8"))
    assert {"citation", "provenance", "columns", "sha256"} <= set(record)


def test_several_frames_in_a_file_that_holds_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"holds one table.*\.xlsx"):
        export({"a": small(), "b": small()}, tmp_path / "f.csv")
    with pytest.raises(InvalidInputError, match="no frame"):
        export({}, tmp_path / "f.xlsx")


@pytest.mark.parametrize("name", ["caf\udce9.csv", "caf\udce9.duckdb", "caf\udce9/f.parquet"])
def test_a_name_that_is_no_text_is_refused_before_anything_is_written(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match="has a name that is not text"):
        export(pd.DataFrame({"id": ["1"]}), tmp_path / name)
    assert not any(tmp_path.iterdir())

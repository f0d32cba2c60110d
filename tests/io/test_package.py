"""A study is opened by programs that do not know dirframe."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from typing import TYPE_CHECKING

import pytest

from dirframe import InvalidInputError, export, read_export
from tests.study.conftest import records, study

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

__all__ = ["records", "study"]

R = shutil.which("Rscript")


def test_a_damaged_table_in_a_study_is_refused(study: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(study / "study.zip") as source, zipfile.ZipFile(damaged, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(
                name, content[:9] + b"?" + content[10:] if "parquet" in name else content
            )
    with pytest.raises(InvalidInputError, match=r"projects\.parquet|all-accounts\.parquet"):
        read_export(damaged, table="projects")
    with zipfile.ZipFile(damaged, "w") as target:
        target.writestr("a.txt", "another zip")
    with pytest.raises(InvalidInputError, match="not a study"):
        read_export(damaged)


def test_a_table_that_would_fill_the_memory_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("datapackage.json", "{}")
        target.writestr("data/projects.parquet", bytes(20 << 20))
    with pytest.raises(InvalidInputError, match="no table is packed so far"):
        read_export(bomb)


def test_options_of_a_study_are_refused_for_other_formats(
    records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError, match=r"title, license can be given for a study"):
        export(records["projects"], tmp_path / "p.csv", title="A study", license="CC0-1.0")


@pytest.mark.skipif(R is None, reason="R is not installed (apt-get install r-base-core)")
def test_r_reads_the_tables(study: Path, records: dict[str, pd.DataFrame]) -> None:
    code = """
    t <- read.csv("data/projects.csv", na.strings = "", colClasses = c(id = "character"))
    cat(nrow(t), sum(t$stack_count, na.rm = TRUE), sum(is.na(t$analysis_id)), t$id[[1]], "\\n")
    if (!requireNamespace("arrow", quietly = TRUE)) quit(status = 0)
    a <- arrow::read_parquet("data/projects.parquet")
    cat(nrow(a), class(a$created_at)[[1]], a$id[[1]], "\\n")
    """
    done = subprocess.run(
        [str(R), "--vanilla", "-e", code], cwd=study, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    frame = records["projects"]
    numbers = [len(frame), frame["stack_count"].sum(), frame["analysis_id"].isna().sum()]
    lines = done.stdout.splitlines()
    assert lines[0].split() == [*map(str, numbers), frame["id"].iloc[0]]
    if len(lines) == 1:
        pytest.skip("R's package arrow is not installed: R read the CSV, not the Parquet")
    assert lines[1].split() == [str(len(frame)), "POSIXct", frame["id"].iloc[0]]

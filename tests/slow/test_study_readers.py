"""Programs that do not know dirframe read and check each table of a study."""

import shutil
import subprocess
import zipfile

import pytest

from dirframe import export

R = shutil.which("Rscript")


@pytest.fixture(scope="module")
def records(sample):
    projects = sample.projects(max_items=120, sort="name", progress=False)
    return {"projects": projects, "All accounts": sample.accounts(query="ada", progress=False)}


@pytest.fixture(scope="module")
def study(records, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    with zipfile.ZipFile(export(records, folder / "study.zip")) as packed:
        packed.extractall(folder)
    return folder


@pytest.mark.filterwarnings("ignore")
def test_frictionless_finds_no_error_in_any_value(study, records):
    frictionless = pytest.importorskip("frictionless", reason="a reader of data packages")
    with frictionless.system.use_context(trusted=True):
        report = frictionless.Package(str(study / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "note"])
    accounts = len(records["All accounts"])
    assert [task.stats["rows"] for task in report.tasks] == [120, 120, accounts, accounts]


@pytest.mark.skipif(R is None, reason="R is not installed (apt-get install r-base-core)")
def test_r_reads_the_tables(study, records):
    code = """
    t <- read.csv("data/projects.csv", na.strings = "", colClasses = c(id = "character"))
    cat(nrow(t), sum(t$stack_count, na.rm = TRUE), sum(is.na(t$analysis_id)), t$id[[1]], "\\n")
    if (!requireNamespace("arrow", quietly = TRUE)) quit(status = 0)
    a <- arrow::read_parquet("data/projects.parquet")
    cat(nrow(a), class(a$created_at)[[1]], a$id[[1]], "\\n")
    """
    done = subprocess.run(
        [R, "--vanilla", "-e", code], cwd=study, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    frame = records["projects"]
    numbers = [len(frame), frame["stack_count"].sum(), frame["analysis_id"].isna().sum()]
    lines = done.stdout.splitlines()
    assert lines[0].split() == [*map(str, numbers), frame["id"].iloc[0]]
    if len(lines) == 1:
        pytest.skip("R's package arrow is not installed: R read the CSV, not the Parquet")
    assert lines[1].split() == [str(len(frame)), "POSIXct", frame["id"].iloc[0]]

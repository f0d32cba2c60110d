"""Tables that commands write and read: in whatever form, the same records."""

import json

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import dirframe
from dirframe.io.formats import OF_ONE_TABLE
from tests.cases import slow_except

LARGE = 2**60 + 1

#: Contents, and the values of their columns.
CONTENTS = [
    # A comma in a value of a table with semicolons, and a byte order mark.
    ("\ufeffid;name;country_code\n1;a, b;NA\n", [["1"], ["a, b"], ["NA"]]),
    # A blank line is a missing value where there is one column alone.
    ("location\nBerlin\n\nParis\n", [["Berlin", None, "Paris"]]),
    # Large numbers keep their digits.
    (f"a,b\n{LARGE},1.5\n,2\n", [[LARGE, None], [1.5, 2.0]]),
    (f'{{"id": {LARGE}, "name": "a", "posts_count": {LARGE}}}\n{{"name": "b", "posts_count": 1}}',
     [[str(LARGE), None], ["a", "b"], [LARGE, 1]]),
    # NA is Namibia; what is missing is empty.
    ("id,name,posts_count,country_code\n007,NULL,3,NA\n8,,,\n",
     [["007", "8"], ["NULL", None], [3, None], ["NA", None]]),
    # What is no number is kept as text beside the others.
    ("id,name,posts_count,country_code\n1,a,many,DE\n2,b,4,FR\n",
     [["1", "2"], ["a", "b"], [None, 4], ["many", None], ["DE", "FR"]]),
    # Of no record: numbers and text.
    ("language,projects,share\nC,2,0.5\nNA,2,0.5\n", [["C", "NA"], [2, 2], [0.5, 0.5]]),
]  # fmt: skip

#: What is no table.
DAMAGED = [
    b"",
    b"PAR1 but no more",
    b"\xff\xfe\x00",
    b'{"id": 1',
    b"[1, 2]",
    b'{"id": 1, "name": "a"}\n{"id": 2',
    b'a,b\n"open',
    b'id,name\n1,"open\n2,lost\n',
    b'id\n1\n"open\n3\n',
    b"id,name,tags\n1,a,[]\n2,b,c|d\n",
    b"id,name\n1,a,\n2,b,\n",
    b"id,name,country_code\n1,a,DE\n2,b\n",
    b"id;name;latitude\n1;a;51,507\n",
    b"id,name,name\n1,a,b\n",
    b"id,name\n1,\xe4\n",
    b'"' + b"x" * 200_000,
]


@pytest.fixture
def read_by_command(run):
    """Return what a command reads from a file, with a Parquet file between."""

    def read(file):
        target = file.with_name("read.parquet")
        outcome = run("export", file, target, "--overwrite")
        assert outcome.code == 0, outcome.err
        return dirframe.read_table(target)

    return read


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Go to an empty folder; the pages of the sample are in the cache of the run."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


FORMS = [suffix.removeprefix(".") for suffix in OF_ONE_TABLE]


@pytest.mark.parametrize("form", FORMS)
def test_table_of_every_form_is_read_back_from_a_pipe(form, sample_frames, here, pipe):
    piped = pipe(f"projects --demo -n 50 --format {form}", "export - back.parquet")
    assert piped.code == 0, piped.err
    back = dirframe.read_table("back.parquet")
    pd.testing.assert_frame_equal(back, sample_frames["projects"])
    assert back.attrs["dirframe"]["resource"] == "project"


@pytest.mark.parametrize("form", slow_except(FORMS, ["csv", "parquet"]))
def test_table_of_every_form_is_read_back_from_a_file(
    form, sample_frames, here, run, read_by_command
):
    written = run("projects", "--demo", "-n", "50", "-o", f"written.{form}")
    assert written.code == 0, written.err
    back = read_by_command(here / f"written.{form}")
    pd.testing.assert_frame_equal(back, sample_frames["projects"])
    assert back.attrs["dirframe"]["resource"] == "project"


def test_pipes_of_parquet_hand_the_source_on(here, pipe):
    loaded = "accounts --demo -n 50 --format parquet"
    counted = pipe(loaded, "clean - --format parquet", "stats accounts_by_country -")
    assert counted.code == 0, counted.err
    assert "Source: dirframe sample directory" in counted.err
    assert "of 50 accounts" in counted.err
    assert "dirframe sample directory" in pipe(loaded, "cite -").out


@pytest.mark.parametrize(("content", "values"), CONTENTS)
def test_tables_lose_and_alter_no_value(content, values, folder, pipe):
    outcome = pipe(content.encode(), "export - read.parquet --overwrite")
    assert outcome.code == 0, outcome.err
    frame = dirframe.read_table("read.parquet")
    assert [[None if pd.isna(v) else v for v in frame[name]] for name in frame] == values
    assert frame.index.tolist() == [*range(len(frame))]
    has_unreadable = any("unreadable" in name for name in frame)
    assert has_unreadable == ("posts_count" in outcome.err)


def test_parquet_of_other_programs_keeps_digits_and_ids(folder, read_by_command):
    # Of whole numbers beside a missing one pandas makes fractions.
    table = pa.table({"id": [LARGE, None], "name": ["a", "b"], "tags": [["x"], None]})
    parquet.write_table(table, "large.parquet")
    frame = read_by_command(folder / "large.parquet")
    assert frame["id"].dropna().tolist() == [str(LARGE)]
    people = pd.DataFrame({"id": ["1", "2"], "name": ["a", "b"], "country_code": ["NA", "DE"]})
    people.set_index("id").to_parquet("indexed.parquet")
    assert read_by_command(folder / "indexed.parquet")[list(people)].equals(people)


def is_refused(outcome, name):
    """Return whether a table is refused as a wrong call, by one line that names it."""
    has_one_line = outcome.err.count("\n") == 1 and name in outcome.err
    return (outcome.code, outcome.out) == (2, "") and has_one_line


def test_file_that_is_no_table_is_a_wrong_call(folder, run):
    accepted = {}
    for content in DAMAGED:
        (folder / "wrong").write_bytes(content)
        outcome = run("summary", "wrong")
        if not is_refused(outcome, "wrong"):
            accepted[content[:60]] = outcome
    assert accepted == {}


def test_standard_input_that_is_no_table_is_a_wrong_call(folder, pipe):
    accepted = {}
    for content in DAMAGED:
        outcome = pipe(content, "summary -")
        if not is_refused(outcome, "Standard input"):
            accepted[content[:60]] = outcome
    assert accepted == {}


def test_archive_is_read_as_other_files_are(sample, folder, read_by_command):
    archive = dirframe.harvest("accounts", "kept.db", directory=sample, query="ada")
    pd.testing.assert_frame_equal(read_by_command(folder / "kept.db"), archive.frame())


def test_columns_are_chosen_in_their_order_and_a_hyphen_is_standard_output(folder, run):
    columns = ["id", "analysis_total_code_lines", "name"]
    words = ("projects", "--demo", "-n", 2, "--columns", ",".join(columns[1:]))
    assert list(run(*words, "-o", "-").table) == columns
    assert run(*words, "-o", "few.json").code == 0
    assert list(json.loads((folder / "few.json").read_text())[0]) == columns


def test_parquet_is_not_written_to_a_terminal(run, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run("projects", "--demo", "--format", "parquet").code == 2

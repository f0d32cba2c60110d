"""Reading what a command wrote: whatever the form, the same records."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

from dirframe import export, harvest, sample_directory, stats
from dirframe.cli.frame_input import read_table
from dirframe.cli.frame_output import Output
from dirframe.client.loaders import load_accounts, load_projects
from dirframe.errors import InvalidInputError
from tests.cli import dirframe

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def loaded() -> dict[str, pd.DataFrame]:
    with sample_directory() as directory:
        return {
            "projects": load_projects(directory=directory, max_items=200),
            "accounts": load_accounts(directory=directory, max_items=200),
        }


@pytest.mark.parametrize("collection", ["projects", "accounts"])
@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "parquet"])
def test_every_form_gives_the_loaded_frame_back(
    form: str,
    collection: str,
    loaded: dict[str, pd.DataFrame],
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    frame = loaded[collection]
    Output(fmt=form).write(frame)
    target = tmp_path / "out"
    target.write_bytes(capfdbinary.readouterr().out)
    back = read_table(str(target))
    pd.testing.assert_frame_equal(back, frame)
    if form == "parquet":
        assert back.attrs == frame.attrs
    else:
        assert back.attrs["dirframe"]["resource"] == collection[:-1]


@pytest.mark.parametrize("collection", ["projects", "accounts"])
def test_few_columns_that_both_collections_have_keep_their_dtypes(
    collection: str, loaded: dict[str, pd.DataFrame], tmp_path: Path, run: Any
) -> None:
    frame = loaded[collection][["id", "name", "created_at"]]
    file = tmp_path / "few.csv"
    frame.assign(points=range(len(frame))).to_csv(file, index=False)
    back = read_table(str(file))
    pd.testing.assert_frame_equal(back[list(frame)], frame)
    assert back["points"].dtype == "int64"
    outcome = run("stats", "growth", file)
    assert (outcome.code, len(outcome.table)) == (0, len(stats.growth(frame)))


def test_namibia_stays_and_ids_keep_their_zeros(tmp_path: Path) -> None:
    file = tmp_path / "accounts.csv"
    file.write_text("id,name,posts_count,country_code\n007,NULL,3,NA\n8,,,\n")
    frame = read_table(str(file))
    assert list(frame["id"]) == ["007", "8"]
    assert list(frame["country_code"].dropna()) == ["NA"]
    assert frame["name"][0] == "NULL"
    assert frame["posts_count"].dtype == "Int64"


def test_what_is_no_number_is_kept_as_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "accounts.csv"
    file.write_text("id,name,posts_count,country_code\n1,a,many,DE\n2,b,4,FR\n")
    frame = read_table(str(file))
    assert frame["posts_count"].isna().tolist() == [True, False]
    assert frame["posts_count_unreadable"][0] == "many"
    assert "1 values of posts_count" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["page.xml", "notes.txt", "book.xls", "README.md"])
def test_a_suffix_that_no_table_has_is_refused_with_those_that_are_read(
    name: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text("id,name\n1,a\n")
    with pytest.raises(
        InvalidInputError, match=r"records are read from \.csv, .*\.json, .*\.duckdb, \.zip, and"
    ):
        read_table(str(file))


def test_a_table_that_is_no_record_is_read_as_numbers_and_text(tmp_path: Path) -> None:
    file = tmp_path / "statistic.csv"
    file.write_text("language,projects,share\nC,2,0.5\nNA,2,0.5\n")
    frame = read_table(str(file))
    assert frame["projects"].sum() == 4
    assert frame["language"][1] == "NA"


@pytest.mark.parametrize(
    ("content", "values"),
    [
        # A comma in a value of a table with semicolons, and a byte order mark.
        ("\ufeffid;name;country_code\n1;a, b;NA\n", [["1"], ["a, b"], ["NA"]]),
        # A blank line is a missing value where there is one column alone.
        ("location\nBerlin\n\nParis\n", [["Berlin", None, "Paris"]]),
        ("id,name\n1,a\n\n2,b\n\n", [["1", "2"], ["a", "b"]]),
        # Identifiers keep their zeros, and large numbers their digits.
        ("id,name\n007,Bond\n010,Q\n", [["007", "010"], ["Bond", "Q"]]),
        ("a,b\n1152921504606846977,1.5\n,2\n", [[2**60 + 1, None], [1.5, 2.0]]),
        # Only CSV has apostrophes before what looks like a formula.
        ("id,name,country_code\n1,'=y,DE\n", [["1"], ["=y"], ["DE"]]),
        ('{"id": "1", "name": "\'=y", "country_code": "DE"}', [["1"], ["'=y"], ["DE"]]),
        # JSON lines end with a line feed alone.
        ('{"id": "1", "name": "a\u2028b", "country_code": "DE"}\n', [["1"], ["a\u2028b"], ["DE"]]),
    ],
)
def test_no_value_is_lost_or_altered(content: str, values: list[Any], tmp_path: Path) -> None:
    file = tmp_path / "table"
    file.write_text(content, encoding="utf-8", newline="")
    frame = read_table(str(file))
    assert frame.index.tolist() == [*range(len(frame))]
    found = [[None if pd.isna(v) else v for v in frame[name]] for name in frame]
    assert found == values


def test_parquet_of_other_programs_keeps_digits_and_ids(tmp_path: Path) -> None:
    large, indexed = tmp_path / "large.parquet", tmp_path / "indexed.parquet"
    # Of whole numbers beside a missing one pandas makes fractions.
    pl.DataFrame(
        {"id": [2**60 + 1, None], "name": ["a", "b"], "tags": [["x"], None]}
    ).write_parquet(large)
    frame = read_table(str(large))
    assert frame["id"].dropna().tolist() == [2**60 + 1]
    assert frame["tags"].tolist() == [["x"], None]
    people = pd.DataFrame({"id": ["1", "2"], "name": ["a", "b"], "country_code": ["NA", "DE"]})
    for written in (people.set_index("id"), people.set_axis([5, 7])):
        written.to_parquet(indexed)
        frame = read_table(str(indexed))
        assert frame[["id", "name", "country_code"]].equals(people)
        assert frame.columns.size == 3


def test_whole_numbers_of_json_keep_their_digits_beside_missing_ones(tmp_path: Path) -> None:
    file = tmp_path / "accounts.jsonl"
    lines = [f'{{"id": {2**60 + 1}, "name": "a", "posts_count": {2**60 + 1}}}', '{"name": "b"}']
    file.write_text("\n".join(lines), encoding="utf-8")
    frame = read_table(str(file))
    assert frame["id"].dropna().tolist() == [str(2**60 + 1)]
    assert frame["posts_count"].dropna().tolist() == [2**60 + 1]
    assert "posts_count_unreadable" not in frame


def test_the_parquet_of_another_program_is_tried_in_one_other_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    run = subprocess.run

    def counted(*arguments: Any, **options: Any) -> Any:
        started.append(arguments)
        return run(*arguments, **options)

    file = tmp_path / "theirs.parquet"
    pd.DataFrame({"id": ["1"], "name": ["a"], "posts_count": [3]}).to_parquet(file)
    monkeypatch.setattr(subprocess, "run", counted)
    assert read_table(str(file))["posts_count"].tolist() == [3]
    assert len(started) == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PAR1 but no more", "holds no table"),
        (b"\xff\xfe\x00", "holds no table"),
        (b'{"id": 1', "holds no table"),
        (b"[1, 2]", "list of records"),
        (b"<?xml version='1.0'?>\n<response/>", "dirframe read FILE"),
        (b'{"id": 1, "name": "a"}\n{"id": 2', "line 2: Expecting ',' delimiter"),
        (b'a,b\n"open', "holds no table"),
        (b'id,name\n1,"open\n2,lost\n', "a quotation mark is opened and not closed"),
        (b'id,"open\n1,lost\n', "holds no table"),
        (b'id\n1\n"open\n3\n', "a quotation mark is opened and not closed"),
        (b"id,name,tags\n1,a,[]\n2,b,c|d\n", "tags of record 2 is not a list as JSON"),
        (b"id,name\n1,a\n2,b,\n", "Expected 2 columns, got 3"),
        (b"id,name\n1,a,\n2,b,\n", "Expected 2 columns, got 3"),
        (b"id,name,country_code\n1,a,DE\n2,b\n", "Expected 3 columns, got 2"),
        (b"id;name;latitude\n1;a;51,507\n", "where a comma may begin a fraction"),
        (b"id;name;posts_count\n1;a;1.000\n", "where a comma may begin a fraction"),
        (b"id,name,name\n1,a,b\n", "several columns of one name: name"),
        (b"id,name\n1,\xe4\n", "Save the table as UTF-8"),
        (b'"' + b"x" * 200_000, "holds no table"),
    ],
)
def test_what_is_no_table_is_said_in_a_line(content: bytes, words: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong"
    file.write_bytes(content)
    with pytest.raises(InvalidInputError, match=words):
        read_table(str(file))


def test_a_separator_in_a_quoted_name_separates_nothing(tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text('id;name;"town, county, land"\n1;a;"x, y, z"\n', encoding="utf-8")
    assert list(read_table(str(file))) == ["id", "name", "town, county, land"]


def test_an_archive_is_read_as_other_files_are(run: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.archive"
    with sample_directory() as directory:
        archive = harvest("accounts", kept, directory=directory)
    for file in (kept, *(shutil.copy(kept, tmp_path / name) for name in ("a.db", "a.sqlite"))):
        frame = read_table(str(file))
        pd.testing.assert_frame_equal(frame, archive.frame())
        assert frame.attrs == archive.frame().attrs
        outcome = run("stats", "growth", file)
        assert outcome.code == 0
        assert len(outcome.table) == len(stats.growth(frame))


def test_a_damaged_archive_is_an_error_of_one_line(run: Any, tmp_path: Path) -> None:
    name = "kept.archive"
    with sample_directory() as directory:
        harvest("accounts", tmp_path / name, directory=directory)
    content = (tmp_path / name).read_bytes()
    half = len(content) // 2
    for damaged in (content[:half], content[:half] + bytes(4096) + content[half + 4096 :]):
        (tmp_path / name).write_bytes(damaged)
        outcome = run("stats", "growth", tmp_path / name)
        assert outcome.code in {2, 9}
        assert outcome.out == ""
        assert name in outcome.err
        assert "Traceback" not in outcome.err


def test_a_missing_file_and_a_folder_are_wrong_calls(run: Any, tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        outcome = run("stats", "lorenz", path)
        assert outcome.code == 2
        assert str(path) in outcome.err


def test_a_file_and_a_question_exclude_one_another(run: Any, tmp_path: Path) -> None:
    outcome = run("stats", "lorenz", tmp_path / "p.csv", "--query", "xml", "--sample")
    assert outcome.code == 2
    assert "--query" in outcome.err
    assert "--sample" in outcome.err


def test_a_statistic_of_a_csv_is_that_of_the_frame(
    loaded: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    from dirframe.io.export import export

    file = export(loaded["projects"], tmp_path / "projects.csv")
    assert read_table(str(file)).attrs == loaded["projects"].attrs
    (tmp_path / "projects.csv.provenance.json").unlink()  # the record beside it
    pd.testing.assert_frame_equal(
        stats.tags(read_table(str(file))), stats.tags(loaded["projects"]), check_exact=True
    )


def test_without_a_file_and_a_collection_the_call_is_wrong() -> None:
    done = dirframe("cite")
    assert done.returncode == 2
    assert "--collection" in done.stderr


def test_a_parquet_file_that_is_none_or_was_damaged_is_refused(run: Any, tmp_path: Path) -> None:
    none, damaged = tmp_path / "none.parquet", tmp_path / "damaged.parquet"
    none.write_text("x", encoding="utf-8")
    export(pd.DataFrame({"id": ["1", "2"], "name": ["Ant", "Bee"]}), damaged)
    content = bytearray(damaged.read_bytes())
    content[20] ^= 0xFF
    damaged.write_bytes(content)
    for file in (none, damaged):
        outcome = run("summary", file)
        assert outcome.code == 2, outcome.out
        assert outcome.out == ""
        assert file.name in outcome.err

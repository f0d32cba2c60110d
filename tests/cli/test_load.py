"""The commands that ask a directory."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import UnreadableResponseError, read_pages
from tests.cli import dirframe
from tests.client import Asked, Reply, Server, page_xml, record
from tests.today import KEY as SERVICE_KEY
from tests.today import TodayService

if TYPE_CHECKING:
    from collections.abc import Iterator


KEY = "marked-secret-key"
XML = Path(__file__).parent.parent / "xml"


def table(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""], dtype="str")


def test_projects_go_to_standard_output_as_a_table_and_the_rest_to_standard_error() -> None:
    done = dirframe("projects", "--sample", "--sort", "id", "--max-items", "30")
    assert done.returncode == 0
    frame = table(done.stdout)
    assert list(frame["id"]) == [str(number) for number in range(1, 31)]
    tags = frame["tags"].dropna().map(json.loads)
    assert tags.map(lambda value: isinstance(value, list)).all()
    assert "n = 30 projects" in done.stderr
    assert "synthetic" in done.stderr


def test_accounts_match_a_query_and_go_to_a_file_of_any_kind_once(tmp_path: Path) -> None:
    target = tmp_path / "accounts.parquet"
    question = ("accounts", "--sample", "--query", "ada", "-o", str(target))
    assert dirframe(*question).returncode == 0
    frame = pd.read_parquet(target)
    assert len(frame) > 0
    assert frame["name"].str.contains("ada", case=False).all()
    assert frame.attrs["dirframe"]["query"] == {"query": "ada"}
    again = dirframe(*question)
    assert again.returncode == 2
    assert "already exists" in again.stderr
    assert dirframe(*question, "--overwrite").returncode == 0


@pytest.mark.parametrize("who", ["1", "ada@example.org"])
def test_an_account_is_found_by_id_and_by_address(who: str) -> None:
    done = dirframe("account", who, "--sample")
    assert done.returncode == 0
    assert list(table(done.stdout)["id"]) == ["1"]
    assert "ada@example.org" not in done.stdout


def test_a_project_is_found_by_id() -> None:
    assert list(table(dirframe("project", "7", "--sample").stdout)["id"]) == ["7"]


def test_a_plan_says_the_price_and_loads_nothing() -> None:
    done = dirframe("projects", "--sample", "--plan")
    assert done.returncode == 0
    assert "1,500 projects on 61 pages" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("projects", "--sort", "colour", "--sample"), 2, "cannot be sorted by 'colour'"),
        (("projects", "--sample", "--base-url", "https://example.org"), 2, "exclude"),
        (("projects",), 3, "No directory is given"),
        (("projects", "--base-url", "https://example.org"), 3, "No API key"),
        (("projects", "--base-url", "http://example.org"), 3, "API key"),
        (("project", "999999", "--sample"), 6, "no such record"),
        (("projects", "--sample", "--offline", "--query", "unasked"), 8, "not in the cache"),
    ],
)
def test_what_goes_wrong_is_a_line_and_a_documented_code(
    arguments: tuple[str, ...], code: int, words: str
) -> None:
    done = dirframe(*arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_directory_that_cannot_be_reached_is_5_and_the_key_is_nowhere() -> None:
    done = dirframe("projects", "--base-url", "http://127.0.0.1:9", DIRFRAME_API_KEY=KEY)
    assert done.returncode == 5
    assert "could not be fetched" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_an_unencrypted_address_elsewhere_is_refused() -> None:
    done = dirframe("projects", "--base-url", "http://example.org", DIRFRAME_API_KEY=KEY)
    assert done.returncode == 3
    assert "without encryption" in done.stderr


def test_a_reader_that_has_seen_enough_ends_the_pipe_quietly() -> None:
    command = f"{sys.executable} -m dirframe accounts --sample | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )
    header, code = done.stdout.splitlines()
    assert header.startswith("id,name,")
    assert code == "0"
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_options_are_handed_on(there: Server, run: Any) -> None:
    run("projects", "--query", "a b", "--sort", "id_reverse", "--max-items", 1)
    assert there.asked[0].query["query"] == "a b"
    assert there.asked[0].query["sort"] == "id_reverse"
    paid = len(there.asked)
    assert run("projects", "--query", "a b", "--sort", "id_reverse", "--offline").code == 0
    assert len(there.asked) == paid
    run("projects", "--query", "a b", "--sort", "id_reverse", "--refresh")
    assert len(there.asked) > paid


def test_one_record_is_a_table_of_one_row(there: Server, run: Any) -> None:
    assert list(run("project", 7).table["name"]) == ["seven"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["projects"], 0),
        (["projects", "--query", "quota"], 4),
        (["projects", "--query", "key"], 3),
        (["projects", "--query", "broken"], 5),
        (["projects", "--query", "html"], 5),
        (["projects", "--query", "lie"], 7),
        (["projects", "--query", "lie", "--incomplete", "warn"], 0),
        (["projects", "--query", "x", "--offline"], 8),
        (["project", "8"], 6),
        (["project", ""], 2),
        (["projects", "--sort", "random"], 2),
        (["projects", "--max-items", "0"], 2),
        (["projects", "--max-items", "many"], 2),
        (["projects", "--refresh", "--offline"], 2),
        (["projects", "--sample", "--base-url", "https://d.example"], 2),
        (["projects", "--base-url", "ftp://d.example"], 3),
        (["projects", "--base-url", "http://d.example"], 3),
        (["projects", "--no-such-option"], 2),
        (["no-such-command"], 2),
        (["project"], 2),
        (["keys", "revoke", "99"], 2),
        (["keys", "limit", "99", "5"], 2),
        (["serve", "--data", "nowhere.xml"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_each_outcome_has_its_exit_code_and_one_message(
    words: list[str], code: int, there: Server, run: Any
) -> None:
    outcome = run(*words)
    assert outcome.code == code, outcome.err
    assert "Traceback" not in outcome.err
    assert "a-key-0123456789" not in outcome.out + outcome.err
    if code:
        assert outcome.out == ""
        assert outcome.err.strip()


def test_an_output_that_cannot_be_meant_is_refused_before_anything_is_paid_for(
    there: Server, run: Any, tmp_path: Path
) -> None:
    taken = tmp_path / "taken.csv"
    taken.write_text("mine")
    for words in (["-o", tmp_path / "p.gif"], ["-o", taken]):
        assert run("projects", *words).code == 2
    assert there.asked == []
    assert taken.read_text() == "mine"


def test_an_output_that_can_have_no_folder_is_refused_before_anything_is_asked(
    there: Server, run: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    outcome = run("projects", "-o", tmp_path / "file" / "p.csv")
    assert outcome.code == 2
    assert f"{tmp_path / 'file'} is not a folder" in outcome.err
    assert there.asked == []


def test_it_speaks_utf_8_whatever_the_system_says() -> None:
    environment = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment.pop("PYTHONIOENCODING", None)
    done = subprocess.run(
        [sys.executable, "-m", "dirframe", "accounts", "--sample", "--max-items", "300"],
        capture_output=True,
        timeout=60,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stdout.decode("utf-8").isascii()


def test_a_pipe_gets_a_table_and_nothing_else() -> None:
    done = dirframe("projects", "--sample", "--max-items", "30")
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(io.StringIO(done.stdout))) == 30
    assert "%|" not in done.stderr


PAGES = {
    "/languages.xml": "languages-page.xml",
    "/projects/example/contributors.xml": "contributors-page.xml",
    "/projects/example/analyses/latest/activity_facts.xml": "activity-facts.xml",
    "/projects/example/analyses/latest/size_facts.xml": "size-facts.xml",
}


@pytest.fixture
def beyond(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """Serve collections outside the specification, named by the environment."""

    def answer(asked: Asked) -> Reply:
        page = PAGES.get(asked.path)
        if page is None:
            return Reply(b"<error><message>nothing here</message></error>", status=404)
        return Reply((XML / page).read_bytes())

    with Server(answer) as server:
        monkeypatch.setenv("DIRFRAME_BASE_URL", server.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        yield server


@pytest.mark.parametrize(
    ("words", "column", "values"),
    [
        (("languages",), "nice_name", ["C++", "Make"]),
        (("contributors", "example"), "contributor_id", ["5", "0009", "77"]),
        (("activity", "example"), "commits", ["17", "6", "0", "2"]),
        (("size", "example"), "code", ["0", "861"]),
        (("load", "/projects/example/contributors.xml"), "commits", ["322", "1"]),
    ],
)
def test_the_collections_outside_the_specification_are_tables(
    words: tuple[str, ...], column: str, values: list[str], beyond: Server, run: Any
) -> None:
    outcome = run(*words, "--format", "csv")
    assert outcome.code == 0, outcome.err
    assert table(outcome.out)[column].dropna().tolist() == values
    assert KEY not in outcome.out + outcome.err
    assert len(beyond.asked) == 1
    again = run(*words, "--offline", "--format", "csv")
    assert again.out == outcome.out
    assert len(beyond.asked) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("languages", "--plan"),
        ("contributors", "example", "--plan"),
        ("load", "/languages.xml", "--plan"),
        ("plan", "languages"),
        ("plan", "/projects/example/contributors.xml"),
    ],
)
def test_their_price_comes_first(words: tuple[str, ...], beyond: Server, run: Any) -> None:
    outcome = run(*words)
    assert outcome.code == 0, outcome.err
    assert "0 requests to pay" in outcome.out
    assert len(beyond.asked) == 1


def test_a_directory_without_them_says_that_nothing_is_there(beyond: Server, run: Any) -> None:
    assert run("activity", "nobody").code == 6
    assert len(beyond.asked) == 1


@pytest.mark.parametrize("path", ["/languages", "https://elsewhere.example/x.xml", "/a.xml?page=2"])
def test_a_path_that_cannot_be_meant_is_a_wrong_call(path: str, beyond: Server, run: Any) -> None:
    assert run("load", path).code == 2
    assert beyond.asked == []


@pytest.mark.parametrize(
    ("noun", "kind", "asked"),
    [("commits_by_contributor", "contributors", 1), ("monthly_activity", "activity", 1)],
)
def test_a_project_s_statistics_and_charts_ask_for_it_or_take_its_file(
    noun: str, kind: str, asked: int, beyond: Server, run: Any, tmp_path: Path
) -> None:
    done = run("stats", noun, "--project", "example", "--format", "csv")
    assert done.code == 0, done.err
    file = tmp_path / f"{kind}.csv"
    file.write_text(run(kind, "example", "--format", "csv").out, encoding="utf-8")
    from_file = run("stats", noun, file, "--format", "csv")
    assert (
        table(from_file.out)
        .drop(columns="finished", errors="ignore")
        .equals(table(done.out).drop(columns="finished", errors="ignore"))
    )
    picture = tmp_path / "chart.png"
    assert run("plot", noun, "--project", "example", "-o", picture).code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(beyond.asked) == asked
    nothing = run("stats", noun)
    assert nothing.code == 2
    assert "--project" in nothing.err


def test_details_are_priced_and_asked_for(tmp_path: Path) -> None:
    with TodayService() as today:
        there = {"DIRFRAME_BASE_URL": today.url, "DIRFRAME_API_KEY": SERVICE_KEY}
        there |= {"DIRFRAME_CACHE_DIR": str(tmp_path)}
        question = ("projects", "--max-items", "20")
        bare = dirframe(*question, **there)
        assert "--details" in bare.stderr or "details=True" in bare.stderr
        price = dirframe(*question, "--details", "--plan", **there)
        assert "own pages" in price.stdout
        today.forget()
        frame = table(dirframe(*question, "--details", **there).stdout)
        assert frame["analysis_total_code_lines"].notna().any()
        assert today.own_pages
        assert "No such option" in dirframe("accounts", "--details", **there).stderr


def test_recorded_pages_are_read_as_the_loaders_read_them(tmp_path: Path, run: Any) -> None:
    (tmp_path / "pages").mkdir()
    records = [record("1", name="Größe"), record("2", name="b")]
    page = page_xml(records, available=2, first=0)
    (tmp_path / "pages" / "page.xml").write_bytes(page)
    (tmp_path / "pages" / "more.xml.gz").write_bytes(gzip.compress(page))
    outcome = run("read", tmp_path / "pages")
    assert outcome.code == 0
    assert outcome.table["name"].tolist() == ["Größe", "b"]
    one = run("read", tmp_path / "pages" / "page.xml", "--columns", "name", "--resource", "project")
    assert one.out.startswith("id,name\n1,Größe\n")


def test_a_file_of_records_is_read_back_as_it_was_written(tmp_path: Path, run: Any) -> None:
    assert run("projects", "--sample", "-n", 3, "-o", tmp_path / "few.json").code == 0
    assert run("read", tmp_path / "few.json", "-o", tmp_path / "again.json").code == 0
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "few.json").read_bytes()
    refused = run("read", tmp_path / "few.json", tmp_path / "page.xml")
    assert refused.code == 2
    assert "few.json is a table: read it alone" in refused.err


def test_a_page_that_is_too_large_says_how_to_read_it(tmp_path: Path, run: Any) -> None:
    file = tmp_path / "page.xml"
    file.write_bytes(page_xml([record(str(n)) for n in range(99)], available=99, first=0))
    outcome = run("read", file, "--max-bytes", 1000)
    assert outcome.code == 5
    assert "page.xml holds more than the 1,000 bytes" in outcome.err
    assert "--max-bytes" in outcome.err
    assert "max_bytes=" not in outcome.err
    with pytest.raises(UnreadableResponseError, match="max_bytes="):
        read_pages(file, max_bytes=1000)
    assert len(run("read", file, "--max-bytes", 10**6).table) == 99


@pytest.mark.parametrize("option", ["-n", "--limit", "--max-items"])
def test_the_number_of_records_has_the_names_that_people_try(option: str, run: Any) -> None:
    assert len(run("accounts", "--sample", option, 3).table) == 3

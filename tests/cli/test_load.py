"""The commands that query a directory: loads, prices, quota and cache."""

import io
import json
import sqlite3
from contextlib import closing
from unittest.mock import ANY

import pandas as pd
import pytest

import dirframe
from dirframe import provenance
from dirframe.charts import STATISTICS
from dirframe.client.directory import session_of
from dirframe.stats.strata import DERIVED
from tests.cases import slow_except
from tests.defaults import DAILY
from tests.rig.server import record
from tests.rig.today import Today


def test_load_writes_lists_as_json_and_says_what_was_loaded(run):
    outcome = run("projects", "--demo", "--sort", "id", "--max-items", "30")
    assert outcome.code == 0, outcome.err
    assert list(outcome.table["id"]) == [str(number) for number in range(1, 31)]
    assert outcome.table["tags"].dropna().map(lambda cell: isinstance(json.loads(cell), list)).all()
    assert "n = 30 projects" in outcome.err
    assert "synthetic" in outcome.err
    assert "%|" not in outcome.err  # no progress where nobody watches


def test_load_hands_its_options_on(shell_rig, run):
    words = ("projects", "--query", "a b", "--sort", "id_reverse", "--max-items", 1)
    assert len(run(*words).table) == 1
    assert shell_rig.requests[0].query.items() >= {("query", "a b"), ("sort", "id_reverse")}
    paid = len(shell_rig.requests)
    assert run(*words, "--offline").code == 0
    assert len(shell_rig.requests) == paid
    assert run(*words, "--refresh").code == 0
    assert len(shell_rig.requests) > paid


def test_columns_that_the_schema_has_beside_those_of_every_frame_can_be_named(shell_rig, run):
    fields = {"html_url": "http://d.example/p/1", "user_count": "20"}
    others = [record(n) for n in range(2, 30)]  # the whole first page lacks them
    shell_rig.add("project", [*others, record("1", **fields)])
    words = ("projects", "--columns", "html_url,user_count")
    kept = run(*words, "--where", "user_count=20..30")
    assert kept.table.to_dict("records") == [
        {"id": "1", "html_url": "http://d.example/p/1", "user_count": 20}
    ], kept.err
    assert "only user count from 20 to 30" in kept.err
    assert "only user count 20 " in run(*words, "--where", "user_count=20").err
    assert run("projects", "--query", "").code == 2


def test_load_of_a_path_is_priced_and_then_paid_for_once(shell_rig, run):
    path = "/projects/example/contributors.xml"
    priced = run("load", path, "--plan")
    assert (priced.code, len(shell_rig.requests)) == (0, 1)
    assert "0 requests" in priced.out  # its page is in the cache by now
    loaded = run("load", path)
    table = pd.read_csv(io.StringIO(loaded.out), dtype="str")
    assert table["contributor_id"].tolist() == ["5", "0009", "77"]
    assert run("load", path, "--offline").out == loaded.out
    assert len(shell_rig.requests) == 1
    assert shell_rig.key not in priced.out + priced.err + loaded.out + loaded.err


@pytest.mark.parametrize(
    ("noun", "name", "path"),
    slow_except(
        [
            ("commits_by_contributor", "contributors", "contributors.xml"),
            ("monthly_activity", "activity", "analyses/latest/activity_facts.xml"),
        ],
        [("commits_by_contributor", "contributors", "contributors.xml")],
    ),
)
def test_statistics_of_a_project_are_of_a_file_that_one_command_writes(
    noun, name, path, shell_rig, folder, run
):
    advice = run("stats", noun)
    assert (advice.code, f"-o {name}.parquet" in advice.err) == (2, True)
    assert run("load", f"/projects/example/{path}", "-o", f"{name}.parquet").code == 0
    assert len(run("stats", noun, f"{name}.parquet").table) > 1
    assert run("plot", noun, f"{name}.parquet", "-o", f"{noun}.png").code == 0
    assert (folder / f"{noun}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("collection", "conditions", "selection"),
    [
        ("projects", ["language=Java"], {"languages": ["Java"]}),
        (
            "projects",
            ["stack_count=10..", "year=..2012"],
            {"ranges": {"stack_count": (10, None)}, "years": (None, 2012)},
        ),
        ("accounts", ["country=DE"], {"countries": ["DE"]}),
    ],
)
def test_where_of_a_load_keeps_what_select_keeps(collection, conditions, selection, sample, run):
    load = {"projects": dirframe.load_projects, "accounts": dirframe.load_accounts}[collection]
    loaded = load(sample, max_items=60, progress=False)
    if collection == "accounts":
        loaded = dirframe.unify_countries(loaded)
    expected = dirframe.select(loaded, **selection)
    where = [word for condition in conditions for word in ("--where", condition)]
    outcome = run(collection, "--demo", "--max-items", "60", *where)
    assert 0 < len(expected) < 30
    assert outcome.table["id"].tolist() == expected["id"].tolist(), outcome.err


@pytest.mark.parametrize(
    ("column", "value"),
    [("id", "4"), ("stack_count", "2"), ("analysis_id", ""), ("name", "Wait...")],
)
def test_where_of_a_file_keeps_a_value_of_any_column(column, value, files, run):
    texts = dirframe.read_table(files / "projects.parquet")[column].astype("str").fillna("")
    matches = texts.tolist().count(value)
    outcome = run("summary", files / "projects.parquet", "--where", f"{column}={value}")
    assert outcome.out.startswith(f"{matches} project"), outcome.err


def test_where_of_values_between_commas_is_answered_with_what_to_write(files, run):
    outcome = run("summary", files / "projects.parquet", "--where", "language=Java,C")
    hint = "--where language=Java --where language=C"
    assert f"({hint})" in outcome.err
    assert outcome.out.startswith("0 projects")
    answer = run("summary", files / "projects.parquet", *hint.split())
    assert not answer.out.startswith("0 projects")


def test_where_is_a_step_of_what_was_selected(files, folder, run):
    words = ("--where", "stack_count=2", "--where", "activity=active")
    assert run("export", files / "projects.parquet", "few.parquet", *words).code == 0
    steps = provenance.get_provenance(dirframe.read_table("few.parquet"))["steps"]
    assert steps == ["only active", "only stack count 2"]


def test_commands_without_a_file_ask_the_directory(shell_rig, folder, run):
    assert run("summary", "--collection", "projects").out.startswith("2 projects")
    assert "2" in run("cite", "--collection", "projects").out
    cleaned = run("clean", "--collection", "accounts")
    assert cleaned.table["country_alpha_2"].tolist() == ["NA"]
    assert run("export", "--collection", "projects", "p.parquet").code == 0
    assert list(pd.read_parquet("p.parquet")["id"]) == ["1", "2"]
    assert len(shell_rig.requests) == 2  # each collection once
    assert run("stats", "language_share", "--query", "a b").code == 0
    assert shell_rig.requests[-1].query["query"] == "a b"


def test_details_are_priced_and_loaded(folder, run, monkeypatch):
    with Today(20) as today:
        monkeypatch.setenv("DIRFRAME_BASE_URL", today.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", today.key)
        words = ("projects", "--sort", "project_name")
        bare = run(*words)
        assert "--details" in bare.err
        assert bare.table["analysis_total_code_lines"].isna().all()
        assert "20" in run(*words, "--details", "--plan").out
        whole = run(*words, "--details")
        assert whole.table["analysis_total_code_lines"].tolist() == [1000] * 20


def test_quota_counts_what_was_paid_and_asks_nothing(shell_rig, run):
    assert f"{DAILY:,} of {DAILY:,}" in run("quota").out
    assert shell_rig.requests == []
    run("projects")
    paid = len(shell_rig.requests)
    shown = run("quota")
    assert f"{DAILY - paid} of {DAILY:,}" in shown.out
    assert len(shell_rig.requests) == paid > 0
    assert shell_rig.key not in shown.out + shown.err


def test_sample_is_drawn_and_priced_from_a_shell(run, folder):
    words = ("projects", "--demo", "--sample", "12", "--format", "jsonl", "--seed")
    drawn = run(*words, "7")
    assert len(drawn.out.splitlines()) == 12
    assert run(*words, "7").out == drawn.out != run(*words, "8").out
    assert run(*words, "7", "--offline", "--where", "stack_count=0..").out == drawn.out
    assert "12 projects" in run("projects", "--demo", "--sample", "12", "--plan").out
    assert run("projects", "--demo", "--sample", "3", "-n", "3").code == 2
    assert "61 pages" in run("projects", "--demo", "--plan").out


@pytest.fixture
def today(folder, monkeypatch):
    """Serve 30 projects as today's live service does; the environment names it."""
    with Today(30) as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", rig.key)
        yield rig


@pytest.mark.parametrize(
    "condition",
    [
        "language=C",
        "analysis_total_code_lines=1..",
        "analysis_total_code_lines=5",
        "analysis_main_language_name=C",
    ],
)
def test_condition_on_what_is_not_sent_is_refused_after_the_first_page(
    condition, today, folder, run
):
    outcome = run("projects", "--where", condition, "-o", "c.csv")
    assert (outcome.code, "--details" in outcome.err) == (2, True)
    assert len(today.requests) <= 2
    assert list(folder.iterdir()) == []


def test_condition_on_no_column_is_refused_before_own_pages_are_loaded(today, run):
    assert run("projects", "--details", "--where", "langage=Java").code == 2
    assert len(today.requests) <= 2


def test_condition_on_what_is_sent_is_applied(today, folder, run):
    assert run("projects", "--where", "search=001", "-o", "found.csv").code == 0
    assert "found.csv" in [file.name for file in folder.iterdir()]


NOT_TOLD = {
    "stats language_share": "projects",
    "stats accounts_by_country --where country=DE": "accounts",
    "stats growth": "projects",
    "stats tags --by language --details": "projects",
    "plot language_share --sort id": "projects",
    "plot accounts_map --refresh": "accounts",
    "report": "projects",
    "report --where language=C": "projects",
    "report --details --older-than 2y": "projects",
    "summary --exclude negative_lines": "projects",
    "cite": "projects",
    "export new.csv": "projects",
    "clean": "accounts",
    "clean --where country=DE": "accounts",
}


@pytest.mark.parametrize("line", NOT_TOLD)
def test_command_that_is_not_told_what_to_load_loads_nothing(line, shell_rig, folder, run):
    outcome = run(*line.split())
    assert (outcome.code, outcome.out, shell_rig.requests) == (2, "", [])
    assert f"Name a file, or --collection {NOT_TOLD[line]}" in outcome.err
    assert list(folder.iterdir()) == []


TOLD = ["--collection projects", "--query a", "-n 1", "--sample 2"]


@pytest.mark.parametrize("words", TOLD)
def test_command_that_is_told_what_to_load_loads_it(words, shell_rig, folder, run):
    outcome = run("stats", "language_share", *words.split())
    assert (outcome.code, bool(shell_rig.requests)) == (0, True), outcome.err


@pytest.mark.parametrize("stratum", slow_except(DERIVED, ["country", "language"]))
def test_stratum_of_the_library_divides_in_the_shell(stratum, run):
    collection = "accounts" if stratum == "country" else "projects"
    words = ("--demo", "--collection", collection, "-n", "10")
    outcome = run("stats", "growth", *words, "--by", stratum)
    assert outcome.code == 0, outcome.err
    assert stratum in outcome.out.split("\n")[0]


def test_command_reads_a_whole_collection_that_is_in_the_cache(shell_rig, folder, run):
    assert run("projects").code == 0
    paid = len(shell_rig.requests)
    assert run("stats", "language_share", "--offline").code == 0
    assert len(shell_rig.requests) == paid


@pytest.mark.parametrize(
    "line",
    [
        "stats language_share --query project",
        "stats language_share --collection projects",
        "stats languages_by_year --collection projects",
        "stats tags --collection projects --by language",
        "stats life_span --collection projects --sort id",
        "plot language_share --collection projects",
        "plot survival --query project",
        "report --collection projects -o report.html",
        "report --query project",
    ],
)
def test_columns_that_are_not_sent_are_refused_after_the_first_page(line, today, folder, run):
    outcome = run(*line.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert "--details" in outcome.err
    assert len(today.requests) == 2  # the page, and where it is redirected to
    assert list(folder.iterdir()) == []


def test_columns_that_are_sent_cost_no_further_request(today, folder, run):
    assert run("stats", "growth", "--collection", "projects").code == 0
    paid = len(today.requests)
    today.forget()
    assert run("projects", "--refresh").code == 0
    assert paid <= len(today.requests)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("stats language_share --query a -p top=0", "top"),
        ("plot language_share --query a -p width=wide", "width"),
        ("stats growth --collection projects -p freq=hour", "freq"),
        ("stats language_share --query a --by langage", "langage. Did you mean 'language'"),
    ],
)
def test_options_of_a_statistic_are_refused_before_a_load(line, named, shell_rig, folder, run):
    outcome = run(*line.split())
    assert (outcome.code, outcome.out, shell_rig.requests) == (2, "", [])
    assert named in outcome.err


OF_COLLECTIONS = [
    name for name, one in STATISTICS.items() if one.collection in {"projects", "accounts", ""}
]


@pytest.mark.parametrize("name", slow_except(OF_COLLECTIONS, OF_COLLECTIONS[::4]))
def test_statistic_of_the_shell_does_not_refuse_the_records_that_it_is_tried_with(
    name, folder, run
):
    """First with none, then with those of the first page; charts are among the slow tests."""
    collection = STATISTICS[name].collection or "projects"
    outcome = run("stats", name, "--demo", "-n", "3", "--collection", collection)
    assert outcome.code == 0, outcome.err


# Before a day's quota goes


NO_LISTS = {
    "not.txt": b"1\xff\n2\n",
    "wide.txt": "1\n2\n".encode("utf-16"),
    "empty.txt": b"\n \n",
    "names.csv": b"name\nfirefox\n",
}


@pytest.mark.parametrize("name", NO_LISTS)
def test_file_that_names_no_projects_is_refused_before_a_request(name, shell_rig, folder, run):
    (folder / name).write_bytes(NO_LISTS[name])
    outcome = run("projects", "--ids-from", name)
    assert (outcome.code, outcome.out, shell_rig.requests) == (2, "", [])
    assert name in outcome.err


@pytest.fixture(scope="module")
def live_service():
    """Serve the rehearsal for today's live service once: its store takes seconds to make."""
    with dirframe.serve(analyses=False) as service:
        yield service


@pytest.fixture
def live(live_service, folder, monkeypatch):
    """Name today's live service in the environment; return the folder."""
    monkeypatch.setenv("DIRFRAME_BASE_URL", live_service.url)
    monkeypatch.setenv("DIRFRAME_API_KEY", live_service.api_key.reveal())
    return folder


OWNERS = {
    "project_id": ("enlistments", "ours.csv", "name,id\na,464\nb,633\n", ["464", "633"]),
    "organization": ("portfolio_projects", "o.csv", "url_name\nquarry\n", ["quarry"]),
}


@pytest.mark.parametrize("column", OWNERS)
def test_load_of_owners_that_a_file_names(column, live, run):
    name, file, content, owners = OWNERS[column]
    (live / file).write_text(content)
    outcome = run("load", name, "--ids-from", file)
    assert outcome.code == 0, outcome.err
    assert outcome.table[column].astype("str").unique().tolist() == owners
    outcome = run("load", name, "--of", file)
    assert (outcome.code, f"--ids-from {file}" in outcome.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", "id\n"), ("a.csv", "id,name\n,a\n"), ("a.txt", "\n \n")]
)
@pytest.mark.parametrize(
    "words", [("projects",), ("load", "repositories"), ("load", "enlistments")]
)
def test_file_of_ids_that_names_none_is_said_to_name_none(words, name, content, folder, run):
    (folder / name).write_text(content)
    outcome = run(*words, "--ids-from", name, "--rehearsal")
    assert (outcome.code, f"{name} names no record" in outcome.err) == (2, True)


def test_load_of_repositories_has_canonical_addresses(live, run):
    words = ("load", "repositories", "--of", "464", "--of", "633")
    assert "2 projects" in run(*words, "--plan").out
    outcome = run(*words)
    assert outcome.code == 0, outcome.err
    repositories = outcome.table.drop_duplicates("project_id").set_index("project_id")
    address = "https://github.com/geletclient-team/geletclient"
    assert repositories["canonical_url"].to_dict() == {464: address, 633: ANY}


@pytest.mark.parametrize(
    ("words", "named"),
    [((), "--of"), (("--of", "464", "--query", "x"), "--query"), (("--of", "464", "-n", 3), "-n")],
)
def test_load_of_repositories_takes_projects_alone(words, named, run):
    outcome = run("load", "repositories", *words, "--rehearsal")
    assert (outcome.code, named in outcome.err) == (2, True)


@pytest.fixture
def almost_used_up(shell_rig, folder):
    """Leave three requests of today, for a collection of six pages."""
    shell_rig.add("project", 55)
    data = folder.parent / "data"
    with shell_rig.directory(folder, data=data, daily_quota=DAILY) as directory:
        session_of(directory).quota.acquire(shell_rig.url)
    with closing(sqlite3.connect(data / "quota.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE requests SET count = ?", [DAILY - 3])
    return shell_rig


def test_load_beyond_the_quota_ends_a_pipe_before_it_is_paid(almost_used_up, run):
    outcome = run("projects")
    assert (outcome.code, outcome.out, "--yes" in outcome.err) == (4, "", True)
    assert len(almost_used_up.requests) == 1
    outcome = run("load", "/projects.xml")
    assert (outcome.code, len(almost_used_up.requests)) == (4, 1)


def test_load_beyond_the_quota_goes_on_if_told_so(almost_used_up, run):
    outcome = run("projects", "--yes")
    assert (outcome.code, len(almost_used_up.requests)) == (4, 3)
    assert "need about 5 more requests" in outcome.err


@pytest.mark.parametrize(("answer", "code", "requests"), [("n\n", 130, 1), ("y\n", 4, 3)])
def test_load_beyond_the_quota_asks_on_a_terminal(
    almost_used_up, run, monkeypatch, answer, code, requests
):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal(answer))
    outcome = run("projects")
    assert (outcome.code, len(almost_used_up.requests)) == (code, requests)


def test_harvest_beyond_the_quota_asks_nothing(almost_used_up, run):
    outcome = run("harvest", "projects", "--to", "kept.archive")
    assert (outcome.code, len(almost_used_up.requests)) == (4, 3)

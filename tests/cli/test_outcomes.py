"""What goes wrong: an exit code, nothing on standard output, one line that names what to change."""

import re
import sys
from urllib.parse import quote

import pandas as pd
import pytest

import dirframe
from dirframe.provenance import set_provenance
from tests.cases import slow_except
from tests.rig.server import MARK, Reply, failed, record

_MESSAGE = re.compile(r"^(?:dirframe|Error): ", re.MULTILINE)

#: What is typed, the exit code, and what the message names.
WRONG_CALLS = [
    ("projcts", 2, "'projects'"),
    ("projects --no-such-option", 2, "--no-such-option"),
    ("projects --sort colour", 2, "colour"),
    ("projects --refresh --offline", 2, "--refresh"),
    ("projects --demo --base-url https://d.example", 2, "--base-url"),
    ("projects --rehearsal --base-url https://d.example", 2, "--rehearsal"),
    ("load organizations --demo", 2, "'orgs'"),
    (
        "load activity_facts --of 1 --demo",
        6,
        "without activity_facts. Projects that have these: 17,",
    ),
    ("load orgs --demo", 6, "This directory has no organizations."),
    ("load enlistments --of 464 --demo", 6, "This directory has no enlistments of projects."),
    ("projects --columns lines", 2, "analysis_total_code_lines"),
    ("projects -o p.gif", 2, "p.gif"),
    ("projects -o taken.csv", 2, "taken.csv"),
    ("projects -o p.csv --format json", 2, "--format"),
    ("projects --plan --offline", 2, "--offline"),
    ("accounts --details", 2, "--details"),
    ("accounts --older-than 2y", 2, "--older-than"),
    ("cite --collection accounts --older-than 2y", 2, "analysis_logged_at"),
    ("accounts --exclude negative_lines", 2, "analysis_total_code_lines"),
    ("load /languages.txt/", 2, "/languages.txt/"),
    ("stats no_such", 2, "no_such"),
    ("stats growth", 2, "--collection"),
    ("stats growth page.xml", 2, "page.xml"),
    ("stats language_share other.csv", 2, "analysis_main_language_name"),
    ("stats commits_by_contributor", 2, "contributors.xml"),
    ("stats growth projects.parquet -p top=3", 2, "top"),
    ("stats growth projects.parquet --exclude nonsense", 2, "nonsense"),
    ("stats growth projects.parquet -p freq=MS -p freq=YS", 2, "freq is given twice"),
    ("stats growth projects.parquet --seed 0", 2, "--seed needs"),
    ("stats growth projects.parquet --min-records 3", 2, "--by"),
    ("stats language_share --demo --collection accounts", 2, "--collection accounts"),
    ("plot tags projects.parquet -o tags.svg --dpi 300", 2, "--dpi"),
    ("plot accounts_map projects.parquet -p top=3", 2, "takes per_million, title, caption, width."),
    ("summary projects.parquet --base-url https://d.example", 2, "--base-url is"),
    ("summary projects.parquet --collection accounts", 2, "--collection is"),
    ("report projects.parquet -o r.html --collection accounts", 2, "--collection is"),
    ("projects --where year=2008 --where year=2009", 2, "year is given twice"),
    ("projects --where stack_count=1.. --where stack_count=..5", 2, "stack_count is given twice"),
    ("projects --where stack_count=many", 2, "'many'"),
    ("projects --where created_at=2008-01-01", 2, "created_at holds"),
    ("projects --where analysis_languages=C", 2, "analysis_languages holds"),
    ("projects --where stack_count=1..many", 2, "many"),
    ("projects --where langage=Java", 2, "langage. Did you mean 'language'?"),
    ("projects --seed 7", 2, "--sample"),
    ("accounts --where language=Java --demo -n 3", 2, "language"),
    ("clean projects.parquet", 2, "country_code"),
    ("stats growth projects.parquet --query xml --demo", 2, "--query"),
    ("clean mars.csv --strict", 2, "Mars"),
    ("clean --collection accounts --column contry", 2, "contry"),
    ("clean mars.csv --overrides other.csv", 2, "'raw'"),
    ("export c.csv", 2, "--collection"),
    ("export projects.parquet projects.parquet", 2, "projects.parquet"),
    ("export a.csv b.csv c.csv", 2, "a.csv"),
    ("export projects.parquet study.zip --license ftp://a.org/l", 2, "ftp"),
    ("export projects.parquet p.csv --title Ours", 2, "title"),
    ("export projects.parquet projects.parquet study.zip", 2, "files"),
    ("report projects.parquet -o report.docx", 2, "report.docx"),
    ("harvest projects", 2, "--to"),
    ("serve nowhere.xml", 2, "nowhere.xml"),
    ("demo -o taken.csv/x", 2, "taken.csv"),
    ("projects --base-url ftp://d.example", 3, "https://"),
    ("projects --base-url https://a@d.example", 3, "DIRFRAME_API_KEY"),
    ("projects --query key", 3, "key"),
    ("projects --query html", 5, "HTML"),
    ("projects --query cut", 5, "projects.xml"),
    ("load /nothing.xml", 6, "/nothing.xml"),
    ("projects --query lie", 7, "9"),
    ("projects --query never --offline", 8, "--offline"),
    ("status taken.csv", 9, "taken.csv"),
    ("projects --query quota", 4, "429"),  # the last: nothing is requested after it
]


def faults_of(outcome, code, name):
    """Return what is wrong with the outcome of a wrong call."""
    start = _MESSAGE.search(outcome.err)
    message = outcome.err[start.start() :] if start else ""
    checks = {
        f"exit code {outcome.code}": outcome.code != code,
        "standard output": outcome.out != "",
        "traceback": "Traceback" in outcome.err,
        f"no word of {name}": name not in message,
        "not one message": len(_MESSAGE.findall(outcome.err)) != 1,
        "the key": MARK in outcome.err,
    }
    return [fault for fault, found in checks.items() if found]


@pytest.fixture
def wrong_call_files(shell_rig, folder):
    """Lay out the files that the wrong calls name."""
    dirframe.export(pd.DataFrame({"id": ["1"], "name": ["a"]}), folder / "projects.parquet")
    pd.DataFrame({"country_code": ["Mars"]}).to_csv(folder / "mars.csv", index=False)
    (folder / "other.csv").write_text("a,b\n1,2\n")
    for name in ("taken.csv", "page.xml"):
        (folder / name).write_text("<mine/>")
    return folder


def test_wrong_call_has_exit_code_and_one_message(shell_rig, wrong_call_files, run):
    failures, before = [], sorted(wrong_call_files.iterdir())
    for line, code, name in WRONG_CALLS:
        shell_rig.forget()
        outcome = run(*line.split())
        faults = faults_of(outcome, code, name)
        if code in {2, 3} and shell_rig.requests and "--query" not in line:
            faults.append("something was requested")
        failures += [f"{line}: {faults}\n{outcome.err}"] if faults else []
    assert not failures, "\n".join(failures)
    assert sorted(wrong_call_files.iterdir()) == before
    assert (wrong_call_files / "taken.csv").read_text() == "<mine/>"


@pytest.mark.parametrize(
    ("variable", "value", "code", "name"),
    [
        ("API_KEY", "", 3, "DIRFRAME_API_KEY"),
        ("API_KEY", f"{MARK}-is-no-key-here", 3, "key"),
        ("BASE_URL", "", 3, "DIRFRAME_BASE_URL"),
        ("BASE_URL", "http://127.0.0.1:9", 5, "127.0.0.1:9"),
    ],
)
def test_unusable_directory_has_exit_code_and_one_message(
    variable, value, code, name, shell_rig, run, monkeypatch
):
    monkeypatch.setenv(f"DIRFRAME_{variable}", value)
    assert faults_of(run("projects"), code, name) == []


def test_missing_extra_is_named_before_anything_is_loaded(shell_rig, folder, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    outcome = run("projects", "-o", "p.xlsx")
    assert (outcome.code, outcome.out, shell_rig.requests) == (10, "", [])
    assert "pip install XlsxWriter" in outcome.err


def test_incomplete_collection_is_written_with_a_warning_if_asked(shell_rig, run):
    outcome = run("projects", "--query", "lie", "--incomplete", "warn")
    assert (outcome.code, len(outcome.table)) == (0, 1)
    assert "9" in outcome.err


def test_unusable_folders_are_warnings_for_the_shell(shell_rig, wrong_call_files, run, monkeypatch):
    for name in ("CACHE", "DATA"):
        monkeypatch.setenv(f"DIRFRAME_{name}_DIR", str(wrong_call_files / "taken.csv" / "below"))
    outcome = run("projects")
    assert (outcome.code, len(outcome.table)) == (0, 2)
    assert "DIRFRAME_DATA_DIR" in outcome.err


#: What a terminal acts on: C0 and C1 signs, and marks that turn the direction of text.
SIGNS = "\x1b[31m\x9b2J\x07\u202e\u2066\u200f\x85"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
#: The same without what XML cannot hold.
OF_XML = SIGNS.replace("\x1b", "").replace("\x07", "")


@pytest.fixture
def strange(shell_rig, folder, monkeypatch):
    """Serve a directory, and lay out a table, whose texts hold such signs."""
    shell_rig.name = f"Directory {OF_XML}"
    answers = {
        "refused": Reply(failed(f"Refused {OF_XML}"), 500),
        "unknown": Reply(failed(f"There is none {OF_XML}"), 404),
        "html": Reply(f"<html><title>Sign in {OF_XML}</title></html>".encode(), 403),
        "redirect": Reply(
            b"", 302, {"Location": f"https://{quote(OF_XML)}.example/{quote(OF_XML)}"}
        ),
    }
    shell_rig.answer = lambda request: answers.get(request.query.get("query"))
    shell_rig.add("project", [record("1", name=f"a{OF_XML}b", stack_count=OF_XML), record("2")])
    frame = pd.DataFrame({"id": ["1", "2"], f"name{SIGNS}": [f"a{SIGNS}b", "c"], "n": [1, 2]})
    facts = {"source": f"Source {SIGNS}", "resource": "project", "query": {"query": SIGNS}}
    dirframe.export(set_provenance(frame, **facts), folder / "strange.parquet")
    return folder


#: Lines that print a table or a text, which may be another in a pipe.
PRINTING = [
    "projects",
    "projects --columns name",
    "projects --format csv",
    "projects --format json",
    "projects --plan",
    "summary strange.parquet",
    "cite strange.parquet",
    "cite strange.parquet --style bibtex",
    "clean strange.parquet",
    "stats language_share strange.parquet",
    "flags strange.parquet",
    "compare strange.parquet strange.parquet",
]
#: Lines that end with a message, or write a file.
SILENT = [
    "projects --query refused",
    "projects --query unknown",
    "projects --query html",
    "projects --query redirect",
    "export strange.parquet strange.csv --columns x",
    "export strange.parquet strange.zip",
    f"export {SIGNS}.parquet strange.csv",
    f"export strange.parquet {SIGNS}.csv --where {SIGNS}=1",
    f"stats {SIGNS}",
    f"projects --sort {SIGNS}",
    f"status {SIGNS}",
    f"accounts {SIGNS}",
    f"projects {SIGNS}",
    f"projects 1,{SIGNS}",
    f"projects --organization {SIGNS}",
    f"projects -n {SIGNS}",
    f"projects --format {SIGNS}",
    f"projects --base-url https://{SIGNS}",
    f"load /{SIGNS}.xml",
    f"load {SIGNS} --of {SIGNS}",
    f"report strange.parquet {SIGNS}.html",
    f"-{SIGNS}",
    f"{SIGNS}",
]
ON_A_TERMINAL = [(line, True) for line in [*PRINTING, *SILENT]]
IN_A_PIPE = [(line, False) for line in PRINTING]


@pytest.mark.parametrize(
    ("line", "terminal"),
    slow_except(
        [*ON_A_TERMINAL, *IN_A_PIPE, *((line, False) for line in SILENT)],
        [*ON_A_TERMINAL, *IN_A_PIPE],
    ),
)
def test_signs_that_a_terminal_acts_on_are_never_printed(line, terminal, strange, run, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    outcome = run(*line.split(" "))
    is_data = not terminal and outcome.code == 0 and not line.startswith(("summary", "cite"))
    shown = outcome.err if is_data else outcome.err + outcome.out
    assert outcome.code in {0, 2, 3, 5, 6, 7, 9}
    assert ACTS.findall(shown) == []

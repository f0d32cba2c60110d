"""Each command as a process: data on standard output, words on standard error, no questions."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import nbformat
import pandas as pd
import pytest

import dirframe as package
from dirframe.cli import cli
from dirframe.service.synthetic.generate import generate
from tests.cli import dirframe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

#: The installed script, as a person calls it.
SCRIPT = Path(sys.executable).with_name("dirframe")
KEY = "DIRFRAME_API_KEY"


class Desk(NamedTuple):
    """A folder with files of records, and the environment that names a directory."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *words: str, **also: str) -> subprocess.CompletedProcess[bytes]:
        """Run a command; whoever asks a question gets no answer, and the test its end."""
        return subprocess.run(
            [SCRIPT, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.folder,
            env={**self.environment, **also},
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder, served = tmp_path_factory.mktemp("desk"), tmp_path_factory.mktemp("served")
    generate(served, accounts=30, projects=30)
    service = package.serve(served)
    with service as url:
        assert service.api_key
        with package.Directory(url, service.api_key) as directory:
            for name in ("accounts", "projects"):
                load = getattr(package, f"load_{name}")
                frame = load(directory=directory, progress=False)
                package.export(frame, folder / f"{name}.parquet")
        own = {
            "DIRFRAME_BASE_URL": url,
            KEY: service.api_key.reveal(),
            "DIRFRAME_CACHE_DIR": str(folder / "cache"),
            "DIRFRAME_DATA_DIR": str(folder / "data"),
        }
        (folder / "README.md").write_text("# no table", encoding="utf-8")
        (folder / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        yield Desk(folder, {**os.environ, **own})


def table(rows: int) -> Callable[[str], bool]:
    """Expect CSV alone: a caption or a progress bar would be a row of its own."""
    return lambda out: len(pd.read_csv(io.StringIO(out))) == rows


def facts(out: str) -> bool:
    return isinstance(json.loads(out), dict)


def text(pattern: str) -> Callable[[str], bool]:
    return lambda out: re.fullmatch(pattern, out, re.DOTALL) is not None


def columns(*names: str) -> Callable[[str], bool]:
    return lambda out: set(names) <= set(pd.read_csv(io.StringIO(out)))


nothing = text("")

#: What to type, and what of it standard output must be.
CALLS: dict[str, Callable[[str], bool]] = {
    "accounts --max-items 5": table(5),
    "projects": table(30),
    "projects --format jsonl": lambda out: len([json.loads(one) for one in out.splitlines()]) == 30,
    "projects -o made.csv": nothing,
    "account 1": table(1),
    "project 1": table(1),
    "languages": columns("name", "code", "projects"),
    "contributors 1": columns("contributor_id", "commits"),
    "activity 1": columns("month", "commits", "code_added"),
    "size 1": columns("month", "code"),
    "load /languages.xml --max-items 3": table(3),
    "plan projects --format json": facts,
    "quota --format json": facts,
    "summary projects.parquet --format json": facts,
    "compare projects.parquet projects.parquet --format json": facts,
    "clean accounts.parquet": table(30),
    "flags projects.parquet": columns("id", "rule", "evidence"),
    "sensitivity language_share projects.parquet": columns("exclusion", "removed"),
    "stats team_size_classes projects.parquet": table(8),
    "stats --list": text("([a-z_]+\n)+"),
    "plot growth projects.parquet -o made.svg": nothing,
    "export projects.parquet made.tsv": nothing,
    "cite projects.parquet --style csl": lambda out: json.loads(out)[0]["type"] == "dataset",
    "fields account": lambda out: "email_sha1" in set(pd.read_csv(io.StringIO(out))["name"]),
    "harvest projects --to made.archive": text("30 .*|.*30.*"),
    "status made.archive": text(".*30.*"),
    "cache info": text(".*pages.*"),
    "cache prune --older-than 30": nothing,
    "keys add --developer Ada --application thesis": text("[0-9a-f]{40}\n"),
    "keys list": text(" *id .*thesis.*"),
    "keys limit 1 5000": nothing,
    "keys revoke 1": nothing,
    "generate made-data --accounts 3 --projects 3": nothing,
    "read made-data/projects.xml.gz": table(3),
    "completion bash": text(".*_DIRFRAME_COMPLETE.*"),
    "cache clear": nothing,
}
#: A template of one cell: what a report takes is the time to run its notebook.
_SHORT = "from dirframe.reports import report_data\nprint(len(report_data().projects), 'projects')"

#: Commands whose processes are tested elsewhere: they run long, or write much.
ELSEWHERE = {"demo": "test_demo", "serve": "cli.test_serving", "report": "below"}


def test_every_command_is_called_here_or_elsewhere() -> None:
    assert {line.split()[0] for line in CALLS} | set(ELSEWHERE) == set(cli.commands)


def test_each_command_gives_data_on_standard_output_and_words_beside_it(desk: Desk) -> None:
    # One test for all: a key is added, listed and revoked, an archive harvested.
    secret = desk.environment[KEY]
    for line, expected in CALLS.items():
        done = desk.run(*line.split())
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert done.returncode == 0, f"{line}: {err}"
        assert expected(out), f"{line}: {out[:300]}"
        assert secret not in out + err, line
        assert "Traceback" not in err, line
        assert "\x1b[" not in out, line


def test_a_report_is_html_and_where_there_is_no_chromium_markdown_but_no_pdf(desk: Desk) -> None:
    (desk.folder / "bin").mkdir()
    without = {"PATH": str(desk.folder / "bin")}
    short: nbformat.NotebookNode = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(_SHORT)]
    )
    nbformat.write(short, desk.folder / "short.ipynb")
    for line, environment in (
        ("-o report.html --template short.ipynb", {}),
        ("-o report.md", without),
    ):
        done = desk.run("report", "projects.parquet", *line.split(), **environment)
        name = line.split()[1]
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
        assert done.stderr.decode("utf-8") == f"Wrote {name}\n"
        text = (desk.folder / name).read_text(encoding="utf-8")
        assert "30 projects" in text
        assert desk.environment[KEY] not in text
    assert list((desk.folder / "report_files").iterdir())
    done = desk.run("report", "projects.parquet", "-o", "report.pdf", **without)
    assert (done.returncode, done.stdout) == (3, b""), done.stderr
    assert b"neither is found" in done.stderr
    assert not (desk.folder / "report.pdf").exists()


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("stats growth README.md", 2, "records are read from .csv"),
        ("export projects.parquet projects.parquet/x.csv", 2, "projects.parquet is not a folder"),
        ("plot growth projects.parquet -o projects.parquet/x.png", 2, "is not a folder"),
        ("report projects.parquet -o projects.parquet/x.md", 2, "is not a folder"),
        ("demo -o projects.parquet/x", 2, "cannot be created"),
        ("generate projects.parquet/x", 2, "cannot be created"),
        ("clean accounts.parquet --overrides other.csv", 2, "no column 'raw'"),
        ("nonsense", 2, "No such command"),
        ("projects --sort nonsense", 2, "nonsense"),
        ("stats language_share gone.parquet", 2, "gone.parquet"),
        ("summary", 2, "--collection"),
        ("compare - -", 2, "name a file"),
        ("export projects.parquet projects.parquet", 2, "already exists"),
        ("account 999999", 6, "999999"),
        ("projects --query never --offline", 8, "offline"),
        ("status .", 9, "archive"),
    ],
)
def test_a_failure_has_its_exit_code_and_says_why_on_standard_error(
    line: str, code: int, says: str, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk.folder)
    done = dirframe(*line.split(), **desk.environment)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({KEY: ""}, 3),
        ({KEY: "0123456789-is-no-key-here"}, 3),
        ({"DIRFRAME_BASE_URL": "http://127.0.0.1:9"}, 5),
        ({"DIRFRAME_BASE_URL": ""}, 3),
    ],
    ids=["no key", "wrong key", "nobody there", "no address"],
)
def test_without_key_or_directory_nobody_is_asked_for_one(
    environment: dict[str, str], code: int, desk: Desk
) -> None:
    done = dirframe("projects", "--refresh", **{**desk.environment, **environment})
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    secret = environment.get(KEY) or desk.environment[KEY]
    assert secret not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["fields", "account"], ["--help"], ["serve", "--help"]])
def test_a_full_disk_is_said_in_a_line(words: list[str], desk: Desk) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [SCRIPT, *words],
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            env=desk.environment,
            timeout=120,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"dirframe: No space left on device.\n")


def test_a_missing_extra_is_named(desk: Desk, tmp_path: Path) -> None:
    # To Python, duckdb is then not installed.
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['duckdb'] = None\n")
    words = ("export", "projects.parquet", "missing.duckdb")
    done = desk.run(*words, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (3, b""), done.stderr
    assert b"dirframe[duckdb]" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not (desk.folder / "missing.duckdb").exists()


def test_parquet_in_a_pipe_hands_types_and_source_on(desk: Desk) -> None:
    script = '"$0" projects --format parquet | "$0" cite - && "$0" projects | head -1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script, SCRIPT],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=desk.environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    citation, header = done.stdout.splitlines()
    assert "Projects (30 records)" in citation
    assert header.startswith("id,")


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("projects --max-items 2", ">&-", 1),
        ("--version", ">&-", 1),
        ("projects --max-items 2 -o kept.csv", ">&-", 0),
        ("projects --max-items 2 --overwrite -o kept.csv", "<&- >&- 2>&-", 0),
        ("projects --max-items 2", "2>&-", 0),
        ("projects --sort nonsense", "2>&-", 2),
    ],
)
def test_closed_streams_lose_no_table_in_silence(
    desk: Desk, words: str, closed: str, code: int
) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"{shlex.quote(str(SCRIPT))} {words} {closed}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=desk.folder,
        env=dict(desk.environment),
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert ("Bad file descriptor" in done.stderr) == (closed == ">&-" and code == 1)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if closed == "2>&-" and code == 0:
        assert len(done.stdout.splitlines()) >= 3


def test_no_library_complains_at_the_end_of_a_command(desk: Desk) -> None:
    for words in (["export", "projects.parquet", "p.duckdb"], ["summary", "p.duckdb"]):
        done = desk.run(*words)
        assert done.returncode == 0
        assert b"leaked" not in done.stderr

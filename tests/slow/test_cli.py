"""Commands as processes: closed streams, full disks, terminals, completion in three shells."""

import os
import shlex
import struct
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests import processes
from tests.rig.server import MARK, Rig, record

SCRIPT = shlex.quote(str(Path(sys.executable).with_name("dirframe")))
AS_INSTALLED = "import sys; sys.argv[0] = 'dirframe'; from dirframe.cli import main; main()"


@pytest.fixture
def process_rig(tmp_path, monkeypatch):
    """Go to an empty folder, and name a directory in the environment."""
    with Rig([record("1", name="Größe"), record("2")], key=f"{MARK}-key-of-processes") as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", rig.key)
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        monkeypatch.chdir(tmp_path)
        yield rig


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", ["projects", "--help"])
def test_full_disk_is_one_line(words, process_rig):
    with Path("/dev/full").open("wb") as full:
        done = processes.run(*words.split(), stdout=full)
    assert (done.code, done.err.count("\n")) == (1, 1), done.err
    assert os.strerror(28) in done.err


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        ("projects --max-items 2", ">&-", 1),
        ("projects --max-items 2 -o kept.csv", "<&- >&- 2>&-", 0),
        ("projects --max-items 2", "2>&-", 0),
        ("projects --sort nonsense", "2>&-", 2),
    ],
)
def test_closed_streams_lose_no_table_in_silence(process_rig, words, closed, code):
    done = subprocess.run(
        ["/bin/sh", "-c", f"{SCRIPT} {words} {closed}"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=processes.LIMIT,
        check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert (os.strerror(9) in done.stderr) == (code == 1)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if "kept.csv" in words:
        assert len(pd.read_csv("kept.csv")) == 2
    elif code == 0:
        assert len(done.stdout.splitlines()) == 3


def on_a_terminal(*words, columns):
    """Run the command line on a terminal of its own and return what that shows."""
    import fcntl
    import pty
    import termios

    pid, master = pty.fork()
    if not pid:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("4H", 40, columns, 0, 0))
        os.environ.update({"COLUMNS": str(columns), "TERM": "xterm"})
        os.execv(sys.executable, [sys.executable, "-m", "dirframe", *words])
    shown = b""
    try:
        while part := os.read(master, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, shown
    return shown.decode().replace("\r\n", "\n")


def test_terminal_of_eighty_columns_shows_what_research_needs_first():
    pytest.importorskip("pty", reason="terminals are others there")
    shown = on_a_terminal("projects", "--demo", "-n", "12", columns=80)
    assert " 12/12 " in shown  # progress counts what was asked for
    table = shown.rpartition("\r")[2]
    assert max(map(len, table.splitlines())) <= 80
    heads = table.partition("Not shown")[0]
    words = ("name", "language", "contributor", "lines", "stack")
    assert [word for word in words if word not in heads] == []
    assert "\x1b" not in table


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("dirframe st", {"stats", "status"}),
        ("dirframe stats lang", {"language_breakdown", "language_share", "languages_by_year"}),
        ("dirframe cite --style b", {"bibtex"}),
    ],
)
def test_shell_completes_what_is_typed(typed, offered):
    environment = {"_DIRFRAME_COMPLETE": "bash_complete", "COMP_WORDS": typed}
    environment["COMP_CWORD"] = str(typed.count(" "))
    outcome = processes.run(program=AS_INSTALLED, env=environment)
    assert outcome.code == 0, outcome.err
    assert {line.partition(",")[2] for line in outcome.out.splitlines()} == offered

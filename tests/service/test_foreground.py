"""A service in the foreground reads changed data again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests

from dirframe.errors import InvalidInputError
from dirframe.service.foreground import run
from tests.cli import interruptible
from tests.open_files import open_files

if TYPE_CHECKING:
    from collections.abc import Iterator


SERVE = "from dirframe.service.foreground import run; import sys; run(sys.argv[1], port=0, keys=sys.argv[2], watch=float(sys.argv[3]) or None)"

SERVE_MAPPED = SERVE.replace(", watch", ", mapping=sys.argv[4], watch")

#: Each reload fails for a reason of which nobody thought.
BROKEN = """
import sys
from dirframe.service import server
from dirframe.service.foreground import run

open_data = server.open_data

def fail_at_reload(*arguments, base=None, **options):
    if base is not None:
        raise RuntimeError("unforeseen")
    return open_data(*arguments, **options)

server.open_data = fail_at_reload
run(sys.argv[1], port=0, keys=sys.argv[2])
"""

#: Something happens when an import begins or has read its data: at the nth of these instants.
DURING = """
import os, signal, sys
from dirframe.service import foreground

instants = 0
action = compile(sys.argv[5], "action", "exec")  # of a text, exec would change the exit code

class Progress(foreground.ImportProgress):
    def __call__(self, done, total, records):
        global instants
        super().__call__(done, total, records)
        instants += 1
        if instants == int(sys.argv[4]):
            exec(action)

foreground.ImportProgress = Progress
foreground.run(sys.argv[1], port=0, keys=sys.argv[2], watch=float(sys.argv[3]) or None)
"""

#: The signal comes while the command imports what it needs.
EARLY = """
import os, signal, sys
from dirframe.cli import main

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "dirframe.service.foreground":
            os.kill(os.getpid(), signal.SIGHUP)

sys.meta_path.insert(0, Finder())
sys.argv = ["dirframe", "serve", "--data", sys.argv[1], "--key-file", sys.argv[2], "--port", "0"]
main()
"""

ADDRESS = r"http://\S+?:\d+"
#: A file that opens and cannot be read, not even by root.
UNREADABLE = Path("/proc/self/mem")

needs_hangup = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")

#: A signal that another thread receives does not interrupt the wait of the main thread, as one that
#: comes in the instant before it.
ELSEWHERE = """
import logging, signal, sys, threading
from dirframe.service.web.access_log import ACCESS_LOG
from dirframe.service.foreground import run

class Serving(logging.Handler):
    def emit(self, record):
        if record.getMessage().startswith("Serving"):
            threading.Timer(0.5, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()

ACCESS_LOG.addHandler(Serving())
run(port=0, keys=sys.argv[1])
"""


class Running:
    """A service in a process of its own, and its log."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log
        self._read = 0

    def wait_for(self, pattern: str) -> str:
        """Return the first match in the log behind the previous one."""
        end = time.monotonic() + 120
        while not (found := re.compile(pattern).search(text := self.log.read_text(), self._read)):
            assert self.process.poll() is None, text
            assert time.monotonic() < end, text
            time.sleep(0.05)
        self._read = found.end()
        return found[0]

    def reload(self, pattern: str) -> str:
        self.process.send_signal(signal.SIGHUP)
        return self.wait_for(pattern)


@contextmanager
def running(folder: Path, *arguments: object, code: str = SERVE) -> Iterator[Running]:
    """Run a service whose cache is in the folder; it has to end well at SIGTERM."""
    log = folder / "log"
    environ = {**os.environ, "DIRFRAME_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    with log.open("w") as stream, subprocess.Popen(command, stderr=stream, env=environ) as process:
        try:
            yield Running(process, log)
            if process.poll() is None:
                process.terminate()
            assert process.wait(timeout=60) == 0, log.read_text()
        finally:
            process.kill()


@pytest.mark.parametrize("watch", ["0", "0.2"], ids=["signal", "watched"])
@needs_hangup
def test_a_running_service_reads_changed_files_at_a_signal_or_by_itself(
    tmp_path: Path, watch: str
) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    with running(tmp_path, path, tmp_path / "keys", watch) as service:
        url = service.wait_for(ADDRESS)
        path.write_text("id,name\n1,first\n2,second\n")
        if watch == "0":
            service.process.send_signal(signal.SIGHUP)
        service.wait_for("1 added, 0 changed, 0 removed, 1 unchanged")
        assert "2 accounts" in requests.get(f"{url}/healthz", timeout=60).text
        # A store that is no longer served leaves the cache.
        assert len(list((tmp_path / "cache" / "stores").iterdir())) == 1


@needs_hangup
def test_data_that_cannot_be_read_is_logged_and_the_service_goes_on(tmp_path: Path) -> None:
    path, mapping = tmp_path / "data.jsonl", tmp_path / "map.toml"
    good = '{"id": 1, "name": "first", "joined": "01.02.2003"}\n'
    fields = '[accounts.fields]\ncreated_at = {column = "joined", format = "%s"}'
    path.write_text(good)
    mapping.write_text(fields % "%d.%m.%Y")
    arguments = (path, tmp_path / "keys", 0, mapping)
    with running(tmp_path, *arguments, code=SERVE_MAPPED) as service:
        url = service.wait_for(ADDRESS)
        path.write_text(good.replace("1", '2, "\\ud800": 1', 1))
        service.reload(r"records stay as they were.*line 1: a name has U\+D800")
        path.write_text(good)
        mapping.write_text(fields % "%d.%m.%Y %d")
        service.reload("records stay as they were.*format in .*a directive twice")
        mapping.write_text(fields % "%d.%m.%Y")
        if UNREADABLE.is_file():
            path.unlink()
            path.symlink_to(UNREADABLE)
            service.reload("records stay as they were.*data.jsonl cannot be read: Input/output")
            path.unlink()
        path.write_text(good.replace("1", "2", 1))
        service.reload("1 added, 0 changed, 1 removed")
        assert "1 accounts" in requests.get(f"{url}/healthz", timeout=60).text
        assert "Traceback" not in service.log.read_text()


@needs_hangup
def test_an_error_that_nobody_expected_is_logged_and_the_service_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    with running(tmp_path, path, tmp_path / "keys", 0, code=BROKEN) as service:
        url = service.wait_for(ADDRESS)
        for _ in range(2):
            service.reload("records stay as they were")
            service.wait_for("Traceback")
            service.wait_for("RuntimeError: unforeseen")
        assert requests.get(f"{url}/healthz", timeout=60).status_code == 200


@needs_hangup
def test_a_reload_asked_for_during_the_first_import_comes_after_it(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    action = "for _ in range(3): os.kill(os.getpid(), signal.SIGHUP)"
    with running(tmp_path, path, tmp_path / "keys", 0, 1, action, code=DURING) as service:
        service.wait_for(ADDRESS)
        service.wait_for("Data read again: it is the same as before")
        path.write_text("id,name\n2,second\n")
        service.reload("1 added, 0 changed, 1 removed")
        assert service.log.read_text().count("Data read again") == 2


@needs_hangup
def test_the_command_obeys_a_reload_that_comes_while_it_starts(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    with running(tmp_path, path, tmp_path / "keys", code=EARLY) as service:
        service.wait_for(ADDRESS)


def test_a_change_during_the_first_import_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    # All has been read, and is not yet served.
    action = "open(sys.argv[1], 'a').write('2,second')"
    with running(tmp_path, path, tmp_path / "keys", 0.2, 2, action, code=DURING) as service:
        url = service.wait_for(ADDRESS)
        service.wait_for("Data read again")
        assert "2 accounts" in requests.get(f"{url}/healthz", timeout=60).text


@needs_hangup
@pytest.mark.parametrize(
    ("which", "stop"),
    [(1, "SIGTERM"), (2, "SIGINT"), (2, "SIGTERM")],  # SIGINT aborts the first: tests/cli
)
def test_a_service_that_is_to_stop_ends_its_import(tmp_path: Path, which: int, stop: str) -> None:
    path = tmp_path / "accounts.csv"
    path.write_text("id,name\n1,first\n")
    action = f"os.kill(os.getpid(), signal.{stop})"
    arguments = (path, tmp_path / "keys", 0, 2 * which - 1, action)
    with interruptible(), running(tmp_path, *arguments, code=DURING) as service:
        if which == 2:
            service.wait_for(ADDRESS)
            path.write_text("id,name\n2,second\n")
            service.process.send_signal(signal.SIGHUP)
        assert service.process.wait(timeout=120) == 0
        log = service.log.read_text()
        assert "Stopping." in log
        assert "Data read again" not in log
        assert "Traceback" not in log
        assert ("Serving" in log) == (which == 2)
        # There is no half of a store.
        assert not list((tmp_path / "cache" / "stores").glob(".*"))


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signal goes to a thread")
def test_a_signal_that_does_not_interrupt_the_wait_stops_the_service_all_the_same(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", ELSEWHERE, str(tmp_path / "keys")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            _, log = process.communicate(timeout=60)
        finally:
            process.kill()
    assert "Stopping." in log
    assert process.returncode == 0


def test_a_service_that_cannot_begin_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
    with pytest.raises(InvalidInputError) as refused:
        run(tmp_path / "missing.xml", port=0)
    assert open_files(tmp_path) == set()
    assert (tmp_path / "data" / "keys.sqlite").is_file()
    assert refused.tb is not None  # keeps what was made alive

"""A service in the foreground reads changed data again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
import requests

from dirframe.errors import InvalidInputError
from dirframe.service.foreground import run
from tests.open_files import open_files

if TYPE_CHECKING:
    from pathlib import Path


SERVE = "from dirframe.service.foreground import run; import sys; run(sys.argv[1], port=0, keys=sys.argv[2], watch=float(sys.argv[3]) or None)"

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


@pytest.mark.parametrize("watch", ["0", "0.2"], ids=["signal", "watched"])
@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
def test_a_running_service_reads_changed_files_at_a_signal_or_by_itself(
    tmp_path: Path, watch: str
) -> None:
    path, log = tmp_path / "accounts.csv", tmp_path / "log"
    path.write_text("id,name\n1,first\n")
    environ = {**os.environ, "DIRFRAME_CACHE_DIR": str(tmp_path / "cache")}

    def wait_for(pattern: str) -> str:
        end = time.monotonic() + 120
        while not (found := re.search(pattern, log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.05)
        return found[0]

    command = [sys.executable, "-c", SERVE, str(path), str(tmp_path / "keys"), watch]
    with log.open("w") as stream, subprocess.Popen(command, stderr=stream, env=environ) as process:
        try:
            url = wait_for(r"http://\S+?:\d+")
            path.write_text("id,name\n1,first\n2,second\n")
            if watch == "0":
                process.send_signal(signal.SIGHUP)
            wait_for("1 added, 0 changed, 0 removed, 1 unchanged")
            assert "2 accounts" in requests.get(f"{url}/healthz", timeout=60).text
            # A store that is no longer served leaves the cache.
            assert len(list((tmp_path / "cache" / "stores").iterdir())) == 1
        finally:
            process.terminate()
        assert process.wait(timeout=60) == 0


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

"""The command in the foreground, and signals that come at any time."""

import re
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest
import requests

import dirframe
from tests import processes
from tests.open_files import open_files
from tests.rig.server import page_xml, record
from tests.service import wire
from tests.service.conftest import HeldKeys

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
STOPS = [signal.SIGINT, signal.SIGTERM]


def many(folder, size):
    """Write 30 files of records."""
    for number in range(30):
        records = [record(f"{number}-{n}", name=f"Project {n}") for n in range(size)]
        (folder / f"part-{number}").mkdir(parents=True)
        (folder / f"part-{number}" / "projects.xml").write_bytes(page_xml(records))
    return folder


def start(data, tmp_path):
    words = ("serve", data, "--port", 0, "--key-file", tmp_path / "keys")
    return processes.start(*words, env={"DIRFRAME_CACHE_DIR": str(tmp_path / "cache")})


@pytest.mark.parametrize("number", STOPS)
def test_command_serves_and_ends_with_0(tmp_path, number):
    with processes.interruptible(), start(many(tmp_path / "data", 2), tmp_path) as process:
        lines = []
        while not (lines and (found := re.search(r"http://\S+:\d+", lines[-1]))):
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        assert requests.get(f"{found[0]}/healthz", timeout=60).text.endswith(" 60 projects\n")
        process.send_signal(number)
        out, rest = process.communicate(timeout=processes.LIMIT)
    assert (process.returncode, out) == (0, "")
    assert "Traceback" not in rest


@pytest.mark.parametrize("number", STOPS)
def test_command_that_is_to_stop_ends_its_import(tmp_path, number):
    with processes.interruptible(), start(many(tmp_path / "data", 2_000), tmp_path) as process:
        while not list((tmp_path / "cache").glob("stores/.*")):  # the import has not begun
            sleep(0.01)
        process.send_signal(number)
        _, rest = process.communicate(timeout=processes.LIMIT)
    assert process.returncode == 0
    assert "http://" not in rest
    assert "Traceback" not in rest
    assert not list((tmp_path / "cache" / "stores").iterdir())  # nor half of a store


#: A signal that another thread receives does not interrupt the wait of the main thread, as one that
#: comes in the instant before it.
ELSEWHERE = """
import signal, sys, threading, time, urllib.request
from dirframe.cli import main

def stop(port):
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60)
            break
        except OSError:
            time.sleep(0.05)
    time.sleep(0.5)
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=stop, args=(sys.argv[1],)).start()
sys.argv = ["dirframe", "serve", sys.argv[2], "--key-file", sys.argv[3], "--port", sys.argv[1]]
main()
"""


def test_signal_that_does_not_interrupt_the_wait_stops_the_command_all_the_same(tmp_path):
    with dirframe.serve(many(tmp_path / "data", 1)) as url:
        port = url.rpartition(":")[2]  # which is free from now on
    done = processes.run(port, tmp_path / "data", tmp_path / "keys", program=ELSEWHERE)
    assert done.code == 0
    assert "Traceback" not in done.err


def test_request_that_outlasts_the_service_writes_into_no_other_file(tmp_path):
    """Files of the user get the numbers of the descriptors that the service had."""
    data = many(tmp_path / "data", 1)
    before = open_files(Path(tempfile.gettempdir()))
    with ExitStack() as files, HeldKeys(tmp_path / "keys.sqlite") as keys:
        service = dirframe.serve(data, keys=keys)
        target = f"{service.url}/accounts.xml?api_key={keys.key}"
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(requests.get, target, timeout=60)
            assert keys.asked.wait(wire.LIMIT)
            service.stop()  # it waits for some seconds
            others = tmp_path / "others"
            others.mkdir()
            for number in range(60):
                files.enter_context((others / str(number)).open("w"))
            keys.go_on.set()
            assert answer.exception() is not None
        assert {path.stat().st_size for path in others.iterdir()} == {0}
        files.close()
    assert open_files(Path(tempfile.gettempdir())) == before

"""Keys that processes and threads share, and a disk that is full."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from time import monotonic

import pytest
import requests

import dirframe
from dirframe.service.keys import KeyStore
from tests import processes
from tests.rig.server import page_xml, record

SPEND = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from dirframe.service.keys import KeyStore

with KeyStore(Path(sys.argv[1])) as keys, ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda _: keys.charge(sys.argv[2]) == 0, range(400))))
"""

REGISTER = """
import sys
from pathlib import Path
from dirframe.errors import InvalidInputError
from dirframe.service.keys import KeyStore

added = 0
with KeyStore(Path(sys.argv[1])) as keys:
    for number in range(3):
        try:
            keys.add("Ada", f"application {sys.argv[2]}.{number}")
            added += 1
        except InvalidInputError:
            pass
print(added)
"""


def printed(program, *arguments):
    """Run the program in processes at the same time, and add up what they print."""
    started = [processes.start(*words, program=program) for words in arguments]
    numbers = [int(process.communicate(timeout=processes.LIMIT)[0]) for process in started]
    assert [process.returncode for process in started] == [0] * len(started)
    return sum(numbers)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").mkdir()
    page = page_xml([record("1", "account", name="Ada")])
    (tmp_path / "data" / "accounts.xml").write_bytes(page)
    return tmp_path / "data"


def test_thousand_are_counted_exactly_by_threads_and_processes_and_over_restarts(tmp_path):
    path = tmp_path / "k"
    with KeyStore(path) as keys:
        key = keys.add("Ada", "charts")
        assert all(keys.charge(key) == 0 for _ in range(100))
    assert 100 + printed(SPEND, *[(path, key)] * 3) == 1000
    with KeyStore(path) as keys:
        assert keys.records()[0].used == 1000
        assert keys.charge(key) != 0


def test_processes_that_register_at_once_get_five_keys_together(tmp_path):
    # The file does not exist yet: making it is part of the race.
    assert printed(REGISTER, *[(tmp_path / "k", n) for n in range(3)]) == 5


def test_lock_on_the_keys_holds_up_no_page_and_no_client_for_long(folder, tmp_path):
    with (
        KeyStore(tmp_path / "keys.sqlite") as keys,
        dirframe.serve(folder, keys=keys) as url,
        closing(sqlite3.connect(keys.path, isolation_level=None)) as backup,
        ThreadPoolExecutor(24) as clients,
    ):
        key = keys.add("Ada", "charts")

        def ask(_=None):
            return requests.get(f"{url}/accounts.xml?api_key={key}", timeout=60).status_code

        assert ask() == 200
        backup.execute("BEGIN EXCLUSIVE")
        begin = monotonic()
        answers = clients.map(ask, range(24))
        for path in ("healthz", "accounts", "accounts/1"):
            assert requests.get(f"{url}/{path}", timeout=60).status_code == 200
        assert set(answers) == {503}
        assert monotonic() - begin < 30  # a lock that is waited for takes so long for each
        backup.execute("ROLLBACK")
        assert ask() == 200
        assert keys.records()[0].used == 2


#: No file can be written to, as on a full disk; pipes and sockets can.
FULL = """
import resource, sys
import requests
import dirframe

sys.dont_write_bytecode = True  # no module is compiled into a cut file
with dirframe.serve(sys.argv[1], keys=sys.argv[2]) as url:
    for limit in (0, resource.RLIM_INFINITY):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        for _ in range(3):
            print(requests.get(f"{url}/accounts.xml?api_key={sys.argv[3]}", timeout=60).status_code)
"""


def test_full_disk_under_the_keys_is_503_and_logged(folder, tmp_path):
    pytest.importorskip("resource", reason="this system knows no RLIMIT_FSIZE")
    with KeyStore(tmp_path / "k") as keys:
        key = keys.add("Ada", "charts")
        done = processes.run(folder, keys.path, key, program=FULL)
        assert (done.code, done.out.split()) == (0, ["503"] * 3 + ["200"] * 3)
        assert len(done.err.splitlines()) == 3
        assert key not in done.err
        assert keys.records()[0].used == 3

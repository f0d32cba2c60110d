"""The service over real sockets: it begins, answers everybody, and ends without leaving anything."""

import json
import logging
import os
import re
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlsplit

import pandas as pd
import pyarrow as pa
import pytest
import requests
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import dirframe
from dirframe.errors import ConfigurationError, StoreError
from dirframe.service.keys import KeyStore
from tests import processes
from tests.cases import slow_except
from tests.processes import open_files
from tests.rig.server import page_xml, record
from tests.service import wire
from tests.service.conftest import Held


def get(service, path="/healthz", **parameters):
    parameters.setdefault("api_key", service.api_key and service.api_key.reveal())
    return requests.get(f"{service.url}{path}", params=parameters, timeout=wire.LIMIT)


def port_of(service):
    return urlsplit(service.url).port


# It begins and ends


def test_service_has_a_key_of_its_own_and_leaves_nothing_when_it_stops(records_folder):
    temporary = Path(tempfile.gettempdir())
    before = set(threading.enumerate()), open_files(temporary)
    with dirframe.serve(records_folder) as service:
        url = service.url
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", url)
        assert get(service, "/accounts.xml").status_code == 200
        assert get(service, "/accounts.xml", api_key=None).status_code == 403
        assert service.api_key.reveal() not in repr(service)
    with pytest.raises(ConnectionRefusedError):
        wire.connect(url)
    assert (set(threading.enumerate()), open_files(temporary)) == before
    service.stop()  # a second time is no error
    with dirframe.serve(records_folder, port=port_of(service)) as again:
        assert again.url == url


def test_port_in_use_is_a_clear_error(service, records_folder):
    port = port_of(service)
    with pytest.raises(ConfigurationError, match=str(port)):
        dirframe.serve(records_folder, port=port)


@pytest.mark.parametrize(
    "options",
    [
        {"port": 70_000},
        {"port": -1},
        {"port": True},
        {"host": "nowhere.invalid"},
        {"host": ""},
        {"host": f"{'ü' * 64}.example"},  # a part of a name has 63 letters at most
    ],
)
def test_address_that_cannot_be_listened_on_is_a_clear_error(options, records_folder):
    [value] = options.values()
    with pytest.raises(ConfigurationError) as refused:
        dirframe.serve(records_folder, **options)
    assert str(value) in str(refused.value)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
def test_stop_that_was_interrupted_can_be_repeated(records_folder, monkeypatch):
    def interrupt():
        wire.wait_until_refused(service.url)
        time.sleep(0.1)  # so that the main thread waits for the end
        os.kill(os.getpid(), signal.SIGINT)

    before, held = set(threading.enumerate()), Held(monkeypatch)
    with processes.interruptible(), ThreadPoolExecutor(2) as pool:
        service = dirframe.serve(records_folder)
        threads = set(threading.enumerate()) - before
        answer = pool.submit(get, service, "/accounts.xml")
        assert held.asked.wait(wire.LIMIT)
        pool.submit(interrupt)
        with pytest.raises(KeyboardInterrupt):
            service.stop()
        held.go_on.set()
        assert answer.result().status_code == 200
        service.stop()
        for thread in threads:
            thread.join(wire.LIMIT)
        assert [thread for thread in threads if thread.is_alive()] == []


FORKED = """
import os, sys, urllib.request
import dirframe

with dirframe.serve(sys.argv[1]) as service:
    assert not {"pandas", "pyarrow"} & set(sys.modules)
    child = os.fork()
    if not child:
        sys.exit(0)  # leaves the block, and runs what is registered for the end of a process
    os.waitpid(child, 0)
    print(urllib.request.urlopen(f"{service.url}/projects/2", timeout=60).status)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.parametrize("is_temporary", slow_except([False, True], [True]))
def test_forked_process_that_ends_leaves_the_service_to_its_parent(
    is_temporary, records_folder, cache
):
    if is_temporary:  # a store that cannot be kept
        cache.write_text("in the way")
    done = processes.run(records_folder, program=FORKED, env={"PYTHONWARNINGS": "ignore"})
    assert (done.out, done.err, done.code) == ("200\n", "", 0)


#: A signal that another thread than the main one receives.
SIGNALLED = """
import signal, sys, threading
from dirframe.cli import main

def end():
    sys.stdin.read()
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=end).start()
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
@pytest.mark.parametrize(
    "number", slow_except([signal.SIGINT, signal.SIGTERM, None], [signal.SIGTERM])
)
def test_command_serves_with_its_keys_ends_with_0_on_a_signal_and_logs_no_key(
    records_folder, tmp_path, run, monkeypatch, number
):
    for name in ("DIRFRAME_DATA_DIR", "DIRFRAME_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    add_key = partial(run, "keys", "add", "--developer", "Ada", "--application", "test")
    secret = add_key().out.strip() if number else ""
    words = ("serve", records_folder, "--port", 0, "--name", "Ours", "--contact", "ada@example.org")
    options = {"program": None if number else SIGNALLED, "stdin": subprocess.PIPE}
    with processes.interruptible(), processes.start(*words, **options) as process:
        assert str(tmp_path / "stores") in process.stderr.readline()  # before it imports
        log = process.stderr.readline()
        if not secret:
            assert "dirframe keys add" in process.stderr.readline()
            secret = add_key().out.strip()
        (url,) = re.findall(r"http://127\.0\.0\.1:\d+", log)
        parameters = {"api_key": secret}
        assert requests.get(f"{url}/accounts.xml", params=parameters, timeout=wire.LIMIT).ok
        home = requests.get(url, timeout=wire.LIMIT).text
        assert [text in home for text in ("Ours", "mailto:ada@example.org")] == [True, True]
        if number:
            process.send_signal(number)
        try:
            out, rest = process.communicate(timeout=processes.LIMIT)
        finally:
            process.kill()
    assert (process.returncode, out) == (0, "")
    assert '"GET /accounts.xml" 200' in rest
    assert secret not in log + rest
    assert "dirframe keys add" not in rest
    assert "Traceback" not in rest


# What it is asked


def test_old_clients_send_whole_addresses_and_read_the_status_header(service):
    target = f"http://directory.example/accounts/1.xml?v=1&api_key={service.api_key.reveal()}"
    answer = wire.ask(service.url, target)
    assert (answer.status, answer.headers["status"]) == (200, "200 OK")
    assert b"<id>1</id>" in answer.body
    assert wire.ask(service.url, "/accounts.xml").headers["status"].startswith("403 ")


def test_clients_at_once_get_their_own_answers(service):
    targets = [f"/accounts/{number}.xml" for number in range(1, 31)]
    targets += [f"/projects.xml?query={query}" for query in ("xml", "project", "c++", "e")]
    targets += [f"/projects.xml?sort={sort}" for sort in ("id", "name", "stack_count_reverse")]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda target: get(service, target).text, targets))
    assert answers == [get(service, target).text for target in targets]
    assert len(set(answers)) > 30


@pytest.mark.parametrize(("host", "expected"), [("::", ["127.0.0.1", "[::1]"]), ("::1", ["[::1]"])])
def test_ipv6_and_ipv4_are_listened_at(host, expected, records_folder):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this system has no IPv6")
    name = f"the site at {host}"  # another program may have the port at another address
    answering = []
    with dirframe.serve(records_folder, host=host, name=name) as service:
        for address in ("127.0.0.1", "[::1]"):
            with suppress(requests.ConnectionError):
                page = requests.get(f"http://{address}:{port_of(service)}/", timeout=wire.LIMIT)
                if name in page.text:
                    answering.append(address)
    assert answering == expected


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (["Host: a", f"X-Long: {'x' * 15_000}"], 200),
        (["Host: a", f"X-Long: {'x' * 20_000}"], 431),
        (["Host: a", "Content-Length: 20000"], 413),
    ],
)
def test_request_size_is_limited(headers, status, service):
    assert wire.ask(service.url, "/healthz", *headers).status == status


def test_directory_of_a_service(records_folder):
    with dirframe.serve(records_folder, name="Ours") as service, service.directory() as directory:
        assert (directory.base_url, directory.name) == (service.url, "Ours")
        assert (directory.cache_folder, directory.quota().used) == (None, 0)
        assert len(dirframe.load_projects(directory, progress=False)) == 63


def test_directory_of_a_service_with_a_file_of_keys(records_folder, tmp_path):
    with KeyStore(tmp_path / "keys") as keys:
        key = keys.add("Ada", "charts")
    with dirframe.serve(records_folder, keys=tmp_path / "keys") as service:
        assert service.api_key is None
        with pytest.raises(ConfigurationError):
            service.directory()
        with service.directory(key=key) as directory:
            assert len(dirframe.load_accounts(directory, max_items=5, progress=False)) == 5


# Connections that take and do not give


def test_slow_clients_keep_nobody_out_and_end_with_the_service(records_folder):
    with dirframe.serve(records_folder) as service, ExitStack() as stack:
        clients = [stack.enter_context(wire.connect(service.url)) for _ in range(200)]
        for client in clients[100:]:
            client.sendall(wire.HALF)
        paths = ("/healthz", "/projects.xml", "/projects")
        statuses = {path: get(service, path).status_code for path in paths}
        assert statuses == dict.fromkeys(paths, 200)
        service.stop()
        assert all(wire.is_closed(client) for client in clients)


@pytest.fixture
def limits(monkeypatch):
    """Set limits of the server: seconds of a request and of a response, and connections."""

    def set_limits(*, request=10**6, response=10**6, connections=100):
        monkeypatch.setattr("dirframe.service.server._TIMEOUT", request)
        monkeypatch.setattr("dirframe.service.server._STALLED", response)
        monkeypatch.setattr("dirframe.service.server._CONNECTIONS", connections)

    return set_limits


def test_slow_client_with_half_a_request_is_disconnected(limits, records_folder):
    limits(request=0)
    with dirframe.serve(records_folder) as service, wire.connect(service.url) as client:
        client.sendall(wire.HALF)
        assert wire.is_closed(client)


def test_connections_above_the_most_close_the_one_that_waited_longest(limits, records_folder):
    limits(connections=4)
    with dirframe.serve(records_folder) as service, ExitStack() as stack:
        idle, *used = (stack.enter_context(wire.connect(service.url)) for _ in range(4))
        assert wire.is_open(idle)
        time.sleep(0.1)  # the service notes the time of a response after it is sent
        assert all(wire.is_open(client) for client in used)
        assert wire.ask(service.url, "/healthz").status == 200
        assert wire.is_closed(idle)
        assert all(wire.is_open(client) for client in used)


# What it logs


def test_log_has_no_traceback_of_a_malformed_request_whose_client_reads_nothing(caplog):
    row = {"name": "a", "description": "d" * 200_000}
    frame = pd.DataFrame([{"id": str(number), **row} for number in range(10)])
    with dirframe.serve({"projects": frame}) as service:
        target = f"/projects.xml?api_key={service.api_key.reveal()}"
        with wire.connect(service.url, receive_buffer=4096) as client:
            client.sendall(
                f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nno header\r\n\r\n".encode()
            )
            assert wire.is_closed(client)
    assert [entry.getMessage() for entry in caplog.records if entry.exc_info] == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(st.text(max_size=20), st.text(max_size=20)))
@example(("accounts.xml", ""))
@example(("accounts.xml&api_key=KEY", ""))
@example(("KEY/api_key=KEY", ""))
@example(("a\r\nb", "query=KEY&API_KEY=KEY"))
def test_log_tells_everything_but_keys_in_a_line(service, caplog, asked):
    caplog.set_level(logging.INFO, logger="dirframe.service.access")
    key = service.api_key.reveal()
    path, query = (text.replace("KEY", key) for text in asked)
    caplog.clear()
    target = f"/{quote(path)}?{quote(query, safe='&=')}&api_key={key}"
    status = wire.ask(service.url, target).status
    (line,) = caplog.messages
    assert re.match(r'\d{4}-\d\d-\d\dT[\d:]{8}Z 127\.0\.0\.1 "GET /[^" ]*" \d{3} ', line)
    assert f'" {status} ' in line
    assert key[:32] not in line  # nor the digest of an address
    assert len(line.splitlines()) == 1


# What it serves from


def counts(data, **options):
    with dirframe.serve(data, **options) as service:
        return requests.get(f"{service.url}/healthz", timeout=wire.LIMIT).text


def test_store_checksum_is_in_the_application_id_alone(cache, records_folder):
    dirframe.serve(records_folder).stop()
    [file] = (cache / "stores").iterdir()
    header = file.read_bytes()[:100]
    assert any(header[68:72])
    assert not any(header[72:92])  # reserved by SQLite


def test_store_is_private(cache, records_folder):
    dirframe.serve(records_folder).stop()
    [file] = stores_of(cache)
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def stores_of(cache):
    return sorted((cache / "stores").iterdir())


def test_store_of_files_is_kept(root, cache):
    page = root / "tests" / "xml" / "accounts-page.xml"
    assert counts(page) == "ok: 3 accounts, 0 projects\n"
    [first] = stores_of(cache)
    inode = first.stat().st_ino
    assert counts(page) == "ok: 3 accounts, 0 projects\n"
    [second] = stores_of(cache)
    assert (second, second.stat().st_ino) == (first, inode)


@pytest.mark.parametrize("kept", [0, 4096])
def test_store_of_files_that_is_damaged_is_built_again(kept, root, cache):
    page = root / "tests" / "xml" / "accounts-page.xml"
    dirframe.serve(page).stop()
    [file] = stores_of(cache)
    file.write_bytes(file.read_bytes()[:kept] or b"damaged")
    assert counts(page) == "ok: 3 accounts, 0 projects\n"


def statuses_of_contributors(data):
    """Serve data, and return the statuses of the contributors of projects 1 and 2."""
    with dirframe.serve(data) as service:
        first = get(service, "/projects/1/contributors.xml")
        second = get(service, "/projects/2/contributors.xml")
    return [first.status_code, second.status_code]


def test_store_of_a_renamed_file_is_built_again(cache, tmp_path):
    projects = tmp_path / "data" / "projects"
    (projects / "1").mkdir(parents=True)
    page = page_xml([record(1, "contributor_fact", name="Ada")])
    (projects / "1" / "contributors.xml").write_bytes(page)
    assert statuses_of_contributors(tmp_path / "data") == [200, 404]
    (projects / "1").rename(projects / "2")
    assert statuses_of_contributors(tmp_path / "data") == [404, 200]


def test_store_of_a_source_replaces_the_one_before(cache, tmp_path):
    files = [tmp_path / name for name in ("accounts-1.csv", "accounts-2.csv")]
    for number in range(3):
        for file in files:
            file.write_text(f"id,name,location\n{number},Ada,{file.name}\n")
            dirframe.serve(file).stop()
    assert len(stores_of(cache)) == len(files)


def test_store_in_use_stays(cache, tmp_path):
    file = tmp_path / "accounts.csv"
    file.write_text("id,name,location\n1,Ada,x\n")
    with dirframe.serve(file) as first:
        file.write_text("id,name,location\n2,Bob,x\n")
        with dirframe.serve(file) as second:
            assert len(stores_of(cache)) == 2
            names = [get(service, "/accounts.xml").text for service in (first, second)]
            assert ["Ada" in names[0], "Bob" in names[1]] == [True, True]
    dirframe.serve(file).stop()
    assert len(stores_of(cache)) == 1


@pytest.mark.parametrize(("days", "count"), [(29, 2), (31, 1)])
def test_store_that_nobody_used_for_a_month_is_removed(
    days, count, cache, tmp_path, records_folder
):
    file = tmp_path / "accounts.csv"
    file.write_text("id,name,location\n1,Ada,x\n")
    dirframe.serve(file).stop()
    [old] = stores_of(cache)
    moment = time.time() - days * 86_400
    os.utime(old, (moment, moment))
    dirframe.serve(records_folder).stop()
    assert len(stores_of(cache)) == count


def test_store_of_a_killed_import_is_removed(cache, records_folder):
    (cache / "stores").mkdir(parents=True)
    ended, running = 2**22 + 1, os.getppid()  # above the largest number of a process, and one
    names = [
        f".15-0123-4567-{ended}-89abcdef.part",
        f".15-0123-4567-{ended}-89abcdef.part-journal",
        f".15-0123-4567-{running}-89abcdef.part",
    ]
    for name in names:
        (cache / "stores" / name).touch()
    dirframe.serve(records_folder).stop()
    left = {path.name for path in stores_of(cache)}
    assert [name in left for name in names] == [False, False, True]


def test_store_of_frames_is_removed_with_the_service(cache, tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    frame = pd.DataFrame({"id": ["1"], "name": ["Ada"]})
    files = []
    for _ in range(2):
        with dirframe.serve({"accounts": frame}):
            files.append(len(list(folder.iterdir())))
        files.append(len(list(folder.iterdir())))
    assert files == [1, 0, 1, 0]


def test_cache_folder_that_cannot_be_written_is_no_obstacle(root, cache):
    cache.write_text("in the way")
    assert counts(root / "tests" / "xml" / "accounts-page.xml").startswith("ok: 3")


def test_folder_for_a_temporary_store_that_cannot_be_created_is_a_clear_error(
    tmp_path, monkeypatch
):
    (tmp_path / "file").touch()  # in which nobody can create a folder
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="DIRFRAME_CACHE_DIR"):
        dirframe.serve()


KILLED = """
import os, signal, sys, dirframe
dirframe.serve(sys.argv[1])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no owners")
def test_temporary_store_of_a_killed_process_is_removed_by_the_next_one(
    records_folder, cache, tmp_path, monkeypatch
):
    cache.write_text("in the way")  # so that stores are temporary
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    others = [folder / name for name in ("dirframe-x-y", f"dirframe-{os.getppid()}-z")]
    for other in others:
        other.mkdir()
    processes.run(records_folder, program=KILLED)
    [left] = {*folder.iterdir()} - {*others}
    assert [*left.glob("*.sqlite")]
    frame = pd.DataFrame({"id": ["1"], "name": ["Ada"]})
    dirframe.serve({"accounts": frame}).stop()
    assert {*folder.iterdir()} == {*others}


class Changing:
    """A frame that is read while a file changes."""

    def __init__(self, file):
        self._file = file

    def __arrow_c_stream__(self, requested_schema=None):
        self._file.write_bytes(page_xml([record(self._file.stem, "account")]))
        return pa.table({"id": ["9"], "name": ["z"], "posts_count": [1]}).__arrow_c_stream__()


@pytest.mark.parametrize("name", ["1.xml", "2.xml"])  # 2.xml is new
def test_files_that_change_while_they_are_read_are_refused(name, cache, tmp_path):
    (tmp_path / "1.xml").write_bytes(page_xml([record("old", "account")]))
    with pytest.raises(StoreError, match="changed"):
        dirframe.serve([tmp_path, Changing(tmp_path / name)])
    accounts = len(list(tmp_path.glob("*.xml")))
    assert counts(tmp_path) == f"ok: {accounts} accounts, 0 projects\n"


# The files for operators


def text_of(name, root):
    return (root / "deploy" / name).read_text(encoding="utf-8")


def options_of_unit(root):
    text = text_of("dirframe.service", root)
    (command,) = re.findall(r"^ExecStart=\S+ (.+)$", text, re.MULTILINE)
    return shlex.split(command.replace("$OPTIONS", ""))


def options_of_container(root):
    text = text_of("Containerfile", root)
    (command,) = re.findall(r"^ENTRYPOINT (\[.+\])$", text, re.MULTILINE)
    return json.loads(command)[1:]


@pytest.mark.parametrize("options_of", [options_of_unit, options_of_container])
def test_deployment_files_give_options_that_the_command_has(options_of, root, run):
    words = options_of(root)
    assert words[words.index("--port") + 1] == "8080"
    assert run(*words, "--help").code == 0  # it reads all options first
    assert run("serve", "--no-such-option", "--help").code == 2


def test_systemd_accepts_the_unit(root, tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    path, unit = tmp_path / "dirframe.service", text_of("dirframe.service", root)
    path.write_text(unit.replace("/opt/dirframe/bin/dirframe", sys.executable))
    words = ["systemd-analyze", "verify", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_check_of_the_container_asks_what_the_service_answers(root, service):
    recipe = text_of("Containerfile", root)
    (check,) = re.findall(r"^HEALTHCHECK CMD \[(.+)\]$", recipe, re.MULTILINE)
    code = re.findall(r'"([^"]+)"', check)[-1]
    asked = code.replace("http://127.0.0.1:8080", service.url)
    assert asked != code
    subprocess.run([sys.executable, "-c", asked], check=True, timeout=60)

"""The commands of a person who serves a directory."""

import re
import signal
from contextlib import contextmanager
from shlex import split

import requests

from tests import processes
from tests.cli.examples import desk, examples, lay_out


@contextmanager
def serving(*words):
    """Serve on a free port of this machine; yield the process and what it wrote so far."""
    with processes.interruptible():
        started = processes.start("serve", *words, "--host", "127.0.0.1", "--port", "0")
    with started as process:
        try:
            written = ""
            while not re.search(r"http://127\.0\.0\.1:\d+", written):
                line = process.stderr.readline()
                assert line, written
                written += line
            yield process, written
        finally:
            process.kill()


def test_key_is_shown_once_listed_raised_and_revoked(folder, run):
    def keys(command, *words):
        outcome = run("keys", command, "--key-file", "keys.sqlite", *words)
        assert outcome.code == 0, outcome.err
        return outcome.out

    key = keys("add", "--developer", "Ada", "--application", "thesis").strip()
    assert re.fullmatch(r"[0-9a-f]{40}", key)
    assert key not in keys("list")
    keys("limit", 1, 5000)
    assert "5,000" in keys("list")
    keys("revoke", 1)
    assert "revoked" in keys("list")
    assert key.encode() not in (folder / "keys.sqlite").read_bytes()


def test_developer_has_five_applications_at_most(folder, run):
    words = ("keys", "add", "--developer", "A", "--application")
    assert [run(*words, f"a{n}").code for n in range(6)] == [0, 0, 0, 0, 0, 2]


def test_directory_is_served_with_its_keys_until_interrupted(folder, run):
    key = run("keys", "add", "--developer", "Ada", "--application", "test").out.strip()
    (folder / "accounts.csv").write_text("id,name\n1,Ada\n2,Grace\n")
    with serving("accounts.csv") as (process, written):
        url = re.search(r"http://127\.0\.0\.1:\d+", written)[0]
        answer = requests.get(f"{url}/accounts.xml", params={"api_key": key}, timeout=30)
        assert answer.status_code == 200
        assert b"<items_available>2</items_available>" in answer.content
        assert requests.get(f"{url}/accounts.xml", timeout=30).status_code != 200
        process.send_signal(signal.SIGINT)
        out, rest = process.communicate(timeout=processes.LIMIT)
    assert (process.returncode, out) == (0, "")
    assert key not in written + rest


def test_examples_of_serving_serve_until_terminated(
    tmp_path_factory, tmp_path, root, run, monkeypatch
):
    folder = tmp_path_factory.mktemp("desk")
    with desk(folder, root):
        lines = [line for line in examples(run) if line.startswith("dirframe serve")]
        for line in lines[1:3]:
            here = tmp_path / str(len(line))
            here.mkdir()
            lay_out(line, folder, here)
            monkeypatch.chdir(here)
            with serving(*split(line)[2:]) as (process, _):
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=processes.LIMIT)
            assert process.returncode == 0, line

"""What processes convert is what one process converts, whatever becomes of them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from dirframe._sqlite import open_database
from dirframe.errors import StoreError
from dirframe.service.importing import conversion
from dirframe.service.importing.conversion import Conversion
from dirframe.service.importing.xml_files import XmlFile
from dirframe.service.store.build import build_store
from dirframe.service.synthetic.generate import generate

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_WAIT = 120.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of several blocks each."""
    path = tmp_path_factory.mktemp("generated")
    generate(path / "usual", accounts=1500, projects=300)
    generate(path / "others", accounts=1000, projects=0, seed=2)
    text = (path / "others" / "accounts.xml.gz").read_bytes()
    (path / "usual" / "more.xml.gz").write_bytes(text)
    return path / "usual"


@pytest.fixture(autouse=True)
def small_files_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "_LARGE", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 3)


def sources(folder: Path) -> list[XmlFile]:
    return [XmlFile(path) for path in sorted(folder.iterdir())]


def unpacked(folder: Path, target: Path) -> Path:
    target.write_bytes(subprocess.check_output(["gzip", "-dc", str(folder / "accounts.xml.gz")]))
    return target


def records(source: XmlFile) -> list[tuple[object, ...]]:
    with Conversion([]) as alone:
        return list(alone.records(source))


def tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    database = open_database(path, mode="ro")
    names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
    found = {
        n: database.execute(f"SELECT * FROM {n}").fetchall() for (n,) in names.fetchall()
    }  # of the schema
    database.close()
    return found


def test_processes_give_the_same_records_in_the_same_order(folder: Path) -> None:
    with Conversion(sources(folder)) as together:
        assert len(together._processes) == 3
        for source in sources(folder):
            assert list(together.records(source)) == records(source)
        assert len(together._processes) == 3


def test_a_store_has_the_same_content_with_and_without_processes(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_processes = build_store(tmp_path / "a", [folder])
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert tables(with_processes) == tables(build_store(tmp_path / "b", [folder]))


def test_records_of_unusual_xml_are_all_read(folder: Path, tmp_path: Path) -> None:
    path = unpacked(folder, tmp_path / "a.xml")
    text = path.read_bytes()
    middle = text.index(b"<account>", len(text) // 2)
    path.write_bytes(text[:middle] + b"<!-- </account> -->" * 20_000 + text[middle:])
    source = XmlFile(path)
    with Conversion([source, *sources(folder)]) as together:
        assert list(together.records(source)) == records(source)
        for other in sources(folder):
            assert list(together.records(other)) == records(other)


@pytest.mark.parametrize(
    "old_new",
    [
        (b"<created_at>20", b"<created_at>x0"),
        (b"<id>1", b"<id>/1"),
        (b"</account>", b"</account"),
        (b"</account>", b"</account><language/>"),
    ],
)
def test_the_first_invalid_record_is_named_as_by_one_process(
    folder: Path, tmp_path: Path, old_new: tuple[bytes, bytes]
) -> None:
    path = unpacked(folder, tmp_path / "a.xml")
    text = path.read_bytes()
    middle = len(text) * 3 // 4
    path.write_bytes(text[:middle] + text[middle:].replace(*old_new))
    with pytest.raises(StoreError) as alone:
        records(XmlFile(path))
    with pytest.raises(StoreError, match=re.escape(str(alone.value))):
        build_store(tmp_path / "store", [path])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.xml"]


@pytest.mark.parametrize("number", [0, 1])
def test_records_that_an_ended_process_owes_are_read_by_the_first(
    folder: Path, number: int
) -> None:
    with Conversion(sources(folder)) as together:
        found: list[tuple[object, ...]] = []
        for source in sources(folder):
            for record in together.records(source):
                if len(found) == 5:
                    together._processes[number].kill()
                    together._processes[number].wait(LONGEST_WAIT)
                found.append(record)
    assert found == [record for source in sources(folder) for record in records(source)]


def test_an_interrupted_import_leaves_no_process(folder: Path) -> None:
    processes: list[subprocess.Popen[bytes]] = []

    def convert_some() -> None:
        with Conversion(sources(folder)) as together:
            processes.extend(together._processes)
            next(together.records(sources(folder)[0]))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert_some()
    assert [process.returncode is None for process in processes] == [False] * 3


SCRIPT = """
import os, sys
from pathlib import Path
from dirframe.service.importing import conversion
conversion._LARGE, os.cpu_count = 1, lambda: 2
print("begun", flush=True)
from dirframe.service.store.build import build_store
build_store(Path(sys.argv[2]), [Path(sys.argv[1])])
print("built", flush=True)
"""


def test_a_script_that_guards_nothing_runs_once(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    for command in ([str(script)], ["-c", SCRIPT]):
        result = subprocess.run(
            [sys.executable, *command, str(folder), str(tmp_path / "store")],
            capture_output=True,
            text=True,
            check=True,
        )
        assert (result.stdout.split(), result.stderr) == (["begun", "built"], "")


KILLED = """
import os, sys, time
from pathlib import Path
from dirframe.service.importing import conversion
from dirframe.service.importing.xml_files import XmlFile
conversion._LARGE, os.cpu_count = 1, lambda: 2
together = conversion.Conversion([XmlFile(Path(sys.argv[1]))] * 1000)
print(*[process.pid for process in together._processes], flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_processes_of_a_killed_import_end(folder: Path) -> None:
    from pathlib import Path

    command = [sys.executable, "-c", KILLED, str(folder / "accounts.xml.gz")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pids = process.stdout.readline().split()
        process.send_signal(signal.SIGKILL)
    assert len(pids) == 2

    def runs(pid: str) -> bool:
        try:
            status = Path("/proc", pid, "stat").read_text()
        except OSError:
            return False
        return status.rpartition(")")[2].split()[0] != "Z"

    deadline = time.monotonic() + LONGEST_WAIT
    while any(map(runs, pids)):
        assert time.monotonic() < deadline
        time.sleep(0.05)

"""What all tests share: none reads or leaves anything in a person's own folders, or a figure."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from werkzeug.routing import Rule

import dirframe
from tests import kernels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

# Before anything imports matplotlib: a test has no screen.
os.environ["MPLBACKEND"] = "Agg"

# Nor before the tests start processes, of which there are hundreds: where containers and CI forbid
# bytecode, each of them would compile the package anew, and pytest every test in each worker.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Thousands of databases are made, and each syncs what it writes: on a disk that takes fifty times as
# long as in memory. No test ends the machine, so what a killed process wrote is there all the same.
# Where TMPDIR is set, as in the workers, it stays.
MEMORY = Path("/dev/shm")
_ROOM = 2 << 30  # bytes; of a run about 0.3 GB are there at a time
if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
    system = os.statvfs(MEMORY)
    if system.f_bavail * system.f_frsize > _ROOM and not system.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp("", "dirframe-tests-", MEMORY)
        atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

ROOT = Path(__file__).resolve().parent.parent

# Two modules that all processes started by tests find in place of the installed ones.
#
# Where rfc3987_syntax is installed, jsonschema builds 38 parsers of web addresses with it on import:
# one to three seconds in each process that imports nbformat, as plotly does in a kernel. No schema
# that is used here asks for one, so it is not there.
#
# ipykernel_launcher starts kernels as copies of one process: `tests.kernels` says why.
SHADOWING = str(ROOT / "tests" / "shadowing")
sys.path.insert(0, SHADOWING)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [SHADOWING, os.environ.get("PYTHONPATH")]))
if kernels.FOLDER not in os.environ:  # this process starts the workers
    os.environ[kernels.FOLDER] = tempfile.mkdtemp("", "dirframe-kernels-")
    os.environ[kernels.OWNER] = str(os.getpid())
    atexit.register(shutil.rmtree, os.environ[kernels.FOLDER], ignore_errors=True)

# Thousands of services are started, with the same thirty addresses each: werkzeug compiles a function
# for each address, which is most of the time of a start. Rule and endpoint say what it compiles.
_BUILDERS: dict[tuple[object, ...], Callable[..., tuple[str, str]]] = {}
_compile_builder = Rule._compile_builder


def _compile_once(self: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
    key = (self.rule, self.endpoint, self.subdomain, self.host, append_unknown)
    if key not in _BUILDERS:
        _BUILDERS[key] = _compile_builder(self, append_unknown)
    return _BUILDERS[key]


Rule._compile_builder = _compile_once  # type: ignore[method-assign]  # a private function, for the reason above

# A machine that is busy is no failure, so no example has a deadline. In CI every run draws the
# same examples: a red build can be repeated; a developer's machine goes on looking for new ones.
hypothesis.settings.register_profile("dev", deadline=None, max_examples=50)
hypothesis.settings.register_profile(
    "ci", deadline=None, max_examples=100, derandomize=True, database=None, print_blob=True
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest, so that no worker is busy with one of them when the others end."""
    items.sort(key=lambda item: item.path.name not in {"test_docs.py", "test_notebooks.py"})


def pytest_collection_finish() -> None:
    """Spare the collector what stays until the end: modules, and the tests themselves."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def pytest_unconfigure() -> None:
    """Give it back: DuckDB lists on standard error what was not collected."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep cache and keys of the whole run in a temporary folder, and no real directory in reach.

    A test that needs an empty cache sets DIRFRAME_CACHE_DIR again, with monkeypatch.
    """
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("dirframe")
        patch.setenv("DIRFRAME_CACHE_DIR", str(folder / "cache"))
        patch.setenv("DIRFRAME_DATA_DIR", str(folder / "data"))
        patch.delenv("DIRFRAME_BASE_URL", raising=False)
        patch.delenv("DIRFRAME_API_KEY", raising=False)
        patch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        yield


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the project's own folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of recorded answers beside the checkout; no test needs it to pass."""
    folder = ROOT.parent / "shared"
    if not (folder / "spec").is_dir():
        pytest.skip("recorded answers are not beside this checkout (../shared)")
    return folder


@pytest.fixture(scope="session")
def sample_frames() -> dict[str, pd.DataFrame]:
    """Load some records of each collection of the sample; no test changes them."""
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory, max_items=50, progress=False)
        accounts = dirframe.load_accounts(directory, max_items=50, progress=False)
        first = str(projects["id"].iloc[0])
        return {
            "projects": projects,
            "accounts": dirframe.unify_countries(accounts),
            "contributors": dirframe.load_contributors(first, directory=directory, progress=False),
            "activity": dirframe.load_activity(first, directory=directory),
            "languages": dirframe.load_languages(directory, progress=False),
        }

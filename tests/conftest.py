"""What all tests share: none reads or leaves anything in a person's own folders, or a figure."""

import atexit
import gc
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import hypothesis
import pytest

from tests import processes

# Before anything imports matplotlib: a test has no screen.
os.environ["MPLBACKEND"] = "Agg"

# Where containers and CI forbid bytecode, each process that a test starts would compile the package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Hundreds of databases are created, and each syncs what it writes: on a disk that takes fifty times
# as long as in memory. Where TMPDIR is set, as in pytest's workers, it stays.
MEMORY = Path("/dev/shm")
_ROOM = 2 << 30  # bytes; of a run about 0.3 GB are there at a time
if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK):
    system = os.statvfs(MEMORY)
    if system.f_bavail * system.f_frsize > _ROOM and not system.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp("", "dirframe-tests-", MEMORY)
        atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

ROOT = Path(__file__).resolve().parent.parent

# The same examples in every run, so that a failure can be repeated; no example has a deadline,
# because a busy machine is no failure. `make test` uses quick, `make test-slow` ci; search is for a
# person who looks for a counterexample: pytest --hypothesis-profile=search.
_same = partial(hypothesis.settings, deadline=None, database=None, print_blob=True)
hypothesis.settings.register_profile("quick", _same(max_examples=8, derandomize=True))
hypothesis.settings.register_profile("ci", _same(max_examples=100, derandomize=True))
hypothesis.settings.register_profile("search", _same(max_examples=1000))
hypothesis.settings.load_profile("quick")


def pytest_sessionstart(session):
    """Leave the access log of services out of what a failed test prints; `caplog` has it."""
    logs = session.config.pluginmanager.get_plugin("logging-plugin")
    logs.report_handler.addFilter(lambda record: record.name != "dirframe.service.access")


def pytest_collection_finish():
    """Collect garbage seldom, and never in the tests and modules, which stay to the end.

    With Python's own threshold the collector takes a tenth of the processor time of the tests.
    """
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory):
    """Keep cache and keys of the whole run in a temporary folder, and no real directory in reach.

    A test that needs an empty cache sets DIRFRAME_CACHE_DIR again, with monkeypatch. The workers of
    a run share its stores, because those of the sample take seconds to make.
    """
    run = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        run = run.parent
    (run / "stores").mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("dirframe")
        (folder / "cache").mkdir()
        (folder / "cache" / "stores").symlink_to(run / "stores")
        patch.setenv("DIRFRAME_CACHE_DIR", str(folder / "cache"))
        patch.setenv("DIRFRAME_DATA_DIR", str(folder / "data"))
        patch.delenv("DIRFRAME_BASE_URL", raising=False)
        patch.delenv("DIRFRAME_API_KEY", raising=False)
        # Two further attempts, without a pause between them.
        patch.setattr("dirframe.client.http.adapter.PAUSES", (0.0, 0.0))
        yield


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def empty_pictures(monkeypatch):
    """Draw the charts of reports, and write empty pictures."""
    from matplotlib.figure import Figure

    from tests.charts import write_empty

    monkeypatch.setattr(Figure, "savefig", write_empty)


@pytest.fixture
def report_of_words(monkeypatch):
    """Leave charts and statistics of whole frames out of reports whose findings are read."""
    from dirframe.reports.report import Omitted

    def leave_out(function, _frame):
        return Omitted(function.__name__, "left out.")

    monkeypatch.setattr("dirframe.reports.report._show", leave_out)


@pytest.fixture
def run(capsys):
    """Run the command line in this process: `run("projects", "--demo")` gives an `Outcome`."""
    return partial(processes.command, capsys)


@pytest.fixture
def rig():
    """Serve 55 projects on six pages of ten."""
    from tests.rig.server import Rig

    with Rig(55) as opened:
        yield opened


@pytest.fixture(scope="session")
def root():
    """Return the project's own folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared():
    """Return the folder of recorded documents beside the checkout; no test needs it to pass."""
    folder = ROOT.parent / "shared"
    if not (folder / "spec").is_dir():
        pytest.skip("recorded documents are not beside this checkout (../shared)")
    return folder


@pytest.fixture(scope="session")
def sample():
    """Open the sample directory once, for tests that only read it."""
    import dirframe

    with dirframe.sample_directory() as directory:
        yield directory


@pytest.fixture(scope="session")
def rehearsal():
    """Open the rehearsal of the live service once, for tests that only read it."""
    import dirframe

    with dirframe.sample_directory(analyses=False) as directory:
        yield directory


@pytest.fixture(scope="session")
def stores(sample):
    """Return the folder of stores of the run, with that of the sample, which takes seconds to make."""
    from dirframe.settings import cache_folder

    return cache_folder() / "stores"


@pytest.fixture
def own_cache(tmp_path, monkeypatch, stores):
    """Use a cache that is empty but for the store of the sample; return its folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(folder))
    shutil.copytree(stores, folder / "stores", copy_function=os.link)
    return folder


@pytest.fixture(scope="session")
def sample_projects(sample):
    """Load all projects of the sample; no test changes the frame."""
    import dirframe

    return dirframe.load_projects(sample, progress=False)


@pytest.fixture(scope="session")
def sample_accounts(sample):
    """Load all accounts of the sample, with their countries; no test changes the frame."""
    import dirframe

    return dirframe.unify_countries(dirframe.load_accounts(sample, progress=False))


@pytest.fixture(scope="session")
def sample_frames(sample):
    """Load some records of each collection of the sample; no test changes them."""
    import dirframe

    projects = dirframe.load_projects(sample, max_items=50, progress=False)
    accounts = dirframe.load_accounts(sample, max_items=50, progress=False)
    first = "633"  # it has documents of its own
    return {
        "projects": projects,
        "accounts": dirframe.unify_countries(accounts),
        "contributors": dirframe.load_contributors(first, directory=sample, progress=False),
        "activity": dirframe.load_activity(first, directory=sample),
        "languages": dirframe.load_languages(sample, progress=False),
    }


@pytest.fixture(scope="session")
def kind_frames():
    """Make 60 records of each kind, with a source; no test changes them."""
    from random import Random

    from dirframe import provenance
    from tests import oracle

    records = {kind: oracle.make(kind, Random(3), 60) for kind in oracle.STATISTICS}
    return {
        kind: provenance.set_provenance(oracle.frame(kind, some), source="A directory")
        for kind, some in records.items()
    }


@pytest.fixture(scope="session")
def recorded(shared):
    """Read the recorded answers of a directory: 313 projects."""
    import dirframe

    return dirframe.read_pages(shared / "real" / "pages")

"""What a person gets without a checkout: the wheel, alone, in an empty environment and folder.

These tests install from a package registry, so `make wheel-test` runs them and `make test`
does not. The wheel is built from the source distribution, so both are shown to be whole.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import matplotlib.image
import pandas as pd
import pytest

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).resolve().parents[2]


def run(*command, cwd, env=None):
    """Run a command and return what it says; its output is the message where it fails."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} gave {done.returncode}:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    dist = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", dist, ROOT, cwd=dist)
    (built,) = dist.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def sdist(wheel, tmp_path_factory):
    """Return the folder of the unpacked source distribution, of which the wheel was built."""
    (built,) = wheel.parent.glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return unpacked


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """Return the folder of the commands of an environment that holds the wheel and its needs."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    pip = (commands / "python", "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", wheel, cwd=folder)
    run(*pip, "check", cwd=folder)
    return commands


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    """Return the environment variables of a person who never used dirframe before."""
    home = tmp_path_factory.mktemp("home")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DIRFRAME_", "PYTHON", "XDG_", "MPL", "VIRTUAL_ENV"))
    }
    return kept | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "LOCALAPPDATA": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
    }


def test_wheel_carries_types_licence_and_sample_and_no_tests(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    assert {"dirframe/py.typed", "dirframe/__init__.pyi"} <= set(names)
    assert "dirframe/plot/dirframe.mplstyle" in names
    world = {name.rpartition("/")[2] for name in names if name.startswith("dirframe/data/world/")}
    assert world == {"LICENSE", "README.md", "rings.json"}  # boundaries are in the sources alone
    assert {"dirframe/rehearsal/orgs.xml.gz", "dirframe/rehearsal/enlistments.xml.gz"} <= set(names)
    licences = {name.partition("/licenses/")[2] for name in names if "/licenses/" in name}
    assert {"LICENSE", "data/LICENSE", "data/world/LICENSE"} <= licences
    assert sum(size for name, size in sizes.items() if name.startswith("dirframe/data/")) > 100_000
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"dirframe"}


def test_wheel_requires_nothing_for_development_but_the_tests(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        text = archive.read(metadata).decode()
    assert re.findall(r"^Provides-Extra: (.+)$", text, re.MULTILINE) == ["engines", "excel", "test"]
    required = re.findall(r"^Requires-Dist: ([\w.-]+)[^;\n]*$", text, re.MULTILINE)
    assert {"anywidget", "ipywidgets"} <= set(required)


def test_sdist_holds_the_repository(sdist):
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is no repository of git")
    tracked = run("git", "ls-files", "-z", cwd=ROOT).split("\0")[:-1]
    files = {file.relative_to(sdist).as_posix() for file in sdist.rglob("*") if file.is_file()}
    assert files == {*tracked, "PKG-INFO"}


def test_sdist_passes_the_tests_that_read_its_files(sdist):
    tests = [
        f"tests/test_{name}.py" for name in ("docs", "house", "public_names", "sample", "schema")
    ]
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    run(*command, cwd=sdist, env={**os.environ, "PYTHONPATH": str(sdist)})


def is_drawn(file):
    """Return whether a picture is large and has light and dark parts."""
    picture = matplotlib.image.imread(file)
    return min(picture.shape[:2]) >= 300 and picture[..., :3].std() > 0.02


def test_demo_from_a_wheel_writes_complete_tables_and_pictures_and_is_free_again(
    environment, person, tmp_path
):
    first = run(environment / "dirframe", "demo", cwd=tmp_path, env=person)
    second = run(environment / "dirframe", "demo", cwd=tmp_path, env=person)
    assert re.search(r"\bcomplete\b", first)
    assert re.search(r"\bcomplete\b", second)
    assert not re.search(r"\bincomplete\b|Traceback", first + second)
    paid = r"\b([\d,]+) requests paid"
    assert set(re.findall(paid, first)) != {"0"}
    assert re.findall(paid, second) == ["0", "0"]
    tables = [pd.read_csv(path) for path in tmp_path.rglob("*.csv")]
    assert sorted(map(len, tables))[-2:] == [1500, 2000]
    tables = [pd.read_parquet(path) for path in tmp_path.rglob("*.parquet")]
    assert sorted(map(len, tables))[-2:] == [1500, 2000]
    pictures = [*tmp_path.rglob("*.png")]
    assert pictures
    assert [path.name for path in pictures if not is_drawn(path)] == []


def test_container_commands_give_a_service(environment, person, tmp_path):
    recipe = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    assert "pip install --no-cache-dir /wheel/dirframe-*.whl" in recipe
    (tmp_path / "accounts.csv").write_text("id,name\n1,Ada\n", encoding="utf-8")
    code = (
        "import dirframe, urllib.request as u\n"
        "with dirframe.serve('accounts.csv') as service:\n"
        "    print(u.urlopen(service.url + '/healthz').read().decode())"
    )
    told = run(environment / "python", "-c", code, cwd=tmp_path, env=person)
    assert "ok: 1 accounts, 0 projects" in told

"""Every example in the help of a command is run, as it stands there, and succeeds."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

import click
import pytest
from click.testing import CliRunner

import dirframe as package
from dirframe.cli import cli
from dirframe.reports.execute import TEMPLATE
from dirframe.service.api_keys import KeyStore
from dirframe.service.synthetic.generate import generate
from tests.client import Asked, Reply, Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

XML = Path(__file__).parent.parent / "xml"
#: Where the installed command is.
BIN = Path(sys.executable).parent


def commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, *path, name)


@cache
def examples() -> list[str]:
    helps = (CliRunner().invoke(cli, [*path, "--help"]).output for path in [(), *commands(cli)])
    lines = (line for text in helps for line in text.splitlines())
    return sorted({line.strip() for line in lines if line.startswith("    dirframe ")})


SERVING = [
    line for line in examples() if line.startswith("dirframe serve") and "--check" not in line
]
IN_A_SHELL = [line for line in examples() if re.search("[|>]", line)]
ALONE = sorted({*examples()} - {*SERVING, *IN_A_SHELL})


#: What stands after these is made by the example; other names of files are read.
MAKES = {"-o", "--audit", "--to", "generate"}


#: Addresses outside the specification that the examples ask for.
BEYOND = {
    "/languages.xml": "languages-page.xml",
    "/projects/1/contributors.xml": "contributors-page.xml",
    "/projects/1/analyses/latest/activity_facts.xml": "activity-facts.xml",
    "/projects/1/analyses/latest/size_facts.xml": "size-facts.xml",
}


def beside(url: str) -> Server:
    """Serve these addresses too, and hand every other request on to a directory."""

    def answer(asked: Asked) -> Reply:
        if asked.path in BEYOND:
            return Reply((XML / BEYOND[asked.path]).read_bytes())
        try:
            with urlopen(f"{url.rstrip('/')}{asked.line}") as response:
                return Reply(response.read())
        except HTTPError as error:
            return Reply(error.read(), error.code)

    return Server(answer)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make the files that the examples read, and name a small directory in the environment."""
    folder, served = tmp_path_factory.mktemp("desk"), tmp_path_factory.mktemp("served")
    generate(served, accounts=60, projects=60)
    service = package.serve(served)
    with service as url, beside(url) as server, pytest.MonkeyPatch.context() as patch:
        assert service.api_key
        patch.setenv("DIRFRAME_BASE_URL", server.url)
        patch.setenv("DIRFRAME_API_KEY", service.api_key.reveal())
        patch.setenv("DIRFRAME_DATA_DIR", str(folder / "data"))
        patch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        projects = package.load_projects(progress=False)
        accounts = package.load_accounts(progress=False)
        for name in ("projects", "january", "june"):
            package.export(projects, folder / f"{name}.parquet")
        package.export(package.load_activity(1), folder / "activity.parquet")
        package.export(package.load_contributors(1), folder / "contributors.parquet")
        package.export(accounts, folder / "accounts.parquet")
        package.export(accounts, folder / "accounts.csv")
        package.export(package.country_audit(accounts), folder / "audit.csv")
        package.harvest("projects", folder / "kept.archive")
        with package.sample_directory() as directory:
            package.harvest("projects", folder / "kept.archive of --sample", directory=directory)
        shutil.copytree(served, folder / "my-directory")
        (folder / "pages").mkdir()
        pages = gzip.decompress((served / "projects.xml.gz").read_bytes())
        for name in ("pages/page.xml", "large.xml"):
            (folder / name).write_bytes(pages)
        for number in (1, 2):
            (folder / f"page-{number}.xml.gz").write_bytes(gzip.compress(pages))
        shutil.copyfile(TEMPLATE, folder / "my.ipynb")
        (folder / "people.csv").write_text("no,name\n1,Ada\n2,Grace\n", encoding="utf-8")
        (folder / "map.toml").write_text('[accounts.fields]\nid = "no"\n', encoding="utf-8")
        (folder / "states.toml").write_text('deleted_projects = ["3"]\n', encoding="utf-8")
        with KeyStore() as keys:
            for number in range(3):
                keys.add("Ada L.", f"application {number}")
        yield folder


@pytest.fixture
def lay(desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Go to a folder that holds what an example reads, and nothing else."""

    def out(line: str) -> None:
        words = re.findall(r"[^\s|>]+", line)
        read = {word.rstrip("/") for before, word in pairwise(words) if before not in MAKES}
        for name in [*sorted(read), "data"]:
            asked = f"{name} of --sample" if "--sample" in line else name
            kept = asked if (desk / asked).exists() else name
            if (desk / kept).is_dir():
                shutil.copytree(desk / kept, tmp_path / name)
            elif (desk / kept).is_file():
                shutil.copyfile(desk / kept, tmp_path / name)
                if (record := desk / f"{name}.provenance.json").exists():
                    shutil.copy(record, tmp_path)
        (tmp_path / ".config/fish/completions").mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))

    return out


def made(line: str) -> list[str]:
    return [one.rstrip("/") for one in re.findall(r"(?:-o|--audit|--to|>>?) +([^\s|]+)", line)]


@pytest.mark.parametrize("line", ALONE)
def test_an_example_succeeds_and_makes_what_it_names(
    line: str, lay: Callable[[str], None], run: Any
) -> None:
    lay(line)
    outcome = run(*shlex.split(line)[1:])
    assert outcome.code == 0, outcome.err
    assert os.environ["DIRFRAME_API_KEY"] not in outcome.out + outcome.err
    assert [name for name in made(line) if not Path(name).exists()] == []
    assert made(line) or outcome.out or outcome.err


@pytest.mark.parametrize("line", IN_A_SHELL)
def test_an_example_for_a_shell_succeeds_there(line: str, lay: Callable[[str], None]) -> None:
    lay(line)
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Error" not in done.stderr
    assert [name for name in made(line) if not Path(name).expanduser().stat().st_size] == []


@pytest.mark.parametrize("line", SERVING)
def test_an_example_of_serving_serves_until_it_is_stopped(
    line: str, lay: Callable[[str], None]
) -> None:
    lay(line)
    # A free port, and no address that other machines reach.
    words = [*shlex.split(line)[1:], "--host", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        [str(BIN / "dirframe"), *words], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            assert any(re.search(r"http://127\.0\.0\.1:\d+", one) for one in process.stderr)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0

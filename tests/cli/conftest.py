"""A directory that the environment names, files of the sample, and pipes within this process."""

import io
import sys
from pathlib import Path

import pytest

import dirframe
from tests.rig.server import MARK, Reply, Rig, failed, page_xml, record

XML = Path(__file__).parent.parent / "xml"

#: Answers by query: what a directory can do wrong.
WRONG = {
    "quota": Reply(failed("Too many"), 429, {"Retry-After": "3600"}),
    "key": Reply(failed("A valid api_key is required"), 403),
    "broken": Reply(failed("broken"), 500),
    "html": Reply(b"<html></html>"),
    "cut": Reply(page_xml([record("1")], available=1, first=0)[:-30]),
    "lie": Reply(page_xml([record("1")], available=9, first=0)),
}

#: Documents outside the specification, of the project "example".
BEYOND = {
    "/languages.xml": "languages-page.xml",
    "/projects/example/contributors.xml": "contributors-page.xml",
    "/projects/example/analyses/latest/activity_facts.xml": "activity-facts.xml",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Go to an empty folder, with an own cache and own keys beside it."""
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def rig(folder, monkeypatch):
    """Serve a directory that the environment names; some queries and paths have own answers."""

    def answer(request):
        if request.path in BEYOND:
            return (XML / BEYOND[request.path]).read_bytes()
        return WRONG.get(request.query.get("query"))

    projects = [record("1", name="Größe"), record("2", name="two")]
    with Rig(projects, key=f"{MARK}-key-of-the-shell", answer=answer) as rig:
        rig.add("account", [record("1", "account", name="Ada", country_code="NA")])
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", rig.key)
        yield rig


@pytest.fixture(scope="session")
def files(tmp_path_factory, sample_frames):
    """Return a folder with `projects.parquet` and others of the sample; no test changes it."""
    folder = tmp_path_factory.mktemp("files")
    for name, frame in sample_frames.items():
        dirframe.export(frame, folder / f"{name}.parquet")
    return folder


@pytest.fixture
def pipe(run, monkeypatch):
    """Run commands, each with the bytes on its standard input that the one before wrote.

    The first may be such bytes. The last gives its `Outcome`.
    """

    def run_all(*commands):
        content = commands[0] if isinstance(commands[0], bytes) else b""
        lines = [line for line in commands if line is not content]
        for number, line in enumerate(lines, start=1):
            with monkeypatch.context() as patch:
                patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
                written = io.TextIOWrapper(io.BytesIO())
                if number < len(lines):
                    patch.setattr(sys, "stdout", written)
                outcome = run(*(line.split() if isinstance(line, str) else line))
                assert number == len(lines) or outcome.code == 0, outcome.err
                content = written.buffer.getvalue()
        return outcome

    return run_all

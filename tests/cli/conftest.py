"""A directory that the environment names, files of the sample, and pipes within this process."""

import gzip
import io
import re
import shutil
import sys
from pathlib import Path

import pytest

import dirframe
from tests.rig.server import MARK, Reply, Rig, failed, id_of, page_xml, record

XML = Path(__file__).parent.parent / "xml"

#: Answers by query: what a directory can do wrong.
WRONG = {
    "quota": Reply(failed("Too many"), 429, {"Retry-After": "3600"}),
    "key": Reply(failed("A valid api_key is required"), 403),
    "html": Reply(b"<html></html>"),
    "cut": Reply(page_xml([record("1")], available=1, first=0)[:-30]),
    "lie": Reply(page_xml([record("1")], available=9, first=0)),
}
#: Documents outside the specification, by the last part of their address.
BEYOND = {
    "languages.xml": "languages-page.xml",
    "contributors.xml": "contributors-page.xml",
    "activity_facts.xml": "activity-facts.xml",
}


def answer(request):
    """Answer some queries and addresses in their own way."""
    if page := BEYOND.get(request.path.rpartition("/")[2]):
        return (XML / page).read_bytes()
    return WRONG.get(request.query.get("query"))


@pytest.fixture
def folder(tmp_path, monkeypatch, own_cache):
    """Go to an empty folder, with an own cache and own keys beside it."""
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def shell_rig(folder, monkeypatch):
    """Serve a directory that the environment names."""
    projects = [record("1", name="Größe"), record("2", name="two")]
    with Rig(projects, key=f"{MARK}-key-of-the-shell", answer=answer) as rig:
        rig.add("account", [record("1", "account", name="Ada", country_code="NA")])
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", rig.key)
        yield rig


@pytest.fixture
def help_files(shell_rig, folder, files, root, monkeypatch):
    """Lay out what the examples of the help read; both directories are one of some 25 records."""
    records = {}
    for kind in ("project", "account"):
        page = gzip.decompress((root / "data" / f"{kind}s.xml.gz").read_bytes()).decode()
        some = dirframe.read_table(files / f"{kind}s.parquet").head(25)
        dirframe.export(some, f"{kind}s.parquet")
        named = {"1", "633", "714", *dirframe.read_table(f"{kind}s.parquet")["id"]}
        every = re.findall(f"<{kind}>.*?</{kind}>", page, re.DOTALL)
        records[kind] = [xml for xml in every if id_of(xml) in named]
        shell_rig.add(kind, records[kind])
    shell_rig.sorts["id"] = lambda xml: int(id_of(xml))

    def sample_directory(**_):
        return dirframe.Directory(shell_rig.url, shell_rig.key)

    monkeypatch.setattr(dirframe, "sample_directory", sample_directory)
    shutil.copy(folder / "projects.parquet", folder / "again.parquet")
    shutil.copy(folder / "projects.parquet", folder / "ours.parquet")
    (folder / "ours.csv").write_text("id\n633\n714\n")
    months = dirframe.read_table(files / "activity.parquet")
    months["project_id"] = dirframe.read_table("ours.parquet")["id"].iloc[0]
    dirframe.export(months, "months.parquet")
    accounts = dirframe.read_table("accounts.parquet")
    dirframe.export(accounts, "accounts.csv")
    dirframe.export(dirframe.country_audit(accounts), "audit.csv")
    (folder / "pages").mkdir()
    page = f"<response><result>{''.join(records['project'])}</result></response>"
    (folder / "pages" / "page.xml").write_text(page, encoding="utf-8")
    return folder


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

"""The examples in the help of the commands, a directory for them, and the files that they read."""

import gzip
import re
import shlex
import shutil
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import dirframe
from tests.rig.server import MARK, Rig, id_of

_XML = Path(__file__).parent.parent / "xml"
_BEYOND = {
    "/languages.xml": "languages-page.xml",
    "/projects/1/contributors.xml": "contributors-page.xml",
    "/projects/1/analyses/latest/activity_facts.xml": "activity-facts.xml",
    "/projects/1/analyses/latest/size_facts.xml": "size-facts.xml",
}
_RECORDS = 60

#: What stands after these is made by the example; other names of files are read.
_MAKES = {"-o", "--audit", "--to"}


def examples(run, *path):
    """Return the examples of a command and those below it, in their order: line and command."""
    shown = run(*path, "--help").out
    lines = dict.fromkeys(re.findall(r"^    (dirframe .*)", shown, re.MULTILINE), path)
    if " COMMAND " in shown.partition("\n\n")[0]:
        for name in re.findall(r"^  ([a-z_]+)  +[A-Z]", shown, re.MULTILINE):
            lines |= examples(run, *path, name)
    return lines


def made(line):
    """Return the files that an example says it makes."""
    return [one.rstrip("/") for one in re.findall(r"(?:-o|--audit|--to|>>?) +([^\s|]+)", line)]


def pipeline(line):
    """Return the words of each command of an example, without `dirframe`."""
    return [shlex.split(part)[1:] for part in line.split("|")]


def failure_of(line, desk_folder, folder, run, patch):
    """Run an example in a new folder; return what is wrong, or nothing.

    `run` takes the words of each command of a pipeline, and returns an outcome.
    """
    folder.mkdir()
    lay_out(line, desk_folder, folder)
    patch.chdir(folder)
    patch.setenv("HOME", str(folder))
    patch.setenv("DIRFRAME_DATA_DIR", str(folder / "data"))
    outcome = run(*pipeline(line))
    shown = outcome.out + outcome.err
    missing = [name for name in made(line) if not Path(name).expanduser().exists()]
    if outcome.code or missing or MARK in shown or not (made(line) or shown):
        return f"{line}: {outcome.code}, not made: {missing}\n{outcome.err}"
    return ""


def _records(kind, root):
    text = gzip.decompress((root / "data" / f"{kind}s.xml.gz").read_bytes()).decode()
    return re.findall(f"<{kind}>.*?</{kind}>", text, re.DOTALL)[:_RECORDS]


@contextmanager
def desk(folder, root):
    """Write all files that examples read, and name a small directory in the environment."""

    def answer(request):
        page = _BEYOND.get(request.path)
        return page and (_XML / page).read_bytes()

    rig = Rig(_records("project", root), key=f"{MARK}-key-of-the-examples", answer=answer)
    rig.add("account", _records("account", root))
    rig.sorts["id"] = lambda xml: int(id_of(xml))
    with rig, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIRFRAME_BASE_URL", rig.url)
        patch.setenv("DIRFRAME_API_KEY", rig.key)
        patch.setenv("DIRFRAME_DATA_DIR", str(folder / "data"))
        patch.setenv("DIRFRAME_CACHE_DIR", str(folder / "cache"))
        _write(folder, rig)
        yield rig


def _write(folder, rig):
    from dirframe.service.keys import KeyStore

    projects = dirframe.load_projects(progress=False)
    accounts = dirframe.load_accounts(progress=False)
    for name, frame in {
        **dict.fromkeys(("projects", "january", "june"), projects),
        "accounts": accounts,
        "activity": dirframe.load_activity(1),
        "contributors": dirframe.load_contributors(1, progress=False),
    }.items():
        dirframe.export(frame, folder / f"{name}.parquet")
    dirframe.export(accounts, folder / "accounts.csv")
    dirframe.export(dirframe.country_audit(accounts), folder / "audit.csv")
    dirframe.harvest("projects", folder / "kept.archive")
    with dirframe.sample_directory() as sample:
        dirframe.harvest("projects", folder / "kept.archive of --sample", directory=sample)
    (folder / "pages").mkdir()
    (folder / "my-directory").mkdir()
    page = f"<response><result>{''.join(rig.records)}</result></response>".encode()
    for name in ("pages/page.xml", "large.xml", "my-directory/projects.xml"):
        (folder / name).write_bytes(page)
    for number in (1, 2):
        (folder / f"page-{number}.xml.gz").write_bytes(gzip.compress(page))
    (folder / "people.csv").write_text("no,name\n1,Ada\n2,Grace\n", encoding="utf-8")
    (folder / "map.toml").write_text('[accounts.fields]\nid = "no"\n', encoding="utf-8")
    (folder / "states.toml").write_text('deleted_projects = ["3"]\n', encoding="utf-8")
    with KeyStore() as keys:
        for number in range(3):
            keys.add("Ada L.", f"application {number}")


def lay_out(line, desk_folder, folder):
    """Put what an example reads, and nothing else, into a folder."""
    words = re.findall(r"[^\s|>]+", line)
    read = {word.rstrip("/") for before, word in pairwise(words) if before not in _MAKES}
    for name in [*sorted(read), "data"]:
        wanted = f"{name} of --sample" if "--sample" in line else name
        kept = desk_folder / (wanted if (desk_folder / wanted).exists() else name)
        if kept.is_dir():
            shutil.copytree(kept, folder / name)
        elif kept.is_file():
            shutil.copyfile(kept, folder / name)
            if (record := desk_folder / f"{name}.provenance.json").exists():
                shutil.copy(record, folder)
    (folder / ".config/fish/completions").mkdir(parents=True)

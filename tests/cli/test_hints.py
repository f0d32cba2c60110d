"""An error in the shell names options and commands, not arguments of functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import export
from tests.cli import dirframe
from tests.client import KEY, Reply, Server, failed, page_xml, record

if TYPE_CHECKING:
    from pathlib import Path

#: A call, or an argument with its value or without; ``DIRFRAME_X=value`` and paths are none.
PYTHON_ONLY = re.compile(r"\bdirframe\.[a-z_]+|\b[a-z_]+\([^)\s]*\)|\b[a-z][a-z_]*=|\.\.\.")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("BASE_URL", "API_KEY"):
        monkeypatch.delenv(f"DIRFRAME_{name}", raising=False)
    export(pd.DataFrame({"id": ["1"], "name": ["a"]}), tmp_path / "there.csv")
    pd.DataFrame({"country_code": ["Mars"]}).to_csv(tmp_path / "mars.csv", index=False)
    pd.DataFrame({"contributor_id": [1, 1], "commits": [2, 3]}).to_csv(
        tmp_path / "twice.csv", index=False
    )
    pd.DataFrame({"id": [1, None], "name": ["a", "b"]}).to_csv(tmp_path / "no-id.csv", index=False)
    (tmp_path / "repeated.csv").write_text("id,name\n1,a\n1,b\n")
    pd.DataFrame({"id": [1.5], "a": ["a"]}).to_parquet(tmp_path / "half.parquet")
    (tmp_path / "page.xml").write_text("<response/>")
    return tmp_path


def advice_of(text: str) -> list[str]:
    """Return what only Python understands."""
    return PYTHON_ONLY.findall(text.replace("name:password@host", ""))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("export there.csv there.csv", "Choose another name or use --overwrite."),
        ("report there.csv -o there.csv", "choose one of .html, .pdf"),
        ("plot growth there.csv -o there.csv", "choose one of .png"),
        ("clean there.csv", "Use --column to name the one that holds the countries."),
        ("clean mars.csv --strict", "Answer them in a file of overrides"),
        ("clean mars.csv --overrides there.csv", "Overrides are what --audit writes."),
        ("stats language_share there.csv", "Name a file of dirframe projects."),
        ("stats accounts_by_kudo_rank there.csv", "Name a file of dirframe accounts."),
        ("stats accounts_by_country there.csv", "Use --column to name"),
        ("stats growth there.csv", "Name a file of dirframe accounts or projects."),
        ("stats monthly_activity there.csv", "Name a file of dirframe activity."),
        ("stats commits_by_contributor there.csv", "Name a file of dirframe contributors."),
        ("stats commits_by_contributor twice.csv", "Name a file of one project"),
        ("cite mars.csv", "Cite a file of dirframe accounts or projects."),
        ("report twice.csv -o r.md", "Name a file of dirframe accounts"),
        ("compare no-id.csv no-id.csv", "Leave them out."),
        ("compare repeated.csv repeated.csv", "dirframe flags FILE --rule duplicate_id"),
        ("compare half.parquet half.parquet", "Convert them first."),
        ("stats tags page.xml", "Recorded XML is read by dirframe read FILE"),
        ("stats tags .", "Recorded XML is read by dirframe read FILE"),
        ("plan projects --sample --exact --refresh", "Leave --exact or --refresh out."),
        ("load /projects.xml?query=a --query b --sample", "Leave --query out."),
        ("plan accounts --sample --details", "Leave --details out."),
        ("plan projects --sample --refresh --offline", "No such option"),
        ("projects --sample --refresh --offline", "Use --refresh, or --offline and --stale."),
        ("load /languages.xml?page=2 --sample", "use --max-items to load less."),
        ("load http://x.example/p.xml --sample", "or --base-url."),
        ("projects", "Use --base-url, set DIRFRAME_BASE_URL, or use --sample for the bundled"),
        ("projects --base-url https://x.example", "Set DIRFRAME_API_KEY, store it in your keyring"),
        ("projects --base-url https://a@x.example", "the key is taken from DIRFRAME_API_KEY"),
        ("projects --base-url http://x.example", "Use https://."),
    ],
)
def test_an_error_says_what_to_type(
    line: str, says: str, desk: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "a@x" in line or "http://x" in line:
        monkeypatch.setenv("DIRFRAME_API_KEY", "a-key-0123456789")
    outcome = run(*line.split())
    assert outcome.code != 0
    assert says in " ".join(outcome.err.split())
    assert advice_of(re.sub(r"\.xml\?[a-z]+=\w", "", outcome.err)) == []


@pytest.mark.parametrize(
    ("reply", "code", "says"),
    [
        (Reply(failed("wait"), 429, {"Retry-After": "60"}), 4, "run the same command again"),
        (Reply(failed("no"), 403), 3, "register an application"),
        (Reply(failed("gone"), 404), 6, "404"),
        (Reply(failed("broken"), 500), 5, "500"),
        (Reply(b"<html></html>"), 5, "HTML"),
        (Reply(raw=lambda stream: stream.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<")),
         5, "run the same command again"),
        (Reply(page_xml([record("1")], available=30, first=0)), 7, "--incomplete warn"),
    ],
)  # fmt: skip
def test_what_a_directory_does_wrong_is_said_for_the_shell(
    reply: Reply, code: int, says: str, desk: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(desk / "cache"))
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(desk / "data"))
    with Server(lambda _: reply) as server:
        outcome = run("projects", "--base-url", server.url)
        shown = outcome.err.replace(server.url, "")
    assert outcome.code == code
    assert says in shown
    assert advice_of(re.sub(r"\?page=\d+", "", shown)) == []


def test_a_refused_connection_is_said_for_the_shell(
    desk: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    with Server(lambda _: b"") as server:
        pass
    outcome = run("account", "1", "--base-url", server.url)
    assert outcome.code == 5
    assert "run the same command again" in outcome.err
    assert advice_of(outcome.err) == []


def test_what_is_not_in_the_cache_is_said_for_the_shell(
    desk: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(desk / "cache"))
    outcome = run("account", "1", "--offline", "--base-url", "https://x.example")
    assert outcome.code == 8
    assert "Load it once without --offline." in outcome.err
    assert advice_of(outcome.err) == []


def test_warnings_are_said_for_the_shell_too(
    desk: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
    (desk / "file").touch()
    for name in ("CACHE", "DATA"):
        monkeypatch.setenv(f"DIRFRAME_{name}_DIR", str(desk / "file" / "below"))
    whole = page_xml([record("1")], available=1, first=0)
    with Server(lambda _: whole) as server:
        outcome = run("projects", "--base-url", server.url)
    assert outcome.code == 0
    assert "dirframe cache clear" in outcome.err
    assert "Set DIRFRAME_DATA_DIR" in outcome.err
    assert advice_of(outcome.err.replace(server.url, "")) == []


def test_folders_of_generated_data_and_two_frames_of_a_kind_are_said_so_too(
    desk: Path, run: Any
) -> None:
    words = ("generate", "data", "--accounts", "1", "--projects", "1")
    assert run(*words).code == 0
    assert "Choose another folder, or use --overwrite" in run(*words).err
    assert dirframe("projects", "--sample", "--max-items", "5", "-o", "p.parquet").returncode == 0
    said = run("report", "p.parquet", "p.parquet", "-o", "r.md").err
    assert "or use dirframe compare BEFORE AFTER." in said


def test_what_only_python_understands_is_found() -> None:
    assert advice_of("pass overwrite=True, call f(), or dirframe.load_projects") != []
    assert advice_of("Set DIRFRAME_API_KEY, or use --sample (https://x.example).") == []

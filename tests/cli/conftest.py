"""The command line in this process, through its own `main`, and a directory to ask."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import cli as command_line
from tests.client import Asked, Reply, Server, failed, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Outcome:
    """What a run of the command line left."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def table(self) -> pd.DataFrame:
        return pd.read_csv(
            io.StringIO(self.out), keep_default_na=False, na_values=[""], dtype={"id": "str"}
        )


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command line in this process, through its own `main`."""

    def call(*words: object) -> Outcome:
        import warnings

        monkeypatch.setattr(sys, "argv", ["dirframe", *map(str, words)])
        with warnings.catch_warnings(record=True) as warned, monkeypatch.context() as patch:
            warnings.simplefilter("default")
            patch.setattr(warnings, "formatwarning", warnings.formatwarning)
            with pytest.raises(SystemExit) as ended:
                command_line.main()
            said = [warnings.formatwarning(w.message, w.category, "", 0) for w in warned]
        captured = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), captured.out, captured.err + "".join(said))

    return call


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    """Serve a directory, named by the environment, whose failures have names."""

    special: dict[str | None, Reply | bytes] = {
        "quota": Reply(failed("Too many"), 429, {"Retry-After": "3600"}),
        "key": Reply(failed("A valid api_key is required"), 403),
        "broken": Reply(failed("broken"), 500),
        "html": b"<html></html>",
        "lie": page_xml([record("1")], available=9, first=0),
    }
    usual: dict[str, Reply | bytes] = {
        "/projects/7.xml": page_xml([record("7", name="seven")]),
        "/projects.xml": page_xml([record("1", name="Größe"), record("2")], available=2, first=0),
    }

    def answer(asked: Asked) -> Reply | bytes:
        known = special.get(asked.query.get("query")) or usual.get(asked.path)
        return known or Reply(failed("none"), 404)

    with Server(answer) as server:
        monkeypatch.setenv("DIRFRAME_BASE_URL", server.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", "a-key-0123456789")
        monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
        yield server

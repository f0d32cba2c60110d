"""The commands of archives, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def test_a_harvest_stops_with_its_exit_code_goes_on_and_is_bundled(
    run: Any, tmp_path: Path
) -> None:
    asked = ("harvest", "projects", "--to", tmp_path / "a", "--sample")
    assert "A harvest takes 1 day" in run(*asked, "--plan").out
    stopped = run(*asked, "--daily", 5)
    assert (stopped.code, "5 of 60 pages" in stopped.err) == (4, True)
    assert "55 days" not in run("status", tmp_path / "a").out
    assert "proven complete" in run(*asked).out
    done = run("bundle", tmp_path / "a", "-o", tmp_path / "study.zip")
    assert (done.code, "SHA-256" in done.err) == (0, True)
    assert run("status", tmp_path).code == 9

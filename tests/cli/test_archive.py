"""The commands of archives."""

import pandas as pd

from dirframe import harvest, sample_directory
from tests.rig.server import KEY, Rig


def test_harvest_stops_at_the_quota_with_its_exit_code_and_goes_on(run, tmp_path, monkeypatch):
    monkeypatch.setenv("DIRFRAME_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    with Rig(55, daily_limit=3) as rig:
        monkeypatch.setenv("DIRFRAME_BASE_URL", rig.url)
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        command = ("harvest", "projects", "--to", tmp_path / "a")
        stopped = run(*command)
        assert stopped.code == 4
        assert "30 of 55" in stopped.err
        assert "1 day" in stopped.err
        status = run("status", tmp_path / "a")
        assert (status.code, "3 of 6" in status.out, "day" in status.out) == (0, True, False)
        rig.daily_limit = None
        (tmp_path / "data" / "quota.sqlite").unlink()
        done = run(*command)
        assert (done.code, "55 of 55" in done.out) == (0, True)
        assert run("export", tmp_path / "a", tmp_path / "a.csv").code == 0
        assert len(pd.read_csv(tmp_path / "a.csv")) == 55
    assert run("status", tmp_path).code == 9


def test_harvest_says_what_it_would_cost(run, tmp_path):
    done = run("harvest", "projects", "--to", tmp_path / "a", "--sample", "--plan")
    assert (done.code, "61 pages" in done.out, "It fits" in done.out) == (0, True, True)
    assert not (tmp_path / "a").exists()


def test_no_table_replaces_an_archive(run, tmp_path):
    path = tmp_path / "kept.db"
    with sample_directory() as directory:
        harvest("accounts", path, directory=directory, query="ada")
    before = path.read_bytes()
    for words in (("clean", path, "-o", path), ("export", path, path)):
        outcome = run(*words, "--overwrite")
        assert (outcome.code, path.read_bytes()) == (2, before)

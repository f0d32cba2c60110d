"""The main job from end to end: load, clean, count, chart, write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe.demo import run_demo
from dirframe.provenance import get_provenance

if TYPE_CHECKING:
    from pathlib import Path

CHARTS = ("language_share", "contributors_by_language", "accounts_by_country")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the demo once, with a cache of its own."""
    folder, said = tmp_path_factory.mktemp("demo"), list[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIRFRAME_CACHE_DIR", str(folder / "cache"))
        run_demo(folder / "out", say=said.append)
    return folder / "out", "\n".join(said)


def test_it_writes_tables_and_charts_and_names_each(ran: tuple[Path, str]) -> None:
    folder, said = ran
    expected = {
        f"{name}{suffix}" for name in ("accounts", "projects") for suffix in (".csv", ".parquet")
    }
    expected |= {f"{name}.png" for name in CHARTS}
    beside = {f"{name}.csv.provenance.json" for name in ("accounts", "projects")}
    assert {file.name for file in folder.iterdir()} == expected | beside
    for name in expected:
        assert name in said


def test_it_says_what_was_loaded_whether_it_is_complete_and_what_it_cost(
    ran: tuple[Path, str],
) -> None:
    said = ran[1]
    assert "2,000 of 2,000, complete" in said
    assert "1,500 of 1,500, complete" in said
    assert "synthetic" in said
    assert "costs 0 requests" in said
    assert "NOT complete" not in said


def test_its_tables_hold_everything_and_say_where_from(ran: tuple[Path, str]) -> None:
    folder, _ = ran
    accounts = pd.read_parquet(folder / "accounts.parquet")
    projects = pd.read_parquet(folder / "projects.parquet")
    assert (len(accounts), len(projects)) == (2000, 1500)
    assert {"country_code", "country_alpha_2", "country_name"} <= set(accounts)
    table = pd.read_csv(folder / "accounts.csv", keep_default_na=False, na_values=[""])
    # Namibia's code is NA, and it stays a country.
    namibia = (accounts["country_alpha_2"] == "NA").sum()
    assert namibia == (table["country_alpha_2"] == "NA").sum() > 0
    assert get_provenance(accounts)["synthetic"] is True
    assert get_provenance(projects)["complete"] is True


def test_its_charts_are_pictures_of_a_size_to_print(ran: tuple[Path, str]) -> None:
    from matplotlib.image import imread

    for name in CHARTS:
        picture = imread(ran[0] / f"{name}.png")
        assert picture.shape[0] > 400
        assert picture.shape[1] > 600
        assert picture[..., :3].std() > 0.05


def test_running_it_again_replaces_its_files_and_costs_nothing(
    ran: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib.pyplot as plt

    folder, _ = ran
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(folder.parent / "cache"))
    said: list[str] = []
    before = plt.get_fignums()
    run_demo(folder, say=said.append)
    assert "0 requests paid" in "\n".join(said)
    assert plt.get_fignums() == before

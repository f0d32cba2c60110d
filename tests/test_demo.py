"""The main job from end to end, by its command: load, clean, count, chart, write."""

import pandas as pd
from matplotlib.image import imread

from dirframe.provenance import get_provenance

CHARTS = ("language_share", "contributors_by_language", "accounts_by_country")


def test_demo_writes_complete_tables_and_charts(run, tmp_path, monkeypatch):
    monkeypatch.setenv("DIRFRAME_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "out"
    demo = run("demo", "-o", folder)
    assert demo.code == 0, demo.err
    expected = {f"{n}{suffix}" for n in ("accounts", "projects") for suffix in (".csv", ".parquet")}
    expected |= {f"{name}.png" for name in CHARTS}
    beside = {f"{name}.csv.provenance.json" for name in ("accounts", "projects")}
    assert {file.name for file in folder.iterdir()} == expected | beside
    for said in (*expected, "2,000 of 2,000, complete", "1,500 of 1,500, complete", "synthetic"):
        assert said in demo.out
    assert "NOT complete" not in demo.out

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

    for name in CHARTS:
        picture = imread(folder / f"{name}.png")
        assert min(picture.shape[:2]) > 400
        assert picture[..., :3].std() > 0.05

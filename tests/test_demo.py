"""The demo does the main job from end to end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from PIL import Image

from dirframe.demo import run_demo

if TYPE_CHECKING:
    from pathlib import Path


def test_the_demo_loads_all_writes_tables_and_charts_and_says_what_it_took(tmp_path: Path) -> None:
    said: list[str] = []
    run_demo(tmp_path, say=said.append)
    text = "\n".join(said)
    assert "2,000 of 2,000, complete" in text
    assert "1,500 of 1,500, complete" in text
    assert "once more costs 0 requests" in text
    accounts = pd.read_parquet(tmp_path / "accounts.parquet")
    table = pd.read_csv(tmp_path / "accounts.csv", keep_default_na=False, na_values=[""])
    assert len(accounts) == len(table) == 2_000
    # Namibia's code is NA, and it stays a country.
    assert (
        (accounts["country_alpha_2"] == "NA").sum() == (table["country_alpha_2"] == "NA").sum() > 0
    )
    assert accounts.attrs["dirframe"]["synthetic"] is True
    for name in ("language_share", "contributors_by_language", "accounts_by_country"):
        with Image.open(tmp_path / f"{name}.png") as chart:
            assert min(chart.size) > 600
            assert len(chart.convert("L").getcolors(256) or []) > 10

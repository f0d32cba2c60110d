"""The same frames give the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dirframe import export, read_export

if TYPE_CHECKING:
    from pathlib import Path


def test_the_same_frames_give_the_same_bytes_and_come_back(
    study: Path, records: dict[str, pd.DataFrame], tmp_path: Path
) -> None:
    again = export(
        records, tmp_path / "other.zip", title="A study", authors=["Hopper, Grace", "The Navy"]
    )
    assert again.read_bytes() == (study / "study.zip").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["other.zip"]
    for source in (study / "data" / "projects.csv", study / "data" / "projects.parquet"):
        pd.testing.assert_frame_equal(read_export(source), records["projects"])
    accounts = read_export(again, table="all-accounts")
    pd.testing.assert_frame_equal(accounts, records["All accounts"])
    assert accounts.attrs == records["All accounts"].attrs

"""Reports of empty frames and with records left out, the same bytes each time."""

import lxml.html
import pandas as pd
import pytest

import dirframe


@pytest.fixture(autouse=True)
def _kernel():
    for package in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(package, reason=f"{package} is an extra")


def text_of(file):
    return " ".join(lxml.html.fromstring(file.read_text(encoding="utf-8")).text_content().split())


def test_empty_frames_without_provenance_give_a_report(tmp_path):
    empty = pd.DataFrame({"id": pd.Series([], dtype="str")})
    text = text_of(dirframe.report({"projects": empty, "accounts": empty}, tmp_path / "r.html"))
    assert text.count("is not shown") > 5


def test_records_are_left_out_and_counted_in_the_same_bytes_each_time(sample_projects, tmp_path):
    frame = sample_projects.head(100).copy()
    frame.loc[frame.index[:3], "analysis_total_code_lines"] = -5
    negative = int((frame["analysis_total_code_lines"] < 0).sum())
    rules = ["negative_lines", "duplicate_id"]
    one, two = (
        dirframe.report(frame, tmp_path / f"{name}.html", exclude=rules) for name in ("one", "two")
    )
    assert one.read_bytes() == two.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.html", "two.html"]
    text = text_of(one)
    assert f"negative_lines {negative}" in text
    assert f"{negative} of 100 projects" in text
    assert "100 projects" in text  # the summary is of all records

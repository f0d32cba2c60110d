"""Reports as files: the same bytes, of empty frames, and with records left out."""

import re

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


def test_same_frames_give_the_same_bytes(sample_projects, sample_accounts, tmp_path):
    frames = [sample_projects.head(100), sample_accounts.head(100)]
    one, two = (dirframe.report(frames, tmp_path / f"{name}.html") for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one.html", "two.html"]


def test_empty_frames_without_provenance_give_a_report(tmp_path):
    empty = pd.DataFrame({"id": pd.Series([], dtype="str")})
    text = text_of(dirframe.report({"projects": empty, "accounts": empty}, tmp_path / "r.html"))
    assert text.count("is not shown") > 5


def test_records_are_left_out_of_charts_and_tables_and_counted(sample_projects, tmp_path):
    frame = sample_projects.head(100).copy()
    frame.loc[frame.index[:3], "analysis_total_code_lines"] = -5
    rules = ["negative_lines", "duplicate_id"]
    negative = int((frame["analysis_total_code_lines"] < 0).sum())
    file = dirframe.report(frame, tmp_path / "r.html", exclude=rules, by="team_size")
    text = text_of(file)
    assert f"negative_lines {negative}" in text
    assert f"{negative} of 100 projects" in text
    assert re.search(r"Figure \d+\. Projects by main language, by team size", text)
    assert "100 projects" in text  # the summary is of all records


def test_share_that_is_nearly_all_is_not_called_all(tmp_path):
    links = pd.Series(["https://directory.example", *[None] * 2999], dtype="str")
    frame = pd.DataFrame({"id": [str(n) for n in range(3000)], "homepage_url": links})
    file = dirframe.report({"projects": frame}, tmp_path / "r.html")
    tree = lxml.html.fromstring(file.read_text(encoding="utf-8"))
    rows = [[c.text_content() for c in row.xpath("./th | ./td")] for row in tree.xpath("//tr")]
    (row,) = [row for row in rows if "homepage_url" in row]
    assert ">99.9%" in row

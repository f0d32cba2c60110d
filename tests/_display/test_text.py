"""A frame as lines for a terminal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len

from dirframe._display.text import TableSize, render_record, render_table

EVERYTHING = TableSize(None, None)


def test_numbers_stand_right_and_text_left() -> None:
    frame = pd.DataFrame({"name": ["a", "bcd"], "code_lines": [1_000, 2]})
    assert render_table(frame, EVERYTHING) == (
        ["name  code lines", "a          1,000", "bcd            2"],
        "",
    )


def test_shares_are_in_percent_and_other_numbers_have_the_decimals_they_need() -> None:
    frame = pd.DataFrame({"share": [0.5, np.nan], "a": [1.0, 2.0], "b": [0.25, 1.0]})
    lines, _ = render_table(frame, EVERYTHING)
    assert [line.split() for line in lines] == [
        ["share", "a", "b"],
        ["50.0%", "1", "0.25"],
        ["2", "1.00"],
    ]


def test_a_day_has_no_time_of_day_and_a_missing_one_is_blank() -> None:
    days = pd.DataFrame({"at": pd.to_datetime(["2013-07-01T00:00:00Z", ""])})
    assert render_table(days, EVERYTHING)[0] == ["at", "2013-07-01", ""]
    moments = pd.DataFrame({"at": pd.to_datetime(["2013-07-01T10:30:00Z"])})
    assert render_table(moments, EVERYTHING)[0][1] == "2013-07-01 10:30"


def test_lists_are_shown_as_words() -> None:
    frame = pd.DataFrame({"tags": [["a", "b"], None, [{"name": "MIT", "nice": "x"}]]})
    assert render_table(frame, EVERYTHING)[0][1:] == ["a, b", "", "MIT"]


def test_wide_signs_take_two_places_and_accents_none() -> None:
    frame = pd.DataFrame({"name": ["日本", "e\u0301a", "abcd"], "n": [1, 2, 3]})
    lines, _ = render_table(frame, EVERYTHING)
    assert lines[1:] == ["日本  1", "e\u0301a    2", "abcd  3"]


def test_control_signs_cannot_reach_the_terminal() -> None:
    frame = pd.DataFrame({"name": ["a\x1b[31mred\nb", "c"]})
    assert not any("\x1b" in line or "\n" in line for line in render_table(frame, EVERYTHING)[0])


@pytest.mark.parametrize("width", [1, 5, 20, 80])
def test_no_line_is_wider_than_the_terminal_and_what_is_left_out_is_named(width: int) -> None:
    frame = pd.DataFrame({f"column_{n}": ["x" * 60] for n in range(9)})
    lines, left_out = render_table(frame, TableSize(width, 50))
    assert max(map(len, lines)) <= width
    assert "more columns" in left_out
    assert "column_8" in left_out


def test_rows_without_room_are_counted() -> None:
    _, left_out = render_table(pd.DataFrame({"n": range(53)}), TableSize(80, 50))
    assert left_out.startswith("Not shown: 3 more rows.")


def test_a_frame_without_rows_has_its_header_and_one_without_columns_says_so() -> None:
    assert render_table(pd.DataFrame({"n": []}), TableSize(80, 50)) == (["n"], "")
    assert render_table(pd.DataFrame(), TableSize(80, 50)) == (["(no columns)"], "")


def test_one_record_stands_upright_with_every_column() -> None:
    frame = pd.DataFrame({"id": ["1"], "posts_count": [1200], "name": ["x" * 99]})
    lines = render_record(frame, 40)
    assert lines[:2] == ["id           1", "posts count  1,200"]
    assert [len(line) <= 40 for line in lines] == [True] * 3


def test_signs_made_of_several_take_the_places_of_one() -> None:
    frame = pd.DataFrame({"name": ["👩\u200d👩\u200d👧", "abcd"], "n": [1, 2]})
    lines, _ = render_table(frame, EVERYTHING)
    assert lines[1:] == ["👩\u200d👩\u200d👧    1", "abcd  2"]


@pytest.mark.parametrize("sign", ["日", "👩\u200d👩\u200d👧", "e\u0301"])
def test_a_text_that_is_cut_fits_and_ends_in_an_ellipsis(sign: str) -> None:
    frame = pd.DataFrame({"name": [sign * 60]})
    lines, _ = render_table(frame, TableSize(21, 50))
    assert cell_len(lines[1]) <= 21
    assert lines[1].endswith(f"{sign}…")

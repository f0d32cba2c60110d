"""A frame as lines for a terminal."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len
from rich.console import Console

from dirframe._display.text import plain_table, render_record, render_table


def lines_of(drawn: object, width: int) -> list[str]:
    """Return what a terminal of this width shows."""
    console = Console(file=io.StringIO(), width=width)
    console.print(drawn)
    text = console.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    return [line.rstrip() for line in text.splitlines()]


def shown(frame: pd.DataFrame, width: int = 80, first: tuple[str, ...] = ()) -> list[str]:
    (table,), _ = render_table(frame, width=width, rows=50, first=first)
    return lines_of(table, width)


def test_numbers_stand_right_and_text_left() -> None:
    frame = pd.DataFrame({"name": ["a", "bcd"], "code_lines": [1_000, 2]})
    assert plain_table(frame) == ["name  code lines", "a          1,000", "bcd            2"]
    header, _rule, *rows = shown(frame)
    assert [header, *rows] == plain_table(frame)


def test_ids_that_are_numbers_stand_right_too() -> None:
    assert plain_table(pd.DataFrame({"id": ["7", "1015"]})) == ["  id", "   7", "1015"]
    assert plain_table(pd.DataFrame({"id": ["7", "ab12"]})) == ["id", "7", "ab12"]


def test_shares_are_in_percent_and_other_numbers_have_the_decimals_they_need() -> None:
    frame = pd.DataFrame({"share_at_most": [0.5, np.nan], "a": [1.0, 2.0], "b": [0.25, 1.0]})
    lines = plain_table(frame)
    assert [line.split() for line in lines] == [
        ["share", "at", "most", "a", "b"],
        ["50.0%", "1", "0.25"],
        ["2", "1.00"],
    ]


def test_years_have_no_separators_and_truth_is_a_word() -> None:
    year = pd.Series([2013, 1999], dtype="Int64")
    finished = pd.Series([True, None], dtype="boolean")
    frame = pd.DataFrame({"year": year, "from_year": year, "finished": finished})
    assert plain_table(frame.assign(share_at_most=[0.5, 1.0]))[1:] == [
        "2013       2013  True              50.0%",
        "1999       1999                   100.0%",
    ]


def test_a_day_has_no_time_of_day_and_a_missing_one_is_blank() -> None:
    days = pd.DataFrame({"at": pd.to_datetime(["2013-07-01T00:00:00Z", ""])})
    assert plain_table(days) == ["at", "2013-07-01", ""]
    moments = pd.DataFrame({"at": pd.to_datetime(["2013-07-01T10:30:00Z"])})
    assert plain_table(moments)[1] == "2013-07-01 10:30"


def test_lists_are_shown_as_words() -> None:
    frame = pd.DataFrame({"tags": [["a", "b"], None, [{"name": "MIT", "nice": "x"}]]})
    assert plain_table(frame)[1:] == ["a, b", "", "MIT"]


def test_quantiles_with_a_name_have_it() -> None:
    frame = pd.DataFrame({"quantile": [0.0, 0.25, 0.5, 1.0], "n": [1, 2, 3, 4]})
    assert [line.split()[:-1] for line in plain_table(frame)[1:]] == [
        ["minimum", "0.00"],
        ["0.25"],
        ["median", "0.50"],
        ["maximum", "1.00"],
    ]


def test_truth_values_are_words() -> None:
    frame = pd.DataFrame({"ended": [True, False], "late": pd.array([True, None], dtype="boolean")})
    assert plain_table(frame)[1:] == ["True   True", "False"]


def test_wide_signs_take_two_places_and_accents_none() -> None:
    frame = pd.DataFrame({"name": ["日本", "e\u0301a", "abcd"], "n": [1, 2, 3]})
    lines = plain_table(frame)
    assert lines[1:] == ["日本  1", "e\u0301a    2", "abcd  3"]


def test_control_signs_cannot_reach_the_terminal() -> None:
    frame = pd.DataFrame({"name": ["a\x1b[31mred\nb", "c"]})
    lines = [*plain_table(frame), *shown(frame), *lines_of(render_record(frame.head(1)), 80)]
    assert not any("\x1b" in line or "\n" in line for line in lines)


@pytest.mark.parametrize("width", [1, 5, 20, 80])
def test_no_line_is_wider_than_the_terminal_and_what_is_left_out_is_named(width: int) -> None:
    frame = pd.DataFrame({f"column_{n}": ["x" * 60] for n in range(9)})
    (table,), left_out = render_table(frame, width=width, rows=50)
    assert max(map(cell_len, lines_of(table, width))) <= width
    assert "more columns" in left_out
    assert "column_8" in left_out


def test_columns_without_room_are_drawn_below_beside_the_first_one() -> None:
    frame = pd.DataFrame({"language": ["C", "Java"], "projects": [1, 20], "maximum": [3, 4]})
    tables, left_out = render_table(frame, width=20, rows=50)
    below = [lines_of(table, 20) for table in tables]
    assert [lines[-1].split() for lines in below] == [["Java", "20"], ["Java", "4"]]
    assert not left_out


def test_what_comes_first_is_shown_and_prose_makes_room_for_it() -> None:
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "created_at": pd.to_datetime(["2013-07-01T10:30:00Z"] * 2),
            "name": ["A library of many words for a long title", "b"],
            "analysis_total_code_lines": [1_234_567, 8],
            "description": ["words " * 40] * 2,
        }
    )
    lines = shown(frame, 40, first=("id", "name", "analysis_total_code_lines"))
    assert [line.split()[0] for line in lines[-2:]] == ["1", "2"]
    assert "A library of many words…" in lines[-2]
    assert [line.split()[-1] for line in lines[-2:]] == ["1,234,567", "8"]
    assert len(lines[-2]) == len(lines[-1])
    assert "created" not in " ".join(lines)
    wide = " ".join(shown(frame, 120, first=("id", "name", "analysis_total_code_lines")))
    assert "A library of many words for a long title" in wide
    assert "2013-07-01 10:30" in wide


def test_the_words_of_a_heading_stay_whole_however_narrow_its_column() -> None:
    frame = pd.DataFrame({"analysis_twelve_month_contributor_count": [1, 2], "a": [3, 4]})
    assert shown(frame, 16) == [
        "twelve month",
        " contributor",
        "       count  a",
        "─" * 15,
        "           1  3",
        "           2  4",
    ]
    assert shown(frame)[0] == "twelve month contributor count  a"


def test_two_columns_keep_two_headings() -> None:
    frame = pd.DataFrame({"updated_at": ["x", "y"], "analysis_updated_at": ["x", "y"]})
    assert plain_table(frame)[0].split("  ") == ["updated at", "analysis updated at"]
    ids = pd.DataFrame({"analysis_id": ["x", "y"], "analysis__id": ["x", "y"]})
    assert plain_table(ids)[0].split("  ") == ["id", "analysis / id"]


def test_a_text_is_cut_after_a_word() -> None:
    frame = pd.DataFrame({"name": ["one two three four five six seven eight nine ten", "b"]})
    assert shown(frame, 20)[2] == "one two three four…"


def test_texts_are_folded_instead_where_they_are_what_is_read() -> None:
    frame = pd.DataFrame({"name": ["one_name", "b"], "meaning": ["some words that are many", "c"]})
    (table,), _ = render_table(frame, width=26, rows=50, folded=True)
    assert lines_of(table, 26)[2:] == [
        "one_name  some words that",
        "          are many",
        "b         c",
    ]


def test_rows_without_room_are_counted() -> None:
    _, left_out = render_table(pd.DataFrame({"n": range(53)}), width=80, rows=50)
    assert left_out.startswith("Not shown: 3 more rows.")


def test_a_frame_without_rows_has_its_header_and_one_without_columns_says_so() -> None:
    empty = pd.DataFrame({"n": []})
    assert plain_table(empty) == ["n"]
    assert shown(empty)[0] == "n"
    assert plain_table(pd.DataFrame()) == ["(no columns)"]


def test_one_record_stands_upright_with_every_column_and_its_whole_text() -> None:
    frame = pd.DataFrame({"id": ["1"], "posts_count": [1200], "name": ["word " * 20]})
    lines = lines_of(render_record(frame), 40)
    assert lines[:2] == ["id           1", "posts_count  1,200"]
    assert [len(line) <= 40 for line in lines] == [True] * len(lines)
    assert " ".join(lines).count("word") == 20


def test_signs_made_of_several_take_the_places_of_one() -> None:
    frame = pd.DataFrame({"name": ["👩\u200d👩\u200d👧", "abcd"], "n": [1, 2]})
    lines = plain_table(frame)
    assert lines[1:] == ["👩\u200d👩\u200d👧    1", "abcd  2"]


@pytest.mark.parametrize("sign", ["日", "👩\u200d👩\u200d👧", "e\u0301"])
def test_a_text_that_is_cut_fits_and_ends_in_an_ellipsis(sign: str) -> None:
    frame = pd.DataFrame({"name": [sign * 60]})
    lines = shown(frame, 21)
    assert cell_len(lines[2]) <= 21
    assert lines[2].endswith(f"{sign}…")

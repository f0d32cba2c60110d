"""Tables and small objects show text, whole or visibly cut, and nothing acts on it."""

import numpy as np
import pandas as pd
import pytest
from lxml import html

import dirframe
from dirframe._display import Overview, card, cut, html_table, width_of
from dirframe._printable import escaped, printable

EVIL = '<script>alert("1")</script>'
FAMILY = "👩\u200d👩\u200d👧"  # one sign that takes two places


@pytest.fixture
def terminal(run, tmp_path, monkeypatch):
    """Return the lines that a terminal shows of a table, and the notes beside it."""

    def lines(frame, width=80, *words):
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        file = tmp_path / "table.parquet"
        dirframe.export(frame.assign(country_code="DE"), file, overwrite=True)
        outcome = run("clean", file, *words)
        assert outcome.code == 0, outcome.err
        return outcome.out.splitlines(), outcome.err

    return lines


def cells_of(values, name):
    """Return a column of an HTML table, with its head."""
    table = html.fromstring(html_table(pd.DataFrame({name: values}), "T"))
    return [*table.xpath("//th/text()"), *(cell.text_content() for cell in table.xpath("//td"))]


def test_cells_are_written_for_their_dtype():
    moments = pd.to_datetime(["2013-07-01T10:30:00Z", ""])
    cells = {
        # Numbers have separators, years none.
        ("code lines", "1,000", "2"): [1_000, 2],
        ("id", "7", "1015"): ["7", "1015"],
        ("year", "2013", "1999"): pd.Series([2013, 1999], dtype="Int64"),
        ("share at most", "50.0%", ""): [0.5, np.nan],
        ("whole", "1", "2"): [1.0, 2.0],
        ("part", "0.25", "1.00"): [0.25, 1.0],
        ("ended", "True", ""): pd.array([True, None], dtype="boolean"),
        ("late", "True", "False"): [True, False],
        ("at", "2013-07-01 10:30", ""): moments,
        ("day", "2013-07-01", ""): moments.normalize(),
        ("tags", "a, b", ""): [["a", "b"], None],
        # Of an entry its name, and else all that it holds.
        ("licences", "MIT, c", ""): [[{"id": "1", "name": "m", "nice_name": "MIT"}, "c"], None],
        ("links", "Home, Web", ""): [{"title": "Home", "url": None, "category": "Web"}, None],
    }
    shown = {heads: cells_of(values, heads[0].replace(" ", "_")) for heads, values in cells.items()}
    assert shown == {heads: list(heads) for heads in cells}


def test_ends_of_an_interval_are_in_percent_beside_their_share():
    ends = pd.DataFrame({"low": [0.125], "high": [0.5]})
    assert "12.5%" in html_table(ends.assign(share=0.25), "T")
    assert "0.125" in html_table(ends.assign(estimate=0.25), "T")


def test_numbers_stand_right_and_wide_signs_take_two_places(terminal):
    names = ["日本", "e\u0301a", FAMILY, "abcd"]
    frame = pd.DataFrame({"id": ["7", "1015", "3", "4"], "name": names, "lines": [1_000, 2, 3, 4]})
    lines, _ = terminal(frame, 80, "--columns", "name,lines")
    assert lines == [
        "  id  name  lines",
        "   7  日本  1,000",
        "1015  e\u0301a        2",
        f"   3  {FAMILY}        3",
        "   4  abcd      4",
    ]


@pytest.mark.parametrize("rows", [2, 1])
def test_control_signs_do_not_reach_a_terminal(rows, terminal):
    frame = pd.DataFrame({"id": ["1", "2"], "name": ["a\x1b[31mred\nb", "c"]})
    lines, _ = terminal(frame.head(rows))
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "a [31mred b" in text


def test_control_signs_are_removed_and_joined_signs_kept():
    assert printable("a\x1b[31m\nb\u202ec 日本 é क्\u200dष") == "a [31m b c 日本 é क्\u200dष"


def test_escaped_name_stays_what_it_is_and_printable():
    assert (
        escaped("a\x1b[31m\nb\u202ec 日本 é क्\u200dष")
        == r"a\x1b[31m\nb\u202ec 日本 é क्" + "\u200dष"
    )


@pytest.mark.parametrize("width", [2, 20, 80])
def test_columns_and_rows_without_room_are_left_out_and_named(width, terminal):
    frame = pd.DataFrame({"id": [str(n) for n in range(53)]})
    frame = frame.assign(**{f"column_{n}": "x" * 60 for n in range(9)})
    lines, notes = terminal(frame, width)
    assert max(map(width_of, lines)) <= max(width, 5)
    assert "column_8" in notes
    assert "3 more rows" in notes


def test_display_of_one_record_has_every_column_and_its_whole_text(terminal):
    frame = pd.DataFrame({"id": ["1"], "posts_count": [1200], "name": ["word " * 20]})
    lines, _ = terminal(frame, 40)
    assert lines[0].split() == ["id", "1"]
    assert lines[1].split() == ["posts_count", "1,200"]
    assert "\n".join(lines).count("word") == 20


def test_texts_are_cut_after_a_word():
    assert cut("one two three four five six", 20) == "one two three four…"


@pytest.mark.parametrize("sign", ["日", "e\u0301"], ids=["wide", "combined"])
def test_text_without_a_blank_is_cut_at_its_width(sign):
    short = cut(sign * 60, 21)
    assert width_of(short) <= 21
    assert short.endswith("…")


def test_small_object_is_a_heading_facts_and_a_note():
    shown = card("Cache", {"a": "1\x1b[31m", "size": "2"}, "It fits.").splitlines()
    assert shown == ["Cache", "  a     1 [31m", "  size  2", "It fits."]
    assert card("Cache", {}) == "Cache"


def test_html_of_an_overview_holds_nothing_but_text():
    class Evil(Overview):
        def _overview(self):
            return EVIL, {EVIL: pd.DataFrame({EVIL: [EVIL], "n": [1]})}, [EVIL]

    tree = html.fromstring(Evil()._repr_html_())
    assert tree.xpath("//script") == []
    assert tree.text_content().count(EVIL) == 5
    assert repr(Evil()).count(EVIL) == 5


def test_dollar_signs_make_no_formula_in_a_notebook():
    frame = pd.DataFrame({"id": ["1"], "name": ["from $5 to $10"], "stack_count": [1]})
    dirframe.provenance.set_provenance(frame, source="A $x_1$ b")
    tree = html.fromstring(f"<body>{dirframe.summary(frame)._repr_html_()}</body>")
    assert "$x_1$" in tree.text_content()
    assert tree.xpath("//text()[not(ancestor::*[@class='tex2jax_ignore mathjax_ignore'])]") == []

"""Tables, cards and pages show text, whole or visibly cut, and nothing acts on it."""

import io

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt
from rich.cells import cell_len
from rich.console import Console

import dirframe
from dirframe._display import (
    Card,
    Column,
    entries,
    entry,
    escape_markdown,
    plain_table,
    printable,
    render_record,
    render_table,
    table_parts,
)

EVIL = '<script>alert("1")</script>'
FAMILY = "👩\u200d👩\u200d👧"  # one sign that takes two places


def lines_of(drawn, width):
    """Return what a terminal of this width shows."""
    console = Console(file=io.StringIO(), width=width)
    console.print(drawn)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def terminal(frame, width=80, **options):
    """Return the lines of a table on a terminal of this width."""
    (table,), _ = render_table(frame, width=width, rows=50, **options)
    return lines_of(table, width)


def test_cells_are_written_for_their_dtype():
    moments = pd.to_datetime(["2013-07-01T10:30:00Z", ""])
    year = pd.Series([2013, 1999], dtype="Int64")
    cells = {
        # Numbers stand right and have separators, years none; text stands left.
        ("code_lines", "1,000", "2"): [1_000, 2],
        ("id", "7", "1015"): ["7", "1015"],
        ("year", "2013", "1999"): year,
        ("from year", "2013", "1999"): year,
        ("share at most", "50.0%", ""): [0.5, np.nan],
        ("whole", "1", "2"): [1.0, 2.0],
        ("part", "0.25", "1.00"): [0.25, 1.0],
        ("ended", "True", ""): pd.array([True, None], dtype="boolean"),
        ("late", "True", "False"): [True, False],
        ("at", "2013-07-01 10:30", ""): moments,
        ("day", "2013-07-01", ""): moments.normalize(),
        ("tags", "a, b", ""): pd.Series([["a", "b"], None], dtype="object"),
        ("licences", "MIT", ""): pd.Series([[{"name": "MIT"}], None], dtype="object"),
    }
    failures = {}
    for (heading, *expected), values in cells.items():
        frame = pd.DataFrame({heading.replace(" ", "_"): values})
        lines = [line.strip() for line in plain_table(frame)]
        if lines != [heading.replace("_", " "), *expected]:
            failures[heading] = lines
    assert failures == {}
    quantiles = pd.DataFrame({"quantile": [0.0, 0.25, 0.5, 1.0], "n": [1, 2, 3, 4]})
    assert [line.split()[0] for line in plain_table(quantiles)[1:]] == [
        "minimum", "0.25", "median", "maximum",
    ]  # fmt: skip


def test_numbers_stand_right_and_text_left():
    frame = pd.DataFrame({"name": ["a", "bcd"], "code_lines": [1_000, 2]})
    assert plain_table(frame) == ["name  code lines", "a          1,000", "bcd            2"]
    header, _rule, *rows = terminal(frame)
    assert [header, *rows] == plain_table(frame)
    assert plain_table(pd.DataFrame({"id": ["7", "1015"]})) == ["  id", "   7", "1015"]
    assert plain_table(pd.DataFrame({"id": ["7", "ab12"]})) == ["id", "7", "ab12"]


def test_wide_signs_take_two_places_and_accents_none():
    frame = pd.DataFrame({"name": ["日本", "e\u0301a", FAMILY, "abcd"], "n": [1, 2, 3, 4]})
    assert plain_table(frame)[1:] == ["日本  1", "e\u0301a    2", f"{FAMILY}    3", "abcd  4"]


def test_control_signs_do_not_reach_a_terminal():
    frame = pd.DataFrame({"name": ["a\x1b[31mred\nb", "c"]})
    lines = [*plain_table(frame), *terminal(frame), *lines_of(render_record(frame.head(1)), 80)]
    assert not any("\x1b" in line or "\n" in line for line in lines)
    assert printable("a\x1b[31m\nb\u202ec") == "a [31m b c"
    joined = "日本 é क्\u200dष"
    assert printable(joined) == joined


def test_columns_without_room_are_left_out_and_named():
    frame = pd.DataFrame({f"column_{n}": ["x" * 60] for n in range(9)})
    for width in (1, 20, 80):
        (table,), left_out = render_table(frame, width=width, rows=50)
        assert max(map(cell_len, lines_of(table, width))) <= width
        assert "column_8" in left_out


def test_columns_without_room_are_drawn_below_beside_the_first_one():
    frame = pd.DataFrame({"language": ["C", "Java"], "projects": [1, 20], "maximum": [3, 4]})
    tables, left_out = render_table(frame, width=20, rows=50)
    below = [lines_of(table, 20)[-1].split() for table in tables]
    assert below == [["Java", "20"], ["Java", "4"]]
    assert not left_out


def test_columns_that_come_first_are_shown_and_prose_makes_room_for_them():
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "created_at": pd.to_datetime(["2013-07-01T10:30:00Z"] * 2),
            "name": ["A library of many words for a long title", "b"],
            "analysis_total_code_lines": [1_234_567, 8],
            "description": ["words " * 40] * 2,
        }
    )
    first = ("id", "name", "analysis_total_code_lines")
    lines = terminal(frame, 40, first=first)
    assert [line.split()[0] for line in lines[-2:]] == ["1", "2"]
    assert "A library of many words…" in lines[-2]
    assert [line.split()[-1] for line in lines[-2:]] == ["1,234,567", "8"]
    assert "created" not in " ".join(lines)
    wide = " ".join(terminal(frame, 120, first=first))
    assert "A library of many words for a long title" in wide
    assert "2013-07-01 10:30" in wide


def test_headings_are_whole_words_and_each_column_has_its_own():
    frame = pd.DataFrame({"analysis_twelve_month_contributor_count": [1, 2], "a": [3, 4]})
    heading = " ".join(terminal(frame, 16)[:3]).split()
    assert heading == ["twelve", "month", "contributor", "count", "a"]
    assert terminal(frame)[0] == "twelve month contributor count  a"
    for one, other in (("updated_at", "analysis_updated_at"), ("analysis_id", "analysis__id")):
        line = plain_table(pd.DataFrame({one: ["x", "y"], other: ["x", "y"]}))[0]
        assert len(set(line.split("  "))) == 2


def test_texts_are_cut_after_a_word_or_folded():
    frame = pd.DataFrame({"name": ["one two three four five six seven eight nine ten", "b"]})
    assert terminal(frame, 20)[2] == "one two three four…"
    for sign in ("日", FAMILY, "e\u0301"):
        line = terminal(pd.DataFrame({"name": [sign * 60]}), 21)[2]
        assert cell_len(line) <= 21
        assert line.endswith(f"{sign}…")
    frame = pd.DataFrame({"name": ["one_name", "b"], "meaning": ["some words that are many", "c"]})
    assert terminal(frame, 26, folded=True)[2:] == [
        "one_name  some words that",
        "          are many",
        "b         c",
    ]


def test_rows_without_room_are_counted():
    _, left_out = render_table(pd.DataFrame({"n": range(53)}), width=80, rows=50)
    assert "3 more" in left_out


def test_a_frame_without_rows_has_its_header():
    empty = pd.DataFrame({"n": []})
    assert plain_table(empty) == ["n"]
    assert terminal(empty)[0] == "n"
    assert len(plain_table(pd.DataFrame())) == 1


def test_one_record_stands_upright_with_every_column_and_its_whole_text():
    frame = pd.DataFrame({"id": ["1"], "posts_count": [1200], "name": ["word " * 20]})
    lines = lines_of(render_record(frame), 40)
    assert lines[:2] == ["id           1", "posts_count  1,200"]
    assert max(map(len, lines)) <= 40
    assert " ".join(lines).count("word") == 20


def test_an_entry_of_a_list_has_its_name_and_else_all_that_it_holds():
    assert entry({"id": "1", "name": "mit", "nice_name": "MIT License"}) == "MIT License"
    assert entry({"title": "Home", "url": None, "category": "Web"}) == "Home, Web"
    assert entries(["a", {"name": "b"}]) == "a, b"


def test_html_tables_hold_nothing_but_text():
    columns = [
        Column(head=EVIL, cells=[EVIL, "short"], title=EVIL),
        Column(head="n", cells=["1", "2"], number=True, sorting="ascending"),
    ]
    table = html.fromstring("".join(table_parts(columns, number='class="n"', titles_from=10)))
    assert table.xpath("//script") == []
    assert table.xpath("//td/text()") == [EVIL, "1", "short", "2"]
    assert table.xpath("//td/@title") == table.xpath("//th/@title") == [EVIL]
    assert table.xpath("//th[@scope='col']/text()") == [EVIL, "n"]
    assert table.xpath("//*[@class='n']/text()") == ["n", "1", "2"]
    assert table.xpath("//th/@aria-sort") == ["ascending"]
    empty = html.fromstring("".join(table_parts([Column(head="id", cells=[])], number="")))
    assert empty.xpath("//th/text()") == ["id"]


def test_cards_are_escaped_in_notebook_and_terminal():
    class Evil(Card):
        def _card(self):
            return "<b>", {"name": f"{EVIL}\x1b[31m"}, "<i>"

    tree = html.fromstring(Evil()._repr_html_())
    assert tree.xpath("//script | //b | //i") == []
    assert EVIL in "".join(tree.itertext())
    assert "\x1b" not in repr(Evil())
    assert len(repr(Evil()).splitlines()) == 3


def test_dollar_signs_make_no_formula_in_a_notebook():
    frame = pd.DataFrame({"id": ["1"], "name": ["from $5 to $10"], "stack_count": [1]})
    dirframe.provenance.set_provenance(frame, source="A $x_1$ b")
    for shown in (dirframe.summary(frame), dirframe.cache_info()):
        tree = html.fromstring(f"<body>{shown._repr_html_()}</body>")
        literal = "text()[not(ancestor::*[@class='tex2jax_ignore mathjax_ignore'])]"
        assert tree.xpath(f"//{literal}") == []


@given(st.text("\\`*_[]<>#|~&abc", min_size=1, max_size=20))
def test_markup_of_markdown_is_shown_literally(text):
    markdown = MarkdownIt().enable(["strikethrough", "table"])
    shown = html.fromstring(markdown.render(f"x{escape_markdown(text)}x"))
    assert "".join(shown.itertext()).strip() == f"x{text}x"

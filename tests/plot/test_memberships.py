"""The charts of licences, tags and languages of all code, checked by what is drawn."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.colors import to_hex

from dirframe import plot
from tests.plot.charts import GPL, bars, caption, names


def projects(**columns: list[Any]) -> pd.DataFrame:
    number = len(next(iter(columns.values())))
    return pd.DataFrame({"id": pd.Series(range(number), dtype="str"), **columns})


def test_a_licence_is_named_by_its_title_and_the_rest_is_hatched() -> None:
    others = [{"name": f"l{n}"} for n in range(3)]
    ax = plot.licenses(projects(licenses=[[GPL], [GPL], others, None]), top=1)
    assert names(ax) == ["GNU General Public License 3.0", "other (3 licences)"]
    assert [bar.get_width() for bar in bars(ax)] == [2, 1]
    assert [bool(bar.get_hatch()) for bar in bars(ax)] == [False, True]
    assert "Not shown: 1 project without a licence." in caption(ax)


def test_tags_that_are_not_shown_are_counted_in_the_caption() -> None:
    ax = plot.tags(projects(tags=[["xml", "web", "a"], ["xml", "b"], ["xml"]]), top=1)
    assert names(ax) == ["xml"]
    assert "2 projects with any of 3 other tags." in caption(ax)


def test_lines_are_whole_numbers_in_the_colours_of_their_languages() -> None:
    breakdown = [
        {"language": "C", "percentage": "66", "id": "1"},
        {"language": "Perl", "percentage": "<1", "id": "8"},
        {"language": "7 Other", "percentage": "33", "id": ""},
    ]
    frame = projects(
        analysis_languages=[breakdown, None], analysis_total_code_lines=[123_456_789, 5]
    )
    ax = plot.language_breakdown(frame)
    assert names(ax) == ["C", "Perl"]
    assert ax.texts[0].get_text() == "81,481,481 (99.2%)"
    expected = [plot.language_colour(name).lower() for name in ("C", "Perl")]
    assert [to_hex(bar.get_facecolor()) for bar in bars(ax)] == expected
    said = caption(ax)
    assert "40,740,740 lines in languages without a name." in said
    assert "Not shown: 1 project without a breakdown." in said

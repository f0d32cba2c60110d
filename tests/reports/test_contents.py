"""The contents are the template's own headings, and nothing that only looks like one."""

from __future__ import annotations

from dirframe.reports.contents import CONTENTS, add_contents, headings
from tests.reports.templates import notebook


def test_a_comment_in_code_is_no_heading() -> None:
    source = "# Title\n\n## *My* `method`\n\n```\n## code\n```\n\n    ## code"
    markdown, code = notebook(source, "## comment\n1").cells
    assert headings(markdown) == ["Title", "My method"]
    assert headings(markdown, 2) == ["My method"]
    assert headings(code) == []


def test_contents_stand_before_the_first_section() -> None:
    made = notebook("# Title", "1", "# Not\n\n## Languages & more", "# Not\n\n## Method")
    assert add_contents(made)
    assert made.cells[2].metadata.tags == [CONTENTS]
    links = ["- [Languages & more](#languages--more)", "- [Method](#method)"]
    assert made.cells[2].source.splitlines()[2:] == links
    assert made.cells[3].metadata.anchor == "languages--more"


def test_without_a_section_there_are_no_contents() -> None:
    made = notebook("# Title", "1")
    assert not add_contents(made)
    assert len(made.cells) == 2

"""How a frame is cited, in three styles."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import citeproc
import pandas as pd
import pytest
from bibtexparser.entrypoint import parse_string
from citeproc import (
    Citation,
    CitationItem,
    CitationStylesBibliography,
    CitationStylesStyle,
    formatter,
)
from citeproc.source.json import CiteProcJSON
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe import cite, provenance, stats
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from dirframe.citation import Style


def loaded(**facts: object) -> pd.DataFrame:
    known: dict[str, object] = {
        "source": "A directory",
        "base_url": "https://directory.example",
        "resource": "project",
        "question": {"query": "xml", "sort": "name", "max_items": 100},
        "items_available": 2500,
        "items_loaded": 100,
        "retrieved_oldest": "2026-11-19T23:59:59Z",
        "retrieved_newest": "2026-11-20T00:00:01Z",
        "dirframe": "0.1.0",
    }
    return provenance.attach(pd.DataFrame(), **{**known, **facts})


def item(frame: pd.DataFrame) -> dict[str, Any]:
    items = json.loads(cite(frame, style="csl"))
    assert len(items) == 1
    found: dict[str, Any] = items[0]
    return found


def fields(entry: str) -> dict[str, str]:
    """Read one BibTeX entry with a parser that others keep, and count braces as BibTeX does."""
    library = parse_string(entry)
    assert not library.failed_blocks
    (found,) = library.entries
    assert len(library.blocks) == 1
    assert found.entry_type == "misc"
    assert re.fullmatch(r"[a-z0-9-]+", found.key)
    read: dict[str, str] = {field.key: field.value for field in found.fields}
    for value in read.values():
        # The parser lets a backslash free a brace; BibTeX does not.
        depths = list(accumulate({"{": 1, "}": -1}.get(sign, 0) for sign in value))
        assert min(depths) >= 0 == depths[-1]
    return read


def variables(kind: str) -> set[str]:
    """Read a list of names out of the Citation Style Language's schema: RELAX NG, compact."""
    folder = Path(citeproc.SCHEMA_PATH).parent
    schema = "".join((folder / f"csl-{name}.rnc").read_text() for name in ("variables", "types"))
    schema = re.sub(r"#.*", "", schema)
    (names,) = re.findall(rf'(?:^|\s){re.escape(kind)} =\s*((?:\|?\s*"[^"]+"\s*)+)', schema)
    return set(re.findall(r'"([^"]+)"', names))


def typeset_by_citeproc(item: dict[str, Any]) -> str:
    """Give the reference as a processor of the Citation Style Language sets it."""
    style = CitationStylesStyle("harvard-cite-them-right", validate=True)
    source = CiteProcJSON([item])
    bibliography = CitationStylesBibliography(style, source, formatter.plain)
    bibliography.register(Citation([CitationItem(item["id"])]))
    (reference,) = bibliography.bibliography()
    return str(reference)


def test_a_sentence_names_service_question_size_link_days_and_version() -> None:
    assert cite(loaded()) == (
        "A directory. Projects matching “xml”, sorted by name, at most 100 (100 records). "
        "https://directory.example. Retrieved 2026-11-19 to 2026-11-20 with dirframe 0.1.0."
    )


def test_bibtex_has_the_same_facts() -> None:
    found = fields(cite(loaded(), style="bibtex"))
    assert found == {
        "author": "{A directory}",
        "title": "{A directory: Projects matching “xml”, sorted by name, at most 100}",
        "year": "2026",
        "url": "https://directory.example",
        "urldate": "2026-11-20",
        "version": "dirframe 0.1.0",
        "note": "100 records, retrieved 2026-11-19 to 2026-11-20.",
    }


def test_csl_has_the_same_facts() -> None:
    assert item(loaded()) == {
        "id": "a-directory-projects-2026",
        "type": "dataset",
        "title": "A directory: Projects matching “xml”, sorted by name, at most 100",
        "author": [{"literal": "A directory"}],
        "URL": "https://directory.example",
        "issued": {"date-parts": [[2026]]},
        "accessed": {"date-parts": [[2026, 11, 19], [2026, 11, 20]]},
        "version": "dirframe 0.1.0",
        "note": "100 records, retrieved 2026-11-19 to 2026-11-20.",
    }


def test_csl_holds_what_the_schema_of_the_citation_style_language_knows() -> None:
    found = item(loaded(synthetic=True, complete=False, why="capped"))
    assert found.pop("type") in variables("item-types")
    assert isinstance(found.pop("id"), str)
    names, dates = variables("variables.names"), variables("variables.dates")
    texts = set().union(*(variables(f"variables.{kind}") for kind in ("strings", "titles")))
    for name, value in found.items():
        if name in names:
            assert all(set(person) == {"literal"} for person in value)
        elif name in dates:
            assert set(value) == {"date-parts"}
            assert len(value["date-parts"]) in {1, 2}
            assert all(1 <= len(date) <= 3 for date in value["date-parts"])
        else:
            assert name in texts | variables("variables.numbers")
            assert isinstance(value, str)


def test_a_processor_of_the_citation_style_language_sets_the_reference() -> None:
    frame = loaded(retrieved_oldest="2026-11-20T00:00:00Z")
    assert typeset_by_citeproc(item(frame)) == (
        "A directory (2026) “A directory: Projects matching “xml”, sorted by name, at most 100”. "
        "Available at: https://directory.example (Accessed: November 20, 2026)."
    )


@pytest.mark.parametrize("style", ["text", "bibtex", "csl"])
class TestEveryStyle:
    def test_synthetic_data_is_called_so(self, style: Style) -> None:
        assert "Synthetic sample data: generated" in cite(loaded(synthetic=True), style=style)
        assert "ynthetic" not in cite(loaded(), style=style)

    def test_an_incomplete_load_says_how_much_is_there_and_why(self, style: Style) -> None:
        frame = loaded(complete=False, why="capped by max_items=100")
        text = cite(frame, style=style).replace("\\", "")
        assert "Incomplete: 100 of 2,500 (capped by max_items=100)." in text

    def test_what_was_done_to_the_records_is_named(self, style: Style) -> None:
        frame = provenance.carry(loaded(), pd.DataFrame(), "unify_countries")
        assert "Then: unify_countries." in cite(frame, style=style).replace("\\", "")

    @pytest.mark.parametrize(
        "address", ["http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"]
    )
    def test_an_address_on_one_s_own_machine_is_no_link(self, style: Style, address: str) -> None:
        assert address not in cite(loaded(base_url=address), style=style)

    def test_a_load_whose_days_are_not_known_claims_none(self, style: Style) -> None:
        frame = loaded(retrieved_oldest=None, retrieved_newest=None)
        assert "2026" not in cite(frame, style=style)

    def test_a_directory_without_a_name_goes_by_its_address(self, style: Style) -> None:
        assert "https://directory.example" in cite(loaded(source=""), style=style)

    def test_a_frame_from_nowhere_cannot_be_cited(self, style: Style) -> None:
        with pytest.raises(InvalidInputError, match="does not say where it is from"):
            cite(pd.DataFrame({"id": ["1"]}), style=style)


def test_a_statistic_is_cited_like_what_it_was_made_of() -> None:
    projects = provenance.attach(
        pd.DataFrame({"analysis_main_language_name": ["C"], "analysis_total_code_lines": [1]}),
        source="A directory",
    )
    assert "Then: language_share." in cite(stats.language_share(projects))


def test_the_sample_is_cited_as_synthetic_and_without_a_port() -> None:
    with dirframe.sample_directory(cache=False) as directory:
        accounts = dirframe.load_accounts(max_items=25, directory=directory)
    text = cite(accounts)
    assert text.startswith("dirframe sample directory. Accounts")
    assert "Synthetic" in text
    assert "127.0.0.1" not in text


def test_an_unknown_style_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidInputError, match="'apa'; it is one of text, bibtex, csl"):
        cite(loaded(), style="apa")  # type: ignore[arg-type]  # that is the point


SPECIAL = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textbraceleft{}": "{",
    r"\textbraceright{}": "}",
    **{"\\" + sign: sign for sign in "$&#%_"},
}


def typeset(text: str) -> str:
    """Read escaped text as TeX would set it; no special sign may be left bare."""
    found = "|".join(map(re.escape, SPECIAL))
    assert not set(re.sub(found, "", text)) & set("\\{}$&#%_~^")
    return re.sub(found, lambda match: SPECIAL[match[0]], text)


def test_each_special_sign_of_tex_is_shown_as_itself() -> None:
    name = r"100% C&A \ {$x$ #1 a_b ~ ^"
    entry = fields(cite(loaded(source=name), style="bibtex"))
    assert typeset(entry["author"][1:-1]) == name


words = st.text(st.sampled_from("aZ9 äж{}\\$&#%_~^\"'@,\n\t<>"), max_size=12)


@given(words, words)
def test_whatever_the_name_and_the_question_every_style_can_be_read(name: str, query: str) -> None:
    frame = loaded(source=f"x{name}", question={"query": query})
    service = " ".join(f"x{name}".split())
    assert item(frame)["author"] == [{"literal": service}]
    entry = fields(cite(frame, style="bibtex"))
    assert typeset(entry["author"][1:-1]) == service
    title = typeset(entry["title"][1:-1])
    assert title.startswith(f"{service}: Projects")
    assert " ".join(query.split()) in title

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
        "query": {"query": "xml", "sort": "name", "max_items": 100},
        "items_available": 2500,
        "items_loaded": 100,
        "retrieved_oldest": "2026-11-19T23:59:59Z",
        "retrieved_newest": "2026-11-20T00:00:01Z",
        "dirframe": "0.1.0",
    }
    ids = [str(number) for number in range(int(str({**known, **facts}["items_loaded"])))]
    return provenance.set_provenance(pd.DataFrame({"id": ids}, dtype="str"), **{**known, **facts})


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


def typeset_by_citeproc(
    item: dict[str, Any], style_file: str | Path = "harvard-cite-them-right"
) -> str:
    """Give the reference as a processor of the Citation Style Language sets it."""
    style = CitationStylesStyle(str(style_file), validate=True)
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
    found = item(loaded())
    assert re.fullmatch("a-directory-projects-2026-[0-9a-f]{8}", found.pop("id"))
    assert found == {
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
    found = item(loaded(synthetic=True, complete=False, incomplete_reason="capped"))
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
        frame = loaded(complete=False, incomplete_reason="capped by max_items=100")
        text = cite(frame, style=style).replace("\\", "")
        assert "Incomplete: 100 of 2,500 (capped by max_items=100)." in text

    def test_what_was_done_to_the_records_is_named(self, style: Style) -> None:
        frame = provenance.copy_provenance(loaded(), loaded(), "unify_countries")
        assert "Then: unify_countries." in cite(frame, style=style).replace("\\", "")

    @pytest.mark.parametrize(
        "address",
        [
            "http://127.0.0.1:8000",
            "http://localhost:8000",
            "http://[::1]:8000",
            "http://directory.localhost:8000",
        ],
    )
    def test_an_address_on_one_s_own_machine_is_no_link(self, style: Style, address: str) -> None:
        assert address not in cite(loaded(base_url=address), style=style)

    def test_a_load_whose_days_are_not_known_claims_none(self, style: Style) -> None:
        frame = loaded(retrieved_oldest=None, retrieved_newest=None)
        assert "2026" not in cite(frame, style=style)

    def test_a_directory_without_a_name_goes_by_its_address(self, style: Style) -> None:
        assert "https://directory.example" in cite(loaded(source=""), style=style)

    def test_a_frame_from_nowhere_cannot_be_cited(self, style: Style) -> None:
        with pytest.raises(InvalidInputError, match="has no provenance"):
            cite(pd.DataFrame({"id": ["1"]}), style=style)


def test_a_statistic_is_cited_like_what_it_was_made_of() -> None:
    projects = provenance.set_provenance(
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


#: Bibliographies as APA, IEEE and Vancouver lay them out: author and title, and of the rest what
#: they know; none prints the note.
LAYOUTS = {
    "author-date": """
      <names variable="author" suffix=" "/>
      <date variable="issued" prefix="(" suffix="). "><date-part name="year"/></date>
      <text variable="title" font-style="italic" suffix=". "/><text variable="URL"/>""",
    "numeric": """
      <text variable="citation-number" prefix="[" suffix="] "/>
      <names variable="author" suffix=", "/><text variable="title" quotes="true" suffix=", "/>
      <date variable="issued"><date-part name="year"/></date>""",
    "title alone": """<text variable="title" text-case="title"/>""",
}


def style_file(layout: str, folder: Path) -> Path:
    text = f"""<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">
  <info><title>A style</title><id>https://styles.example/one</id>
    <updated>2026-01-01T00:00:00+00:00</updated></info>
  <citation><layout><text variable="title"/></layout></citation>
  <bibliography><layout>{layout}</layout></bibliography>
</style>"""
    path = folder / "style.csl"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("layout", [None, *LAYOUTS])
def test_synthetic_incomplete_and_cut_stand_where_every_style_prints_them(
    layout: str | None, tmp_path: Path
) -> None:
    frame = loaded(synthetic=True, complete=False, incomplete_reason="capped").head(7)
    style = style_file(LAYOUTS[layout], tmp_path) if layout else "harvard-cite-them-right"
    reference = typeset_by_citeproc(item(frame), style).casefold()
    assert "synthetic sample data" in reference
    assert "incomplete: 100 of 2,500 records" in reference
    assert "7 of 100 records loaded" in reference


def test_the_title_of_a_bibtex_entry_says_it_too() -> None:
    frame = loaded(synthetic=True, complete=False).head(7)
    title = fields(cite(frame, style="bibtex"))["title"]
    assert title.endswith(
        "at most 100 [synthetic sample data] [incomplete: 100 of 2,500 records] "
        "[7 of 100 records loaded]}"
    )


def key(frame: pd.DataFrame) -> str:
    entry = parse_string(cite(frame, style="bibtex")).entries[0]
    assert item(frame)["id"] == entry.key
    return str(entry.key)


@pytest.mark.parametrize(
    "facts",
    [
        {"query": {"query": "html"}},
        {"resource": "account"},
        {"retrieved_oldest": "2026-11-18T00:00:00Z"},
        {"base_url": "https://other.example"},
        {"items_loaded": 99},
    ],
)
def test_two_loads_have_two_keys_and_each_keeps_its_own(facts: dict[str, object]) -> None:
    assert key(loaded()) == key(loaded()) == key(loaded().iloc[::-1])
    assert key(loaded()) != key(loaded(**facts))


def test_a_part_is_not_the_load_and_has_another_key() -> None:
    assert key(loaded()) != key(loaded().head(7))


def test_what_is_cited_is_what_the_frame_holds() -> None:
    frame = loaded()
    assert "(7 of 100 records loaded)" in cite(frame.head(7))
    assert "(200 records, 100 with a repeated id)" in cite(pd.concat([frame, frame]))
    others = pd.DataFrame({"id": [str(number) for number in range(50, 150)]})
    joined = provenance.copy_provenance(frame, pd.concat([frame, others]).drop_duplicates("id"))
    assert "(150 records, not the 100 that were loaded)" in cite(joined)
    assert "(100 records, not the 100 that were loaded)" in cite(
        provenance.copy_provenance(frame, others)
    )


def test_a_statistic_of_a_part_is_cited_as_one_of_a_part() -> None:
    with dirframe.sample_directory(cache=False) as directory:
        projects = dirframe.load_projects(max_items=25, directory=directory)
    table = stats.language_share(pd.concat([projects, projects]).head(40))
    assert "(40 records, 15 with a repeated id)" in cite(table)
    assert ", 15 with a repeated id" in provenance.caption(table)
    assert provenance.difference(stats.language_share(projects)) is None


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
    frame = loaded(source=f"x{name}", query={"query": query})
    service = " ".join(f"x{name}".split())
    assert item(frame)["author"] == [{"literal": service}]
    entry = fields(cite(frame, style="bibtex"))
    assert typeset(entry["author"][1:-1]) == service
    title = typeset(entry["title"][1:-1])
    assert title.startswith(f"{service}: Projects")
    assert " ".join(query.split()) in title

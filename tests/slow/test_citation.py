"""Citations as the parsers and processors of others read them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe

WORDS = st.text(st.sampled_from("aZ9 äж{}\\$&#%_~^\"'@,\n\t<>"), max_size=12)


@given(WORDS, WORDS)
def test_bibtexparser_reads_every_entry_with_the_fields_of_the_text(sample_projects, name, query):
    entrypoint = pytest.importorskip("bibtexparser.entrypoint", reason="a reader of BibTeX")
    frame = sample_projects.head(3)
    dirframe.provenance.set_provenance(frame, source=f"x{name}", query={"query": query})
    library = entrypoint.parse_string(dirframe.cite(frame, style="bibtex"))
    assert not library.failed_blocks
    (entry,) = library.entries
    assert entry.entry_type == "misc"
    assert {"author", "title", "year", "url", "urldate", "version", "note"} - {
        field.key for field in entry.fields
    } <= {"url"}  # the sample's address is no link


def test_citeproc_prints_synthetic_incomplete_and_cut(sample_projects):
    citeproc = pytest.importorskip("citeproc", reason="a processor of the Citation Style Language")
    source = pytest.importorskip("citeproc.source.json", reason="a part of citeproc")
    frame = sample_projects.head(7)
    dirframe.provenance.set_provenance(frame, complete=False, items_available=2_500)
    (item,) = json.loads(dirframe.cite(frame, style="csl"))
    style = citeproc.CitationStylesStyle("harvard-cite-them-right", validate=True)
    bibliography = citeproc.CitationStylesBibliography(
        style, source.CiteProcJSON([item]), citeproc.formatter.plain
    )
    bibliography.register(citeproc.Citation([citeproc.CitationItem(item["id"])]))
    reference = str(bibliography.bibliography()[0]).casefold()
    for expected in ("synthetic", "1,500 of 2,500", "7 of 1,500"):
        assert expected in reference

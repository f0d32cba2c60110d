"""Citations as the parsers and processors of others read them."""

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

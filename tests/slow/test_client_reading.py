"""What is read, with more examples than `make test` has, and what others read of it."""

import subprocess
import sys

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe.provenance import get_provenance
from tests.client.conftest import connect, read  # noqa: F401  # fixtures
from tests.client.test_by_ids import COUNTS, GAPS, check_price_by_ids
from tests.client.test_columns import (  # noqa: F401  # run here with more examples
    convert,
    test_dtypes_each_text_is_a_value_or_kept_whatever_is_beside_it,
)
from tests.client.test_parser import (  # noqa: F401  # run here with more examples
    DTD,
    LAUGHS,
    test_parser_finds_each_text_and_attribute_again,
    test_parser_of_a_damaged_page_reads_it_or_refuses_it,
    test_parser_values_do_not_depend_on_the_order_of_elements,
)
from tests.client.test_responses import FOREIGN, STATUSES, check_foreign_answer
from tests.processes import LIMIT
from tests.rig.ids import SHAPES
from tests.rig.today import Today


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("gaps", GAPS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", COUNTS)
def test_load_by_ids_price_is_that_of_the_records(count, shape, gaps):
    check_price_by_ids(count, shape, gaps)


@pytest.mark.parametrize("body", FOREIGN)
@pytest.mark.parametrize("status", STATUSES)
def test_response_that_is_not_of_the_interface_says_nothing_about_key_and_quota(
    status,
    body,
    connect,  # noqa: F811  # the fixture
):
    check_foreign_answer(status, body, connect)


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory by Linux's own counters")
def test_parser_needs_no_more_memory_for_a_bomb(tmp_path):
    """An entity in an entity, deep nesting, a huge text, and 100 MB of elements."""
    record = "<project><id>{}</id></project>".format
    page = "<response><status>success</status><result>{}</result></response>".format
    bombs = {
        "laughs": DTD(LAUGHS) + page(record("&l9;")),
        "quadratic": DTD(f'<!ENTITY a "{"a" * 50_000}">') + page(record("&a;" * 50_000)),
        "deep": page(f"<project>{'<a>' * 5000}{'</a>' * 5000}</project>"),
        "huge text": page(record("x" * 11_000_000)),  # it is below the size of a page
        "huge attribute": page(f'<project a="{"x" * 11_000_000}"><id>1</id></project>'),
        "elements": f"<response>{'<a/>' * (25 * 2**20)}</response>",
    }
    for name, content in bombs.items():
        (tmp_path / f"{name}.xml").write_text(content)
    program = """
import resource, sys
from pathlib import Path
import dirframe
from dirframe.errors import InvalidInputError

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

Path("usual.xml").write_text(sys.argv[1])
assert len(dirframe.read_pages("usual.xml")) == 1
before = peak()
for name in sys.argv[2:]:
    try:
        dirframe.read_pages(name)
    except InvalidInputError:
        pass
    else:
        if not name.startswith("huge"):
            raise SystemExit(f"{name} was read")
    limit = 120 if name in {"elements.xml", "huge text.xml"} else 60
    assert peak() - before < limit, (name, peak() - before)
"""
    command = [sys.executable, "-c", program, page(record(1)), *(f"{name}.xml" for name in bombs)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_details_of_recorded_projects_are_those_that_were_recorded(shared, tmp_path):
    """313 real projects in the dialect of today: what is loaded is what was recorded."""
    recorded = dirframe.read_pages(shared / "real" / "pages")
    files = sorted((shared / "real" / "pages").glob("*.xml"))
    pages = "".join(file.read_text() for file in files)
    records = [
        f"<project>{part.partition('</project>')[0]}</project>"
        for part in pages.split("<project>")[1:]
    ]
    with Today(records) as rig:
        directory = rig.directory(tmp_path, workers=4)
        frame = dirframe.load_projects(directory, sort="project_name", details=True, progress=False)
        assert get_provenance(frame)["complete"] is True
        one, other = (table.set_index("id").sort_index() for table in (frame, recorded))
        pd.testing.assert_frame_equal(one[list(other)], other, check_flags=False)
        asked = {request.target for request in rig.requests}
        # A redirect, the first page of ten, 13 of 25, and the own pages of those with an analysis.
        own_pages = int(frame["analysis_id"].notna().sum())
        assert len(asked) == len(rig.requests) == 1 + 1 + 13 + own_pages


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
    keys = {field.key for field in entry.fields}
    assert keys == {"author", "title", "year", "urldate", "version", "note"}

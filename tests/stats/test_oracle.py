"""Every statistic gives, cell for cell, what its docstring makes of plain records."""

from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dirframe import stats
from tests import oracle


# A seed has no simpler form, and to look for one takes a minute.
@pytest.mark.parametrize("kind", oracle.STATISTICS)
@settings(phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), size=st.integers(0, 60))
def test_every_statistic_is_what_plain_python_counts(kind, seed, size):
    assert not oracle.failures(kind, seed, size)


def plain_record(element):
    """Read a recorded project in another way than dirframe does."""

    def text(path):
        return (element.findtext(path) or "").strip()

    numbers = {
        oracle.LINES: "analysis/total_code_lines",
        oracle.PEOPLE: "analysis/twelve_month_contributor_count",
        "user_count": "user_count",
    }
    dates = {
        oracle.FIRST: "analysis/min_month",
        oracle.LAST: "analysis/max_month",
        oracle.FETCHED[0]: "analysis/logged_at",
        **{name: name for name in ("created_at", "updated_at")},
    }
    texts = {oracle.LANGUAGE: "analysis/main_language_name"}
    record = {column: text(path) for column, path in texts.items()}
    record |= {name: text(name) for name in ("id", "name", "analysis_id")}
    record |= {column: int(t.replace(",", "")) for column, p in numbers.items() if (t := text(p))}
    for column, path in dates.items():
        if day := text(path):
            record[column] = datetime.fromisoformat(day)
    record["tags"] = [one.text for one in element.iterfind("tags/tag")]
    record["licenses"] = [
        {child.tag: child.text for child in one} for one in element.iterfind("licenses/license")
    ]
    record["analysis_languages"] = [
        {"language": one.text, **one.attrib} for one in element.iterfind("analysis/languages/*")
    ]
    return {name: value for name, value in record.items() if value not in ("", [])}


def test_recorded_projects_are_counted_as_plain_python_counts_them(shared, recorded):
    pages = sorted((shared / "real" / "pages").glob("*.xml"))
    projects = [one for page in pages for one in ET.parse(page).iterfind("result/project")]
    records = [plain_record(project) for project in projects]
    assert len(records) == 313
    failures = []
    for name in oracle.STATISTICS["projects"]:
        table = getattr(stats, name)(recorded)
        rows, counted = oracle.expected("projects", name, records, datetime.now(UTC))
        failures += [f"{name}: {one}" for one in oracle.differences(table, rows, counted)]
    assert not failures
    counted = oracle.language_share(records)[1]
    assert (counted["without_language"], counted["code_lines_negative"]) == (14, 2)

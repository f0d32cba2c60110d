"""Recorded pages become the frame that a loader gives, and say what they are."""

import gzip
import json
import re
import warnings
from pathlib import Path

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    DirframeWarning,
    IncompleteWarning,
    InvalidInputError,
)
from dirframe.provenance import get_provenance
from tests.cases import raised
from tests.rig.server import page_xml, record

XML = Path(__file__).parent.parent / "xml"


def write_pages(folder, total=5, size=2, stated=None):
    folder.mkdir(exist_ok=True)
    files = []
    for first in range(0, total, size):
        inside = [record(n, name=f"n{n}") for n in range(first, min(first + size, total))]
        file = folder / f"page-{first:02}.xml"
        file.write_bytes(page_xml(inside, available=stated or total, first=first))
        files.append(file)
    return files


def test_read_pages_of_a_folder_in_the_order_of_names(tmp_path):
    write_pages(tmp_path)
    (tmp_path / "notes.txt").write_text("not read")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "page-04.xml").rename(tmp_path / "page-04.XML")
    frame = dirframe.read_pages(tmp_path)
    assert frame["id"].tolist() == ["0", "1", "2", "3", "4"]
    facts = get_provenance(frame)
    assert (facts["complete"], facts["resource"], facts["query"]) == (True, "project", {"files": 3})
    assert (facts["items_available"], facts["items_loaded"]) == (5, 5)


def test_read_pages_of_packed_files(tmp_path):
    for file in write_pages(tmp_path):
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert len(dirframe.read_pages(tmp_path)) == 5


def test_read_pages_of_a_damaged_packed_file_names_it(tmp_path):
    content = gzip.compress(page_xml([record(n) for n in range(999)], available=999))
    contents = {
        "cut short": content[: len(content) // 2],
        "overwritten": content[:20] + b"\xff" * 400,
        "too large": gzip.compress(b" " * 5_000_000),
    }
    damaged = tmp_path / "damaged.xml.gz"
    errors = {}
    for name, broken in contents.items():
        damaged.write_bytes(broken)
        errors[name] = raised(dirframe.read_pages, damaged, max_bytes=100_000)
    kinds = {name: type(error) for name, error in errors.items()}
    assert kinds == dict.fromkeys(contents, InvalidInputError)
    sources = {name: error.source for name, error in errors.items()}
    assert sources == dict.fromkeys(contents, str(damaged))
    assert "100,000" in errors["too large"].found


def test_read_pages_of_no_file_names_the_path(tmp_path):
    with pytest.raises(InvalidInputError, match="nowhere"):
        dirframe.read_pages(tmp_path / "nowhere")
    with pytest.raises(InvalidInputError, match=tmp_path.name):
        dirframe.read_pages(tmp_path)
    with pytest.raises(InvalidInputError):
        dirframe.read_pages([])


def test_read_pages_of_another_resource_than_named(tmp_path):
    file = write_pages(tmp_path)[0]
    with pytest.raises(InvalidInputError) as caught:
        dirframe.read_pages(file, resource="account")
    assert (caught.value.found, caught.value.source) == ("<project>", str(file))
    with pytest.raises(InvalidInputError, match="people"):
        dirframe.read_pages(file, resource="people")
    assert len(dirframe.read_pages(tmp_path, resource="projects")) == 5


def test_read_pages_that_are_not_all_or_of_different_states_are_warned_of(tmp_path):
    files = write_pages(tmp_path)
    assert dirframe.read_pages(reversed(files))["id"].tolist() == ["4", "2", "3", "0", "1"]
    with pytest.warns(IncompleteWarning, match="3 of 5") as caught:
        frame = dirframe.read_pages([files[0], files[2]])
    assert caught[0].filename == __file__
    assert get_provenance(frame)["complete"] is False
    files += write_pages(tmp_path / "later", stated=6)[2:]
    with pytest.warns(IncompleteWarning, match="5 of 5 or 6 records"):
        frame = dirframe.read_pages(files)
    assert get_provenance(frame)["duplicates_removed"] == 1


def test_read_pages_of_which_nothing_says_that_they_are_of_one_query_are_counted(read):
    first, other = (page_xml([record(name)], available=2, first=0) for name in "ab")
    facts = get_provenance(read(first, other))
    assert (facts["completeness"], facts["complete"]) == ("counted", None)
    whole = page_xml([record(1), record(2)], available=2, first=0)
    assert get_provenance(read(whole))["completeness"] == "proven"


def test_read_pages_of_nothing_and_of_single_records(read):
    frame = read(*(record(number) for number in range(3)))
    assert (len(frame), get_provenance(frame)["complete"]) == (3, None)
    frame = read(page_xml([], available=0, first=0), resource="project")
    assert "analysis_total_code_lines" in frame
    assert (len(frame), get_provenance(frame)["complete"]) == (0, True)
    assert read(page_xml([])).shape == (0, 0)
    # Pages without records before the first one tell nothing of what they hold.
    assert read(*[page_xml([])] * 70, record("1"))["id"].tolist() == ["1"]


STATES = [("0", "a", 2012), ("1", "old", 2012), ("1", "new", 2013), ("2", "b", 2012)]
STATES_XML = [record(key, name=name, updated_at=f"{year}-05-01") for key, name, year in STATES]


@pytest.mark.parametrize("is_reversed", [False, True])
def test_read_pages_keeps_the_newer_of_two_states(is_reversed, read):
    frame = read(*(STATES_XML[::-1] if is_reversed else STATES_XML))
    names = dict(zip(frame["id"], frame["name"], strict=True))
    assert names == {"0": "a", "1": "new", "2": "b"}
    assert frame["id"].tolist() == sorted(names, reverse=is_reversed)
    assert frame.index.tolist() == [0, 1, 2]
    assert get_provenance(frame)["duplicates_removed"] == 1


def test_read_pages_keeps_the_newer_of_two_states_beside_a_record_with_two_times(read):
    twice = "<updated_at>2014-05-01</updated_at><updated_at>2014-05-02</updated_at>"
    frame = read(*STATES_XML, record("3", inner=twice))
    assert frame["id"].tolist() == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("path", "file", "resource"),
    [
        ("/languages.xml", "languages-page.xml", "language"),
        ("/projects/example/contributors.xml", "contributors-page.xml", "contributor_fact"),
        ("/projects/example/analyses/latest/size_facts.xml", "size-facts.xml", "size_fact"),
    ],
)
def test_read_pages_gives_the_frame_of_the_loader(path, file, resource, written, connect):
    loaded = dirframe.load(path, directory=connect(written), progress=False)
    frame = dirframe.read_pages(XML / file)
    pd.testing.assert_frame_equal(frame, loaded)
    facts = get_provenance(frame)
    assert (facts["resource"], facts["complete"]) == (resource, True)
    pd.testing.assert_frame_equal(dirframe.read_pages(XML / file, resource=resource), frame)


def test_read_pages_of_the_months_of_two_projects_keeps_all():
    one = dirframe.read_pages(XML / "size-facts.xml")  # months have no ids
    facts = get_provenance(dirframe.read_pages([XML / "size-facts.xml"] * 2))
    assert (facts["complete"], facts["items_loaded"]) == (True, 2 * len(one))


def look_up(frame, path):
    """Find what a path such as result/account[2]/badges/badge[1]/@level stands for."""
    steps = [re.fullmatch(r"@?([^\[]+)(?:\[(\d+)\])?", step) for step in path.split("/")]
    steps = [(step[1], int(step[2] or 1) - 1) for step in steps if step[0] != "result"]
    (_, row), *rest = steps
    for depth in range(len(rest), 0, -1):
        names = [name for name, _ in rest[:depth]]
        column = "analysis__id" if names == ["analysis", "id"] else "_".join(names)
        value = frame[column][row] if column in frame else None
        if isinstance(value, list):
            tag, place = rest[depth]  # the list is at the path of what is around its entries
            entry, below = value[place], [name for name, _ in rest[depth + 1 :]]
            return entry.get("_".join(below) or tag) if isinstance(entry, dict) else entry
        if not pd.isna(value):
            return value
    return None


def means(value, text):
    """Return whether a value is what a text says."""
    if value is None or isinstance(value, str):
        return (value or "").strip() == (text or "").strip()
    is_moment = isinstance(value, pd.Timestamp)
    return value == (pd.Timestamp(text) if is_moment else float(text.replace(",", "")))


def test_read_pages_of_each_dialect_is_what_a_person_reads(shared):
    counts, expected_counts = {}, {}
    failures, values = [], 0
    for file in sorted((shared / "samples").glob("*.json")):
        expected = json.loads(file.read_text())
        page = file.parent / expected["file"]
        if expected["records"] is None:
            counts[file.stem] = type(raised(dirframe.read_pages, page))
            expected_counts[file.stem] = InvalidInputError
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DirframeWarning)
            frame = dirframe.read_pages(page)
        counts[file.stem] = (len(frame), get_provenance(frame)["items_available"])
        available = (expected["envelope"] or {}).get("items_available")
        expected_counts[file.stem] = (expected["records"], available)
        for value in expected["values"]:
            path, text = value["path"], None if value.get("absent") else value["text"]
            if path.startswith(("result/", "project/", "account/")):
                values += 1
                if not means(found := look_up(frame, path), text):
                    failures.append((file.stem, path, found, text))
    assert counts == expected_counts
    assert not failures
    assert values > 100

"""Documents become one frame in their order; recorded pages, that of the loaders."""

from __future__ import annotations

import bz2
import gzip
import lzma
import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.client.documents import CHUNK, parse_documents
from dirframe.errors import IncompleteWarning, InvalidInputError, UnreadableResponseError
from dirframe.provenance import get_provenance
from dirframe.schema import ACCOUNT, PROJECT
from tests.client import failed, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dirframe.client.directory import Directory


def pages(folder: Path, total: int = 5, size: int = 2, said: object = None) -> list[Path]:
    folder.mkdir(exist_ok=True)
    files = []
    for first in range(0, total, size):
        inside = [record(str(n), name=f"n{n}") for n in range(first, min(first + size, total))]
        file = folder / f"page-{first:02}.xml"
        file.write_bytes(page_xml(inside, available=said or total, first=first))
        files.append(file)
    return files


def test_a_folder_is_read_in_the_order_of_its_names_and_proven(tmp_path: Path) -> None:
    pages(tmp_path)
    (tmp_path / "notes.txt").write_text("not read")
    (tmp_path / "deeper").mkdir()
    frame = dirframe.read_pages(tmp_path)
    assert list(frame["id"]) == ["0", "1", "2", "3", "4"]
    facts = get_provenance(frame)
    assert facts["complete"] is True
    assert (facts["items_available"], facts["items_loaded"]) == (5, 5)
    assert facts["resource"] == "project"
    assert facts["retrieved_oldest"] is None


def test_files_are_read_in_the_order_given_whatever_names_them(tmp_path: Path) -> None:
    files = pages(tmp_path)
    assert list(dirframe.read_pages(reversed(files))["id"]) == ["4", "2", "3", "0", "1"]
    with pytest.warns(IncompleteWarning):
        assert list(dirframe.read_pages(str(files[1]))["id"]) == ["2", "3"]


@pytest.mark.parametrize(("suffix", "packer"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_packed_files_are_read(suffix: str, packer: Any, tmp_path: Path) -> None:
    for file in pages(tmp_path):
        file.with_name(file.name + suffix).write_bytes(packer.compress(file.read_bytes()))
        file.unlink()
    assert len(dirframe.read_pages(tmp_path)) == 5


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("damage", ["cut", "garbage"])
def test_a_damaged_packed_file_is_named(suffix: str, damage: str, tmp_path: Path) -> None:
    packer: Any = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[suffix]
    content = packer.compress(page_xml([record(str(n)) for n in range(999)], available=999))
    file = tmp_path / f"page.xml{suffix}"
    broken = content[: len(content) // 2] if damage == "cut" else content[:20] + b"\xff" * 400
    file.write_bytes(broken)
    with pytest.raises(UnreadableResponseError, match="page"):
        dirframe.read_pages(file)


def test_a_packed_bomb_is_not_unpacked_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "page.xml.gz"
    file.write_bytes(gzip.compress(b" " * 50_000_000))
    with pytest.raises(UnreadableResponseError, match="allowed"):
        dirframe.read_pages(file, max_bytes=1_000_000)


def test_a_missing_page_is_warned_of(tmp_path: Path) -> None:
    files = pages(tmp_path)
    with pytest.warns(IncompleteWarning, match="3 of 5"):
        frame = dirframe.read_pages([files[0], files[2]])
    assert get_provenance(frame)["complete"] is False


def test_pages_of_different_states_are_warned_of(tmp_path: Path) -> None:
    files = pages(tmp_path) + pages(tmp_path / "later", said=6)[2:]
    with pytest.warns(IncompleteWarning, match="different states"):
        frame = dirframe.read_pages(files)
    assert get_provenance(frame)["duplicates_removed"] == 1


def test_single_records_are_read_without_a_claim(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.xml").write_bytes(page_xml([record(str(number))]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = dirframe.read_pages(tmp_path)
    assert len(frame) == 3
    assert get_provenance(frame)["complete"] is None


def test_a_record_that_came_before_is_left_out_and_counted(tmp_path: Path) -> None:
    files = pages(tmp_path)
    frame = dirframe.read_pages([*files, *files])
    assert len(frame) == 5
    assert get_provenance(frame)["duplicates_removed"] == 5
    assert list(frame.index) == list(range(5))


@pytest.mark.parametrize("columns", [None, ["name"], ["name", "updated_at"]])
def test_of_two_states_of_a_record_the_newer_one_is_kept(
    columns: list[str] | None, tmp_path: Path
) -> None:
    states = [("0", "a", 2012), ("1", "old", 2012), ("1", "new", 2013), ("2", "b", 2012)]
    for order in (states, states[::-1]):
        for number, (key, name, year) in enumerate(order):
            inside = record(key, name=name, updated_at=f"{year}-05-01T00:00:00Z")
            (tmp_path / f"{number}.xml").write_bytes(page_xml([inside]))
        frame = dirframe.read_pages(tmp_path, resource="project", columns=columns)
        assert dict(zip(frame["id"], frame["name"], strict=True)) == {
            "0": "a",
            "1": "new",
            "2": "b",
        }
        assert list(frame["id"]) == sorted(frame["id"], reverse=order is not states)
        assert get_provenance(frame)["duplicates_removed"] == 1
        if columns:
            assert list(frame) == ["id", *columns]


def test_no_file_is_an_error_that_names_the_path(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="nowhere"):
        dirframe.read_pages(tmp_path / "nowhere")
    with pytest.raises(InvalidInputError, match="no \\.xml file"):
        dirframe.read_pages(tmp_path)
    with pytest.raises(InvalidInputError, match="no path"):
        dirframe.read_pages([])


def test_another_resource_than_named_is_refused(tmp_path: Path) -> None:
    file = pages(tmp_path)[0]
    with pytest.raises(UnreadableResponseError, match="<account>"):
        dirframe.read_pages(file, resource="account")
    wrong: Any = "people"
    with pytest.raises(InvalidInputError, match="people"):
        dirframe.read_pages(file, resource=wrong)


def test_an_empty_collection_has_every_column(tmp_path: Path) -> None:
    file = tmp_path / "empty.xml"
    file.write_bytes(page_xml([], available=0, first=0))
    frame = dirframe.read_pages(file, resource="project")
    assert len(frame) == 0
    assert "analysis_total_code_lines" in frame
    assert get_provenance(frame)["complete"] is True


def test_the_real_pages_are_313_typed_records(shared: Path) -> None:
    frame = dirframe.read_pages(shared / "real" / "pages")
    assert len(frame) == 313
    assert get_provenance(frame)["complete"] is True
    assert frame["created_at"].dtype == "datetime64[us, UTC]"
    lines = frame["analysis_total_code_lines"]
    assert lines.dtype == "Int64"
    assert int((lines < 0).sum()) == 2
    assert int(lines.isna().sum()) >= 10
    assert not [name for name in map(str, frame) if name.endswith("_unreadable")]
    assert len(dirframe.read_pages(shared / "real" / "projects")) == 49


def test_the_service_gives_the_same_records_after_importing_them(
    shared: Path, at: Callable[..., Directory]
) -> None:
    recorded = dirframe.read_pages(shared / "real" / "pages")
    service = dirframe.serve(shared / "real" / "pages")
    try:
        assert service.api_key is not None
        directory = at(service.url, key=service.api_key.reveal())
        served = dirframe.load_projects(sort="id", directory=directory, progress=False)
    finally:
        service.stop()
    assert len(served) == 313
    assert set(served["id"]) == set(recorded["id"])
    one = recorded.set_index("id").sort_index()
    other = served.set_index("id").sort_index()
    # The service also gives, under the specification's names, what older dialects call otherwise.
    told_otherwise = {"stack_count", "analysis_logged_at"}
    for name in map(str, one):
        if name in told_otherwise and one[name].isna().all():
            continue
        pd.testing.assert_series_equal(one[name], other[name], obj=name)


def linked(folder: Path, *links: str) -> pd.DataFrame:
    inside = [
        record(str(number), name="n", html_url=link, updated_at=f"{2009 + number}-05-06T00:00:00Z")
        for number, link in enumerate(links)
    ]
    (folder / "page.xml").write_bytes(page_xml(inside, available=len(inside)))
    return dirframe.read_pages(folder)


def test_the_directory_that_the_records_name_is_cited_with_years_and_address(
    tmp_path: Path,
) -> None:
    frame = linked(
        tmp_path, *[f"https://me:pw@www.directory.example/p/{n}?api_key=x" for n in "ab"]
    )
    facts = get_provenance(frame)
    assert facts["source"] == "recorded pages of www.directory.example"
    assert facts["base_url"] == "https://www.directory.example"
    assert dirframe.cite(frame).startswith(
        "recorded pages of www.directory.example. Projects, files 1 (2 records). "
        "https://www.directory.example. Read with dirframe "
    )
    assert "the records were last changed in 2009 to 2010" in dirframe.cite(frame)
    entry = dirframe.cite(frame, style="bibtex")
    assert "year = {2010}" in entry
    assert "urldate" not in entry
    assert "api_key" not in entry


def test_pages_of_two_directories_name_both_and_have_no_address(tmp_path: Path) -> None:
    facts = get_provenance(
        linked(tmp_path, "https://b.example/1", "http://a.example:81/2", "no link")
    )
    assert facts["source"] == "recorded pages of a.example:81, b.example"
    assert facts["base_url"] == ""


@pytest.mark.parametrize("link", ["javascript:alert(1)", "https://[", "https://a b/", "/p/1"])
def test_what_is_no_address_names_no_directory(link: str, tmp_path: Path) -> None:
    assert get_provenance(linked(tmp_path, link))["source"] == "recorded pages"


def test_the_real_pages_name_their_directory(shared: Path) -> None:
    facts = get_provenance(dirframe.read_pages(shared / "real" / "pages"))
    assert facts["source"].startswith("recorded pages of ")
    assert facts["base_url"].startswith("http")
    assert facts["records_newest"][:4] >= facts["records_oldest"][:4]


# -- documents in memory -----------------------------------------------------------------------


def test_documents_are_read_in_their_order_and_the_first_record_says_of_what() -> None:
    pages = [("a", page_xml([record("2"), record("1")])), ("b", page_xml([record("3")]))]
    read = parse_documents(pages)
    assert list(read.frame["id"]) == ["2", "1", "3"]
    assert read.resource is PROJECT
    assert [envelope.records for envelope in read.envelopes] == [2, 1]


def test_more_documents_than_a_chunk_lose_none() -> None:
    count = 2 * CHUNK + 3
    documents = ((str(n), page_xml([record(str(n))])) for n in range(count))
    frame = parse_documents(documents).frame
    assert list(frame["id"]) == [str(n) for n in range(count)]


def test_no_record_at_all_gives_the_columns_of_what_was_asked() -> None:
    assert "email_sha1" in parse_documents([("a", page_xml([]))], ACCOUNT).frame
    nothing = parse_documents([("a", page_xml([]))])
    assert nothing.resource is None
    assert len(nothing.frame) == 0


def test_columns_that_no_schema_knows_get_types_in_resources_outside_the_specification_only() -> (
    None
):
    tool, of_project = (page_xml([record("1", kind, lines="7")]) for kind in ("tool", "project"))
    assert parse_documents([("a", tool)]).frame["lines"].dtype == "Int64"
    assert parse_documents([("a", of_project)]).frame["lines"].dtype == "str"


def test_pages_without_records_before_the_first_record_do_no_harm() -> None:
    documents = [(str(n), page_xml([])) for n in range(CHUNK)] + [("z", page_xml([record("1")]))]
    assert list(parse_documents(documents).frame["id"]) == ["1"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (failed("No such project"), 'failure: "No such project"'),
        (b"<error><message>gone</message></error>", "gone"),
        (page_xml([record("1", "account")]), "<account>"),
        (b"<html>", "HTML"),
    ],
)
def test_a_document_that_is_no_page_is_refused_by_its_name(content: bytes, words: str) -> None:
    pages = [("one.xml", page_xml([record("1")])), ("two.xml", content)]
    with pytest.raises(UnreadableResponseError, match="two\\.xml") as caught:
        parse_documents(pages, PROJECT)
    assert words in str(caught.value)
    assert caught.value.source == "two.xml"


def test_a_document_may_not_be_longer_than_allowed() -> None:
    with pytest.raises(UnreadableResponseError, match="allowed"):
        parse_documents([("a", page_xml([record("1")]))], max_bytes=20)

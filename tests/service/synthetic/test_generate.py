from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT, SYNTHETIC_MARK, Resource
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.records import record_from_element
from dirframe.service.synthetic.generate import (
    generate,
    generate_accounts,
    generate_projects,
    write_collection,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dirframe.service.records import Value

BOTH = pytest.mark.parametrize(
    ("resource", "make"), [(ACCOUNT, generate_accounts), (PROJECT, generate_projects)]
)


@BOTH
@given(seed=st.integers(0, 2**63), small=st.integers(0, 60), more=st.integers(0, 60))
def test_a_smaller_collection_is_the_beginning_of_a_larger_one(
    resource: Resource,
    make: Callable[..., Iterator[dict[str, Value]]],
    seed: int,
    small: int,
    more: int,
) -> None:
    large = list(make(small + more, seed=seed))
    assert list(make(small, seed=seed)) == large[:small]


@BOTH
def test_another_seed_gives_other_records(
    resource: Resource, make: Callable[..., Iterator[dict[str, Value]]]
) -> None:
    assert list(make(20, seed=1)) != list(make(20, seed=2))


@BOTH
def test_every_record_is_xml_and_comes_back_as_it_was(
    resource: Resource, make: Callable[..., Iterator[dict[str, Value]]]
) -> None:
    for record in make(3_000, seed=4):
        element = etree.fromstring(record_xml(resource, record))
        back = record_from_element(element)
        for name, value in record.items():
            if isinstance(value, str):
                assert back[name] == value.strip()
        if resource is PROJECT:
            assert back.get("tags") == record.get("tags")
            assert back.get("licenses") or record["licenses"] == []


@BOTH
@pytest.mark.parametrize("name", ["some.xml", "some.xml.gz"])
def test_a_document_is_marked_counted_and_valid(
    resource: Resource,
    make: Callable[..., Iterator[dict[str, Value]]],
    name: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / name
    write_collection(resource, make(60), path, count=60)
    content = path.read_bytes()
    if name.endswith(".gz"):
        content = gzip.decompress(content)
    root = etree.fromstring(content)
    mark = root.getprevious()
    assert isinstance(mark, etree._ProcessingInstruction)
    assert mark.target == SYNTHETIC_MARK
    assert root.findtext("status") == "success"
    assert root.findtext("items_returned") == root.findtext("items_available") == "60"
    assert root.findtext("first_item_position") == "0"
    assert len(root.findall(f"result/{resource.name}")) == 60
    assert b"@" not in content


def test_a_compressed_file_holds_neither_its_name_nor_a_time(tmp_path: Path) -> None:
    for name in ("a.xml.gz", "b.xml.gz"):
        write_collection(ACCOUNT, generate_accounts(9), tmp_path / name, count=9)
    first = (tmp_path / "a.xml.gz").read_bytes()
    assert first == (tmp_path / "b.xml.gz").read_bytes()
    assert first[3:8] == bytes(5)  # no flags, so no name; time zero (RFC 1952)


@pytest.mark.parametrize("count", [2, 4])
def test_a_wrong_count_is_refused_and_what_stood_there_stays(count: int, tmp_path: Path) -> None:
    path = tmp_path / "accounts.xml"
    path.write_text("as it was", encoding="utf-8")
    with pytest.raises(
        InvalidInputError, match=f"3 accounts were generated, but {count} were announced"
    ):
        write_collection(ACCOUNT, generate_accounts(3), path, count=count)
    assert path.read_text(encoding="utf-8") == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_a_directory_of_any_size_is_written_with_its_progress(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    paths = generate(
        tmp_path / "new" / "folder",
        accounts=1_200,
        projects=0,
        progress=lambda *facts: told.append(facts),
    )
    assert [path.name for path in paths] == ["accounts.xml.gz", "projects.xml.gz"]
    assert told == [("accounts", done, 1_200) for done in (500, 1_000, 1_200)]
    empty = etree.fromstring(gzip.decompress(paths[1].read_bytes()))
    assert empty.findtext("items_available") == "0"


def test_existing_files_are_replaced_only_when_that_is_allowed(tmp_path: Path) -> None:
    generate(tmp_path, accounts=1, projects=1)
    before = (tmp_path / "projects.xml.gz").read_bytes()
    with pytest.raises(InvalidInputError, match=r"accounts\.xml\.gz and projects\.xml\.gz already"):
        generate(tmp_path, accounts=2, projects=2)
    assert (tmp_path / "projects.xml.gz").read_bytes() == before
    generate(tmp_path, accounts=2, projects=2, overwrite=True)
    assert (tmp_path / "projects.xml.gz").read_bytes() != before


def test_a_generation_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    def stop(collection: str, done: int, total: int) -> None:
        if collection == "projects":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path, accounts=2, projects=2, progress=stop)
    assert list(tmp_path.iterdir()) == []


@BOTH
@pytest.mark.parametrize("wrong", [{"count": -1}, {"count": 1, "seed": -1}])
def test_a_negative_number_is_refused_at_once(
    resource: Resource,
    make: Callable[..., Iterator[dict[str, Value]]],
    wrong: dict[str, int],
) -> None:
    with pytest.raises(InvalidInputError, match="must be a whole number from 0"):
        make(**wrong)

"""Typed records come page by page, and are those of the loaders."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pandas as pd
import pytest

import dirframe
from dirframe import AccountRecord, iter_accounts, iter_projects
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
)
from tests.client import Asked, Reply, Server, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dirframe.client.directory import Directory


@pytest.fixture(scope="module")
def directory() -> Iterator[Directory]:
    with dirframe.sample_directory() as opened:
        yield opened


@pytest.mark.parametrize("options", [{}, {"max_items": 60, "sort": "name"}, {"query": "a"}])
def test_the_records_are_those_of_the_loader(options: Any, directory: Directory) -> None:
    frame = directory.accounts(progress=False, **options)
    records = list(iter_accounts(directory, progress=False, **options))
    hints = get_type_hints(AccountRecord)
    for found, (_, row) in zip(records, frame.iterrows(), strict=True):
        for name, value in found.items():
            if value is None:
                assert pd.isna(row[name])
            else:
                assert value == row[name]
                assert type(value) in (get_args(hints[name]) or (hints[name],))
    created = records[0]["created_at"]
    assert created is not None
    assert created.utcoffset() == datetime.now(UTC).utcoffset()


def test_chosen_columns_and_lists_come_as_in_the_frame(directory: Directory) -> None:
    frame = directory.projects(max_items=30, columns=["name", "tags"], progress=False)
    records = list(iter_projects(directory, max_items=30, columns=["name", "tags"], progress=False))
    assert [list(one) for one in records] == [["id", "name", "tags"]] * 30
    assert [one["tags"] for one in records] == frame["tags"].tolist()  # type: ignore[typeddict-item]  # not of the specification


def test_own_pages_replace_records_without_their_analysis() -> None:
    with dirframe.sample_directory(dialect="today") as directory:
        frame = directory.projects(max_items=30, details=True, progress=False)
        records = list(iter_projects(directory, max_items=30, details=True, progress=False))
        assert [one["id"] for one in records] == frame["id"].tolist()
        lines = [one["analysis_total_code_lines"] for one in records]
        assert (
            lines
            == frame["analysis_total_code_lines"].astype("object").replace({pd.NA: None}).tolist()
        )
        assert any(lines)
        with pytest.warns(AnalysesNotSentWarning) as caught:
            bare = list(iter_projects(directory, max_items=30, progress=False))
        assert not any(one["analysis_total_code_lines"] for one in bare)
        with pytest.warns(AnalysesNotSentWarning) as expected:
            directory.projects(max_items=30, progress=False)
        assert str(caught[0].message) == str(expected[0].message)


def test_own_pages_are_those_of_the_records_that_lack_their_analysis() -> None:
    lines = "<total_code_lines>7</total_code_lines>"
    whole = f"<project><id>1</id><analysis_id>4</analysis_id><analysis><id>4</id>{lines}</analysis></project>"
    bare = "<project><id>2</id><analysis_id>5</analysis_id></project>"
    own = bare.replace("</project>", f"<analysis><id>5</id>{lines}</analysis></project>")

    def answer(asked: Asked) -> bytes:
        if asked.path == "/projects.xml":
            return page_xml([whole, bare], available=2, first=0)
        return page_xml([own])

    with Server(answer) as served, dirframe.Directory(served.url, "k") as opened:
        records = list(iter_projects(opened, details=True, progress=False))
        assert [one["analysis_total_code_lines"] for one in records] == [7, 7]
        assert [asked.path for asked in served.asked] == ["/projects.xml", "/projects/2.xml"]


def test_invalid_options_are_refused_at_once(directory: Directory) -> None:
    with pytest.raises(InvalidInputError, match="sorted by"):
        iter_projects(directory, sort="nothing")
    with pytest.raises(InvalidInputError, match="max_items"):
        iter_accounts(directory, max_items=0)
    with pytest.raises(TypeError, match="pages"):
        iter_accounts(directory, pages=1)  # type: ignore[call-arg]  # as a person may write


def test_an_incomplete_collection_raises_after_its_last_record_or_warns(
    at: Callable[..., Directory],
) -> None:
    def answer(asked: Asked) -> Reply:
        del asked
        return Reply(page_xml([record("1"), record("2")], available=3))

    with Server(answer) as served:
        found: list[Any] = []
        records = iter_projects(at(served), progress=False)
        with pytest.raises(IncompleteCollectionError, match="2 different records") as caught:
            found.extend(records)
        assert [one["id"] for one in found] == ["1", "2"]
        assert caught.value.frame.empty
        with pytest.warns(IncompleteWarning, match="2 different records were received of 3"):
            warned = list(iter_projects(at(served), progress=False, incomplete="warn"))
        assert len(warned) == 2


def test_a_callback_can_stop_it_and_whoever_stops_reading_ends_it(directory: Directory) -> None:
    def stop(count: int, total: int) -> None:
        assert total == 2000
        if count >= 50:
            raise StopIteration

    found: list[Any] = []
    with pytest.raises(IncompleteCollectionError, match="stopped after 50 of 2,000"):
        found.extend(iter_accounts(directory, progress=stop))
    assert len(found) == 50
    records = iter_accounts(directory, progress=False)
    next(records)
    records.close()  # type: ignore[attr-defined]  # a generator

"""A page is parsed once on its way from the wire, the cache or a file to the frame."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

import dirframe
from dirframe.errors import UnreadableResponseError
from tests.client import Asked, Server, page_xml

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dirframe.client.directory import Directory

RECORDS = 11
SIZE = 3


def project(number: int) -> str:
    return (
        f"<project><id>{number}</id><name>n{number} &amp; co</name><description/>"
        f"<analysis><id>7{number}</id><languages graph_url='u'><language color='0'>C</language>"
        f"</languages></analysis><tags><tag>a</tag><tag>b</tag></tags></project>"
    )


def page_of(number: int) -> bytes:
    first = SIZE * (number - 1)
    ids = range(first, min(first + SIZE, RECORDS))
    return page_xml([project(one) for one in ids], available=RECORDS, first=first)


def answer(asked: Asked) -> bytes:
    if asked.path == "/projects.xml":
        return page_of(asked.page)
    if asked.path == "/accounts/1/kudos.xml":
        first = SIZE * (asked.page - 1)
        kudos = [f"<kudo><to>{one}</to></kudo>" for one in range(first, first + SIZE)]
        return page_xml(kudos, available=2 * SIZE, first=first)
    return page_xml([project(int(asked.path.split("/")[2].removesuffix(".xml")))])


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[bytes]:
    """Count the documents that are given to a parser."""
    count: Counter[bytes] = Counter()
    parse = etree.fromstring

    def counting(text: Any, *args: Any, **options: Any) -> Any:
        count[text if isinstance(text, bytes) else text.encode()] += 1
        return parse(text, *args, **options)

    monkeypatch.setattr(etree, "fromstring", counting)
    return count


def of_pages(parsed: Counter[bytes], pages: list[bytes]) -> list[int]:
    """Say how often each page was parsed, and begin anew."""
    times = [parsed[page] for page in pages]
    assert not [one for one in parsed if b"<project><id>" in one and one not in pages]
    parsed.clear()
    return times


PAGES = [page_of(number) for number in range(1, 5)]


@pytest.mark.parametrize("columns", [None, ["id", "name"]])
@pytest.mark.parametrize("workers", [1, 3])
def test_a_page_from_the_wire_or_the_cache_is_parsed_once(
    at: Callable[..., Directory],
    parsed: Counter[bytes],
    columns: list[str] | None,
    workers: int,
) -> None:
    with Server(answer) as server:
        directory = at(server, max_workers=workers)
        fresh = dirframe.load_projects(directory=directory, columns=columns, progress=False)
        assert of_pages(parsed, PAGES) == [1, 1, 1, 1]
        cached = dirframe.load_projects(directory=directory, columns=columns, progress=False)
        assert len(server.asked) == 4
        assert of_pages(parsed, PAGES) == [1, 1, 1, 1]
    assert len(fresh) == len(cached) == RECORDS


def test_a_single_record_is_parsed_once(
    at: Callable[..., Directory], parsed: Counter[bytes]
) -> None:
    with Server(answer) as server:
        frame = dirframe.load_project(7, directory=at(server))
        assert frame["name"].item() == "n7 & co"
        assert of_pages(parsed, [page_xml([project(7)])]) == [1]
        dirframe.load("/projects/7.xml", directory=at(server), progress=False)
        assert of_pages(parsed, [page_xml([project(7)])]) == [1]


def test_a_recorded_page_is_parsed_once(tmp_path: Path, parsed: Counter[bytes]) -> None:
    for number, page in enumerate(PAGES):
        (tmp_path / f"{number}.xml").write_bytes(page)
    assert len(dirframe.read_pages(tmp_path)) == RECORDS
    assert of_pages(parsed, PAGES) == [1, 1, 1, 1]


def test_the_pages_of_records_without_a_key_are_parsed_once_behind_the_first(
    at: Callable[..., Directory], parsed: Counter[bytes]
) -> None:
    with Server(answer) as server:
        frame = dirframe.load("/accounts/1/kudos.xml", directory=at(server), progress=False)
    assert len(frame) == 2 * SIZE
    pages = [answer(Asked("/accounts/1/kudos.xml", {"page": n}, "")) for n in ("1", "2")]
    # Nobody described these records: the tree of the first page shows what there is.
    assert of_pages(parsed, pages) == [2, 1]


def test_a_cached_page_that_was_damaged_is_noticed(at: Callable[..., Directory]) -> None:
    with Server(answer) as server:
        directory = at(server)
        dirframe.load_projects(directory=directory, progress=False)
        session = directory.session
        url = session.address("/projects.xml", {"page": "2"})
        session.cache.put(session._key(url), url, PAGES[1][:-9], "application/xml")
        with pytest.raises(UnreadableResponseError, match="cut off"):
            dirframe.load_projects(directory=directory, offline=True, progress=False)

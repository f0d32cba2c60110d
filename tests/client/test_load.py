"""Any address below the base URL becomes a typed frame, whole or not at all."""

from __future__ import annotations

import warnings
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    NotFoundError,
    ServiceError,
    StaleWarning,
    UnreadableResponseError,
    UnreadableValueWarning,
)
from dirframe.provenance import get_provenance
from tests.client import Asked, Reply, Server, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.client.directory import Directory

XML = Path(__file__).parent.parent / "xml"


def load(path: str, directory: Directory, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = dirframe.load(path, directory=directory, progress=False, **options)
    return frame


def paged(records: Sequence[str], *, size: int = 10) -> Callable[[Asked], bytes]:
    """Serve records in pages; behind the last page nothing stands."""

    def answer(asked: Asked) -> bytes:
        begin = (asked.page - 1) * size
        return page_xml(records[begin : begin + size], available=len(records), first=begin)

    return answer


def document(name: str) -> Callable[[Asked], bytes]:
    return lambda _: (XML / name).read_bytes()


def test_all_pages_come_together_and_a_later_page_decides_about_the_type(
    at: Callable[..., Directory],
) -> None:
    things = [record(str(n), "thing", size=f"{n}", code=f"{n:02}") for n in range(1, 24)]
    with Server(paged(things)) as server:
        frame = load("/things.xml", at(server))
    assert frame["id"].tolist() == [str(n) for n in range(1, 24)]
    assert frame.dtypes.astype(str).to_dict() == {"id": "str", "size": "Int64", "code": "str"}
    assert frame["code"].iloc[0] == "01"
    facts = get_provenance(frame)
    assert facts["complete"] is True
    assert (facts["resource"], facts["items_available"]) == ("thing", 23)
    assert facts["query"] == {"path": "/things.xml"}
    first, *others = (asked.query.get("page", "") for asked in server.asked)
    assert (first, sorted(others)) == ("", ["2", "3"])  # the others were asked for together


def test_records_without_an_id_are_told_apart_by_what_they_hold(
    at: Callable[..., Directory],
) -> None:
    same = "<thing><size>1</size></thing>"

    def answer(asked: Asked) -> bytes:  # a page behind the last one says the last one again
        page = min(asked.page, 2)
        things = [same] * 10 if page == 1 else ["<thing><size>2</size></thing>"] * 10
        return page_xml(things, available=20, first=page * 10 - 10)

    with Server(answer) as server:
        frame = load("/things.xml", at(server))
    assert frame["size"].tolist() == [1] * 10 + [2] * 10
    assert get_provenance(frame)["complete"] is True
    assert get_provenance(frame)["duplicates_removed"] == 0


def test_a_page_that_repeats_another_is_no_proof(at: Callable[..., Directory]) -> None:
    def answer(asked: Asked) -> bytes:
        things = [f"<thing><size>{n}</size></thing>" for n in range(10)]
        return page_xml(things, available=20, first=(asked.page - 1) * 10)

    with Server(answer) as server:
        with pytest.raises(IncompleteCollectionError):
            load("/things.xml", at(server))
        with pytest.warns(IncompleteWarning, match="things of") as warned:
            load("/things.xml", at(server), incomplete="warn")
    assert warned[0].filename == __file__


def test_one_record_is_one_row(at: Callable[..., Directory]) -> None:
    with Server(document("contributor.xml")) as server:
        frame = load("/projects/1/contributors/5.xml", at(server))
    assert len(frame) == 1
    assert frame["man_months"].item() == 14
    facts = get_provenance(frame)
    assert (facts["complete"], facts["items_available"]) == (True, 1)
    spoken = dirframe.child_table(frame, "contributor_language_facts")
    assert spoken["language_nice_name"].tolist() == ["C++", "Python"]
    assert spoken["commits"].tolist() == [310, 12]
    assert spoken["contributor_id"].tolist() == ["5", "5"]
    assert list(spoken).count("contributor_id") == 1


def test_accounts_and_projects_are_those_of_their_loaders(at: Callable[..., Directory]) -> None:
    with Server(document("projects-page.xml")) as server:
        directory = at(server)
        frame = load("/projects.xml", directory)
        expected = dirframe.load_projects(directory=directory, progress=False)
    pd.testing.assert_frame_equal(frame, expected, check_flags=False)
    assert len({asked.line for asked in server.asked}) == len(server.asked)  # one cache


def test_an_empty_collection_that_is_known_has_every_column(at: Callable[..., Directory]) -> None:
    with Server(lambda _: page_xml([], available=0, first=0, result=False)) as server:
        known = load("/projects/1/contributors.xml", at(server))
        unknown = load("/things.xml", at(server))
    assert list(known) == dirframe.fields("contributor_fact")["name"].tolist()[:-1]
    assert known["first_commit_time"].dtype == "datetime64[us, UTC]"
    assert get_provenance(known)["complete"] is True
    assert unknown.shape == (0, 0)
    assert get_provenance(unknown)["items_available"] == 0


def test_a_status_of_error_is_an_error_with_its_message(at: Callable[..., Directory]) -> None:
    with Server(document("no-analysis.xml")) as server:
        with pytest.raises(ServiceError, match="No analysis of this project yet"):
            load("/projects/1/contributors.xml", at(server))
        with pytest.raises(ServiceError, match="No analysis of this project yet"):
            dirframe.load_activity(1, directory=at(server))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (page_xml(["<a><id>1</id></a>", "<b><id>2</id></b>"], available=2, first=0), "holds <b>"),
        (
            (
                b"<response><status>success</status><items_returned>2</items_returned>"
                b"<items_available>2</items_available><result><things><thing><id>1</id></thing>"
                b"<thing><id>2</id></thing></things></result></response>"
            ),
            "holds 1 <things>",
        ),
        (b"<html><body>Down</body></html>", "an HTML page"),
    ],
)
def test_what_is_no_list_of_records_is_refused_and_named(
    body: bytes, said: str, at: Callable[..., Directory]
) -> None:
    with Server(lambda _: body) as server, pytest.raises(UnreadableResponseError, match=said):
        load("/things.xml", at(server))


def test_other_records_than_the_path_is_known_for_are_refused(
    at: Callable[..., Directory],
) -> None:
    with Server(document("projects-page.xml")) as server:
        with pytest.raises(UnreadableResponseError, match="should hold <language> records"):
            load("/languages.xml", at(server))
        with pytest.raises(UnreadableResponseError, match="should hold <activity_fact> records"):
            dirframe.load_activity(1, directory=at(server))


def test_nothing_at_an_address_is_not_found(at: Callable[..., Directory]) -> None:
    answer = Reply(b"<error><message>no such page</message></error>", status=404)
    with Server(lambda _: answer) as server, pytest.raises(NotFoundError):
        load("/things.xml", at(server))


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("https://elsewhere.example/languages.xml", {}),
        ("/languages", {}),
        ("/languages.xml?api_key=k", {}),
        ("/languages.xml", {"incomplete": "ignore"}),
        ("/languages.xml", {"max_items": 0}),
        ("/languages.xml", {"sort": "colour"}),
        ("/languages.xml?sort=name", {"sort": "code"}),
        ("/languages.xml", {"refresh": True, "offline": True}),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_sent(
    path: str, options: dict[str, Any], at: Callable[..., Directory]
) -> None:
    with Server(lambda _: b"") as server:
        with pytest.raises(InvalidInputError):
            load(path, at(server), **options)
        assert server.asked == []


def test_a_query_is_sent_whichever_way_it_is_said(at: Callable[..., Directory]) -> None:
    things = [record("1", "thing")]
    with Server(paged(things)) as server:
        load("/things.xml?query=a+b&sort=size", at(server))
        frame = load("/things.xml", at(server), query="a b", sort="size")  # from the cache
    asked = [{k: v for k, v in one.query.items() if k != "api_key"} for one in server.asked]
    assert asked == [{"query": "a b", "sort": "size"}]
    assert get_provenance(frame)["query"] == {
        "path": "/things.xml",
        "query": "a b",
        "sort": "size",
    }


def test_the_cache_is_used_as_it_is_for_projects(at: Callable[..., Directory]) -> None:
    things = [record(str(n), "thing") for n in range(15)]
    with Server(paged(things)) as server:
        directory = at(server)
        with pytest.raises(CacheError):
            load("/things.xml", directory, offline=True)
        load("/things.xml", directory)
        assert len(server.asked) == 2
        assert get_provenance(load("/things.xml", directory, offline=True))["requests_made"] == 0
        load("/things.xml", directory)
        assert len(server.asked) == 2
        load("/things.xml", directory, refresh=True)
        assert len(server.asked) == 4


def test_a_first_page_is_paid_once_without_a_cache(at: Callable[..., Directory]) -> None:
    things = [record(str(n), "thing") for n in range(15)]
    with Server(paged(things)) as server:
        frame = load("/things.xml", at(server, cache_dir=None))
        assert len(server.asked) == 2
    assert get_provenance(frame)["requests_made"] == 2


def test_columns_of_what_nobody_described_cannot_be_chosen(at: Callable[..., Directory]) -> None:
    said = "There is no description of the columns of <thing>"
    things = [record("1", "thing")]
    with Server(paged(things)) as server, pytest.raises(InvalidInputError, match=said):
        load("/things.xml", at(server), columns=["id"])


def test_lists_of_what_nobody_described_are_tables_too(at: Callable[..., Directory]) -> None:
    parts = "<parts><part><id>07</id><size>1</size></part><part><size>2</size></part></parts>"
    with Server(paged([f"<thing><id>1</id>{parts}</thing>"])) as server:
        frame = load("/things.xml", at(server))
    table = dirframe.child_table(frame, "parts")
    assert table["thing_id"].tolist() == ["1", "1"]
    assert table["size"].tolist() == [1, 2]
    assert table["id"].tolist()[0] == "07"


def test_an_export_keeps_types_and_provenance(at: Callable[..., Directory], tmp_path: Path) -> None:
    with Server(document("activity-facts.xml")) as server:
        frame = dirframe.load_activity("example", directory=at(server))
    for suffix in ("csv", "parquet", "feather"):
        file = dirframe.export(frame, tmp_path / f"activity.{suffix}")
        again = dirframe.read_export(file)
        pd.testing.assert_frame_equal(again, frame)
        assert get_provenance(again)["query"] == {"project": "example"}


def test_a_plan_says_the_price_of_an_address(at: Callable[..., Directory]) -> None:
    languages = [record(str(n), "language") for n in range(23)]
    with Server(paged(languages)) as server:
        directory = at(server)
        for asked in ("languages", "/languages.xml"):
            price = dirframe.plan(asked, directory=directory)
            assert (price.collection, price.items, price.pages) == ("languages", 23, 3)
            assert price.requests_needed == 2
            assert price.fits
        dirframe.load_languages(directory=directory, progress=False)
        assert dirframe.plan("languages", directory=directory).requests_needed == 0
        assert len(server.asked) == 3


def test_a_plan_of_one_document_is_paid_by_asking(at: Callable[..., Directory]) -> None:
    with Server(document("activity-facts.xml")) as server:
        path = "/projects/1/analyses/latest/activity_facts.xml"
        price = dirframe.plan(path, directory=at(server))
    assert (price.items, price.pages, price.requests_needed, price.requests_used) == (
        4,
        1,
        0,
        1,
    )


def test_a_plan_of_no_collection_names_those_there_are(at: Callable[..., Directory]) -> None:
    with Server(lambda _: b"") as server:
        with pytest.raises(InvalidInputError, match="accounts, projects, languages, orgs, or"):
            dirframe.plan("tongues", directory=at(server))
        assert server.asked == []


def test_a_warning_points_at_the_line_that_loads(
    at: Callable[..., Directory], tmp_path: Path
) -> None:
    named = record("1", analysis_id="7")
    page = page_xml([named, record("2", stack_count="many")], available=2, first=0)
    old = {"expire_after": timedelta(0)}
    recorded = tmp_path / "page.xml"
    recorded.write_bytes(page_xml([named], available=2, first=0))
    with (
        Server(lambda _: page) as server,
        Server(document("contributor.xml")) as other,
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        load("/projects.xml", at(server, **old))
        load("/projects.xml", at(server, **old), stale=True)
        load("/projects/1/contributors/5.xml", at(other, **old))
        load("/projects/1/contributors/5.xml", at(other, **old), stale=True)
        dirframe.load_projects(at(server, **old), progress=False, stale=True)
        dirframe.read_pages(recorded)
    assert {warning.category for warning in caught} == {
        AnalysesNotSentWarning,
        IncompleteWarning,
        StaleWarning,
        UnreadableValueWarning,
    }
    assert {warning.filename for warning in caught} == {__file__}

"""A question goes in, a typed frame comes out, and it says what it was made from."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    InvalidKeyError,
    ServiceError,
)
from dirframe.provenance import get_provenance
from dirframe.schema import ACCOUNT, PROJECT
from tests.client import KEY, Asked, Reply, Server, failed, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dirframe.client.directory import Directory

XML = Path(__file__).parent.parent / "xml"


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Serve the pages that were written by hand from the specification."""
    folder = tmp_path_factory.mktemp("by-hand")
    for name in ("accounts-page.xml", "projects-page.xml"):
        (folder / name).write_bytes((XML / name).read_bytes())
    service = dirframe.serve(folder)
    yield service
    service.stop()


@pytest.fixture
def there(by_hand: Any, at: Callable[..., Directory]) -> Directory:
    return at(by_hand.url, key=by_hand.api_key.reveal())


def load(directory: Directory, **options: Any) -> pd.DataFrame:
    frame: pd.DataFrame = dirframe.load_projects(directory=directory, progress=False, **options)
    return frame


def test_accounts_come_through_the_service_as_they_were_written(there: Directory) -> None:
    frame = dirframe.load_accounts(sort="id", directory=there, progress=False)
    assert list(frame)[: len(ACCOUNT.specified)] == [f.column for f in ACCOUNT.specified]
    assert list(frame["name"]) == ["Ada Example", "Zoë <b>Größe</b> 自己", "new member"]
    assert list(frame["country_code"][:2]) == ["United Kingdom", "NA"]
    assert frame["country_code"].isna().tolist() == [False, False, True]
    assert frame["kudo_score_kudo_rank"].tolist() == [9, pd.NA, pd.NA]
    assert frame["latitude"][0] == pytest.approx(54.78673058121807, abs=1e-12)
    assert frame["created_at"][0] == pd.Timestamp("2007-01-08T09:10:11Z")


def test_projects_come_through_the_service_as_they_were_written(there: Directory) -> None:
    frame = load(there, sort="id")
    assert list(frame)[: len(PROJECT.specified)] == [f.column for f in PROJECT.specified]
    assert list(frame["name"]) == ["Example Version Control", "Étoilé 3Σ"]
    assert frame["description"][1] == "Two lines,\nin one text."
    assert frame["analysis_total_code_lines"].tolist() == [319_283, pd.NA]
    assert frame["stack_count"].tolist() == [1096, 0]
    assert frame["download_url"].isna().tolist() == [False, True]


def test_a_question_is_asked_as_it_is_meant(there: Directory) -> None:
    assert list(load(there, query="ÉTOILÉ")["id"]) == ["2"]
    assert list(load(there, sort="name_reverse")["id"]) == ["2", "1"]
    assert list(load(there, sort="stack_count_reverse", max_items=1)["id"]) == ["1"]
    assert len(load(there, query="nothing has this")) == 0


def test_the_frame_says_what_it_was_made_from(there: Directory) -> None:
    facts = get_provenance(load(there, query="example", sort="id", max_items=5))
    assert facts["resource"] == "project"
    assert facts["query"] == {"query": "example", "sort": "id", "max_items": 5}
    assert facts["base_url"] == there.settings.base_url
    assert (facts["items_available"], facts["items_loaded"]) == (1, 1)
    assert facts["complete"] is True
    assert facts["retrieved_oldest"] <= facts["retrieved_newest"]
    assert facts["synthetic"] is False


def test_a_capped_load_says_so_and_is_no_failure(there: Directory) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        facts = get_provenance(load(there, max_items=1))
    assert facts["complete"] is False
    assert facts["incomplete_reason"] == "capped at max_items=1"
    assert facts["items_available"] == 2


def test_an_empty_answer_has_every_column_and_dtype(there: Directory) -> None:
    nothing, all_of_it = load(there, query="zzzz"), load(there)
    specified = [field.column for field in PROJECT.specified]
    assert nothing[specified].dtypes.equals(all_of_it[specified].dtypes)
    assert get_provenance(nothing)["complete"] is True


def test_a_wrong_key_is_refused_with_what_to_do(by_hand: Any, at: Callable[..., Directory]) -> None:
    with pytest.raises(InvalidKeyError, match="register an application"):
        load(at(by_hand.url))


@pytest.mark.parametrize(
    "options",
    [
        {"sort": "random"},
        {"max_items": 0},
        {"incomplete": "ignore"},
        {"refresh": True, "offline": True},
        {"wait": -1},
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_before_anything_is_sent(
    options: dict[str, Any], at: Callable[..., Directory]
) -> None:
    with Server(lambda _: b"") as server:
        with pytest.raises(InvalidInputError):
            load(at(server), **options)
        assert server.asked == []


def test_an_unknown_option_is_a_type_error() -> None:
    options: dict[str, Any] = {"limit": 5}
    with pytest.raises(TypeError):
        dirframe.load_accounts(**options)


def short(asked: Asked) -> bytes:
    """Say that there are three records, and hand over two."""
    return page_xml([record("1"), record("2")] if asked.page == 1 else [], available=3, first=0)


def test_a_collection_that_cannot_be_proven_complete_is_an_error_with_what_came(
    at: Callable[..., Directory],
) -> None:
    with (
        Server(short) as server,
        pytest.raises(
            IncompleteCollectionError, match="2 different records were received of 3"
        ) as it,
    ):
        load(at(server))
    assert list(it.value.frame["id"]) == ["1", "2"]
    assert it.value.missing
    assert get_provenance(it.value.frame)["complete"] is False
    back = pickle.loads(pickle.dumps(it.value))
    assert list(back.frame["id"]) == ["1", "2"]


def test_an_incomplete_collection_is_handed_over_where_that_was_asked_for(
    at: Callable[..., Directory],
) -> None:
    with (
        Server(short) as server,
        pytest.warns(IncompleteWarning, match="2 different") as caught,
    ):
        frame = load(at(server), incomplete="warn")
    assert caught[0].filename == __file__  # it points at the caller's own line
    assert len(frame) == 2
    assert get_provenance(frame)["complete"] is False
    assert "2 different records" in get_provenance(frame)["incomplete_reason"]


def test_a_load_that_is_stopped_carries_what_came_and_the_next_one_goes_on_from_there() -> None:
    def stop(came: int, total: int) -> None:
        assert total == 1500
        if came >= 100:
            raise StopIteration

    with dirframe.sample_directory(max_workers=1) as directory:
        with pytest.raises(IncompleteCollectionError, match="stopped after 100 of 1,500") as it:
            dirframe.load_projects(directory=directory, refresh=True, progress=stop)
        assert "continues from there" in str(it.value)
        assert len(it.value.frame) == 100
        assert get_provenance(it.value.frame)["complete"] is False
        assert load(directory).iloc[:100]["id"].tolist() == it.value.frame["id"].tolist()
        assert get_provenance(load(directory, offline=True, max_items=100))["requests_made"] == 0


def test_what_came_before_a_failure_is_paid_for_once(at: Callable[..., Directory]) -> None:
    broken = True

    def answer(asked: Asked) -> Reply | bytes:
        if asked.page == 3 and broken:
            return Reply(failed("An unknown application error occured."), 500)
        start = 10 * (asked.page - 1)
        ids = range(start, min(start + 10, 35))
        return page_xml([record(str(n)) for n in ids], available=35, first=start)

    with Server(answer) as server:
        with pytest.raises(ServiceError):
            load(at(server, max_workers=1))
        broken = False
        before = len(server.asked)
        frame = load(at(server, max_workers=1))
        assert len(frame) == 35
        assert [asked.page for asked in server.asked[before:]] == [3, 4]
        assert get_provenance(frame)["requests_made"] == 2
        assert get_provenance(frame)["requests_cached"] == 2


@pytest.mark.parametrize("workers", [1, 4])
def test_the_key_is_in_no_frame_and_no_failure(workers: int, at: Callable[..., Directory]) -> None:
    def answer(asked: Asked) -> Reply | bytes:
        if asked.query.get("query") == "fail":
            return Reply(failed(f"The api_key {asked.query['api_key']} is bad"), 403)
        content = [record("1", html_url=f"http://d/?api_key={KEY}", name=KEY)]
        return page_xml(content, available=1, first=0)

    with Server(answer) as server:
        directory = at(server, max_workers=workers)
        frame = load(directory)
        assert KEY not in repr(frame.to_dict()) + repr(frame.attrs)
        assert KEY.encode() not in pickle.dumps(frame)
        with pytest.raises(InvalidKeyError) as caught:
            load(directory, query="fail")
    assert KEY.encode() not in pickle.dumps(caught.value)
    assert KEY not in repr(vars(caught.value))


def test_the_sample_comes_whole_and_is_marked() -> None:
    with dirframe.sample_directory() as directory:
        frame = load(directory)
        assert len(frame) == 1500
        assert frame["id"].is_unique
        assert get_provenance(frame)["complete"] is True
        assert get_provenance(frame)["synthetic"] is True
        assert list(load(directory, max_items=30)["id"]) == list(frame["id"][:30])


@pytest.mark.parametrize("name", ["load_accounts", "load_projects", "load_languages"])
def test_the_directory_may_be_the_first_argument(name: str) -> None:
    load = getattr(dirframe, name)
    with dirframe.sample_directory() as directory:
        frame = load(directory, max_items=10, progress=False)
        assert frame.equals(load(directory=directory, max_items=10, progress=False))
    with pytest.raises(InvalidInputError, match="Expected a Directory; got a str") as caught:
        load("firefox")
    assert caught.value.hint is not None
    assert "query=" in caught.value.hint.python


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"query": ["parser", "lexer"]}, r"query is \['parser', 'lexer'\]; it must be text"),
        ({"query": 2}, "query is 2; it must be text"),
        ({"query": b"parser"}, "query is b'parser'; it must be text"),
        ({"query": "caf\udce9"}, "query is 'caf.*; it must be text"),
        ({"sort": ["name"]}, r"sort is \['name'\]; it must be text"),
        ({"columns": "name"}, r"columns is 'name'; pass a list of names: \['name'\]"),
        ({"columns": [1]}, "no column 1"),
        ({"wait": "1h"}, "wait is '1h'; it must be a number of seconds"),
        ({"wait": float("nan")}, "wait is nan; it must be a number of seconds"),
    ],
    ids=str,
)
def test_an_argument_of_a_wrong_type_is_refused_before_anything_is_requested(
    options: dict[str, Any], said: str, at: Callable[..., Directory]
) -> None:
    with Server(lambda _: page_xml([], available=0, first=0)) as there:
        with pytest.raises(InvalidInputError, match=said):
            dirframe.load_projects(directory=at(there), **options)
        assert there.asked == []

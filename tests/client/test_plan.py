"""The price of a load is said first, and it is the price that is then paid."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

import dirframe
from dirframe.errors import InvalidInputError
from dirframe.provenance import get_provenance
from tests.rig.server import Rig, page_xml
from tests.rig.today import Today


@pytest.fixture
def rig():
    """Serve 60 projects on six full pages."""
    with Rig(60).in_process() as opened:
        yield opened


def test_plan_says_the_price_that_is_paid(rig, connect, tmp_path):
    questions = [{}, {"max_items": 10}, {"max_items": 15}, {"max_items": 59}, {"max_items": 99}]
    expected = [(60, 7), (10, 1), (15, 2), (59, 6), (60, 7)]
    failures = []
    for number, (question, (items, pages)) in enumerate(zip(questions, expected, strict=True)):
        rig.forget()
        directory = connect(rig, cache=tmp_path / str(number))
        price = dirframe.plan("projects", directory=directory, **question)
        if (price.items, price.pages, price.requests_used) != (items, pages, len(rig.requests)):
            failures.append((question, price))
        if (price.pages_cached, price.requests_needed) != (1, pages - 1) or not price.exact:
            failures.append((question, price))
        frame = dirframe.load_projects(directory, progress=False, **question)
        paid = get_provenance(frame)["requests_made"]
        if (len(frame), paid, len(rig.requests)) != (items, pages - 1, pages):
            failures.append((question, paid, rig.pages))
        again = directory.plan("projects", **question)
        if (again.requests_used, again.requests_needed, again.pages_cached) != (0, 0, pages):
            failures.append((question, again))
    assert not failures


def test_plan_of_exactly_as_many_as_there_are(rig, connect):
    directory = connect(rig)
    price = dirframe.plan("projects", max_items=60, directory=directory)
    dirframe.load_projects(directory, max_items=60, progress=False)
    assert len(rig.pages) == price.pages


@pytest.mark.parametrize(
    ("count", "size", "pages"), [(0, 10, 1), (7, 7, 1), (25, 25, 2), (26, 25, 2)]
)
def test_plan_counts_the_page_behind_a_full_one(connect, count, size, pages):
    with Rig(count, size=size).in_process() as rig:
        directory = connect(rig)
        price = dirframe.plan("projects", directory=directory)
        assert (price.items, price.pages, price.requests_needed) == (count, pages, pages - 1)
        dirframe.load_projects(directory, progress=False)
        assert len(rig.pages) == pages


def test_plan_of_a_query_asks_it(serve, connect):
    rig = serve(page_xml([], available=0, first=0))
    price = dirframe.plan("accounts", query="a b", sort="name", directory=connect(rig))
    assert (price.collection, price.items, price.pages, price.requests_needed) == (
        "accounts",
        0,
        1,
        0,
    )
    [asked] = rig.requests
    assert asked.path == "/accounts.xml"
    assert {k: v for k, v in asked.query.items() if k != "api_key"} == {
        "query": "a b", "sort": "name", "page": "1",
    }  # fmt: skip


def test_plan_of_a_refreshing_load_counts_every_page(rig, connect):
    directory = connect(rig)
    dirframe.load_projects(directory, max_items=30, progress=False)
    price = dirframe.plan("projects", max_items=30, directory=directory, refresh=True)
    assert (price.pages_cached, price.requests_needed, price.requests_used) == (0, 3, 0)


def test_plan_of_old_pages_counts_them(rig, connect):
    with time_machine.travel(datetime.now(UTC) - timedelta(days=30)):
        dirframe.load_projects(connect(rig), progress=False)
    rig.forget()
    price = dirframe.plan("projects", directory=connect(rig))
    assert (price.pages_cached, price.requests_needed, len(rig.requests)) == (1, 6, 1)


def test_plan_says_whether_it_fits(rig, connect):
    with time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False):
        for limit, fits in ((6, False), (7, True), (100, True)):
            price = dirframe.plan(
                "projects", directory=connect(rig, daily_quota=limit, key=rig.key)
            )
            assert (price.quota_left, price.fits) == (limit - 1, fits)
            assert price.requests_needed == 6
            assert price.resets_at == datetime(2026, 3, 2, tzinfo=UTC)
        text = str(price)
    assert "60" in text
    assert "99" in text


def test_plan_without_a_count_is_not_known(rig, connect):
    rig.items_available = lambda _: None
    price = dirframe.plan("projects", directory=connect(rig))
    assert (price.items, price.pages, price.requests_needed, price.fits) == (None,) * 4
    assert len(rig.requests) == price.requests_used == 1
    assert str(price)


def test_plan_of_an_address(connect, written):
    with Rig(23, kind="language").in_process() as rig:
        directory = connect(rig)
        for asked in ("languages", "/languages.xml"):
            price = dirframe.plan(asked, directory=directory)
            assert (price.collection, price.items, price.pages) == ("languages", 23, 3)
            assert (price.requests_needed, price.fits) == (2, True)
        dirframe.load_languages(directory, progress=False)
        assert dirframe.plan("languages", directory=directory).requests_needed == 0
        assert len(rig.requests) == 3
    # One document is paid for by looking.
    price = dirframe.plan(
        "/projects/example/analyses/latest/activity_facts.xml",
        directory=connect(written, url="http://127.0.0.1:10"),
    )
    assert (price.items, price.pages, price.requests_needed, price.requests_used) == (4, 1, 0, 1)
    price = dirframe.plan("/projects/1/contributors/5.xml", directory=connect(written))
    assert (price.items, price.pages, price.requests_needed, price.requests_used) == (1, 1, 0, 1)


def test_plan_refuses_what_there_is_not_before_anything_is_sent(rig, connect):
    directory = connect(rig)
    for wrong in ("people", "tongues"):
        with pytest.raises(InvalidInputError, match=wrong):
            dirframe.plan(wrong, directory=directory)
    for options in ({"sort": "colour"}, {"max_items": 0}):
        with pytest.raises(InvalidInputError):
            dirframe.plan("projects", directory=directory, **options)
    with pytest.raises(InvalidInputError):
        dirframe.plan("accounts", details=True, directory=directory)
    assert rig.requests == []


def test_plan_of_a_sample_with_details_counts_at_most_the_drawn_projects(connect, tmp_path):
    rig = Today(200)
    with rig.in_process():
        directory = connect(rig, cache=tmp_path / "cache")
        price = directory.plan("projects", sample=12, seed=7, details=True)
        assert price.details == 12
        # The projects of the first page that were not drawn cost nothing.
        assert price.requests_needed == price.pages - price.pages_cached + 12
        before = len(rig.requests)
        dirframe.load_projects(directory, sample=12, seed=7, details=True, progress=False)
        assert price.requests_at_least <= len(rig.requests) - before <= price.requests_needed
        dirframe.load_projects(directory, details=True, progress=False)
        price = directory.plan("projects", sample=12, seed=7, details=True)
        assert (price.exact, price.requests_needed) == (True, 0)
        assert price.details <= 12

"""Loads by ids of today's live service: complete, at the price of their records, and what may go wrong."""

import logging
import sqlite3
import warnings
from contextlib import closing
from random import Random
from urllib.parse import urlsplit

import pytest

import dirframe
from dirframe.errors import (
    IncompleteCollectionError,
    InvalidKeyError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    ServiceChangedWarning,
)
from dirframe.provenance import get_provenance
from tests.cases import raised, slow_except
from tests.rig import faults
from tests.rig.ids import SHAPES
from tests.rig.server import MARK, Reply, failed, numbered
from tests.rig.today import TOO_LONG, Today, failure

pytestmark = pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")


def load(directory, **options):
    return dirframe.load_projects(directory, **{"progress": False} | options)


def asked_ids(rig):
    """Return the ids of each request by ids."""
    return [
        [int(text) for text in request.query["ids"].split(",")]
        for request in rig.requests
        if "ids" in request.query
    ]


# What is asked for, and what it costs


def test_load_by_ids_decides_every_id_up_to_the_bound(connect):
    rig = Today([str(n) for n in range(1, 501) if n % 8])
    with rig.in_process():
        frame = load(connect(rig))
    facts = get_provenance(frame)
    assert frame["id"].tolist() == rig.ids
    assert facts["walk"] == {"by": "ids", "bound": 500, "items_available": [438, 438]}
    assert (facts["completeness"], facts["items_available"]) == ("proven", 438)
    decided = set()
    existing = set(map(int, rig.ids))
    for ids in asked_ids(rig):
        here = sorted(existing & set(ids))[:25]
        decided |= {number for number in ids if len(here) < 25 or number <= here[-1]}
    assert decided >= set(range(1, 501))


COUNTS, GAPS = [11, 25, 26, 300, 1_000], [0.0, 0.12, 0.6]
#: Each pair of count, shape and gaps is in one of them; the slow tests have all three together.
PRICED = [
    (count, shape, GAPS[(row + column) % 3])
    for row, count in enumerate(COUNTS)
    for column, shape in enumerate(SHAPES)
]


@pytest.mark.parametrize(("count", "shape", "gaps"), slow_except(PRICED, PRICED[::4]))
def test_load_by_ids_price_is_that_of_the_records(count, shape, gaps):
    check_price_by_ids(count, shape, gaps)


def check_price_by_ids(count, shape, gaps):
    """Load projects whose ids have gaps, and check what that costs."""
    bound = round(count / (1 - gaps))
    existing = shape(count, bound, Random(f"{count} {gaps}"))
    rig = Today([str(number) for number in existing])
    with rig.in_process(), rig.directory() as directory:
        frame = load(directory)
    assert sorted(map(int, frame["id"])) == existing
    assert get_provenance(frame)["completeness"] == "proven"
    pages = -(-count // 25)
    assert len(rig.requests) <= pages + existing[-1] / 400 + 5
    if shape is SHAPES[0]:
        assert len(rig.requests) <= 1.01 * pages + 5


@pytest.mark.filterwarnings("ignore::dirframe.errors.ServiceChangedWarning")
def test_load_by_ids_sends_literal_commas_and_no_long_line(connect):
    rig = Today([str(10_000 + n) for n in range(0, 1_400, 7)])
    rig.items_available = lambda count: 9_000 if count > 100 else count  # ids look dense
    with rig.in_process(), pytest.raises(IncompleteCollectionError):
        load(connect(rig))
    lines = [f"GET {request.target} HTTP/1.1" for request in rig.requests]
    assert 5_900 < max(map(len, lines)) <= 6_000
    assert not [line for line in lines if "ids=" in line and "%2C" in line]
    assert not [line for line in lines if line.endswith("ids=")]


@pytest.mark.parametrize("workers", slow_except([1, 4], [4]))
def test_load_by_ids_that_the_quota_ends_goes_on_and_pays_for_the_rest(connect, workers):
    rig = Today(500)
    with rig.in_process():
        limited = connect(rig, daily_quota=12, workers=workers)
        with pytest.warns(dirframe.QuotaWarning), pytest.raises(QuotaExceededError) as caught:
            load(limited)
        received = set(caught.value.frame["id"])
        assert received >= set(numbered(8 * 25))
        price = dirframe.plan("projects", directory=connect(rig, daily_quota=1000))
        before = len(rig.requests)
        frame = load(connect(rig))
        paid = len(rig.requests) - before
    assert price.requests_at_least <= paid <= price.requests_at_most
    assert (frame["id"].tolist(), before + paid) == (rig.ids, 5 + 20)


def test_load_by_ids_over_days_is_proven_of_what_was_there_throughout(tmp_path):
    rig = Today(500)
    with rig.in_process():
        with (
            rig.directory(tmp_path, daily_quota=12) as directory,
            pytest.warns(dirframe.QuotaWarning),
            pytest.raises(QuotaExceededError),
        ):
            load(directory)
        rig.create(3)
        rig.delete("7", "480")
        with rig.directory(tmp_path) as directory:
            frame = load(directory)
    facts = get_provenance(frame)
    assert facts["completeness"] == "proven"
    assert frame["id"].tolist() == [one for one in numbered(500) if one != "480"]
    assert facts["walk"]["items_available"] == [500, 501]
    assert sorted(facts["walk"]["added_later"]) == ["501", "502", "503"]


def test_load_by_ids_raises_the_bound_while_there_are_ids_above(connect):
    rig = Today(300)
    sort = rig.sorted

    def unrelated(request, records):
        return records[:150] if request.query.get("sort") == "new" else sort(request, records)

    rig.sorted = unrelated
    with rig.in_process():
        frame = load(connect(rig))
    assert frame["id"].tolist() == rig.ids
    assert get_provenance(frame)["walk"]["bound"] == 300


def test_load_of_few_ids_among_many_is_by_names_and_says_so(connect):
    rig = Today([str(n) for n in Random(3).sample(range(1, 60_000), 300)])
    with rig.in_process():
        frame = load(connect(rig))
    facts = get_provenance(frame)
    assert (set(frame["id"]), facts["completeness"]) == (set(rig.ids), "proven")
    assert facts["walk"]["by"] == "page numbers"
    assert "few ids exist" in facts["walk"]["reason"]
    assert len(rig.requests) <= 12 + 5


def test_load_by_ids_in_rehearsal_is_the_same_as_without(sample):
    some = load(sample, max_items=130)
    with dirframe.serve(some, analyses=False) as service:
        frame = load(dirframe.Directory(service.url, service.api_key, cache=False))
    assert get_provenance(frame)["walk"]["by"] == "ids"
    assert get_provenance(frame)["requests_made"] <= 6 * 1.01 + 6
    assert frame["id"].tolist() == sorted(some["id"], key=int)


# A directory that does not answer by ids, or not any more


def load_and_catch(directory, **options):
    """Return a frame, and the kinds of warnings of changes of the service."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ServiceChangedWarning)
        frame = load(directory, **options)
    kinds = [one.category for one in caught]
    return frame, [kind for kind in kinds if kind is ServiceChangedWarning]


@pytest.mark.parametrize(
    ("change", "reason", "requests"),
    [
        ({"ignored": {"ids"}}, "does not answer by ids", 2 + 2 + 5),
        ({"ignored": {"per_page"}}, "does not send 25", 2 + 1 + 11),
        ({"answers_unasked": True}, "does not answer by ids", 2 + 2 + 5),
        ({"stops": {"ids": 3}}, "stopped answering by ids", 2 + 2 + 4 + 5),
        ({"stops": {"per_page": 4}}, "stopped answering by ids", 2 + 2 + 4 + 11),
    ],
)
def test_load_goes_on_by_page_numbers_where_ids_are_not_honoured(connect, change, reason, requests):
    rig = Today(101)
    for name, value in change.items():
        setattr(rig, name, value)
    with rig.in_process():
        frame, warned = load_and_catch(connect(rig))
        facts = get_provenance(frame)
        assert (len(frame), set(frame["id"])) == (101, set(rig.ids))
        assert (facts["completeness"], facts["walk"]["by"]) == ("proven", "page numbers")
        assert reason in facts["walk"]["reason"]
        assert len(rig.requests) == requests
        assert warned == [ServiceChangedWarning] * ("stops" in change)
        rig.forget()
        assert load_and_catch(connect(rig))[0].equals(frame)
        assert rig.requests == []


@pytest.mark.parametrize("change", [{"ignored": {"new"}}, {"stops": {"new": 1}}])
def test_load_by_ids_where_the_newest_are_not_sent_first_loses_nothing(connect, change):
    rig = Today(201)
    for name, value in change.items():
        setattr(rig, name, value)
    with rig.in_process():
        frame = load(connect(rig))
    assert (set(frame["id"]), len(frame)) == (set(rig.ids), 201)
    assert get_provenance(frame)["completeness"] == "proven"


def test_load_of_a_query_goes_on_with_small_pages_where_large_ones_end(connect):
    rig = Today(201)
    rig.stops = {"per_page": 3}
    with rig.in_process():
        frame, warned = load_and_catch(connect(rig), query="project")
    facts = get_provenance(frame)
    assert warned == [ServiceChangedWarning]
    assert (len(frame), set(frame["id"])) == (201, set(rig.ids))
    assert "stopped sending 25" in facts["walk"]["reason"]
    assert facts["completeness"] == "proven"


def test_load_whose_way_changes_asks_before_it_needs_more_than_the_quota_leaves(connect):
    rig = Today(600)
    rig.stops = {"ids": 20, "per_page": 20}
    with rig.in_process():
        directory = connect(rig, daily_quota=50)
        with warnings.catch_warnings():
            warnings.simplefilter("error", dirframe.OverQuotaWarning)
            with pytest.raises(dirframe.OverQuotaWarning):
                load(directory)
        assert len(rig.requests) <= 26


def test_draw_of_ids_that_are_not_honoured_any_more_goes_on_by_positions(connect):
    rig = Today(400)
    rig.stops = {"ids": 2}
    with rig.in_process():
        frame, warned = load_and_catch(connect(rig), sample=60)
    facts = get_provenance(frame)
    assert (len(frame), facts["completeness"]) == (60, "sample")
    assert facts["sample"]["order"] == "project_name"
    assert "stopped answering by ids" in facts["walk"]["reason"]
    assert warned == [ServiceChangedWarning]


# Requests that fail


def test_load_by_ids_names_the_record_that_cannot_be_sent(connect):
    rig = Today(150)
    rig.unsendable = {"100"}
    rig.reshuffles = False
    own = rig.chosen

    def without_in_other_orders(request):
        records = own(request)
        return records if "ids" in request.query else [x for x in records if "<id>100<" not in x]

    rig.chosen = without_in_other_orders
    errors = []
    with rig.in_process():
        for _ in range(2):  # a 404 is not remembered
            before = len(rig.requests)
            errors.append(raised(load, connect(rig)))
        assert 0 < len(rig.requests) - before <= 30
        rig.unsendable = set()
        frame = load(connect(rig))
    assert [type(error) for error in errors] == [IncompleteCollectionError] * 2
    assert ["100 (could not be sent)" in error.missing for error in errors] == [True, True]
    assert [set(error.frame["id"]) for error in errors] == [set(rig.ids) - {"100"}] * 2
    assert (frame["id"].tolist(), get_provenance(frame)["completeness"]) == (rig.ids, "proven")


@pytest.mark.parametrize("status", slow_except([400, 403, 413, 414, 431], [403, 414]))
def test_load_by_ids_asks_for_fewer_ids_after_a_line_that_is_too_long(connect, status):
    reply = Reply(failure("no"), status)
    if status in {413, 414}:
        reply = Reply(TOO_LONG.body, status, TOO_LONG.headers)

    def answer(request):
        return reply if len(request.query.get("ids", "").split(",")) > 100 else None

    rig = Today(150, answer=answer)
    rig.moves = False
    with rig.in_process():
        frame = load(connect(rig))
    assert frame["id"].tolist() == rig.ids
    sizes = [len(ids) for ids in asked_ids(rig)]
    assert sum(size > 100 for size in sizes) <= 6
    assert len(rig.requests) <= 6 + 4 + 8 + 3


def test_load_by_ids_that_a_firewall_refuses_is_no_wrong_key(connect):
    refused = Reply(failed("A valid api_key is required."), 403)
    rig = Today(300, answer=lambda request: refused if "ids" in request.query else None)
    rig.moves = False
    with rig.in_process():
        frame = load(connect(rig))
    assert set(frame["id"]) == set(rig.ids)
    assert get_provenance(frame)["walk"]["by"] == "page numbers"


def test_load_by_ids_with_a_key_that_was_revoked_says_so(connect):
    rig = Today(300)
    rig.moves = False
    rig.before = lambda _: setattr(rig, "key", "another") if len(rig.requests) == 6 else None
    with rig.in_process(), pytest.raises(InvalidKeyError):
        load(connect(rig))
    assert len(rig.requests) <= 8


def test_load_by_ids_of_a_service_that_is_down_ends_after_few_requests(connect):
    rig = Today(500)
    rig.moves = False
    down = Reply(failure("404 - Not Found"), 404, {"Content-Type": "text/html"})
    rig._answer = lambda _: down if len(rig.requests) > 10 else None
    with rig.in_process():
        with pytest.raises(NotFoundError) as caught:
            load(connect(rig))
        assert len(rig.requests) <= 10 + 45
        assert len(caught.value.frame) >= 175
        rig._answer = None
        assert len(load(connect(rig))) == 500


def test_load_whose_first_page_in_order_fails_is_an_error_with_its_status(connect):
    rig = Today(101)
    rig.ignored = {"ids"}
    down = Reply(failure("500"), 500)
    rig._answer = lambda request: down if request.query.get("sort") == "project_name" else None
    with rig.in_process(), pytest.raises(dirframe.ServiceError) as caught:
        load(connect(rig))
    assert caught.value.status == 500


@pytest.mark.parametrize("times", [1, 2])
def test_load_by_ids_asks_for_fewer_ids_after_a_time_out(connect, times):
    rig = Today(150)
    rig.moves = False
    with rig.in_process():
        rig.faults.extend([None] * 5 + [faults.reset_before] * 3 * times)
        frame = load(connect(rig))
    assert frame["id"].tolist() == rig.ids


def test_load_by_ids_without_a_network_ends(connect):
    rig = Today(300)
    rig.moves = False
    with rig.in_process():
        rig.faults.extend([None] * 5 + [faults.reset_before] * 100)
        with pytest.raises(NetworkError) as caught:
            load(connect(rig))
    assert len(rig.requests) <= 5 + 9
    assert len(caught.value.frame) >= 25


@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
@pytest.mark.parametrize("options", [{}, {"sample": 100}, {"projects": numbered(150)}])
def test_load_by_ids_offline_has_all_pages_that_are_in_the_cache(connect, tmp_path, options):
    rig = Today(150)
    rig.moves = False
    with rig.in_process():
        whole = load(connect(rig), **options)
        remove_page(tmp_path / "cache", 3)
        before = len(rig.requests)
        part = load(connect(rig), offline=True, incomplete="warn", **options)
        assert len(rig.requests) == before
        again = load(connect(rig), **options)
    assert 0 < len(set(whole["id"]) - set(part["id"])) <= 25
    assert set(part["id"]) < set(whole["id"])
    assert get_provenance(part)["completeness"] == "incomplete"
    assert again.equals(whole)
    assert len(rig.requests) <= before + 2  # the page, and the newest projects behind it


def remove_page(folder, place):
    """Remove a page by ids from a cache, by its place in the order of arrival."""
    with closing(sqlite3.connect(dirframe.cache_info(folder).file)) as database:
        keys = [
            key
            for (key,) in database.execute("SELECT key FROM responses ORDER BY rowid")
            if "ids=" in key
        ]
        database.execute("DELETE FROM responses WHERE key = ?", [keys[place]])
        database.commit()


@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
@pytest.mark.parametrize(("failures", "records"), [(1, 300), (2, 300), (3, 59)])
def test_load_by_ids_that_takes_parts_goes_on_after_a_failed_page(connect, failures, records):
    rig = Today(300)
    rig.moves = False
    with rig.in_process():
        rig.faults.extend([None] * 4 + [faults.FAULTS["500"]] * failures)
        frame = load(connect(rig), incomplete="warn")
    assert len(frame) == records


# What is shown and stored


def test_ids_are_in_no_message_log_or_cache_key(connect, tmp_path, caplog):
    rig = Today(300)
    rig.moves = False
    with rig.in_process():
        directory = connect(rig)
        rig.faults.extend([None] * 5 + [faults.FAULTS["500"]] * 4)
        with caplog.at_level(logging.DEBUG), pytest.raises(dirframe.DirframeError) as caught:
            load(directory)
        assert "ids=" in caught.value.url
        assert len(caught.value.url) < 200
        assert len(str(caught.value)) < 500
        rig.faults.extend([faults.FAULTS["500"]] * 9)
        with pytest.warns(dirframe.errors.IncompleteWarning, match="projects 51 to ") as warned:
            load(directory, incomplete="warn")
        rig.faults.clear()
        assert max(len(str(one.message)) for one in warned) < 500
        load(directory)
    with closing(sqlite3.connect(dirframe.cache_info(tmp_path / "cache").file)) as database:
        keys = [key for (key,) in database.execute("SELECT key FROM responses")]
    assert max(map(len, keys)) < 250
    assert MARK not in caplog.text


def test_redirect_of_a_request_by_ids_keeps_its_address_short(connect):
    rig = Today(300)
    rig.moves = False
    gone = Reply(b"", 302, {})

    def answer(request):
        if "ids" not in request.query or request.path != "/projects.xml" or rig.is_moved:
            return None
        rig.is_moved = True
        gone.headers["Location"] = f"{rig.url}{request.target}".replace("/projects.", "/p.")
        return gone

    rig.is_moved, rig._answer = False, answer
    rig.faults.extend([None] * 4 + [faults.FAULTS["500"]])
    with rig.in_process(), pytest.raises(dirframe.DirframeError) as caught:
        load(connect(rig))
    assert len(caught.value.url) < 200
    paths = [urlsplit(request.target).path for request in rig.requests]
    assert paths[2:5] == ["/projects.xml", "/p.xml", "/p.xml"]
    assert all("ids=" in request.target for request in rig.requests[2:5])


def test_progress_of_a_load_by_ids_tells_records(connect):
    told = []
    rig = Today(60)
    with rig.in_process():
        load(connect(rig), progress=lambda *numbers: told.append(numbers))
    assert told == [(25, 60), (50, 60), (60, 60)]


class _WithoutPageSizes(Today):
    """Today's service, were a size of pages an error of the application."""

    def page_size(self, request):
        return -1 if "per_page" in request.query else super().page_size(request)


@pytest.mark.parametrize(
    "options",
    [
        {"query": "project"},
        {"sort": "project_name"},
        {"sort": "project_name", "max_items": 20},
        {},
        {"sample": 9},
    ],
)
def test_page_size_that_is_refused_leaves_pages_of_ten(options):
    with _WithoutPageSizes(60).in_process() as rig, rig.directory() as directory:
        frame = dirframe.load_projects(directory, progress=False, **options)
    limit = options.get("max_items", options.get("sample", 60))
    assert frame["id"].nunique() == len(frame) == limit
    assert len(rig.requests) <= 1 + 1 + 2 + 7  # a redirect, an order, sizes that are tried, pages

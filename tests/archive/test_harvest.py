"""A harvest pays for each page once, over days, kills and whatever the directory does meanwhile."""

import warnings
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

import dirframe
from dirframe import provenance
from dirframe.errors import (
    InvalidInputError,
    QuotaExceededError,
    ServiceChangedWarning,
    ServiceError,
)
from tests import processes
from tests.archive.conftest import LINE, START, Harvests, Reshuffled, kept, number, shuffled
from tests.cases import raised, slow_except
from tests.faults.test_faults import EDITS
from tests.rig import faults
from tests.rig.server import Reply, Rig, failed, id_of, numbered, record
from tests.rig.today import BROKEN, DELETED, GONE, SILENT, Today

DAY, HOUR = timedelta(days=1), timedelta(hours=1)

RIGS = {
    "kept": kept,
    "name": lambda: Today(500),
    "unknown": lambda: Rig(shuffled(500), kind="account"),
    "none": lambda: Reshuffled(500, kind="account"),
}


def change(rig, chance):
    """Add, remove and rename a record, wherever it is in the order of the directory."""
    new = str(2000 + len(rig.requests))
    rig.edit(lambda ids: EDITS["add"](ids, chance.randrange(500), new))
    rig.edit(lambda ids: EDITS["remove"](ids, chance.randrange(500)))
    position = chance.randrange(len(rig.records))
    xml = rig.records[position]
    rig.records[position] = record(id_of(xml), rig.kind, name=f"renamed {chance.random()}")


def test_harvest_in_an_unstable_order_says_what_helps(harvests):
    harvest = harvests(Reshuffled(30, kind="account"))
    status = harvest.run().status()
    with pytest.warns(dirframe.IncompleteWarning) as caught:
        dirframe.open_archive(harvest.path).frame()
    [warning] = [one.message for one in caught]
    assert (status.completeness, status.finished) == ("incomplete", True)
    assert (warning.order_fails, warning.expected) == (True, 30)
    assert "--sort" in warning.hint
    assert warning.hint == status.advice
    assert status.advice in repr(status)


# What is paid


@pytest.mark.parametrize(
    ("order", "daily"),
    slow_except([("kept", 30), ("name", 12), ("unknown", 5), ("none", 12)], [("name", 12)]),
)
def test_harvest_over_days_of_a_directory_that_lives(harvests, order, daily):
    check_harvest_over_days(harvests, order, daily, lives=True)


@pytest.mark.parametrize("order", slow_except(RIGS, ["kept"]))
def test_harvest_over_days_of_a_directory_that_rests(harvests, order):
    check_harvest_over_days(harvests, order, 20, lives=False)


def check_harvest_over_days(harvests, order, daily, *, lives):
    """Check price, order and completeness of a harvest; the slow tests have every order and quota."""
    rig, chance = RIGS[order](), Random(daily)
    harvest = harvests(rig)
    archive, days = harvest.over_days(daily, change=lambda _: lives and change(rig, chance))
    frame, status = harvest.check(), archive.status()
    assert len(rig.sent) <= 50 + 2 * days + (5 if lives else 1)
    orders = {request.query.get("sort") for request in rig.requests if request.page > 1}
    assert orders == (set() if order == "name" else {status.sort})  # by ids there is no second page
    before = len(rig.requests)
    harvest.run()
    assert len(rig.requests) == before
    assert status.finished
    # One record a day may have moved over the place where a day ended; without an order, more.
    missing = set(rig.ids) - set(frame["id"])
    assert len(missing) <= (2 * days if order != "none" else 250)
    assert archive.verify() == len(rig.sent)
    if not lives:
        assert (days, len(missing) > 50) == (2 if order == "name" else 3, order == "none")
        expected = {"none": "incomplete", "name": "proven"}
        assert status.completeness == expected.get(order, "counted")


@pytest.mark.parametrize(
    ("count", "pages", "end"),
    [(55, 6, "empty"), (7, 1, "empty"), (0, 1, "empty"),
     (60, 7, "empty"), (60, 7, "first page"), (60, 7, "missing")],
)  # fmt: skip
def test_finished_harvest_sends_nothing(harvests, count, pages, end):
    """However the page past the end is answered, it is asked for once."""
    rig = Rig(count)
    rig.past_end_is_first = end == "first page"
    if end == "missing":
        rig.on_page[7] = [faults.fails("Not found.", 404)]
    harvest = harvests(rig)
    harvest.run()
    assert rig.pages == [*range(1, pages + 1)]
    archive = harvest.run()
    assert rig.pages == [*range(1, pages + 1)]
    assert harvest.check()["id"].tolist() == rig.ids
    assert archive.status().completeness == "proven"


def test_fresh_pages_of_the_cache_are_not_paid_again(harvests):
    rig = kept(100)  # full pages: one past the end is read, too
    harvest = harvests(rig)
    with rig.directory(harvest.folder) as directory:
        dirframe.load_projects(directory, sort="id", progress=False)
    before = len(rig.requests)
    archive = harvest.run()
    facts = harvest.check().attrs["dirframe"]
    assert len(rig.requests) == before
    assert (facts["requests_made"], facts["requests_cached"]) == (0, before)
    assert archive.status().completeness == "proven"


def test_quota_ends_a_day_with_its_reset_and_all_pages_stored(harvests):
    rig = Rig(1000)
    harvest = harvests(rig)
    with pytest.raises(QuotaExceededError) as stopped:
        harvest.run({"daily_quota": 40, "workers": 4})
    archive = dirframe.open_archive(harvest.path)
    status = archive.status()
    assert stopped.value.resets_at is not None
    assert (status.pages, status.records, status.requests_left) == (40, 400, 60)
    assert not status.finished
    shown = str(archive)
    assert "400 of 1,000" in shown
    assert "60 requests" in shown
    harvest.check()
    with pytest.warns(dirframe.IncompleteWarning) as caught:
        archive.frame()
    assert caught[0].filename == __file__
    with pytest.raises(QuotaExceededError):
        harvest.run({"daily_quota": 40})
    assert len(rig.sent) == 40


@pytest.mark.parametrize(
    ("make", "pages", "kills", "details"),
    [
        pytest.param(lambda: Rig(105), 11, [7], [], marks=pytest.mark.slow),
        (lambda: Today(40), 5 + 40, [20], ["details"]),
    ],
)
def test_killed_harvest_goes_on_and_loses_what_was_in_flight(tmp_path, make, pages, kills, details):
    check_killed_harvest(tmp_path, make, pages, kills, details)


def check_killed_harvest(tmp_path, make, pages, kills, details):
    """Kill a harvest after some requests, and check what the next runs pay for."""
    with make() as rig:
        rig.moves, harvest = False, Harvests(rig, tmp_path)
        for number in kills:
            words = (rig.url, rig.key, harvest.path, 2, *details)
            processes.kill_after_requests(rig, number, LINE, *words)
            stored, paid = dirframe.open_archive(harvest.path).verify(), len(rig.requests)
            assert paid - 4 <= stored <= paid
        for _ in range(2):
            assert harvest.run(details=bool(details)).status().finished
            assert len(rig.requests) <= pages + 4 * len(kills) + 1
        assert harvest.check()["id"].tolist() == rig.ids or details


# The order


def test_order_is_the_first_that_is_kept(harvests):
    def refused(request):
        return Reply(failed("No such sort."), 400) if request.query.get("sort") else None

    numbers = {"id": number}
    texts = {"id": id_of}
    names = {"project_name": lambda xml: xml.partition("<name>")[2].lower()}
    apart = {"project_name": lambda xml: xml.partition("<name>")[2].replace("050”", "051”~")}
    numbers_apart = [str(n) for n in Random(5).sample(range(10**6), 50)]
    letters = [record(f"p{n}", name=f"“{n:03}”") for n in range(99, 49, -1)]
    cases = [
        ("decimal ids", Rig(shuffled(50)), numbers, "id", 0),
        ("text ids", Rig([f"p{n}" for n in shuffled(50)]), texts, "id", 0),
        ("numbers as texts", Rig(numbers_apart), texts, None, 1),
        ("names", Rig(letters), names, "project_name", 1),
        ("names with one pair apart", Rig(letters), apart, "project_name", 1),
        ("nothing", Rig(shuffled(50)), {}, None, 1),
        ("one page", Rig(shuffled(9)), {}, None, 0),
        ("accounts", Rig(shuffled(50), kind="account"), {}, None, 1),
        ("refused", Rig(shuffled(50), answer=refused), {}, None, 0),  # no page was sent in vain
    ]
    failures = []
    for name, rig, sorts, expected, vain in cases:
        rig.sorts, harvest = sorts, harvests(rig)
        harvest.path = harvest.folder / f"{name}.archive"
        status = harvest.run().status()
        query = harvest.check().attrs["dirframe"]["query"]
        found = status.sort, query.get("sort"), len(rig.sent) - (len(rig.ids) + 10) // 10
        if found != (expected, expected, vain) or status.completeness != "proven":
            failures.append((name, found, status))
    assert not failures


def test_sample_without_its_first_page_has_no_records(harvests):
    def broken(request):
        is_newest = request.query.get("sort") == "new"
        return Reply(failed("Out of order."), 500) if is_newest else None

    harvest = harvests(Today(30, answer=broken))
    with pytest.raises(ServiceError):
        harvest.run(sample=5)
    archive = dirframe.open_archive(harvest.path)
    assert (archive.status().records, archive.status().finished) == (0, False)
    assert [*map(len, archive.chunks())] == [0]
    with pytest.warns(dirframe.IncompleteWarning):
        frame = archive.frame()
    assert frame.empty
    assert "incomplete" in provenance.caption(frame)


def test_sample_of_a_directory_that_does_not_count_leaves_a_whole_archive(harvests):
    rig = kept()
    rig.items_available = lambda _: None
    harvest = harvests(rig)
    attempts = []
    for _ in range(2):
        error = raised(harvest.run, sample=5)
        records = dirframe.open_archive(harvest.path).status().records
        attempts.append((type(error), "items_available" in str(error), records))
    assert attempts == [(InvalidInputError, True, 0)] * 2
    rig.items_available = lambda count: count
    assert harvest.run(sample=5).status().completeness == "sample"


# What changes meanwhile


@pytest.mark.parametrize("removed", slow_except(["2", "500"], ["2"]))
def test_records_that_move_forward_between_two_days_are_not_skipped(harvests, removed):
    check_records_that_move_forward(harvests, removed)


def check_records_that_move_forward(harvests, removed):
    rig = kept()
    harvest, others = harvests(rig), [one for one in rig.ids if one != removed]
    harvest.over_days(30, change=lambda _: rig.edit(lambda _: others))
    assert set(others) <= set(harvest.check()["id"])


@pytest.mark.parametrize("added", slow_except([1, 10, 25], [10]))
def test_records_that_are_added_in_front_do_not_end_the_harvest(harvests, added):
    rig = Rig(shuffled(500), kind="account")
    harvest, new = harvests(rig), [f"new{n}" for n in range(added)]
    archive, _ = harvest.over_days(30, change=lambda _: rig.edit(lambda ids: [*new, *ids]))
    assert set(rig.ids) - set(harvest.check()["id"]) == set(new)
    assert archive.status().completeness == "incomplete"


def test_pages_that_do_not_fit_are_read_again_once_if_few(harvests):
    rig = kept(300)
    rig.edits = {5: lambda ids: [one for one in ids if one != "3"]}
    harvest = harvests(rig)
    harvest.run()
    frame, paid = harvest.check(), len(rig.sent)
    harvest.run()
    assert set(rig.ids) <= set(frame["id"])
    assert paid == len(rig.sent) <= 30 + 1 + 5


SHIFTS = {
    "a day later": [DAY, DAY],
    "an hour back": [-HOUR, -HOUR],
    "a day back": [-DAY, -DAY],
    "years back, then on": [-700 * DAY, DAY],
}


@pytest.mark.parametrize("shift", slow_except(SHIFTS, ["years back, then on"]))
def test_clock_that_goes_back_between_harvests_changes_no_record_and_no_request(shift, harvests):
    """The order of arrival tells which reading is newer, and which count is right."""
    rig, moment = kept(), START
    harvest = harvests(rig)
    for day, step in enumerate([0 * DAY, *SHIFTS[shift]]):
        moment += step
        if day == 1:
            rig.edit(lambda ids: [*ids, *map(str, range(2000, 2030))])
            rig.records[294] = record("295", name="changed")  # on the last page of the first day
        data = harvest.folder / str(day)  # a count of its own: it knows the clock, too
        with (
            time_machine.travel(moment, tick=True),
            rig.directory(harvest.folder, data=data, cache=False, daily_quota=30) as directory,
            suppress(QuotaExceededError),
        ):
            dirframe.harvest("projects", harvest.path, directory=directory)
    frame = harvest.frame()
    assert {
        "records": set(frame["id"]),
        "requests": len(rig.requests),
        "newest reading": frame.set_index("id")["name"]["295"],
        "newest count": frame.attrs["dirframe"]["items_available"],
    } == {
        "records": set(rig.ids),
        "requests": 55,
        "newest reading": "changed",
        "newest count": 530,
    }


def test_clock_that_was_ahead_is_not_cited_by_an_archive(harvests):
    harvest = harvests(Rig(55))
    with time_machine.travel(datetime.now(UTC) + 700 * DAY, tick=True):
        harvest.run()
    now = datetime.now(UTC)
    archive = dirframe.open_archive(harvest.path)
    cited = archive.frame().attrs["dirframe"]["retrieved_newest"]
    assert archive.status().newest.date() == datetime.fromisoformat(cited).date() == now.date()


# By ids


def lives(rig, chance, *, added=6):
    """Let a day pass: projects are added, brought back, removed, merged and renamed.

    What is brought back was removed on a day before: a replica never misses what was there throughout.
    """
    rig.create(added)
    if rig.deleted and chance.random() < 0.7:
        rig.undelete(chance.choice(list(rig.deleted)))
    here = [one for one in rig.ids if one not in rig.deleted]
    rig.delete(*chance.sample(here, 3))
    first, second = chance.sample(rig.ids, 2)
    rig.merge(first, into=second)
    rig.rename(chance.choice(rig.ids), f"renamed {chance.random()}")


@pytest.mark.parametrize(("seed", "lag"), slow_except([(1, 0), (2, 2)], [(2, 2)]))
def test_harvest_by_ids_over_days_has_all_that_was_there_throughout(harvests, seed, lag):
    check_harvest_by_ids_over_days(harvests, seed, lag)


def check_harvest_by_ids_over_days(harvests, seed, lag):
    rig, chance = Today([str(n) for n in range(1, 1_002) if n % 8]), Random(seed)
    rig.replica_lag = lag
    harvest, count = harvests(rig), len(rig.ids)
    archive, days = harvest.over_days(8, change=lambda _: lives(rig, chance))
    status, facts = archive.status(), harvest.check().attrs["dirframe"]
    assert (status.completeness, status.finished) == ("proven", True)
    assert days >= 4
    assert facts["walk"]["bound"] == 1001
    assert facts["walk"]["items_available"] == [count, len(rig.ids)] or lag
    assert len(facts["walk"]["added_later"]) >= min(6 * (days - 1), 25) - lag
    # With a redirect in each process; each day ends with a request that is not sent.
    assert len(rig.requests) <= 1.01 * count / 25 + 5 + days
    before = len(rig.requests)
    harvest.run()
    assert len(rig.requests) == before


def check_killed_harvest_by_ids(tmp_path, kills):
    """Kill a harvest by ids; the fast tests lose a page in this process, in test_months.py."""
    with Today(400) as rig:
        rig.moves, harvest = False, Harvests(rig, tmp_path)
        for number in kills:
            words = (rig.url, rig.key, harvest.path, 1)
            processes.kill_after_requests(rig, number, LINE, *words)
        status = harvest.run().status()
        assert (status.finished, status.completeness) == (True, "proven")
        assert len(rig.requests) <= 16 + 4 + 2 * len(kills)
        assert harvest.check()["id"].tolist() == rig.ids


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("change", ["ids", "per_page"])
def test_harvest_goes_on_by_page_numbers_where_ids_end(harvests, change):
    rig = Today(200)
    rig.stops = {change: 5}
    harvest = harvests(rig)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ServiceChangedWarning)
        archive, _ = harvest.over_days(7)
    assert {one.category for one in warned} == {ServiceChangedWarning}
    status = archive.status()
    with pytest.warns(ServiceChangedWarning):
        archive.frame()
    frame = harvest.check()
    assert set(frame["id"]) == set(rig.ids)
    assert (status.completeness, status.sort) == ("counted", "project_name")
    assert "stopped answering by ids" in status.reason
    before = len(rig.requests)
    harvest.run()
    assert len(rig.requests) == before


def test_harvest_by_ids_names_a_record_that_cannot_be_sent_and_asks_for_it_again(harvests):
    rig = Today(300)
    hidden = rig.chosen
    rig.chosen = lambda request: [
        xml for xml in hidden(request) if "ids" in request.query or id_of(xml) != "100"
    ]
    rig.unsendable = {"100"}
    harvest = harvests(rig)
    attempts = []
    for _ in range(2):
        error = raised(harvest.run)
        status = dirframe.open_archive(harvest.path).status()
        # Another file would pay for all once more.
        is_advised = "Run the harvest again" in status.advice
        attempts.append((type(error), status.finished, is_advised))
    assert attempts == [(dirframe.NotFoundError, False, True)] * 2
    rig.unsendable = set()
    status = harvest.run().status()
    assert (status.completeness, status.records) == ("proven", 300)


# Own pages


def test_own_pages_replace_records_and_are_asked_for_once_over_days(harvests):
    rig = Today(40)
    harvest = harvests(rig)
    archive, days = harvest.over_days(10, details=True)
    frame = harvest.check()
    own = Counter(request.path for request in rig.requests if request.path.startswith("/p/"))
    status, facts = archive.status(), frame.attrs["dirframe"]
    assert days >= 5
    assert facts["walk"] == {"by": "ids", "bound": 40, "items_available": [40, 40]}
    assert set(own.values()) == {1}
    assert status.details == facts["details"] == 40
    assert frame["analysis__id"].tolist() == frame["id"].tolist()
    assert status.completeness == "proven"  # the pages of the collection are of one day
    assert facts["requests_made"] >= 5 + 40
    assert archive.verify() == len(rig.sent) + status.details
    chunks = pd.concat(archive.chunks(), ignore_index=True)
    pd.testing.assert_frame_equal(chunks, frame)


def test_own_pages_stay_wanted_if_a_later_call_does_not_ask_for_them(harvests):
    rig = Today(12)
    rig.bare = set(numbered(9))
    harvest = harvests(rig)
    with pytest.raises(QuotaExceededError):
        harvest.run({"daily_quota": 4}, details=True)
    status = harvest.run().status()
    assert (status.finished, status.details) == (True, 3)


def test_own_pages_of_records_to_come_count_among_the_requests_to_go(harvests):
    rig = Today(40)
    harvest = harvests(rig)
    with pytest.raises(QuotaExceededError):
        harvest.run({"daily_quota": 4}, details=True)
    status = dirframe.open_archive(harvest.path).status()
    assert 0 < status.records < 40
    assert 40 <= status.requests_left <= 45


def test_count_that_is_too_high_does_not_keep_a_harvest_of_own_pages_from_its_end(harvests):
    rig = Today(30)
    rig.items_available = lambda count: count + 15
    harvest = harvests(rig)
    status = harvest.run(details=True).status()
    assert (status.finished, status.completeness, status.requests_left) == (True, "incomplete", 0)


def test_own_pages_that_do_not_come_are_named_and_asked_for_once(harvests):
    rig = Today(30)
    rig.own_pages = {"4": DELETED, "5": SILENT}
    rig.other = {"6": "7"}
    harvest = harvests(rig)
    status = harvest.run(details=True).status()
    frame, paid = harvest.check(), len(rig.requests)
    harvest.run(details=True)
    facts = frame.attrs["dirframe"]
    assert len(rig.requests) == paid
    assert sorted(facts["details_missing"]) == ["4", "6"]
    assert (status.completeness, status.finished) == ("incomplete", True)
    assert {*frame["id"][frame["analysis__id"].isna()]} == {"4", "5", "6"}


def test_own_pages_of_a_bare_404_are_asked_for_again_until_ids_do_not_return_the_project(harvests):
    rig = Today(30)
    rig.own_pages = dict.fromkeys(["3", "17"], GONE)
    harvest = harvests(rig)
    attempts = []
    for _ in range(2):
        error = raised(harvest.run, details=True)
        status = dirframe.open_archive(harvest.path).status()
        attempts.append((type(error), status.details, status.requests_left, status.finished))
    assert attempts == [(dirframe.NotFoundError, 28, 2, False)] * 2
    rig.own_pages = {"3": GONE}
    rig.records[:] = [xml for xml in rig.records if id_of(xml) != "3"]
    status = harvest.run(details=True).status()
    frame, paid = harvest.check(), len(rig.requests)
    harvest.run(details=True)
    assert len(rig.requests) == paid
    assert (status.finished, status.details) == (True, 30)
    assert frame.attrs["dirframe"]["details_missing"] == ["3"]
    assert "3 (not found)" in status.reason


def test_error_among_own_pages_keeps_what_came(harvests):
    rig = Today(30)
    rig.own_pages = dict.fromkeys(["3", "17"], BROKEN)
    harvest = harvests(rig)
    with pytest.raises(ServiceError):
        harvest.run(details=True)
    status = dirframe.open_archive(harvest.path).status()
    assert (status.details, status.requests_left) == (28, 2)
    assert (status.finished, status.completeness) == (False, "incomplete")
    frame = harvest.check()
    assert len(frame) == 30
    assert "left out" not in frame.attrs["dirframe"]["incomplete_reason"]
    # A statistic must not count those of which nobody knows what they lack.
    with pytest.warns(dirframe.IncompleteWarning):
        whole = dirframe.open_archive(harvest.path).frame(whole=True)
    assert whole["analysis__id"].notna().sum() == len(whole) == status.details
    assert f"incomplete: {len(whole)} of 30 loaded" in provenance.caption(whole)
    assert "left out" in whole.attrs["dirframe"]["incomplete_reason"]
    rig.own_pages, paid = {}, len(rig.requests)
    harvest.run()  # begun with details, it ends with them
    assert harvest.check()["analysis__id"].notna().all()
    assert len(rig.requests) - paid <= 2 * (30 - status.details)  # each after a redirect


def test_own_pages_may_be_added_later_and_are_needed_by_few(harvests):
    rig = Today(30)
    rig.bare, rig.whole = {"1", "2"}, {"3"}
    harvest = harvests(rig)
    harvest.run()
    paid = len(rig.sent)
    status = harvest.run(details=True).status()
    frame = harvest.check()
    assert len(rig.sent) == paid
    assert (status.details, status.finished) == (27, True)
    assert set(frame["id"][frame["analysis__id"].isna()]) == {"1", "2"}


@given(
    count=st.integers(0, 70),
    changes=st.dictionaries(
        st.integers(2, 150),
        st.tuples(st.sampled_from(["add", "remove", "turn"]), st.integers(0, 200)),
        max_size=40,
    ),
    daily=st.integers(4, 20),
    keeps_ids=st.booleans(),
)
def test_harvest_calls_proven_only_what_there_is(count, changes, daily, keeps_ids):
    """Changes are by the number of the request; `Harvests.check` asserts what must hold."""
    rig = Rig(shuffled(count), size=4)
    rig.sorts = {"id": number} if keeps_ids else {}

    def before(_):
        asked = len(rig.requests)
        if asked in changes:
            kind, place = changes[asked]
            new = str(1000 + asked)
            rig.edit(lambda ids: EDITS[kind](ids, place % (len(ids) + 1), new))

    rig.before = before
    with rig.in_process(), TemporaryDirectory() as folder:
        harvest = Harvests(rig, Path(folder))
        archive, _ = harvest.over_days(daily, at_most=80)
        harvest.check()
        assert changes or archive.status().completeness in {"proven", "counted"}

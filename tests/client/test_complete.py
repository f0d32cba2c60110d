"""A load is complete, or said not to be: never short or doubled without a word."""

import re
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from hypothesis import example, given
from hypothesis import strategies as st

import dirframe
from dirframe.errors import IncompleteCollectionError, NotFoundError, ServiceError
from dirframe.provenance import get_provenance
from tests.cases import slow_except
from tests.rig import faults
from tests.rig.server import Request, Rig, numbered, page_xml, record

START = datetime(2026, 11, 2, 9, tzinfo=UTC)

#: What a page past the end is.
ENDS = ("empty", "first page", "no result", "404")

#: A single page of a multiple of this length may be the first of several.
SIZE_STEP = 5


class Changing(Rig):
    """A collection of numbered records that changes or lies while it is read.

    `end` is what a page past the end is, and `lie` is a function from the number of the request and
    of the records to the number that is stated.
    """

    def __init__(self, count, *, end="empty", lie=None, **options):
        super().__init__(count, **options)
        self.end = end
        self.past_end_is_first = end == "first page"
        self.empty_has_result = end != "no result"
        if lie is not None:
            self.items_available = lambda true: lie(len(self.requests), true)

    def page(self, request):
        first = (request.page - 1) * self.size
        if self.end == "404" and first >= max(len(self.records), 1):
            return self.refusal("missing")
        return super().page(request)


def pages_of(count, size, most=None):
    """Return the pages that prove a quiet collection complete: a full last one needs one more.

    Of a single page only its length tells whether it is full.
    """
    loaded = count if most is None else min(count, most)
    pages = max(-(-loaded // size), 1)
    is_full = count % size == 0 if pages > 1 else count > 0 and count % SIZE_STEP == 0
    return list(range(1, pages + 1 + (is_full and (most is None or most > count))))


def outcome(directory, **options):
    """Load projects; return the frame, its provenance, and whether it is said to be in doubt."""
    try:
        frame, doubt = dirframe.load_projects(directory, progress=False, **options), False
    except IncompleteCollectionError as error:
        frame, doubt = error.frame, True
    return frame, get_provenance(frame), doubt


def loaded(rig, **options):
    """Load projects from a rig in this process: ids, provenance, whether they are in doubt."""
    settings = {name: options.pop(name) for name in ("workers",) if name in options}
    with rig.in_process(), rig.directory(**settings) as directory:
        frame, facts, doubt = outcome(directory, **options)
    return frame["id"].tolist(), facts, doubt


def answering(pages, available):
    """Serve given ids by page, and nothing on others."""

    def answer(asked):
        shown = pages.get(asked.page, [])
        first = sum(len(ids) for page, ids in pages.items() if page < asked.page)
        return page_xml(map(record, shown), available=available, first=first)

    return Rig(answer=answer)


@given(
    count=st.integers(0, 60),
    size=st.sampled_from([1, 7, 10, 25]),
    end=st.sampled_from(ENDS),
    most=st.none() | st.integers(1, 70),
)
@example(count=0, size=10, end="empty", most=None)
@example(count=7, size=7, end="404", most=None)
@example(count=25, size=25, end="first page", most=26)
@example(count=50, size=10, end="empty", most=20)
@example(count=70, size=1, end="empty", most=None)  # they are converted 64 pages at a time
def test_load_quiet_collection_asks_for_each_page_once(count, size, end, most):
    rig = Changing(count, size=size, end=end)
    ids, facts, doubt = loaded(rig, max_items=most)
    assert ids == numbered(count)[:most]
    assert rig.pages == pages_of(count, size, most)
    assert not doubt
    assert facts["complete"] is (most is None or most >= count)
    assert (facts["items_available"], facts["duplicates_removed"]) == (count, 0)


# A directory that counts wrongly, or not at all


@pytest.mark.parametrize("end", ["empty", "first page", "no result"])
def test_load_without_a_count_is_never_called_complete(end):
    rig = Changing(47, end=end, lie=lambda *_: None)
    ids, facts, doubt = loaded(rig)
    assert (ids, doubt, facts["items_available"]) == (numbered(47), True, None)
    assert rig.pages in ([*range(1, 6 + 1)], [*range(1, 7 + 1)])
    rig = Changing(47, end=end, lie=lambda *_: None)
    ids, facts, doubt = loaded(rig, max_items=15)  # a limit that is reached needs no count
    assert (ids, doubt, rig.pages, facts["complete"]) == (numbered(15), False, [1, 2], False)


@pytest.mark.parametrize(
    ("count", "size", "stated", "most"),
    [
        *((50, 25, stated, None) for stated in (0, 1, 25, 46)),
        (6, 5, 5, None),  # a single full page
        (60, 10, 30, None),  # search engines count up to a number of full pages
        (30, 30, 25, 25),  # no more than were asked for, but more than were counted
    ],
)
def test_load_with_a_count_that_is_too_low_is_in_doubt(count, size, stated, most):
    rig = Changing(count, size=size, lie=lambda *_: stated)
    ids, facts, doubt = loaded(rig, max_items=most)
    assert (doubt, facts["complete"], len(ids) >= min(stated, count)) == (True, False, True)
    assert count <= stated or len(rig.pages) > stated // size  # the page behind them tells


@pytest.mark.parametrize("end", slow_except(["empty", "first page", "no result"], ["empty"]))
def test_load_with_a_count_without_measure_costs_a_few_pages(end):
    rig = Changing(47, end=end, lie=lambda *_: 10**17)
    ids, facts, doubt = loaded(rig)
    assert (ids, doubt, facts["items_available"]) == (numbered(47), True, 10**17)
    assert rig.pages[:6] == [1, 2, 3, 4, 5, 6]
    assert max(rig.pages) <= 7
    assert len(rig.pages) <= 12
    rig = Changing(60, size=25, end=end, lie=lambda *_: 10**17)
    rig.always = faults.late(0.005)
    assert len(loaded(rig, workers=4)[0]) == 60
    assert max(rig.pages) <= 3 + 4 * 4


def test_load_with_a_count_that_is_too_high_of_a_directory_that_says_404():
    rig = Changing(20, end="404", lie=lambda *_: 40)
    with pytest.raises(NotFoundError) as caught:
        loaded(rig)
    assert caught.value.url.endswith("page=3")
    assert rig.pages == [1, 2, 3, 2]  # the page before may be the last one now
    assert len(caught.value.frame) == 20


def test_load_whose_first_page_is_refused_as_it_is_asked_for_again_ends_with_that():
    rig = Changing(30)
    other = faults.rewrites(lambda body: body.replace(b"ble>30<", b"ble>29<"))
    rig.on_page[1] = [other, faults.fails("Not any more.", 410)]
    with pytest.raises(ServiceError) as caught:
        loaded(rig)
    assert (caught.value.status, rig.pages) == (410, [1, 2, 3, 4, 1])


def test_load_remembers_that_there_is_no_page_behind_the_last(tmp_path):
    with Changing(20, end="404").in_process() as rig:
        directory = rig.directory(tmp_path)
        facts = get_provenance(dirframe.load_projects(directory))
        assert facts["requests_made"] == len(rig.requests) == 3
        again = get_provenance(dirframe.load_projects(directory))
        assert (again["completeness"], again["requests_made"]) == ("proven", 0)
        offline = get_provenance(dirframe.load_projects(directory, offline=True))
        assert (offline["completeness"], offline["requests_made"]) == ("proven", 0)
        assert dirframe.plan("projects", directory=directory).cached == 3
        assert dirframe.plan("projects", details=True, directory=directory).cached == 3
        assert len(rig.requests) == 3
        rig.edit(lambda ids: [*ids, "21"])  # the page exists now
        assert (
            len(dirframe.load_projects(directory, refresh=True))
            == len(dirframe.load_projects(directory))
            == 21
        )


def test_load_with_counts_that_change_with_every_page_names_both():
    rig = Changing(50, lie=lambda reading, true: true + reading % 2)
    ids, facts, doubt = loaded(rig)
    assert (set(ids), doubt, len(rig.pages) < 60) == ({*numbered(50)}, True, True)
    assert {"50", "51"} <= {*facts["incomplete_reason"].split()}


# What one page has wrong once is asked for again


def test_load_asks_again_for_what_does_not_fit_alone():
    def rewritten(page, before, after, **options):
        rig = Changing(30, **options)
        rig.on_page[page] = [faults.rewrites(lambda body: body.replace(before, after))]
        return rig

    usual = [1, 2, 3, 4]
    cases = {
        "another count on page 2": (rewritten(2, b"ble>30<", b"ble>31<"), [1, 2]),
        "another count on the first page": (rewritten(1, b"ble>30<", b"ble>29<"), [1]),
        "no count on page 2": (rewritten(2, b"<items_available>30</items_available>", b""), [2]),
        "no count on page 3": (rewritten(3, b"<items_available>30</items_available>", b""), [3]),
        "another position": (rewritten(2, b"position>10<", b"position>11<"), [1, 2]),
        "a record of the first page": (rewritten(3, b"<id>21<", b"<id>1<"), [1, 3]),
        "a record too few on page 2": (rewritten(2, b"<id>11</id>", b"<id>12</id>"), [2]),
        "no id on page 3": (rewritten(3, b"<id>25</id>", b""), []),
    }
    failures = []
    for name, (rig, again) in cases.items():
        ids, facts, doubt = loaded(rig)
        complete = name != "no id on page 3"
        if rig.pages != [*usual, *again] or doubt is complete or (complete and ids != numbered(30)):
            failures.append((name, rig.pages, facts["incomplete_reason"], ids))
    assert not failures


@pytest.mark.parametrize("change", [lambda ids: [f"new{len(ids)}", *ids], lambda ids: ids[1:]])
@pytest.mark.parametrize("times", [[3], [8, 15]])
def test_load_of_a_changed_collection_reads_what_moved_again(change, times):
    rig = Changing(120)
    rig.before = lambda _: len(rig.requests) in times and rig.edit(change)
    ids, facts, doubt = loaded(rig)
    assert (ids, doubt, facts["items_available"]) == (rig.ids, False, len(ids))
    assert rig.pages[:12] == [*range(1, 13)]
    assert len(rig.pages) <= (1 + len(times)) * 13


def test_load_from_an_old_first_page_that_became_the_second(connect):
    rig = Changing(50, size=25)
    with rig.in_process():
        directory = connect(rig)
        outcome(directory, max_items=25)
        rig.edit(lambda ids: [*map(str, range(100, 125)), *ids[:25]])  # 25 came, 25 went
        frame, facts, doubt = outcome(directory)
    assert frame["id"].tolist() == rig.ids
    assert not doubt
    assert facts["complete"] is True
    assert rig.pages.count(1) == 2
    assert len(rig.pages) <= 6


# Records and pages as no directory should send them


def sending(rig, other):
    """Serve another page instead, by a function of the page and of how often it was asked for."""
    reply, asked = rig.page, Counter()

    def page(request):
        asked[request.page] += 1
        number = other(request.page, asked[request.page])
        return reply(Request(re.sub(r"page=\d+", f"page={number}", request.target)))

    rig.page = page
    return rig


@pytest.mark.parametrize(
    ("count", "other", "came"),
    [
        (55, lambda page, _: 1 if page == 3 else page, 45),
        (37, lambda page, time: {1: 1 if time == 1 else 9, 2: 3}.get(page, page), 27),
        (20, lambda page, time: {1: 1 if time == 1 else 9, 2: time}.get(page, page), 20),
    ],
)
def test_load_that_is_incomplete_holds_every_record_that_came(count, other, came):
    ids, facts, doubt = loaded(sending(Rig(count), other), workers=4)
    assert (len(ids), len(set(ids)), doubt) == (came, came, True)
    assert facts["completeness"] == "incomplete"
    numbers = re.findall(r"\d+", facts["incomplete_reason"])
    assert numbers == ([str(came), str(count)] if came < count else [str(count)])


IDS = numbered(33)


@pytest.mark.parametrize(
    ("pages", "available", "complete"),
    [
        ([IDS[:10], IDS[10:20], IDS[20:30], IDS[30:]], 33, True),
        ([IDS[:3], IDS[3:13], IDS[13:23], IDS[23:]], 33, True),
        ([IDS[:5], IDS[5:6], IDS[6:13], IDS[13:]], 33, True),
        ([IDS], 33, True),
        ([IDS[:10], IDS[8:18], IDS[16:20]], 20, False),  # they overlap
        ([IDS[:10], IDS[10:20], ["1", "x"]], 22, False),  # the last one repeats a record
        ([IDS[:10], IDS[10:13]], 12, False),  # more than are counted
    ],
)
def test_load_of_pages_whose_positions_fit_or_not(pages, available, complete):
    rig = answering(dict(enumerate(pages, start=1)), available)
    found, facts, doubt = loaded(rig)
    sent = [one for page in pages for one in page]
    assert (len(found), set(found)) == (len(set(sent)), set(sent))
    assert (doubt, facts["complete"]) == (not complete, complete)
    assert facts["duplicates_removed"] == len(sent) - len(found)
    assert len(rig.pages) <= 2 * len(pages) + 1


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=1), timedelta(days=700)])
@pytest.mark.parametrize("at", slow_except([2, 4, 7], [4]))
def test_clock_that_goes_back_during_a_load_changes_nothing(connect, back, at):
    """Records are removed before page 4 is sent, so that the first pages are read again."""

    def pages_read(shift):
        with Rig(55).in_process() as rig, time_machine.travel(START, tick=True) as clock:

            def before(_):
                if len(rig.requests) == at:
                    clock.shift(-shift)
                if len(rig.requests) == 4:
                    rig.edit(lambda ids: [one for one in ids if one not in {"3", "4"}])

            rig.before = before
            frame = dirframe.load_projects(connect(rig, cache=False), progress=False)
            return frame["id"].tolist(), rig.pages, get_provenance(frame)["completeness"]

    assert pages_read(back) == pages_read(timedelta(0))

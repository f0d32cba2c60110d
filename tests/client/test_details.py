"""Analyses on own pages: they are asked for record by record, priced before, and never paid twice."""

import re
from datetime import UTC, datetime

import pandas as pd
import pytest
import time_machine

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    ColumnsNotSentError,
    IncompleteCollectionError,
    IncompleteWarning,
    NotFoundError,
    QuotaExceededError,
    QuotaWarning,
    ServiceError,
)
from dirframe.provenance import caption, get_provenance
from tests import charts
from tests.cases import raised, slow_except
from tests.rig.server import Reply, failed, id_of, numbered, page_xml, record
from tests.rig.today import BROKEN, DELETED, GONE, REFUSED, SILENT, Today, projects

LINES = "analysis_total_code_lines"
IDS = numbered(14)
BARE = {"4", "9"}


def make():
    """Make today's service with 14 projects on two pages; two have no analysis."""
    rig = Today(14)
    rig.bare, rig.moves = set(BARE), False
    return rig


@pytest.fixture
def details_rig():
    with make().in_process() as opened:
        yield opened


@pytest.fixture(scope="module")
def carried():
    """Load the same records from a service that sends analyses in collections."""
    rig = make()
    rig.whole = set(IDS)
    with rig.in_process(), rig.directory() as directory:
        return load(directory)


def load(directory, **options):
    options = {"sort": "project_name", "progress": False} | options
    return dirframe.load_projects(directory, **options)


def own_pages(rig):
    """Return whose own pages were asked for, in order."""
    paths = [request.path.split("/") for request in rig.requests]
    return [path[2].removesuffix(".xml") for path in paths if len(path) > 2]


def with_id(frame):
    return frame["id"][frame["analysis_id"].notna()].tolist()


def same(frame, expected):
    pd.testing.assert_frame_equal(frame, expected, check_flags=False, check_like=True)


# What is asked for


@pytest.mark.parametrize("workers", slow_except([1, 4], [4]))
def test_details_give_what_a_whole_collection_gives_and_cost_nothing_again(
    details_rig, connect, carried, workers
):
    directory = connect(details_rig, workers=workers)
    frames, facts, sent = [], [], []
    for options in ({}, {}, {"offline": True}, {"refresh": True}):
        details_rig.forget()
        frame = load(directory, details=True, **options)
        frames.append(frame)
        facts.append(get_provenance(frame))
        sent.append(len(details_rig.requests))
    same(frame, carried)
    assert [one.equals(frame) for one in frames] == [True] * 4
    assert sent == [one["requests_made"] for one in facts] == [14, 0, 0, 14]
    names = ("complete", "details", "not_sent", "details_missing")
    assert [[one[name] for name in names] for one in facts] == [[True, 12, [], []]] * 4
    assert [one["query"]["details"] for one in facts] == [True] * 4
    assert frame[LINES].notna().sum() == 12
    assert sorted(own_pages(details_rig)) == sorted(with_id(carried))
    assert details_rig.pages == [1, 1]  # of ten, then of 25


def test_details_of_a_mixed_or_cut_collection_are_those_that_lack(details_rig, connect, carried):
    lacking = with_id(carried)[::7]
    details_rig.whole = {*IDS} - {*lacking}
    same(load(connect(details_rig), details=True), carried)
    assert own_pages(details_rig) == lacking
    details_rig.whole = set()
    details_rig.forget()
    same(load(connect(details_rig, cache=False), details=True, max_items=5), carried[:5])
    assert own_pages(details_rig) == with_id(carried[:5])


def test_details_are_of_records_without_content_of_an_analysis(serve, connect):
    """Empty elements are as none; a value that cannot be read is content."""
    inside = {
        "1": "<analysis><id>6</id></analysis>",
        "2": "",
        "3": "<analysis></analysis>",
        "4": "<analysis><twelve_month_contributor_count>x</twelve_month_contributor_count></analysis>",
        "5": "<analysis><languages><language>C</language></languages></analysis>",
        "6": "<analysis><id/><total_code_lines> </total_code_lines></analysis>",
    }
    records = [record(n, analysis_id=n, inner=xml) for n, xml in inside.items()]

    def answer(asked):
        name = asked.path.rpartition("/")[2].removesuffix(".xml")
        if name == "projects":
            return page_xml(records, available=6, first=0)
        return page_xml([record(name, analysis_id=name, inner="<analysis><id>7</id></analysis>")])

    rig = serve(answer)
    with pytest.warns(dirframe.errors.UnreadableValueWarning):
        frame = load(connect(rig), details=True)
    assert own_pages(rig) == ["2", "3", "6"]
    assert frame.set_index("id")["analysis__id"].dropna().to_dict() == {
        "1": "6", "2": "7", "3": "7", "6": "7",
    }  # fmt: skip


def test_details_without_ids_of_analyses_are_of_every_record(connect):
    records = [re.sub("analysis_id>", "other>", xml) for xml in projects(IDS[:12])]
    with Today(records).in_process() as rig:
        rig.moves, rig.own_pages = False, {"3": SILENT}
        frame = load(connect(rig), details=True)
    assert own_pages(rig) == frame["id"].tolist()
    assert frame["id"][frame[LINES].isna()].tolist() == ["3"]
    facts = get_provenance(frame)
    assert (facts["details_missing"], facts["complete"]) == ([], True)


def test_analyses_that_were_not_sent_are_said_with_their_price(details_rig, connect):
    with pytest.warns(AnalysesNotSentWarning, match="12") as caught:
        frame = load(connect(details_rig))
    assert [(one.message.requests, one.filename) for one in caught] == [(12, __file__)]
    absent = get_provenance(frame)["not_sent"]
    assert {LINES, "analysis_main_language_name", "analysis__id"} <= set(absent)
    assert {"id", "analysis_id", "name"}.isdisjoint(absent)
    assert frame[LINES].isna().all()
    with pytest.raises(ColumnsNotSentError) as caught:
        dirframe.stats.language_share(frame)
    assert set(caught.value.columns) <= set(absent)


@pytest.mark.parametrize(
    ("whole", "bare"), [({"7"}, BARE), ({}, set(IDS))], ids=["one was sent", "there is none"]
)
def test_analyses_are_not_missing_where_one_was_sent_or_none_exists(
    whole, bare, details_rig, connect
):
    details_rig.whole, details_rig.bare = whole, bare
    assert get_provenance(load(connect(details_rig)))["not_sent"] == []


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_activity_without_analyses_is_the_class_that_the_directory_states(connect):
    values = dict(
        zip(map(str, range(1, 13)), [0, 10, 20, 20, 30, 40, 50, 60, 70, 0, 20, 40], strict=True)
    )
    rig = Today(12)
    rig.records[:] = [
        re.sub("<value>40<", f"<value>{values[id_of(xml)]}<", xml) for xml in rig.records
    ]
    with rig.in_process():
        frame = load(connect(rig), sort=None)
        whole = load(connect(rig), sort=None, details=True)
    table = dirframe.stats.activity(frame)
    assert table["projects"].tolist() == [7, 3, 2]
    assert get_provenance(table)["counted"] == {
        "projects": 12, "with_activity": 10, "unknown": 2, "class_missing": 2
    }  # fmt: skip
    assert len(dirframe.select(frame, activity="dormant")) == 3
    shown = charts.caption(dirframe.plot.activity(frame))
    assert "project_activity_index" in shown
    assert "Unknown: 2 projects of no class" in shown
    # Nothing is known of months.
    with pytest.raises(ColumnsNotSentError):
        dirframe.stats.activity(frame, window=6)
    with pytest.raises(ColumnsNotSentError):
        dirframe.stats.activity(frame, as_of="2026-11")
    months = dirframe.stats.activity(whole)  # an analysis counts before the class
    assert months["projects"].tolist() == [12, 0, 0]
    assert "class_missing" not in get_provenance(months)["counted"]


# What does not come


@pytest.mark.parametrize("reply", [DELETED, REFUSED], ids=["deleted", "refused"])
def test_details_that_do_not_come_are_named_and_their_rows_stay(
    details_rig, connect, carried, reply
):
    directory, lost = connect(details_rig), with_id(carried)[2:4]
    details_rig.own_pages = dict.fromkeys(lost, reply)
    with pytest.raises(IncompleteCollectionError, match=lost[0]) as caught:
        load(directory, details=True)
    assert caught.value.details_missing == tuple(lost)
    assert re.findall(r"-?\d+", caught.value.missing) == ["2", *lost]
    assert caught.value.frame["id"].tolist() == carried["id"].tolist()
    assert get_provenance(caught.value.frame)["requests_made"] == len(details_rig.requests) == 14
    details_rig.forget()
    with pytest.warns(IncompleteWarning) as warned:
        frame = load(directory, details=True, incomplete="warn")
    assert warned[0].message.details_missing == tuple(lost)
    assert details_rig.requests == []  # a refusal is paid for once
    facts = get_provenance(frame)
    assert (facts["details_missing"], facts["complete"]) == (lost, False)
    rows = frame.set_index("id").loc[lost]
    assert rows["name"].notna().all()
    assert rows[LINES].isna().all()
    price = dirframe.plan("projects", sort="project_name", details=True, directory=directory)
    assert (price.requests_at_most, price.details, price.cached) == (0, 12, 2 + 12)
    details_rig.own_pages = {}
    load(directory, details=True, refresh=True)
    same(load(directory, details=True), carried)


@pytest.mark.parametrize("workers", [1, 4])
def test_details_of_a_bare_404_are_asked_for_again_unless_ids_do_not_return_the_project(
    details_rig, connect, carried, workers
):
    directory, lost = connect(details_rig, workers=workers), with_id(carried)[2:4]
    with pytest.warns(AnalysesNotSentWarning):
        load(directory)
    details_rig.own_pages = dict.fromkeys(lost, GONE)
    details_rig.records[:] = [
        xml for xml in details_rig.records if id_of(xml) != lost[1]
    ]  # it is gone since
    paid, errors = [], []
    for _ in range(2):
        details_rig.forget()
        errors.append(raised(load, directory, details=True))
        paid.append((own_pages(details_rig).count(lost[0]), own_pages(details_rig).count(lost[1])))
    assert [type(error) for error in errors] == [IncompleteCollectionError] * 2
    assert [error.details_missing for error in errors] == [tuple(lost)] * 2
    assert paid == [(1, 1), (1, 0)]
    words = f"{lost[0]} (status 404), {lost[1]} (not found)"
    assert [words in error.missing for error in errors] == [True, True]
    details_rig.own_pages = {}
    with pytest.raises(IncompleteCollectionError) as caught:
        load(directory, details=True)
    assert caught.value.details_missing == (lost[1],)


def test_details_of_a_bare_404_where_ids_are_not_honoured_stay_failures(
    details_rig, connect, carried
):
    lost = with_id(carried)[3]
    details_rig.own_pages, details_rig.ignored = {lost: GONE}, {"ids"}
    attempts = []
    for _ in range(2):
        details_rig.forget()
        error = raised(load, connect(details_rig), details=True)
        is_named = f"{lost} (status 404)" in str(error)
        attempts.append((type(error), is_named, own_pages(details_rig).count(lost)))
    assert attempts == [(IncompleteCollectionError, True, 1)] * 2


def test_details_of_25_bare_404_in_a_row_end_a_load_if_the_projects_are_there(connect):
    rig = Today(60)
    rig.moves, rig.own_pages = False, dict.fromkeys(numbered(60), GONE)
    with rig.in_process():
        with pytest.raises(NotFoundError) as caught:
            load(connect(rig), details=True)
        assert len(own_pages(rig)) == 25
        assert len(caught.value.frame) == 60
        rig.own_pages = {}
        assert load(connect(rig), details=True)[LINES].notna().all()


def test_details_keep_what_came_before_the_quota_ended(details_rig, connect, carried):
    asked, limited = with_id(carried), connect(details_rig, daily_quota=2 + 9)
    with pytest.raises(QuotaExceededError), pytest.warns(QuotaWarning):
        load(limited, details=True)
    assert len(details_rig.requests) == 2 + 9
    with pytest.warns((IncompleteWarning, QuotaWarning)):
        part = load(limited, details=True, incomplete="warn")
    # Of the others nobody knows whether they lack a value: they are left out, and counted.
    assert part["id"].tolist() == [one for one in carried["id"] if one not in asked[9:]]
    assert part[LINES].notna().sum() == 9
    assert f"incomplete: {len(part)} of {len(carried)}" in caption(part)
    assert "left out" in get_provenance(part)["incomplete_reason"]
    few = connect(details_rig, daily_quota=len(details_rig.requests) + 8)
    with pytest.warns((IncompleteWarning, QuotaWarning)):
        part = load(few, details=True, incomplete="warn", refresh=True)
    assert 0 < len(part) < len(carried)
    with pytest.raises(CacheError):
        load(connect(details_rig), details=True, offline=True)
    with pytest.warns(IncompleteWarning, match="own pages") as warned:
        part = load(connect(details_rig), details=True, offline=True, incomplete="warn")
    assert warned
    assert part[LINES].notna().sum() == 9
    details_rig.forget()
    same(load(connect(details_rig), details=True), carried)
    assert own_pages(details_rig) == asked[9:]


def test_details_progress_is_reported_to_a_callback(details_rig, connect):
    told = []
    load(
        connect(details_rig),
        details=True,
        progress=lambda *numbers: told.append(numbers),
    )
    assert told == [(14, 14), *((n, 12) for n in range(1, 13))]


@pytest.mark.parametrize(("last", "left"), [((3, 12), 9), ((14, 14), 12)])
def test_details_end_where_a_callback_stops(last, left, details_rig, connect):
    def stop(*numbers):
        if numbers == last:
            raise StopIteration

    with pytest.raises(IncompleteCollectionError, match=f"{left} ") as caught:
        load(connect(details_rig), details=True, progress=stop)
    assert len(caught.value.frame) == 14 - left
    assert caught.value.frame[LINES].notna().sum() == 12 - left


def test_details_a_callback_is_not_told_of_the_page_that_ends_the_load(
    details_rig, connect, carried
):
    def stop(*numbers):
        told.append(numbers)
        if numbers == (5, 12):
            raise StopIteration

    told = []
    details_rig.own_pages[with_id(carried)[4]] = Reply(failed("Over."), 429)
    with pytest.raises(QuotaExceededError):
        load(connect(details_rig), details=True, progress=stop)
    assert told[-1] == (4, 12)


@pytest.mark.parametrize("workers", [1, 2])
def test_details_that_fail_are_asked_for_again_and_three_in_a_row_end_the_load(
    details_rig, connect, carried, workers
):
    asked, directory = with_id(carried), connect(details_rig, workers=workers)
    lost = [*asked[2:4], asked[7]]
    details_rig.own_pages = dict.fromkeys(lost, BROKEN)
    errors, sent = [], []
    for _ in range(2):
        details_rig.forget()
        errors.append(raised(load, directory, details=True))
        sent.append(len(details_rig.requests))
    assert [type(error) for error in errors] == [IncompleteCollectionError] * 2
    assert [f"{asked[7]} (status 500)" in str(error) for error in errors] == [True, True]
    assert [error.details_missing for error in errors] == [tuple(lost)] * 2
    assert [error.frame[LINES].notna().sum() for error in errors] == [9, 9]
    made = [get_provenance(error.frame)["requests_made"] for error in errors]
    assert made == sent == [14, 3]
    details_rig.own_pages = dict.fromkeys(asked, BROKEN)
    details_rig.forget()
    with pytest.raises(ServiceError):
        load(directory, details=True, refresh=True)
    assert len(own_pages(details_rig)) < 12
    details_rig.forget()
    with pytest.warns(IncompleteWarning):
        part = load(connect(details_rig, cache=False), details=True, incomplete="warn")
    assert get_provenance(part)["requests_made"] == len(details_rig.requests)
    details_rig.own_pages = {}
    same(load(directory, details=True), carried)


# What they cost


def test_details_price_has_two_bounds_until_pages_are_known(connect):
    question = {"sort": "project_name", "details": True}
    rig = Today(60)
    rig.bare, rig.moves = set(BARE), False
    with rig.in_process():
        directory = connect(rig)
        price = dirframe.plan("projects", **question, directory=directory)
        in_order = sorted(rig.records, key=lambda xml: xml.partition("<name>")[2].lower())
        first = sum(id_of(xml) not in BARE for xml in in_order[:25])
        assert len(rig.requests) == 2  # the first page of ten, and that of 25
        least, most = price.requests_at_least, price.requests_at_most
        assert (least, most, price.details) == (2, 2 + first + 35, first + 35)
        expected = {least - 1: False, least: None, most - 1: None, most: True}
        plans = {}
        for left in expected:
            quota = left + len(rig.requests)
            again = dirframe.plan("projects", **question, directory=connect(rig, daily_quota=quota))
            plans[again.quota.left] = again.fits
        assert plans == expected
        with pytest.warns(AnalysesNotSentWarning):
            load(directory)
        price = dirframe.plan("projects", **question, directory=directory)
        assert price.requests_at_most == price.requests_at_least == 58
        without = dirframe.plan("projects", sort="project_name", directory=directory)
        assert (without.details, without.requests_at_most) == (0, 0)
        load(directory, details=True)
        assert least <= len(rig.requests) - 2 <= most
        price = dirframe.plan("projects", **question, directory=directory)
        assert (price.requests_at_most, price.details, price.fits) == (0, 58, True)
        rig.bare = set(rig.ids)  # each project says that it has no analysis
        price = dirframe.plan("projects", **question, directory=connect(rig, cache=False))
        assert (price.requests_at_least, price.requests_at_most) == (2 + 2, 2 + 2 + 35)


def test_details_are_asked_for_of_no_project_that_says_it_has_no_analysis(details_rig, connect):
    details_rig.bare = set(IDS)
    frame = load(connect(details_rig), details=True)
    assert (len(frame), own_pages(details_rig)) == (14, [])
    assert get_provenance(frame)["completeness"] == "proven"


def test_details_refusals_are_forgotten_with_the_pages(details_rig, connect, carried):
    silent = with_id(carried)[3]
    details_rig.own_pages = {silent: SILENT}
    loads = {}
    with time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC)) as clock:
        for day in (0, 6, 8):
            clock.move_to(datetime(2026, 3, 1 + day, tzinfo=UTC))
            details_rig.forget()
            frame = load(connect(details_rig), details=True)
            made = get_provenance(frame)["requests_made"]
            loads[day] = (frame[LINES].notna().sum(), made, len(details_rig.requests))
    assert loads == {0: (11, 14, 14), 6: (11, 0, 0), 8: (11, 14, 14)}

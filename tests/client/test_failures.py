"""A page, an own page or a project that cannot be read costs itself alone, and is named."""

import re
import warnings
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import time_machine

import dirframe
from dirframe.errors import (
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)
from dirframe.provenance import get_provenance
from tests.cases import slow_except
from tests.rig import faults
from tests.rig.server import Reply, Rig, numbered, page_xml, record
from tests.rig.today import Today

#: Responses with status 200 that are no page.
UNREADABLE = {
    "HTML": b"<!DOCTYPE html><html><head><title>Maintenance</title></head></html>",
    "cut off": b"<response><status>success</status><result><project>",
    "a control character": b"<response><status>success</status><result>&#x0E;</result></response>",
    "an entity": b"<response><status>success</status><result>&nbsp;</result></response>",
    "empty": b"",
}
START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def unreadable(name):
    return faults.answers(UNREADABLE[name])


@pytest.fixture(params=UNREADABLE)
def name(request):
    return request.param


@pytest.mark.parametrize(
    ("name", "workers"),
    slow_except(
        [(name, workers) for name in UNREADABLE for workers in (1, 4)],
        [*((name, 1) for name in UNREADABLE), (next(iter(UNREADABLE)), 4)],
    ),
)
def test_unreadable_page_of_a_collection_costs_its_records_alone(connect, name, workers):
    with Rig(30).in_process() as rig:
        rig.on_page[2] = [unreadable(name)] * 9
        directory = connect(rig, workers=workers)
        with pytest.raises(UnreadableResponseError) as caught:
            dirframe.load_projects(directory)
        with pytest.warns(IncompleteWarning, match="page=2 failed"):
            frame = dirframe.load_projects(directory, incomplete="warn")
    assert isinstance(caught.value, RequestError)
    assert caught.value.url.endswith("page=2")
    assert {*caught.value.frame["id"]} >= {*numbered(10)}
    assert {*frame["id"]} == {*numbered(10), *numbered(30)[20:]}


def test_unreadable_own_page_is_one_lost_record(connect, name):
    with Today(12).in_process() as today:
        today.own_pages = {"7": Reply(UNREADABLE[name])}
        with pytest.raises(IncompleteCollectionError) as caught:
            dirframe.load_projects(connect(today), details=True, progress=False)
    frame = caught.value.frame
    assert caught.value.details_missing == ("7",)
    assert (len(frame), frame["id"][frame["analysis__id"].isna()].tolist()) == (12, ["7"])


def test_unreadable_project_of_many_is_one_failure(serve, connect, name):
    def answer(asked):
        project = asked.path.split("/")[2]
        if project == "2":
            return Reply(UNREADABLE[name])
        return page_xml([record(1, "contributor_fact")], available=1, first=0)

    directory = connect(serve(answer))
    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_contributors([1, 2, 3], directory=directory)
    assert caught.value.frame["project_id"].tolist() == ["1", "3"]
    assert list(get_provenance(caught.value.frame)["failures"]) == ["2"]


def test_unreadable_page_of_a_harvest_leaves_all_others_in_the_archive(tmp_path, connect, name):
    with Rig(30).in_process() as rig:
        rig.sorts = {"id": lambda xml: int(re.search(r"<id>(\d+)", xml)[1])}
        rig.on_page[2] = [unreadable(name)] * 9
        with pytest.raises(UnreadableResponseError):
            dirframe.harvest("projects", tmp_path / "a", directory=connect(rig))
        with pytest.raises(UnreadableResponseError):
            dirframe.harvest("projects", tmp_path / "a", directory=connect(rig))
    assert dirframe.open_archive(tmp_path / "a").status().records == 20


def test_missing_page_of_a_collection_costs_its_records_alone(connect):
    with Rig(60).in_process() as rig:
        rig.on_page[3] = [faults.fails_today("404 - Not Found", 404)] * 9
        with pytest.warns(IncompleteWarning):
            frame = dirframe.load_projects(connect(rig), incomplete="warn", progress=False)
    assert {*frame["id"]} == {*numbered(60)} - {*numbered(30)[20:]}


@pytest.mark.parametrize("removed", [1, 11])
def test_missing_page_behind_the_end_after_a_removal_is_the_end(connect, removed):
    class Ending(Rig):
        def page(self, request):
            first = (request.page - 1) * self.size
            return super().page(request) if first < len(self.records) else self.refusal("missing")

    with Ending(31).in_process() as rig:
        rig.edits = {3: lambda ids: ids[removed:]}
        frame = dirframe.load_projects(connect(rig), progress=False)
        assert {*frame["id"]} == {*rig.ids}
    assert get_provenance(frame)["completeness"] == "proven"


def test_records_without_their_key_are_no_end_of_a_collection(serve, connect):
    def answer(asked):
        first = (asked.page - 1) * 10
        shown = [f"<project><name>p{n}</name></project>" for n in range(35)][first : first + 10]
        return page_xml(shown, available=35, first=first)

    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_projects(connect(serve(answer)), progress=False)
    assert len(caught.value.frame) == 35


def test_collection_without_a_count_in_an_unstable_order_spends_few_requests(connect):
    rig = Rig(40)
    rig.items_available = lambda _: None
    rig.past_end_is_first = True
    rig.sorted = lambda _, records: Random(len(rig.requests)).sample(records, len(records))
    with rig.in_process(), pytest.raises(IncompleteCollectionError):
        dirframe.load_projects(connect(rig, daily_quota=1000), progress=False)
    assert len(rig.requests) <= 40


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("seed", range(5))
def test_order_that_fails_is_named_if_luck_has_brought_all_records(seed):
    rig = Today(40)
    rig.sorted = lambda _, records: Random(100 * seed + len(rig.requests)).sample(
        records, len(records)
    )
    with rig.in_process(), pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_projects(rig.directory(), sort="new", progress=False)
    assert (caught.value.order_fails, caught.value.better_sort) == (True, "project_name")


def test_order_in_which_a_record_moved_once_is_proven_by_a_refresh(tmp_path):
    rig = Rig(200)

    def move_the_first_record(request):
        if request.page == 20 and rig.ids[0] == "1":
            rig.edit(lambda ids: [*ids[1:], "1"])

    rig.before = move_the_first_record
    with rig.in_process(), rig.directory(tmp_path) as directory:
        with pytest.raises(IncompleteCollectionError, match=r"refresh=True") as caught:
            dirframe.load_projects(directory, progress=False)
        assert caught.value.order_fails
        frame = dirframe.load_projects(directory, refresh=True, progress=False)
    assert frame.attrs["dirframe"]["completeness"] == "proven"


def test_first_records_of_an_unstable_order_come_with_a_warning(tmp_path):
    with Today(200).in_process() as today, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = dirframe.load_projects(today.directory(tmp_path), max_items=50, progress=False)
        paid = len(today.requests)
        again = dirframe.load_projects(today.directory(tmp_path), max_items=50, progress=False)
    warned = [one.message for one in caught if one.category is IncompleteWarning]
    assert [one.order_fails for one in warned] == [True, True]
    assert 0 < len(frame) == len(again) <= 50
    assert paid == len(today.requests) <= 1 + 5  # after a redirect


@pytest.mark.parametrize(
    "path",
    ["/things.xml?time", "/things.xml?x=", "/things.xml?tag=a&tag=b", "/things.xml?a=1&time"],
)
def test_parameters_that_would_be_lost_are_refused(serve, connect, path):
    rig = serve(page_xml([record(1, "thing")], available=1))
    with pytest.raises(InvalidInputError):
        dirframe.load(path, directory=connect(rig))
    assert rig.requests == []


# Errors that end a load hold what was received


@pytest.mark.filterwarnings("ignore::dirframe.errors.OverQuotaWarning")
@pytest.mark.parametrize("error", [QuotaExceededError, ServiceError])
def test_error_that_ends_a_load_holds_the_records_received(connect, error):
    with Rig(60).in_process() as rig:
        limit = {"daily_quota": 3} if error is QuotaExceededError else {}
        if error is ServiceError:
            rig.on_page[4] = [faults.FAULTS["500"]] * 4
        with pytest.raises(error) as caught:
            dirframe.load_projects(connect(rig, **limit), progress=False)
    assert caught.value.frame["id"].tolist() == numbered(30)
    assert get_provenance(caught.value.frame)["completeness"] == "incomplete"


@pytest.mark.filterwarnings("ignore::dirframe.errors.OverQuotaWarning")
def test_error_that_ends_many_holds_the_projects_received(serve, connect):
    rig = serve(page_xml([record(1, "contributor_fact")], available=1, first=0))
    with pytest.raises(QuotaExceededError) as caught:
        dirframe.load_contributors([1, 2, 3], directory=connect(rig, daily_quota=2))
    assert caught.value.frame["project_id"].tolist() == ["1", "2"]
    assert get_provenance(caught.value.frame)["failures"] == {"3": "not asked for"}


# Advice, and the price


def test_advice_for_pages_of_an_earlier_day_is_to_refresh(tmp_path):
    with Rig(100).in_process() as rig:
        for day, edit in enumerate([list, lambda ids: ["new", *ids]]):
            rig.edit(edit)
            with (
                time_machine.travel(START + timedelta(days=day, minutes=day), tick=True),
                warnings.catch_warnings(),
                rig.directory(tmp_path, daily_quota=7) as directory,
            ):
                warnings.simplefilter("ignore", dirframe.QuotaWarning)
                try:
                    dirframe.load_projects(directory, progress=False)
                except QuotaExceededError:
                    continue
                except IncompleteCollectionError as error:
                    hint = error.hint
    assert hint.startswith("refresh=True")


def test_price_of_the_own_pages_of_a_load_is_known_before_they_are_paid(connect):
    with Today(60).in_process() as today:
        today.moves = False
        directory = connect(today, daily_quota=8, cache=False)
        with pytest.raises(QuotaExceededError, match="about 62 more"):
            dirframe.load_projects(directory, details=True, sort="project_name")
        assert len(today.requests) == 2


@pytest.mark.filterwarnings("ignore::dirframe.errors.OverQuotaWarning")
def test_price_of_a_load_leaves_out_own_pages_in_the_cache(connect):
    with Today(60).in_process() as today:
        today.moves = False
        options = {"details": True, "sort": "project_name", "progress": False}
        with pytest.raises(QuotaExceededError):
            dirframe.load_projects(connect(today, daily_quota=40), **options)
        price = dirframe.plan(
            "projects", details=True, sort="project_name", directory=connect(today)
        )
        assert (price.requests_at_least, price.requests_at_most) == (24, 24)
        with (
            pytest.warns(dirframe.QuotaWarning, match="about 24 more"),
            pytest.raises(QuotaExceededError),
        ):
            dirframe.load_projects(connect(today, daily_quota=50), **options)


def test_harvest_after_a_clock_is_set_back_goes_on_by_the_newest_count(tmp_path):
    with Rig(30).in_process() as rig, rig.directory(tmp_path) as directory:
        with time_machine.travel(START, tick=True):
            rig.faults.extend([None, faults.FAULTS["500"]])
            with suppress(ServiceError):
                dirframe.harvest("projects", tmp_path / "a", directory=directory)
        rig.edit(lambda ids: [*ids, *map(str, range(31, 46))])
        with time_machine.travel(START - timedelta(hours=1), tick=True):
            archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
    assert set(archive.frame()["id"]) == set(numbered(45))


@pytest.mark.parametrize(
    ("options", "is_unstable"),
    [({"sort": "users"}, True), ({"max_items": 40}, True), ({}, False), ({"sample": 9}, False)],
)
def test_price_of_a_load_in_an_unstable_order_says_so(connect, options, is_unstable):
    with Today(60).in_process() as today:
        price = dirframe.plan("projects", directory=connect(today), **options)
    assert (price.is_order_unstable, "not stable" in repr(price)) == (is_unstable, is_unstable)


def test_sort_of_which_no_column_shows_that_it_was_kept_is_not_claimed(connect):
    with Rig(30).in_process() as rig:
        frame = dirframe.load_projects(connect(rig), sort="popularity", progress=False)
    assert "sort" not in get_provenance(frame)["query"]

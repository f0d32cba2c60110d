"""What is paid for is kept, on the live service as it is today, and over days."""

import warnings
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import time_machine

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    IncompleteWarning,
    QuotaExceededError,
    QuotaWarning,
    SortIgnoredWarning,
)
from dirframe.provenance import get_provenance
from tests.rig.server import Rig, id_of, numbered, page_xml, record
from tests.rig.today import Today

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def load_daily(rig, folder, *, days, each_day=list, **options):
    """Load projects at 60 requests a day, as a person repeats a line; only the last day ends."""

    def load(day):
        # A little later each day, when the quota has returned.
        with (
            time_machine.travel(START + timedelta(days=day, minutes=day)),
            rig.directory(folder, daily_quota=60) as directory,
        ):
            return dirframe.load_projects(directory, progress=False, **options)

    with rig.in_process():
        for day in range(days - 1):
            with (
                pytest.warns(QuotaWarning, match=f"on {days - day} days"),
                pytest.raises(QuotaExceededError),
            ):
                load(day)
            rig.edit(each_day)
        return load(days - 1)


def test_load_of_own_pages_beyond_the_quota_asks_for_each_once(tmp_path):
    rig = Today(160)
    frame = load_daily(rig, tmp_path, days=3, sort="project_name", details=True)
    assert set(frame["id"]) == set(rig.ids)
    assert frame["analysis__id"].notna().all()
    own = [request for request in rig.requests if request.path.startswith("/p/")]
    assert len(own) == 160
    assert get_provenance(frame)["completeness"] == "proven"  # the collection is of one day


def test_load_of_a_collection_that_grows_daily_is_counted(tmp_path):
    rig = Rig(1000, size=10)
    frame = load_daily(rig, tmp_path, days=2, each_day=lambda ids: [*ids, "new"])
    assert frame["id"].tolist() == [*numbered(1000), "new"]
    assert len(rig.pages) <= 105
    facts = get_provenance(frame)
    assert (facts["completeness"], facts["complete"]) == ("counted", None)
    assert "2026-11-02" in facts["incomplete_reason"]
    assert "2026-11-03" in facts["incomplete_reason"]
    assert "not proven" in dirframe.cite(frame)


def test_load_of_a_collection_that_grows_in_front_keeps_what_it_paid_for(tmp_path):
    rig = Rig(1000, size=10)
    with pytest.raises(IncompleteCollectionError) as caught:
        load_daily(rig, tmp_path, days=2, each_day=lambda ids: ["new", *ids])
    assert caught.value.frame["id"].tolist() == numbered(1000)
    assert "1,001" in caught.value.missing
    assert len(rig.pages) <= 105


def test_load_of_a_few_pages_of_yesterday_asks_for_them_again_if_they_do_not_fit(tmp_path):
    with Rig(100, size=10).in_process() as rig:
        for day, change in enumerate([list, lambda ids: ["new", *ids]]):
            with time_machine.travel(START + timedelta(days=day)):
                rig.edit(change)
                with rig.directory(tmp_path) as directory:
                    frame = dirframe.load_projects(
                        directory, max_items=None if day else 20, progress=False
                    )
    assert frame["id"].tolist() == rig.ids
    assert len(rig.pages) == 2 + 9 + 2
    assert get_provenance(frame)["completeness"] == "proven"


@pytest.mark.parametrize("reshuffles", [True, False])  # at each request, or each page stays
@pytest.mark.parametrize("kind", ["project", "account"])
def test_load_in_an_order_that_does_not_hold_keeps_all_for_a_tenth_more(kind, reshuffles):
    load = dirframe.load_projects if kind == "project" else dirframe.load_accounts
    sort, better = ("users", "project_name") if kind == "project" else (None, None)
    rig, came = Today(300, kind=kind), set()
    rig.reshuffles = reshuffles
    rig.listed = lambda xml: came.add(id_of(xml)) or xml
    if kind == "account":
        rig.sorted = lambda request, records: Random(
            len(rig.requests) if reshuffles else request.page
        ).sample(records, len(records))
    with rig.in_process(), rig.directory() as directory:
        with pytest.raises(IncompleteCollectionError) as caught:
            load(directory, progress=False, sort=sort)
        error = caught.value
        assert len(rig.pages) <= 33
        assert set(error.frame["id"]) == came
        assert (error.received, error.expected) == (len(came), 300)
        assert (error.order_fails, error.better_sort) == (True, better)
        with pytest.warns(IncompleteWarning) as warned:
            load(directory, progress=False, incomplete="warn", sort=sort)
    [warning] = [one.message for one in warned if one.category is IncompleteWarning]
    assert (warning.order_fails, warning.better_sort) == (True, better)


def test_load_of_the_newest_reading_of_a_record_that_comes_twice():
    pages = {1: ["1", "2", "3"], 2: ["3", "4", "5"], 3: ["1", "5", "6"], 4: ["2", "6", "7"]}

    def answer(asked):
        written = [record(one, name=f"on page {asked.page}") for one in pages.get(asked.page, [])]
        return page_xml(written, available=12, first=3 * (asked.page - 1))

    rig = Rig(answer=answer)
    with rig.in_process(), pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_projects(rig.directory(), progress=False)
    names = caught.value.frame.set_index("id")["name"].str[-1].to_dict()
    assert names == {"1": "3", "2": "4", "3": "2", "4": "2", "5": "3", "6": "4", "7": "4"}


def test_load_of_todays_projects_is_read_in_the_order_that_holds(tmp_path):
    rig = Today(120)
    with rig.in_process(), rig.directory(tmp_path) as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", AnalysesNotSentWarning)
        frame = dirframe.load_projects(directory, progress=False)
        assert set(frame["id"]) == set(rig.ids)
        facts = get_provenance(frame)
        assert facts["completeness"] == "proven"
        assert facts["query"] == {"sort": "project_name"}
        # Twelve pages, one behind the last, and the first one in the order of the directory; the
        # redirect of the first one is a request of its own.
        asked = [request.query.get("page") for request in rig.requests]
        assert len(asked) == 1 + 1 + 12 + 1
        assert facts["requests_made"] == len(asked)
        rig.forget()
        again = dirframe.load_projects(directory, progress=False)
        assert again.equals(frame)
        assert dirframe.load("/projects.xml", directory=directory, progress=False).equals(frame)
        assert dirframe.plan("projects", directory=directory).requests_needed == 0
    assert rig.requests == []


def test_load_of_todays_projects_keeps_the_order_of_the_directory_where_it_must():
    failures = []
    for count, options in (
        (120, {"max_items": 30}),
        (120, {"sort": "relevance", "incomplete": "warn"}),
        (9, {}),
    ):
        rig = Today(count)
        with rig.in_process(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                frame = dirframe.load_projects(rig.directory(), progress=False, **options)
            except IncompleteCollectionError as error:
                frame = error.frame
        sorts = {request.query.get("sort") for request in rig.requests}
        if sorts != {options.get("sort")} or "project" in str(get_provenance(frame)["query"]):
            failures.append((options, sorts))
    assert not failures


def test_plan_of_todays_projects_counts_what_a_load_then_asks_for(tmp_path):
    rig = Today(115)
    with rig.in_process(), rig.directory(tmp_path) as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", AnalysesNotSentWarning)
        plan = dirframe.plan("projects", directory=directory)
        rig.forget()
        dirframe.load_projects(directory, progress=False)
    assert len(rig.requests) == plan.requests_needed == 12


def test_load_claims_a_sort_that_was_kept_and_none_that_was_ignored():
    failures = []
    ids = [str(100 + 37 * n % 55) for n in range(55)]
    records = {
        id_: record(id_, name=f"p{id_}", created_at=f"20{id_[1:]}-01-01T00:00:00Z") for id_ in ids
    }
    for sort in ("name", "created_at_reverse", "id_reverse", "new"):
        for is_kept in (False, True):
            order = sorted(ids, reverse=sort != "name") if is_kept else ids
            rig = Rig([records[id_] for id_ in order])
            with rig.in_process(), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                frame = dirframe.load_projects(rig.directory(), sort=sort, progress=False)
            ignored = [one.message.sort for one in caught if one.category is SortIgnoredWarning]
            claimed = get_provenance(frame)["query"].get("sort")
            if (ignored, claimed) != (([], sort) if is_kept else ([sort], None)):
                failures.append((sort, is_kept, ignored, claimed))
            if is_kept != (", sorted by" in dirframe.cite(frame)):
                failures.append((sort, is_kept, dirframe.cite(frame)))
    assert not failures

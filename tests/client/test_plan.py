"""The price of a load, of a collection or of those of many projects, is said first and then paid."""

from datetime import UTC, datetime
from functools import partial

import pandas as pd
import pytest
import time_machine

import dirframe
from dirframe.errors import (
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    QuotaExceededError,
    QuotaWarning,
    ServiceError,
)
from dirframe.provenance import caption, get_provenance
from tests.cases import raised
from tests.defaults import FRESH
from tests.rig import faults
from tests.rig.server import KEY, Reply, Rig, failed, page_xml
from tests.rig.today import BROKEN, SILENT, UNANALYSED, Today

MONTHS = 3


@pytest.fixture
def full_rig():
    """Serve 60 projects on six full pages."""
    with Rig(60).in_process() as opened:
        yield opened


@pytest.mark.parametrize(
    ("count", "size", "most", "items", "pages"),
    [
        (60, 10, None, 60, 7),  # the page behind a full one tells that it was the last
        (60, 10, 15, 15, 2),
        (60, 10, 60, 60, 6),
        (60, 10, 99, 60, 7),
        (0, 10, None, 0, 1),
        (7, 7, None, 7, 1),
        (25, 25, None, 25, 2),
        (26, 25, None, 26, 2),
    ],
)
def test_plan_says_the_price_that_is_paid(connect, count, size, most, items, pages):
    with Rig(count, size=size).in_process() as rig:
        directory = connect(rig)
        price = dirframe.plan("projects", max_items=most, directory=directory)
        assert (price.items, price.pages, len(rig.requests)) == (items, pages, 1)
        assert price.requests_at_most == price.requests_at_least == price.pages - price.cached
        frame = dirframe.load_projects(directory, max_items=most)
        assert get_provenance(frame)["requests_made"] == pages - 1
        assert (len(frame), len(rig.requests)) == (items, pages)
        again = dirframe.plan("projects", max_items=most, directory=directory)
        assert (again.requests_at_most, again.cached) == (0, pages)
        again = dirframe.plan("projects", max_items=most, refresh=True, directory=directory)
        assert (again.requests_at_most, again.cached, len(rig.requests)) == (pages, 0, pages)


def test_plan_says_whether_it_fits(full_rig, connect):
    plans = {}
    with time_machine.travel(datetime(2026, 3, 1, tzinfo=UTC), tick=False):
        for limit in (3, 6, 7, 100):
            directory = connect(full_rig, daily_quota=limit)
            plans[limit] = dirframe.plan("projects", directory=directory)
    fits = {limit: (plan.quota.left, plan.fits, plan.days) for limit, plan in plans.items()}
    assert fits == {3: (2, False, 3), 6: (5, False, 2), 7: (6, True, 1), 100: (99, True, 1)}
    assert {plan.requests_at_most for plan in plans.values()} == {6}
    assert {plan.quota.resets_at for plan in plans.values()} == {datetime(2026, 3, 2, tzinfo=UTC)}
    shown = str(plans[100])
    assert "60 projects on 7 pages" in shown
    assert "99 requests of 100" in shown
    assert "It fits." in shown


@pytest.mark.parametrize("count", [None, 10**17])
def test_plan_without_a_count_that_can_be_is_not_known(full_rig, connect, count):
    full_rig.items_available = lambda _: count
    price = dirframe.plan("projects", directory=connect(full_rig))
    assert (price.items, price.pages, price.requests_at_most, price.fits) == (None,) * 4
    assert len(full_rig.requests) == 1
    assert "does not state their number" in str(price)


def test_plan_of_a_collection_and_its_address_asks_it(connect):
    with Rig(23, kind="language").in_process() as rig:
        directory = connect(rig)
        by_name = dirframe.plan("languages", directory=directory)
        assert (by_name.collection, by_name.items, by_name.pages) == ("languages", 23, 3)
        assert (by_name.requests_at_most, by_name.fits) == (2, True)
        by_address = dirframe.plan("/languages.xml", directory=directory)
        assert by_address == by_name
        dirframe.load_languages(directory)
        assert dirframe.plan("languages", directory=directory).requests_at_most == 0
        assert len(rig.requests) == 3


def test_plan_of_a_query_asks_it(connect, written):
    price = dirframe.plan("projects", query="a b", sort="name", directory=connect(written))
    assert (price.items, price.requests_at_most) == (2, 0)
    assert written.requests.pop().query == {
        "api_key": KEY, "query": "a b", "sort": "name", "page": "1"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "items"), [("example/analyses/latest/activity_facts", 4), ("1/contributors/5", 1)]
)
def test_plan_of_one_document_pays_for_it(path, items, connect, written):
    price = dirframe.plan(f"/projects/{path}.xml", directory=connect(written))
    assert (price.items, price.pages, price.requests_at_most) == (items, 1, 0)


@pytest.mark.parametrize(
    ("collection", "options"),
    [
        ("people", {}),
        ("projects", {"sort": "colour"}),
        ("projects", {"max_items": 0}),
        ("accounts", {"details": True}),
        ("projects", {"of": [1]}),
        ("activity_facts", {}),
        ("activity_facts", {"of": []}),
        ("activity_facts", {"of": [1], "details": True}),
    ],
)
def test_plan_refuses_what_there_is_not_before_anything_is_sent(
    collection, options, full_rig, connect
):
    with pytest.raises(InvalidInputError):
        dirframe.plan(collection, directory=connect(full_rig), **options)
    assert full_rig.requests == []


def test_plan_of_a_sample_with_details_counts_at_most_the_drawn_projects(connect, tmp_path):
    rig = Today(40)
    with rig.in_process():
        directory = connect(rig, cache=tmp_path / "cache")
        price = dirframe.plan("projects", sample=12, seed=7, details=True, directory=directory)
        assert price.details == 12
        # The projects of the first page that were not drawn cost nothing.
        assert price.requests_at_most == price.pages - price.cached + 12
        before = len(rig.requests)
        dirframe.load_projects(directory, sample=12, seed=7, details=True)
        assert price.requests_at_least <= len(rig.requests) - before <= price.requests_at_most
        dirframe.load_projects(directory, details=True)
        price = dirframe.plan("projects", sample=12, seed=7, details=True, directory=directory)
        assert price.requests_at_most == 0
        assert price.details <= 12


@pytest.mark.parametrize("kind", ["ids", "positions"])
def test_plan_of_a_larger_sample_says_that_it_contains_the_smaller_one(connect, tmp_path, kind):
    rig = Today(200)
    options = {"seed": 7, "details": True} | ({} if kind == "ids" else {"query": "project"})
    with rig.in_process():
        directory = connect(rig, cache=tmp_path / "cache")
        drawn = dirframe.load_projects(directory, sample=12, **options)
        price = dirframe.plan("projects", sample=20, directory=directory, **options)
        before = len(rig.requests)
        larger = dirframe.load_projects(directory, sample=20, **options)
        paid = len(rig.requests) - before
    assert set(drawn["id"]) <= set(larger["id"])
    assert price.sample_of == kind
    assert price.requests_at_least <= paid <= price.requests_at_most
    assert paid <= price.pages + 8  # own pages
    assert ("while the directory has as many records" in repr(price)) == (kind == "positions")
    assert "A larger sample with this seed contains it" in repr(price)


# Collections of many projects


def fact(kind, month, commits):
    return f"<{kind}><month>2020-0{month}-01T00:00:00Z</month><commits>{commits}</commits></{kind}>"


def person(name):
    return f"<contributor_fact><contributor_id>{name}</contributor_id></contributor_fact>"


@pytest.fixture
def facts():
    """Serve months and contributors of projects; project n has n contributors, ten a page."""

    def answer(asked):
        parts = asked.path.split("/")
        if len(parts) < 4 or asked.query.get("api_key") != rig.key:
            return None
        project, what = parts[2], parts[-1]
        if project in rig.replies:
            return rig.replies[project]
        if what in {"activity_facts.xml", "size_facts.xml"}:
            kind = what.removesuffix("s.xml")
            months = [fact(kind, month, 10 * int(project)) for month in range(1, MONTHS + 1)]
            return page_xml(months, available=MONTHS, first=0)
        people = [person(f"{project}-{n}") for n in range(int(project))]
        first = 10 * (asked.page - 1)
        return page_xml(people[first : first + 10], available=len(people), first=first)

    rig = Rig(answer=answer)
    rig.replies = {}
    with rig.in_process():
        yield rig


def activity(directory, projects, **options):
    return dirframe.load_activity(projects, directory=directory, **options)


@pytest.mark.parametrize("workers", [1, 4])
def test_owners_are_one_tidy_frame(facts, connect, workers):
    directory = connect(facts, workers=workers)
    projects = pd.DataFrame({"id": ["3", "1", "3", "2"], "name": list("abcb")})
    forms = (projects, projects["id"], [3, 1, 2], ("3", "1", "2"), pd.Series([3, 1, 2]))
    price = dirframe.plan("activity_facts", of=projects, directory=directory)
    assert (price.requests_at_most, price.requests_at_least, facts.requests) == (3, 3, [])
    assert "activity facts of 3 projects on 3 pages" in repr(price)
    assert dirframe.plan("activity_facts", of="633", directory=directory).requests_at_most == 1
    assert dirframe.plan("activity_facts", of=633, directory=directory).requests_at_most == 1
    frames = [activity(directory, form) for form in forms]
    assert all(frame.equals(frames[0]) for frame in frames)
    assert len(facts.requests) == 3
    assert dirframe.plan("activity_facts", of=projects, directory=directory).requests_at_most == 0
    frame = frames[0]
    assert list(frame)[:2] == ["project_id", "month"]
    assert frame["project_id"].tolist() == [*["3"] * 3, *["1"] * 3, *["2"] * 3]
    assert frame["commits"].tolist() == [30] * 3 + [10] * 3 + [20] * 3
    one = activity(directory, 3)
    assert list(one) == list(frame)
    pd.testing.assert_frame_equal(frame[frame["project_id"] == "3"], one, check_flags=False)
    record = get_provenance(frame)
    assert (record["completeness"], record["failures"]) == ("proven", {})
    assert (record["resource"], record["query"]) == ("activity_fact", {"projects": 3})
    assert record["requests_made"] == 3
    assert caption(frame).startswith("n = 9 ")
    size = dirframe.load_size([1, 2], directory=directory)
    assert size["project_id"].tolist() == ["1"] * 3 + ["2"] * 3


def test_owners_with_several_pages_each(facts, connect):
    directory = connect(facts, workers=4)
    price = dirframe.plan("contributors", of=[25, 4], directory=directory)
    assert (price.requests_at_most, price.requests_at_least, price.fits) == (None, 2, None)
    assert "at least 2 requests" in str(price)
    frame = dirframe.load_contributors([25, 4, 20], directory=directory)
    counts = frame.groupby("project_id", sort=False)["contributor_id"].nunique()
    assert counts.to_dict() == {"25": 25, "4": 4, "20": 20}
    assert len(facts.requests) == 3 + 1 + 3  # a full last page needs one more
    capped = dirframe.load_contributors([25, 4], max_items=5, directory=directory)
    assert capped.groupby("project_id", sort=False).size().to_dict() == {"25": 5, "4": 4}
    assert get_provenance(capped)["completeness"] == "incomplete"
    assert get_provenance(capped)["incomplete_reason"] == "capped at max_items=5"
    facts.replies = {"3": SILENT}  # of which nothing is cut off
    whole = dirframe.load_contributors([3, 4], max_items=5, directory=directory)
    assert get_provenance(whole)["completeness"] == "proven"


@pytest.mark.parametrize("options", [{}, {"max_items": 12}])
def test_plan_of_many_counts_the_pages_that_first_pages_in_the_cache_show(facts, connect, options):
    price = partial(dirframe.plan, "contributors", directory=connect(facts), **options)
    facts.replies = {"5": SILENT}
    owners = [25, 4, 20, 1, 5]
    dirframe.load_contributors(owners, max_items=1, directory=connect(facts))  # first pages alone
    facts.forget()
    known = price(of=owners)
    assert known.requests_at_least == known.requests_at_most
    assert (known.cached, known.pages) == (5, 5 + known.requests_at_most)
    partly = price(of=[*owners, 30])
    assert (partly.requests_at_least, partly.requests_at_most) == (
        known.requests_at_least + 1,
        None,
    )
    assert price(of=owners, refresh=True).requests_at_least == 5
    assert facts.requests == []
    frame = dirframe.load_contributors(owners, directory=connect(facts), **options)
    assert len(facts.requests) == known.requests_at_most
    assert len(frame) == known.items
    assert price(of=owners).requests_at_most == 0


@pytest.mark.parametrize("count", [None, 10**17])
def test_plan_of_many_is_not_known_where_a_first_page_does_not_count(connect, count):
    people = page_xml([person("a")], available=count, first=0)
    with Rig(answer=lambda _: people).in_process() as rig:
        dirframe.load_contributors([1], max_items=1, directory=connect(rig))
        price = dirframe.plan("contributors", of=[1], directory=connect(rig))
        assert (price.requests_at_most, price.pages, price.items) == (None,) * 3
        assert len(rig.requests) == 1


def test_owners_with_failures_are_named_and_asked_for_once(facts, connect):
    missing = Reply(failed("Not found."), 404)
    facts.replies = {"2": missing, "3": SILENT, "4": Reply(failed("Not any more."), 410)}
    directory = connect(facts)
    with pytest.raises(IncompleteCollectionError, match="2 \\(not found\\)") as caught:
        activity(directory, range(1, 6))
    assert caught.value.frame["project_id"].unique().tolist() == ["1", "5"]
    paid = len(facts.requests)
    with pytest.warns(IncompleteWarning) as warned:
        frame = activity(directory, range(1, 6), incomplete="warn")
    assert warned[0].filename == __file__
    assert len(facts.requests) == paid == 5
    record = get_provenance(frame)
    assert record["failures"] == {"2": "not found", "3": "no analysis", "4": "refused"}
    assert record["completeness"] == "incomplete"
    assert "2 (not found), 4 (refused)" in record["incomplete_reason"]


@pytest.mark.parametrize("reply", [SILENT, UNANALYSED], ids=["silent", "unanalysed"])
def test_owner_without_an_analysis_is_no_loss_but_named(reply, facts, connect):
    facts.replies = {"3": reply}
    frame = activity(connect(facts), range(1, 6))
    assert get_provenance(frame)["failures"] == {"3": "no analysis"}
    assert get_provenance(frame)["completeness"] == "proven"


def test_owners_of_a_bare_404_are_asked_for_again_unless_ids_do_not_return_the_project(connect):
    rig = Today(12)
    for project in "12":
        rig.add("contributor_fact", 1, path=f"/projects/{project}/contributors.xml")
    load = partial(dirframe.load_contributors, ["1", "3", "99", "name", "2"])
    asked, errors = [], []
    with rig.in_process():
        for _ in range(2):
            rig.forget()
            errors.append(raised(load, directory=connect(rig)))
            paths = [request.path for request in rig.requests]
            asked.append([paths.count(f"/p/{name}/contributors.xml") for name in ("3", "99")])
    assert asked == [[1, 1], [1, 0]]
    assert [type(error) for error in errors] == [IncompleteCollectionError] * 2
    assert [error.frame["project_id"].tolist() for error in errors] == [["1", "2"]] * 2
    failures = {"3": "status 404", "99": "not found", "name": "status 404"}
    assert [get_provenance(error.frame)["failures"] for error in errors] == [failures] * 2


def test_owner_refusal_is_of_one_question_and_ends_with_a_page(facts, connect):
    load = partial(dirframe.load_contributors, [3], directory=connect(facts))
    empty = []
    for is_refused, options in (
        (True, {"sort": "name"}),
        (False, {}),
        (True, {"refresh": True}),
        (False, {"refresh": True}),
        (False, {}),
    ):
        facts.replies = {"3": SILENT} if is_refused else {}
        empty.append(load(**options).empty)
    assert empty == [True, False, True, False, False]


def test_owners_received_before_a_failure_stay(facts, connect):
    short = page_xml([fact("activity_fact", 1, 1)], available=2, first=0)
    facts.replies = {"2": Reply(short)}
    with pytest.raises(IncompleteCollectionError, match="1 of 2"):
        activity(connect(facts), [1, 2])
    facts.replies = dict.fromkeys("789", BROKEN)
    directory = connect(facts)
    with pytest.raises(ServiceError):
        activity(directory, range(3, 10))
    facts.replies = {}
    facts.forget()
    assert len(activity(directory, range(3, 10))) == 7 * MONTHS
    assert len(facts.requests) == 3


@pytest.mark.parametrize("workers", [1, 4])
def test_owner_that_fails_is_asked_for_again_and_the_others_go_on(facts, connect, workers):
    directory = connect(facts, workers=workers)
    facts.replies = {"2": BROKEN}
    received, failures, made, sent = [], [], [], []
    for _ in range(2):
        facts.forget()
        with pytest.warns(IncompleteWarning):
            frame = activity(directory, range(1, 6), incomplete="warn")
        received.append(frame["project_id"].unique().tolist())
        failures.append(get_provenance(frame)["failures"])
        made.append(get_provenance(frame)["requests_made"])
        sent.append(len(facts.requests))
    assert received == [["1", "3", "4", "5"]] * 2
    assert failures == [{"2": "status 500"}] * 2
    assert made == sent == [5, 1]
    facts.replies = {}
    assert len(activity(directory, range(1, 6))) == 5 * MONTHS


@pytest.mark.parametrize("workers", [1, 4])
def test_owner_with_some_of_its_pages_is_in_the_frame_and_counted(facts, connect, workers):
    facts.faults.extend([None] * 5 + [faults.FAULTS["429 with seconds"]])
    with pytest.warns(IncompleteWarning):
        frame = dirframe.load_contributors(
            [25, 24, 23],
            directory=connect(facts, workers=workers),
            incomplete="warn",
            progress=False,
        )
    record = get_provenance(frame)
    assert record["requests_made"] == len(facts.requests)
    if workers == 1:
        # The first pages of all are read before the others, which they give a price.
        assert frame["project_id"].value_counts().to_dict() == {"25": 25, "24": 10, "23": 10}
        assert "10 of 24" in record["failures"]["24"]
        assert "10 of 23" in record["failures"]["23"]


@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
@pytest.mark.parametrize("cached", [{}, {"cache": False}])
@pytest.mark.parametrize("incomplete", ["raise", "warn"])
def test_owners_cut_off_by_the_quota_have_all_first_pages(facts, connect, cached, incomplete):
    facts.faults.extend([None] * 5 + [faults.FAULTS["429 with seconds"]])
    options = {"incomplete": incomplete, "progress": False}
    try:
        frame = dirframe.load_contributors(
            [25, 24, 23], directory=connect(facts, workers=1, **cached), **options
        )
    except QuotaExceededError as error:
        frame = error.frame
    assert frame["project_id"].value_counts().to_dict() == {"25": 25, "24": 10, "23": 10}
    failures = get_provenance(frame)["failures"]
    assert list(failures) == ["24", "23"]
    assert all("10 of 2" in words for words in failures.values())
    assert get_provenance(frame)["requests_made"] == len(facts.requests) == 6


@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
@pytest.mark.parametrize("workers", [1, 4])
def test_owners_without_a_connection_are_not_all_asked_for(facts, connect, workers):
    count = 40
    facts.faults.extend([None] * count + [faults.FAULTS["reset before"]] * 1_000)
    frame = dirframe.load_contributors(
        range(20, 20 + count), directory=connect(facts, workers=workers), incomplete="warn"
    )
    assert len(frame) == 10 * count
    assert len(facts.requests) <= count + 5 * 4 * workers  # attempts of those on their way


@pytest.mark.parametrize(("workers", "most"), [(1, 1), (4, 16)])
def test_owners_with_a_wrong_key_cost_only_the_requests_on_their_way(facts, connect, workers, most):
    facts.faults.extend([faults.FAULTS["403"]] * 100)
    with pytest.raises(dirframe.InvalidKeyError):
        dirframe.load_contributors(range(1, 61), directory=connect(facts, workers=workers))
    assert len(facts.requests) <= most


def test_owners_beyond_the_quota_are_resumed_or_not_begun(facts, connect):
    with pytest.raises(QuotaExceededError):
        activity(
            connect(facts, daily_quota=5), range(1, 5 * (FRESH.days + 1))
        )  # some would expire before
    assert facts.requests == []
    with pytest.warns(QuotaWarning, match="on 3 days"), pytest.raises(QuotaExceededError):
        activity(connect(facts, daily_quota=5), range(1, 13))
    assert len(facts.requests) == 5
    with pytest.warns((QuotaWarning, IncompleteWarning)):
        part = activity(connect(facts, daily_quota=5), range(1, 13), incomplete="warn")
    assert part["project_id"].unique().tolist() == list("12345")
    assert len(get_provenance(part)["failures"]) == 7
    assert len(activity(connect(facts), range(1, 13))) == 12 * MONTHS
    assert len(facts.requests) == 12


def test_owner_of_two_days_has_its_last_page_read_again(facts, connect):
    load = partial(dirframe.load_contributors, [4, 25])
    with time_machine.travel("2026-11-02", tick=True), pytest.raises(QuotaExceededError):
        load(directory=connect(facts, daily_quota=2))
    with time_machine.travel("2026-11-04", tick=True):
        facts_of_it = get_provenance(load(directory=connect(facts, daily_quota=3)))
    assert (facts_of_it["completeness"], facts_of_it["failures"]) == ("proven", {})
    assert len(facts.requests) == 1 + 3 + 1  # the last page of the first day once more


def test_owners_with_a_wrong_key_raise_even_if_a_part_is_accepted(facts, connect):
    facts.faults.extend([None, faults.FAULTS["403"]])
    with pytest.raises(dirframe.InvalidKeyError):
        activity(connect(facts), [1, 2, 3], incomplete="warn")


def test_owners_progress_callback_may_stop(facts, connect):
    told = []

    def stop(*numbers):
        told.append(numbers)
        if numbers == (2, 4):
            raise StopIteration

    with pytest.raises(IncompleteCollectionError, match=r"7, 8 \(not asked for") as caught:
        activity(connect(facts, workers=1), [5, 6, 7, 8], progress=stop)
    assert caught.value.frame["project_id"].unique().tolist() == ["5", "6"]
    assert (told, len(facts.requests)) == ([(1, 4), (2, 4)], 2)


def test_owners_progress_callback_may_stop_at_first_pages(facts, connect):
    told = []
    whole = dirframe.load_contributors(
        [25, 4, 3],
        directory=connect(facts, workers=1),
        progress=lambda *numbers: told.append(numbers),
    )
    assert (len(whole), told) == (32, [(0, 3)] * 3 + [(1, 3), (2, 3), (3, 3)])
    facts.forget()

    def stop(*_):
        if len(facts.requests) == 2:
            raise StopIteration

    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_contributors(
            [25, 4, 3], directory=connect(facts, workers=1), progress=stop, refresh=True
        )
    assert caught.value.frame["project_id"].value_counts().to_dict() == {"25": 10, "4": 4}
    assert get_provenance(caught.value.frame)["failures"]["3"] == "not asked for"
    assert len(facts.requests) == 2

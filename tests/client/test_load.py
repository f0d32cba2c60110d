"""A question becomes a typed frame, whole or not at all, that says what it was made from."""

import pickle
import re
import sys
import threading
import warnings
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pandas as pd
import pytest
import time_machine

import dirframe
from dirframe.errors import (
    AnalysesNotSentWarning,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    NotFoundError,
    QuotaExceededError,
    QuotaWarning,
    ServiceError,
    SortIgnoredWarning,
    StaleWarning,
    UnreadableResponseError,
    UnreadableValueWarning,
)
from dirframe.provenance import caption, get_provenance
from dirframe.schema import ACCOUNT
from tests.cases import raised, slow_except
from tests.rig import faults
from tests.rig.server import KEY, Reply, Rig, failed, id_of, numbered, page_xml, record
from tests.rig.today import Today, accounts

XML = Path(__file__).parent.parent / "xml"


def load(path, directory, **options):
    return dirframe.load(path, directory=directory, **options)


def columns(resource):
    """Return the columns that a frame of records always has."""
    fields = dirframe.fields(resource)
    return fields["name"][fields["dialects"] == "extension outside the specification"].tolist()


# Accounts and projects


def test_load_is_of_what_was_written_and_says_so(written, connect):
    directory = connect(written, name="by hand")
    frame = dirframe.load_projects(directory, query="example", sort="id", max_items=5)
    assert frame["name"].tolist() == ["Example Version Control", "Étoilé 3Σ"]
    assert frame["description"][1] == "Two lines,\nin one text."
    assert frame["analysis_total_code_lines"].tolist() == [319_283, pd.NA]
    assert frame["download_url"].isna().tolist() == [False, True]
    assert frame["created_at"][0] == pd.Timestamp("2006-10-10T15:51:31Z")
    assert list(frame)[:3] == ["id", "name", "created_at"]
    facts = get_provenance(frame)
    assert facts["resource"] == "project"
    assert facts["query"] == {"query": "example", "sort": "id", "max_items": 5}
    assert (facts["source"], facts["base_url"]) == ("by hand", directory.base_url)
    assert (facts["items_available"], facts["items_loaded"]) == (2, 2)
    assert (facts["complete"], facts["synthetic"]) == (True, False)
    assert facts["retrieved_oldest"] <= facts["retrieved_newest"]
    assert (facts["requests_made"], facts["requests_cached"]) == (1, 0)
    assert KEY not in str(facts)
    assert len(dirframe.load_projects(directory, max_items=2**63)) == 2
    most = pd.Series([1]).max()  # a whole number of NumPy
    some = get_provenance(
        dirframe.load_projects(directory, max_items=most)
    )  # no failure, and no warning
    assert (some["complete"], some["incomplete_reason"]) == (False, "capped at max_items=1")
    assert (some["items_available"], some["items_loaded"]) == (2, 1)


def test_load_asks_what_was_meant_and_accepts_each_sort(serve, connect):
    rig = serve(lambda _: page_xml([], available=0, first=0))
    question = {"query": " ada & co", "sort": "name_reverse"}
    dirframe.load_accounts(connect(rig), max_items=7, **question)
    dirframe.load_projects(connect(rig))
    assert rig.requests.pop(0).query == {"api_key": KEY, "page": "1", **question}
    assert rig.requests.pop(0).query == {"api_key": KEY, "page": "1"}
    more = ["stack_count", "stack_count_reverse", "new", "users", "rating", "active_committers",
            "activity_level", "popularity", "project_name", "description", "relevance"]  # fmt: skip
    for sort in [*ACCOUNT.sorts, *more]:
        dirframe.load_projects(connect(rig), sort=sort)
    assert [asked.query["sort"] for asked in rig.requests] == [*ACCOUNT.sorts, *more]


# What is refused before anything is sent


def test_load_refuses_wrong_arguments_before_anything_is_sent(serve, connect):
    rig = serve(page_xml([], available=0, first=0))
    directory = connect(rig)
    wrong = [
        *({"sort": sort} for sort in ("", "NAME", "id desc", "random", ["name"])),
        *({"max_items": count} for count in (0, -1, 2.0, True, "5", 1.5)),
        *({"query": query} for query in (["parser", "lexer"], 2, b"parser", "caf\udce9")),
        {"incomplete": "ignore"},
        {"refresh": True, "offline": True},
    ]
    calls = {repr(options): (dirframe.load_projects, directory, options) for options in wrong}
    calls |= {
        "accounts": (dirframe.load_accounts, directory, {"sort": "stack_count"}),
        "languages": (dirframe.load_languages, directory, {"sort": "id"}),
        "size": (dirframe.load_size, 1, {"incomplete": "never", "directory": directory}),
        "path": (load, "/languages.xml", {"directory": directory, "sort": "colour"}),
        "two sorts": (load, "/languages.xml?sort=name", {"directory": directory, "sort": "code"}),
    }
    refused = {
        name: type(raised(function, argument, **options))
        for name, (function, argument, options) in calls.items()
    }
    assert len(refused) == len(wrong) + 5
    assert refused == dict.fromkeys(calls, InvalidInputError)
    assert rig.requests == []


@pytest.mark.filterwarnings("ignore::dirframe.ShortKeyWarning")
def test_load_refuses_addresses_that_lead_elsewhere_or_hold_too_much(serve, connect):
    rig = serve(page_xml([], available=0, first=0))
    key = "s3cret+key"
    directory = connect(rig, url=f"{rig.url}/base", key=key)
    paths = [
        "https://elsewhere.example/languages.xml", "//elsewhere.example/languages.xml",
        f"{rig.url}/basement/x.xml", f"{rig.url.replace('http', 'https')}/base/x.xml",
        "file:///etc/passwd.xml", "/../languages.xml", "/a/%2e%2e/languages.xml",
        "/languages.xml#top", "/languages", "/languages.xml/", "/languages.xml?page=2",
        "/languages.xml?api_key=k", "/languages.xml?API%5FKEY=k", "", None, 7,
        "/projects/s3cret+key.xml", "/x.xml?q=s3cret%2Bkey", "https://u:s3cret@h/x.xml",
    ]  # fmt: skip
    errors = {path: raised(load, path, directory) for path in paths}
    kinds = {path: type(error) for path, error in errors.items()}
    assert kinds == dict.fromkeys(paths, InvalidInputError)
    assert [path for path, error in errors.items() if "s3cret" in str(error)] == []
    assert rig.requests == []
    load("/projects/my-api_key-lib.xml", directory)  # no parameter
    assert len(rig.requests) == 1


# Incomplete collections


def test_load_of_an_incomplete_collection_raises_or_warns_with_what_came(serve, connect):
    def short(asked):  # of three records that it states, it sends two
        records = [record("1"), record("2")] if asked.page == 1 else []
        return page_xml(records, available=3, first=0)

    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_projects(connect(serve(short)))
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.missing, error.details_missing) == (caught.value.missing, ())
    with pytest.warns(IncompleteWarning) as warned:
        frame = dirframe.load_projects(connect(serve(short)), incomplete="warn")
    assert warned[0].filename == __file__
    received = {"error": caught.value.frame, "pickled error": error.frame, "warning": frame}
    described = {}
    for name, part in received.items():
        facts = get_provenance(part)
        described[name] = (part["id"].tolist(), facts["complete"], facts["incomplete_reason"])
    assert described == dict.fromkeys(received, (["1", "2"], False, error.missing))
    assert re.findall(r"\d+", error.missing) == ["2", "3"]


# Progress


@pytest.mark.parametrize("workers", [1, 4])
def test_load_that_a_callback_stops_keeps_what_came(rig, connect, workers):
    def stop(count, total):
        if count >= limit:
            raise StopIteration

    limit = 30
    with pytest.raises(IncompleteCollectionError, match="30 of 55") as caught:
        dirframe.load_projects(connect(rig, workers=workers), progress=stop)
    assert caught.value.frame["id"].tolist() == numbered(30)
    assert get_provenance(caught.value.frame)["complete"] is False
    sent = {request.page for request in rig.requests}
    assert {1, 2, 3} <= sent
    rig.forget()
    limit = 55  # stopped when all was read, it is complete
    frame = dirframe.load_projects(connect(rig), progress=stop)
    assert frame["id"].tolist() == numbered(55)
    assert get_provenance(frame)["complete"] is True
    assert set(rig.pages) == {*range(1, 7)} - sent


def test_load_shows_a_bar_where_someone_looks(rig, connect, capsys, monkeypatch):
    directory = connect(rig)
    dirframe.load_projects(directory, progress=True)  # a pipe
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    dirframe.load_projects(directory, progress=True)
    shown = capsys.readouterr()
    assert "55/55" in shown.err
    assert shown.out == ""
    dirframe.load_projects(directory, progress=False)
    assert capsys.readouterr() == ("", "")


def test_load_of_many_tells_a_callback_of_what_came(serve, connect):
    def stop(*numbers):
        told.append(numbers)
        if numbers == (3, 4):
            raise StopIteration

    over, months = Reply(failed("Over."), 429), page_xml([], available=0, first=0)
    told, rig = [], serve(lambda asked: over if "/3/" in asked.path else months)
    with pytest.raises(QuotaExceededError):
        dirframe.load_activity(numbered(4), directory=connect(rig), progress=stop)
    assert told == [(1, 4), (2, 4)]


# Workers


def test_load_keeps_all_workers_busy_and_the_order(connect):
    four = threading.Barrier(4)

    def together(asked):
        if asked.page > 2:
            four.wait(60)
        else:
            threading.Event().wait(0.02)  # threads begin with a page that has to be waited for

    with Rig(175) as rig:
        rig.before = together
        assert dirframe.load_projects(connect(rig, workers=4))["id"].tolist() == numbered(175)


@pytest.mark.parametrize("workers", [1, 4])
def test_load_error_of_any_page_ends_it(connect, workers):
    with Rig(333) as rig:
        rig.always = faults.late(0.004)
        rig.on_page[7] = [faults.fails("broken", 500)]
        with pytest.raises(ServiceError) as caught:
            dirframe.load_projects(connect(rig, workers=workers))
        assert caught.value.url.endswith("page=7")
        assert len(rig.requests) <= 7 + (workers > 1) * 20


FAILURES = ["500", "503 for hours", "reset in body", "429 with seconds"]


@pytest.mark.parametrize(
    ("name", "workers"),
    slow_except(
        [(name, workers) for name in FAILURES for workers in (1, 4)],
        [("500", 1), *((name, 4) for name in FAILURES)],
    ),
)
def test_load_gives_what_came_before_a_page_that_fails_if_that_is_accepted(connect, workers, name):
    def fault(exchange):
        while not {*range(1, 7)} <= {*rig.pages}:  # a refusal would keep them from being sent
            exchange.closing.wait(0.001)
        faults.FAULTS[name](exchange)

    with Rig(135) as rig:
        rig.on_page[7] = [fault] * 4
        with pytest.warns(IncompleteWarning, match="not finished") as warned:
            frame = dirframe.load_projects(connect(rig, workers=workers), incomplete="warn")
        facts = get_provenance(frame)
        assert ("page=7 failed" in str(warned[0].message)) is ("429" not in name)
        assert {*numbered(60)} <= {*frame["id"]} < {*numbered(135)}
        assert facts["requests_made"] == len(rig.requests)


def test_load_ends_with_the_page_that_failed_whatever_comes_meanwhile(connect):
    came = threading.Event()

    def unreadable(exchange):
        faults.answers(faults.HTML)(exchange)
        came.set()

    def broken(exchange):
        came.wait(60)
        faults.fails("broken", 500)(exchange)

    with Rig(60) as rig:
        rig.on_page = {3: [broken] * 2, 4: [unreadable] * 2}
        directory = connect(rig, workers=2)
        with pytest.raises(ServiceError, match="page=3"):
            dirframe.load_projects(directory)
        came.clear()
        with pytest.warns(IncompleteWarning, match="page=3 failed"):
            frame = dirframe.load_projects(directory, incomplete="warn", refresh=True)
        assert frame["id"].tolist()[:20] == numbered(20)


# Any address


def test_load_path_reads_all_pages_and_a_later_one_decides_on_dtypes(connect):
    things = [record(n, "thing", size=n, code=f"{n:02}") for n in range(1, 24)]
    with Rig(things, kind="thing").in_process() as rig:
        frame = load("/things.xml", connect(rig, cache=False))  # each page is paid once
    assert frame["id"].tolist() == numbered(23)
    assert frame.dtypes.astype(str).to_dict() == {"id": "str", "size": "Int64", "code": "str"}
    assert frame["code"][0] == "01"
    facts = get_provenance(frame)
    assert (facts["complete"], facts["resource"], facts["items_available"]) == (True, "thing", 23)
    assert facts["query"] == {"path": "/things.xml"}
    assert [asked.query.get("page") for asked in rig.requests] == [None, "2", "3"]


def test_load_path_is_written_as_an_address_needs_it(serve, connect):
    rig = serve(page_xml([], available=0, first=0))
    directory = connect(rig, url=f"{rig.url}/base")
    paths = {
        "/things.xml": "/base/things.xml?",
        " others.xml ": "/base/others.xml?",
        f"{rig.url}/base/more.xml": "/base/more.xml?",
        "/a/étoile 3/b.xml": "/base/a/%C3%A9toile%203/b.xml?",
        "/a/c%2B%2B/b.xml": "/base/a/c%2B%2B/b.xml?",
        "/a.xml?sort=name&q=a+b": "/base/a.xml?q=a+b&sort=name&",
    }
    for path in paths:
        load(path, directory)
    sent = zip(paths, rig.requests, strict=True)
    assert {path: asked.target[: len(paths[path])] for path, asked in sent} == paths
    dirframe.load_contributors("a/../b?c", directory=directory)
    assert rig.requests[-1].target.startswith("/base/projects/a%2F..%2Fb%3Fc/contributors.xml?")


def test_load_path_knows_what_is_there(serve, connect):
    known = {
        "/projects.xml": "project", "/languages.xml": "language", "/orgs.xml": "org",
        "/projects/1/contributors.xml": "contributor_fact",
        "/projects/1/analyses/latest/size_facts.xml": "size_fact",
        "/projects/1/analyses/latest/activity_facts.xml": "activity_fact",
        "/accounts/1/kudos/sent.xml": "kudo", "/accounts/1/kudos.xml": "kudo",
    }  # fmt: skip
    single = {
        "/projects/firefox.xml": "project", "/accounts/1.xml": "account",
        "/languages/7.xml": "language", "/projects/1/contributors/5.xml": "contributor_fact",
        "/projects/1/analyses/latest.xml": "analysis", "/forums/1/posts/7.xml": "post",
    }  # fmt: skip

    def answer(asked):
        if asked.path in single:
            return page_xml([record("7", single[asked.path])])
        return page_xml([], available=0, first=0, result=False)

    directory = connect(serve(answer))
    loaded = {}
    for path in known | single:
        frame = load(path, directory)
        facts = get_provenance(frame)
        has_columns = len(frame.columns) > 0
        loaded[path] = (facts["resource"], facts["complete"], len(frame), has_columns)
    empty = {path: (resource, True, 0, True) for path, resource in known.items()}
    assert loaded == empty | {path: (resource, True, 1, True) for path, resource in single.items()}
    frame = load("/projects/1/contributors.xml", directory)
    assert list(frame) == columns("contributor_fact")
    assert frame["first_commit_time"].dtype == "datetime64[us, UTC]"
    names = ("projects", "languages", "orgs")
    by_name = {name: load(name, directory) for name in names}
    is_the_same = {name: by_name[name].equals(load(f"/{name}.xml", directory)) for name in names}
    assert is_the_same == dict.fromkeys(names, True)
    unknown = load("/things.xml", directory)
    assert (unknown.shape, get_provenance(unknown)["items_available"]) == ((0, 0), 0)


def test_load_path_tells_records_without_an_id_apart_by_what_they_hold(serve, connect):
    def things(*pages):  # a page behind the last one is the last one again
        def answer(asked):
            page = min(asked.page, len(pages))
            count, size = sum(map(len, pages)), len(pages[0])
            return page_xml(pages[page - 1], available=count, first=(page - 1) * size)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IncompleteWarning)
            return load("/things.xml", connect(serve(answer)), incomplete="warn")

    same = "<thing><size>1</size></thing>"
    frame = things([same] * 10, ["<thing><size>2</size></thing>"] * 10)
    assert frame["size"].tolist() == [1] * 10 + [2] * 10
    facts = get_provenance(frame)
    assert (facts["complete"], facts["duplicates_removed"]) == (True, 0)
    others = [
        same.replace("thing>", "thing>\n ", 1),  # blanks make no other record
        "<thing><size>1</size><from>1</from></thing>", "<thing><size a='1'>1</size></thing>",
        "<thing a='1'><size>1</size></thing>", "<thing><from>1</from></thing>",
        "<thing><x><size>1</size></x></thing>", "<thing><size>1</size><x>2</x></thing>",
        "<thing xmlns='u'><size>1</size></thing>",
    ]  # fmt: skip
    complete = [get_provenance(things([same], [xml]))["complete"] for xml in others]
    assert complete == [False] + [True] * 7
    # A page that repeats another one is no proof.
    ten = [f"<thing><size>{n}</size></thing>" for n in range(10)]
    assert get_provenance(things(ten, ten))["complete"] is False


def test_load_path_of_one_record(written, connect):
    frame = load("/projects/1/contributors/5.xml", connect(written))
    assert frame["man_months"].tolist() == [14]
    facts = get_provenance(frame)
    assert (facts["complete"], facts["items_available"]) == (True, 1)
    spoken = dirframe.child_table(frame, "contributor_language_facts")
    assert spoken["language_nice_name"].tolist() == ["C++", "Python"]
    assert spoken["contributor_id"].tolist() == ["5", "5"]
    assert list(spoken).count("contributor_id") == 1


def test_load_path_of_anything_but_a_list_of_records_is_an_error(written, serve, connect):
    inner = "<things><thing><id>1</id></thing><thing><id>2</id></thing></things>"
    nested = page_xml([inner], available=2, first=0).replace(b"returned>1", b"returned>2")
    with pytest.raises(IncompleteCollectionError):  # it says two, and holds one
        load("/things.xml", connect(serve(nested)))
    with pytest.raises(NotFoundError):
        load("/things.xml", connect(written))


def test_load_of_other_records_than_those_of_the_path_is_an_error(serve, connect):
    others = connect(serve((XML / "projects-page.xml").read_bytes()))
    errors = [
        raised(load, "/languages.xml", others),
        raised(dirframe.load_activity, 1, directory=others),
    ]
    assert [type(error) for error in errors] == [UnreadableResponseError] * 2
    assert [error.found for error in errors] == ["<project>"] * 2
    assert [others.base_url in error.source for error in errors] == [True, True]


def test_load_of_a_project_without_an_analysis_is_an_error(written, connect):
    directory = connect(written)
    errors = [
        raised(load, "/projects/none/contributors.xml", directory),
        raised(dirframe.load_activity, "none", directory=directory),
    ]
    assert [type(error) for error in errors] == [ServiceError] * 2
    assert [error.status for error in errors] == [200, 200]
    assert ["No analysis of this project yet" in str(error) for error in errors] == [True, True]


def test_load_path_sends_a_query_whichever_way_it_is_given(serve, connect):
    rig = serve(page_xml([record("1", "thing")], available=1, first=0))
    load("/things.xml?query=a+b&sort=size", connect(rig))
    frame = load("/things.xml", connect(rig), query="a b", sort="size")  # from the cache
    [asked] = rig.requests
    assert asked.query == {"api_key": KEY, "query": "a b", "sort": "size"}
    question = {"path": "/things.xml", "query": "a b", "sort": "size"}
    assert get_provenance(frame)["query"] == question


def test_load_warnings_point_at_the_line_that_loads(serve, connect, tmp_path):
    named = record("1", analysis_id="7")
    page = page_xml([named, record("2", stack_count="many")], available=2, first=0)
    old = {"expire_after": timedelta(0)}
    many = connect(serve(page), **old)
    one = connect(serve((XML / "contributor.xml").read_bytes()), **old)
    recorded = tmp_path / "page.xml"
    recorded.write_bytes(page_xml([named], available=2, first=0))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for offline in (False, True):
            load("/projects.xml", many, offline=offline)
            load("/projects/1/contributors/5.xml", one, offline=offline)
        dirframe.load_projects(many, offline=True)
        dirframe.read_pages(recorded)
    assert {warning.category for warning in caught} == {
        *(AnalysesNotSentWarning, IncompleteWarning, StaleWarning, UnreadableValueWarning)
    }
    assert {warning.filename for warning in caught} == {__file__}


# Collections outside the specification

MONTHS = ("2012-12", "2013-01", "2013-02", "2013-04")


@pytest.mark.parametrize(
    ("function", "resource", "more", "values"),
    [
        (dirframe.load_languages, "language", [], {
            "id": ["7", "60"], "code": [456_492_953, 0], "category": ["code", "build"],
            "comment_ratio": [0.199350244364884, pd.NA],
        }),
        (dirframe.load_activity, "activity_fact", [], {  # all months are one document
            "month": [pd.Timestamp(f"{month}-01T00:00Z") for month in MONTHS],
            "code_added": [1204, 90, 0, 12], "comments_added": [200, 7, 0, pd.NA],
        }),
        (dirframe.load_contributors, "contributor_fact", [], {
            "contributor_id": ["5", "0009", "77"], "commits": [322, 1, pd.NA],
        }),
        (dirframe.load_size, "size_fact", ["cumulative_code"], {  # older documents add that
            "comment_ratio": [pd.NA, 0.184659090909091], "man_months": [3, 5],
            "cumulative_code": [0, 861],
        }),
    ],
)  # fmt: skip
def test_load_collections_outside_the_specification_as_written(
    written, connect, function, resource, more, values
):
    project = {} if resource == "language" else {"project": "example"}
    frame = function(**project, directory=connect(written))
    owner = ["project_id"] if project else []
    assert list(frame) == [*owner, *columns(resource), *more]
    assert {name: frame[name].tolist() for name in values} == values
    facts = get_provenance(frame)
    assert (facts["complete"], facts["query"]) == (True, project)
    [asked] = written.requests
    assert ("page" in asked.query) is (resource in {"language", "contributor_fact"})
    assert "example" in dirframe.cite(frame) or not project


MONTH = "<activity_fact><month>2013-01-01T00:00:00Z</month></activity_fact>"


@pytest.mark.parametrize(
    ("facts", "count"), [([MONTH], 3), ([MONTH, MONTH], 2)], ids=["short", "repeated"]
)
def test_load_activity_short_or_repeated_months_are_no_complete_answer(
    facts, count, serve, connect
):
    rig = serve(page_xml(facts, available=count, first=0))
    with pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_activity(1, directory=connect(rig))
    assert len(caught.value.frame) == 1


# On the live service as it is today, and over days

START = datetime(2026, 11, 2, 9, tzinfo=UTC)


def load_daily(rig, folder, *, days, daily_quota, each_day=list, **options):
    """Load projects on some days, as a person repeats a line; only the last day ends."""

    def of_day(day):
        # A little later each day, when the quota has returned.
        with (
            time_machine.travel(START + timedelta(days=day, minutes=day)),
            rig.directory(folder, daily_quota=daily_quota) as directory,
        ):
            return dirframe.load_projects(directory, **options)

    with rig.in_process():
        for day in range(days - 1):
            with (
                pytest.warns(QuotaWarning, match=f"on {days - day} days"),
                pytest.raises(QuotaExceededError),
            ):
                of_day(day)
            rig.edit(each_day)
        return of_day(days - 1)


def test_load_of_own_pages_beyond_the_quota_asks_for_each_once(tmp_path):
    rig = Today(50)
    options = {"sort": "project_name", "details": True}
    frame = load_daily(rig, tmp_path, days=3, daily_quota=20, **options)
    assert set(frame["id"]) == set(rig.ids)
    assert frame["analysis__id"].notna().all()
    own = [request for request in rig.requests if request.path.startswith("/p/")]
    assert len(own) == 50
    assert get_provenance(frame)["completeness"] == "proven"  # the collection is of one day


@pytest.mark.parametrize("at_the_end", slow_except([True, False], [False]))
def test_load_of_a_collection_that_grows_daily_keeps_what_it_paid_for(tmp_path, at_the_end):
    rig = Rig(200, size=10)
    try:
        frame = load_daily(
            rig,
            tmp_path,
            days=2,
            daily_quota=12,
            each_day=lambda ids: [*ids, "new"] if at_the_end else ["new", *ids],
        )
    except IncompleteCollectionError as error:  # only a page of the first day holds the new one
        frame = error.frame
    assert frame["id"].tolist() == numbered(200) + ["new"] * at_the_end
    assert len(rig.pages) <= 24
    facts = get_provenance(frame)
    assert facts["completeness"] == ("counted" if at_the_end else "incomplete")
    assert facts["complete"] is (None if at_the_end else False)
    texts = ("2026-11-02", "2026-11-03", "" if at_the_end else "201")
    assert all(text in facts["incomplete_reason"] for text in texts)
    assert not at_the_end or "not proven" in dirframe.cite(frame)


@pytest.mark.parametrize("reshuffles", [True, False])  # at each request, or each page stays
@pytest.mark.parametrize("kind", slow_except(["project", "account"], ["project"]))
def test_load_in_an_order_that_does_not_hold_keeps_all_for_a_tenth_more(kind, reshuffles):
    function = dirframe.load_projects if kind == "project" else dirframe.load_accounts
    sort, better = ("users", "project_name") if kind == "project" else (None, None)
    rig, came = Today(150, kind=kind), set()
    rig.reshuffles = reshuffles
    rig.listed = lambda xml: came.add(id_of(xml)) or xml
    if kind == "account":
        rig.sorted = lambda request, records: Random(
            len(rig.requests) if reshuffles else request.page
        ).sample(records, len(records))
    with rig.in_process(), rig.directory() as directory:
        with pytest.raises(IncompleteCollectionError) as caught:
            function(directory, sort=sort)
        error = caught.value
        assert len(rig.pages) <= 17
        assert set(error.frame["id"]) == came
        assert (error.received, error.expected) == (len(came), 150)
        assert (error.order_fails, error.better_sort) == (True, better)
        with pytest.warns(IncompleteWarning) as warned:
            function(directory, incomplete="warn", sort=sort)
    [warning] = [one.message for one in warned if one.category is IncompleteWarning]
    assert (warning.order_fails, warning.better_sort) == (True, better)


def test_load_of_the_newest_reading_of_a_record_that_comes_twice():
    pages = {1: ["1", "2", "3"], 2: ["3", "4", "5"], 3: ["1", "5", "6"], 4: ["2", "6", "7"]}

    def answer(asked):
        written = [record(one, name=f"on page {asked.page}") for one in pages.get(asked.page, [])]
        return page_xml(written, available=12, first=3 * (asked.page - 1))

    rig = Rig(answer=answer)
    with rig.in_process(), pytest.raises(IncompleteCollectionError) as caught:
        dirframe.load_projects(rig.directory())
    names = caught.value.frame.set_index("id")["name"].str[-1].to_dict()
    assert names == {"1": "3", "2": "4", "3": "2", "4": "2", "5": "3", "6": "4", "7": "4"}


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.parametrize("query", [None, "project"])
def test_load_of_todays_projects_is_by_ids_or_in_the_order_that_holds(tmp_path, query):
    rig = Today(120)
    with rig.in_process(), rig.directory(tmp_path) as directory:
        # After a redirect the first page; then the newest projects and the ids above, or 25 by name.
        begun = 2 + (2 if query is None else 1)
        price = dirframe.plan("projects", query=query, directory=directory)
        to_come = (6, 8) if query is None else (4, 4)
        assert len(rig.requests) == begun
        assert (price.requests_at_least, price.requests_at_most) == to_come
        frame = dirframe.load_projects(directory, query=query)
        assert set(frame["id"]) == set(rig.ids)
        facts = get_provenance(frame)
        assert facts["completeness"] == "proven"
        by_name = {"query": "project", "sort": "project_name"}
        assert facts["query"] == ({} if query is None else by_name)
        assert facts["requests_made"] == to_come[0] == len(rig.requests) - begun
        assert query or frame["id"].tolist() == rig.ids
        rig.forget()
        assert dirframe.load_projects(directory, query=query).equals(frame)
        assert dirframe.load("/projects.xml", query=query, directory=directory).equals(frame)
        assert dirframe.plan("projects", query=query, directory=directory).requests_at_most == 0
    assert rig.requests == []


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
@pytest.mark.parametrize(
    ("count", "options"),
    [
        (120, {"max_items": 30}),
        (120, {"sort": "relevance", "incomplete": "warn"}),
        (9, {}),
    ],
)
def test_load_of_todays_projects_keeps_the_order_of_the_directory_where_it_must(count, options):
    rig = Today(count)
    with rig.in_process():
        try:
            frame = dirframe.load_projects(rig.directory(), **options)
        except IncompleteCollectionError as error:
            frame = error.frame
    assert {request.query.get("sort") for request in rig.requests} == {options.get("sort")}
    assert "project" not in str(get_provenance(frame)["query"])


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize("sort", ["name", "created_at_reverse", "id_reverse", "new"])
def test_load_claims_a_sort_that_was_kept_and_none_that_was_ignored(sort, is_kept):
    ids = [str(100 + 37 * n % 55) for n in range(55)]
    order = sorted(ids, reverse=sort != "name") if is_kept else ids
    dates = {one: f"20{one[1:]}-01-01T00:00:00Z" for one in ids}
    rig = Rig([record(one, name=f"p{one}", created_at=dates[one]) for one in order])
    with rig.in_process(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = dirframe.load_projects(rig.directory(), sort=sort)
    ignored = [one.message.sort for one in caught if one.category is SortIgnoredWarning]
    assert ignored == ([] if is_kept else [sort])
    assert get_provenance(frame)["query"].get("sort") == (sort if is_kept else None)
    assert (", sorted by" in dirframe.cite(frame)) is is_kept


def load_ranked(rig, directory, **options):
    return dirframe.load_accounts(directory, **{"progress": False} | options)


def test_load_of_todays_accounts_is_in_the_order_of_their_ranks(tmp_path):
    rig = Today(accounts(numbered(55)), kind="account")
    by_ties = rig.sorted

    def sorted_(request, records):  # its own order has ties
        if request.query.get("sort") == "kudo_position":
            return by_ties(request, records)
        return Random(len(rig.requests)).sample(records, len(records))

    rig.sorted = sorted_
    with rig.in_process(), rig.directory(tmp_path) as directory:
        price = dirframe.plan("accounts", directory=directory)
        before = len(rig.requests)
        frame = load_ranked(rig, directory)
        paid = len(rig.requests) - before
        facts = get_provenance(frame)
        assert (set(frame["id"]), facts["completeness"]) == (set(rig.ids), "proven")
        assert frame["kudo_score_position"].is_monotonic_increasing
        assert facts["query"] == {"sort": "kudo_position"}
        assert (before, paid, price.requests_at_most) == (2, 5, 5)
        assert load_ranked(rig, directory).equals(frame)
        drawn = load_ranked(rig, directory, sample=8)
        assert get_provenance(drawn)["sample"]["order"] == "kudo_position"
        rig.ignored = {"kudo_position"}
        with pytest.raises(IncompleteCollectionError):
            load_ranked(rig, directory, refresh=True)


def test_load_of_todays_accounts_whose_ranks_are_not_kept_any_more_is_not_proven(tmp_path):
    rig = Today(accounts(numbered(155)), kind="account")
    rig.stops = {"kudo_position": 4}
    by_rank = rig.sorted

    def sorted_(request, records):  # its own order has ties
        in_order = by_rank(request, records)
        is_own = in_order == list(records)
        return Random(len(rig.requests)).sample(records, len(records)) if is_own else in_order

    rig.sorted = sorted_
    with (
        rig.in_process(),
        rig.directory(tmp_path) as directory,
        pytest.raises(IncompleteCollectionError) as caught,
    ):
        load_ranked(rig, directory)
    assert caught.value.order_fails
    assert len(caught.value.frame) > 40


def test_load_of_todays_accounts_without_ranks_says_how_many(tmp_path):
    rig = Today(accounts(numbered(95), unranked=set(numbered(95)[65:])), kind="account")
    with (
        rig.in_process(),
        rig.directory(tmp_path) as directory,
        pytest.raises(IncompleteCollectionError, match="have no rank") as caught,
    ):
        load_ranked(rig, directory)
    ranked = caught.value.frame["kudo_score_position"].notna()
    assert ranked.sum() == 65


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_load_by_popularity_is_of_projects_with_users(tmp_path):
    rig = Today(60)
    rig.unused, rig.reshuffles = set(numbered(40)), False
    path, options = tmp_path / "popular.archive", {"sort": "popularity"}
    with rig.in_process(), rig.directory(tmp_path) as directory:
        loaded = dirframe.load_projects(directory, incomplete="warn", **options)
        dirframe.harvest("projects", path, directory=directory, **options)
    described = {}
    for name, frame in {"load": loaded, "archive": dirframe.open_archive(path).frame()}.items():
        facts = get_provenance(frame)
        described[name] = {
            "ids": set(frame["id"]),
            "available": facts["items_available"],
            "query": facts["query"],
            "citation": "only projects with users" in dirframe.cite(frame),
            "caption": "n = 20 projects · only projects with users" in caption(frame),
        }
    expected = {
        "ids": set(numbered(60)[40:]),
        "available": 20,
        "query": {"only": "projects with users"},
        "citation": True,
        "caption": True,
    }
    assert described == {"load": expected, "archive": expected}

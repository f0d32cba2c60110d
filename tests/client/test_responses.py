"""What a response means: success, or which error with which facts; and what is asked for again."""

import json
import time
import warnings
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import cycle, product

import pytest
import time_machine

import dirframe
from dirframe.client.http import adapter, responses
from dirframe.errors import (
    DirframeError,
    DirframeWarning,
    IncompleteWarning,
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    ServiceError,
    UnreadableResponseError,
)
from dirframe.provenance import get_provenance
from tests.cases import raised, slow_except
from tests.rig import faults
from tests.rig.server import Reply, Rig, failed, page_xml, record
from tests.rig.today import Today, failure

PAUSES = adapter.PAUSES  # as they are before any test
ONE = page_xml([record("1")], available=1, first=0)


def projects(directory):
    return dirframe.load_projects(directory, progress=False)


def error_of(body, status=200, headers=None, load=projects, **options):
    """Load from a directory that answers alike; return the error, or None."""
    rig = Rig(answer=lambda _: Reply(body, status, headers or {}))
    with rig.in_process(), rig.directory(**options) as directory:
        return raised(load, directory)


MEANINGS = [
    (400, "The sort is unknown.", ServiceError),
    (400, "A valid api_key is required to access this URL.", InvalidKeyError),
    (401, "Please log in", InvalidKeyError),
    (401, "This api_key has exceeded the limit of 1000 requests per day.", QuotaExceededError),
    (403, "A valid api_key is required to access this URL.", InvalidKeyError),
    (404, "No such project", NotFoundError),
    (405, "Only GET", ServiceError),
    (429, "Too many", QuotaExceededError),
    (500, "An unknown application error occured.", ServiceError),
    *((status, "Busy", ServiceError) for status in (501, 502, 503, 504, 505)),
    (200, "7-Zip has been deleted", NotFoundError),
    (200, "An unknown error", ServiceError),
]


@pytest.mark.parametrize("form", ["failed", "failure", "HTML"])
@pytest.mark.parametrize(("status", "text", "kind"), MEANINGS)
def test_response_failure_is_the_error_that_it_means(status, text, kind, form):
    if form == "HTML":
        # Nobody reads HTML: what it says cannot decide.
        body = f"<html><body>{text}</body></html>".encode()
        expected = ServiceError if status >= 500 else UnreadableResponseError
    else:
        body = failed(text) if form == "failed" else failure(text)
        expected = kind
    error = error_of(body, status)
    assert type(error) is expected
    assert (error.url, error.status) == ("http://127.0.0.1:1/projects.xml?page=1", status)
    assert error.help_text == (None if form == "HTML" else text)
    assert error.reported == ("failed" if form == "failed" else None)
    assert error.attempts == (3 if status in {502, 503, 504} else 1)


#: What firewalls, logins, proxies and other interfaces answer; and the title that people see.
FOREIGN = {
    "<html><head><title>Just a moment...</title></head><body>Checking</body></html>": (
        "Just a moment..."
    ),
    "<!DOCTYPE html>\n<HTML><TITLE lang=en>\n Access\n denied &amp; logged </TITLE></HTML>": (
        "Access denied & logged"
    ),
    "<html><head><title>a\u009b2J\u202eb</title></head></html>": "a 2J b",
    f"<html><head><title>{'long ' * 100}</title></head></html>": ("long " * 16)[:80],
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Sign in</title>'
    "</head><body/></html>": "Sign in",
    "<html><body>no title</body></html>": None,
    "<html><head><title>  </title></head><body>a blank title</body></html>": None,
    '{"message": "api_key limit exceeded"}': None,
    "error code: 1020": None,
    "<Error><Code>AccessDenied</Code><Message>api_key</Message></Error>": None,
    "<response><status>failed</status><error>api_key": None,
}


STATUSES = [400, 401, 403, 404, 405, 407, 410, 418, 429, 451, 500, 503]
#: Each status, and each body with two statuses; the slow tests have every pair.
ANSWERS = {
    **dict.fromkeys(zip(STATUSES, cycle(FOREIGN))),
    **dict.fromkeys(product([403, 503], FOREIGN)),
}
QUICK = [*zip(STATUSES, cycle(FOREIGN)), *product([403], FOREIGN)]


@pytest.mark.parametrize(("status", "body"), slow_except(ANSWERS, QUICK))
def test_response_that_is_not_of_the_interface_says_nothing_about_key_and_quota(
    status, body, connect
):
    check_foreign_answer(status, body, connect)


def check_foreign_answer(status, body, connect):
    """Check that an answer of something else decides nothing, and that the next load is whole."""
    with Rig(25).in_process() as rig:
        directory = connect(rig, daily_quota=50)
        rig.always = faults.answers(body, status, Retry_After="120")
        error = _caught(directory)
        assert type(error) is (ServiceError if status >= 500 else UnreadableResponseError)
        assert (error.status, error.title, error.attempts) == (status, FOREIGN[body], 1)
        assert error.title is None or error.title in str(error)
        assert "interface" in str(error)
        assert directory.quota().left == 49
        rig.always = None
        assert len(projects(directory)) == 25
        assert len(rig.requests) == 1 + 3


def _caught(directory):
    with pytest.raises(DirframeError) as caught:
        projects(directory)
    return caught.value


@pytest.mark.parametrize("body", ["", " \n"])
def test_response_with_a_status_alone_is_of_the_interface(body):
    kinds = {status: type(error_of(body.encode(), status)) for status in (401, 403, 404, 429)}
    assert kinds == {
        401: InvalidKeyError,
        403: InvalidKeyError,
        404: NotFoundError,
        429: QuotaExceededError,
    }


@pytest.mark.parametrize("status", [401, 403, 429])
def test_response_with_records_and_a_status_of_refusal_says_nothing_about_the_key(status):
    assert type(error_of(ONE, status)) is ServiceError


@pytest.mark.parametrize("status", [200, 403, 404, 503])
def test_response_of_a_firewall_is_no_refusal_of_a_record(status, connect):
    """It is one project without its own page, named, and asked for by the next call."""
    with Today(12).in_process() as rig:
        rig.own_pages = {"8": Reply(faults.HTML.encode(), status)}
        options = {"details": True, "incomplete": "warn", "progress": False}
        with pytest.warns(IncompleteWarning):
            frame = dirframe.load_projects(connect(rig), **options)
        assert get_provenance(frame)["details_missing"] == ["8"]
        assert len(frame) == 12
        rig.own_pages = {}
        rig.forget()
        whole = dirframe.load_projects(connect(rig), details=True, progress=False)
        assert get_provenance(whole)["details_missing"] == []
        assert len(rig.requests) == 1


@pytest.mark.parametrize(
    "load",
    [projects, lambda directory: dirframe.load_project("8", directory=directory)],
    ids=["collection", "record"],
)
@pytest.mark.parametrize("status", [403, 404, 429])
def test_response_of_a_firewall_behind_a_redirect_is_not_of_the_interface(status, load):
    def answer(request):
        if request.path == "/check":
            return Reply(faults.HTML.encode(), status)
        return Reply(b"", 302, {"Location": "/check"})

    with Rig(answer=answer).in_process() as rig, rig.directory() as directory:
        with pytest.raises(UnreadableResponseError) as caught:
            load(directory)
        assert (caught.value.status, directory.quota().used) == (status, 2)


def test_response_with_a_page_is_a_success_with_200_alone():
    assert error_of(ONE) is None
    assert error_of(page_xml([], available=0, first=0, result=False)) is None
    statuses = (201, 204, 206, 301, 418, 502, 599)
    errors = {status: error_of(ONE, status) for status in statuses}
    kinds = {status: type(error) for status, error in errors.items()}
    assert kinds == dict.fromkeys(statuses, ServiceError)
    assert [error.status for error in errors.values()] == [*statuses]


def test_response_recorded_means_what_happened(shared):
    kinds = {
        "today_error_invalid_key": InvalidKeyError,
        "today_error_missing_key": InvalidKeyError,
        "today_error_not_found": NotFoundError,
        "today_error_over_limit": QuotaExceededError,
        "today_project_deleted": NotFoundError,
        "error_2013_issue13": ServiceError,
        "error_2007_readme": InvalidKeyError,
        "html_2011_project_page": UnreadableResponseError,
        "today_analysis_missing": ServiceError,
        "today_project_no_analysis": ServiceError,
    }

    def load(directory):  # pages, and single records of all kinds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DirframeWarning)
            dirframe.load("/any.xml", directory=directory, incomplete="warn", progress=False)

    errors = {}
    for file in sorted((shared / "samples").glob("*.json")):
        facts = json.loads(file.read_text())
        content = (file.parent / facts["file"]).read_bytes()
        errors[file.stem] = type(error_of(content, facts["http_status"], load=load))
    assert errors == dict.fromkeys(errors, type(None)) | kinds


# Retry-After


def test_response_retry_after_is_when_the_quota_is_back():
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    later = now + timedelta(hours=2)
    year, day = timedelta(days=366), now + timedelta(days=1)
    cases = {
        "0": now,
        "120": now + timedelta(seconds=120),
        " 7 ": now + timedelta(seconds=7),
        "9" * 30: now + year,
        format_datetime(later, usegmt=True): later,
        format_datetime(now - timedelta(days=1), usegmt=True): now,
        "Fri, 31 Dec 9999 23:59:59 -2359": now + year,
        # What says nothing: a day after the first request, which was refused now.
        **dict.fromkeys(
            ["soon", "", "-5", "1.5", "\xb3", "Fri, 31 Dec 2027 23:59:59 +99999999"], day
        ),
    }
    with time_machine.travel(now, tick=False):
        errors = {text: error_of(failed("Too many"), 429, {"Retry-After": text}) for text in cases}
        kinds = {text: type(error) for text, error in errors.items()}
        assert kinds == dict.fromkeys(cases, QuotaExceededError)
        assert {text: error.resets_at for text, error in errors.items()} == cases
        assert error_of(failed("Too many"), 429).resets_at == day


# What is tried again


@pytest.mark.parametrize(
    ("headers", "times", "pauses"),
    [({}, 4, [0, 1, 2]), ({"Retry_After": "7"}, 2, [7, 7]), ({"Retry_After": "31"}, 4, [])],
)
def test_response_pauses_grow_and_end(headers, times, pauses, connect, monkeypatch):
    slept = []
    monkeypatch.setattr("dirframe.client.http.adapter.PAUSES", PAUSES)
    monkeypatch.setattr(time, "sleep", slept.append)
    with Rig(5).in_process() as rig:
        rig.faults.extend([faults.answers("", 503, **headers)] * times)
        try:
            frame = dirframe.load_project(1, directory=connect(rig))
            attempts = get_provenance(frame)["requests_made"]
        except ServiceError as error:
            attempts = error.attempts
    assert slept == pauses
    assert attempts == len(rig.requests) == len(pauses) + 1


# Redirects


@pytest.mark.parametrize(
    ("asked", "moved", "then", "expected"),
    [
        ("/projects/1.xml", "/p/1.xml", "/projects/2.xml", "/p/2.xml"),
        ("/projects/1.xml", "/p/1.xml", "/projects.xml", "/p.xml"),
        ("/projects.xml", "/p.xml", "/projects/x%20y.xml", "/p/x%20y.xml"),
        ("/projects/1.xml", "/p/1.xml", "/accounts/2.xml", "/accounts/2.xml"),
        # What is kept under another name says nothing about another record.
        ("/projects/1.xml", "/p/one.xml", "/projects/2.xml", "/projects/2.xml"),
        ("/projects/1.xml", "/projects/one.xml", "/projects/2.xml", "/projects/2.xml"),
        ("/projects/1.xml", "/x/p/1.xml", "/projects/2.xml", "/projects/2.xml"),
    ],
)
def test_response_redirect_of_a_folder_is_paid_for_once(asked, moved, then, expected):
    def answer(request):
        path = request.path.removeprefix("/below")
        if path == asked:
            return Reply(b"", 302, {"Location": request.target.replace(asked, moved)})
        kind = "account" if "accounts" in path else "project"
        return page_xml([record("1", kind)], available=1, first=0)

    rig = Rig(answer=answer)
    with rig.in_process(), rig.directory(url=f"{rig.url}/below") as directory:
        for path in (asked, then):
            dirframe.load(path, directory=directory, progress=False)
    sent = [request.path.removeprefix("/below") for request in rig.requests]
    assert sent == [asked, moved, expected]


def test_response_redirect_is_paid_for_once_by_workers_and_by_those_who_come_later(connect):
    def answer(request):
        if request.path.startswith("/projects"):
            return Reply(b"", 302, {"Location": request.target.replace("/projects", "/p")})
        return page_xml([record("1", "contributor_fact")], available=1, first=0)

    paid = {}
    with Rig(answer=answer).in_process() as rig:
        for projects in ("1234", "12345"):
            rig.forget()
            rig.always = faults.late(0.01)  # others would be on their way
            options = {"directory": connect(rig, workers=4), "progress": False}
            frame = dirframe.load_contributors([*projects], **options)
            paid[projects] = (len(frame), len(rig.requests))
    assert paid == {"1234": (4, 1 + 4), "12345": (5, 1)}


@pytest.mark.parametrize(
    "page",
    slow_except(
        ["/explore/gone", "/gone", "/p/name8/disabled", "/projects/name8/disabled"],
        ["/gone", "/projects/name8/disabled"],
    ),
)
def test_response_for_people_of_one_record_is_a_refusal_that_is_paid_for_once(page, connect):
    month = page_xml(["<activity_fact><month>2010-01-01T00:00:00Z</month></activity_fact>"])

    def answer(asked):
        if asked.path.endswith(("/gone", "/disabled")):
            return Reply(faults.HTML.encode())
        if asked.path.startswith("/projects/8"):
            return Reply(b"", 302, {"Location": page})
        return month if asked.path.endswith("facts.xml") else None

    options = {"incomplete": "warn", "progress": False}
    loads = []
    with Today(12, answer=answer).in_process() as rig:
        for _ in range(2):
            rig.forget()
            directory = connect(rig)
            with pytest.warns(IncompleteWarning):
                frame = dirframe.load_projects(directory, details=True, **options)
            with pytest.warns(IncompleteWarning):
                facts = dirframe.load_activity(["9", "8", "7"], directory=directory, **options)
            missing = get_provenance(frame)["details_missing"]
            failures = get_provenance(facts)["failures"]
            is_paid = bool(rig.requests)
            loads.append((len(frame), missing, len(facts), failures, is_paid))
        errors = [raised(dirframe.load_project, "8", directory=directory) for _ in range(2)]
    received = (12, ["8"], 2, {"8": "refused"})
    assert loads == [(*received, True), (*received, False)]
    assert [type(error) for error in errors] == [ServiceError] * 2
    assert [page.rpartition("/")[2] in str(error) for error in errors] == [True, True]
    assert [error.url for error in errors] == [f"{rig.url}/p/8.xml"] * 2


@pytest.mark.parametrize("page", ["/login?to={}", "/maintenance"])
def test_response_for_people_of_the_whole_directory_ends_the_load(page, connect):
    def answer(asked):
        moved = Reply(b"", 302, {"Location": page.format(asked.path)})
        is_page = asked.path == page.partition("?")[0]
        return Reply(faults.HTML.encode()) if is_page else moved

    with Rig(answer=answer).in_process() as rig:
        options = {"directory": connect(rig), "incomplete": "warn", "progress": False}
        with pytest.raises(UnreadableResponseError, match=page.partition("?")[0]):
            dirframe.load_projects(**options)
        with pytest.warns(IncompleteWarning):
            facts = dirframe.load_activity(["9", "8", "7"], **options)
    assert set(get_provenance(facts)["failures"]) == {"9", "8", "7"}


@pytest.mark.parametrize(
    ("base", "location", "address"),
    [
        ("https://a.example", "https://www.a.example/projects.xml?page=1", "https://www.a.example"),
        ("https://a.example", "http://www.a.example/p.xml", "https://www.a.example"),
        ("https://a.example", "http://www.a.example:80/p.xml", "https://www.a.example"),
        ("https://a.example", "//WWW.a.example/", "https://www.a.example"),
        ("https://a.example", "https://www.a.example:8443/p.xml", "https://www.a.example:8443"),
        ("https://a.example", "https://ada:s3cret@b.example/", "https://b.example"),
        ("https://a.example", "https://ada:s3cret@a.example/", "https://a.example"),
        ("https://a.example/x", "https://b.example/x/projects.xml", "https://b.example/x"),
        ("https://a.example/x", "https://b.example/login", "https://b.example"),
        ("http://127.0.0.1:1", "https://127.0.0.1/projects.xml", "https://127.0.0.1"),
        ("http://127.0.0.1:1", "http://b.example/projects.xml", "http://b.example"),
    ],
)
def test_response_redirect_to_another_host_names_it(base, location, address, serve, connect):
    rig = serve(lambda _: Reply(b"", 301, {"Location": location}))
    rig.url = base.removesuffix("/x")
    with rig.in_process():
        directory = connect(rig, url=base)
        with pytest.raises(ServiceError) as caught:
            projects(directory)
    assert caught.value.moved_to == address
    assert f'base_url="{address}"' in str(caught.value)
    assert "s3cret" not in f"{caught.value} {vars(caught.value)}"
    assert len(rig.requests) == 1


@pytest.mark.parametrize(
    ("base", "location"),
    [
        ("https://a.example", "http://a.example/p.xml?page=1"),
        ("https://a.example:443", "https://a.example/p.xml?page=1"),
        ("https://a.example", "https://A.example:443/p.xml?page=1"),
        ("https://a.example:8443", "http://a.example/p.xml?page=1"),
        ("https://a.example:8443", "http://a.example:8443/p.xml?page=1"),
    ],
)
def test_response_redirect_to_the_same_host_in_another_spelling_is_followed(
    base, location, connect
):
    def answer(request):
        if request.path == "/projects.xml":
            return Reply(b"", 302, {"Location": location})
        return ONE

    rig = Rig(answer=answer)
    rig.url = base
    with rig.in_process():
        assert len(projects(connect(rig))) == 1
    assert [request.path for request in rig.requests] == ["/projects.xml", "/p.xml"]


# Bodies


def test_response_that_is_too_long_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(responses, "MAX_BYTES", 1_000_000)
    error = error_of(b"x" * 3_000_000)
    assert type(error) is UnreadableResponseError
    assert "1,000,000" in error.found
    assert error.source.endswith("/projects.xml?page=1")
    monkeypatch.setattr(responses, "MAX_BYTES", len(ONE))
    assert error_of(ONE) is None
    monkeypatch.setattr(responses, "MAX_BYTES", len(ONE) - 1)
    assert type(error_of(ONE)) is UnreadableResponseError


@pytest.mark.filterwarnings("ignore::dirframe.ShortKeyWarning")
@pytest.mark.parametrize("key", ["Ohloh", "SCM", "open source", "1"])
def test_response_keeps_an_ordinary_word_that_is_the_key(key, connect, serve):
    rig = serve(page_xml([record("1", name=f"{key} SCM")], available=1, first=0))
    directory = connect(rig, key=key)
    frame = dirframe.load_projects(directory, progress=False)
    assert frame["name"].tolist() == [f"{key} SCM"]
    assert dirframe.load_projects(directory, progress=False).equals(frame)
    assert len(rig.requests) == 1


@pytest.mark.filterwarnings("ignore::dirframe.ShortKeyWarning")
def test_response_that_repeats_the_key_is_shown_without_it(connect, serve):
    rig = serve(lambda _: Reply(failed("Ohloh is no api_key"), 403))
    with pytest.raises(InvalidKeyError) as caught:
        dirframe.load_projects(connect(rig, key="Ohloh"), progress=False)
    assert "Ohloh" not in f"{caught.value} {vars(caught.value)}"

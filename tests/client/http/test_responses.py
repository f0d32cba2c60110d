"""What a response means: success, or which error."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.http.responses import check_response, parse_retry_after
from dirframe.client.xml.parser import Page
from dirframe.errors import (
    DirframeError,
    InvalidKeyError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)
from tests.client import failed, page_xml, record

if TYPE_CHECKING:
    from pathlib import Path

URL = "http://d.example/projects.xml"


def check(
    content: bytes, status: int = 200, headers: dict[str, str] | None = None
) -> DirframeError | None:
    problem = check_response(
        content, status=status, headers=headers or {}, url=URL, max_bytes=10**6
    )
    return None if isinstance(problem, Page) else problem


def test_a_success_is_handed_over_parsed() -> None:
    content = page_xml([record("1")], available=1, first=0)
    page = check_response(content, status=200, headers={}, url=URL, max_bytes=10**6)
    assert isinstance(page, Page)
    assert (page.envelope.records, page.record_name, page.source) == (1, "project", URL)


def test_a_success_is_no_error() -> None:
    assert check(page_xml([record("1")], available=1, first=0)) is None
    assert check(page_xml([], available=0, first=0, result=False)) is None


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (400, "The sort is unknown.", ServiceError),
        (400, "A valid api_key is required to access this URL.", InvalidKeyError),
        (401, "Please log in", InvalidKeyError),
        (401, "This api_key has exceeded the limit of 1000 requests per day.", QuotaExceededError),
        (403, "A valid api_key is required to access this URL.", InvalidKeyError),
        (404, "No such project", NotFoundError),
        (405, "Only GET", ServiceError),
        (429, "Too many", QuotaExceededError),
        (500, "An unknown application error occured.", ServiceError),
        (200, "7-Zip has been deleted", NotFoundError),
        (200, "An unknown error", ServiceError),
    ],
)
@pytest.mark.parametrize("form", ["envelope", "error", "html"])
def test_a_failure_becomes_the_error_that_it_is(
    status: int, text: str, kind: type[DirframeError], form: str
) -> None:
    body = {
        "envelope": failed(text),
        "error": f"<error><message>{text}</message></error>".encode(),
        "html": f"<html><body>{text}</body></html>".encode(),
    }[form]
    error = check(body, status)
    if form == "html" and status in (200, 400, 401):
        # Nobody reads HTML: what it says cannot decide.
        assert isinstance(error, UnreadableResponseError | RequestError)
        return
    assert type(error) is kind
    assert isinstance(error, RequestError)
    assert (error.url, error.status) == (URL, status)
    assert str(status) in str(error)
    if form != "html":
        assert error.help_text == text
        assert f' ("{text}"). ' in str(error)


@pytest.mark.parametrize("status", [201, 204, 206, 301, 418, 502, 599])
def test_a_page_with_any_code_but_200_is_no_success(status: int) -> None:
    assert isinstance(check(page_xml([record("1")], available=1, first=0), status), ServiceError)


def test_every_recorded_answer_means_what_happened(shared: Path) -> None:
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
    for file in sorted((shared / "samples").glob("*.json")):
        facts = json.loads(file.read_text())
        content = (file.parent / facts["file"]).read_bytes()
        error = check(content, facts["http_status"])
        assert type(error) is kinds.get(file.stem, type(None)), file.stem


# -- Retry-After -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("120", 120), (" 7 ", 7), ("9" * 30, 366 * 86_400), ("soon", None), ("", None),
     ("-5", None), ("1.5", None), ("٣", None)],
)  # fmt: skip
def test_seconds_are_read(text: str, seconds: float | None) -> None:
    assert parse_retry_after({"Retry-After": text}) == seconds


def test_a_date_is_read() -> None:
    moment = datetime.now(UTC) + timedelta(hours=2)
    seconds = parse_retry_after({"Retry-After": format_datetime(moment, usegmt=True)})
    assert seconds is not None
    assert 7190 < seconds <= 7200
    past = format_datetime(moment - timedelta(days=1), usegmt=True)
    assert parse_retry_after({"Retry-After": past}) == 0
    assert parse_retry_after({}) is None


def test_a_date_beyond_all_dates_is_a_year_away() -> None:
    assert parse_retry_after({"Retry-After": "Fri, 31 Dec 9999 23:59:59 -2359"}) == 366 * 86_400
    error = check(failed("x"), 429, {"Retry-After": "Fri, 31 Dec 9999 23:59:59 -2359"})
    assert isinstance(error, QuotaExceededError)


_DATES = st.builds(
    "Fri, {} Dec {} {}:59:59 {}".format,
    st.integers(-1, 40),
    st.one_of(st.integers(0, 12_000), st.sampled_from([9999, 1, 0, 99, 10_000])),
    st.integers(0, 30),
    st.sampled_from(["GMT", "", "-0000", "+2359", "-2359", "+9999", "-9999", "+99999999", "X"]),
)


@given(st.one_of(st.text(max_size=40), _DATES, st.integers().map(str)))
def test_no_text_whatever_makes_a_refusal_fail(text: str) -> None:
    error = check(failed("Too many"), 429, {"Retry-After": text})
    assert isinstance(error, QuotaExceededError)
    assert error.resets_at is None or error.resets_at.tzinfo is not None

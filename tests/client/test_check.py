"""A check looks at a directory in at most 15 requests, and its report can be posted."""

import pytest

import dirframe
from dirframe.errors import InvalidKeyError, NetworkError
from tests.rig import faults
from tests.rig.server import MARK, Rig, id_of, record
from tests.rig.today import Today


def found(report):
    return {finding.what: finding.found for finding in report.findings}


def differing(report):
    return {finding.what for finding in report.findings if finding.as_specified is False}


def test_check_of_the_sample_finds_the_specification():
    with dirframe.sample_directory(cache=False) as directory:
        report = dirframe.check(directory)
        assert report.requests == directory.quota().used + 1 <= 15
    assert differing(report) == set()
    seen = found(report)
    assert (seen["page size"], seen["page past the end"]) == ("25", "empty")
    assert seen["projects by created_at"] == seen["accounts by id"] == "kept"
    assert "403" in seen["a wrong key"]
    assert "404" in seen["a record that is not there"]
    assert "codes" in seen["country forms"]
    assert len(str(report).splitlines()) == 2 + len(report.findings)


def test_check_of_todays_service_finds_how_it_differs():
    rig = Today(120)
    rig.add("account", [record(n, "account", country_code=c) for n, c in
                        enumerate(["US", "Germany", "", "DE"])])  # fmt: skip
    with rig.in_process(), rig.directory() as directory:
        report = dirframe.check(directory)
    assert report.requests == len(rig.requests) == 15
    assert {
        *("page size", "address", "analyses in collections", "projects by id", "a wrong key"),
    } <= differing(report)
    seen = found(report)
    assert seen["page size"] == "10"
    assert seen["projects by project_name"] == "kept"
    assert seen["projects by id"] == seen["projects by name"] == "NOT kept"
    assert seen["analyses in collections"] == "0 of 10 projects"
    assert seen["analysis on own pages"] == "sent"
    assert "status 400" in seen["a wrong key"]
    assert seen["country forms"] == "2 codes (US), 1 names (Germany), 1 missing"
    assert (
        "without a result element" in seen["query without a match"]
        or "records" in (seen["query without a match"])
    )
    assert MARK not in str(report) + repr(report)


def test_check_is_of_what_was_seen():
    rig = Rig(60, size=10)
    rig.past_end_is_first = True
    rig.sorts = {"id": lambda xml: -int(id_of(xml))}
    with rig.in_process(), rig.directory() as directory:
        seen = found(dirframe.check(directory))
    assert seen["page past the end"] == "the first page again"
    assert seen["projects by id"] == "NOT kept"
    assert seen["projects by created_at"] == "cannot be seen"
    rig = Rig(60, size=10)
    rig.items_available = lambda _: None
    with rig.in_process(), rig.directory() as directory:
        report = dirframe.check(directory)
    assert found(report)["projects"] == "not counted"
    assert "page past the end" not in found(report)


def test_check_stays_within_its_requests_and_stores_nothing(tmp_path):
    rig = Rig(60)
    with rig.in_process(), rig.directory(tmp_path) as directory:
        first = dirframe.check(directory)
        before = len(rig.requests)
        again = dirframe.check(directory)
        assert len(rig.requests) - before == again.requests == first.requests <= 15
        assert found(first).keys() == found(again).keys()
        rig.faults.extend([None] * 3 + [faults.fails("Out of order", 503)] * 20)
        before = len(rig.requests)
        report = dirframe.check(directory)
        assert len(rig.requests) - before <= 15 + 2  # a last one may be retried
    assert "not looked at" in str(report)


def test_check_of_what_cannot_be_asked_is_an_error():
    rig = Rig(60)
    with rig.in_process(), pytest.raises(InvalidKeyError):
        dirframe.check(rig.directory(key="another key 12345"))
    rig = Rig(60)
    rig.always = faults.reset_before
    with rig.in_process(), pytest.raises(NetworkError):
        dirframe.check(rig.directory())

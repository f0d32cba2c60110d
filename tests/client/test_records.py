"""Single records: the one that was asked for, or an error."""

from __future__ import annotations

from hashlib import md5, sha1
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest

import dirframe
from dirframe.errors import (
    InvalidInputError,
    NotFoundError,
    UnreadableResponseError,
    WeakKeyWarning,
)
from dirframe.provenance import get_provenance
from dirframe.schema import PROJECT
from tests.client import Asked, Reply, Server, failed, page_xml, record
from tests.faults.conftest import settings_of
from tests.today import TodayService

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dirframe.client.directory import Directory

ADA = "Ada@Example.org"


def digest(address: str) -> str:
    return md5(address.encode()).hexdigest()


def account(address: str, identifier: str = "7") -> str:
    return record(identifier, "account", email_sha1=sha1(address.encode()).hexdigest())


@pytest.fixture
def people() -> Iterator[Server]:
    """Serve a member whose address is known in lower case, as today's service does."""

    def answer(asked: Asked) -> Reply | bytes:
        if asked.path == f"/accounts/{digest(ADA.lower())}.xml":
            return page_xml([account(f"mailto:{ADA.lower()}")])
        if asked.path in ("/accounts/7.xml", "/projects/1.xml"):
            kind = "account" if "accounts" in asked.path else "project"
            return page_xml([record(asked.path[-5], kind)])
        return Reply(failed("There is no such record"), 404)

    with Server(answer) as server:
        yield server


@pytest.mark.parametrize("identifier", ["7", 7, " 7 "])
def test_an_account_is_loaded_by_its_id(
    identifier: Any, people: Server, at: Callable[..., Directory]
) -> None:
    frame = dirframe.load_account(identifier, directory=at(people))
    assert list(frame["id"]) == ["7"]
    facts = get_provenance(frame)
    assert (facts["resource"], facts["complete"]) == ("account", True)
    assert facts["query"] == {"id": "7"}


def test_a_project_is_loaded_by_its_id(people: Server, at: Callable[..., Directory]) -> None:
    frame = dirframe.load_project(1, directory=at(people))
    assert list(frame["id"]) == ["1"]
    assert frame["analysis_total_code_lines"].dtype == "Int64"


@pytest.mark.parametrize("spelling", [ADA, ADA.lower(), f"  {ADA.upper()} "])
def test_of_an_address_only_its_digest_is_sent(
    spelling: str, people: Server, at: Callable[..., Directory], tmp_path: Path
) -> None:
    directory = at(people)
    frame = dirframe.load_account(spelling, directory=directory)
    directory.close()
    assert list(frame["id"]) == ["7"]
    assert [asked.path for asked in people.asked] == [f"/accounts/{digest(ADA.lower())}.xml"]
    everything = repr(people.asked) + repr(frame.attrs)
    everything += "".join(
        file.read_bytes().decode("latin-1") for file in (tmp_path / "cache").iterdir()
    )
    assert "example.org" not in everything.lower()


@pytest.mark.parametrize("prefix", ["", "mailto:"])
@pytest.mark.parametrize("spelling", [ADA, ADA.lower()])
def test_both_forms_of_the_addresses_digest_are_accepted(
    prefix: str, spelling: str, at: Callable[..., Directory]
) -> None:
    def answer(asked: Asked) -> Reply | bytes:
        if asked.path == f"/accounts/{digest(spelling)}.xml":
            content = page_xml([account(prefix + spelling)])
            return content.replace(b"<email_sha1>", b"<email_sha1>\n ")
        return Reply(failed("none"), 404)

    with Server(answer) as server:
        assert len(dirframe.load_account(ADA, directory=at(server))) == 1


@pytest.mark.parametrize("came", [account("bob@example.org"), record("7", "account")])
def test_an_account_of_another_address_is_refused(came: str, at: Callable[..., Directory]) -> None:
    with Server(lambda _: page_xml([came])) as server:
        with pytest.raises(NotFoundError, match="another e-mail address") as caught:
            dirframe.load_account(ADA, directory=at(server))
        assert "example.org" not in str(caught.value).lower()
        assert len(server.asked) == 2


def test_an_unknown_address_is_not_found(people: Server, at: Callable[..., Directory]) -> None:
    with pytest.raises(NotFoundError) as caught:
        dirframe.load_account("nobody@example.org", directory=at(people))
    assert "nobody" not in str(caught.value)


@pytest.mark.parametrize(
    "records",
    [
        [record("8", "account")],
        [],
        [record("7", "account"), record("8", "account")],
        [record("7", "account"), record("7", "account")],
    ],
)
def test_another_record_than_the_one_asked_for_is_refused(
    records: list[str], at: Callable[..., Directory]
) -> None:
    with (
        Server(lambda _: page_xml(records)) as server,
        pytest.raises(NotFoundError, match="not with the one account"),
    ):
        dirframe.load_account(7, directory=at(server))


def test_a_record_of_another_kind_is_refused(at: Callable[..., Directory]) -> None:
    with (
        Server(lambda _: page_xml([record("7", "project")])) as server,
        pytest.raises(UnreadableResponseError, match="<project>"),
    ):
        dirframe.load_account(7, directory=at(server))


def test_a_short_name_is_asked_for_as_it_is(at: Callable[..., Directory]) -> None:
    with Server(lambda _: page_xml([record("7", url_name="fire fox/x")])) as server:
        assert list(dirframe.load_project("fire fox/x", directory=at(server))["id"]) == ["7"]
        assert server.asked[0].line.startswith("/projects/fire%20fox%2Fx.xml?")


@pytest.mark.parametrize("nasty", ["../accounts", "1?page=2", "1#x", "a%2fb", "1&api_key=x", ".."])
def test_an_id_never_changes_what_is_asked(nasty: str, at: Callable[..., Directory]) -> None:
    with Server(lambda _: page_xml([record("7", url_name=nasty)])) as server:
        dirframe.load_project(nasty, directory=at(server))
        [asked] = server.asked
        assert asked.path.startswith("/projects/")
        assert asked.path.count("/") == 2
        assert asked.path.endswith(".xml")
        assert list(asked.query) == ["api_key"]


@pytest.mark.parametrize("empty", ["", "  "])
def test_an_empty_id_is_refused_before_anything_is_sent(
    empty: str, people: Server, at: Callable[..., Directory]
) -> None:
    with pytest.raises(InvalidInputError, match="empty"):
        dirframe.load_project(empty, directory=at(people))
    with pytest.raises(InvalidInputError, match="empty"):
        dirframe.load_account(empty, directory=at(people))
    assert people.asked == []


def test_a_second_look_costs_nothing(people: Server, at: Callable[..., Directory]) -> None:
    directory = at(people)
    assert get_provenance(dirframe.load_account(ADA, directory=directory))["requests_made"] == 1
    assert get_provenance(dirframe.load_account(ADA, directory=directory))["requests_made"] == 0
    again = dirframe.load_account(ADA, directory=directory, refresh=True)
    assert get_provenance(again)["requests_made"] == 1


def test_the_sample_has_an_address_to_try() -> None:
    with dirframe.sample_directory() as directory:
        frame = dirframe.load_account("ada@example.org", directory=directory)
        assert get_provenance(frame)["synthetic"] is True
        with pytest.raises(NotFoundError):
            dirframe.load_account("nobody@example.org", directory=directory)
        with pytest.raises(NotFoundError):
            dirframe.load_project(10**9, directory=directory)


def test_one_record_has_the_columns_and_dtypes_of_many() -> None:
    with dirframe.sample_directory() as directory:
        one = dirframe.load_project(1, directory=directory)
        many = dirframe.load_projects(max_items=50, directory=directory, progress=False)
    for field in PROJECT.specified:
        assert one[field.column].dtype == many[field.column].dtype


@pytest.fixture
def today() -> Iterator[TodayService]:
    with TodayService() as service:
        service.redirects = True
        yield service


@pytest.fixture
def directory(today: TodayService, tmp_path: Path) -> Iterator[Directory]:
    with dirframe.Directory.from_settings(settings_of(today, tmp_path)) as opened:
        yield opened


@pytest.mark.parametrize("spelt", [str, str.upper])
def test_a_record_is_looked_up_by_a_name_that_it_has(
    directory: Directory, today: TodayService, spelt: Callable[[str], str]
) -> None:
    project = dirframe.load_project(1, directory=directory)
    account = dirframe.load_account(1, directory=directory)
    for load, frame in ((dirframe.load_project, project), (dirframe.load_account, account)):
        name = spelt(frame["name"].item())
        today.names[quote(name, safe="")] = today.names[name] = "1"
        found = load(name, directory=directory)
        assert list(found["id"]) == ["1"]
        assert get_provenance(found)["query"] == {"id": name}


def test_another_record_than_the_one_of_the_name_is_refused_and_named(
    directory: Directory, today: TodayService
) -> None:
    name = dirframe.load_project(2, directory=directory)["name"].item()
    today.names["firefox"] = "2"
    with pytest.raises(NotFoundError) as caught:
        dirframe.load_project("firefox", directory=directory)
    assert "'firefox'" in str(caught.value)
    assert f"2 ({name})" in str(caught.value)


@pytest.mark.parametrize("field", ["url_name", "vanity_url", "html_url", "url"])
def test_a_short_name_is_found_in_every_dialect(field: str, at: Callable[..., Directory]) -> None:
    text = f"https://example.org/p/{'Fire%20Fox.xml' if field == 'url' else 'Fire Fox'}"
    value = text if field in {"url", "html_url"} else "Fire Fox"
    with Server(lambda _: page_xml([record("9", "project", **{field: value})])) as server:
        frame = dirframe.load_project("fire fox", directory=at(server))
        assert list(frame["id"]) == ["9"]
        with pytest.raises(NotFoundError, match="9 "):
            dirframe.load_project("fox", directory=at(server))


def test_the_account_with_the_number_that_a_digest_begins_with_is_refused(
    at: Callable[..., Directory],
) -> None:
    with Server(lambda _: page_xml([record("12", "account")])) as server:
        with pytest.raises(NotFoundError):
            dirframe.load_account("12" + "a" * 30, directory=at(server))
        frame = dirframe.load_account("1" + "a" * 31, directory=at(server))
        assert list(frame["id"]) == ["12"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda directory, key: dirframe.load_project(key, directory=directory),
        lambda directory, key: dirframe.load_account(key, directory=directory),
        lambda directory, key: dirframe.load_projects(query=f"x {key}", directory=directory),
        lambda directory, key: list(dirframe.iter_accounts(directory, query=key)),
        lambda directory, key: dirframe.load_activity(key, directory=directory),
        lambda directory, key: dirframe.plan("projects", query=key, directory=directory),
        lambda directory, key: dirframe.harvest(
            "projects", directory.settings.cache_dir / "kept", query=key, directory=directory
        ),
    ],
)
def test_a_key_in_another_place_is_refused_and_neither_sent_nor_stored(
    ask: Callable[[Directory, str], object],
    people: Server,
    at: Callable[..., Directory],
    tmp_path: Path,
) -> None:
    key = "k3y+M4RKED0123456789"
    with pytest.raises(InvalidInputError, match="contains the API key") as caught:
        ask(at(people, key), key)
    assert key not in str(caught.value)
    assert people.asked == []
    stored = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(key.encode() in content for content in stored)


def test_an_id_that_is_also_a_weak_key_is_an_id(
    people: Server, at: Callable[..., Directory]
) -> None:
    with pytest.warns(WeakKeyWarning):
        frame = dirframe.load_account("7", directory=at(people, "7"))
    assert list(frame["id"]) == ["7"]


@pytest.mark.parametrize("wrong", [None, [1, 2], 1.0, pd.Series([1]), pd.NA, True, b"7"], ids=str)
@pytest.mark.parametrize(
    "load",
    [dirframe.load_project, dirframe.load_account, dirframe.load_size, dirframe.load_contributors],
)
def test_a_record_is_not_asked_for_by_what_is_no_id(
    load: Callable[..., pd.DataFrame], wrong: Any, people: Server, at: Callable[..., Directory]
) -> None:
    with pytest.raises(InvalidInputError, match="it must be text or a whole number"):
        load(wrong, directory=at(people))
    assert people.asked == []


def test_a_number_of_numpy_is_an_id_and_seconds(
    people: Server, at: Callable[..., Directory]
) -> None:
    frame = dirframe.load_project(np.int64(1), wait=np.float32(1.5), directory=at(people))  # type: ignore[arg-type]  # numbers, to Python
    assert list(frame["id"]) == ["1"]

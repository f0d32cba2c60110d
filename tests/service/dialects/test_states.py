"""Maintenance, deleted projects and disabled accounts, and what our client makes of each."""

from __future__ import annotations

import warnings
from hashlib import md5, sha1
from typing import TYPE_CHECKING, Any

import pytest
import requests

import dirframe
from dirframe.errors import (
    ConfigurationError,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    NotFoundError,
    ServiceError,
    UnreadableResponseError,
)
from dirframe.provenance import get_provenance
from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.states import States, StatesFile
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADDRESS = "Ada@Example.org"
PAGE = "<response><status>success</status><result>{}</result></response>"
ANALYSIS = "<analysis><id>{0}</id><total_code_lines>{0}00</total_code_lines></analysis>"
PROJECTS = [
    f"<project><id>{n}</id><name>P {n}</name><created_at>2008-07-{n % 28 + 1:02}T00:00:00Z"
    f"</created_at><stack_count>{n // 15}</stack_count><analysis_id>{n}</analysis_id>"
    f"{ANALYSIS.format(n)}</project>"
    for n in range(1, 31)
]


def _sha1(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def _account(number: int, digest: str) -> str:
    # The import keeps the MD5 alone; the live service digests the address in lower case.
    email_md5 = md5(f"a{number}@example.org".encode(), usedforsecurity=False).hexdigest()
    return (
        f"<account><id>{number}</id><name>A {number}</name><login>a{number}</login>"
        f"<email_md5>{email_md5}</email_md5><email_sha1>{digest}</email_sha1></account>"
    )


class There:
    """A service in the dialect of today's, its file of states, and a directory of it."""

    def __init__(self, url: str, keys: KeyStore, folder: Path) -> None:
        self.url, self.keys, self.folder = url, keys, folder
        self.key = keys.add("a tester", "states")

    def say(self, text: str) -> None:
        (self.folder / "states.toml").write_text(text)

    def directory(self, **options: Any) -> dirframe.Directory:
        return dirframe.Directory(self.url, self.key, cache_dir=self.folder / "cache", **options)

    @property
    def counted(self) -> int:
        return self.keys.list()[0].used


@pytest.fixture
def there(tmp_path: Path) -> Iterator[There]:
    digests = [
        _sha1("mailto:a1@example.org"),
        _sha1("A2@Example.org").upper(),
        _sha1("mailto:A3@Example.org"),
        _sha1("somebody@else.org"),
    ]
    accounts = [_account(n, digest) for n, digest in enumerate(digests, 1)]
    (tmp_path / "p.xml").write_text(PAGE.format("".join(PROJECTS)))
    (tmp_path / "a.xml").write_text(PAGE.format("".join(accounts)))
    (tmp_path / "states.toml").write_text("")
    with (
        Store(build_store(tmp_path / "store", [tmp_path / "p.xml", tmp_path / "a.xml"])) as store,
        KeyStore(tmp_path / "keys") as keys,
        dirframe.serve(store, keys=keys, dialect="today", states=tmp_path / "states.toml") as url,
    ):
        yield There(url, keys, tmp_path)


def test_a_deleted_project_is_named_and_the_rest_comes(there: There) -> None:
    there.say('deleted_projects = ["7"]')
    answer = requests.get(f"{there.url}/p/7.xml?api_key={there.key}", timeout=60)
    assert answer.status_code == 200
    assert "<status>failed</status>" in answer.text
    with there.directory() as directory:
        with pytest.raises(NotFoundError, match="deleted"):
            dirframe.load_project(7, directory=directory)
        with pytest.raises(IncompleteCollectionError, match=r"7 \(gone\)") as caught:
            dirframe.load_projects(details=True, directory=directory, progress=False)
        before = there.counted
        with pytest.warns(IncompleteWarning):
            again = dirframe.load_projects(
                details=True, directory=directory, incomplete="warn", progress=False
            )
    assert caught.value.details_missing == ("7",)
    assert there.counted == before
    assert again["analysis_total_code_lines"].notna().sum() == len(PROJECTS) - 1


def test_a_harvest_names_a_deleted_project(there: There) -> None:
    there.say('deleted_projects = ["7"]')
    with there.directory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteWarning)
        archive = dirframe.harvest(
            "projects", there.folder / "kept", details=True, directory=directory
        )
        assert "7" in str(get_provenance(archive.frame())["details_missing"])


@pytest.mark.parametrize("asked", ["2", "a2"])
def test_a_disabled_account_is_a_clear_error(there: There, asked: str) -> None:
    there.say('disabled_accounts = ["2"]')
    with there.directory() as directory:
        for _ in range(2):
            with pytest.raises(ServiceError, match=r"/accounts/2/disabled.*disabled") as caught:
                dirframe.load_account(asked, directory=directory)
            assert there.key not in str(caught.value)
        assert list(dirframe.load_account(1, directory=directory)["id"]) == ["1"]
        there.say("")
        assert list(dirframe.load_account(asked, directory=directory)["id"]) == ["2"]


@pytest.mark.parametrize("details", [False, True])
def test_maintenance_ends_a_load_at_once_and_is_never_kept(there: There, details: bool) -> None:
    with there.directory() as directory:
        price = dirframe.plan("projects", details=True, exact=True, directory=directory)
        left = directory.session.quota.remaining()
        counted = there.counted
        there.say("maintenance = true")
        with pytest.raises(UnreadableResponseError, match="HTML") as caught:
            dirframe.load_projects(
                details=details, refresh=not details, directory=directory, progress=False
            )
        assert there.key not in str(caught.value)
        assert there.counted == counted
        assert left - directory.session.quota.remaining() == 1  # asked once, and it was an answer
        there.say("")
        frame = dirframe.load_projects(details=True, directory=directory, progress=False)
        assert there.counted - counted == price.requests_needed
    assert get_provenance(frame)["complete"] is True


@pytest.mark.parametrize("incomplete", ["raise", "warn"])
def test_a_gap_for_want_of_a_tie_break_is_never_silent(there: There, incomplete: str) -> None:
    options: dict[str, Any] = {"sort": "users", "progress": False}
    with there.directory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", dirframe.AnalysesNotSentWarning)
        if incomplete == "raise":
            with pytest.raises(IncompleteCollectionError):
                dirframe.load_projects(directory=directory, **options)
            return
        with pytest.warns(IncompleteWarning):
            frame = dirframe.load_projects(directory=directory, incomplete="warn", **options)
        assert get_provenance(frame)["complete"] is False
        assert frame["id"].is_unique
        assert len(frame) < len(PROJECTS)
        whole = dirframe.load_projects(sort="new", directory=directory, progress=False)
        assert len(whole) == len(PROJECTS)


@pytest.mark.parametrize(
    ("address", "identifier"),
    [
        ("a1@example.org", "1"),
        ("A1@example.org", "1"),
        ("A2@Example.org", "2"),
        ("A3@Example.org", "3"),
    ],
)
def test_an_account_is_found_by_its_address_however_the_digest_is_made(
    there: There, address: str, identifier: str
) -> None:
    with there.directory() as directory:
        frame = dirframe.load_account(address, directory=directory)
    assert list(frame["id"]) == [identifier]


def _address_whose_digest_begins_with(digit: str) -> str:
    addresses = (f"u{number}@example.org" for number in range(10_000))
    return next(
        one
        for one in addresses
        if (digest := md5(one.encode(), usedforsecurity=False).hexdigest()).startswith(digit)
        and not digest[1].isdigit()
    )


def test_an_unknown_address_is_never_the_account_of_its_number(there: There) -> None:
    address = _address_whose_digest_begins_with("2")
    with there.directory() as directory:
        for asked in (address, "a4@example.org"):  # the other has another address's digest
            with pytest.raises(NotFoundError, match="another e-mail address"):
                dirframe.load_account(asked, directory=directory)


def test_the_right_account_comes_although_its_digest_begins_with_its_number(
    tmp_path: Path,
) -> None:
    address = _address_whose_digest_begins_with("5")
    digest = md5(address.encode(), usedforsecurity=False).hexdigest()
    (tmp_path / "a.xml").write_text(
        PAGE.format(
            f"<account><id>5</id><name>Five</name><email_md5>{digest}</email_md5>"
            f"<email_sha1>{_sha1('mailto:' + address)}</email_sha1></account>"
        )
    )
    with (
        KeyStore(tmp_path / "keys") as keys,
        dirframe.serve(tmp_path / "a.xml", keys=keys, dialect="today") as url,
        There(url, keys, tmp_path).directory() as directory,
    ):
        assert list(dirframe.load_account(address, directory=directory)["id"]) == ["5"]


def test_a_file_of_states_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "states.toml"
    path.write_text('disabled_accounts = ["5"]')
    states = StatesFile(path)
    assert states.read() == States(disabled_accounts=frozenset({"5"}))
    path.write_text("maintenance = true")
    assert states.read() == States(maintenance=True)
    assert StatesFile(None).read() == States()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("maintenance = 1", "true or false"),
        ("deleted = []", "deleted_projects"),
        ("deleted_projects = [3]", "list of ids"),
        ("deleted_projects =", "not TOML"),
        (None, "cannot be read"),
    ],
)
def test_a_file_of_states_that_says_something_else_is_refused(
    tmp_path: Path, text: str | None, said: str
) -> None:
    path = tmp_path / "states.toml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigurationError, match=said):
        StatesFile(path)


def test_states_are_those_of_the_dialect_of_today(tmp_path: Path) -> None:
    path = tmp_path / "states.toml"
    path.write_text("")
    with pytest.raises(InvalidInputError, match="today"):
        dirframe.serve(states=path)

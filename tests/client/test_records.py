"""Single records, by id and by address."""

from __future__ import annotations

from hashlib import md5, sha1
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import dirframe
from dirframe import provenance
from dirframe.client.session import Session
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADDRESS = "ada@example.org"


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[dirframe.Directory]:
    with dirframe.sample_directory(cache_dir=tmp_path) as sample:
        yield sample


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the addresses that are asked for."""
    paths: list[str] = []
    get = Session.get

    def noted(self: Session, path: str, *rest: object) -> object:
        paths.append(path)
        return get(self, path, *rest)  # type: ignore[arg-type]  # handed on as they come

    monkeypatch.setattr(Session, "get", noted)
    return paths


def test_one_record_has_the_columns_and_dtypes_of_many(directory: dirframe.Directory) -> None:
    one = dirframe.load_project(1, directory=directory)
    many = dirframe.load_projects(max_items=50, directory=directory, progress=False)
    for field in PROJECT.specified:
        assert one[field.column].dtype == many[field.column].dtype
    account = dirframe.load_account("5", directory=directory)
    assert [f.column for f in ACCOUNT.specified] == list(account)[: len(ACCOUNT.specified)]


def test_of_an_address_only_the_md5_is_sent(
    directory: dirframe.Directory, asked: list[str]
) -> None:
    frame = dirframe.load_account(f"  {ADDRESS.upper()} ", directory=directory)
    assert list(frame["id"]) == ["1"]
    digest = md5(ADDRESS.encode(), usedforsecurity=False).hexdigest()
    assert asked == [f"/accounts/{digest}.xml"]
    assert "example.org" not in str(provenance.describe(frame)["question"])


@pytest.mark.parametrize("prefix", ["", "mailto:"])
def test_both_known_forms_of_the_check_are_accepted(
    directory: dirframe.Directory, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    answer_with(monkeypatch, sha1((prefix + ADDRESS).encode(), usedforsecurity=False).hexdigest())
    assert len(dirframe.load_account(ADDRESS, directory=directory)) == 1


def test_an_account_of_another_address_is_refused(
    directory: dirframe.Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, "0" * 40)
    with pytest.raises(dirframe.NotFoundError, match="another e-mail address") as caught:
        dirframe.load_account(ADDRESS, directory=directory)
    assert ADDRESS not in str(caught.value)


def answer_with(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    content = (
        "<response><status>success</status><result><account><id>1</id>"
        f"<email_sha1>{digest}</email_sha1></account></result></response>"
    ).encode()
    get = Session.get

    def answered(self: Session, path: str, *rest: object) -> object:
        from dataclasses import replace

        return replace(get(self, "/accounts/1.xml", *rest), content=content)  # type: ignore[arg-type]  # as they come

    monkeypatch.setattr(Session, "get", answered)


def test_an_unknown_id_and_an_unknown_address_are_not_found(
    directory: dirframe.Directory,
) -> None:
    for wrong in ("999999", "nobody@example.org"):
        with pytest.raises(dirframe.NotFoundError) as caught:
            dirframe.load_account(wrong, directory=directory)
        assert caught.value.status == 404


@pytest.mark.parametrize("odd", ["../projects/1", "1?x=2", "a/b", "1.xml", "%2e%2e", "é"])
def test_an_odd_id_stays_one_path_segment(
    directory: dirframe.Directory, asked: list[str], odd: str
) -> None:
    with pytest.raises((dirframe.NotFoundError, dirframe.ServiceError)):
        dirframe.load_project(odd, directory=directory)
    assert urlsplit(asked[0]).path.count("/") == 2


def test_an_empty_id_is_refused_before_anything_is_sent(
    directory: dirframe.Directory, asked: list[str]
) -> None:
    with pytest.raises(dirframe.InvalidInputError, match="empty"):
        dirframe.load_project(" ", directory=directory)
    assert asked == []


def test_a_record_is_paid_for_once(directory: dirframe.Directory) -> None:
    first = dirframe.load_project(3, directory=directory)
    second = dirframe.load_project(3, directory=directory, offline=True)
    assert provenance.describe(first)["requests_paid"] == 1
    assert provenance.describe(second)["requests_paid"] == 0
    assert (
        first.drop(columns=["tags"], errors="ignore").shape
        == second.drop(columns=["tags"], errors="ignore").shape
    )

"""A small directory, written as XML and served: what the tests of the service share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.schema import RESOURCES
from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.xml_writer import collection_xml, record_xml
from dirframe.service.server import serve
from dirframe.service.store.build import build_store
from dirframe.service.store.sample import open_data
from dirframe.service.store.store import Store
from tests.service import Directory
from tests.service.door import Door

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.service.records import Value


def stamp(day: int) -> str:
    return f"2010-01-{day % 28 + 1:02d}T00:00:00Z"


def accounts() -> list[dict[str, Value]]:
    return [
        {
            "id": str(number),
            # Few different names and days, so that every sort has ties.
            "name": ["Ada Example", "bob", "Zoë GRÖSSE", "çelik"][number % 4],
            "created_at": stamp(number // 3),
            "updated_at": stamp(number // 2),
            "avatar_url": "http://avatars.example/x.png",
            "email_sha1": "3633efc74fa00d716c004190b0134622b86182d9",
            "email_md5": f"{number:032x}",
            "posts_count": number % 5,
        }
        for number in range(1, 108)
    ]


def projects() -> list[dict[str, Value]]:
    return [
        {
            "id": str(number),
            "name": f"Project {number}",
            "created_at": stamp(number),
            "updated_at": stamp(number // 5),
            "description": "Reads <XML> & writes it." if number % 2 else "Something else.",
            "stack_count": number % 7,
            "tags": ["c++", "version_control"] if number % 3 else [],
        }
        for number in range(1, 64)
    ]


def write_collection(folder: Path, name: str, records: list[dict[str, Value]]) -> Path:
    resource = RESOURCES[name]
    fragments = [record_xml(resource, record) for record in records]
    path = folder / f"{resource.collection}.xml"
    path.write_bytes(collection_xml(fragments, available=len(fragments), first=0))
    return path


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("collections")
    write_collection(folder, "account", accounts())
    write_collection(folder, "project", projects())
    with Store(build_store(folder / "store.sqlite", [folder])) as store:
        yield store


@pytest.fixture
def keys(tmp_path: Path) -> Iterator[KeyStore]:
    with KeyStore(tmp_path / "keys.sqlite") as keys:
        yield keys


@pytest.fixture
def directory(store: Store, keys: KeyStore) -> Directory:
    """Return the application with a key to it, without a socket."""
    return Directory(store, keys)


@pytest.fixture(scope="module")
def door(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    path = tmp_path_factory.mktemp("door") / "keys.sqlite"
    with KeyStore(path) as keys:
        service = serve(store, keys=keys, page_rate=0)
        with service:
            yield Door(service, keys)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    path = tmp_path_factory.mktemp("keys") / "keys.sqlite"
    with open_data() as store, KeyStore(path) as keys:
        service = serve(store, keys=keys, page_rate=0, name="A & B", metrics="/metrics")
        with service:
            yield Door(service, keys)

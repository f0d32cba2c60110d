"""XML files of any size are read; what is no collection is refused by name and place."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import ACCOUNT
from dirframe.service.server import serve
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store
from tests.service.importing.test_importer import build, page

if TYPE_CHECKING:
    from pathlib import Path


def test_compressed_files_and_folders_in_folders_are_read(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    with gzip.open(inner / "a.xml.gz", "wb") as stream:
        stream.write(page("<account><id>1</id></account>"))
    (inner / "notes.txt").write_text("not a collection")
    with build(tmp_path, page("<account><id>2</id></account>")) as store:
        assert store.count(ACCOUNT) == 2


BOMB = b"""<?xml version="1.0"?><!DOCTYPE response [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<response><result><account><id>1</id><name>&b;</name></account></result></response>"""


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (b"", "not well-formed"),
        (b'{"id": 1}', "not well-formed"),
        (b"<html><body>Maintenance</body></html>", "root is <html>"),
        (page("<account><id>1</id></account>")[:-12], "not well-formed"),
        (page("<account><name>x</name></account>"), r"record 1 \(line 1\).*id is ''"),
        (page("<account><id>a/b</id></account>"), "without blanks or slashes"),
        (page("<language><id>1</id></language>"), "neither an account nor a project"),
        (
            page("<account><id>1</id><created_at>yesterday</created_at></account>"),
            "created_at is 'yesterday'",
        ),
        (page("<account><id>1</id><email_md5>12</email_md5></account>"), "32 hexadecimal"),
        (b"<response><status>failed</status><error>No.</error></response>", "failed answer"),
        (BOMB, "document type"),
    ],
    ids=str,
)
def test_what_is_no_collection_is_refused_by_name_and_leaves_nothing(
    tmp_path: Path, document: bytes, text: str
) -> None:
    with pytest.raises(StoreError, match=text) as caught:
        build(tmp_path, page("<account><id>9</id></account>"), document)
    assert "1.xml" in str(caught.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.xml", "1.xml"]


def test_damaged_compressed_files_and_missing_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.xml.gz"
    whole = gzip.compress(page("<account><id>1</id></account>"))
    for content in (whole[:-10], b"not gzip", whole[:15] + b"\xff\xff" + whole[17:]):
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"a\.xml\.gz"):
            Store(build_store(tmp_path / "s", [path]))
    with pytest.raises(InvalidInputError, match="no file or folder"):
        Store(build_store(tmp_path / "s", [tmp_path / "nowhere"]))
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match="holds no"):
        Store(build_store(tmp_path / "s", [tmp_path / "empty"]))


def test_an_external_entity_reads_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    document = f"""<!DOCTYPE response [<!ENTITY x SYSTEM "{secret.as_uri()}">]>
        <response><result><account><id>1</id><name>&x;</name></account></result></response>"""
    with pytest.raises(StoreError, match="document type"):
        build(tmp_path, document.encode())


@pytest.mark.parametrize("name", ["people.json", "people.xlsx", "people.db"])
def test_a_file_that_is_neither_xml_nor_a_table_is_told_what_is_read(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("[1]")
    with pytest.raises(StoreError, match=r"A table has the suffix \.csv.* sqlite:///people\.db"):
        serve(tmp_path / name)
    with pytest.raises(StoreError, match="name each table by its own path"):
        serve(tmp_path)

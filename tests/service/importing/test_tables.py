"""Tables that cannot be read are named, and no password with them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pytest

from dirframe.errors import DirframeError, InvalidInputError, StoreError
from dirframe.service.server import serve

if TYPE_CHECKING:
    from pathlib import Path


def test_a_password_of_a_database_is_never_told(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text("[accounts]\nquery = 'SELECT 1 AS id, 2 AS name FROM nothing'")
    for address in (
        "postgresql+nodriver://user:s3cret@127.0.0.1:1/db?sslpassword=s3cret",
        "sqlite://user:s3cret@127.0.0.1/a.db",
    ):
        with pytest.raises(DirframeError) as caught:
            serve(address, mapping=mapping)
        chain = [caught.value, caught.value.__cause__]
        assert "s3cret" not in "".join(map(str, chain)), address
        assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"id,name\n\xff,x\n", "cannot be read as csv.*Save the table as UTF-8"),
        ("a.csv", b"", "first line must name"),
        ("a.csv", b"id,id,name\n", "several columns of one name: id"),
        ("a.csv", b'id,name\n1,"x', "line 2: unexpected end of data"),
        ("a.csv", b'id,name\n1,"x\ny"\n2,z\n\n3,"a\nb', "line 6: unexpected end of data"),
        ("a.jsonl", b'{"id": 1}\n{bad\n', "line 2: Expecting property name"),
        ("a.jsonl", b'{"id": 1}\n[]\n', "line 2 is no object"),
        ("a.jsonl", b"[" * 200_000, "line 1 is nested too deeply"),
        ("a.parquet", b"PAR1", "cannot be read as parquet"),
        ("a.csv.gz", b"plain", "cannot be read as csv"),
    ],
)
def test_a_damaged_table_is_named_with_what_is_wrong(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(StoreError, match=told):
        serve({"accounts": tmp_path / name})


def test_columns_of_one_name_are_refused_whatever_the_table_is(tmp_path: Path) -> None:
    # A join has them; which of the two is meant, nobody knows.
    path = tmp_path / "directory.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE a (id, name)")
        database.execute("CREATE TABLE b (id, name)")
        database.commit()
    mapping = tmp_path / "map.toml"
    mapping.write_text("[accounts]\nquery = 'SELECT a.*, b.name FROM a JOIN b USING (id)'")
    with pytest.raises(StoreError, match="several columns of one name: name"):
        serve(f"sqlite:///{path}", mapping=mapping)
    values = [pa.array(["1"]), pa.array(["Ada"]), pa.array(["Bob"])]
    with pytest.raises(StoreError, match="several columns of one name: name"):
        serve({"accounts": pa.table(values, names=["id", "name", "name"])})
    frame = pd.DataFrame([["1", "Ada", "Bob"]], columns=["id", "name", "name"])
    with pytest.raises(InvalidInputError, match="Duplicate column names"):
        serve({"accounts": frame})


def test_a_database_that_is_not_there_is_named_and_not_made(tmp_path: Path) -> None:
    path, mapping = tmp_path / "people.db", tmp_path / "map.toml"
    mapping.write_text("[accounts]\nquery = 'SELECT 1 AS id, 2 AS name'")
    with pytest.raises(StoreError, match=r"There is no database .*people\.db"):
        serve(f"sqlite:///{path}", mapping=mapping)
    assert not path.exists()

"""Tables that cannot be read are named, and no password with them."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import os
import sqlite3
import traceback
from contextlib import closing
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import requests
from pyarrow import parquet

from dirframe.errors import DirframeError, InvalidInputError, StoreError
from dirframe.service.importing.sources import check_data
from dirframe.service.importing.xml_files import find_files
from dirframe.service.server import serve
from tests.cli import dirframe


def test_a_password_of_a_database_is_never_told(tmp_path: Path) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text("[accounts]\nquery = 'SELECT 1 AS id, 2 AS name FROM nothing'")
    for address in (
        "postgresql+nodriver://user:s3cret@127.0.0.1:1/db?sslpassword=s3cret",
        "sqlite://user:s3cret@127.0.0.1/a.db",
        "postgresql://user:s3cret/db",
        "postgresql://user:s3cret@127.0.0.1:port/db",
        "postgresql://user:s3cret@[::1/db",
        "postgresql+nodriver://user:x@s3cret@127.0.0.1:1/db",
        "postgresql+nodriver:///user:s3cret@127.0.0.1/db",
        "postgresql:/user:s3cret@127.0.0.1/db",
        "sqlite:///:memory:?timeout=s3cret",
        "sqlite:///:memory:?uri=s3cret&nonsense=s3cret",
    ):
        with pytest.raises(DirframeError) as caught:
            serve(address, mapping=mapping)
        assert "s3cret" not in "".join(traceback.format_exception(caught.value)), address


@pytest.mark.parametrize(
    "address", ["user:s3cret/db", "user:s3cret@h:port/db", "user:s3cret@[::1/db"]
)
def test_an_address_that_is_not_readable_is_refused_without_it(
    tmp_path: Path, address: str
) -> None:
    mapping = tmp_path / "map.toml"
    mapping.write_text("[accounts]\nquery = 'SELECT 1 AS id, 2 AS name'")
    address = f"postgresql://{address}"
    done = dirframe("serve", "--data", address, "--map", str(mapping), "--check")
    assert done.returncode != 0
    assert "The address of the database is not readable." in done.stderr
    assert "s3cret" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", b"id,name\n\xff,x\n", "cannot be read as csv.*Save the table as UTF-8"),
        ("a.csv", "id,name\n1,x\n".encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
        ("a.tsv", codecs.BOM_UTF16_BE + "id\tname".encode("utf-16-be"), "iconv -f UTF-16 -t"),
        ("a.csv", "id,name\n".encode("utf-32"), "iconv -f UTF-32 -t UTF-8"),
        ("a.csv.gz", gzip.compress("id,name\n1,x\n".encode("utf-16"), mtime=0), "iconv -f UTF-16"),
        ("a.jsonl", '{"id": 1}\n{"id": 2}\n'.encode("utf-16"), "iconv -f UTF-16 -t UTF-8"),
        ("a.csv", b"", "first line must name"),
        ("a.csv", b"id,id,name\n", "several columns of one name: id"),
        ("a.csv", b'id,name\n1,"x', "line 2: unexpected end of data"),
        ("a.csv", b'id,name\n1,"x\ny"\n2,z\n\n3,"a\nb', "line 6: unexpected end of data"),
        ("a.jsonl", b'{"id": 1}\n{bad\n', "line 2: Expecting property name"),
        ("a.jsonl", b'{"id": 1}\n[]\n', "line 2 is not an object"),
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


def test_a_separator_in_a_quoted_name_separates_nothing(tmp_path: Path) -> None:
    file = tmp_path / "accounts.csv"
    file.write_text('id;name;"town, county, land"\n1;a;"x, y, z"\n', encoding="utf-8")
    (report,) = check_data(file)
    assert (report.rows, report.invalid, report.unused) == (1, 0, ["town, county, land"])


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


@pytest.mark.parametrize(
    "column",
    [
        pa.array([2**40], pa.timestamp("s")),
        pa.array([2**30], pa.int32()).cast(pa.date32()),
        pa.array([2**62], pa.duration("s")),
        pa.array([[2**40]], pa.list_(pa.timestamp("s"))),
        pa.array([1], pa.timestamp("s", tz="No/Where")),
    ],
    ids=lambda column: str(column.type),
)
def test_a_time_that_python_cannot_hold_is_a_row_that_does_not_fit(
    tmp_path: Path, column: pa.Array
) -> None:
    path = tmp_path / "accounts.parquet"
    both = pa.concat_arrays([column, pa.nulls(1, column.type)])
    table = pa.table({"id": ["1", "2"], "name": ["a", "b"], "created_at": both})
    parquet.write_table(table, path)
    for data in (path, {"accounts": table}):
        with pytest.raises(StoreError, match="1 of 2 rows do not fit") as refused:
            serve(data)
        assert (
            f"Row 1 ({str(column.type).split('[', maxsplit=1)[0].split('<', maxsplit=1)[0]}"
            in refused.value.message
        )
        with serve(data, skip_invalid=True) as url:
            assert "1 accounts" in requests.get(f"{url}/healthz", timeout=60).text
    (report,) = check_data(path)
    assert (report.rows, report.invalid) == (2, 1)
    # What no field takes is not read.
    parquet.write_table(table.rename_columns(["id", "name", "joined"]), path)
    serve(path).stop()


def test_a_name_that_is_no_text_is_refused_or_shown_escaped(tmp_path: Path) -> None:
    path = tmp_path / "accounts.jsonl"
    path.write_text('{"id": 1, "name": "a"}\n{"id": 2, "name": "b", "\\ud800": 1}\n')
    for read in (serve, check_data):
        with pytest.raises(StoreError, match=r"line 2: a name has U\+D800"):
            read(path)
    path = tmp_path / "projects.jsonl"
    path.write_text('{"id": 1, "name": "a", "licenses": [{"\\ud800": 1}]}\n')
    assert r"an entry has \ud800" in str(check_data(path)[0])
    service = serve(path, skip_invalid=True)
    with service:
        assert r"an entry has \ud800" in service.import_report


@pytest.mark.skipif(os.name == "nt", reason="names of files are Unicode")
def test_a_file_whose_name_is_no_text_is_served(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"accounts\xff.csv")
    try:
        path.write_text("id,name\n1,a\n")
    except OSError:
        pytest.skip("the file system takes names of Unicode alone")
    service = serve(path)
    with service:
        assert r"accounts\udcff.csv: 1 rows" in service.import_report


@pytest.mark.skipif(not Path("/proc/self/mem").is_file(), reason="there is no such file")
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.xml", "a.xml.gz", "a"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.symlink_to("/proc/self/mem")
    for read in (serve, check_data):
        with pytest.raises(StoreError, match=rf"{path} cannot be read"):
            read(path)


@pytest.mark.skipif(os.name == "nt", reason="permissions are others")
def test_a_folder_is_read_whole_or_refused(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "inner"
    folder.mkdir(parents=True)
    for path in (folder.parent / "a.xml", folder / "b.xml"):
        path.touch()
    assert find_files([folder.parent]) == [folder.parent / "a.xml", folder / "b.xml"]
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("this user, such as root, may read everything")
        with pytest.raises(StoreError, match="inner cannot be read: Permission denied"):
            find_files([folder.parent])
    finally:
        folder.chmod(0o700)


def test_a_field_of_any_size_is_served_if_a_reader_of_xml_takes_it(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    records = [{"id": str(n), "name": "a", "location": "é" * size} for n, size in SIZES.items()]
    for path in (tmp_path / "accounts.csv", tmp_path / "accounts.jsonl"):
        with path.open("w", encoding="utf-8", newline="") as stream:
            if path.suffix == ".csv":
                writer = csv.DictWriter(stream, ["id", "name", "location"])
                writer.writeheader()
                writer.writerows(records)
            else:
                stream.writelines(json.dumps(record) + "\n" for record in records)
        with pytest.raises(StoreError, match=r"more than 10,000,000 bytes.* Row 3") as refused:
            serve(path)
        assert "1 of 3 rows" in refused.value.message
        assert len(refused.value.message) < 1000
        service = serve(path, skip_invalid=True)
        with service as url:
            assert service.api_key is not None
            for number in (1, 2):
                key = {"api_key": service.api_key.reveal()}
                account = requests.get(f"{url}/accounts/{number}.json", params=key, timeout=60)
                assert len(account.json()["result"]["location"]) == SIZES[number]
    assert csv.field_size_limit() == limit


#: Characters of two bytes: beyond the limit of csv, and on both sides of that of libxml2.
SIZES = {1: 131_073, 2: 5_000_000, 3: 5_000_001}

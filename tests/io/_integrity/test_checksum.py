"""The digest in a file covers every other byte of it, and other programs pass over it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import pytest

from dirframe import ExportWarning, InvalidInputError, export, read_export
from dirframe.io.formats import kind_of
from dirframe.io.frame_codec import prepare
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path

SEALED = [".parquet", ".feather", ".sqlite", ".duckdb"]


@pytest.mark.parametrize("suffix", SEALED)
def test_any_flipped_bit_is_noticed(suffix: str, tmp_path: Path) -> None:
    file = export(rich(), tmp_path / f"f{suffix}")
    seal = kind_of(file).seal
    assert seal is not None
    assert seal.fits(file) is True
    content = file.read_bytes()
    for place in range(0, len(content), max(len(content) // 200, 1)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert not seal.fits(file)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_damaged_file_is_refused_before_it_is_read(suffix: str, tmp_path: Path) -> None:
    file = export(rich(), tmp_path / f"f{suffix}")
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    file.write_bytes(content)
    with pytest.raises(InvalidInputError, match="its digest does not match"):
        read_export(file)


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_a_file_that_lost_its_digest_is_refused(suffix: str, tmp_path: Path) -> None:
    file = export(rich(), tmp_path / f"f{suffix}")
    content = file.read_bytes()
    file.write_bytes(content.replace(b"dirframe sha256", b"dirframe sha255"))
    with pytest.raises(InvalidInputError, match="its digest is missing"):
        read_export(file)


def test_a_database_that_was_changed_is_read_with_a_warning(tmp_path: Path) -> None:
    file = export(rich(), tmp_path / "f.sqlite")
    with closing(sqlite3.connect(file)) as base:
        base.execute("UPDATE f SET name = 'changed' WHERE rowid = 1")
        base.commit()
    with pytest.warns(ExportWarning, match="has changed since it was exported") as caught:
        assert read_export(file)["name"][0] == "changed"
    assert caught[0].filename == __file__
    file = export(rich(), tmp_path / "g.sqlite")
    with closing(sqlite3.connect(file)) as base:  # grows over the digest
        base.execute("CREATE TABLE more (text)")
        base.executemany("INSERT INTO more VALUES (?)", [("x" * 1_000,)] * 50)
        base.commit()
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with pytest.warns(ExportWarning, match="has changed since it was exported"):
        assert len(read_export(file)) == 3


@pytest.mark.parametrize("suffix", SEALED)
def test_other_programs_read_the_file(suffix: str, tmp_path: Path) -> None:
    file = export(rich(), tmp_path / f"f{suffix}")
    if suffix == ".sqlite":
        with closing(sqlite3.connect(file)) as base:
            assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert base.execute("SELECT count(*) FROM f").fetchone() == (3,)
    elif suffix == ".duckdb":
        with duckdb.connect(str(file)) as base:  # for writing, too
            base.execute("INSERT INTO f SELECT * FROM f")
            assert base.sql("SELECT count(*) FROM f").fetchall() == [(6,)]
    elif suffix == ".parquet":
        assert list(pd.read_parquet(file)["id"]) == ["1", "2", "3"]
        assert duckdb.execute(f"SELECT count(*) FROM '{file}'").fetchall() == [(3,)]
    else:
        assert list(pd.read_feather(file)["id"]) == ["1", "2", "3"]


@pytest.mark.parametrize("suffix", SEALED)
def test_a_file_of_an_older_version_has_no_digest_and_is_read(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"f{suffix}"
    kind = kind_of(file)
    kind.write([prepare("f", rich())], file)
    assert kind.seal is not None
    assert kind.seal.fits(file) is None
    pd.testing.assert_frame_equal(read_export(file), rich())

"""Columns of text grow by whole pages, and each has one value a record."""

from __future__ import annotations

import pyarrow as pa

from dirframe.client.xml.columns import ColumnBuffer, chunk_to_list

TEXT = pa.large_string()


def test_what_a_page_lacks_is_missing_in_its_records() -> None:
    columns = ColumnBuffer()
    columns.append(2, {("id",): pa.array(["1", "2"], TEXT)})
    columns.append(1, {("tags",): [["a"]]})
    columns.append(0, {})
    assert columns.rows == 3
    assert columns.values() == {("id",): ["1", "2", None], ("tags",): [None, None, ["a"]]}


def test_a_chunk_is_a_list_of_python_objects() -> None:
    assert chunk_to_list(pa.array(["a", None], TEXT)) == ["a", None]
    assert chunk_to_list([["a"], None]) == [["a"], None]

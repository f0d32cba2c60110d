"""The entries of lists: a text, or what stands in attributes or children by their names."""

from __future__ import annotations

from typing import Any

import pytest

from dirframe.client.xml.records import RecordReader
from dirframe.schema import PROJECT
from tests.client.xml.trees import around, by_rule, same

USUAL = "<project><tags><tag>a</tag></tags><licenses><license><name>m</name></license></licenses></project>"


def read(*records: str) -> tuple[RecordReader, dict[tuple[str, ...], list[Any]]]:
    reader = RecordReader(PROJECT)
    reader.read(around(USUAL))  # is read by the rule, and shows what there is
    for record in records:
        reader.read(around(record))
    columns = reader.pop_columns()
    assert same(columns, by_rule([around(one) for one in (USUAL, *records)], PROJECT))
    return reader, columns.values()


@pytest.mark.parametrize(
    ("inside", "path", "entries"),
    [
        ("<tags><tag>a</tag><tag> b </tag><tag/></tags>", "tags", ["a", "b", None]),
        ("<tags/>", "tags", None),
        ("<tags><tag>&lt;i&gt;</tag></tags>", "tags", ["<i>"]),
        (
            "<tags><tag n='1'>a</tag><tag n='2'/></tags>",
            "tags",
            [{"n": "1", "tag": "a"}, {"n": "2"}],
        ),
        (
            "<licenses><license><name>m</name><nice_name/></license>\
<license><name> g </name></license></licenses>",
            "licenses",
            [{"name": "m", "nice_name": ""}, {"name": "g"}],
        ),
        ("<tags><tag n='1'><x>2</x></tag></tags>", "tags", [{"n": "1", "x": "2"}]),
        ("<tags><tag tag='1'>2</tag></tags>", "tags", [{"tag": ["1", "2"]}]),
        (
            "<licenses><license><name>a</name><name>b</name></license></licenses>",
            "licenses",
            [{"name": ["a", "b"]}],
        ),
    ],
)
def test_an_entry_is_read_as_the_rule_says(inside: str, path: str, entries: object) -> None:
    _, columns = read(f"<project>{inside}</project>")
    assert columns[path,][1] == entries


def test_lists_stay_with_their_records() -> None:
    _, columns = read(
        "<project><tags><tag>b</tag></tags></project><project/>"
        "<project><licenses><license><name>x</name></license></licenses></project>",
        "<project><tags><tag>c</tag><tag>d</tag></tags></project>",
    )
    assert columns["tags",] == [["a"], ["b"], None, None, ["c", "d"]]
    assert columns["licenses",] == [[{"name": "m"}], None, None, [{"name": "x"}], None]


def test_equal_texts_are_held_once_and_equal_entries_are_not() -> None:
    one = "<project><licenses><license id='1'>text</license></licenses></project>"
    _, columns = read(one + one, one)
    first, *others = [entries[0] for entries in columns["licenses",][1:]]
    for other in others:
        assert other == first
        assert other is not first
        assert other["license"] is first["license"]

"""Reading documents: everything in them is found again, everything else is refused."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from dirframe.client.xml.records import RecordReader
from dirframe.errors import UnreadableResponseError
from dirframe.schema import ACCOUNT, PROJECT
from tests.client.xml.trees import around, by_rule, counted, read, same, texts_in, texts_of

if TYPE_CHECKING:
    from dirframe.client.xml.columns import ColumnBuffer

XML = File(__file__).parents[2] / "xml"
SAMPLES = File(__file__).parents[4] / "shared" / "samples"
REAL = File(__file__).parents[4] / "shared" / "real"


# -- documents of every dialect ----------------------------------------------------------------


def look_up(columns: ColumnBuffer, path: str) -> str | None:
    """Find what a path such as result/account[2]/badges/badge[1]/@level stands for."""
    steps = [step for step in path.split("/") if step != "result"]
    first, *rest = [re.fullmatch(r"@?([^\[]+)(?:\[(\d+)\])?", step) for step in steps]
    assert first is not None
    row = int(first[2] or 1) - 1
    names = [(step[1], int(step[2] or 1) - 1) for step in rest if step]
    for depth in range(len(names), 0, -1):
        values = columns.values().get(tuple(name for name, _ in names[:depth]))
        value: Any = values[row] if values else None
        if value is None:
            continue
        if isinstance(value, list):
            # The list stands at the container's path: the next step says which entry.
            tag, place = names[depth]
            value, below = value[place], names[depth + 1 :]
            if isinstance(value, dict):
                value = value.get("_".join(name for name, _ in below) or tag)
        return str(value).strip() or None if value is not None else None
    return None


SAMPLE_FILES = sorted(SAMPLES.glob("*.json"))


@pytest.mark.skipif(not SAMPLE_FILES, reason="recorded answers are not beside this checkout")
@pytest.mark.parametrize("expected_file", SAMPLE_FILES, ids=lambda file: file.stem)
def test_a_document_of_any_dialect_is_read_as_a_person_reads_it(expected_file: File) -> None:
    expected = json.loads(expected_file.read_text())
    content = (SAMPLES / expected["file"]).read_bytes()
    reader = RecordReader()
    if expected["root"] == "html":
        with pytest.raises(UnreadableResponseError, match="HTML"):
            reader.read(content)
        return
    envelope = reader.read(content, source=expected["file"])
    assert envelope.status == expected["status"]
    assert envelope.has_result == expected["has_result"]
    assert envelope.records == (expected["records"] or 0)
    assert envelope.succeeded == bool(expected["records"] is not None)
    if expected["error"]:
        assert envelope.error == expected["error"]
    for name, count in (expected["envelope"] or {}).items():
        assert getattr(envelope, name) == count
    columns = reader.pop_columns()
    for value in expected["values"]:
        path = value["path"]
        if not path.startswith(("result/", "project/", "account/")):
            continue
        text = None if value.get("absent") else value["text"]
        found = look_up(columns, path)
        assert found == ((text or "").strip() or None), path


@pytest.mark.skipif(not SAMPLE_FILES, reason="recorded answers are not beside this checkout")
def test_the_help_text_of_every_recorded_failure_is_read() -> None:
    for file in SAMPLES.glob("*error*.xml"):
        envelope = RecordReader().read(file.read_bytes())
        assert not envelope.succeeded
        assert envelope.error, file.name


def test_every_text_of_the_real_pages_is_found_again_by_both_ways(shared: File) -> None:
    for folder in ("pages", "projects"):
        files = sorted((shared / "real" / folder).glob("*.xml"))
        assert files
        reader, rows = RecordReader(PROJECT), 0
        everything: Counter[str] = Counter()
        for file in files:
            content = file.read_bytes()
            rows += reader.read(content).records
            for one in etree.fromstring(content).iterfind("result/project"):
                everything += counted(texts_of(one))
        columns = reader.pop_columns()
        assert columns.rows == rows == (313 if folder == "pages" else 49)
        assert counted(texts_in(list(columns.values().values()))) == everything
        assert same(columns, by_rule([file.read_bytes() for file in files], PROJECT))


# -- pages written by hand ---------------------------------------------------------------------


def test_a_page_of_accounts_written_by_hand_is_read() -> None:
    reader = RecordReader()
    envelope = reader.read((XML / "accounts-page.xml").read_bytes())
    assert (envelope.items_returned, envelope.items_available) == (3, 53)
    assert envelope.first_item_position == 50
    columns = reader.pop_columns()
    assert reader.resource is ACCOUNT
    assert columns.values()[("id",)] == ["11", "12", "13"]
    assert columns.values()[("name",)] == ["Ada Example", "Zoë <b>Größe</b> 自己", "new member"]
    assert columns.values()[("country_code",)] == ["United Kingdom", "NA", None]
    assert columns.values()[("kudo_score", "kudo_rank")] == ["9", None, None]
    assert columns.values()[("homepage_url",)] == ["http://ada.example/blog?a=1&b=2", None, None]


def test_a_page_of_projects_written_by_hand_is_read() -> None:
    reader = RecordReader()
    reader.read((XML / "projects-page.xml").read_bytes())
    columns = reader.pop_columns()
    assert reader.resource is PROJECT
    assert columns.values()[("description",)] == [
        "Keeps every version of <everything> & more.",
        "Two lines,\nin one text.",
    ]
    assert columns.values()[("analysis", "total_code_lines")] == ["319283", None]
    assert columns.values()[("irc_url",)] == [None, "irc://irc.example/etoile"]


def test_a_failure_written_by_hand_is_no_success() -> None:
    envelope = RecordReader().read((XML / "failed.xml").read_bytes())
    assert not envelope.succeeded
    assert envelope.error == "A valid api_key is required to access this URL."


def test_all_records_of_a_page_are_added_or_none() -> None:
    reader = RecordReader()
    reader.read(around("<project><id>1</id></project>"))
    with pytest.raises(UnreadableResponseError, match="<account>"):
        reader.read(around("<project><id>2</id></project><account><id>3</id></account>"))
    assert reader.rows == 1
    reader.read(around("<project><id>4</id></project>"))
    assert reader.pop_columns().values() == {("id",): ["1", "4"]}


def test_a_refused_page_does_not_settle_what_the_records_are() -> None:
    reader = RecordReader()
    with pytest.raises(UnreadableResponseError):
        reader.read(around("<project><id>2</id></project><account><id>3</id></account>"))
    reader.read(around("<account><id>3</id></account>"))
    assert reader.pop_columns().values() == {("id",): ["3"]}


def test_two_results_are_refused_since_one_would_be_lost() -> None:
    content = (
        b"<response><status>success</status><result><project><id>1</id></project></result>"
        b"<result><project><id>2</id></project></result></response>"
    )
    with pytest.raises(UnreadableResponseError, match="result"):
        RecordReader().read(content)


def test_columns_that_are_taken_leave_none_behind() -> None:
    reader = RecordReader()
    reader.read(around("<project><id>1</id><a>x</a></project>"))
    assert reader.pop_columns().rows == 1
    reader.read(around("<project><id>2</id></project>"))
    assert reader.pop_columns().values() == {("id",): ["2"], ("a",): [None]}


# -- what XML allows ---------------------------------------------------------------------------


def test_comments_cdata_and_instructions_inside_records_leave_the_text_right() -> None:
    content = around(
        "<project><!-- <id>0</id> --><id>1</id><?php echo 1 ?>"
        "<name>a<!-- no -->b<![CDATA[ <c> & ]]>d<?x y?>e</name></project>"
    )
    for documents in ([content], [content, content]):
        assert set(read(documents).values()[("name",)]) == {"ab <c> & de"}


def test_namespaces_are_taken_off() -> None:
    content = (
        b'<r:response xmlns:r="urn:r" xmlns="urn:d"><r:status>success</r:status><r:result>'
        b'<project r:key="k"><id>1</id></project></r:result></r:response>'
    )
    reader = RecordReader()
    for _ in range(2):
        assert reader.read(content).succeeded
    assert reader.pop_columns().values() == {("key",): ["k", "k"], ("id",): ["1", "1"]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252", "us-ascii"])
def test_a_document_in_the_encoding_that_it_declares_is_read(encoding: str) -> None:
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><response><status>success</status><result>'
        '<project><id>1</id><name lang="de">Größe</name></project></result></response>'
    )
    content = text.encode(encoding, "xmlcharrefreplace")
    columns = read([content, content])
    assert columns.values()[("name",)] == ["Größe", "Größe"]
    assert columns.values()[("name", "lang")] == ["de", "de"]


@pytest.mark.parametrize("mark", ["﻿", ""])
def test_a_byte_order_mark_does_no_harm(mark: str) -> None:
    content = mark.encode() + around("<project><id>1</id></project>")
    assert RecordReader().read(content).records == 1


def test_generated_data_is_known_by_its_mark() -> None:
    head = '<?xml version="1.0"?>\n<?dirframe-synthetic seed="1"?>\n'
    assert RecordReader().read(around("<project><id>1</id></project>", head)).synthetic
    pretended = around("<project><id>1</id><name>&lt;?dirframe-synthetic?></name></project>")
    assert not RecordReader().read(pretended).synthetic

"""Importing: every dialect is kept, everything else is refused by name and place."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis.strategies import datetimes
from lxml import etree

from dirframe.errors import StoreError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.dialects.xml_writer import collection_xml, record_xml
from dirframe.service.importing.importer import SourceRecord, normalize
from dirframe.service.records import record_from_element
from dirframe.service.store.build import build_store
from dirframe.service.store.store import Store

if TYPE_CHECKING:
    from datetime import datetime

XML = Path(__file__).parents[2] / "xml"


def page(*records: str) -> bytes:
    return (
        f"<response><status>success</status><result>{''.join(records)}</result></response>".encode()
    )


def build(folder: Path, *documents: bytes) -> Store:
    for number, document in enumerate(documents):
        (folder / f"{number}.xml").write_bytes(document)
    return Store(build_store(folder / "store.sqlite", [folder]))


def test_the_pages_written_by_hand_come_out_as_they_went_in(tmp_path: Path) -> None:
    with Store(
        build_store(tmp_path / "s", [XML / "accounts-page.xml", XML / "projects-page.xml"])
    ) as s:
        assert (s.count(ACCOUNT), s.count(PROJECT), s.synthetic) == (3, 2, False)
        for resource, name in ((ACCOUNT, "accounts-page.xml"), (PROJECT, "projects-page.xml")):
            for element in etree.parse(XML / name).getroot().iterfind(f"result/{resource.name}"):
                xml = s.by_id(resource, element.findtext("id") or "")
                assert xml is not None
                assert record_from_element(etree.fromstring(xml)) == record_from_element(element)


def test_what_other_dialects_name_otherwise_is_filled_in_and_the_rest_is_kept(
    tmp_path: Path,
) -> None:
    project = """<project><id>5</id><name>x</name><user_count>12</user_count><analysis><id>6</id>
        <oldest_code_set_time>2024-10-14T05:19:10Z</oldest_code_set_time></analysis>
        <similar_projects><project><id>77</id></project></similar_projects></project>"""
    with build(tmp_path, page(project)) as store:
        assert store.count(PROJECT) == 1
        root = etree.fromstring(store.by_id(PROJECT, "5") or "")
    assert root.findtext("stack_count") == root.findtext("user_count") == "12"
    assert root.findtext("analysis/logged_at") == "2024-10-14T05:19:10Z"
    assert root.findtext("analysis/oldest_code_set_time") == "2024-10-14T05:19:10Z"
    assert root.findtext("similar_projects/project/id") == "77"


def test_a_record_keeps_the_order_in_which_it_came_and_its_empty_elements(tmp_path: Path) -> None:
    account = """<account><name>x</name><login>y</login><id>1</id><homepage_url/><kudo_score>
        <position>2</position><extra>z</extra><kudo_rank>1</kudo_rank></kudo_score></account>"""
    with build(tmp_path, page(account)) as store:
        root = etree.fromstring(store.by_id(ACCOUNT, "1") or "")
    tags = [element.tag for element in root.iter()]
    assert tags == [
        *("account", "name", "login", "id", "homepage_url"),
        *("kudo_score", "position", "extra", "kudo_rank"),
        # what the specification requires, at the end
        *("created_at", "updated_at", "avatar_url", "email_sha1", "posts_count"),
    ]


def test_timestamps_get_the_form_of_the_specification(tmp_path: Path) -> None:
    account = "<account><id>1</id><created_at>2010-01-01T01:30:00+02:00</created_at></account>"
    with build(tmp_path, page(account)) as store:
        root = etree.fromstring(store.by_id(ACCOUNT, "1") or "")
    assert root.findtext("created_at") == "2009-12-31T23:30:00Z"


@pytest.mark.parametrize(
    "timestamp",
    [
        "2020-13-45T99:99:99Z",
        "2020-00-01T00:00:00Z",
        "2020-04-31T00:00:00Z",
        "2019-02-29T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "2020-01-01T23:60:00Z",
        "2020-01-01T23:59:60Z",
    ],
)
def test_a_timestamp_of_no_day_or_time_is_refused(tmp_path: Path, timestamp: str) -> None:
    told = rf"created_at is '{timestamp}', which is not an ISO 8601 timestamp"
    with pytest.raises(StoreError, match=told):
        build(tmp_path, page(f"<account><id>1</id><created_at>{timestamp}</created_at></account>"))
    analysis = f"<analysis><id>2</id><updated_at>{timestamp}</updated_at></analysis>"
    with pytest.raises(StoreError, match=rf"analysis/updated_at is '{timestamp}'"):
        build(tmp_path, page(f"<project><id>1</id>{analysis}</project>"))


@given(moment=datetimes())
def test_every_timestamp_of_the_specification_stays_as_it_is(moment: datetime) -> None:
    text = f"{moment:%Y-%m-%dT%H:%M:%S}Z".rjust(20, "0")
    element = etree.fromstring(f"<account><id>1</id><created_at>{text}</created_at></account>")
    row, _ = normalize(SourceRecord(ACCOUNT, element, "here", synthetic=False))
    assert f"<created_at>{text}</created_at>" in row.xml


def test_a_later_record_replaces_an_earlier_one_everywhere(tmp_path: Path) -> None:
    old = "<project><id>1</id><name>old</name><description>first words</description></project>"
    other = "<project><id>2</id><name>zz</name></project>"
    new = "<project><id>1</id><name>new</name><description>last words</description></project>"
    with build(tmp_path, page(old, other), page(new)) as store:
        assert store.count(PROJECT) == 2
        assert "new" in (store.by_id(PROJECT, "1") or "")
        assert store.page(PROJECT, query="first").available == 0
        assert store.page(PROJECT, query="last").available == 1
        assert "<name>zz</name>" in store.page(PROJECT, sort="name_reverse").fragments[0]


def test_no_address_is_kept_only_its_digest(tmp_path: Path) -> None:
    account = "<account><id>1</id><email>Ada@Example.org </email></account>"
    with build(tmp_path, page(account)) as store:
        found = store.by_email_md5(md5(b"ada@example.org").hexdigest())
        assert found is not None
        assert found == store.by_id(ACCOUNT, "1")
        assert b"example.org" not in store.path.read_bytes().lower()


def test_generated_data_is_known_by_its_mark(tmp_path: Path) -> None:
    fragment = record_xml(ACCOUNT, {"id": "1"})
    made = collection_xml([fragment], available=1, first=0, synthetic=True)
    with build(tmp_path, page("<account><id>2</id></account>"), made) as store:
        assert store.synthetic


def test_a_store_that_exists_survives_a_failed_import(tmp_path: Path) -> None:
    with build(tmp_path, page("<account><id>9</id></account>")):
        pass
    with pytest.raises(StoreError):
        build(tmp_path, b"<html/>")
    with Store(tmp_path / "store.sqlite") as store:
        assert store.by_id(ACCOUNT, "9")


def test_real_pages_and_real_single_answers_give_the_same_313_projects(
    tmp_path: Path, shared: Path
) -> None:
    with Store(build_store(tmp_path / "a", [shared / "real" / "pages"])) as store:
        assert store.count(PROJECT) == 313
        assert not store.synthetic
        single = shared / "real" / "projects" / "libxml2.xml"
        element = etree.parse(single).getroot().find("result/project")
        assert element is not None
        expected = record_from_element(element)
        with Store(build_store(tmp_path / "b", [single])) as other:
            xml = other.by_id(PROJECT, str(expected["id"]))
        assert xml is not None
        assert xml == store.by_id(PROJECT, str(expected["id"]))
        kept = record_from_element(etree.fromstring(xml))
        assert {name: value for name, value in kept.items() if name in expected} == expected
        assert kept["stack_count"] == expected["user_count"]


def shape(element: etree._Element) -> tuple[object, ...]:
    """Return structure, order and text of an element, white space around texts aside."""
    text = (element.text or "").strip()
    attributes = sorted((str(name), str(value)) for name, value in element.attrib.items())
    return (element.tag, attributes, text, [shape(child) for child in element])


def test_every_real_record_comes_back_in_its_order(tmp_path: Path, shared: Path) -> None:
    records = 0
    with Store(build_store(tmp_path / "s", [shared / "real" / "pages"])) as store:
        for path in sorted((shared / "real" / "pages").glob("*.xml")):
            for element in etree.parse(path).getroot().iterfind("result/project"):
                xml = store.by_id(PROJECT, element.findtext("id") or "")
                served = etree.fromstring(xml or "")
                for here, there in (
                    (served, element),
                    (served.find("analysis"), element.find("analysis")),
                ):
                    if here is not None and there is not None:
                        added = list(here)[len(there) :]
                        assert not {child.tag for child in added} & {child.tag for child in there}
                        for child in added:
                            here.remove(child)
                assert shape(served) == shape(element)
                records += 1
    assert records == 313


@pytest.mark.parametrize(
    "name", ["proj_2007_readme", "proj_2013_johloh", "today_project_show", "today_projects_index"]
)
def test_every_dialect_of_projects_can_be_imported(tmp_path: Path, shared: Path, name: str) -> None:
    path = shared / "samples" / f"{name}.xml"
    wanted = len(etree.parse(path).getroot().findall("result/project"))
    with Store(build_store(tmp_path / "s", [path])) as store:
        assert store.count(PROJECT) == wanted > 0


@pytest.mark.parametrize(
    "name", ["acct_2013_apiexample", "today_account_show", "today_accounts_index"]
)
def test_every_dialect_of_accounts_can_be_imported(tmp_path: Path, shared: Path, name: str) -> None:
    with Store(build_store(tmp_path / "s", [shared / "samples" / f"{name}.xml"])) as store:
        assert store.count(ACCOUNT) > 0

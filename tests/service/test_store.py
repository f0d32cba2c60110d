"""XML is served as it was read, in any dialect, or refused; and sorted and searched."""

import gzip
import os
import re
import unicodedata
from hashlib import md5, sha1
from itertools import cycle, product
from pathlib import Path
from xml.sax.saxutils import escape

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree, html

import dirframe
from dirframe.errors import InvalidInputError, StoreError
from tests.cases import slow_except
from tests.rig.server import page_xml, record
from tests.service.conftest import ACCOUNTS, PROJECTS, client_of, write


def canonical(document, path="."):
    """Return a document or an element of it without white space between elements."""
    root = etree.fromstring(document, etree.XMLParser(remove_blank_text=True))
    return etree.tostring(root.find(path), method="c14n", with_tail=False)


HAND_WRITTEN = ("accounts", "projects")


@pytest.fixture
def hand_written(root, imported):
    """Return the application of the two hand-written pages."""
    return imported([root / "tests" / "xml" / f"{name}-page.xml" for name in HAND_WRITTEN])


@pytest.mark.parametrize("collection", HAND_WRITTEN)
def test_pages_written_by_hand_come_out_as_they_went_in(collection, root, hand_written):
    page = (root / "tests" / "xml" / f"{collection}-page.xml").read_bytes()
    served = hand_written.get(f"/{collection}.xml?sort=id").get_data()
    assert canonical(served, "result") == canonical(page, "result")


XML_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\ufffe\uffff", exclude_categories=["Cc"])
    | st.sampled_from("\t\n\r<>&\"'"),
    max_size=30,
).filter(lambda text: text == text.strip())
ELEMENTS = st.lists(
    st.tuples(st.sampled_from(["name", "description", "tag", "extra", "b_1"]), XML_TEXT),
    max_size=8,
)


def attribute(text):
    """Write an attribute, whose white space only references keep."""
    white = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;", '"': "&quot;"}
    return f'"{escape(text, white)}"'


def element(tag, text):
    return f"<{tag} a={attribute(text)}>{escape(text, {chr(13): '&#13;'})}</{tag}>"


@pytest.mark.parametrize("name", ["account", "project"])
def test_records_written_by_hand_come_out_as_they_went_in(name, root, hand_written):
    written = (root / "tests" / "xml" / f"{name}.xml").read_bytes()
    number = etree.fromstring(written).findtext("result/*/id")
    served = hand_written.get(f"/{name}s/{number}.xml").get_data()
    assert canonical(served) == canonical(written)


def test_whole_collection_written_by_hand_comes_out_as_it_went_in(root, hand_written):
    page = (root / "tests" / "xml" / "projects-page.xml").read_bytes()
    served = hand_written.get("/projects.xml?sort=id").get_data()
    assert canonical(served) == canonical(page)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ELEMENTS, min_size=4, max_size=8))
def test_xml_of_any_texts_and_elements_comes_out_as_it_went_in(open_written, several):
    inner = ["".join(element(*each) for each in elements) for elements in several]
    client = open_written([record(n, inner=texts) for n, texts in enumerate(inner)])
    served = {}
    for number, elements in enumerate(several):
        project = client.root(f"/projects/{number}.xml").find("result/project")
        texts = [(child.tag, child.text or "", child.get("a")) for child in project]
        # The id is before the elements, and what the service adds is behind them.
        served[number] = texts[1 : len(elements) + 1]
    assert served == {
        number: [(tag, text, text) for tag, text in elements]
        for number, elements in enumerate(several)
    }


def test_order_and_other_elements_stay_and_what_is_required_follows(open_written):
    account = """<account><name>x</name><login>y</login><id> 1
        </id><homepage_url/><kudo_score><position>2</position></kudo_score>
        </account>"""
    project = """<project><id>5</id><name>x</name><user_count>12</user_count><analysis><id>6</id>
        <oldest_code_set_time>2024-10-14T05:19:10Z</oldest_code_set_time>
        <languages graph_url="g"><language percentage="79">Ruby</language></languages></analysis>
        <similar_projects><project><id>77</id></project></similar_projects></project>"""
    client = open_written([account], [project])
    element = client.root("/accounts/1.xml").find("result/account")
    assert [child.tag for child in element.iter()] == [
        "account",
        "name",
        "login",
        "id",
        "homepage_url",
        "kudo_score",
        "position",
        "created_at",
        "updated_at",
        "avatar_url",
        "email_sha1",
        "posts_count",
    ]
    assert client.ids("/projects.xml") == ["5"]
    element = client.root("/projects/5.xml").find("result/project")
    assert element.findtext("stack_count") == element.findtext("user_count") == "12"
    assert element.findtext("analysis/logged_at") == "2024-10-14T05:19:10Z"
    assert element.findtext("analysis/oldest_code_set_time") == "2024-10-14T05:19:10Z"
    assert element.findtext("similar_projects/project/id") == "77"
    language = element.find("analysis/languages[@graph_url='g']/language")
    assert (language.text, language.get("percentage")) == ("Ruby", "79")


def test_timestamps_get_the_form_of_the_specification(open_written):
    client = open_written([record("1", "account", created_at="2010-01-01T01:30:00+02:00")])
    served = client.root("/accounts/1.xml").findtext("result/*/created_at")
    assert served == "2009-12-31T23:30:00Z"


@pytest.mark.parametrize(
    "text", ["2020-13-45T99:99:99Z", "2019-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "today"]
)
@pytest.mark.parametrize("is_nested", [False, True])
def test_timestamps_that_are_none_are_refused(text, is_nested, open_written):
    analysis = f"<analysis><id>2</id><updated_at>{text}</updated_at></analysis>"
    wrong = record("1", inner=analysis) if is_nested else record("1", "account", created_at=text)
    with pytest.raises(StoreError, match=text):
        open_written([wrong])


MONTHS = [
    ("2010-01-01T00:00:00Z", "2010-01-01T00:00:00Z"),
    ("2010-01-01", "2010-01-01T00:00:00Z"),
    ("2010-01-01T01:00:00+01:00", "2010-01-01T00:00:00Z"),
    ("2010-01-15T03:04:05Z", None),
    ("2010-01-02", None),
    ("2010-01-01T00:00:01Z", None),
    ("2010-01-01T00:00:00.5Z", None),
    ("2010-01-01T00:00:00+01:00", None),  # December
]


@pytest.mark.parametrize(("text", "served"), MONTHS)
@pytest.mark.parametrize(
    ("name", "is_table"),
    slow_except(
        [*product(["min_month", "max_month"], [False, True])],
        [("min_month", False), ("max_month", True)],
    ),
)
def test_months_are_first_days_or_refused(name, text, served, is_table, open_written, imported):
    def open_client():
        if is_table:
            table = {"id": ["1"], "name": ["a"], f"analysis_{name}": [text]}
            return imported({"projects": pd.DataFrame(table)})
        return open_written([record("1", inner=f"<analysis><{name}>{text}</{name}></analysis>")])

    if served:
        root = open_client().root("/projects/1.xml")
        assert root.findtext(f"result/project/analysis/{name}") == served
    else:
        with pytest.raises(StoreError, match=f"column analysis_{name}"):
            open_client()


@pytest.mark.parametrize(
    ("name", "text", "is_valid"),
    [
        ("latitude", "90", True),
        ("latitude", "-90.0", True),
        ("latitude", "90.0001", False),
        ("latitude", "95.5", False),
        ("longitude", "-180", True),
        ("longitude", "95.5", True),
        ("longitude", "180.5", False),
        ("longitude", "1e3", False),
        ("latitude", "1_0", False),
        ("latitude", "north", False),
        ("longitude", "inf", False),
        ("longitude", "13\u00b0", False),
    ],
)
@pytest.mark.parametrize("is_table", [False, True])
def test_coordinates_out_of_range_are_refused(
    name, text, is_valid, is_table, open_written, imported
):
    fields = {"name": "Ada", "location": "Berlin", name: text}

    def open_client():
        if is_table:
            return imported({"accounts": pd.DataFrame([{"id": "1", **fields}])})
        return open_written([record("1", "account", **fields)])

    if is_valid:
        assert open_client().root("/accounts/1.xml").findtext(f"result/account/{name}") == text
    else:
        with pytest.raises(StoreError, match=f"column {name}"):
            open_client()


@pytest.mark.parametrize("is_table", [False, True])
def test_coordinates_without_a_location_are_left_out_and_counted(
    is_table, open_written, imported, caplog
):
    records = [
        {"id": "1", "name": "a", "location": "Berlin", "latitude": "52.5", "longitude": "13.4"},
        {"id": "2", "name": "b", "location": " ", "latitude": "52.5", "longitude": "13.4"},
        {"id": "3", "name": "c", "location": "", "latitude": "52.5", "longitude": ""},
        {"id": "4", "name": "d", "location": "", "latitude": "", "longitude": ""},
    ]
    if is_table:
        client = imported({"accounts": pd.DataFrame(records)})
    else:
        written = [record(fields.pop("id"), "account", **fields) for fields in records]
        client = open_written(written)
    found = {
        account.findtext("id"): [account.findtext(n) or None for n in ("latitude", "longitude")]
        for account in client.root("/accounts.xml?sort=id").iterfind("result/account")
    }
    assert found == {"1": ["52.5", "13.4"], "2": [None] * 2, "3": [None] * 2, "4": [None] * 2}
    [line] = [entry for entry in caplog.messages if "latitude and longitude" in entry]
    assert "(2)" in line


@pytest.mark.parametrize("identifier", ["a.xml", "a.XML", ".xml", ".", "..", "a b", "a/b", "a?b"])
@pytest.mark.parametrize("kind", ["account", "project"])
def test_id_that_is_no_part_of_a_url_is_refused(identifier, kind, open_written):
    with pytest.raises(StoreError, match="column id"):
        open_written([record(identifier, kind, name="x")])


def test_id_is_served_without_the_white_space_around_it(open_written):
    client = open_written([record("\n 7 ", name="x")])
    assert client.ids("/projects/7.xml") == ["7"]


ODD_IDS = ["a.xml.b", "...", "a.b", "%2e%2e", "a\\b", "ä", "a;b", "7"]


def test_id_leads_to_its_page_and_its_xml(open_written):
    client = open_written([record(identifier, name=identifier) for identifier in ODD_IDS])
    found = {}
    for link in html.fromstring(client.get("/projects").data).xpath("//ol//h2/a"):
        page = client.client.get(link.get("href"))
        [xml, _] = html.fromstring(page.data).xpath("//p[@class='also']/a/@href")
        found[link.text_content()] = (page.status_code, client.ids(xml))
    assert found == {identifier: (200, [identifier]) for identifier in ODD_IDS}


def test_duplicate_id_in_xml_replaces_the_earlier_record(open_written):
    old = record("1", name="old", description="first words", url_name="fox")
    client = open_written(
        [old, record("2", name="zz")], [record("1", name="new", description="last")]
    )
    assert client.ids("/projects.xml?sort=name") == ["1", "2"]
    assert client.root("/projects/1.xml").findtext("result/project/name") == "new"
    assert client.ids("/projects.xml?query=first") == []
    assert client.ids("/projects.xml?query=last") == ["1"]
    client.error("/projects/fox.xml", 404)


# Private parts of records


def stored_bytes(cache):
    """Return what the stores hold, in lower case."""
    stores = sorted((cache / "stores").iterdir())
    assert stores
    return b"".join(store.read_bytes() for store in stores).lower()


def test_email_of_an_account_is_stored_as_digests_alone(open_written, cache):
    client = open_written([record("1", "account", email="Ada@Example.org ")])
    assert client.ids(f"/accounts/{md5(b'ada@example.org').hexdigest()}.xml") == ["1"]
    served = client.root("/accounts/1.xml")
    assert served.findtext("result/account/email_sha1") == sha1(b"ada@example.org").hexdigest()
    assert "xample.org" not in client.get("/accounts/1.xml").text
    assert b"example.org" not in stored_bytes(cache)


EMAILS = {
    "an element of another record": "<email>Ada@Example.org</email>",
    "an element below": "<profile><email>Ada@Example.org</email></profile>",
    "an element without a domain": "<contact><E-Mail>ada at example.org</E-Mail></contact>",
    "an element with a namespace": '<m:email xmlns:m="urn:m">Ada@Example.org</m:email>',
    "an attribute": '<owner email="Ada@Example.org">Ada</owner>',
    "an attribute of another name": '<owner contact="mailto:Ada@Example.org">Ada</owner>',
    "an attribute of a namespace": '<owner m:mail="ada at example.org" xmlns:m="urn:m">Ada</owner>',
    "a namespace": '<m:owner xmlns:m="mailto:Ada@Example.org">Ada</m:owner>',
    "a namespace of an attribute": '<owner m:n="1" xmlns:m="mailto:Ada@Example.org">Ada</owner>',
    "a namespace that is not used": '<owner xmlns:m="mailto:Ada@Example.org">Ada</owner>',
    "a text": "<description>Write to Ada@Example.org, or not.</description>",
    "a text with a reference": "<description>Ada&#64;Example.org</description>",
    "a text with an escaped reference": "<description>Ada&amp;#64;Example.org</description>",
    "CDATA": "<description><![CDATA[<Ada@Example.org>]]></description>",
    "a text between elements": "<owner><id>1</id>Ada@Example.org<id>2</id></owner>",
    "an address with a percent sign": "<url>mailto:Ada%40Example.org</url>",
    "a list": "<tags><tag>Ada@Example.org</tag><tag email='Ada@Example.org'>b</tag></tags>",
    "a name in addresses": "<url_name>Ada@Example.org</url_name><login>Ada@Example.org</login>",
    "a processing instruction": "<?contact Ada@Example.org?>",
    "a comment": "<!-- Ada@Example.org -->",
}


KINDS = ["account", "project", "contributor_fact"]


@pytest.mark.parametrize(
    ("place", "kind"), slow_except([*product(EMAILS, KINDS)], [*zip(EMAILS, cycle(KINDS))])
)
def test_email_address_of_any_record_is_not_stored(place, kind, imported, tmp_path, cache):
    xml = record("1", kind, inner=EMAILS[place], name="Ada")
    names = {"contributor_fact": "projects/1/contributors"}
    path = tmp_path / f"data/{names.get(kind, f'{kind}s')}.xml"
    path.parent.mkdir(parents=True)
    path.write_bytes(page_xml([xml]))
    client = imported(tmp_path / "data")
    stored = stored_bytes(cache)
    assert [word for word in (b"ada@", b"ada at", b"example.org") if word in stored] == []
    served = client.get(f"/{path.relative_to(tmp_path / 'data')}").text
    assert served.count("<name>Ada</name>") == 1
    assert "xample.org" not in served


def test_email_address_in_a_namespace_of_the_envelope_is_not_stored(imported, tmp_path, cache):
    page = page_xml([record("1", name="x")])
    envelope = b'<response xmlns:m="mailto:ada@example.org">'
    (tmp_path / "a.xml").write_bytes(page.replace(b"<response>", envelope))
    assert imported(tmp_path / "a.xml").ids("/projects.xml") == ["1"]
    assert b"example.org" not in stored_bytes(cache)


@pytest.mark.parametrize(
    ("text", "served"),
    [
        ("Ada@Example.org", "…@…"),
        ("zoë@grüße.de and o'neil+x@mail.example.co.uk.", "…@… and …@…."),
        ("ada\uff20example.org", "…@…"),
        ("ada@[192.0.2.1]", "…@…"),
        ("a@b, @mention and 5 @ 6", "a@b, @mention and 5 @ 6"),
        ("git@github.com:owner/name.git", "git@github.com:owner/name.git"),
        ("git@vger.kernel.org is a list", "…@… is a list"),
        ("ada (at) example (dot) org, ada at example dot org", "…@…, …@…"),
        ("ada @ example.org, hosted at example.org", "…@…, hosted at example.org"),
    ],
)
def test_email_address_in_a_text_is_masked(text, served, open_written):
    client = open_written([record("1", name="x", description=text)])
    assert client.root("/projects/1.xml").findtext("result/project/description") == served


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("email", "n/a"),
        ("email", "ada at example.org"),
        ("email", "-"),
        ("email", "@"),
        ("email", "ada@"),
        ("email", "ada@example.org, bob@example.org"),
        ("email_sha1", "n/a"),
        ("email_sha1", "0" * 39),
        ("email_sha1", "g" * 40),
        ("email_md5", "n/a"),
    ],
)
@pytest.mark.parametrize("is_table", [False, True])
def test_email_that_is_none_is_refused(column, value, is_table, open_written, imported):
    def open_client():
        if is_table:
            table = {"id": ["1"], "name": ["a"], column: [value]}
            return imported({"accounts": pd.DataFrame(table)})
        return open_written([record("1", "account", **{column: value})])

    with pytest.raises(StoreError, match=f"column {column}, 1"):
        open_client()


def test_email_digest_for_look_ups_is_not_served(open_written):
    digest = md5(b"ada@example.org").hexdigest()
    inner = f"<owner><email_md5>{digest}</email_md5></owner><email_md5>{digest}</email_md5>"
    client = open_written([record("1", "account", inner=inner)], [record("1", inner=inner)])
    assert client.ids(f"/accounts/{digest}.xml") == ["1"]
    assert digest not in client.get("/accounts/1.xml").text + client.get("/projects/1.xml").text


@pytest.mark.parametrize("kind", ["account", "project"])
def test_email_address_as_an_id_is_refused(kind, open_written):
    with pytest.raises(StoreError, match="column id"):
        open_written([record("ada@example.org", kind, name="x")])


@pytest.mark.parametrize(
    ("collection", "columns"),
    [
        ("accounts", {"about": ["Ada@Example.org"], "login": ["ada@example.org"]}),
        ("projects", {"description": ["Ada@Example.org"], "tags": [["ada@example.org"]]}),
    ],
)
def test_email_address_in_a_table_is_not_stored(collection, columns, imported, cache):
    frame = pd.DataFrame({"id": ["1"], "name": ["Ada@Example.org"]} | columns)
    client = imported({collection: frame})
    assert client.root(f"/{collection}/1.xml").findtext("result/*/name") == "…@…"
    assert "xample.org" not in client.get(f"/{collection}/1.xml").text


def test_password_of_any_record_is_not_stored(imported, tmp_path, cache):
    secrets = (
        "<username>s3cret</username><password>s3cret</password><x api_key='s3cret'/>"
        "<url>https://s3cret:s3cret@example.org/x</url>"
    )
    for name, kind in (("projects", "project"), ("projects/1/enlistments", "enlistment")):
        path = tmp_path / f"data/{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        inner = f"<code_location>{secrets}</code_location>"
        path.write_bytes(page_xml([record("1", kind, inner=inner)]))
    client = imported(tmp_path / "data")
    assert b"s3cret" not in stored_bytes(cache)
    url = client.root("/projects/1/enlistments.xml").findtext("result/*/code_location/url")
    assert url == "https://example.org/x"


def test_account_has_fields_of_the_schema_alone_and_the_others_are_logged(open_written, caplog):
    unknown = (
        "<email_master>true</email_master><last_seen_ip>192.0.2.1</last_seen_ip>"
        "<profile><phone>5</phone></profile><m:about xmlns:m='urn:m'>z</m:about>"
        "<kudo_score m='4'>between<kudo_rank>3</kudo_rank>between<extra>z</extra></kudo_score>"
        "<languages><language color='0' seen='1'><name>C</name><ip>6</ip></language></languages>"
    )
    client = open_written([record("1", "account", name="Ada", inner=unknown)])
    element = client.root("/accounts/1.xml").find("result/account")
    score = "<kudo_score><kudo_rank>3</kudo_rank></kudo_score>"
    assert etree.tostring(element.find("kudo_score"), encoding="unicode", with_tail=False) == score
    language = '<language color="0"><name>C</name></language>'
    served = etree.tostring(element.find("languages/language"), encoding="unicode", with_tail=False)
    assert served == language
    assert {child.tag for child in element} == {
        "id",
        "name",
        "kudo_score",
        "languages",
        "created_at",
        "updated_at",
        "avatar_url",
        "email_sha1",
        "posts_count",
    }
    [line] = [entry.getMessage() for entry in caplog.records if "not served" in entry.getMessage()]
    paths = [
        "account/about",
        "account/email_master",
        "account/kudo_score/@m",
        "account/kudo_score/extra",
        "account/languages/language/@seen",
        "account/languages/language/ip",
        "account/last_seen_ip",
        "account/profile",
    ]
    assert ", ".join(paths) in line
    assert "192.0.2.1" not in line


@pytest.mark.parametrize(("count", "others"), [(20, None), (21, "1"), (22, "2")])
def test_account_fields_that_are_not_served_are_counted_from_the_21st(
    count, others, open_written, caplog
):
    unknown = "".join(f"<x{n}/>" for n in range(count))
    open_written([record("1", "account", name="Ada", inner=unknown)])
    [line] = [entry.getMessage() for entry in caplog.records if "not served" in entry.getMessage()]
    counted = re.search(r" and (\d+) more", line)
    assert (line.count("account/x"), counted and counted[1]) == (20, others)


BOMB = b"""<?xml version="1.0"?><!DOCTYPE response [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<response><result><account><id>1</id><name>&b;</name></account></result></response>"""


LAUGHS = "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 20}">' for n in range(1, 9))


@pytest.mark.parametrize(
    "declaration",
    [
        "<!DOCTYPE response>",
        '<!DOCTYPE response [<!ENTITY b8 "x">]>',
        '<!DOCTYPE response [<!ENTITY b8 SYSTEM "file:///etc/hostname">]>',
        f'<!DOCTYPE response [<!ENTITY b0 "ha">{LAUGHS}]>',
    ],
    ids=["empty", "entity", "file", "billion laughs"],
)
def test_document_type_is_refused(declaration, open_written, cache):
    entity = "&b8;" if "b8" in declaration else ""
    body = (
        f"<response><result><account><id>1</id><name>{entity}</name></account></result></response>"
    )
    with pytest.raises(StoreError, match=r"0\.xml"):
        open_written(f"{declaration}{body}".encode())
    assert list((cache / "stores").iterdir()) == []


def test_comments_are_not_stored(open_written, cache):
    client = open_written([record("1", "account", inner="<!-- s3cret -->"), record("2", "account")])
    assert client.ids("/accounts.xml?sort=id") == ["1", "2"]
    assert b"s3cret" not in stored_bytes(cache)


INVALID = {
    "empty": b"",
    "JSON": b'{"id": 1}',
    "HTML": b"<html><body>Maintenance</body></html>",
    "cut": page_xml([record("9", "account")])[:-12],
    "no id": page_xml(["<account><name>x</name></account>"]),
    "slash in the id": page_xml([record("a/b", "account")]),
    "other records": page_xml([record("1", "language")]),
    "digest": page_xml([record("1", "account", email_md5="12")]),
    "failure": b"<response><status>failed</status><error>No.</error></response>",
    "entities": BOMB,
}


@pytest.mark.parametrize("document", INVALID.values(), ids=INVALID)
def test_invalid_data_is_refused_by_name_and_leaves_no_store(document, open_written, cache):
    good = record("9", "account")
    with pytest.raises(StoreError, match=r"1\.xml"):
        open_written([good], document)
    assert list((cache / "stores").iterdir()) == []
    assert open_written([good], page_xml([])).ids("/accounts.xml") == ["9"]


def test_external_entity_is_not_read(open_written, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hidden")
    external = BOMB.partition(b"[")[0] + f'[<!ENTITY b SYSTEM "{secret.as_uri()}">'.encode()
    with pytest.raises(StoreError, match=r"0\.xml") as refused:
        open_written(external + BOMB[BOMB.index(b"]") :])
    assert "hidden" not in str(refused.value)


def test_folders_in_folders_and_compressed_files_are_read(open_written, tmp_path):
    inner = tmp_path / "data" / "inner"
    inner.mkdir(parents=True)
    (inner / "a.xml.gz").write_bytes(gzip.compress(page_xml([record("1", "account")])))
    (inner / "notes.txt").write_text("not a collection")
    assert open_written([record("2", "account")]).ids("/accounts.xml?sort=id") == ["1", "2"]


WHOLE = gzip.compress(page_xml([record("1", "account")]), mtime=0)


@pytest.mark.parametrize(
    "content",
    [WHOLE[:-10], b"not gzip", WHOLE[:15] + b"\xff\xff" + WHOLE[17:]],
    ids=["short", "other", "damaged"],
)
def test_compressed_file_that_cannot_be_read_is_named(content, imported, tmp_path):
    (tmp_path / "a.xml.gz").write_bytes(content)
    with pytest.raises(StoreError, match=r"a\.xml\.gz"):
        imported(tmp_path)


def test_folder_without_a_collection_is_named(imported, tmp_path):
    with pytest.raises(StoreError, match=re.escape(str(tmp_path))):
        imported(tmp_path)


#: It opens, and cannot be read, not even by root.
UNREADABLE = Path("/proc/self/mem")


@pytest.mark.skipif(not UNREADABLE.is_file(), reason="needs Linux")
@pytest.mark.parametrize("name", ["b.xml", "b.xml.gz", "b.csv"])
def test_file_that_cannot_be_read_is_named(name, imported, tmp_path):
    path = tmp_path / name
    path.symlink_to(UNREADABLE)
    with pytest.raises(StoreError, match=re.escape(str(path))):
        imported(path)


def test_path_that_does_not_exist_is_refused(imported, tmp_path):
    with pytest.raises(InvalidInputError, match="nowhere"):
        imported(tmp_path / "nowhere")


@pytest.mark.skipif(os.name == "nt" or not os.geteuid(), reason="root may read everything")
def test_folder_is_read_whole_or_refused(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    for path in (tmp_path / "a.xml", inner / "b.xml"):
        path.write_bytes(page_xml([record("1", "account")]))
    inner.chmod(0)
    with pytest.raises(StoreError, match="inner"):
        dirframe.serve(tmp_path)
    inner.chmod(0o700)


@pytest.fixture
def three(tmp_path):
    """Return a folder with an account in it, one in a linked folder, and one in a file `C.XML`."""
    folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    for path, number in ((folder / "a.xml", 1), (elsewhere / "b.xml", 2), (folder / "C.XML", 3)):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(page_xml([record(number, "account", name="x")]))
    (folder / "linked").symlink_to(elsewhere, target_is_directory=True)
    return folder


def test_folder_with_links_and_capital_suffixes_is_read_whole(three, imported):
    assert imported(three).ids("/accounts.xml?sort=id") == ["1", "2", "3"]


def test_folder_linked_into_itself_is_refused(three):
    (three / "again").symlink_to(three, target_is_directory=True)
    with pytest.raises(StoreError, match="again"):
        dirframe.serve(three)


def test_tables_in_a_folder_of_xml_are_named(three, imported, caplog):
    for name in ("accounts.csv", "p.Parquet", "x.jsonl.gz", "notes.txt"):
        (three / "linked" / name).touch()
    imported(three)
    [line] = [entry for entry in caplog.messages if "only XML is read" in entry]
    names = [f"linked/{name}" for name in ("accounts.csv", "p.Parquet", "x.jsonl.gz")]
    assert ", ".join(names) in line
    assert "notes.txt" not in line


def test_enlistments_of_all_projects_are_served_at_each(tmp_path, imported):
    numbers = {"7": ["1", "3"], "8": ["2"]}
    entries = [
        f"<enlistment><id>{n}</id><project_id>{project}</project_id></enlistment>"
        for project, own in numbers.items()
        for n in own
    ]
    (tmp_path / "enlistments.xml").write_bytes(page_xml(entries))
    client = imported(tmp_path)
    served = {project: client.ids(f"/projects/{project}/enlistments.xml") for project in numbers}
    assert served == numbers


def test_entry_without_its_project_is_refused(tmp_path):
    path = tmp_path / "enlistments.xml"
    entry = "<enlistment><id>1</id>{}</enlistment>"
    page = page_xml([entry.format("<project_id>7</project_id>"), entry.format("<project_id/>")])
    path.write_bytes(page)
    with pytest.raises(StoreError, match="project_id"):
        dirframe.serve(path)


@pytest.fixture
def documents(tmp_path):
    """Return a folder with documents of a project, its months and a collection beside them."""
    data = tmp_path / "data"
    months = data / "projects" / "fox" / "analyses" / "latest"
    months.mkdir(parents=True)
    people = [record(n, "contributor_fact") for n in range(1, 60)]
    for path, records in (
        (data / "projects.xml", [record("1", url_name="fox")]),
        (data / "languages.xml", [record(n, "language") for n in range(2)]),
        (data / "projects" / "fox" / "contributors.xml", people),
        (months / "size_facts.xml", ["<size_fact><code>5</code></size_fact>"] * 26),
    ):
        path.write_bytes(page_xml(records))
    return data


def test_documents_in_a_folder_are_served_at_their_addresses(documents, imported):
    client = imported(documents)
    assert client.ids("/languages.xml?sort=name") == ["0", "1"]
    last = [str(n) for n in range(51, 60)]
    assert client.ids("/p/fox/contributors.xml?page=3") == last
    assert client.ids("/projects/fox/contributors.xml?page=3") == last
    sizes = {}
    for parent in ("p", "projects"):
        root = client.root(f"/{parent}/fox/analyses/latest/size_facts.xml")
        sizes[parent] = len(root.findall("result/size_fact"))
    assert sizes == {"p": 26, "projects": 26}


# Recorded documents


def shape(element):
    """Return structure, order and text of an element, white space around texts aside.

    One of the 313 recorded projects has an e-mail address in its description, which is masked.
    """
    attributes, text = sorted(element.attrib.items()), (element.text or "").strip()
    text = text.replace("jlowry@gmail.com", "…@…")
    return (element.tag, attributes, text, [shape(child) for child in element])


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/p/2/contributors.xml", 404),
        ("/languages/1.xml", 404),
        ("/p/fox/a%01.xml", 404),
        ("/p/fox/contributors.xml?sort=commits", 400),
        ("/p/fox/contributors.xml?query=p", 400),
        ("/p/fox/contributors.xml?page=x", 400),
    ],
)
def test_documents_that_a_folder_lacks_or_cannot_sort_are_refused(
    target, status, documents, imported
):
    imported(documents).error(target, status)


def test_document_that_states_a_failure_is_refused(documents, imported):
    (documents / "languages.xml").write_bytes(b"<response><status>failed</status></response>")
    with pytest.raises(StoreError, match=r"languages\.xml"):
        imported(documents)


def is_as_recorded(served, recorded):
    """Return whether a served project is the recorded one; the service may add other elements."""
    if served.findtext("stack_count") != recorded.findtext("user_count"):
        return False
    for part in (".", "analysis"):
        ours, theirs = served.find(part), recorded.find(part)
        if theirs is None:
            continue
        for added in list(ours)[len(theirs) :]:
            if theirs.find(added.tag) is not None:
                return False
            ours.remove(added)
    return shape(served) == shape(recorded)


def test_xml_of_recorded_projects_comes_back_in_its_order(shared, imported):
    client = imported(shared / "real" / "pages")
    recorded = [
        project
        for path in (shared / "real" / "pages").glob("*.xml")
        for project in etree.parse(path).getroot().iterfind("result/project")
    ]
    assert len(recorded) == 313
    served = {
        project.findtext("id"): project
        for page in range(1, 14)
        for project in client.root(f"/projects.xml?page={page}").iterfind("result/project")
    }
    assert len(served) == 313
    wrong = []
    for project in recorded:
        number = project.findtext("id")
        if not is_as_recorded(served[number], project):
            wrong.append(number)
    assert wrong == []


DIALECTS = [
    "proj_2007_readme",
    "proj_2008_yanick",
    "proj_2013_johloh",
    "acct_2013_apiexample",
    "today_project_show",
    "today_projects_index",
    "today_account_show",
    "today_accounts_index",
]


@pytest.mark.parametrize("name", DIALECTS)
def test_xml_of_every_recorded_dialect_is_read(name, shared, imported):
    path = shared / "samples" / f"{name}.xml"
    kind = "account" if "acc" in name else "project"
    recorded = etree.parse(path).xpath(f"/result/{kind} | /response/result/{kind}")
    assert len(imported(path).all_ids(f"/{kind}s.xml")) == len(recorded) > 0


# Sorts and queries, against plain Python: every page of every sort, and what a query finds

RECORDS = {"accounts": ACCOUNTS, "projects": PROJECTS}
FOUR = ("created_at", "id", "name", "updated_at")


def fold(text):
    return unicodedata.normalize("NFC", text.casefold())


def sort_key(sort, fields):
    """Return what a record is sorted by; ties are in the order of the ids."""
    number = int(fields["identifier"])
    value = number if sort == "id" else fields[sort]
    return (fold(value) if isinstance(value, str) else value), number


@pytest.mark.parametrize(
    ("collection", "sort"),
    [
        *(("accounts", sort) for sort in FOUR),
        *(("projects", sort) for sort in (*FOUR, "stack_count")),
    ],
)
def test_sort_ties_by_id_and_has_every_record_once(collection, sort, client):
    records = sorted(RECORDS[collection], key=lambda fields: sort_key(sort, fields))
    expected = [fields["identifier"] for fields in records]
    assert client.all_ids(f"/{collection}.xml?sort={sort}") == expected
    assert client.all_ids(f"/{collection}.xml?sort={sort}_reverse") == expected[::-1]


@pytest.mark.parametrize("collection", ["accounts", "projects"])
def test_sort_without_one_is_newest_first(collection, client):
    newest = client.ids(f"/{collection}.xml?sort=created_at_reverse")
    assert client.ids(f"/{collection}.xml") == newest


def test_numeric_ids_sort_by_value_and_before_all_others(open_written):
    ids = ["10", "9", "007", "7", "b", "a2", "123456789012345678901234567890", "0"]
    client = open_written([record(one, "account", name="x") for one in ids])
    expected = ["0", "007", "7", "9", "10", "123456789012345678901234567890", "a2", "b"]
    assert client.ids("/accounts.xml?sort=id") == expected
    assert client.ids("/accounts.xml?sort=id_reverse") == expected[::-1]
    assert client.ids("/accounts.xml?sort=name") == expected


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("GRÖSSE", {"Zoë GRÖSSE"}),
        ("größe", {"Zoë GRÖSSE"}),  # SS is ß in capital letters
        ("grösse zoë", {"Zoë GRÖSSE"}),
        ("ÇEL", {"çelik"}),
        ("o", {"bob", "Zoë GRÖSSE"}),
        ("ada exam", {"Ada Example"}),
        ("ada bob", set()),
        ("avatars", set()),  # only the name is searched
    ],
)
def test_accounts_are_searched_by_parts_of_their_names_in_any_case(query, names, client):
    expected = [f["identifier"] for f in ACCOUNTS if f["name"] in names]
    assert sorted(client.all_ids(f"/accounts.xml?query={query}"), key=int) == expected


LETTERS = st.text("aAbBßİéE\u0301\"*'%_:-(<+ 自", max_size=8)


def has_words(texts, query):
    """Return whether each word of a query is in one of some texts."""
    return all(any(word in text for text in texts) for word in query.split())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(LETTERS, LETTERS, LETTERS), min_size=1, max_size=6),
    st.lists(LETTERS, min_size=5),
)
def test_query_finds_what_a_plain_search_finds(open_written, several, queries):
    tags = [f"<tags><tag>{escape(tag)}</tag></tags>" for _, _, tag in several]
    client = open_written(
        [
            record(n, name=name, description=text, inner=tags[n])
            for n, (name, text, _) in enumerate(several)
        ]
    )
    folded = [[fold(text) for text in texts] for texts in several]
    expected = {
        query: [str(n) for n, texts in enumerate(folded) if has_words(texts, fold(query))]
        for query in queries
    }
    found = {query: client.ids("/projects.xml", query=query, sort="id") for query in queries}
    assert found == expected


# Ranks, and the sorts of today's directories


RANKED = (
    record(1, name="Sync", description="Works with git.", user_count="900"),
    record(2, name="Tower", inner="<tags><tag>git</tag></tags>", user_count="80"),
    record(3, name="My Git Tools", user_count="30", average_rating="4.5"),
    record(4, name="Git Extensions", user_count="4", average_rating="3"),
    record(5, name="Digits", user_count="5,000"),
    record(6, name="Git", user_count="1"),
    record(7, name="The version control", vanity_url="git", user_count="2"),
    record(8, name="Tower", inner="<tags><tag>gitolite</tag></tags>", description="b"),
    record(9, name="Git Annex", user_count="4", description="a"),
)
BEST = [6, 4, 9, 3, 2, 5, 1, 8]
NEWEST = [9, 8, 7, 6, 5, 4, 3, 2, 1]


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """Return the application of projects of which some match better; nothing changes it."""
    with client_of(write(tmp_path_factory.mktemp("ranked"), RANKED)) as client:
        yield client


def numbers(client, parameters):
    """Return the ids of a page of projects as numbers."""
    return list(map(int, client.ids(f"/projects.xml?{parameters}")))


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("query=GIT", BEST),
        ("q=git", BEST),
        ("q=tower&query=git", BEST),
        ("query=git&sort=relevance", BEST),
        ("query=git+tools", [3]),
        ("query=git&sort=id", sorted(BEST)),
        # a tag is asked for exactly
        ("query=tag:git", [2]),
        ("query=TAG:Git+tower", [2]),
        ("query=tag:gi", []),
        ("query=tag:git+tag:x", []),
        # without a query
        ("query=", NEWEST),
        ("sort=relevance", [5, 1, 2, 3, 4, 9, 7, 6, 8]),
    ],
)
def test_relevance_gives_the_best_match_first(parameters, expected, ranked):
    assert numbers(ranked, parameters) == expected


def test_relevance_is_the_order_of_a_page_for_a_query(ranked):
    listing = ranked.get("/projects?query=git").text
    assert listing.index("Git Extensions") < listing.index("My Git Tools") < listing.index("Digits")


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("users", [5, 1, 2, 3, 9, 4, 7, 6, 8]),
        ("popularity", [5, 1, 2, 3, 9, 4, 7, 6, 8]),
        ("rating", [3, 4, 1, 2, 5, 6, 7, 8, 9]),
        ("new", NEWEST),
        ("project_name", [5, 6, 9, 4, 3, 1, 7, 2, 8]),
        ("description", [9, 8, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_sort_of_today(sort, expected, ranked):
    assert numbers(ranked, f"sort={sort}") == expected


@pytest.mark.parametrize("sort", ["active_committers", "activity_level", "users_reverse"])
def test_sort_of_today_without_its_field_is_refused(sort, ranked):
    text = ranked.error(f"/projects.xml?sort={sort}", 400)
    assert "rating" in text
    assert "activity_level" not in text.replace(sort, "")


def test_sort_of_today_by_numbers_in_other_elements(open_written):
    busy = (
        "<analysis><twelve_month_contributor_count>{}</twelve_month_contributor_count></analysis>"
        "<project_activity_index><value>{}</value></project_activity_index>"
    )
    values = (("2", "90"), ("1,100", "10"))
    client = open_written([record(n, inner=busy.format(*pair)) for n, pair in enumerate(values)])
    assert client.ids("/projects.xml?sort=active_committers") == ["1", "0"]
    assert client.ids("/projects.xml?sort=activity_level") == ["0", "1"]

"""Everything in a document is found again; what is no document of the interface is refused."""

import socket
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from time import sleep

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dirframe.errors import DirframeWarning, UnreadableResponseError
from tests.client.trees import PAGES, RECORDS, STYLES, documents, texts_in, texts_of
from tests.rig.server import Trap

XML = Path(__file__).parent.parent / "xml"
ONE = "<project><id>1</id></project>"
DTD = "<!DOCTYPE response [{}]>".format
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def around(records):
    page = f"<response><status>success</status><result>{records}</result></response>"
    return page.encode()


def row(frame, number=0):
    """Return what a record has."""
    values = frame.iloc[number].to_dict()
    return {name: one for name, one in values.items() if isinstance(one, list) or pd.notna(one)}


# What is found in documents


@given(pages=PAGES, style=STYLES)
def test_parser_finds_each_text_and_attribute_again(read, pages, style):
    # What is unknown the first time is known the second.
    pages = documents([*pages, *pages], style)
    assert texts_in(read(*pages)) == sum(map(texts_of, pages), Counter())


@given(record=RECORDS, seed=st.integers(0, 999))
def test_parser_values_do_not_depend_on_the_order_of_elements(read, record, seed):
    names = [name for name, *_ in record]
    assume(len(set(names)) == len(names))
    shuffled = Random(seed).sample(record, len(record))
    one, other = (read(*documents([[elements]])) for elements in (record, shuffled))
    pd.testing.assert_frame_equal(other[list(one)], one)


@pytest.mark.parametrize("behind", ["", "<?end of='it'?>"])
def test_parser_finds_everything_in_unusual_records(read, behind):
    usual = (
        "<account><id>{}</id><name>n</name><kudo_score><kudo_rank>1</kudo_rank></kudo_score>"
        "<languages><language><name>C</name></language></languages></account>"
    ).format
    specials = [
        "<kudo_score/>", "<kudo_score>text where children are usual</kudo_score>",
        "<kudo_score kudo_rank='3'/>", "<kudo_score><x/><x/></kudo_score>",
        "<kudo_score/><kudo_score><kudo_rank>2</kudo_rank></kudo_score>",
        "<name>a</name><name>b</name>", "<name><b>deeper</b></name>", "<name lang='en'>x</name>",
        "<languages><language><name>C<sub>d</sub></name></language></languages>",
        "<languages>C</languages>", "<languages><language\nxml:lang='en'>C</language></languages>",
        "<languages><language id='1'>C</language><language>D</language><language/></languages>",
        "<languages><language><a>D</a></language><language/><language>C</language></languages>",
        "<languages><language id='1'><a>D</a></language><language><a>D</a></language></languages>",
        "<languages><language id='1' language='D'>C</language></languages>",
        "<languages><language lang='en' xml:lang='de'>C</language></languages>",
        "<new/>", "<new>1</new>", "<x><y>1</y><y>2</y></x>",
    ]  # fmt: skip
    failures = []
    for special in specials:
        odd = f"<account><id>2</id>{special}</account>"
        pages = [
            around(usual(0)),
            around(usual(1) + odd + usual(3)) + behind.encode(),
            around(usual(4)),
        ]
        frame = read(*pages, resource="account")
        expected = sum(map(texts_of, pages), Counter())
        found = texts_in(frame) + Counter(map(str, frame["kudo_score_kudo_rank"].dropna()))
        if found != expected:
            failures.append((special, found - expected, expected - found))
        if frame["id"].tolist() != list("01234") or row(frame, 4) != row(frame, 0) | {"id": "4"}:
            failures.append((special, frame))
    assert not failures


def test_parser_places_each_value(read):
    """The rule: an attribute is as a child; what comes twice, or is known as one, is a list."""
    cases = {
        '<project id="1"><name lang="en">a</name></project>': {"id": "1", "name_lang": "en", "name": "a"},
        '<project id="1"><id>2</id><a>x</a><a>y</a></project>': {"id": ["1", "2"], "a": ["x", "y"]},
        "<project><id>1</id><a/><b> </b><c></c><d><e/></d></project>": {"id": "1"},
        "<project><id>1</id><a><b/><b/></a><tags><tag/></tags></project>": {"id": "1", "tags": [None]},
        "<project><id>1</id><tags/></project>": {"id": "1"},
        "<project><id>1</id><tags><tag>a</tag><tag> b </tag><tag/></tags></project>":
            {"id": "1", "tags": ["a", "b", None]},
        "<project><id>1</id><tags><tag>&lt;i&gt;</tag></tags></project>": {"id": "1", "tags": ["<i>"]},
        "<project><id>1</id><tags><tag n='1'>a</tag><tag n='2'/></tags></project>":
            {"id": "1", "tags": [{"n": "1", "tag": "a"}, {"n": "2"}]},
        "<project><id>1</id><tags><tag n='1'><x>2</x></tag></tags></project>":
            {"id": "1", "tags": [{"n": "1", "x": "2"}]},
        "<project><id>1</id><tags><tag tag='1'>2</tag></tags></project>":
            {"id": "1", "tags": [{"tag": ["1", "2"]}]},
        "<project><id>1</id><licenses><license><name>m</name><nice_name/></license>"
        "<license><name> g </name></license></licenses></project>":
            {"id": "1", "licenses": [{"name": "m", "nice_name": ""}, {"name": "g"}]},
        "<project><id>1</id><licenses><license><name>a</name><name>b</name></license></licenses></project>":
            {"id": "1", "licenses": [{"name": ["a", "b"]}]},
        "<project><id>1</id><similar_projects><project><id>7</id><name>other</name></project>"
        "<project><id>8</id></project></similar_projects></project>":
            {"id": "1", "similar_projects": [{"id": "7", "name": "other"}, {"id": "8"}]},
        '<project><id>1</id><analysis><languages graph_url="u"><language color="0" percentage="&lt;1">'
        "\n  C\n</language><language>D</language></languages></analysis></project>":
            {"id": "1", "analysis_languages_graph_url": "u",
             "analysis_languages": [{"color": "0", "percentage": "<1", "language": "C"}, "D"]},
    }  # fmt: skip
    failures = []
    for record, expected in cases.items():
        # Alone, and where everything is known from before.
        alone, known = row(read(record)), row(read(record.replace("1", "9", 1), record), -1)
        if alone != expected or (known != expected and 'id="1"' not in record):
            failures.append((record, alone, known))
    assert not failures


def test_parser_of_what_a_single_record_has(read):
    many = "".join(f"<project><id>{n}</id></project>" for n in range(500))
    last = "<project><id>x</id><rare>here</rare></project>"
    more = many.replace("<id>", "<id>1000")
    frame = read(many, more + last, many.replace("<id>", "<id>2000"))
    assert len(frame) == 1501
    assert frame["rare"].dropna().to_dict() == {1000: "here"}


# What XML allows


def test_parser_leaves_comments_and_instructions_out_and_texts_right(read):
    content = around(
        "<project><!-- <id>0</id> --><id>1</id><?php echo 1 ?>"
        "<name>a<!-- no -->b<![CDATA[ <c> & ]]>d<?x y?>e</name></project>"
    )
    assert row(read(content)) == {"id": "1", "name": "ab <c> & de"}
    again = read(content, content.replace(b"<id>1<", b"<id>2<"))
    assert again["name"].tolist() == ["ab <c> & de"] * 2


def test_parser_takes_namespaces_off(read):
    content = (
        b'<r:response xmlns:r="urn:r" xmlns="urn:d"><r:status>success</r:status><r:result>'
        b'<project r:key="k"><id>1</id></project></r:result></r:response>'
    )
    for pages in ([content], [content.replace(b"<id>1", b"<id>0"), content]):
        assert row(read(*pages), -1) == {"key": "k", "id": "1"}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "iso-8859-1", "windows-1252", "us-ascii"]
)
def test_parser_reads_the_encoding_that_is_declared(read, encoding):
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><response><status>success</status><result>'
        '<project><id>1</id><name lang="de">Größe</name></project></result></response>'
    )
    for other in ("1", "2"):
        pages = [text.replace("<id>1", f"<id>{n}") for n in ("0", other)]
        contents = [page.encode(encoding, "xmlcharrefreplace") for page in pages]
        try:
            frame = read(*contents)
        except UnreadableResponseError:
            assert encoding in ("utf-16-le", "utf-32")  # may be refused, never misread
            continue
        assert frame["name"].tolist() == ["Größe", "Größe"]
        assert frame["name_lang"].tolist() == ["de", "de"]
    assert len(read("\ufeff".encode() + around(ONE))) == 1


def test_parser_finds_the_result_where_it_is(read):
    """Results, records and tags that only look like it in comments, text and attributes."""
    two = "<project><id>1</id></project><project><id>2</id></project>"
    status = "<status>success</status>"
    contents = [
        f"<response>{status}<!-- <result> --><result>{two}</result></response>",
        f"<response>{status}<result>{two}</result><!-- </result> --></response>",
        f"<response>{status}<result>{two}<!-- </result><result> --></result></response>",
        f"<?note <result> ?><response>{status}<result>{two}</result></response>",
        f"<response><result>{two}</result><?note </result> ?>{status}</response>",
        f"<response><x><![CDATA[<result>]]></x>{status}<result >{two}</result ></response>",
        f"<response><x a='&lt;result>'/>{status}<result>{two}</result></response>",
        f"<response xmlns='u'>{status}<result>{two}</result></response>",
        f"<response>{status}<result>\r\n{two}\r text</result></response>",
        f"<result>{two}</result>",
    ]
    failures = []
    for content in map(str.encode, contents):
        for pages in ([content], [around(ONE.replace("1", "0")), content]):
            ids = read(*pages)["id"].tolist()
            if ids[-2:] != ["1", "2"] or len(ids) > 3:
                failures.append((content, ids))
    assert not failures


def test_parser_knows_generated_data_by_its_mark(read):
    head = b'<?xml version="1.0"?>\n<?dirframe-synthetic seed="1"?>\n'
    assert read(head + around(ONE)).attrs["dirframe"]["synthetic"] is True
    pretended = around("<project><id>1</id><name>&lt;?dirframe-synthetic?></name></project>")
    assert read(pretended).attrs["dirframe"]["synthetic"] is False


# What is refused


REFUSED = {
    "html": (b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "HTML"),
    "html of old": (b"<!DOCTYPE HTML PUBLIC '-//W3C'><HTML>", "HTML"),
    "html without a doctype": (b"<html><head><title>x</title></head></html>", "HTML"),
    "html that is well-formed": (b"<html/>", "HTML"),
    "json": (b'\n {"status": "success"}', "JSON"),
    "a json list": (b"[1, 2]", "JSON"),
    "nothing": (b"", "empty"),
    "blanks": (b"\xef\xbb\xbf \n\t ", "empty"),
    "plain text": (b"Bad Gateway", "not XML"),
    "gzip": (b"\x1f\x8b\x08\x00abc", "gzip"),
    "zip": (b"PK\x03\x04abc", "ZIP"),
    "zeros": (b"\0" * 100, ""),
    "zeros inside": (around("<project><id>1\0</id></project>"), "XML"),
    "control characters": (around("<project><id>1\x01</id></project>"), "XML"),
    "another root": (b"<feed><entry/></feed>", "<feed>"),
    "an encoding that it is not in": (
        b'<?xml version="1.0" encoding="UTF-8"?><response><name>Gr\xf6\xdfe</name></response>', "XML",
    ),
    "an unknown encoding": (
        b'<?xml version="1.0" encoding="klingon"?><response><status>success</status></response>', "XML",
    ),
    "text behind the end": (around(ONE) + b"more", "XML"),
    "two documents": (around(ONE) * 2, "XML"),
    "half a tag": (b"<?xml version='1.0'?><resp", "XML"),
    "an unknown entity": (around("<project><id>&nbsp;</id></project>"), "XML"),
    "a doctype": (DTD("").encode() + around(ONE), "DOCTYPE"),
    "a doctype elsewhere": (
        b'<!DOCTYPE response SYSTEM "http://127.0.0.1:9/x.dtd">' + around(ONE), "DOCTYPE",
    ),
    "an internal entity": (
        DTD('<!ENTITY a "b">').encode() + around("<project><id>&a;</id></project>"), "DOCTYPE",
    ),
    "a billion laughs": (
        DTD('<!ENTITY l0 "ha">' + LAUGHS).encode() + around("<project><id>&l9;</id></project>"), "DOCTYPE",
    ),
    "a billion laughs in an attribute": (
        DTD('<!ENTITY l0 "ha">' + LAUGHS).encode() + around('<project><id a="&l9;">1</id></project>'),
        "DOCTYPE",
    ),
    "an attribute by default": (
        DTD('<!ATTLIST project a CDATA "x">').encode() + around("<project/>"), "DOCTYPE",
    ),
    "deep nesting": (around("<project>" + "<a>" * 5000 + "</a>" * 5000 + "</project>"), "XML"),
    "two results": (
        around(ONE).replace(b"</response>", b"<result></result></response>"), "result",
    ),
    "records of two kinds": (around(ONE + "<account><id>3</id></account>"), "<account>"),
    "a failure": ((XML / "failed.xml").read_bytes(), "failure"),
}  # fmt: skip


def test_parser_refuses_what_is_no_page_and_names_it(read):
    failures = []
    for name, (content, what) in REFUSED.items():
        try:
            frame = read(around(ONE.replace("1", "0")), content)
        except UnreadableResponseError as error:
            if what in error.found and error.source.endswith("0001.xml"):
                continue
            failures.append((name, error.found, error.source))
        else:
            failures.append((name, frame))
    assert not failures


def test_parser_refuses_a_document_that_is_too_long(read):
    content = around(ONE)
    assert len(read(content, max_bytes=len(content))) == 1
    with pytest.raises(UnreadableResponseError) as caught:
        read(content, max_bytes=len(content) - 1)
    assert f"{len(content) - 1:,}" in caught.value.found


def test_parser_refuses_documents_that_are_cut_off(read):
    """No beginning of a page is read, or taken for a web page; tests/slow has all of them."""
    failures = []
    for file in ("projects-page.xml", "accounts-page.xml"):
        content = (XML / file).read_bytes().rstrip()
        for end in range(1, len(content), len(content) // 25):
            try:
                failures.append((file, end, read(content[:end])))
            except UnreadableResponseError as error:
                if "HTML" in error.found or "XML" not in error.found:
                    failures.append((file, end, error.found))
    assert not failures


PROLOGS = st.lists(
    st.sampled_from(
        ["<!-- <html> <!DOCTYPE html> -->", "<?page <html> ?>", "\n", " ", "<!-- {} -->"]
    ),
    max_size=4,
).map("".join)


@given(prolog=PROLOGS, text=st.sampled_from(["<html>", "&lt;html&gt;", "<html_url>", "x"]))
def test_parser_tells_by_its_root_what_a_document_is(read, prolog, text):
    for root, what in (
        ("<response>", "XML"),
        ("<html>", "HTML"),
        ("<!DOCTYPE html>", "HTML"),
        ("<!DOCTYPE response>", "DOCTYPE"),
    ):
        with pytest.raises(UnreadableResponseError) as caught:
            read(f"{prolog}{root}{text}".encode())
        assert what in caught.value.found
        assert ("HTML" in caught.value.found) is (what == "HTML")


@given(content=st.binary(max_size=200))
def test_parser_of_any_bytes_fails_by_a_refusal_alone(read, content):
    for body in (content, b"<response>" + content, around(ONE) + content):
        with suppress(UnreadableResponseError):
            read(body)


@given(data=st.data())
def test_parser_of_a_damaged_page_reads_it_or_refuses_it(read, data):
    content = bytearray((XML / "accounts-page.xml").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with warnings.catch_warnings(), suppress(UnreadableResponseError):
        warnings.simplefilter("ignore", DirframeWarning)
        assert len(read(bytes(content))) <= 3


def test_parser_opens_no_file_and_no_connection(read, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    body = "<response><status>&a;</status></response>"
    with Trap() as trap:
        for place in (f"http://127.0.0.1:{trap.port}/x", secret.as_uri()):
            for dtd in (
                f'<!DOCTYPE response SYSTEM "{place}">',
                f'<!DOCTYPE response [<!ENTITY a SYSTEM "{place}">]>',
                f'<!DOCTYPE response [<!ENTITY % p SYSTEM "{place}"> %p; <!ENTITY a "b">]>',
            ):
                with pytest.raises(UnreadableResponseError) as caught:
                    read((dtd + body).encode())
                assert "SECRET" not in str(caught.value)
            include = around(
                f'<project xmlns:xi="http://www.w3.org/2001/XInclude"><id>1</id><name>'
                f'<xi:include href="{place}" parse="text"/></name></project>'
            )
            assert "SECRET" not in str(row(read(include)))
        with socket.create_connection((trap.host, trap.port)):
            while not trap.connections:  # it takes those before first
                sleep(0.002)
        assert trap.connections == 1

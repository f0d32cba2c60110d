"""Everything in a document is found again; what is no document of the interface is refused."""

import socket
import sys
import warnings
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from time import process_time, sleep
from xml.sax.saxutils import escape, quoteattr

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from lxml import etree

import dirframe
from dirframe.errors import DirframeWarning, InvalidInputError
from tests.cases import raised, slow_except
from tests.rig.server import Trap, page_xml, record

XML = Path(__file__).parent.parent / "xml"


ONE = "<project><id>1</id></project>"
DTD = "<!DOCTYPE response [{}]>".format
LAUGHS = '<!ENTITY l0 "ha">' + "".join(
    f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10)
)


def around(records):
    page = f"<response><status>success</status><result>{records}</result></response>"
    return page.encode()


def row(frame, number=0):
    """Return what a record has."""
    values = frame.iloc[number].to_dict()
    return {name: one for name, one in values.items() if isinstance(one, list) or pd.notna(one)}


NAMES = ["name", "analysis", "languages", "language", "tags", "tag", "links", "link", "x"]
TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n  a \n", "1,935", "<b> & 'c' \"d\"", "]]>", "="]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=6),
)
ATTRIBUTES = st.just({}) | st.dictionaries(
    st.sampled_from(["id", "color", "xml:lang", "name", "tag"]), TEXTS, max_size=2
)
#: Elements of any form; that of a record has its id beside.
TREES = st.recursive(
    st.tuples(st.sampled_from(NAMES), ATTRIBUTES, TEXTS),
    lambda inner: st.tuples(
        st.sampled_from([*NAMES, "id"]), ATTRIBUTES, st.lists(inner, max_size=4)
    ),
    max_leaves=8,
).filter(lambda tree: tree[0] != "id")
RECORDS = st.lists(TREES, min_size=1, max_size=6)
PAGES = st.lists(st.lists(RECORDS, min_size=1, max_size=3), min_size=1, max_size=4)


def written(tree):
    """Write a tree as XML."""
    name, attributes, inside = tree
    quoted = "".join(f" {key}={quoteattr(text)}" for key, text in attributes.items())
    inner = "".join(map(written, inside)) if isinstance(inside, list) else escape(inside)
    return f"<{name}{quoted}>{inner}</{name}>"


def documents(pages):
    """Write pages of projects; each gets an id of its own."""
    ids = (("id", {}, f"r{number}") for number in count(1))
    return [page_xml(written(("project", {}, [next(ids), *one])) for one in page) for page in pages]


def texts_of(document):
    """Count all texts and attributes of the records of a document, as a person would find them."""
    found = Counter()
    for one in etree.fromstring(document).find("result"):
        for element in one.iter(etree.Element):
            found.update(str(value).strip() for value in element.attrib.values())
            if not any(True for _ in element.iterchildren(etree.Element)):
                found["".join(element.itertext(etree.Element)).strip()] += 1
    del found[""]
    return found


def texts_in(values):
    """Count the texts in the columns of a frame, a list or a record of a list."""
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, list):
        return sum(map(texts_in, values), Counter())
    return Counter([values.strip()] if isinstance(values, str) and values.strip() else [])


@given(pages=PAGES)
def test_parser_finds_each_text_and_attribute_again(read, pages):
    pages = documents([*pages, *pages])  # unknown the first time, known the second
    assert texts_in(read(*pages).to_dict("list")) == sum(map(texts_of, pages), Counter())


@pytest.mark.parametrize(("folder", "records"), [("pages", 313), ("projects", 49)])
def test_parser_finds_every_text_of_real_pages(folder, records, shared):
    """Numbers and times are counted: they are written in other ways than they came."""
    files = sorted((shared / "real" / folder).glob("*.xml"))
    frame = dirframe.read_pages(files)
    assert len(frame) == records
    expected = sum(map(texts_of, map(Path.read_bytes, files)), Counter())
    texts = frame.select_dtypes(["str", "object"])
    found, numbers = texts_in(texts.to_dict("list")), frame.drop(columns=list(texts))
    assert found <= expected
    assert (expected - found).total() == numbers.count().sum() > 10 * records


@given(record=RECORDS, seed=st.integers(0, 999))
def test_parser_values_do_not_depend_on_the_order_of_elements(read, record, seed):
    names = [name for name, *_ in record]
    assume(len(set(names)) == len(names))
    shuffled = Random(seed).sample(record, len(record))
    one, other = (read(*documents([[elements]])) for elements in (record, shuffled))
    pd.testing.assert_frame_equal(other[list(one)], one)


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
    for xml, expected in cases.items():
        # Alone, and where everything is known from before.
        alone, known = row(read(xml)), row(read(xml.replace("1", "9", 1), xml), -1)
        if alone != expected or (known != expected and 'id="1"' not in xml):
            failures.append((xml, alone, known))
    assert not failures


def test_parser_leaves_comments_and_namespaces_out_and_texts_right(read):
    content = around(
        "<project><!-- <id>0</id> --><id>1</id><?php echo 1 ?>"
        "<name>a<!-- no -->b<![CDATA[ <c> & ]]>d<?x y?>e</name></project>"
    )
    assert row(read(content)) == {"id": "1", "name": "ab <c> & de"}
    content = (
        b'<r:response xmlns:r="urn:r" xmlns="urn:d"><r:status>success</r:status><r:result>'
        b'<project r:key="k"><id>1</id></project></r:result></r:response>'
    )
    assert row(read(content.replace(b"<id>1", b"<id>0"), content), -1) == {"key": "k", "id": "1"}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16", "utf-16-le", "utf-32", "iso-8859-1", "windows-1252", "us-ascii"]
)
def test_parser_reads_the_encoding_that_is_declared(read, encoding):
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><response><status>success</status><result>'
        '<project><id>1</id><name lang="de">Größe</name></project></result></response>'
    )
    try:
        frame = read(text.encode(encoding, "xmlcharrefreplace"))
    except InvalidInputError:
        assert encoding in ("utf-16-le", "utf-32")  # may be refused, never misread
    else:
        assert (frame["name"].tolist(), frame["name_lang"].tolist()) == (["Größe"], ["de"])
    assert len(read("\ufeff".encode() + around(ONE))) == 1


def test_parser_finds_the_result_where_it_is(read):
    """Results, records and tags that only look like it in comments, text and attributes."""
    two = "<project><id>1</id></project><project><id>2</id></project>"
    status = "<status>success</status>"
    contents = [
        f"<?note <result> ?><response>{status}<!-- <result> --><result>{two}</result></response>",
        f"<response><result>{two}<!-- </result><result> --></result>{status}</response>",
        f"<response><x><![CDATA[<result>]]></x>{status}<result >{two}</result ></response>",
        f"<response xmlns='u'>{status}<result>\r\n{two}\r text</result></response>",
        f"<result>{two}</result>",
    ]
    assert not [c for c in contents if read(c.encode())["id"].tolist() != ["1", "2"]]


SECRET = "s3cret"
LOGIN = f"<username>{SECRET}</username><password>{SECRET}</password>"
TOKENS = f"<token>{SECRET}</token>"
#: Records with logins and secrets, and what else they hold.
SECRETS = {
    "a repository": (
        f"<enlistment><id>1</id><code_location>{LOGIN}<url>h</url></code_location></enlistment>",
        {"id": "1", "code_location_url": "h"},
    ),
    "attributes": (
        f"<thing password='{SECRET}'><id>1</id><a api_key='{SECRET}' b='c'/></thing>",
        {"id": "1", "a_b": "c"},
    ),
    "another case, separator or namespace": (
        (
            f"<thing><id>1</id><PassWord>{SECRET}</PassWord><user_name>Ada</user_name>"
            f"<svn-password>{SECRET}</svn-password><userName>{SECRET}</userName>"
            f'<k:password xmlns:k="urn:k" k:Api.Key="{SECRET}">{SECRET}</k:password></thing>'
        ),
        {"id": "1", "user_name": "Ada"},
    ),
    "any depth": (
        f"<thing><id>1</id><a><b><c>{LOGIN}</c></b><d>2</d></a></thing>",
        {"id": "1", "a_d": 2},
    ),
    "below a secret": (
        f"<thing><id>1</id><credentials><user>{SECRET}</user></credentials></thing>",
        {"id": "1"},
    ),
    "repeated": (f"<thing><id>1</id>{LOGIN}{LOGIN}{TOKENS}</thing>", {"id": "1"}),
    "lists": (
        f"<thing><id>1</id><list>{TOKENS}{TOKENS}</list><passwords>{TOKENS}</passwords></thing>",
        {"id": "1"},
    ),
    "entries of a list": (
        (
            f"<thing><id>1</id><places><place password='{SECRET}'>a</place><place>{LOGIN}<id>2</id>"
            f"</place><place password='{SECRET}'><secret>{SECRET}</secret></place></places></thing>"
        ),
        {"id": "1", "places": [{"place": "a"}, {"id": "2"}, {}]},
    ),
    "a list of the schema": (
        (
            f"<project><id>1</id><tags>{TOKENS}<tag>a</tag></tags><licenses><license>"
            f"<name>m</name><secret>{SECRET}</secret></license></licenses></project>"
        ),
        {"id": "1", "tags": ["a"], "licenses": [{"name": "m"}]},
    ),
    "addresses": (
        (
            f"<thing><id>1</id><url>https://{SECRET}:{SECRET}@h/x@y</url>"
            f"<a_url>ssh://git:{SECRET}@h/x</a_url><b_url>:pserver:anonymous:{SECRET}@h:/x</b_url>"
            f"<urls><url>svn://{SECRET}@h</url><url>git@h:x</url></urls>"
            f"<c><d url='http://{SECRET}@h'/><d><url>svn+ssh://ada:{SECRET}@h</url></d></c></thing>"
        ),
        {
            "id": "1",
            "url": "https://h/x@y",
            "a_url": "ssh://git@h/x",
            "b_url": ":pserver:anonymous@h:/x",
            "urls": ["svn://h", "git@h:x"],
            "c": [{"url": "http://h"}, {"url": "svn+ssh://ada@h"}],
        },
    ),
}


@pytest.mark.parametrize("place", SECRETS)
def test_parser_leaves_secrets_out(place, read):
    xml, expected = SECRETS[place]
    frame = read(xml, xml.replace("<id>1<", "<id>2<"))
    assert [row(frame, 0), row(frame, 1)] == [expected, expected | {"id": "2"}]
    assert SECRET not in repr(frame.to_dict("list")) + repr(list(frame))


def test_secrets_are_in_no_frame_archive_frame_or_export(serve, connect, tmp_path):
    inner = f"<code_location>{LOGIN}<url>h</url></code_location>"
    pages = {
        f"/{name}.xml": page_xml([record(n, kind, inner) for n in range(3)], available=3, first=0)
        for name, kind in (("projects", "project"), ("projects/1/enlistments", "enlistment"))
    }
    directory = connect(serve(lambda asked: pages[asked.path]))
    loaded = dirframe.load("/projects/1/enlistments.xml", directory=directory, progress=False)
    archive = tmp_path / "kept.archive"
    dirframe.harvest("projects", archive, directory=directory)
    kept = dirframe.open_archive(archive).frame()
    assert loaded["code_location_url"].tolist() == kept["code_location_url"].tolist() == ["h"] * 3
    logins = {"code_location_password", "code_location_username"}
    assert (logins & {*loaded}, logins & {*kept}) == (set(), set())
    words = (b"s3cret", b"password", b"username")
    exported = {}
    for name in ("a.csv", "a.json", "a.parquet"):
        dirframe.export(loaded, tmp_path / name)
        content = (tmp_path / name).read_bytes()
        exported[name] = [word for word in words if word in content]
    assert exported == {"a.csv": [], "a.json": [], "a.parquet": []}


@pytest.mark.parametrize(
    ("mark", "is_synthetic"),
    [
        ("<!-- dirframe --><?dirframe-synthetic seed='1'?>", True),
        ("<!-- dirframe-synthetic -->", False),
    ],
    ids=["mark", "comment"],
)
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "iso-8859-1"]
)
def test_parser_knows_generated_data_by_its_mark_in_every_encoding(
    encoding, mark, is_synthetic, read
):
    xml = f'<?xml version="1.0" encoding="{encoding}"?>{mark}{around(ONE).decode()}'
    frame = read(xml.encode(encoding))
    assert frame.attrs["dirframe"]["synthetic"] is is_synthetic


def test_parser_reads_texts_of_any_size_below_the_limit(read):
    text = "x" * 11_000_000
    frame = read(around(f"<project><id>1</id><name>{text}</name></project>"))
    assert frame["name"].tolist() == [text]
    dtd = f"{DTD(LAUGHS)}{around('<project a=&quot;&l9;&quot;/>').decode()}".replace("&quot;", "'")
    with pytest.raises(InvalidInputError):
        read(dtd.encode() + b" " * 11_000_000)
    deep = f"<project><id>1</id>{'<a>' * 300}{text}{'</a>' * 300}</project>"
    with pytest.raises(InvalidInputError):
        read(around(deep))


def test_parser_knows_generated_data_by_its_mark(read):
    head = b'<?xml version="1.0"?>\n<?dirframe-synthetic seed="1"?>\n'
    marked = read(head + around(ONE))
    assert marked.attrs["dirframe"]["synthetic"] is True
    pretended = "<project><id>1</id><name>&lt;?dirframe-synthetic?></name></project>"
    assert read(around(pretended)).attrs["dirframe"]["synthetic"] is False


REFUSED = {
    "html": (b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "HTML"),
    "html below a prolog": (b"<!-- <x> --> <?page <y> ?>\n<html>&nbsp;", "HTML"),
    "html in a prolog alone": (b"<!-- <!DOCTYPE html> -->\n<?page <html> ?><response>", "XML"),
    "json": (b'\n {"status": "success"}', "JSON"),
    "blanks": (b"\xef\xbb\xbf \n\t ", "empty"),
    "plain text": (b"Bad Gateway", "not XML"),
    "gzip": (b"\x1f\x8b\x08\x00abc", "gzip"),
    "zip": (b"PK\x03\x04abc", "ZIP"),
    "another root": (b"<feed><entry/></feed>", "<feed>"),
    "an encoding that it is not in": (around("<project><id>Größe</id></project>").replace(b"\xc3", b""), "XML"),
    "an unknown encoding": (b'<?xml version="1.0" encoding="klingon"?>' + around(ONE), "XML"),
    "text behind the end": (around(ONE) + b"more", "XML"),
    "a half": (around(ONE)[:60], "XML"),
    "an unknown entity": (around("<project><id>&nbsp;</id></project>"), "XML"),
    "a doctype": (DTD("").encode() + around(ONE), "DOCTYPE"),
    "a billion laughs": (DTD(LAUGHS).encode() + around("<project a='&l9;'>&l9;</project>"), "DOCTYPE"),
    "deep nesting": (around("<project>" + "<a>" * 5000 + "</a>" * 5000 + "</project>"), "XML"),
    "two results": (around(f"{ONE}</result><result>"), "result"),
    "records of several kinds": (around(ONE + "<account><id>3</id></account><thing/>"), "<account>"),
    "a failure": ((XML / "failed.xml").read_bytes(), "failure"),
}  # fmt: skip


def test_parser_refuses_what_is_no_page_and_names_it(read):
    first = around(ONE.replace("1", "0"))
    errors = {name: raised(read, first, content) for name, (content, _) in REFUSED.items()}
    kinds = {name: type(error) for name, error in errors.items()}
    assert kinds == dict.fromkeys(REFUSED, InvalidInputError)
    files = {name: Path(error.source).name for name, error in errors.items()}
    assert files == dict.fromkeys(REFUSED, "0001.xml")
    found = {}
    for name, (_, what) in REFUSED.items():
        found[name] = what if what in errors[name].found else errors[name].found
    assert found == {name: what for name, (_, what) in REFUSED.items()}


def numbered(count, template):
    return "".join(template.format(number) for number in range(count))


#: Records of many parts, by how many there are.
MANY = {
    "elements": lambda n: f"<thing>{numbered(n, '<a{0}>x</a{0}>')}</thing>",
    "elements of as many records": lambda n: numbered(n, "<thing><a{0}>x</a{0}></thing>"),
    "attributes": lambda n: f"<thing{numbered(n, ' a{0}=&quot;&quot;').replace('&quot;', chr(34))}/>",
    "attributes of as many records": lambda n: numbered(n, "<thing a{0}='x'/>"),
    "nested siblings": lambda n: f"<thing>{numbered(n, '<a{0}><b>x</b></a{0}>')}</thing>",
    "fields of entries": lambda n: f"<thing><l>{numbered(n, '<e><f{0}>x</f{0}></e>')}</l></thing>",
    "fields of an entry": lambda n: f"<thing><l><e>{numbered(n, '<f{0}>x</f{0}>')}</e></l></thing>",
    "attributes of entries": lambda n: f"<thing><l>{numbered(n, '<e f{0}=&quot;&quot;/>')}</l></thing>".replace("&quot;", "'"),
    "fields of lists in entries": lambda n: (
        f"<thing><l>{numbered(n, '<e><m><x><f{0}>1</f{0}></x><x/></m></e>')}</l></thing>"
    ),
    "repeated elements": lambda n: f"<thing><id>1</id>{'<a>x</a>' * n}</thing>",
    "repeated nested elements": lambda n: f"<thing><id>1</id>{'<a><b>x</b></a>' * n}</thing>",
    "repeated containers": lambda n: f"<project>{'<tags><tag>x</tag></tags>' * n}</project>",
    "repeated fields of an entry": lambda n: f"<thing><l><e>{'<f>x</f>' * n}</e><e/></l></thing>",
    "entries": lambda n: f"<project><tags>{'<tag>x</tag>' * n}</tags></project>",
    "namespaces": lambda n: f"<thing>{numbered(n, '<n:a xmlns:n=&quot;u{0}&quot;>x</n:a>')}</thing>".replace("&quot;", "'"),
    "records": lambda n: "<thing><id>1</id></thing>" * n,
}  # fmt: skip


def calls_of(function):
    """Return how many functions of Python and C a function calls, and those call."""
    count = 0

    def note(_, event, __):
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def read_parts(parts, number, folder):
    """Read a page with a number of parts, or see it refused."""
    page = folder / f"{number:06}.xml"
    page.write_bytes(around(MANY[parts](number)))
    with suppress(InvalidInputError):
        dirframe.read_pages(page)


@pytest.mark.parametrize("parts", slow_except(MANY, [*MANY][::4]))
def test_parser_work_grows_with_the_size_of_a_page(parts, tmp_path):
    """A page of eight times the size needs eight times as many calls; quadratic work needs 64 times."""
    read_parts(parts, 10, tmp_path)  # what is done once
    few, many = (calls_of(lambda n=n: read_parts(parts, n, tmp_path)) for n in (125, 1_000))
    assert many < 12 * few


#: What may stand before the root, by the number of its parts.
PROLOGS = {
    "processing instructions": lambda n: "<?abc d?>" * n,
    "processing instructions, damaged": lambda n: f"{'<?abc d?>' * n}<&",
    "attributes of a DTD": lambda n: f"<!DOCTYPE r [{numbered(n // 4, '<!ATTLIST p a{0} CDATA #IMPLIED>')}]>",
}  # fmt: skip


@pytest.mark.parametrize("prolog", PROLOGS)
def test_parser_work_grows_with_the_size_of_a_prolog(prolog, tmp_path):
    """The parser's own time: a prolog takes about that of as many comments, not their square."""
    seconds = {}
    for name, text in (("comments", "<!--abcd-->" * 30_000), (prolog, PROLOGS[prolog](30_000))):
        page = tmp_path / f"{len(seconds)}.xml"
        page.write_bytes(text.encode() + around("<thing><id>1</id></thing>"))
        begin = process_time()
        with suppress(InvalidInputError):
            dirframe.read_pages(page)
        seconds[name] = process_time() - begin
    assert seconds[prolog] < 20 * seconds["comments"]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ("elements", "5,000 different elements and attributes"),
        ("attributes", "XML with an element of 5,000 attributes"),
        ("fields of entries", "5,002 different elements and attributes"),
        ("attributes of entries", "5,002 different elements and attributes"),
    ],
)
def test_parser_refuses_more_parts_than_it_reads_and_names_the_number(parts, found, read):
    assert len(read(around(MANY[parts](900)))) == 1
    with pytest.raises(InvalidInputError) as caught:
        read(around(MANY[parts](5_000)))
    assert caught.value.found == found


@given(data=st.data())
def test_parser_of_a_damaged_page_reads_it_or_refuses_it(read, data):
    content, others = bytearray((XML / "accounts-page.xml").read_bytes()), data.draw(st.binary())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    too_many = []
    for body in (bytes(content), others, b"<response>" + others, around(ONE) + others):
        with warnings.catch_warnings(), suppress(InvalidInputError):
            warnings.simplefilter("ignore", DirframeWarning)
            if len(read(body)) > 3:
                too_many.append(body)
    assert too_many == []


def test_parser_opens_no_file_and_no_connection(read, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    errors, included = {}, {}
    with Trap() as trap:
        for place in (f"http://127.0.0.1:{trap.port}/x", secret.as_uri()):
            for dtd in (
                f'<!DOCTYPE response SYSTEM "{place}">',
                DTD(f'<!ENTITY a SYSTEM "{place}">'),
                DTD(f'<!ENTITY % p SYSTEM "{place}"> %p; <!ENTITY a "b">'),
            ):
                content = dtd.encode() + around("<project><id>&a;</id></project>")
                errors[dtd] = raised(read, content)
            include = f'<i:include xmlns:i="http://www.w3.org/2001/XInclude" href="{place}"/>'
            frame = read(around(f"<project><id>1</id><name>{include}</name></project>"))
            included[place] = str(row(frame))
        with socket.create_connection((trap.host, trap.port)):
            while not trap.connections:  # it takes those before first
                sleep(0.002)
        assert trap.connections == 1
    kinds = {dtd: type(error) for dtd, error in errors.items()}
    assert kinds == dict.fromkeys(errors, InvalidInputError)
    assert len(kinds) == 6
    assert [dtd for dtd, error in errors.items() if "SECRET" in str(error)] == []
    assert [place for place, text in included.items() if "SECRET" in text] == []

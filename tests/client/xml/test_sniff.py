"""What came instead of the interface's XML, in words."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from contextlib import suppress
from pathlib import Path as File

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.client.xml.parser import PageParser
from dirframe.client.xml.records import RecordReader
from dirframe.client.xml.sniff import raise_unreadable, sniff_content
from dirframe.errors import UnreadableResponseError
from tests.client.xml.trees import around

XML = File(__file__).parents[2] / "xml"
CUT_OFF = "XML that is cut off, damaged or in another encoding than it says"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "an empty document"),
        (b"\xef\xbb\xbf \r\n", "an empty document"),
        (b'\n {"a": 1}', "JSON"),
        (b"[]", "JSON"),
        (b"\x1f\x8b\x08", "gzip data that was not unpacked"),
        (b"<!DOCTYPE HTML PUBLIC '-//W3C'><HTML>", "an HTML page"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html/>", "an HTML page"),
        (b"<!doctype response []><response/>", "a document with a DOCTYPE"),
        (b"<?xml version='1.0'?><resp", "XML that is cut off"),
        (b"<error><mess", "XML that is cut off"),
        (b"Service Unavailable", "something that is not XML"),
        (b"%PDF-1.7", "a PDF document"),
    ],
)
def test_a_document_is_named_by_what_it_looks_like(content: bytes, words: str) -> None:
    assert sniff_content(content).startswith(words)


@given(st.binary(max_size=100))
def test_every_document_has_a_name(content: bytes) -> None:
    assert sniff_content(content)


def test_a_refusal_names_the_source_what_came_and_what_to_do() -> None:
    with pytest.raises(UnreadableResponseError) as caught:
        raise_unreadable("JSON", "http://d.example/p.xml", reason="line 1")
    message = str(caught.value)
    assert message.startswith("http://d.example/p.xml is JSON (line 1)")
    assert "ends in .xml" in message
    assert (caught.value.found, caught.value.source) == ("JSON", "http://d.example/p.xml")


DTD = "<!DOCTYPE response [{}]>"
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))

REFUSED = {
    "html": (b"<!DOCTYPE html><html><body>Down for maintenance</body></html>", "HTML"),
    "html without a doctype": (b"<html><head><title>x</title></head></html>", "HTML"),
    "html that is well-formed": (b"<html/>", "HTML"),
    "json": (b'{"status": "success"}', "JSON"),
    "a json list": (b"[1, 2]", "JSON"),
    "nothing": (b"", "empty"),
    "blanks": (b" \n\t ", "empty"),
    "plain text": (b"Bad Gateway", "not XML"),
    "gzip": (b"\x1f\x8b\x08\x00abc", "gzip"),
    "zip": (b"PK\x03\x04abc", "ZIP"),
    "zstandard": (b"\x28\xb5\x2f\xfd123", "Zstandard"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "PNG"),
    "zeros": (b"\0" * 100, ""),
    "zeros inside": (around("<project><id>1\0</id></project>"), "damaged"),
    "control characters": (around("<project><id>1\x01</id></project>"), "damaged"),
    "another root": (b"<feed><entry/></feed>", "<feed>"),
    "wrong encoding": (
        b'<?xml version="1.0" encoding="UTF-8"?><response><name>Gr\xf6\xdfe</name></response>',
        "encoding",
    ),
    "unknown encoding": (
        b'<?xml version="1.0" encoding="klingon"?><response><status>success</status></response>',
        "encoding",
    ),
    "text behind the end": (around("") + b"more", "damaged"),
    "two documents": (around("") * 2, "damaged"),
    "a doctype": (DTD.format("").encode() + around(""), "DOCTYPE"),
    "a doctype elsewhere": (
        b'<!DOCTYPE response SYSTEM "http://127.0.0.1:9/x.dtd">' + around(""),
        "DOCTYPE",
    ),
    "an internal entity": (
        DTD.format('<!ENTITY a "b">').encode() + around("<project><id>&a;</id></project>"),
        "DOCTYPE",
    ),
    "an unknown entity": (around("<project><id>&nbsp;</id></project>"), "damaged"),
    "an external file": (
        DTD.format('<!ENTITY a SYSTEM "file:///etc/passwd">').encode()
        + around("<project><id>&a;</id></project>"),
        "DOCTYPE",
    ),
    "a parameter entity": (
        DTD.format('<!ENTITY % a SYSTEM "http://127.0.0.1:9/a"> %a;').encode()
        + around("<project><id>1</id></project>"),
        "DOCTYPE",
    ),
    "a billion laughs": (
        DTD.format('<!ENTITY l0 "ha">' + LAUGHS).encode()
        + around("<project><id>&l9;</id></project>"),
        "DOCTYPE",
    ),
    "a billion laughs in an attribute": (
        DTD.format('<!ENTITY l0 "ha">' + LAUGHS).encode()
        + around('<project><id a="&l9;">1</id></project>'),
        "DOCTYPE",
    ),
    "quadratic blow-up": (
        DTD.format(f'<!ENTITY a "{"a" * 50_000}">').encode()
        + around(f"<project><id>{'&a;' * 50_000}</id></project>"),
        "DOCTYPE",
    ),
    "an attribute by default": (
        DTD.format('<!ATTLIST project a CDATA "x">').encode() + around("<project/>"),
        "DOCTYPE",
    ),
    "deep nesting": (around("<project>" + "<a>" * 5000 + "</a>" * 5000 + "</project>"), "damaged"),
    "a huge attribute": (around(f'<project a="{"x" * 11_000_000}"/>'), "damaged"),
    "a huge text": (around(f"<project><a>{'x' * 11_000_000}</a></project>"), "damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_anything_else_is_refused_in_words_that_say_what_came(name: str) -> None:
    content, words = REFUSED[name]
    reader = RecordReader()
    with pytest.raises(UnreadableResponseError) as caught:
        reader.read(content, source="http://d.example/projects.xml")
    assert words in str(caught.value)
    assert "http://d.example/projects.xml" in str(caught.value)
    assert len(str(caught.value)) < 700
    assert caught.value.found
    assert reader.rows == 0
    # The same reader goes on reading.
    assert reader.read(around("<project><id>1</id></project>")).records == 1


def test_a_document_cut_off_at_any_byte_is_refused() -> None:
    content = (XML / "projects-page.xml").read_bytes().rstrip()
    reader = RecordReader()
    for end in range(len(content)):
        with pytest.raises(UnreadableResponseError):
            reader.read(content[:end])
    assert reader.rows == 0
    assert reader.read(content).records == 2


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_anything_but_a_refusal(content: bytes) -> None:
    for body in (content, b"<response>" + content, around("") + content):
        with suppress(UnreadableResponseError):
            RecordReader().read(body)


@settings(max_examples=200)
@given(st.data())
def test_a_damaged_page_is_refused_or_read_but_never_fails_otherwise(data: st.DataObject) -> None:
    content = bytearray((XML / "accounts-page.xml").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    reader = RecordReader()
    try:
        envelope = reader.read(bytes(content))
    except UnreadableResponseError:
        assert reader.rows == 0
    else:
        assert reader.rows == envelope.records


def test_a_page_longer_than_allowed_is_refused_before_it_is_parsed() -> None:
    content = around("<project><id>1</id></project>")
    assert PageParser(max_bytes=len(content)).parse(content).envelope.records == 1
    with pytest.raises(UnreadableResponseError, match="more than the"):
        PageParser(max_bytes=len(content) - 1).parse(content)


def run_bounded(script: str, *, megabytes: int) -> str:
    """Run a script in a process that may not use more memory than the interpreter and so much."""
    whole = textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", whole, str(megabytes)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="measures memory by Linux's own counters")
def test_no_bomb_uses_more_memory_than_ten_times_the_document() -> None:
    out = run_bounded(
        """
        import resource, sys
        from dirframe.client.xml.records import RecordReader
        from dirframe.errors import UnreadableResponseError
        from tests.client.xml.test_sniff import REFUSED

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

        for name in ("a billion laughs", "a billion laughs in an attribute",
                     "quadratic blow-up", "deep nesting", "a parameter entity"):
            before = peak()
            try:
                RecordReader().read(REFUSED[name][0])
            except UnreadableResponseError:
                pass
            else:
                raise SystemExit(f"{name} was read")
            assert peak() - before < int(sys.argv[1]), (name, peak() - before)

        before = peak()
        content = b"<response>" + b"<a/>" * (25 * 1024 * 1024) + b"</response>"
        size = len(content) // 2**20
        assert size >= 100
        after = peak()
        try:
            RecordReader().read(content)
        except UnreadableResponseError as error:
            print(error.found)
        assert peak() - after < 2
        """,
        megabytes=40,
    )
    assert "more than the 67,108,864 allowed" in out


@pytest.mark.skipif(sys.platform != "linux", reason="audit events name the files of /proc alike")
def test_no_document_makes_the_reader_open_a_file_or_a_connection(tmp_path: File) -> None:
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    run_bounded(
        f"""
        import socket, sys, threading
        from dirframe.client.xml.records import RecordReader
        from dirframe.errors import UnreadableResponseError

        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(0.5)
        came = []
        def accept():
            try:
                came.append(listener.accept())
            except TimeoutError:
                pass
        thread = threading.Thread(target=accept)
        thread.start()
        http = f"http://127.0.0.1:{{listener.getsockname()[1]}}/x"
        file = {secret.as_uri()!r}
        body = "<response><status>&a;</status></response>"
        for place in (http, file):
            for dtd in (
                f'<!DOCTYPE response SYSTEM "{{place}}">',
                f'<!DOCTYPE response [<!ENTITY a SYSTEM "{{place}}">]>',
                f'<!DOCTYPE response [<!ENTITY % p SYSTEM "{{place}}"> %p; <!ENTITY a "b">]>',
            ):
                try:
                    print(RecordReader().read((dtd + body).encode()))
                except UnreadableResponseError as error:
                    assert "SECRET" not in str(error), error
                else:
                    raise SystemExit("read: " + dtd)
            include = (f'<response xmlns:xi="http://www.w3.org/2001/XInclude"><status>success'
                       f'</status><result><project><id><xi:include href="{{place}}" parse="text"/>'
                       f'</id></project></result></response>')
            reader = RecordReader()
            reader.read(include.encode())
            assert "SECRET" not in repr(reader.pop_columns())
        thread.join()
        assert not came, "it asked the network"
        """,
        megabytes=0,
    )


DIALECTS = sorted(XML.glob("*.xml"))
SAMPLES = sorted((File(__file__).parents[4] / "shared" / "samples").glob("*.xml"))


@pytest.mark.parametrize("path", DIALECTS, ids=lambda path: path.name)
def test_no_beginning_of_a_response_is_called_a_web_page(path: File) -> None:
    content = path.read_bytes()
    named = {sniff_content(content[:end]) for end in range(1, len(content))}
    assert named <= {"an empty document", CUT_OFF}


@pytest.mark.skipif(not SAMPLES, reason="recorded answers are not beside this checkout")
def test_no_beginning_of_a_recorded_response_is_called_a_web_page() -> None:
    for path in SAMPLES:
        content = path.read_bytes()
        named = {sniff_content(content[:end]) for end in range(1, len(content), 7)}
        assert named <= {"an empty document", CUT_OFF}, path.name


PROLOGS = st.lists(
    st.sampled_from(
        ["<!-- <html> <!DOCTYPE html> -->", "<?page <html> ?>", "\n", " ", "<!-- {} -->"]
    ),
    max_size=4,
).map("".join)


@given(prolog=PROLOGS, text=st.sampled_from(["<html>", "&lt;html&gt;", "<html_url>", "x"]))
def test_what_a_document_is_stands_in_its_root_whatever_comes_before_and_inside(
    prolog: str, text: str
) -> None:
    response = f'<?xml version="1.0"?>{prolog}<response><html_url>{text}'.encode()
    assert {sniff_content(response[:end]) for end in range(1, len(response) + 1)} == {CUT_OFF}
    assert sniff_content(f"{prolog}<html>{text}".encode()) == "an HTML page"
    assert sniff_content(f"{prolog}<!DOCTYPE html>{text}".encode()) == "an HTML page"
    assert sniff_content(f"{prolog}<!DOCTYPE response>{text}".encode()).startswith(
        "a document with a"
    )

"""What can go wrong with a response: each fault takes an exchange and sends something else."""

import gzip
import zlib
from email.utils import formatdate
from functools import cache
from time import time
from urllib.parse import quote_plus
from xml.sax.saxutils import escape

_STEP = 0.02


def late(seconds):
    """Send the right answer after a while."""

    def fault(exchange):
        exchange.closing.wait(seconds)
        exchange.answer()

    return fault


def reset_before(exchange):
    exchange.reset()


def reset_in_headers(exchange):
    exchange.send(exchange.head()[:40])
    exchange.reset()


def closed_in_headers(exchange):
    exchange.send(exchange.head(X_Filler="x" * 100)[:-50])
    exchange.end()


def reset_in_body(exchange):
    half = exchange.body[: len(exchange.body) // 2]
    exchange.send(exchange.head(Content_Length=str(len(exchange.body))) + half)
    exchange.reset()


def cut_short(exchange):
    """Send half of the body and the length of the whole."""
    half = exchange.body[: len(exchange.body) // 2]
    exchange.send(exchange.head(Content_Length=str(len(exchange.body))) + half)
    exchange.end()


def cut_with_its_length(exchange):
    """Send half of the body and its length: only the XML tells."""
    exchange.body = exchange.body[: len(exchange.body) // 2]
    exchange.answer()


def cut_without_length(exchange):
    """Send half of the body and no length: the end of the connection ends it."""
    exchange.send(exchange.head() + exchange.body[: len(exchange.body) // 2])
    exchange.end()


def length_too_small(exchange):
    exchange.answer(Content_Length=str(len(exchange.body) - 30))


def two_lengths(exchange):
    exchange.answer(Content_Length=f"{len(exchange.body)}, 5")


def chunked(body):
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def chunked_garbage(exchange):
    exchange.send(exchange.head(Transfer_Encoding="chunked") + b"zz\r\n" + exchange.body)
    exchange.end()


def chunks_that_stop(exchange):
    size = f"{len(exchange.body):x}\r\n".encode()
    exchange.send(exchange.head(Transfer_Encoding="chunked") + size + exchange.body + b"\r\n")
    exchange.end()


def not_gzip(exchange):
    exchange.answer(Content_Encoding="gzip")


def gzip_cut(exchange):
    exchange.body = gzip.compress(exchange.body)[:-40]
    exchange.answer(Content_Encoding="gzip")


@cache
def _bomb():
    packer = zlib.compressobj(9, wbits=31)
    blanks = b" " * 2**20
    return b"".join(packer.compress(blanks) for _ in range(64)) + packer.flush()


def gzip_bomb(exchange):
    """Send 64 KiB that unpack to 64 MiB."""
    exchange.body = _bomb()
    exchange.answer(Content_Encoding="gzip")


def other_encoding_than_said(exchange):
    exchange.body = exchange.body.replace(b"<name>", b"<name>\xff\xfe\xe9", 1)
    exchange.answer()


def utf_16_said_to_be_utf_8(exchange):
    exchange.body = exchange.body.decode().encode("utf-16-le")
    exchange.answer()


def not_http(exchange):
    exchange.send(f"SSH-2.0 {exchange.request.target}\r\n".encode())
    exchange.end()


def broken_header_line(exchange):
    """Send the right answer with a line among its headers that is none."""
    head = exchange.head(Content_Length=str(len(exchange.body)), Connection="close")
    exchange.send(
        head.replace(b"\r\n", b"\r\nno header %b\r\n" % exchange.request.target.encode(), 1)
        + exchange.body
    )
    exchange.end()


def endless(exchange):
    exchange.send(exchange.head() + b"<response>")
    while not exchange.closing.is_set():
        exchange.send(b" " * 65_536)


def endless_headers(exchange):
    exchange.send(exchange.head()[:-2])
    while not exchange.closing.is_set():
        exchange.send(b"X-More: and more\r\n" * 20)


def drip_headers(exchange):
    """Send a byte of the headers now and then, so that no single reading times out."""
    for byte in exchange.head(X_Filler="x" * 5_000):
        exchange.send(bytes([byte]))
        if exchange.closing.wait(_STEP):
            return


def drip_body(exchange):
    exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
    for byte in exchange.body:
        exchange.send(bytes([byte]))
        if exchange.closing.wait(_STEP):
            return


def silence(exchange):
    exchange.closing.wait(30)


def answers(body, status=200, **headers):
    """Send another answer, whole and with the right length."""

    def fault(exchange):
        text = body(exchange) if callable(body) else body
        exchange.body = text if isinstance(text, bytes) else text.encode()
        exchange.status = status
        exchange.answer(**{"Content_Type": "application/xml"} | headers)

    return fault


def fails(text, status=200, **headers):
    """Send the specification's failure."""
    envelope = f"<response><status>failed</status><error>{escape(text)}</error></response>"
    return answers(envelope, status, **headers)


def fails_today(text, status, **headers):
    """Send a failure in the words of today's live service."""
    return answers(f"<error><message>{escape(text)}</message></error>", status, **headers)


def redirects(location, status=302):
    def fault(exchange):
        to = location(exchange) if callable(location) else location
        exchange.status, exchange.body = status, b""
        exchange.answer(Location=to)

    return fault


def rewrites(change):
    """Send the right answer, a little changed."""

    def fault(exchange):
        exchange.body = change(exchange.body)
        exchange.answer()

    return fault


def _repeated(exchange):
    """Say again what was requested: the whole address, and the key in several spellings."""
    key = exchange.request.query.get("api_key", "")
    return escape(f"{exchange.request.target} {key} {quote_plus(key)} {escape(key)}")


def _repeats_in_failure(exchange):
    return f"<response><status>failed</status><error>{_repeated(exchange)}</error></response>"


def _repeats_in_names(exchange):
    said = _repeated(exchange).encode()
    exchange.body = exchange.body.replace(b"<name>", b"<name>%b " % said)
    exchange.answer()


def _leads_away(exchange):
    return f"http://127.0.0.2:1/?next={quote_plus(exchange.request.target)}"


def _leads_around(exchange):
    request = exchange.request
    return f"{request.path}?page={request.page}&next={quote_plus(request.target)}#{request.target}"


HTML = "<!DOCTYPE html><html><body>We are down for maintenance.</body></html>"


def date_in(seconds):
    return formatdate(time() + seconds, usegmt=True)


#: The connection fails: a further try may succeed.
INTERRUPTED = {
    "reset before": reset_before,
    "reset in headers": reset_in_headers,
    "not HTTP": not_http,
    "502": answers("bad gateway", 502),
    "503 with HTML": answers(HTML, 503),
    "503 with Retry-After": fails("busy", 503, Retry_After="0"),
    "503 with a date": fails("busy", 503, Retry_After=date_in(-10)),
    "503 with nonsense": fails("busy", 503, Retry_After="soon"),
    "504": answers("", 504),
}

#: The answer arrives damaged, and nothing of it may be believed.
DAMAGED = {
    "closed in headers": closed_in_headers,
    "reset in body": reset_in_body,
    "cut short": cut_short,
    "cut with its length": cut_with_its_length,
    "cut without length": cut_without_length,
    "length too small": length_too_small,
    "two lengths": two_lengths,
    "chunked garbage": chunked_garbage,
    "chunks that stop": chunks_that_stop,
    "not gzip": not_gzip,
    "gzip cut": gzip_cut,
    "gzip bomb": gzip_bomb,
    "other encoding than said": other_encoding_than_said,
    "HTML with 200": answers(HTML, Content_Type="text/html"),
    "JSON with 200": answers('{"status": "success"}'),
    "nothing with 200": answers(""),
    "nothing with 204": answers("", 204),
    "a DOCTYPE": answers('<!DOCTYPE r [<!ENTITY a "b">]><response><status>&a;</status></response>'),
    "endless": endless,
    "endless headers": endless_headers,
}

#: The answer takes too long.
SLOW = {
    "drip headers": drip_headers,
    "drip body": drip_body,
    "silence": silence,
}

#: The directory refuses.
REFUSALS = {
    "failed with 200": fails("This project was deleted by its manager."),
    "failed with 200, for whatever reason": fails("Something is wrong."),
    "400 for a bad key, today": fails_today("api_key: invalid", 400),
    "401 for a bad key": fails("unauthorized", 401),
    "401 over the limit, today": fails_today(
        "This api_key has exceeded the limit of 1000 requests per day.", 401
    ),
    "403": fails("A valid api_key is required to access this URL.", 403),
    "404": fails_today("404 - Not Found", 404, Content_Type="text/html"),
    "400 of another kind": fails("page is not a number", 400),
    "429": fails("over the limit", 429),
    "429 with seconds": fails("over the limit", 429, Retry_After="3600"),
    # Longer than any run of the tests: the date is made when they begin.
    "429 with a date": fails("over the limit", 429, Retry_After=date_in(80_000)),
    "429 for ten thousand years": fails("over the limit", 429, Retry_After="9" * 15),
    "500": answers(HTML, 500),
    "503 for hours": fails("busy", 503, Retry_After="40000"),
    "503 until a date": fails("busy", 503, Retry_After=date_in(40_000)),
    "the key in the text": answers(_repeats_in_failure, 400),
    "the key in an HTML page": answers(lambda e: f"<html>{_repeated(e)}</html>"),
}

#: The answer is a redirect that leads nowhere.
MISLED = {
    "to another host": redirects("http://127.0.0.2:1/projects.xml"),
    "to another scheme": redirects("https://127.0.0.1/projects.xml"),
    "to a file": redirects("ftp://127.0.0.1/projects.xml"),
    "to no address": redirects("http://[::1/projects.xml"),
    "to what is not text": redirects("/\xff\xfe.xml"),
    "in a circle": redirects(lambda e: e.request.target),
    "without an address": answers("", 302),
    "to another host with the key": redirects(_leads_away),
    "in a circle with the key": redirects(_leads_around),
}

#: The answer is right, and holds the key.
TALKATIVE = {
    "the key in names": _repeats_in_names,
    "a broken header line": broken_header_line,
    "UTF-16 said to be UTF-8": utf_16_said_to_be_utf_8,
    "the key in the type": lambda e: e.answer(Content_Type=f"text/xml; for={e.request.target}"),
    "the key in a cookie": lambda e: e.answer(Set_Cookie=f"key={e.request.target}; Path=/"),
}

FAULTS = INTERRUPTED | DAMAGED | SLOW | REFUSALS | MISLED | TALKATIVE

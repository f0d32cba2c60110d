"""What can go wrong with a response: each fault takes an exchange and sends something else."""

import gzip
import re
import signal
import threading
import zlib
from functools import cache
from urllib.parse import quote_plus
from xml.sax.saxutils import escape

from tests.rig.server import Exchange, failed
from tests.rig.today import failure


def late(seconds):
    """Send the right response after a while."""

    def fault(exchange):
        exchange.closing.wait(seconds)
        exchange.answer()

    return fault


def interrupts(exchange):
    """Press Ctrl-C while the response is awaited."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    exchange.closing.wait(0.3)
    exchange.answer()


def answers(body, status=200, **headers):
    """Send another response, whole and with the right length."""

    def fault(exchange):
        text = body(exchange) if callable(body) else body
        exchange.body = text if isinstance(text, bytes) else text.encode()
        exchange.status = status
        exchange.answer(**{"Content_Type": "application/xml"} | headers)

    return fault


def fails(text, status=200, **headers):
    """Send the specification's failure."""
    return answers(failed(text), status, **headers)


def fails_today(text, status, **headers):
    """Send a failure in the words of today's live service."""
    return answers(failure(text), status, **headers)


def redirects(location, status=302):
    """Send a redirect; the location may be a function of the exchange."""

    def fault(exchange):
        to = location(exchange) if callable(location) else location
        answers("", status, Location=to)(exchange)

    return fault


def rewrites(change, **headers):
    """Send the right response, a little changed."""

    def fault(exchange):
        exchange.body = change(exchange.body)
        exchange.answer(**headers)

    return fault


def _half(body):
    return body[: len(body) // 2]


def _head(exchange):
    return exchange.head(Content_Length=str(len(exchange.body)))


def chunked(body):
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def _partly(part, end=Exchange.end):
    """Send a part of the response and end the connection."""

    def fault(exchange):
        exchange.send(part(exchange))
        end(exchange)

    return fault


reset_before = Exchange.reset
reset_in_headers = _partly(lambda e: e.head()[:40], Exchange.reset)
closed_in_headers = _partly(lambda e: e.head(X_Filler="x" * 100)[:-50])
reset_in_body = _partly(lambda e: _head(e) + _half(e.body), Exchange.reset)
cut_short = _partly(lambda e: _head(e) + _half(e.body))
# Without a length the end of the connection ends the body.
cut_without_length = _partly(lambda e: e.head() + _half(e.body))
chunked_garbage = _partly(lambda e: e.head(Transfer_Encoding="chunked") + b"zz\r\n" + e.body)
chunks_that_stop = _partly(
    lambda e: e.head(Transfer_Encoding="chunked") + chunked(e.body).removesuffix(b"0\r\n\r\n")
)
not_http = _partly(lambda e: f"SSH-2.0 {e.request.target}\r\n".encode())


@cache
def _bomb(_):
    """Return 64 KiB that unpack to 64 MiB."""
    packer = zlib.compressobj(9, wbits=31)
    blanks = b" " * 2**20
    return b"".join(packer.compress(blanks) for _ in range(64)) + packer.flush()


def broken_header_line(exchange):
    """Send the right response with a line among its headers that is none."""
    head = exchange.head(Content_Length=str(len(exchange.body)), Connection="close")
    line = b"\r\nno header %b\r\n" % exchange.request.target.encode()
    exchange.send(head.replace(b"\r\n", line, 1) + exchange.body)
    exchange.end()


def endless(exchange):
    exchange.send(exchange.head() + b"<response>")
    while not exchange.closing.is_set():
        exchange.send(b" " * 65_536)


def drip_body(exchange):
    """Send a byte now and then, so that no single reading times out."""
    exchange.send(_head(exchange))
    for byte in exchange.body:
        exchange.send(bytes([byte]))
        if exchange.closing.wait(0.02):
            return


def silence(exchange):
    exchange.closing.wait(30)


def _repeated(exchange):
    """Say again what was requested: the whole address, and the key as it is and in addresses."""
    key = exchange.request.query.get("api_key", "")
    small = re.sub("%..", lambda found: found[0].lower(), quote_plus(key))
    return f"{exchange.request.target} {key} {quote_plus(key)} {small}"


def _repeats_in_names(exchange):
    said = escape(_repeated(exchange)).encode()
    rewrites(lambda body: body.replace(b"<name>", b"<name>%b " % said))(exchange)


HTML = "<!DOCTYPE html><html><body>We are down for maintenance.</body></html>"


#: The connection fails: a further try may succeed.
INTERRUPTED = {
    "reset before": reset_before,
    "reset in headers": reset_in_headers,
    "not HTTP": not_http,
    "502": answers("bad gateway", 502),
    "503 with HTML": answers(HTML, 503),
    "503 with Retry-After": fails("busy", 503, Retry_After="0"),
    "504": answers("", 504),
}

#: The answer arrives damaged, and nothing of it may be believed.
DAMAGED = {
    "closed in headers": closed_in_headers,
    "reset in body": reset_in_body,
    "cut short": cut_short,
    "cut with its length": rewrites(_half),
    "cut without length": cut_without_length,
    "length too small": lambda e: e.answer(Content_Length=str(len(e.body) - 30)),
    "chunked garbage": chunked_garbage,
    "chunks that stop": chunks_that_stop,
    "not gzip": lambda e: e.answer(Content_Encoding="gzip"),
    "gzip cut": rewrites(lambda b: gzip.compress(b)[:-40], Content_Encoding="gzip"),
    "gzip bomb": rewrites(_bomb, Content_Encoding="gzip"),
    "other encoding than said": rewrites(lambda b: b.replace(b"<name>", b"<name>\xff\xfe\xe9", 1)),
    "HTML with 200": answers(HTML, Content_Type="text/html"),
    "JSON with 200": answers('{"status": "success"}'),
    "nothing with 200": answers(""),
    "nothing with 204": answers("", 204),
    "a DOCTYPE": answers('<!DOCTYPE r [<!ENTITY a "b">]><response><status>&a;</status></response>'),
    "endless": endless,
}

#: The answer takes too long.
SLOW = {"drip body": drip_body, "silence": silence}

#: The directory refuses.
REFUSALS = {
    "failed with 200": fails("This project was deleted by its manager."),
    "400 for a bad key, today": fails_today("api_key: invalid", 400),
    "401 over the limit, today": fails_today(
        "This api_key has exceeded the limit of 1000 requests per day.", 401
    ),
    "403": fails("A valid api_key is required to access this URL.", 403),
    "404": fails_today("404 - Not Found", 404, Content_Type="text/html"),
    "429 with seconds": fails("over the limit", 429, Retry_After="3600"),
    "500": answers(HTML, 500),
    "503 for hours": fails("busy", 503, Retry_After="40000"),
    "the key in the text": answers(lambda e: failed(_repeated(e)), 400),
    "the key in an HTML page": answers(lambda e: f"<html>{escape(_repeated(e))}</html>"),
}

#: The answer is a redirect that leads nowhere.
MISLED = {
    "to another host": redirects("http://127.0.0.2:1/projects.xml"),
    "to another scheme": redirects("https://127.0.0.1/projects.xml"),
    "to no address": redirects("http://[::1/projects.xml"),
    "to what is not text": redirects("/\xff\xfe.xml"),
    "in a circle": redirects(lambda e: e.request.target),
    "without an address": answers("", 302),
    "to another host with the key": redirects(
        lambda e: f"http://127.0.0.2:1/?next={quote_plus(e.request.target)}"
    ),
    "in a circle with the key": redirects(
        lambda e: f"?page={e.request.page}&next={quote_plus(e.request.target)}#{e.request.target}"
    ),
}


def _with_bytes_behind(exchange):
    exchange.send(_head(exchange) + exchange.body * 2)


#: The answer is right, but unusual, or it holds the key.
ODD = {
    "without a length": _partly(lambda e: e.head() + e.body),
    "in chunks": lambda e: e.send(e.head(Transfer_Encoding="chunked") + chunked(e.body)),
    "bytes behind it": _with_bytes_behind,
    "without positions": rewrites(lambda b: re.sub(rb"<first_item_position>\d+</[^>]+>", b"", b)),
    "the key in names": _repeats_in_names,
    "a broken header line": broken_header_line,
    "UTF-16 said to be UTF-8": rewrites(lambda b: b.decode().encode("utf-16-le")),
    "the key in the type": lambda e: e.answer(Content_Type=f"text/xml; for={e.request.target}"),
    "the key in a cookie": lambda e: e.answer(Set_Cookie=f"key={e.request.target}; Path=/"),
}

FAULTS = INTERRUPTED | DAMAGED | SLOW | REFUSALS | MISLED | ODD

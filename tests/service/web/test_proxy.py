"""Behind a proxy that the operator names, links and log are right; nobody else is believed."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest
import requests
from lxml import html
from requests.adapters import HTTPAdapter

from dirframe.errors import ConfigurationError
from dirframe.service.server import Service, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.html import HtmlElement

    from dirframe.service.store.store import Store

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
#: An address of this machine that tests can tell from the proxy's own.
CLIENT = "127.0.0.77"

CONFIGURATION = """
daemon off;
pid nginx.pid;
error_log error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{
    listen 127.0.0.1:{port};
    location /directory/ {{
      proxy_pass {url}/;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header X-Forwarded-Prefix /directory;
    }}
  }}
}}
"""


@contextmanager
def proxied(url: str, folder: Path) -> Iterator[str]:
    """Run nginx in front of a service; give the address below which it shows it."""
    if NGINX is None:
        pytest.skip("there is no nginx on this machine")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "nginx.conf").write_text(CONFIGURATION.format(port=port, url=url))
    command = [NGINX, "-p", str(folder), "-c", "nginx.conf", "-e", "error.log"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            end = time.monotonic() + 60
            while True:
                assert process.poll() is None, process.stderr and process.stderr.read()
                try:
                    socket.create_connection(("127.0.0.1", port), 5).close()
                    break
                except OSError:
                    assert time.monotonic() < end
                    time.sleep(0.02)
            yield f"http://127.0.0.1:{port}/directory"
        finally:
            process.terminate()
            process.wait(timeout=60)


@pytest.fixture(scope="module")
def service(store: Store) -> Iterator[Service]:
    service = serve(store, page_rate=30, trusted_proxy="127.0.0.1")
    with service:
        yield service


@pytest.fixture(scope="module")
def below(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with proxied(service.url, tmp_path_factory.mktemp("nginx")) as address:
        yield address


def page(address: str) -> HtmlElement:
    answer = get(address)
    assert answer.status_code == 200, address
    return html.fromstring(answer.content)


def get(address: str, client: str = CLIENT, **headers: str) -> requests.Response:
    """Ask from an address of this machine's own network."""
    with requests.Session() as session:
        adapter = HTTPAdapter()
        adapter.init_poolmanager(1, 1, source_address=(client, 0))
        session.mount("http://", adapter)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return session.get(address, headers=named, timeout=30)


def test_every_link_and_form_leads_somewhere_below_the_path(service: Service, below: str) -> None:
    assert service.api_key is not None
    seen: set[str] = set()
    for start in ("/", "/projects?query=o&page=2", "/accounts", "/projects/7", "/accounts/7"):
        root = page(f"{below}{start}")
        found = root.xpath("//a/@href | //link/@href | //form/@action")
        for target in found:
            absolute = urljoin(f"{below}{start}", target).partition("#")[0]
            if urlsplit(absolute).netloc == urlsplit(below).netloc:
                assert absolute.startswith(f"{below}/"), target
                seen.add(absolute)
    kinds = {
        kind: min(address for address in seen if kind in address)
        for kind in (".css", "/projects/", "/accounts?", ".xml?", "page=")
    }
    for address in kinds.values():
        key = f"&api_key={service.api_key.reveal()}" if ".xml" in address else ""
        assert get(address + key, client="127.0.0.78").status_code == 200, address
    root = html.fromstring(get(f"{below}/nowhere").content)
    (home,) = root.iterfind(".//a[@class='brand']")
    assert urljoin(below, home.get("href") or "") == f"{below}/"


def test_the_log_and_the_rate_know_the_client_and_not_the_proxy(
    below: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="dirframe.service.access"):
        get(f"{below}/healthz")
        get(f"{below}/healthz", X_Forwarded_For="192.0.2.1")  # nginx adds the true one behind it
    assert [message.split()[1] for message in caplog.messages] == [CLIENT, CLIENT]
    codes = [get(f"{below}/", client="127.0.0.79").status_code for _ in range(31)]
    assert codes == [200] * 30 + [429]
    assert get(f"{below}/", client="127.0.0.80").status_code == 200


def test_forwarded_headers_of_anyone_else_are_ignored(
    service: Service, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    lies = {
        "X_Forwarded_For": "192.0.2.1",
        "X_Forwarded_Prefix": "/elsewhere",
        "X_Forwarded_Host": "elsewhere.example",
        "Forwarded": "for=192.0.2.1;host=elsewhere.example",
    }
    unproxied = serve(store)
    with caplog.at_level(logging.INFO, logger="dirframe.service.access"), unproxied:
        for url in (service.url, unproxied.url):
            answer = get(f"{url}/", client="127.0.0.81", **lies)
            assert b"elsewhere" not in answer.content
    assert [message.split()[1] for message in caplog.messages] == ["127.0.0.81"] * 2


def test_what_a_proxy_says_that_is_no_address_is_not_logged(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="dirframe.service.access"):
        get(f"{service.url}/healthz", client="127.0.0.1", X_Forwarded_For='a "GET /x" 200')
    assert caplog.messages[0].split()[1] == "127.0.0.1"


def test_a_proxy_is_an_address_or_a_network(store: Store) -> None:
    for wrong in ("nginx", "127.0.0.1:80", ""):
        with pytest.raises(ConfigurationError, match="trusted proxy is"):
            serve(store, trusted_proxy=wrong)
    serve(store, trusted_proxy="10.0.0.0/8").stop()

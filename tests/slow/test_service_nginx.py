"""Behind nginx, links and log are right; the header of the client is not believed."""

import logging
import os
import shutil
import socket
import subprocess
from time import monotonic, sleep
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

import dirframe
from tests import processes
from tests.service import wire

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


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """Serve the sample behind nginx; give the address of nginx."""
    if NGINX is None:
        pytest.skip("nginx is not installed")
    folder = tmp_path_factory.mktemp("nginx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with dirframe.serve(trusted_proxy="127.0.0.1") as url:
        (folder / "nginx.conf").write_text(CONFIGURATION.format(port=port, url=url))
        command = [NGINX, "-p", folder, "-c", "nginx.conf", "-e", "error.log"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                end = monotonic() + processes.LIMIT
                while not is_open(port):
                    assert process.poll() is None, process.stderr.read()
                    assert monotonic() < end
                    sleep(0.02)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()
                process.wait(processes.LIMIT)


def test_every_link_and_form_leads_somewhere_below_the_path(proxy):
    host, below = f"Host: {urlsplit(proxy).netloc}", f"{proxy}/directory"
    targets = set()
    for start in ("/", "/projects?query=o&page=2", "/accounts", "/projects/7", "/nowhere"):
        root = html.fromstring(wire.ask(proxy, f"/directory{start}", host).body)
        for target in root.xpath("//a/@href | //link/@href | //form/@action"):
            absolute = urljoin(f"{below}{start}", target).partition("#")[0]
            if urlsplit(absolute).netloc == urlsplit(proxy).netloc:
                assert absolute.startswith(f"{below}/"), target
                targets.add(absolute.removeprefix(proxy))
    for kind in (".css", "/projects/", "/accounts?", ".xml?", "page="):
        target = min(address for address in targets if kind in address)
        status = wire.ask(proxy, target, host).status
        assert status == (403 if ".xml" in target else 200), target


def test_log_knows_the_client_and_not_the_proxy(proxy, caplog):
    caplog.set_level(logging.INFO, logger="dirframe.service.access")
    for header in ("X-Other: 1", "X-Forwarded-For: 192.0.2.1"):  # nginx adds the true one behind it
        wire.ask(proxy, "/directory/healthz", "Host: a", header, source=CLIENT)
        assert caplog.messages[-1].split()[1] == CLIENT

"""What the service costs: import, a page of each sort, queries, and pages a second.

::

    python -m tests.benchmarks.service [--projects 100000] [--folder DATA] [--checkout OTHER ...]

The service is the command of this checkout, and of others to compare with, asked over HTTP on kept
connections. Pages are the median of three, queries the first answer of a fresh service.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from urllib.parse import quote, urlsplit

from tools.synthetic.generate import generate

SORTS = ("created_at", "id_reverse", "name", "stack_count", "rating", "description", "relevance")
QUERIES = ("for", "ing", "library", "python xml", "tag:xml", "qqqq", "li")
PER_PAGE = 25


class Service:
    """The command of a checkout, and a key to it."""

    def __init__(self, checkout, data, folder):
        environment = os.environ | {
            "PYTHONPATH": str(checkout),
            "DIRFRAME_CACHE_DIR": str(folder / "cache"),
        }
        command = [sys.executable, "-m", "dirframe"]
        keys = ["--key-file", folder / "keys"]
        made = [*command, "keys", "add", "--developer", "a", "--application", "b", *keys]
        run = {"env": environment, "cwd": checkout, "text": True}
        self.key = subprocess.run(made, check=True, capture_output=True, **run).stdout.strip()
        limit = [*command, "keys", "limit", "1", "100000000", *keys]
        subprocess.run(limit, check=True, capture_output=True, **run)
        begin = time.perf_counter()
        serve = [*command, "serve", data, "--port", "0", *keys]
        log = folder / "log"
        with log.open("w") as stream:
            self.process = subprocess.Popen(serve, stderr=stream, **run)
        while not (found := re.search(r"http://[\d.:]+\d", log.read_text())):
            assert self.process.poll() is None, log.read_text()
            time.sleep(0.01)
        self.import_seconds = time.perf_counter() - begin
        self.address = urlsplit(found[0]).netloc

    def connect(self):
        return HTTPConnection(self.address)

    def ask(self, connection, target):
        """Return the milliseconds of one answer."""
        begin = time.perf_counter()
        connection.request("GET", f"/projects.xml?{target}&api_key={self.key}")
        response = connection.getresponse()
        response.read()
        assert response.status == 200, target
        return (time.perf_counter() - begin) * 1000

    def pages_a_second(self, clients, seconds=5):
        def work(number):
            connection, done, end = self.connect(), 0, time.perf_counter() + seconds
            while time.perf_counter() < end:
                self.ask(connection, f"page={1 + (number * 37 + done) % 40}")
                done += 1
            return done

        with ThreadPoolExecutor(clients) as pool:
            return sum(pool.map(work, range(clients))) / seconds


def measure(checkout, data, projects):
    """Print what the service of a checkout takes."""
    last = projects // PER_PAGE
    with tempfile.TemporaryDirectory() as folder:
        service = Service(checkout, data, Path(folder))
        try:
            connection = service.connect()
            print(f"{checkout}\n  import {service.import_seconds:.2f} s", flush=True)
            for sort in SORTS:
                first = service.ask(connection, f"sort={sort}")
                times = [
                    median(service.ask(connection, f"sort={sort}&page={p}") for _ in range(3))
                    for p in (1, last // 2, last)
                ]
                shown = ", ".join(f"{t:.1f}" for t in times)
                print(
                    f"  sort {sort}: {first:.1f} ms at first; first, middle, last page: {shown} ms"
                )
            for query in QUERIES:
                cold, warm = (service.ask(connection, f"query={quote(query)}") for _ in range(2))
                print(f"  query {query}: {cold:.1f} ms, again {warm:.1f} ms")
            for clients in (1, 8):
                print(f"  {clients} clients: {service.pages_a_second(clients):.0f} pages a second")
        finally:
            service.process.terminate()
            service.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="data that is kept for the next time")
    parser.add_argument("--checkout", type=Path, action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = options.folder or Path(temporary)
        if not (data / "projects.xml.gz").is_file():
            generate(data, accounts=0, projects=options.projects)
        for checkout in (*options.checkout, Path(__file__).resolve().parents[2]):
            measure(checkout, data / "projects.xml.gz", options.projects)


if __name__ == "__main__":
    main()

"""What the service costs: importing, every sort's first and last page, queries, eight clients.

The service is a process of its own, asked over HTTP on kept connections; its store has been
read once, so that the disk is not what is measured. First and last pages
take turns; a query is cold once for each sort (its answer is remembered by sort) and warm
afterwards. Sizes are arguments: python -m tests.benchmarks.service --accounts 1000000
--projects 500000; --folder keeps what was generated and built for the next time;
--updates measures imports of changed files too.
"""

import argparse
import gzip
import json
import os
import re
import resource as limits
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from urllib.parse import urlencode, urlsplit

from dirframe.service.store.build import base_sorts, build_store
from dirframe.service.store.store import Store
from lxml import etree

from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT
from dirframe.service.keys import KeyStore
from tests.benchmarks._report import TIMES, Listing, Measure, Table
from tools.synthetic.generate import generate

ROUNDS = 40
CLIENTS = 8
SECONDS = 5.0

# From what nearly every text holds to what none does.
QUERIES = {
    ACCOUNT: ("the", "ing", "ann", "anders", "maria", "ann mar", "qqqq"),
    PROJECT: ("for", "ing", "the", "tion", "library", "python xml", "anders", "qqqq"),
}

SERVER = """
import sys
from pathlib import Path
from dirframe.service.foreground import run
run(Path(sys.argv[1]), port=0, keys=Path(sys.argv[2]))
"""


class Client:
    """One kept connection with a key."""

    def __init__(self, url, key):
        self._key = key
        self._connection = HTTPConnection(urlsplit(url).netloc, timeout=60)

    def seconds(self, resource, **asked):
        target = f"/{resource.collection}.xml?{urlencode({**asked, 'api_key': self._key})}"
        begin = time.perf_counter()
        self._connection.request("GET", target)
        answer = self._connection.getresponse()
        body = answer.read()
        end = time.perf_counter()
        assert answer.status == 200, body
        return end - begin


@contextmanager
def served(store, keys):
    """Serve `store` in a process of its own; gives its address and process id."""
    command = [sys.executable, "-c", SERVER, str(store), str(keys)]
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(command, stderr=log, text=True) as process,
    ):
        while True:
            log.seek(0)
            if found := re.search(r"http://\S+?:\d+", log.read()):
                break
            assert process.poll() is None, "the service did not start"
            time.sleep(0.05)
        try:
            yield found[0], process.pid
        finally:
            process.terminate()
            process.wait(timeout=60)


def processor_seconds():
    """Return those of this process and of the processes that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def sqlite_utils_seconds(files):
    """Return the seconds that sqlite-utils takes, from JSON lines instead of XML.

    It stores each record's XML, its fields, and a trigram index of names and descriptions, without
    ranks, sorts and checks.
    """
    if find_spec("sqlite_utils") is None:
        return None
    seconds = 0.0
    with tempfile.TemporaryDirectory(dir=files.parent) as temporary:
        database, lines = Path(temporary) / "peer.sqlite", Path(temporary) / "lines"
        for resource, columns in ((ACCOUNT, ["name"]), (PROJECT, ["name", "description"])):
            with (
                lines.open("w") as target,
                gzip.open(files / f"{resource.collection}.xml.gz") as stream,
            ):
                for _, element in etree.iterparse(stream, tag=(resource.name,)):
                    row = {child.tag: child.text for child in element}
                    row["xml"] = etree.tostring(element, encoding="unicode")
                    target.write(json.dumps(row) + "\n")
                    element.clear()
            begin = processor_seconds()
            for arguments in (
                ["insert", str(lines), "--nl", "--pk", "id", "--alter"],
                ["enable-fts", *columns, "--tokenize", "trigram"],
            ):
                command, *others = arguments
                table = [str(database), resource.collection]
                subprocess.run(
                    [sys.executable, "-m", "sqlite_utils", command, *table, *others], check=True
                )
            seconds += processor_seconds() - begin
    return seconds


def built(folder, accounts, projects):
    path = folder / f"store-{accounts}-{projects}.sqlite"
    files = folder / f"xml-{accounts}-{projects}"
    if not path.exists():
        if not files.exists():
            generate(files, accounts=accounts, projects=projects)
        begin, cpu = time.perf_counter(), processor_seconds()
        Store(build_store(path, [files])).close()
        took, cpu = time.perf_counter() - begin, processor_seconds() - cpu
        # The floor: lxml reads the same files and writes each record again.
        bare = time.process_time()
        for file in files.iterdir():
            with gzip.open(file) as stream:
                for _, element in etree.iterparse(stream, tag=(ACCOUNT.name, PROJECT.name)):
                    etree.tostring(element, encoding="unicode")
                    element.clear()
        bare = time.process_time() - bare
        # Linux counts in KiB, macOS in bytes.
        unit = 2**20 if sys.platform == "darwin" else 2**10
        peak = limits.getrusage(limits.RUSAGE_SELF).ru_maxrss / unit
        print(f"Import of {accounts:,} accounts and {projects:,} projects.")
        figures = Listing()
        figures.row("import", took, "s", "lower", form=".1f")
        for clock, seconds in (("by the clock", took), ("of the processor", cpu)):
            rate = (accounts + projects) / seconds
            figures.row(f"records a second {clock}", rate, "", "higher", form=",.0f")
        figures.row("import, to bare lxml", cpu / bare, TIMES, "lower", form=".1f")
        if (theirs := sqlite_utils_seconds(files)) is not None:
            figures.row("import, to sqlite-utils", cpu / theirs, TIMES, "lower", form=".1f")
        figures.row("peak of the process", peak, "MiB", "lower", form=",.0f")
        figures.row("store", path.stat().st_size / 2**20, "MiB", "lower", form=",.0f")
    return path


def measure_updates(path, files):
    """Import the same files over the store: unchanged, and with every hundredth record changed."""
    with tempfile.TemporaryDirectory(dir=path.parent) as temporary:
        target, changed = Path(temporary) / "updated.sqlite", Path(temporary) / "changed"
        changed.mkdir()
        for file in files.iterdir():
            parts = gzip.decompress(file.read_bytes()).split(b"<updated_at>")
            renamed = b"<updated_at>".join(
                part if number % 200 else part.replace(b"20", b"19", 1)
                for number, part in enumerate(parts)
            )
            (changed / file.name).write_bytes(gzip.compress(renamed, 1))
        table = Table(
            "import",
            Measure("changes"),
            Measure("took", "s", "lower", ".1f"),
            Measure("records a second", "", "higher", ",.0f"),
        )
        for name, folder, base in (
            ("anew", changed, None),
            ("over the store, nothing changed", files, path),
            ("over the store, a part changed", changed, path),
        ):
            begin = time.perf_counter()
            with Store(build_store(target, [folder], base=base)) as store:
                took, changes = time.perf_counter() - begin, store.changes
            total = changes.added + changes.changed + changes.unchanged
            table.row(name, str(changes), took, total / took)


def read_once(path):
    with path.open("rb") as stream:
        while stream.read(1 << 24):
            pass


def measure_sorts(client, resource, size):
    last = max(1, -(-size // PAGE_SIZE))
    plain = []
    heads = ("very first", "first page", "last page")
    table = Table(
        ("collection", "sort"),
        *(Measure(head, "ms", "lower") for head in heads),
        Measure("last page, to the first", better="lower"),
    )
    for sort in resource.sorts:
        cold = client.seconds(resource, sort=sort)
        pairs = [
            (client.seconds(resource, sort=sort), client.seconds(resource, sort=sort, page=last))
            for _ in range(ROUNDS)
        ]
        first, end = (median(times) * 1000 for times in zip(*pairs, strict=True))
        plain.append(first)
        table.row((resource.collection, sort), cold * 1000, first, end, end / first)
    return median(plain)


def measure_queries(client, store, resource, plain):
    table = Table(
        ("collection", "query"),
        Measure("found", "", None, ",.0f"),
        *(Measure(head, "ms", "lower") for head in ("cold", "worst", "warm")),
        Measure("cold, to a plain page", better="lower", form=".1f"),
        Measure("warm, to a plain page", better="lower", form=".1f"),
    )
    sorts = [sort for sort in base_sorts(resource) if sort in store.sorts(resource)]
    for query in QUERIES[resource]:
        found = store.page(resource, query=query).available
        cold = [client.seconds(resource, query=query, sort=sort) for sort in sorts]
        last = max(1, -(-found // PAGE_SIZE))
        warm = [client.seconds(resource, query=query, page=last) for _ in range(ROUNDS)]
        ms = [1000 * value for value in (median(cold), max(cold), median(warm[1:]))]
        table.row((resource.collection, query), found, *ms, ms[0] / plain, ms[2] / plain)


def measure_clients(url, key):
    end = time.perf_counter() + SECONDS

    def ask(number):
        client, answered = Client(url, key), 0
        while time.perf_counter() < end:
            client.seconds((ACCOUNT, PROJECT)[answered % 2], page=number + answered % 50 + 1)
            answered += 1
        return answered

    with ThreadPoolExecutor(CLIENTS) as pool:
        answered = sum(pool.map(ask, range(CLIENTS)))
    name = f"{CLIENTS} clients: pages of {PAGE_SIZE} records a second, each with its key counted"
    Listing().row(name, answered / SECONDS, "", "higher", form=",.0f")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=20_000)
    parser.add_argument("--projects", type=int, default=10_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--updates", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = built(folder, options.accounts, options.projects)
        if options.updates:
            measure_updates(path, folder / f"xml-{options.accounts}-{options.projects}")
        keys = Path(temporary) / "keys.sqlite"
        with KeyStore(keys) as key_store:
            key = key_store.add("benchmark", "service", daily_limit=10**9)
        read_once(path)
        with served(path, keys) as (url, _), Store(path) as store:
            client, plain = Client(url, key), {}
            client.seconds(ACCOUNT)
            for resource in (ACCOUNT, PROJECT):
                plain[resource] = measure_sorts(client, resource, store.count(resource))
            for resource in (ACCOUNT, PROJECT):
                measure_queries(client, store, resource, plain[resource])
            measure_clients(url, key)


if __name__ == "__main__":
    main()

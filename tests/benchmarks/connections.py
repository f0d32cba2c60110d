"""What hostile connections cost the others: pages a second with and without, as a ratio.

A process of its own holds connections that say nothing, send half a request, send a request byte
by byte, or do not read their answers, and opens each again as soon as it is closed. Meanwhile
eight clients read pages, and one asks for /healthz. Rounds without and with take turns. Pages a
second of the service's processor time (from Linux' /proc) are what a busy machine changes least.
"""

import argparse
import asyncio
import multiprocessing
import os
import socket
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.keys import KeyStore
from tests.benchmarks._report import TIMES, Measure, Table
from tests.benchmarks.service import CLIENTS, Client, built, read_once, served

KINDS = ("idle", "half", "trickle", "unread", "mixed")
HALF = b"GET /projects.xml HTTP/1.1\r\nHost: a\r\nX-Half: "


async def _hold(kind, address, request, held):
    loop = asyncio.get_running_loop()
    while True:
        with socket.socket() as client:
            client.setblocking(False)
            if kind == "unread":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            try:
                await loop.sock_connect(client, address)
                if kind == "unread":
                    # Held from its answer's beginning: what it costs is a request like others.
                    await loop.sock_sendall(client, request)
                    await loop.sock_recv(client, 1)
                held[0] += 1
                try:
                    if kind == "half":
                        await loop.sock_sendall(client, HALF)
                    if kind == "unread":
                        while True:
                            await asyncio.sleep(2)
                            await loop.sock_recv(client, 1)
                    while kind == "trickle":
                        for byte in HALF + b"a" * 1000:
                            await loop.sock_sendall(client, bytes([byte]))
                            await asyncio.sleep(1)
                    while await loop.sock_recv(client, 4096):
                        pass
                finally:
                    held[0] -= 1
            except OSError:
                pass
        await asyncio.sleep(0.1)


async def _attack(kinds, address, request, held, stop):
    count = [0]
    tasks = [asyncio.create_task(_hold(kind, address, request, count)) for kind in kinds]
    while not stop.is_set():
        await asyncio.sleep(0.1)
        if count[0] >= 0.95 * len(kinds):
            held.set()
    print(f"  held at the end: {count[0]:,} of {len(kinds):,}", file=sys.stderr, flush=True)
    for task in tasks:
        task.cancel()


def attack(kinds, url, target, held, stop):
    parts = urlsplit(url)
    request = f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode()
    asyncio.run(_attack(kinds, (parts.hostname or "", parts.port or 0), request, held, stop))


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pages_a_second(url, pid, key, seconds):
    """Return pages a second of time, and of the service's processor time."""
    used = processor_seconds(pid)
    end = time.perf_counter() + seconds

    def ask(number):
        client, answered = Client(url, key), 0
        while time.perf_counter() < end:
            client.seconds((ACCOUNT, PROJECT)[answered % 2], page=number + answered % 50 + 1)
            answered += 1
        return answered

    with ThreadPoolExecutor(CLIENTS) as pool:
        answered = sum(pool.map(ask, range(CLIENTS)))
    return answered / seconds, answered / (processor_seconds(pid) - used)


def health(url, seconds):
    """Return how long each answer of /healthz took, on a new connection each time."""
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        connection = HTTPConnection(urlsplit(url).netloc, timeout=10)
        try:
            connection.request("GET", "/healthz")
            assert connection.getresponse().read().startswith(b"ok")
            times.append(time.perf_counter() - begin)
        except (OSError, HTTPException):
            times.append(float("inf"))
        finally:
            connection.close()
        time.sleep(0.05)
    return times


def measure(url, pid, key, *, kind, size, rounds, seconds):
    kinds = [KINDS[number % 4] if kind == "mixed" else kind for number in range(size)]
    target = f"/projects.xml?api_key={key}"
    alone = []
    besieged = []
    waits = []
    context = multiprocessing.get_context("spawn")
    for _ in range(rounds):
        alone.append(pages_a_second(url, pid, key, seconds))
        held, stop = context.Event(), context.Event()
        process = context.Process(target=attack, args=(kinds, url, target, held, stop))
        process.start()
        held.wait(60)
        try:
            with ThreadPoolExecutor(1) as pool:
                asked = pool.submit(health, url, seconds)
                try:
                    besieged.append(pages_a_second(url, pid, key, seconds))
                except (OSError, HTTPException):
                    besieged.append((0.0, 0.0))
                waits += asked.result()
        finally:
            stop.set()
            process.join()
    cells = []
    for without, under in zip(zip(*alone, strict=True), zip(*besieged, strict=True), strict=True):
        ratio = median(b / a for a, b in zip(without, under, strict=True))
        cells += [median(without), median(under), ratio]
    return [*cells, 1000 * median(waits), 1000 * max(waits)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=["mixed"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = built(folder, 20_000, 10_000)
        keys = Path(temporary) / "keys.sqlite"
        with KeyStore(keys) as key_store:
            key = key_store.add("benchmark", "service", daily_limit=10**9)
        read_once(path)
        table = Table(
            ("kind", "connections"),
            *(
                Measure(f"{pages} {which}", unit, "higher", form)
                for pages in ("pages/s", "pages/processor s")
                for which, unit, form in (
                    ("without", "", ",.0f"),
                    ("with", "", ",.0f"),
                    ("ratio", TIMES, ".2f"),
                )
            ),
            Measure("/healthz median", "ms", "lower", ",.0f"),
            Measure("worst", "ms", "lower", ",.0f"),
        )
        with served(path, keys) as (url, pid):
            for kind in options.kind:
                figures = measure(
                    url,
                    pid,
                    key,
                    kind=kind,
                    size=options.connections,
                    rounds=options.rounds,
                    seconds=options.seconds,
                )
                table.row((kind, options.connections), *figures)


if __name__ == "__main__":
    main()

"""What threads bring: 100 pages of a service that takes 0, 5 or 50 ms a page.

The service is a process of its own and has its answers at hand. Each cell is the time of one thread over that of so many,
medians of rounds in which the numbers of threads take turns; each load begins with an empty
cache. At 0 ms, where threads bring nothing, the goal is that they cost nothing.
"""

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

import dirframe
from dirframe.client.directory import Directory
from tests.benchmarks._report import Cell, Measure, Table
from tests.rig.server import KEY

PAGES, SIZE = 100, 25
LATENCIES = (0, 5, 50)  # ms
THREADS = (1, 4, 8, 16)
ROUNDS = {0: 5, 5: 5, 50: 3}
#: Times as fast as one thread, by latency and threads.
GOALS = {(0, 8): 1.0, (50, 4): 3.5, (50, 8): 6.5, (50, 16): 11.0}

# Not a full page at the end, so that nothing has to be asked behind it. One loop hands over what
# is at hand: threads of a Python server would take turns with sixteen requests at once, and
# that would be measured as well.
SERVICE = f"""
import asyncio, sys
from functools import cache
from tests.rig.server import XML, Request, Rig

async def main(rig, latency):
    @cache
    def answer(target):
        reply = rig.reply(Request(target))
        headers = {{"Content-Type": XML, "Content-Length": len(reply.body)}}
        lines = [f"HTTP/1.1 {{reply.status}} OK", *(f"{{n}}: {{t}}" for n, t in headers.items())]
        return "\\r\\n".join([*lines, "", ""]).encode() + reply.body

    async def connection(reader, writer):
        try:
            while True:
                request = await reader.readuntil(b"\\r\\n\\r\\n")
                await asyncio.sleep(latency)
                writer.write(answer(request.split(b" ", 2)[1].decode()))
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{{server.sockets[0].getsockname()[1]}}", flush=True)
    await asyncio.to_thread(sys.stdin.read)

asyncio.run(main(Rig({PAGES * SIZE - 1}, size={SIZE}), int(sys.argv[1]) / 1000))
"""


def seconds(url, threads):
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIRFRAME_DATA_DIR"] = f"{folder}/data"
        with Directory(url, KEY, cache=folder, workers=threads) as directory:
            begin = time.perf_counter()
            frame = dirframe.load_projects(directory=directory, progress=False)
            took = time.perf_counter() - begin
    assert len(frame) == PAGES * SIZE - 1
    assert frame.attrs["dirframe"]["requests_made"] == PAGES
    return took


def measure(latency):
    times = {threads: [] for threads in THREADS}
    command = [sys.executable, "-c", SERVICE, str(latency)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as service:
        assert service.stdout is not None
        assert service.stdin is not None
        url = service.stdout.readline().strip()
        seconds(url, 1)  # the first load pays for imports
        for _ in range(ROUNDS[latency]):
            for threads in THREADS:
                times[threads].append(seconds(url, threads))
        service.stdin.close()
    return {threads: median(values) for threads, values in times.items()}


def main():
    print(f"{PAGES} pages of {SIZE} records, cache and count of requests on disk.")
    many = (Measure(f"times as fast with {n} threads", better="higher") for n in THREADS[1:])
    table = Table("a page takes", Measure("one thread", "s", "lower"), *many)
    for latency in LATENCIES:
        took = measure(latency)
        ratios = (Cell(took[1] / took[n], GOALS.get((latency, n))) for n in THREADS[1:])
        table.row(f"{latency} ms", took[1], *ratios)


if __name__ == "__main__":
    main()

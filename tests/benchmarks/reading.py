"""Pages in memory to one typed frame, in times of `lxml.etree.fromstring` of the same pages.

Goals: everything with its lists 3.5, 4.5 at most; 100,000 records within 1 GB; a load from the cache
four times a loop that gets its pages, 1,500 as 150.
"""

import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from lxml import etree

import dirframe
from dirframe.client.directory import session_of
from dirframe.client.xml.page import parse
from dirframe.client.xml.records import Records
from tests.benchmarks.corpus import month_pages, project_pages, side_by_side
from tests.client.test_parser import MANY, read_parts
from tests.rig.server import Rig

RECORDS = 6_000
ROUNDS = 5


def bare(pages):
    for page in pages:
        etree.fromstring(page)


def ours(pages):
    return Records(pages=map(parse, pages)).frame()


def with_children(pages):
    frame = ours(pages)
    for name in ("tags", "languages", "licenses", "factoids"):
        dirframe.child_table(frame, name)


def compare(pages, ways):
    taken = side_by_side(
        {name: partial(way, pages) for name, way in {"bare lxml": bare, **ways}.items()}, ROUNDS
    )
    for name, seconds in taken.items():
        print(f"{name:<34} {seconds / taken['bare lxml']:6.2f} times bare lxml")


def warm(pages):
    """Compare a load from the cache with a loop that gets each of its pages."""
    with Rig(10 * pages - 5).in_process() as rig, TemporaryDirectory() as folder:
        directory = rig.directory(Path(folder), daily_quota=pages)

        def loop():
            for number in range(1, pages + 1):
                session_of(directory).get("/projects.xml", {"page": str(number)})

        load = partial(dirframe.load_projects, directory, progress=False)
        load()
        taken = side_by_side({"loop": loop, "load": load}, 3)
    print(f"{pages:,} cached pages: a load {taken['load'] / taken['loop']:.2f} times a bare loop")


def peak(records):
    """Print the highest memory of this process, which reads pages that it makes one by one."""
    pages, _ = project_pages(1_000)
    frame = ours(pages[number % len(pages)] for number in range(records // 25))
    status = Path("/proc/self/status").read_text()
    highest = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(f"{len(frame):,} records with every list: {highest:,.0f} MiB at most")


def compare_sizes():
    """Print how much longer a page of eight times as many parts takes; quadratic work takes 64 times."""
    with TemporaryDirectory() as name:
        for parts in MANY:
            sizes = {n: partial(read_parts, parts, n, Path(name)) for n in (2_000, 16_000)}
            few, many = side_by_side(sizes, 1).values()
            print(f"16,000 {parts}: {many:.2f} s, {many / few:.1f} times 2,000")


def main():
    if sys.argv[1:2] == ["peak"]:
        peak(int(sys.argv[2]))
        return
    pages, kind = project_pages(RECORDS)
    print(f"{len(pages):,} pages of 25 {kind}, {sum(map(len, pages)) / 1e6:.1f} MB")
    compare(pages, {"everything": ours, "everything, and four child tables": with_children})
    compare(month_pages(60), {"months (many short leaves)": ours})
    for pages in (150, 1_500):
        warm(pages)
    compare_sizes()
    subprocess.run([sys.executable, "-m", __spec__.name, "peak", "100000"], check=True)


if __name__ == "__main__":
    main()

"""Archives of generated records, written by the archive's own writer and read to Parquet.

Sizes are 10,000, 100,000 and 1,000,000 records, or those that are named:
python -m tests.benchmarks.archives 5000000. Each measure is a process of its own. Processor time
includes imports, memory is the peak, all libraries included. On Dask there is one worker of a cluster of
processes, or two; processor time and memory are those of the workers, the time together and the memory
of the larger one. The clock does not count the start of processes and clusters.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time

from dirframe.archive.model import (
    Collection,
    Outcome,
    PageRecord,
    Round,
    RoundKind,
    encode_ids,
)
from dirframe.archive.snapshot import compress
from dirframe.archive.store import Store
from dirframe.schema import PAGE_SIZE, PROJECT
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.synthetic.generate import generate_projects
from tests.benchmarks._report import Measure, Table

SIZES = (10_000, 100_000, 1_000_000)
GENERATED = 5_000
GENERATED_PROJECTS = Collection("project", "https://directory.example", "generated", None)
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ID = re.compile(r"<(id|project_id|analysis_id)>(\d+)</\1>")

MEASURE = """
import sys
from time import perf_counter, process_time
import dirframe
from dirframe import stats

what, folder, target = sys.argv[1:]
begin, at = process_time(), perf_counter()
archive = dirframe.open_archive(folder)
rows = 0
if what == "open":
    rows = archive.status().records
elif what == "parquet":
    archive.to_parquet(target)
elif what == "parted":
    archive.to_parquet(target, partition_on="analysis_main_language_name")
elif what == "two columns":
    for part in archive.chunks(columns=["created_at", "analysis_total_code_lines"]):
        rows += len(part)
seconds, clock = process_time() - begin, perf_counter() - at
with open("/proc/self/status") as stream:
    peak = next(int(line.split()[1]) for line in stream if line.startswith("VmHWM"))
print(seconds, clock, peak // 1024)
"""
ON_DASK = """
import sys
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time
import dirframe
from distributed import Client, LocalCluster

def used():
    return process_time(), getrusage(RUSAGE_SELF).ru_maxrss

if __name__ == "__main__":
    what, folder, target = sys.argv[1:]
    archive = dirframe.open_archive(folder)
    workers = int(what.split()[2])
    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster, Client(cluster) as client:
        at = perf_counter()
        archive.to_parquet(target, partition_on="analysis_main_language_name", client=client)
        clock = perf_counter() - at
        found = client.run(used).values()
    print(sum(seconds for seconds, _ in found), clock, max(peak for _, peak in found) // 1024)
"""
WAYS = ("open", "two columns", "parquet", "parted", "parted, Dask, 1", "parted, Dask, 2")
CHART = Path("benchmark-results") / "archives.svg"


def main(sizes):
    found = {}
    table = Table(
        ("records", "measure"),
        Measure("records a second of processor time", "", "higher", ",.0f"),
        Measure("records a second by the clock", "", "higher", ",.0f"),
        Measure("peak memory", "MiB", "lower", ",.0f"),
        Measure("on disk", "MB", "lower", ",.0f"),
    )
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="dirframe-archives-") as place:
            folder = Path(place) / "projects.archive"
            begin = process_time()
            packed = write(folder, size)
            speed = size / (process_time() - begin)
            table.row((size, "write"), speed, None, None, packed / 1e6)
            for way in WAYS:
                target = Path(place) / way.replace(" ", "-")
                seconds, clock, peak = measured(way, folder, target)
                shutil.rmtree(target, ignore_errors=True)
                found.setdefault(way, {})[size] = (size / seconds, peak)
                table.row((size, way), size / seconds, size / clock, peak, None)
    draw(found, CHART)


def measured(way, folder, target):
    program = folder.with_name("program.py")
    program.write_text(ON_DASK if "Dask" in way else MEASURE, encoding="utf-8")
    what = way.replace(",", "")
    done = subprocess.run(
        [sys.executable, str(program), what, str(folder), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, clock, peak = map(float, done.stdout.split())
    return seconds, clock, peak


def draw(found, file):
    """Draw records a second and peak memory by size, a line for each way."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    for marker, (way, by_size) in zip("osD^v<", found.items(), strict=False):
        colour = "#b0b0b0" if "Dask" in way else None
        for axes, which in ((left, 0), (right, 1)):
            values = [one[which] for one in by_size.values()]
            axes.plot(list(by_size), values, marker=marker, label=way, color=colour)
    left.set(
        xscale="log", yscale="log", xlabel="records", title="Records a second of the processor"
    )
    right.set(xscale="log", ylim=(0, None), xlabel="records", title="Peak memory, MiB")
    right.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file)
    print(f"\nThe chart is in {file}.")


def write(
    path,
    size,
    made=None,
    *,
    collection=GENERATED_PROJECTS,
    is_finished=True,
):
    """Write the archive of a harvest, of generated pages or those that are given; return its bytes."""
    with Store.open_writer(path, collection) as store:
        one = Round(1, RoundKind.FULL, "id", BEGIN.isoformat())
        store.add_round(one)
        number = 0
        for number, (content, ids) in enumerate(made or pages(size), 1):
            digest, compressed = compress(content)
            page = PageRecord(
                page=number,
                session=1,
                sha256=digest,
                size=len(content),
                compressed_size=len(compressed),
                retrieved=(BEGIN + timedelta(seconds=number)).isoformat(),
                first=(number - 1) * PAGE_SIZE,
                available=size,
                ids_json=encode_ids(ids),
                low=ids[0],
                high=ids[-1],
                ordered=1,
                paid=1,
                synthetic=1,
            )
            store.add_page(one, page, compressed)
        if is_finished:
            at = (BEGIN + timedelta(seconds=number + 1)).isoformat()
            one.outcome = Outcome(at=at, pages=number, available=size)
            store.update_round(one)
    return path.stat().st_size


def pages(size):
    """Give pages of generated projects, each with ids of its own."""
    records = [record_xml(PROJECT, record) for record in generate_projects(GENERATED)]
    for first in range(0, size, PAGE_SIZE):
        ids = list(map(str, range(first + 1, min(first + PAGE_SIZE, size) + 1)))
        shown = [
            ID.sub(rf"<\g<1>>{one}</\g<1>>", records[(int(one) - 1) % GENERATED]) for one in ids
        ]
        head = (
            f"<response><status>success</status><items_returned>{len(ids)}</items_returned>"
            f"<items_available>{size}</items_available>"
            f"<first_item_position>{first}</first_item_position><result>"
        )
        yield f"{head}{''.join(shown)}</result></response>".encode(), ids


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or list(SIZES))

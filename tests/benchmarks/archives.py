"""Archives of generated records, written by the archive's own writer and read to Parquet.

Sizes are 10,000, 100,000 and 1,000,000 records, or those that are named:
python -m tests.benchmarks.archives 5000000. Each measure is a process of its own. Seconds are
of the processor, imports included; memory is the peak, all libraries included.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from dirframe.archive.journal import Journal
from dirframe.archive.manifest import FORMAT, MANIFEST
from dirframe.archive.pages import Kept
from dirframe.archive.storing import store
from dirframe.schema import PAGE_SIZE, PROJECT
from dirframe.service.generate import generate_projects
from dirframe.service.writer import record_xml

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (10_000, 100_000, 1_000_000)
GENERATED = 5_000
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ID = re.compile(r"<(id|project_id|analysis_id)>(\d+)</\1>")

MEASURE = """
import sys
from time import process_time
import dirframe
from dirframe import stats

what, folder, target = sys.argv[1:]
begin = process_time()
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
seconds = process_time() - begin
with open("/proc/self/status") as stream:
    peak = next(int(line.split()[1]) for line in stream if line.startswith("VmHWM"))
print(seconds, peak // 1024)
"""
WAYS = ("open", "two columns", "parquet", "parted")


def main(sizes: list[int]) -> None:
    print(
        "| records | pages on disk | measure | records a second of processor time | peak memory, MiB |"
    )
    print("|---|---|---|---|---|")
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="dirframe-archives-") as place:
            folder = Path(place) / "archive"
            begin = process_time()
            packed = write(folder, size)
            speed = size / (process_time() - begin)
            print(f"| {size:,} | {packed / 1e6:,.0f} MB | write | {speed:,.0f} | |", flush=True)
            for way in WAYS:
                seconds, peak = measured(way, folder, Path(place) / way)
                print(f"| | | {way} | {size / seconds:,.0f} | {peak:,.0f} |", flush=True)


def measured(way: str, folder: Path, target: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, way, str(folder), str(target)],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, peak = map(float, done.stdout.split())
    return seconds, peak


def write(folder: Path, size: int) -> int:
    """Write the archive of a finished harvest; return the bytes of its pages."""
    folder.mkdir()
    journal = Journal(folder / MANIFEST)
    what = {"resource": "project", "base_url": "https://directory.example", "query": None}
    journal.add({"event": "archive", "format": FORMAT, "source": "generated"} | what)
    journal.add({"event": "round", "kind": "whole", "sort": "id", "at": BEGIN.isoformat()})
    total, number = 0, 0
    for number, (content, ids) in enumerate(pages(size), 1):
        digest, packed = store(folder, content)
        total += packed
        journal.add(
            Kept(
                page=number,
                session=1,
                sha256=digest,
                bytes=len(content),
                packed=packed,
                retrieved=(BEGIN + timedelta(seconds=number)).isoformat(),
                first=(number - 1) * PAGE_SIZE,
                available=size,
                names=Kept.joined(ids),
                low=ids[0],
                high=ids[-1],
                ordered=True,
                paid=1,
                synthetic=True,
            ).event(1)
        )
    at = (BEGIN + timedelta(seconds=number + 1)).isoformat()
    facts = {"pages": number, "available": size, "complete": True, "why": None}
    settled: dict[str, object] = {"order": None, "again": [], "gone": []}
    journal.add({"event": "end", "round": 1, "at": at} | facts | settled)
    journal.close()
    return total


def pages(size: int) -> Iterator[tuple[bytes, list[str]]]:
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

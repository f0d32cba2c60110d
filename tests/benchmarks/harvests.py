"""Memory of ending a harvest, and of an update, of a collection of a million ids.

All pages but the last are in the archive already, written by its own writer; the harvest goes on over
HTTP, fetches what is missing and proves the whole. Then a hundred records change, and an update finds
them; then ten are removed, and an update locates them. Records are small: it is the ids that count.
The service is another process. Memory is the extra peak after the libraries were loaded by a harvest
and an update of a thousand records (Linux).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import dirframe
from dirframe.archive.model import Collection
from dirframe.archive.rounds.changes import NEWEST_FIRST
from tests.benchmarks._report import Cell, Measure, Table
from tests.benchmarks.archives import BEGIN, write
from tests.benchmarks.reading import highest
from tests.rig.server import KEY, Reply, Request, Rig, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = 1_000_000
WARM_UP = 1_000
SIZE = 25
CHANGED, REMOVED = 100, 10
GOAL = 60  # MiB
HARVEST, UPDATE, REMOVALS = "the end of a harvest", "update", "update that locates removed records"


class Dated(Rig):
    """Records with times of change; those of the newest ids are after the harvest."""

    def __init__(self, ids: list[str]) -> None:
        super().__init__(size=SIZE)
        self.held = ids

    def page(self, request: Request) -> Reply:
        first = (request.page - 1) * SIZE
        shown = self.held[first : first + SIZE]
        if request.query.get("sort") == NEWEST_FIRST:
            end = len(self.held) - first
            shown = self.held[max(end - SIZE, 0) : end][::-1]
        return Reply(page_of(shown, len(self.held), first))


def page_of(ids: list[str], available: int, first: int) -> bytes:
    """Write a page of records that are small: it is the ids that count."""
    records = [record(one, name=one, updated_at=changed_at(int(one))) for one in ids]
    return page_xml(records, available=available, first=first)


def changed_at(number: int) -> str:
    """Return when a record changed: one an hour, the last hundred after the harvest began."""
    return (BEGIN + timedelta(hours=number - RECORDS + CHANGED)).strftime("%Y-%m-%dT%H:%M:%SZ")


def pages(ids: list[str]) -> Iterator[tuple[bytes, list[str]]]:
    """Give all pages but the last."""
    for first in range(0, len(ids) - SIZE, SIZE):
        shown = ids[first : first + SIZE]
        yield page_of(shown, len(ids), first), shown


def extra_peak(act: str, archives: dict[str, Path]) -> float:
    """Return the extra peak of an act on the last archive, in a process of its own, in MiB."""
    arguments = [str(part) for url, path in archives.items() for part in (url, path)]
    folders = {f"DIRFRAME_{name}_DIR": arguments[1] + name for name in ("CACHE", "DATA")}
    environment = os.environ | folders | {"DIRFRAME_API_KEY": KEY}
    command = [sys.executable, "-m", __spec__.name, act, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return float(done.stdout)


def report_peak(act: str, few_url: str, few: str, url: str, path: str) -> None:
    run(act, few_url, few)  # libraries are loaded and have their buffers
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew (Linux)
    before = highest()
    run(act, url, path)
    print(highest() - before)


def run(act: str, url: str, path: str) -> None:
    """Harvest to the end, or update, and see that all is there."""
    with dirframe.Directory(url) as directory:
        if act == HARVEST:
            archive = dirframe.harvest("projects", path, directory=directory)
        else:
            archive = dirframe.update(path, directory=directory)
    assert archive.status().complete, archive.status()


def main() -> None:
    table = Table(
        "act", Measure("extra peak", "MiB", "lower", ".0f"), Measure("requests", "", "lower", "d")
    )
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        services, archives = [], {}
        for size in (WARM_UP, RECORDS):
            ids = [str(number) for number in range(RECORDS - size + 1, RECORDS + 1)]
            services.append(stack.enter_context(Dated(ids)))
            path = Path(folder, f"{size}.archive")
            url = services[-1].url
            collection = Collection("project", url, url.removeprefix("http://"), None)
            write(path, size, pages(ids), collection=collection, is_finished=False)
            archives[url] = path
        for act in (HARVEST, UPDATE, REMOVALS):
            for service in services:
                service.forget()
                if act == REMOVALS:
                    apart = len(service.held) // REMOVED
                    service.held = [one for n, one in enumerate(service.held) if n % apart]
            peak = extra_peak(act, archives)
            table.row(act, Cell(peak, GOAL), len(services[-1].requests))


if __name__ == "__main__":
    if sys.argv[1:]:
        report_peak(*sys.argv[1:])
    else:
        main()

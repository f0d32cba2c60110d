"""What a harvest of a whole directory by ids costs: requests, seconds and memory, over HTTP.

::

    python -m tests.benchmarks.whole [PROJECTS]

A stand-in of today's live service in a process of its own has 700,000 projects, of which 12 of 100 ids do not
exist. Its records are recorded ones with new ids, or else generated ones. Memory is that of the process
that harvests, at most until the end of each step.
"""

import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import perf_counter

import dirframe
from tests.benchmarks.corpus import project_pages
from tests.rig.today import Today, leading_number, without_analysis

PROJECTS = 700_000
RECORD = re.compile("<project>.*?</project>(?=\\s*(?:<project>|</result>))", re.DOTALL)
ID = re.compile("<id>[0-9]+</id>")
ANALYSIS_ID = re.compile("<analysis_id>[^<]*</analysis_id>|<analysis_id */>")


class Records(Sequence):
    """Projects that are written when they are sent."""

    def __init__(self, ids, templates):
        self.ids, self.templates = ids, templates

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, places):
        ids = self.ids[places]
        return [self.templates[n % len(self.templates)].replace("{id}", str(n)) for n in ids]


class Whole(Today):
    """Today's live service with more projects than fit into a list."""

    def __init__(self, count):
        super().__init__()
        bound = round(count / 0.88)
        self.existing = sorted(Random(1).sample(range(1, bound + 1), count))
        self.known = set(self.existing)
        self.templates, self.kind_of_records = templates()
        self.moves = False

    def chosen(self, request):
        asked = request.query.get("ids")
        if asked:
            numbers = sorted({leading_number(part) for part in asked.split(",")} & self.known)
            return Records(numbers, self.templates)
        is_newest = request.query.get("sort") == "new"
        return Records(self.existing[::-1] if is_newest else self.existing, self.templates)

    def _shown(self, xml):
        return xml


def templates():
    """Return records whose ids are to be filled in, and what they are."""
    pages, kind = project_pages(325)
    records = []
    for page in pages:
        for xml in RECORD.findall(page.decode()):
            record = ID.sub("<id>{id}</id>", without_analysis(xml), count=1)
            if ANALYSIS_ID.search(record) is None:
                record = record.replace("</project>", "<analysis_id></analysis_id></project>")
            records.append(record)
    return records, kind


def serve(count):
    """Serve until standard input ends."""
    with Whole(count) as rig:
        print(rig.url, rig.key, rig.kind_of_records, sep="\t", flush=True)
        sys.stdin.read()
        print(len(rig.requests), flush=True)


def memory():
    """Return the highest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name, step):
    """Print what a step costs, and return its result."""
    begin = perf_counter()
    result = step()
    print(f"{name:<24} {perf_counter() - begin:>8,.0f} s {memory():>8,.0f} MiB at most", flush=True)
    return result


def harvest(url, key, folder):
    limits = {"name": "stand-in", "cache": False, "daily_quota": 1_000_000}
    with dirframe.Directory(url, key, **limits) as directory:
        return dirframe.harvest("projects", folder / "whole.archive", directory=directory)


def main(count):
    command = [sys.executable, "-m", "tests.benchmarks.whole", "--serve", str(count)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with tempfile.TemporaryDirectory() as name, subprocess.Popen(command, **pipes) as server:
        url, key, kind = server.stdout.readline().rstrip("\n").split("\t")
        folder = Path(name)
        print(f"{count:,} projects: {kind}", flush=True)
        archive = measure("harvest", lambda: harvest(url, key, folder))
        status = measure("status", lambda: dirframe.open_archive(archive.path).status())
        measure("to_parquet", lambda: archive.to_parquet(folder / "whole.parquet"))
        requests, _ = server.communicate()
        floor = -(-count // 25)
        print(f"requests: {int(requests):,}, at 25 a request {floor:,}")
        sizes = [(folder / f"whole.{end}").stat().st_size / 2**20 for end in ("archive", "parquet")]
        print("archive {:,.0f} MiB, Parquet {:,.0f} MiB".format(*sizes))
        print(status)


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(int(sys.argv[-1]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else PROJECTS)

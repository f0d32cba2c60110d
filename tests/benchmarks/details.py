"""A harvest with details over days of 1,000 requests, killed twice a day: what is asked for twice.

Requests are counted by the service, in the dialect of today's but with 25 projects a page, over
generated projects: 12,360, or as many as are named: python -m tests.benchmarks.details 2000. A day is
a new count of the quota. A process is killed after a random number of requests; an answer that is on
its way then, at most one for each worker, was paid and is not written down, so it is asked for again.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import dirframe
from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.dialects import DIALECTS, TODAY
from dirframe.service.synthetic import generate
from dirframe.service.web.access_log import ACCESS_LOG

RECORDS = 12_360
QUOTA = 1_000
KILLS = 2
DAYS = 20
PAGE_SIZE = 25

HARVEST = """
import sys
import dirframe
url, folder, quota = sys.argv[1:]
try:
    with dirframe.Directory(url, daily_quota=int(quota)) as directory:
        dirframe.harvest("projects", folder, directory=directory, details=True)
except dirframe.QuotaExceededError:
    sys.exit(7)
"""


_LARGER = {"project": PAGE_SIZE}


class _Targets(logging.Handler):
    """Counts the addresses that the service answered with something new."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.redirects = 0

    def emit(self, record: logging.LogRecord) -> None:
        arguments = record.args
        if isinstance(arguments, tuple) and len(arguments) > 4:
            self.counts[str(arguments[3])] += arguments[4] == "200"
            self.redirects += arguments[4] == "302"


def main(records: int) -> None:
    targets = _Targets()
    ACCESS_LOG.addHandler(targets)
    ACCESS_LOG.setLevel(logging.INFO)
    chance = random.Random(1)
    rules = replace(TODAY, name="today, larger pages", page_size={**TODAY.page_size, **_LARGER})
    DIALECTS[rules.name] = rules
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder / "data", accounts=1, projects=records)
        with KeyStore(folder / "keys.sqlite") as keys:
            key = keys.add("the benchmark", "details", daily_limit=10**9)
            with dirframe.serve(folder / "data", keys=keys, dialect=rules.name) as url:
                days, kills = _harvest(url, key, folder, chance, targets)
            total = keys.list()[0].used
        archive = dirframe.open_archive(folder / "kept.archive")
        status, frame = archive.status(), archive.frame()
    targets.counts = +targets.counts
    twice = sum(count - 1 for count in targets.counts.values())
    print("| what | figure |")
    print("|---|--:|")
    print(f"| projects, complete | {len(frame):,}, {status.complete} |")
    print(f"| with a main language | {frame['analysis_main_language_name'].notna().sum():,} |")
    print(f"| days of {QUOTA:,} requests, kills | {days}, {kills} |")
    print(f"| requests counted by the service | {total:,} |")
    print(f"| different documents | {len(targets.counts):,} |")
    pages = -(-records // PAGE_SIZE)
    print(
        f"| of them pages of {PAGE_SIZE}, own pages | {pages:,}, {len(targets.counts) - pages:,} |"
    )
    print(f"| documents sent again | {twice:,} |")
    print(f"| redirects, one a session that asks | {targets.redirects:,} |")


def _harvest(
    url: str, key: str, folder: Path, chance: random.Random, targets: _Targets
) -> tuple[int, int]:
    kills = 0
    for day in range(1, DAYS + 1):
        environment = os.environ | {
            "DIRFRAME_API_KEY": key,
            "DIRFRAME_CACHE_DIR": str(folder / "cache"),
            "DIRFRAME_DATA_DIR": str(folder / f"day-{day}"),
        }
        for session in range(KILLS + 1):
            command = [sys.executable, "-c", HARVEST, url, str(folder / "kept.archive"), str(QUOTA)]
            process = subprocess.Popen(command, env=environment)
            if session < KILLS:
                enough = targets.counts.total() + chance.randrange(50, 400)
                while process.poll() is None and targets.counts.total() < enough:
                    time.sleep(0.02)
                if process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                    kills += 1
            code = process.wait()
            if code == 0:
                return day, kills
            if code == 7:
                break
    return DAYS, kills


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else RECORDS)

"""A harvest with details over 13 days, killed twice a day: what each counted request was for.

Requests are read off the service's access log, in the dialect of today's but with 25 projects a
page, over generated projects: 12,360 with 1,000 requests a day, or as many as are named with as
many a day in proportion: python -m tests.benchmarks.details 1236. A day is a new count of the
quota. A process is killed after a random number of requests. What it was sent and had not written down yet, at most
one answer for each worker, is lost: that is inherent in SIGKILL. After each session the archive
shows which answers those are, so each request gets its one reason.
"""

from __future__ import annotations

import logging
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import dirframe
from dirframe.archive.model import RoundKind
from dirframe.archive.store import Store
from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.dialects import DIALECTS, TODAY
from dirframe.service.synthetic.generate import generate
from dirframe.service.web.access_log import ACCESS_LOG
from tests.benchmarks._report import Listing

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
_QUOTA_USED = 7

#: The document of a request: the number of a page, or the id in the address of an own page.
_DOCUMENT = re.compile(r"^/p/(?P<own>[^./]+)\.xml$|^/p\.xml\?(?:.*&)?page=(?P<page>[0-9]+)")

STORED = "answers stored, each document for the first time"
STATE = "pages asked for again, to see whether the collection is what it was"
LOST = "answers lost at a kill, on their way to the archive"
REDIRECT = "redirects, one for each session that asks"
REFUSED = "answers with an error"
TWICE = "answers paid for twice without need"


class Request(NamedTuple):
    """An answered request."""

    target: str
    status: str

    @property
    def asks_for_changes(self):
        """Whether it asks for what changed while the pages were read."""
        return "sort=updated_at" in self.target

    @property
    def document(self):
        """The page or own page that was asked for; otherwise the whole target."""
        found = None if self.asks_for_changes else _DOCUMENT.match(self.target)
        return self.target if found is None else found["own"] or f"page {found['page']}"


class _Log(logging.Handler):
    """Collect the requests that the service answered."""

    def __init__(self):
        super().__init__()
        self.requests = []

    def emit(self, record):
        assert isinstance(record.args, tuple)
        self.requests.append(Request(str(record.args[3]), str(record.args[4])))

    def settle(self):
        """Wait until the answers under way at a kill are logged; return the number of requests."""
        while True:
            before = len(self.requests)
            time.sleep(0.3)
            if len(self.requests) == before:
                return before


def stored_documents(path):
    """Return how often each document is stored in an archive."""
    if not path.exists():
        return Counter()
    with Store.open(path) as store:
        documents = Counter()
        for each in store.rounds():
            own = each.kind is RoundKind.DETAILS
            for page in store.pages(each):
                documents[str(page.ids[0]) if own else f"page {page.page}"] += 1
            documents.update(refusal.id for refusal in store.refusals(each))
        return documents


def classify(requests, before, after, *, killed):
    """Return how many requests of one session there are of each kind."""
    kinds = Counter()
    answered = Counter()
    for request in requests:
        if request.status == "302":
            kinds[REDIRECT] += 1
        elif request.document in after:
            answered[request.document] += 1
        elif request.status == "200" and killed:
            kinds[LOST] += 1
        elif request.status == "200" and request.asks_for_changes:
            kinds[STATE] += 1
        else:
            kinds[REFUSED if request.status != "200" else TWICE] += 1
    for document, count in answered.items():
        stored = after[document] - before[document]
        first = stored and not before[document]
        kinds[STORED] += first
        again = stored - first
        kinds[STATE if document.startswith("page ") else TWICE] += again
        # Stored before this session, and asked for without being stored again.
        kinds[TWICE] += count - stored
    return kinds


def main(records):
    quota = max(records * QUOTA // RECORDS, 10)
    log = _Log()
    ACCESS_LOG.addHandler(log)
    ACCESS_LOG.setLevel(logging.INFO)
    ACCESS_LOG.propagate = False
    rules = replace(
        TODAY,
        name="today, larger pages",
        page_size={**TODAY.page_size, "project": PAGE_SIZE},
    )
    DIALECTS[rules.name] = rules
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate(folder / "data", accounts=1, projects=records)
        with KeyStore(folder / "keys.sqlite") as keys:
            key = keys.add("the benchmark", "details", daily_limit=10**9)
            with dirframe.serve(folder / "data", keys=keys, dialect=rules.name) as url:
                days, kills, kinds = _harvest(url, key, folder, quota, log)
            counted = keys.list()[0].used
        archive = dirframe.open_archive(folder / "kept.archive")
        status, frame = archive.status(), archive.frame()
    assert kinds.total() == counted, (kinds, counted)
    counts = Listing()
    counts.row("projects", len(frame), "", "higher", goal=records, form=",")
    counts.row("complete (1: yes)", int(status.complete), "", "higher", goal=1, form="d")
    languages = int(frame["analysis_main_language_name"].notna().sum())
    counts.row("with a main language", languages, "", form=",")
    counts.row(f"days of {quota:,} requests", days, "", "lower", form=",")
    counts.row("kills", kills, "", form=",")
    counts.row("requests counted by the service", counted, "", "lower", form=",")
    for kind in (STORED, STATE, LOST, REDIRECT):
        counts.row(kind, kinds[kind], "", form=",")
    for kind in (REFUSED, TWICE):
        counts.row(kind, kinds[kind], "", "lower", goal=0, form=",")
    needed = -(-records // PAGE_SIZE) + records
    counts.row(f"for comparison: pages of {PAGE_SIZE} and projects", needed, "", form=",")


def _harvest(url, key, folder, quota, log):
    chance = random.Random(1)
    kinds = Counter()
    kills = 0
    path = folder / "kept.archive"
    begin, before = 0, stored_documents(path)
    for day in range(1, DAYS + 1):
        environment = os.environ | {
            "DIRFRAME_API_KEY": key,
            "DIRFRAME_CACHE_DIR": str(folder / "cache"),
            "DIRFRAME_DATA_DIR": str(folder / f"day-{day}"),
        }
        for session in range(KILLS + 1):
            command = [sys.executable, "-c", HARVEST, url, str(path), str(quota)]
            process = subprocess.Popen(command, env=environment)
            if session < KILLS:
                enough = len(log.requests) + chance.randrange(quota // 20, quota * 2 // 5)
                while process.poll() is None and len(log.requests) < enough:
                    time.sleep(0.005)
                process.send_signal(signal.SIGKILL)
            code = process.wait()
            kills += code == -signal.SIGKILL
            end, after = log.settle(), stored_documents(path)
            session_kinds = classify(
                log.requests[begin:end], before, after, killed=code == -signal.SIGKILL
            )
            print(f"day {day}.{session + 1} {code}: {dict(+session_kinds)}", file=sys.stderr)
            kinds += session_kinds
            begin, before = end, after
            if code == 0:
                return day, kills, kinds
            if code == _QUOTA_USED:
                break
    return DAYS, kills, kinds


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else RECORDS)

"""Generate collections of any size and write them as XML."""

# A record depends only on the seed and its index. A smaller collection is therefore a prefix of
# every larger one with the same seed, and memory use is constant.

from __future__ import annotations

import gzip
import io
from heapq import nlargest
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from dirframe.schema import ACCOUNT, PROJECT, Resource
from dirframe.service.records import text_of
from dirframe.service.xml import collection_parts, element_xml, record_xml
from tools.synthetic.accounts import account
from tools.synthetic.history import History
from tools.synthetic.languages import languages
from tools.synthetic.projects import project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from dirframe.service.records import Record, Value

#: Seed of the bundled sample, chosen among eleven so that rare values are as frequent as measured.
SEED = 2006
#: Projects with documents of their own: those with most contributors in a year.
_DOCUMENTED = 20


def generate_accounts(count: int, *, seed: int = SEED) -> Iterator[dict[str, Value]]:
    """Yield synthetic accounts, as records of `dirframe.service.records`."""
    return _generated(account, count, seed)


def generate_projects(count: int, *, seed: int = SEED) -> Iterator[dict[str, Value]]:
    """Yield synthetic projects that follow figures of 12,360 real ones."""
    return _generated(project, count, seed)


def _generated(
    make: Callable[[Random, int, int], dict[str, Value]], count: int, seed: int
) -> Iterator[dict[str, Value]]:
    rng = Random()
    return (make(rng, seed, index) for index in range(count))


def generate(folder: Path, *, accounts: int, projects: int, seed: int = SEED) -> None:
    """Write a synthetic directory: collections, languages, and documents of the largest projects."""
    _write(folder, "accounts", _xml(ACCOUNT, generate_accounts(accounts, seed=seed)), accounts)
    _write(folder, "projects", _xml(PROJECT, generate_projects(projects, seed=seed)), projects)
    records = languages(generate_projects(projects, seed=seed))
    _write_entries(folder, "languages", "language", records)
    for each in nlargest(_DOCUMENTED, generate_projects(projects, seed=seed), _contributors):
        if _contributors(each) < 1:
            break
        history, path = History(each), folder / "projects" / text_of(each, "id")
        _write_entries(path, "contributors", "contributor_fact", history.contributors())
        analysis = path / "analyses" / "latest"
        _write_entries(analysis, "activity_facts", "activity_fact", history.activity())
        _write_entries(analysis, "size_facts", "size_fact", history.sizes())


def _contributors(record: Record) -> int:
    analysis = record.get("analysis")
    text = text_of(analysis, "twelve_month_contributor_count") if isinstance(analysis, dict) else ""
    return int(text or 0)


def _xml(resource: Resource, records: Iterable[Record]) -> Iterator[str]:
    return (record_xml(resource, record) for record in records)


def _write_entries(folder: Path, name: str, tag: str, entries: list[dict[str, Value]]) -> None:
    _write(folder, name, (element_xml(tag, entry) for entry in entries), len(entries))


def _write(folder: Path, name: str, fragments: Iterator[str], count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = collection_parts(fragments, returned=count, available=count, first=0, synthetic=True)
    # No file name and no timestamp, so that the same records give the same bytes.
    with (
        (folder / f"{name}.xml.gz").open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as text,
    ):
        while batch := "".join(islice(parts, 500)):
            text.write(batch)

"""Generate collections of any size and write them as XML."""

# A record depends only on the seed and its index. A smaller collection is therefore a prefix of
# every larger one with the same seed.

from __future__ import annotations

import gzip
from heapq import nlargest
from random import Random
from typing import TYPE_CHECKING, Any

from dirframe.schema import ACCOUNT, PROJECT
from dirframe.service.xml import collection_xml, element_xml, record_xml
from tools.synthetic.accounts import account
from tools.synthetic.history import History
from tools.synthetic.languages import languages
from tools.synthetic.projects import project

if TYPE_CHECKING:
    from pathlib import Path

#: Seed of the bundled sample, chosen among eleven so that rare values are as frequent as measured.
SEED = 2006
#: Projects with documents of their own: those with most contributors in a year.
_DOCUMENTED = 20


def generate_accounts(count: int, *, seed: int = SEED) -> list[dict[str, Any]]:
    """Return synthetic accounts."""
    rng = Random()
    return [account(rng, seed, index) for index in range(count)]


def generate_projects(count: int, *, seed: int = SEED) -> list[dict[str, Any]]:
    """Return synthetic projects that follow figures of 12,360 real ones."""
    rng = Random()
    return [project(rng, seed, index) for index in range(count)]


def generate(folder: Path, *, accounts: int, projects: int, seed: int = SEED) -> None:
    """Write a synthetic directory: collections, languages, and documents of the largest projects."""
    people = generate_accounts(accounts, seed=seed)
    records = generate_projects(projects, seed=seed)
    _write(folder, "accounts", [record_xml(ACCOUNT, each) for each in people])
    _write(folder, "projects", [record_xml(PROJECT, each) for each in records])
    _write_entries(folder, "languages", "language", languages(records))
    for each in nlargest(_DOCUMENTED, filter(_contributors, records), _contributors):
        history, path = History(each), folder / "projects" / each["id"]
        _write_entries(path, "contributors", "contributor_fact", history.contributors())
        analysis = path / "analyses" / "latest"
        _write_entries(analysis, "activity_facts", "activity_fact", history.activity())
        _write_entries(analysis, "size_facts", "size_fact", history.sizes())


def _contributors(record: dict[str, Any]) -> int:
    return int(record["analysis"]["twelve_month_contributor_count"]) if record["analysis"] else 0


def _write_entries(folder: Path, name: str, tag: str, entries: list[dict[str, Any]]) -> None:
    _write(folder, name, [element_xml(tag, entry) for entry in entries])


def _write(folder: Path, name: str, fragments: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    page = collection_xml(fragments, available=len(fragments), synthetic=True)
    # No timestamp, so that the same records give the same bytes.
    (folder / f"{name}.xml.gz").write_bytes(gzip.compress(page, 6, mtime=0))

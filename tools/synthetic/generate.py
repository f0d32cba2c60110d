"""Generate collections of any size and write them as XML."""

# A record depends only on its index: a smaller collection is a prefix of every larger one.

from __future__ import annotations

import gzip
from heapq import nlargest
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from dirframe.service.records import ITEM_TAGS
from dirframe.service.xml import result_xml
from tools.synthetic.accounts import account
from tools.synthetic.history import History, languages
from tools.synthetic.projects import project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: Projects with documents of their own: those with most contributors in a year.
_DOCUMENTED = 20


def generate_projects(count: int) -> Iterator[dict[str, Any]]:
    """Yield synthetic projects that follow figures of 12,360 real ones."""
    return map(project, range(count))


def generate(folder: Path, *, accounts: int, projects: int) -> None:
    """Write a synthetic directory: collections, languages, and documents of the largest projects."""
    _write(folder, "accounts", "account", map(account, range(accounts)))
    _write(folder, "projects", "project", generate_projects(projects))
    # Projects are generated again, so that not all are in memory.
    _write(folder, "languages", "language", languages(generate_projects(projects)))
    analysed = filter(_contributors, generate_projects(projects))
    for each in nlargest(_DOCUMENTED, analysed, _contributors):
        history, path = History(each), folder / "projects" / each["id"]
        _write(path, "contributors", "contributor_fact", history.contributors())
        analysis = path / "analyses" / "latest"
        _write(analysis, "activity_facts", "activity_fact", history.activity())
        _write(analysis, "size_facts", "size_fact", history.sizes())


def _contributors(record: dict[str, Any]) -> int:
    return int(record.get("analysis", {}).get("twelve_month_contributor_count", 0))


def record_xml(tag: str, value: Any) -> str:
    """Return an element: of a record, a list, or a text.

    The key of an attribute is ``@`` and its name; ``#text`` is the text beside attributes.
    """
    attributes, inside = "", ""
    if isinstance(value, list):
        inside = "\n" + "".join(record_xml(ITEM_TAGS[tag], entry) for entry in value)
    elif isinstance(value, dict):
        children = ""
        for name, content in value.items():
            if name.startswith("@"):
                attributes += f' {name[1:]}="{_escape(content)}"'
            elif name != "#text":
                children += record_xml(name, content)
        inside = f"\n{children}" if children else _escape(value["#text"])
    elif value:
        inside = _escape(value)
    return f"<{tag}{attributes}>{inside}</{tag}>\n"


def _escape(text: str) -> str:
    # A parser turns a bare carriage return into a line feed.
    return escape(text, {'"': "&quot;", "\r": "&#13;"})


def _write(folder: Path, name: str, tag: str, records: Iterable[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    fragments = [record_xml(tag, record) for record in records]
    page = result_xml(fragments, len(fragments), synthetic=True)
    # No timestamp, so that the same records give the same bytes.
    (folder / f"{name}.xml.gz").write_bytes(gzip.compress(page, 6, mtime=0))

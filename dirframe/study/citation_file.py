"""Write a citation file (https://citation-file-format.github.io, version 1.2.0)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dirframe.study.model import without_empty

if TYPE_CHECKING:
    from dirframe.study.model import Author, Study, Table


def citation_file(study: Study) -> str:
    """Return the text of a ``CITATION.cff``."""
    key = "license-url" if ":" in study.license else "license"
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use these data, please cite them, and the directory they are from.",
        "type": "dataset",
        "title": study.title,
        "abstract": study.description,
        "authors": [_author(author) for author in study.authors],
        "date-released": study.published,
        key: study.license,
        "references": [
            *(_reference(table) for table in study.tables),
            {
                "type": "software",
                "title": "dirframe",
                "version": study.tables[0].record.dirframe,
                "authors": [{"name": "The dirframe maintainers"}],
            },
        ],
    }
    # Values of JSON are values of YAML, if all breaks of YAML's own are spaces.
    return "".join(
        f"{name}: {json.dumps(_plain(value), ensure_ascii=False)}\n"
        for name, value in without_empty(fields).items()
    )


def _author(author: Author) -> dict[str, str]:
    if author.given:
        return {"family-names": author.name, "given-names": author.given}
    return {"name": author.name}


def _reference(table: Table) -> dict[str, Any]:
    reference = {
        "type": "data",
        "title": table.item["title"],
        "authors": [{"name": author["literal"]} for author in table.item["author"]],
        "url": table.item.get("URL"),
        "date-accessed": (table.record.retrieved_newest or "")[:10],
        "notes": table.item.get("note"),
    }
    return without_empty(reference)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return " ".join(value.split()) if isinstance(value, str) else value

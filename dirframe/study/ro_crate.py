"""Write RO-Crate metadata (https://w3id.org/ro/crate/1.1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from dirframe.study.model import media_type, without_empty

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dirframe.study.model import Author, DataFile, Study, Table

    Entity = dict[str, Any]

_CONFORMS = "https://w3id.org/ro/crate/1.1"


def ro_crate(study: Study) -> dict[str, Any]:
    """Return the metadata document of a crate."""
    tables = [_table(table) for table in study.tables]
    files = [_file(table, file) for table in study.tables for file in table.files]
    others = [_other(path, text) for path, text in study.other_files]
    authors = [_author(author) for author in study.authors]
    licence = _licence(study)
    sources = [_source(name, address) for name, address in study.sources.items()]
    actions = [_action(table, index, sources) for index, table in enumerate(study.tables)]
    columns = [column for table in study.tables for column in _columns(table)]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": study.title,
        "description": study.description,
        "datePublished": study.published,
        "license": {"@id": licence["@id"]},
        "author": _references(authors),
        "isBasedOn": _references(sources),
        "hasPart": _references([*files, *others]),
        "mentions": _references([*tables, *actions]),
        "variableMeasured": _references(columns),
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": _CONFORMS},
        "about": {"@id": "./"},
    }
    software = {
        "@id": "#dirframe",
        "@type": "SoftwareApplication",
        "name": "dirframe",
        "softwareVersion": study.tables[0].record.dirframe,
    }
    graph: list[Entity] = [
        descriptor, root, *files, *others, *tables, *columns, *actions, *sources, software, *authors,
        licence,
    ]  # fmt: skip
    return {
        "@context": f"{_CONFORMS}/context",
        "@graph": list({entity["@id"]: entity for entity in graph}.values()),
    }


def _references(entities: Iterable[Entity]) -> list[dict[str, str]] | dict[str, str]:
    # JSON-LD as RO-Crate wants it: a single value is no list.
    references = [{"@id": identifier} for identifier in dict.fromkeys(e["@id"] for e in entities)]
    return references[0] if len(references) == 1 else references


def _file(table: Table, file: DataFile) -> Entity:
    return {
        "@id": file.path,
        "@type": "File",
        "name": f"{table.item['title']} ({file.path.rpartition('.')[2]})",
        "description": table.citation,
        "encodingFormat": media_type(file.path),
        "contentSize": str(file.size),
        "sha256": file.sha256,
        "about": {"@id": f"#table-{table.name}"},
    }


def _other(path: str, text: str) -> Entity:
    entity: Entity = {"@id": path, "name": path, "description": text}
    if path.endswith("/"):
        return entity | {"@type": "Dataset"}
    return entity | {"@type": "File", "encodingFormat": media_type(path)}


def _table(table: Table) -> Entity:
    return {
        "@id": f"#table-{table.name}",
        "@type": "CreativeWork",
        "name": table.item["title"],
        "description": f"{table.rows:,} rows. Completeness: {table.completeness}.",
        "temporal": table.accessed or "not known",
    }


def _columns(table: Table) -> list[Entity]:
    return [
        without_empty(
            {
                "@id": f"#{quote(f'{table.name}/{column.name}')}",
                "@type": "PropertyValue",
                "name": column.name,
                "additionalType": column.type,
                "description": column.meaning,
                "unitText": column.unit,
            }
        )
        for column in table.columns
    ]


def _action(table: Table, index: int, sources: list[Entity]) -> Entity:
    record = table.record
    action = {
        "@id": f"#retrieval-{index + 1}",
        "@type": "CreateAction",
        "name": f"Retrieval of {table.name}",
        "description": f"Query: {json.dumps(dict(record.query), ensure_ascii=False, sort_keys=True)}",
        "instrument": {"@id": "#dirframe"},
        "object": _references(sources),
        "result": _references({"@id": file.path} for file in table.files),
        "startTime": record.retrieved_oldest,
        "endTime": record.retrieved_newest,
    }
    return without_empty(action)


def _source(name: str, address: str) -> Entity:
    identifier = address or f"#{quote(name)}"
    return without_empty({"@id": identifier, "@type": "WebSite", "name": name, "url": address})


def _author(author: Author) -> Entity:
    identifier = f"#author-{quote(str(author))}"
    if not author.given:
        return {"@id": identifier, "@type": "Organization", "name": author.name}
    return {
        "@id": identifier,
        "@type": "Person",
        "name": str(author),
        "familyName": author.name,
        "givenName": author.given,
    }


def _licence(study: Study) -> Entity:
    if study.license:
        text = "The licence of the records."
        return {
            "@id": study.license_url, "@type": "CreativeWork", "name": study.license, "description": text,
        }  # fmt: skip
    text = (
        "No licence was stated. The terms of use of the directory apply: they ask to cite it and to "
        "link to its home page."
    )
    return {
        "@id": "#terms", "@type": "CreativeWork", "name": "Terms of the directory", "description": text,
    }  # fmt: skip

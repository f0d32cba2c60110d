"""Write a Frictionless data package (https://specs.frictionlessdata.io, version 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.study.model import media_type, without_empty

if TYPE_CHECKING:
    from dirframe.study.model import Column, DataFile, Study, Table


def data_package(study: Study) -> dict[str, Any]:
    """Return the descriptor of a data package."""
    descriptor = {
        "name": study.name,
        "title": study.title,
        "description": study.description,
        "created": f"{study.published}T00:00:00Z",
        "licenses": [{"name": study.license, "path": study.license_url}] if study.license else None,
        "contributors": [{"title": str(author), "role": "author"} for author in study.authors],
        "sources": [
            without_empty({"title": title, "path": path}) for title, path in study.sources.items()
        ],
        "resources": [_resource(table, file) for table in study.tables for file in table.files],
    }
    return without_empty(descriptor)


def _resource(table: Table, file: DataFile) -> dict[str, Any]:
    kind = file.path.rpartition(".")[2]
    schema = {
        "fields": [_field(column, kind) for column in table.columns],
        "missingValues": [""] if kind == "csv" else None,
        "primaryKey": [table.key] if table.key else None,
    }
    # The library of Frictionless counts the bytes of text files only.
    size = {"bytes": file.size} if kind == "csv" else {}
    return {
        "name": f"{table.name}-{kind}",
        "title": table.item["title"],
        "description": table.citation,
        "path": file.path,
        "scheme": "file",
        "format": kind,
        "mediatype": media_type(file.path),
        "encoding": "utf-8",
        **size,
        "hash": f"sha256:{file.sha256}",
        "schema": without_empty(schema),
        # Not of the specification, which allows further properties.
        "rows": table.rows,
        "completeness": table.completeness,
        "accessed": table.accessed,
        "query": dict(table.record.query),
        "provenance": table.record.to_dict(),
    }


def _field(column: Column, kind: str) -> dict[str, str]:
    # Readers get lists of Parquet as arrays of their own, which Frictionless takes for no list.
    is_nested = kind == "parquet" and column.type in {"array", "object"}
    field = {
        "name": column.name,
        "type": "any" if is_nested else column.type,
        "description": column.meaning,
        "unit": column.unit,
    }
    return without_empty(field)

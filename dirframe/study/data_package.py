"""Write a Frictionless data package (https://specs.frictionlessdata.io, version 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.study.model import media_type

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
        "sources": [_source(title, path) for title, path in study.sources.items()],
        "resources": [_resource(table, file) for table in study.tables for file in table.files],
    }
    return {name: value for name, value in descriptor.items() if value}


def _source(title: str, path: str) -> dict[str, str]:
    return {"title": title, "path": path} if path else {"title": title}


def _resource(table: Table, file: DataFile) -> dict[str, Any]:
    kind = file.path.rpartition(".")[2]
    schema: dict[str, Any] = {"fields": [_field(column, kind) for column in table.columns]}
    if kind == "csv":
        schema["missingValues"] = [""]
    if table.key:
        schema["primaryKey"] = [table.key]
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
        "schema": schema,
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
    described = {
        "name": column.name,
        "type": "any" if is_nested else column.type,
        "description": column.meaning,
        "unit": column.unit,
    }
    return {name: value for name, value in described.items() if value}

"""Write Croissant metadata (http://mlcommons.org/croissant/1.0), which machine learning reads."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from dirframe.study.model import media_type

if TYPE_CHECKING:
    from dirframe.study.model import Study, Table

#: Types of schema.org; lists are JSON, as text.
_TYPES = {
    "boolean": "sc:Boolean",
    "integer": "sc:Integer",
    "number": "sc:Float",
    "datetime": "sc:DateTime",
}


def croissant(study: Study) -> dict[str, Any]:
    """Return the metadata document of a data set."""
    terms = next((address for address in study.sources.values() if address), "")
    return {
        "@context": json.loads(
            files("dirframe.study").joinpath("croissant_context.json").read_text("utf-8")
        ),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": study.title,
        "description": study.description,
        "citeAs": " ".join(dict.fromkeys(table.citation for table in study.tables)),
        "datePublished": study.published,
        "license": study.license_url or f"The terms of the directory apply. {terms}".strip(),
        **({"url": terms} if terms else {}),
        "version": "1.0.0",
        "creator": [
            {"@type": "sc:Person" if author.given else "sc:Organization", "name": str(author)}
            for author in study.authors
        ],
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.path,
                "name": file.path,
                "contentUrl": file.path,
                "contentSize": f"{file.size} B",
                "encodingFormat": media_type(file.path),
                "sha256": file.sha256,
            }
            for table in study.tables
            for file in table.files
        ],
        "recordSet": [_records(table) for table in study.tables],
    }


def _records(table: Table) -> dict[str, Any]:
    identifier = re.sub(r"[^\w-]", "_", table.name)
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{identifier}/{column.name}",
            "name": f"{identifier}/{column.name}",
            "description": ", ".join(filter(None, (column.meaning, column.unit))) or column.name,
            "dataType": _TYPES.get(column.type, "sc:Text"),
            "source": {
                "fileObject": {"@id": table.files[0].path},
                "extract": {"column": column.name},
            },
        }
        for column in table.columns
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": identifier,
        "name": identifier,
        "description": table.citation,
        "field": fields,
    }

"""All metadata files of a study."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dirframe.study.citation_file import citation_file
from dirframe.study.croissant import croissant
from dirframe.study.data_package import data_package
from dirframe.study.ro_crate import ro_crate

if TYPE_CHECKING:
    from dirframe.study.model import Study

#: Files beside the tables, with their descriptions; RO-Crate does not list its own.
METADATA_FILES: dict[str, str] = {
    "CITATION.cff": "How to cite the study (Citation File Format 1.2.0)",
    "croissant.json": "The tables for machine learning (Croissant 1.0)",
    "datapackage.json": "Type, unit and meaning of each column (Frictionless data package 1)",
    "README.md": "What the files are and how to open them",
}


def metadata_texts(study: Study) -> dict[str, bytes]:
    """Return the metadata files of a study by name, without the README."""
    texts = {
        "CITATION.cff": citation_file(study),
        "croissant.json": _json(croissant(study)),
        "datapackage.json": _json(data_package(study)),
        "ro-crate-metadata.json": _json(ro_crate(study)),
    }
    return {name: text.encode() for name, text in texts.items()}


def _json(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"

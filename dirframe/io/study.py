"""Write a study: a zip file of tables that another person and other programs understand."""

# The description is a Frictionless data package (https://specs.frictionlessdata.io, version 1).

from __future__ import annotations

import json
import re
import zipfile
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import __version__
from dirframe._arrow import plain_value
from dirframe.citation import Source, cite
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io.writers import frame_bytes, record_bytes
from dirframe.provenance import get_provenance, resource_of, set_provenance
from dirframe.schema import ACCOUNT, RESOURCES, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dirframe.archive.archive import Archive
    from dirframe.schema import Field, Items, Resource

#: Licence of generated sample records.
_SAMPLE_LICENCE = "CC0-1.0"
#: An expression of SPDX, or an address.
_LICENCE = re.compile(r"[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*|https?://\S+")
#: An account in a path, by another name than its id.
_ACCOUNT = re.compile(r"/accounts/(?!\d+(?:/|\.xml$))[^/]+?(?=/|\.xml$)")
#: Columns that the functions of this package add to records.
_ADDED = {"id", "account_id", "project_id", "country_alpha_2", "country_alpha_3", "country_name"}
_ARCHIVE = "pages.archive"
#: Types of Frictionless by the kind of a dtype.
_TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "datetime"}
_MEDIA_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}

_README = """# {title}

{tables}

`datapackage.json` says what each column is: its type, its unit and its meaning; `citation.bib` how
to cite the records. The tables are in `data/`, each as CSV and as Parquet, with the same records.
Unpack the file; then, in its folder:

    dirframe.read_export("data/{name}.parquet")     # Python, with the provenance
    pandas.read_parquet("data/{name}.parquet")      # Python
    arrow::read_parquet("data/{name}.parquet")      # R
    read.csv("data/{name}.csv", na.strings = "")    # R, without further packages
    SELECT * FROM 'data/{name}.parquet'             -- DuckDB

No key and no network are needed. In CSV, times are ISO 8601 in UTC, lists are JSON, a missing value
is an empty cell, and a text that a spreadsheet would take for a formula begins with an apostrophe.

{persons}

Written by dirframe {version}.
"""


def write_study(
    frames: dict[str, pd.DataFrame],
    file: Path,
    *,
    title: str | None,
    authors: Sequence[str],
    license: str | None,
    personal: bool,
    archive: Archive | str | Path | None,
) -> None:
    """Write frames as a study; the options are those of `dirframe.export`."""
    pages = _archive_content(archive, personal=personal)
    people = _people(authors)
    if license and not _LICENCE.fullmatch(license):
        raise InvalidInputError(
            f"license is {license!r}; it must be an identifier of SPDX, such as CC-BY-4.0, or the "
            "address of the licence."
        )
    tables: dict[str, pd.DataFrame] = {}
    left_out: dict[str, list[str]] = {}
    for given, frame in frames.items():
        name = re.sub(r"[^a-z0-9._-]+", "-", given.lower()).strip("-.") or "table"
        if name in tables:
            raise InvalidInputError(
                f"Two frames would be written to data/{name}.csv; give them names that differ in "
                "letters and digits."
            )
        tables[name], left_out[name] = (frame, []) if personal else _without_persons(name, frame)
    contents: dict[str, bytes] = {}
    resources: list[dict[str, Any]] = []
    for name, frame in tables.items():
        contents[f"data/{name}.csv.provenance.json"] = record_bytes(frame)
        for kind in ("csv", "parquet"):
            content = contents[f"data/{name}.{kind}"] = frame_bytes(frame, f".{kind}")
            resources.append(_resource(name, frame, kind, content))
    records = [get_provenance(frame) for frame in tables.values()]
    synthetic = all(record["synthetic"] for record in records)
    terms = license or (_SAMPLE_LICENCE if synthetic else "")
    address = terms if ":" in terms else f"https://spdx.org/licenses/{terms}"
    cited = dict.fromkeys(str(cite(frame)) for frame in tables.values())
    cited_sources = [Source(frame) for frame in tables.values()]
    sources = {source.name: source.link for source in cited_sources}
    whole = title or "; ".join(dict.fromkeys(source.title() for source in cited_sources))
    package = {
        "name": next(iter(tables)) if len(tables) == 1 else "study",
        "title": " ".join(whole.split()),
        "description": " ".join(cited),
        "created": _created(records),
        "licenses": [{"name": terms, "path": address}] if terms else None,
        "contributors": [{"title": one, "role": "author"} for one in people or sources],
        "sources": [_filled({"title": one, "path": path}) for one, path in sources.items()],
        "resources": resources,
    }
    contents["datapackage.json"] = _json(_filled(package))
    cited_as = [cite(frame, style="bibtex") for frame in tables.values()]
    entries = {entry.partition(",")[0]: entry for entry in cited_as}  # one for each key
    contents["citation.bib"] = "\n".join(entries.values()).encode()
    contents["README.md"] = _readme(package["title"], tables, left_out, personal=personal)
    if pages is not None:
        contents[_ARCHIVE] = pages
    with zipfile.ZipFile(file, "w") as packed:
        for name in sorted(contents):
            # Without a time: the bytes depend on the content alone.
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            packed.writestr(entry, contents[name], zipfile.ZIP_DEFLATED)


def _without_persons(name: str, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a frame without what tells, or may tell, who or where a person is, and the names of that."""
    resource, record = resource_of(frame), get_provenance(frame)
    fields = resource.fields if resource else ()
    lists = {field.column: field.items for field in fields if field.items}
    is_child = resource is not None and f"{resource.name}_id" in frame  # entries of the lists
    described = [
        *(() if is_child else fields),
        *chain.from_iterable(items.fields for items in lists.values()),
    ]
    personal = {field.column for field in described if field.personal}
    known = {*_ADDED, *(field.column for field in described)}
    is_loaded = resource is not None and not (record["statistic"] or record["counted"])
    about_persons, unknown = [], []
    for column in frame:
        values, element = frame[column], str(column).removesuffix("_unreadable")
        if element in personal:
            about_persons.append(str(column))
        elif element not in known or (element in lists and not _is_lists(values)):
            # A number, in a resource of the specification, was computed: its elements are text.
            is_element = _is_text(values) or resource not in RESOURCES.values()
            unknown += [str(column)] if is_loaded and is_element else []
    if len(about_persons) + len(unknown) == frame.shape[1]:
        raise InvalidInputError(
            f"All columns of {name!r} are about persons ({', '.join(about_persons + unknown)}), or may "
            "be, and a study holds them only with personal=True (--personal)."
        )
    kept = frame.drop(columns=about_persons + unknown)
    if (query := _without_account(record["query"], resource)) != record["query"]:
        set_provenance(kept, query=query)
        about_persons.append("the account in the query")
    for column in kept.columns.intersection(list(lists)):
        kept[column], parts = _entries_without_persons(kept[column], lists[column])
        for part in parts:
            (about_persons if part in personal else unknown).append(f"{part} in {column}")
    if unknown:
        warn(
            ExportWarning(
                f"Export of {name!r}: {', '.join(unknown)} left out, for the schema does not know what "
                "they tell about persons.",
                hint="Pass personal=True (--personal) to publish everything.",
            )
        )
    return kept, about_persons + unknown


def _without_account(query: Mapping[str, Any], resource: Resource | None) -> dict[str, Any]:
    """Return a query without the name or the e-mail digest by which an account was asked for."""
    asked = dict(query)
    if resource is ACCOUNT and not str(asked.get("id", 0)).isdecimal():
        asked["id"] = "(left out)"
    if "path" in asked:
        asked["path"] = _ACCOUNT.sub("/accounts/(left out)", asked["path"])
    return asked


def _entries_without_persons(
    column: pd.Series[Any], items: Items
) -> tuple[pd.Series[Any], list[str]]:
    """Return lists without the parts of their entries that are, or may be, about persons."""
    lists = [plain_value(value) or [] for value in column]
    held = {field.column for field in items.fields if not field.personal}
    # A text is the part of an entry that its tag names.
    parts = {part for e in chain(*lists) for part in (e if isinstance(e, dict) else [items.tag])}
    if parts <= held:
        return column, []
    shorter = [
        [
            {part: e[part] for part in e if part in held} if isinstance(e, dict) else e
            for e in entries
            if isinstance(e, dict) or items.tag in held
        ]
        for entries in lists
    ]
    result = pd.Series(shorter, column.index, dtype="object").where(column.notna(), None)
    return result, sorted(parts - held)


def _is_text(column: pd.Series[Any]) -> bool:
    return column.dtype == "object" or isinstance(column.dtype, pd.StringDtype)


def _is_lists(column: pd.Series[Any]) -> bool:
    return column.dtype == "object" and all(
        isinstance(value, list | np.ndarray) for value in column.dropna()
    )


def _resource(name: str, frame: pd.DataFrame, kind: str, content: bytes) -> dict[str, Any]:
    record, known = get_provenance(frame), resource_of(frame)
    if record["statistic"] or (known and (known.key or "id") not in frame):
        known = None  # a column of a statistic is not the field of that name
    fields = known.by_column if known else {}
    key = frame.get(known.key) if known else None
    is_key = key is not None and key.is_unique and key.notna().all()
    times = (record["retrieved_oldest"], record["retrieved_newest"])
    reason = record["incomplete_reason"]
    schema = {
        "fields": [_field(frame[column], fields.get(str(column)), kind) for column in frame],
        "missingValues": [""] if kind == "csv" else None,
        "primaryKey": [key.name] if key is not None and is_key else None,
    }
    return {
        "name": f"{name}-{kind}",
        "title": Source(frame).title(),
        "description": str(cite(frame)),
        "path": f"data/{name}.{kind}",
        "scheme": "file",
        "format": kind,
        "mediatype": _MEDIA_TYPES[kind],
        "encoding": "utf-8",
        # The library of Frictionless counts the bytes of text files only.
        **({"bytes": len(content)} if kind == "csv" else {}),
        "hash": f"sha256:{sha256(content).hexdigest()}",
        "schema": _filled(schema),
        # Not of the specification, which allows further properties.
        "rows": len(frame),
        "completeness": record["completeness"] + (f": {reason}" if reason else ""),
        "accessed": "/".join(dict.fromkeys(time for time in times if time)),
        "query": record["query"],
        "provenance": record,
    }


def _field(column: pd.Series[Any], field: Field | None, kind: str) -> dict[str, str]:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    is_list = field is not None and field.kind is Kind.ITEMS
    name = _TYPES.get(dtype.kind, "string")
    if dtype == "object" and (is_list or any(isinstance(value, list) for value in column)):
        # Readers get lists of Parquet as arrays of their own, which Frictionless takes for no list.
        name = "any" if kind == "parquet" else "array"
    described = {"description": field.meaning, "unit": field.unit} if field else {}
    return _filled({"name": str(column.name), "type": name} | described)


def _people(authors: Sequence[str]) -> list[str]:
    """Return the authors as "Given Family"."""
    parts = [" ".join(author.split()).partition(", ") for author in authors]
    people = [f"{given} {family}".strip() for family, _, given in parts]
    if isinstance(authors, str) or not all(people):
        raise InvalidInputError(
            f'authors is {authors!r}; it must be a list of names, such as ["Hopper, Grace"].'
        )
    return people


def _archive_content(archive: Archive | str | Path | None, *, personal: bool) -> bytes | None:
    if archive is None:
        return None
    if not personal:
        raise InvalidInputError(
            "An archive holds what persons have written of themselves, and a study holds it only "
            "with personal=True (--personal)."
        )
    from dirframe.archive.archive import open_archive

    path = Path(archive) if isinstance(archive, str | Path) else archive.path
    return open_archive(path).path.read_bytes()


def _created(records: list[dict[str, Any]]) -> str:
    """Return the day of the newest access, or else of the newest record; empty if neither is known."""
    days = [record["retrieved_newest"] or record["records_newest"] for record in records]
    day = max((day for day in days if day), default="")[:10]
    return day and f"{day}T00:00:00Z"


def _readme(
    title: Any, tables: dict[str, pd.DataFrame], left_out: dict[str, list[str]], *, personal: bool
) -> bytes:
    lines = []
    for name, frame in tables.items():
        word = get_provenance(frame)["completeness"]
        lines.append(f"- `{name}`: {len(frame):,} rows ({word}). Cite as: {cite(frame)}")
    persons = [f"`{name}`: {', '.join(columns)}" for name, columns in left_out.items() if columns]
    if personal:
        about = "The tables hold data about persons: handle them as the law where you are asks."
    elif persons:
        about = f"Left out, for they are about persons or may be: {'; '.join(persons)}."
    else:
        about = "No column is known to be about persons."
    text = _README.format(
        title=title,
        tables="\n".join(lines),
        name=next(iter(tables)),
        persons=about,
        version=__version__,
    )
    return text.encode()


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the fields that have no value."""
    return {name: value for name, value in document.items() if value}


def _json(document: dict[str, Any]) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()

"""Write a study: a zip file of tables that another person and other programs understand."""

# The description is a Frictionless data package (https://specs.frictionlessdata.io, version 1).

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe._display import did_you_mean, quantity
from dirframe._sqlite import open_database
from dirframe._tables import is_id
from dirframe.citation import SAMPLE_LICENCE, Source, cite
from dirframe.errors import InvalidInputError
from dirframe.io.persons import Published, names_of_persons, published
from dirframe.io.read import described_by
from dirframe.io.writers import FORMATS, record_bytes
from dirframe.provenance import caption, get_provenance
from dirframe.schema import Kind
from dirframe.schema.addresses import MASK

if TYPE_CHECKING:
    from dirframe.archive.archive import Archive
    from dirframe.schema import Field

#: An expression of SPDX, or an address.
_LICENCE = re.compile(r"[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*|https?://\S+")
#: Types of Frictionless by the kind of a dtype.
_TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "datetime"}

_PERSONAL_TERMS = "The tables hold data about persons: handle them as the law asks."
_TERMS_OF_TEXTS = (
    "Texts that people wrote, such as descriptions and links, are as they were but for e-mail "
    "addresses: they can name persons."
)

_TERMS_OF_PAGES = (
    "`pages.archive` holds the pages as they were received, with names and places of persons; "
    '`dirframe.open_archive("pages.archive")` reads it.'
)

_README = """# {title}

{authors}{tables}

{terms}

`datapackage.json` says of what type each column is, and of records also its unit and its meaning;
for a statistic `help(dirframe.stats.NAME)` does. `citation.bib` says how to cite the records. The
tables are in `data/`, each as CSV and as Parquet, with the same records.
Unpack the file; then, in its folder:

    dirframe.read_table("data/{name}.parquet")     # Python, with the provenance
    pandas.read_parquet("data/{name}.parquet")      # Python
    pandas.read_csv("data/{name}.csv", keep_default_na=False, na_values=[""], dtype={texts})
    arrow::read_parquet("data/{name}.parquet")      # R
    read.csv("data/{name}.csv", na.strings = "")    # R, without further packages
    SELECT * FROM 'data/{name}.parquet'             -- DuckDB

No key and no network are needed. In CSV, times are ISO 8601 in UTC, lists are JSON, a missing value
is an empty cell (`NA` is Namibia), and a text that a spreadsheet would take for a formula begins
with an apostrophe. Excel opens it by Data, From Text/CSV, as UTF-8.
"""


def write_study(
    frames: dict[str, pd.DataFrame],
    file: Path,
    *,
    title: str | None,
    authors: Sequence[str],
    license: str | None,
    personal: bool,
    keep: Mapping[str, Collection[str]] | Collection[str],
    archive: Archive | str | Path | None,
) -> None:
    """Write frames as a study; the options are those of `dirframe.export`."""
    _check_options(title, authors, license)
    kept_columns = _checked_keep(keep, frames)
    pages = None if archive is None else _copy_of_archive(archive, file, personal=personal)
    contents: dict[str, bytes] = {}
    persons = set() if personal else names_of_persons(frames.values())
    tables: dict[str, pd.DataFrame] = {}
    listed: list[str] = []
    resources: list[dict[str, Any]] = []
    for given, frame in frames.items():
        name = re.sub(r"[^a-z0-9._-]+", "-", given.lower()).strip("-.") or "table"
        if name in tables:
            words = f"Two frames would be data/{name}.csv: let their letters and digits differ."
            raise InvalidInputError(words)
        part = Published(frame, [], {}, [])
        if not personal:
            part = published(name, frame, keep=kept_columns.get(given, ()), persons=persons)
        table = tables[name] = part.frame
        listed.append(f"- `{name}`, {quantity(len(table), 'row')}: {caption(table)}.")
        listed.append(f"  Cite as: {cite(table)}")
        listed += _about_persons(part)
        for kind in ("csv", "parquet"):
            content = contents[f"data/{name}.{kind}"] = FORMATS[f".{kind}"](table)
            resources.append(_resource(name, table, kind, content))
        record = record_bytes(table, contents[f"data/{name}.csv"])
        contents[f"data/{name}.csv.provenance.json"] = record
    sources = [Source(table) for table in tables.values()]
    cited = zip(sources, tables.values(), strict=True)
    # Of tables with the same records, the entry names the fewest steps: README.md has those of each.
    by_steps = sorted(cited, key=lambda pair: -len(pair[0].record["steps"]))
    entries = {source.key(): cite(table, style="bibtex") for source, table in by_steps}
    terms = [f"Licence: {license}."] if license else []
    terms += [source.terms() for source in sources]
    terms.append(_PERSONAL_TERMS if personal else _TERMS_OF_TEXTS)
    if pages is not None:
        terms.append(_TERMS_OF_PAGES)
    package = _package(sources, title, authors, license) | {"resources": resources}
    first = next(iter(tables))
    readme = _README.format(
        title=package["title"],
        authors=f"By {', '.join(authors)}.\n\n" if authors else "",
        tables="\n".join(listed),
        terms="\n".join(dict.fromkeys(terms)),
        name=first,
        texts=json.dumps({name: "str" for name in map(str, tables[first]) if is_id(name)}),
    )
    contents["datapackage.json"] = json.dumps(package, ensure_ascii=False, indent=1).encode()
    contents["citation.bib"] = "\n".join(entries.values()).encode()
    contents["README.md"] = readme.encode()
    with zipfile.ZipFile(file, "w") as packed:
        for name in sorted(contents):
            packed.writestr(_entry(name), contents[name])
        if pages is not None:
            with pages.open("rb") as source, packed.open(_entry("pages.archive"), "w") as target:
                shutil.copyfileobj(source, target)


def _entry(name: str) -> zipfile.ZipInfo:
    """Return an entry of the zip file without a time: its bytes depend on the content alone."""
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100644 << 16
    entry.create_system = 3
    return entry


def _check_options(title: object, authors: object, license: object) -> None:
    if not isinstance(title, str | None):
        raise InvalidInputError(f"title is {title!r}; it must be text.")
    if not (isinstance(authors, list | tuple) and all(isinstance(name, str) for name in authors)):
        raise InvalidInputError(
            f'authors is {authors!r}; it must be a list of names, such as ["Grace Hopper"].'
        )
    if license and not (isinstance(license, str) and _LICENCE.fullmatch(license)):
        raise InvalidInputError(
            f"license is {license!r}; it must be an expression of SPDX, such as CC-BY-4.0, or the "
            "address of the licence."
        )


def _checked_keep(
    keep: Mapping[str, Collection[str]] | Collection[str], frames: Mapping[str, pd.DataFrame]
) -> dict[str, list[str]]:
    """Return the columns to keep by the name of their table, or raise."""
    if isinstance(keep, str) or not isinstance(keep, Mapping | Collection):
        raise InvalidInputError(
            f'keep is {keep!r}; give columns by table: {{"TABLE": ["COLUMN"]}}.'
        )
    if not isinstance(keep, Mapping):
        if keep and len(frames) > 1:
            raise InvalidInputError(
                f"keep names columns of no table, and there are {len(frames)}: "
                f'{", ".join(frames)}. Give them by table: {{"TABLE": ["COLUMN"]}}.'
            )
        keep = dict.fromkeys(frames, keep)
    kept: dict[str, list[str]] = {}
    for table, columns in keep.items():
        if table not in frames:
            question = did_you_mean(str(table), frames)
            raise InvalidInputError(f"keep names the table {table!r}, which is not here.{question}")
        kept[table] = [columns] if isinstance(columns, str) else list(columns)
        for column in kept[table]:
            if column not in frames[table]:
                question = did_you_mean(str(column), map(str, frames[table]))
                words = (
                    f"keep names the column {column!r}, which {table!r} does not have.{question}"
                )
                raise InvalidInputError(words)
    return kept


def _about_persons(part: Published) -> list[str]:
    """Return what the list of tables says of persons in one."""
    lines: list[str] = []
    if part.left_out:
        columns = ", ".join(part.left_out)
        lines.append(f"  Left out, for they are about persons or may be: {columns}.")
    if part.masked:
        number = quantity(sum(part.masked.values()), "e-mail address", "e-mail addresses")
        places = ", ".join(f"{count:,} in {name}" for name, count in part.masked.items())
        lines.append(f"  Masked as {MASK}: {number} ({places}).")
    if part.ids_of_persons:
        columns = ", ".join(part.ids_of_persons)
        lines.append(f"  Pseudonyms: with {columns} the directory tells who a person is.")
    return lines


def _copy_of_archive(archive: Archive | str | Path, file: Path, *, personal: bool) -> Path:
    """Copy an archive beside a file that is written, whole, while a harvest may write to it."""
    if not personal:
        raise InvalidInputError(
            "An archive holds what persons have written of themselves, and a study holds it only "
            "with personal=True (--personal)."
        )
    from dirframe.archive.archive import open_archive

    path = open_archive(archive if isinstance(archive, str | Path) else archive.path).path
    copy = file.with_name(f"{file.name}-pages")  # removed with the temporary file
    with closing(open_database(path, mode="rw")) as source, closing(open_database(copy)) as target:
        source.backup(target)
    return copy


# Descriptions


def _package(
    sources: Sequence[Source], title: str | None, authors: Sequence[str], license: str | None
) -> dict[str, Any]:
    """Return the description of a study, without that of its tables."""
    synthetic = all(source.record["synthetic"] for source in sources)
    licence = license or (SAMPLE_LICENCE if synthetic else "")
    address = licence if ":" in licence else f"https://spdx.org/licenses/{licence}"
    of_licence = {"name": licence, "path": "" if " " in licence else address}
    titles, links = [source.title() for source in sources], {s.name: s.link for s in sources}
    package = {
        "name": "study",
        "title": " ".join((title or "; ".join(dict.fromkeys(titles))).split()),
        "licenses": [_filled(of_licence)] if licence else None,
        "contributors": [{"title": name, "role": "author"} for name in authors or links],
        "sources": [_filled({"title": name, "path": link}) for name, link in links.items()],
    }
    return _filled(package)


def _resource(name: str, frame: pd.DataFrame, kind: str, content: bytes) -> dict[str, Any]:
    record = get_provenance(frame)
    known = described_by(frame.columns, record)
    # The entries of a list have fields of their own.
    fields = known.by_column if known and f"{known.name}_id" not in frame else {}
    described = [_field(frame[column], fields.get(str(column)), kind) for column in frame]
    return {
        "name": f"{name}-{kind}",
        "description": cite(frame),
        "path": f"data/{name}.{kind}",
        "format": kind,
        "hash": f"sha256:{sha256(content).hexdigest()}",
        "schema": {"fields": described, "missingValues": [""]},
        "provenance": record,  # not of the specification, which allows further properties
    }


def _field(column: pd.Series[Any], field: Field | None, kind: str) -> dict[str, Any]:
    dtype = column.dtype  # categories are written as text
    is_list = field is not None and field.kind is Kind.ITEMS
    name = _TYPES.get(dtype.kind, "string")
    if dtype == "object" and (is_list or any(isinstance(value, list) for value in column)):
        # Readers get lists of Parquet as arrays of their own, which Frictionless takes for no list.
        name = "any" if kind == "parquet" else "array"
    described = {"description": field.meaning, "unit": field.unit} if field else {}
    return _filled({"name": str(column.name), "type": name} | described)


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the fields that have no value."""
    return {name: value for name, value in document.items() if value}

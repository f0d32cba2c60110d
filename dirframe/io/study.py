"""Write a study: a zip file of tables that another person and other programs understand."""

# The description is a Frictionless data package (https://specs.frictionlessdata.io, version 1).

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe._arrow import plain_value
from dirframe._display import quantity
from dirframe._tables import is_id
from dirframe.citation import SAMPLE_LICENCE, Source, cite
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io.read import described_by
from dirframe.io.writers import FORMATS, record_bytes
from dirframe.provenance import caption, get_provenance, resource_of, set_provenance
from dirframe.schema import ACCOUNT, RESOURCES, Kind

if TYPE_CHECKING:
    from dirframe.archive.archive import Archive
    from dirframe.schema import Field, Resource

#: An expression of SPDX, or an address.
_LICENCE = re.compile(r"[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*|https?://\S+")
#: An account in a path, by another name than its id.
_ACCOUNT = re.compile(r"/accounts/(?!\d+(?:/|\.xml$))[^/]+?(?=/|\.xml$)")
#: Columns that the functions of this package add to records.
_ADDED = {"id", "account_id", "project_id", "country_alpha_2", "country_alpha_3", "country_name"}
#: Types of Frictionless by the kind of a dtype.
_TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "datetime"}

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
    archive: Archive | str | Path | None,
) -> None:
    """Write frames as a study; the options are those of `dirframe.export`."""
    _check_options(title, authors, license)
    contents = {} if archive is None else {"pages.archive": _pages(archive, personal=personal)}
    tables: dict[str, pd.DataFrame] = {}
    listed: list[str] = []
    resources: list[dict[str, Any]] = []
    for given, frame in frames.items():
        name = re.sub(r"[^a-z0-9._-]+", "-", given.lower()).strip("-.") or "table"
        if name in tables:
            words = f"Two frames would be data/{name}.csv: let their letters and digits differ."
            raise InvalidInputError(words)
        table, left_out = (frame, []) if personal else _without_persons(name, frame)
        tables[name] = table
        listed.append(f"- `{name}`, {quantity(len(table), 'row')}: {caption(table)}.")
        listed.append(f"  Cite as: {cite(table)}")
        if left_out:
            columns = ", ".join(left_out)
            listed.append(f"  Left out, for they are about persons or may be: {columns}.")
        contents[f"data/{name}.csv.provenance.json"] = record_bytes(table)
        for kind in ("csv", "parquet"):
            content = contents[f"data/{name}.{kind}"] = FORMATS[f".{kind}"](table)
            resources.append(_resource(name, table, kind, content))
    sources = [Source(table) for table in tables.values()]
    cited = zip(sources, tables.values(), strict=True)
    # Of tables with the same records, the entry names the fewest steps: README.md has those of each.
    by_steps = sorted(cited, key=lambda pair: -len(pair[0].record["steps"]))
    entries = {source.key(): cite(table, style="bibtex") for source, table in by_steps}
    terms = [f"Licence: {license}."] if license else []
    terms += [source.terms() for source in sources]
    if personal:
        terms.append("The tables hold data about persons: handle them as the law asks.")
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
            # Without a time: the bytes depend on the content alone.
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3
            packed.writestr(entry, contents[name], zipfile.ZIP_DEFLATED)


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


def _pages(archive: Archive | str | Path, *, personal: bool) -> bytes:
    if not personal:
        raise InvalidInputError(
            "An archive holds what persons have written of themselves, and a study holds it only "
            "with personal=True (--personal)."
        )
    from dirframe.archive.archive import open_archive

    path = archive if isinstance(archive, str | Path) else archive.path
    return open_archive(path).path.read_bytes()


# Persons


def _without_persons(name: str, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return a frame without what may tell who or where a person is, and what is left out."""
    resource, record = resource_of(frame), get_provenance(frame)
    fields = resource.by_column if resource else {}
    described = {part.column: part for field in fields.values() for part in field.fields}
    if resource is not None and f"{resource.name}_id" not in frame:  # no entries of the lists
        described |= fields
    personal = {name for name, field in described.items() if field.personal}
    about = [name for name in map(str, frame) if name.removesuffix("_unreadable") in personal]
    unknown: list[str] = []
    if resource is not None and not (record["statistic"] or record["counted"]):
        others = [column for column in map(str, frame) if column not in about]
        unknown += [name for name in others if _is_unknown(frame[name], described, resource)]
    kept = frame.drop(columns=about + unknown)
    if not kept.shape[1]:
        raise InvalidInputError(
            f"All columns of {name!r} are about persons ({', '.join(about + unknown)}), or may be, "
            "and a study holds them only with personal=True (--personal)."
        )
    if (query := _without_account(record["query"], resource)) != record["query"]:
        set_provenance(kept, query=query)
        about.append("the account in the query")
    for column in [name for name in map(str, kept) if name in fields and fields[name].tag]:
        kept[column], parts = _entries_without_persons(kept[column], fields[column])
        for part in parts:
            (about if part in personal else unknown).append(f"{part} in {column}")
    if unknown:
        words = (
            f"Export of {name!r}: {', '.join(unknown)} left out, for the schema does not know what "
            "they tell about persons."
        )
        warn(ExportWarning(words, hint="Pass personal=True (--personal) to publish everything."))
    return kept, about + unknown


def _is_unknown(column: pd.Series[Any], described: Mapping[str, Field], resource: Resource) -> bool:
    """Return whether the schema does not know what a column of records tells about persons."""
    name, is_list = str(column.name).removesuffix("_unreadable"), column.dtype == "object"
    field = described.get(name)
    if name in _ADDED or (field is not None and (is_list or not field.tag)):
        return False
    # A number, in a resource of the specification, was computed: its elements are text.
    is_text = is_list or isinstance(column.dtype, pd.StringDtype)
    return is_text or resource not in RESOURCES.values()


def _without_account(query: Mapping[str, Any], resource: Resource | None) -> dict[str, Any]:
    """Return a query without the name or the e-mail digest by which an account was asked for."""
    asked = dict(query)
    if resource is ACCOUNT and not str(asked.get("id", 0)).isdecimal():
        asked["id"] = "(left out)"
    if "path" in asked:
        asked["path"] = _ACCOUNT.sub("/accounts/(left out)", asked["path"])
    return asked


def _entries_without_persons(
    column: pd.Series[Any], field: Field
) -> tuple[pd.Series[Any], list[str]]:
    """Return lists without the parts of their entries that are, or may be, about persons."""
    held = {item.column for item in field.fields if not item.personal}
    parts: set[str] = set()
    shorter: list[Any] = []
    for entries in map(plain_value, column):
        is_list = isinstance(entries, list)
        shorter.append([] if is_list else None)
        for entry in entries if is_list else ():
            if isinstance(entry, dict):
                parts.update(entry)
                shorter[-1].append({part: entry[part] for part in entry if part in held})
            else:  # a text is the part that its tag names
                parts.add(field.tag)
                shorter[-1] += [entry] * (field.tag in held)
    return pd.Series(shorter, column.index, dtype="object"), sorted(parts - held)


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

"""Write a study: a zip file of tables that another person and other programs understand."""

# The description is a Frictionless data package (https://specs.frictionlessdata.io, version 1).

from __future__ import annotations

import json
import platform
import re
import shutil
import zipfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from dirframe import __version__
from dirframe._display import did_you_mean, quantity
from dirframe._sqlite import open_database
from dirframe._tables import is_id
from dirframe.citation import SAMPLE_LICENCE, Source, cite
from dirframe.errors import InvalidInputError
from dirframe.io.columns import known_fields
from dirframe.io.methods import rules_used
from dirframe.io.persons import Published, holds_name, names_of_persons, published
from dirframe.io.writers import WRITERS, record_bytes
from dirframe.provenance import caption, get_provenance, resource_of
from dirframe.schema import COLLECTIONS, STATISTIC_COLUMNS, Field, Kind
from dirframe.schema.addresses import MASK
from dirframe.settings import holds_key
from dirframe.stats.result import REASONS, left_out

if TYPE_CHECKING:
    from dirframe.archive.archive import Archive

#: Reasons by statistic that have a row of their own in its table, or a missing value in it.
_IN_TABLE = {"license_families": {"without_license"}, "life_span": {"end_unknown"}}
#: Reasons by statistic for which a record is missing in single columns, not in the others.
_OF_SINGLE_COLUMNS = {
    "language_share": {
        *("code_lines_missing", "code_lines_negative"),
        *("users_missing", "users_negative"),
    },
    "contributors_by_language": {"contributors_missing", "contributors_negative"},
    "monthly_activity": {"commits_invalid", "contributors_invalid"},
}
#: Statistics of whose records one can have two of the reasons.
_SEVERAL_REASONS = {"users_against_contributors"}
#: Names of tables that are also words of the directory: a person may be called so, too.
_COMMON_NAMES = COLLECTIONS.keys() | STATISTIC_COLUMNS.keys()
#: Characters in the name of a table or a file: file systems allow 255 bytes with the suffix.
_LONGEST_NAME = 200
#: An expression of SPDX, or an address.
_LICENCE = re.compile(r"[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*|https?://\S+")
#: Types of Frictionless by the kind of a dtype.
_TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "number", "M": "datetime"}

_PERSONAL_TERMS = "The tables hold data about persons: handle them as the law asks."
_TERMS_OF_TEXTS = (
    "Texts that people wrote, such as descriptions, links and addresses of repositories with their "
    "owner, are as they were but for e-mail addresses: they can name persons."
)

_TERMS_OF_PAGES = (
    "`pages.archive` holds the pages as they were received, with names and places of persons; "
    '`dirframe.open_archive("pages.archive")` reads it.'
)

_TERMS_OF_FILES = "The files in `files/` were not examined for data about persons."

_README = """# {title}

{authors}## Data

{sources}

## Tables

Each is in `data/` as CSV and as Parquet, with the same rows. `columns.csv` says of each column its
type, unit and meaning, and so does `datapackage.json`.

{tables}

## Methods

{methods}
{files}
## Licence and persons

{terms}

## Read the tables

Unpack the file; then, in its folder:

    pandas.read_parquet("data/{name}.parquet")      # Python
    pandas.read_csv("data/{name}.csv", keep_default_na=False, na_values=[""], dtype={texts})
    arrow::read_parquet("data/{name}.parquet")      # R
    read.csv("data/{name}.csv", na.strings = "")    # R, without further packages
    SELECT * FROM 'data/{name}.parquet'             -- DuckDB
    dirframe.read_table("data/{name}.parquet")      # dirframe, with the provenance

No key and no network are needed. In CSV, times are ISO 8601 in UTC, lists are JSON, a missing value
is an empty cell (`NA` is Namibia), and a text that a spreadsheet would take for a formula begins
with an apostrophe. Excel opens it by Data, From Text/CSV, as UTF-8. With pandas alone, a CSV gets the
types of `columns.csv` by

    columns = pandas.read_csv("columns.csv")
    types = columns[columns["table"] == "{name}"].set_index("column")["type"]
    kinds = types.map({{"integer": "Int64", "number": "Float64", "boolean": "boolean", "string": "str"}})
    times = list(types.index[types == "datetime"])
    pandas.read_csv("data/{name}.csv", keep_default_na=False, na_values=[""],
                    dtype=kinds.dropna().to_dict(), parse_dates=times)

`citation.bib` says how to cite the records.
"""
_SOFTWARE = (
    "The tables were made with dirframe {dirframe} (Python {python}, pandas {pandas}, pyarrow "
    "{pyarrow}, NumPy {numpy}). dirframe is in no package index yet: get a checkout of this version, "
    "and run `pip install .` in its folder. Then `dirframe.read_table` reads a table with its "
    "provenance, and each statistic is `dirframe.stats.NAME`, of the name in the steps below; "
    "`help(dirframe.stats.NAME)` has its definition."
)


def write_study(
    frames: dict[str, pd.DataFrame],
    file: Path,
    *,
    title: str | None,
    authors: Sequence[str],
    license: str | None,
    personal: bool,
    keep: Mapping[str, Collection[str]] | Collection[str],
    files: Sequence[str | Path],
    archive: Archive | str | Path | None,
) -> None:
    """Write frames as a study; the options are those of `dirframe.export`."""
    _check_options(title, authors, license)
    kept_columns = _checked_keep(keep, frames)
    persons = set() if personal else names_of_persons(frames.values())
    for name in frames:
        _check_name(f"The table {name!r}", name, persons)
    added = _added_files(files, persons)
    pages = None if archive is None else _copy_of_archive(archive, file, personal=personal)
    tables = _tables_of(frames, kept_columns, persons, personal=personal)
    rules = rules_used([table.frame for table in tables])
    sources = [Source(table.frame) for table in tables]
    cited = _cited_tables(tables)

    package = _package(sources, title, authors, license)
    package["software"] = _software()
    package["methods"] = rules.words
    package["resources"] = []
    for table in tables:
        package["resources"] += table.resources
    for name, content in added.items():
        package["resources"].append(_file_resource(name, content))

    terms = [f"Licence: {license}."] if license else []
    terms += [source.terms() for source in sources]
    terms.append(_PERSONAL_TERMS if personal else _TERMS_OF_TEXTS)
    if pages is not None:
        terms.append(_TERMS_OF_PAGES)
    if added:
        terms.append(_TERMS_OF_FILES)
    readme = _readme(package, tables, authors=authors, cited=cited, added=added, terms=terms)

    contents: dict[str, bytes] = {}
    for table in tables:
        contents |= table.contents
    contents |= rules.files
    contents |= added
    contents["columns.csv"] = _columns_file(tables)
    contents["datapackage.json"] = json.dumps(package, ensure_ascii=False, indent=1).encode()
    entries = [cite(frame, style="bibtex") for frame in cited]
    contents["citation.bib"] = "\n".join(entries).encode()
    contents["README.md"] = readme.encode()
    _pack(file, contents, pages)


def _pack(file: Path, contents: Mapping[str, bytes], pages: Path | None) -> None:
    """Write a zip file of contents by their names, and of the pages of an archive."""
    with zipfile.ZipFile(file, "w") as packed:
        for name in sorted(contents):
            packed.writestr(_entry(name), contents[name])
        if pages is not None:
            with pages.open("rb") as source, packed.open(_entry("pages.archive"), "w") as target:
                shutil.copyfileobj(source, target)


def _readme(
    package: Mapping[str, Any],
    tables: Sequence[_Table],
    *,
    authors: Sequence[str],
    cited: Sequence[pd.DataFrame],
    added: Mapping[str, bytes],
    terms: Sequence[str],
) -> str:
    """Return README.md; its examples read the first table."""
    lines_of_tables: list[str] = []
    for table in tables:
        lines_of_tables += table.listed
    methods = [_SOFTWARE.format(**package["software"])]
    methods += [f"- {rule}" for rule in package["methods"]]
    first = tables[0]
    ids = [str(name) for name in first.frame if is_id(str(name))]
    return _README.format(
        title=package["title"],
        authors=f"By {', '.join(authors)}.\n\n" if authors else "",
        sources="\n\n".join(_cited(frame) for frame in cited),
        tables="\n".join(lines_of_tables),
        methods="\n".join(methods),
        files=_list_of_files(added),
        terms="\n".join(dict.fromkeys(terms)),
        name=first.name,
        texts=json.dumps(dict.fromkeys(ids, "str")),
    )


class _Table(NamedTuple):
    """A table of a study: what is published, its files, and what README and package say of it."""

    name: str
    frame: pd.DataFrame
    contents: dict[str, bytes]
    resources: list[dict[str, Any]]
    columns: list[dict[str, str]]  # as in its CSV
    listed: list[str]


def _check_name(what: str, name: str, persons: Collection[str]) -> None:
    """Raise if the name of a table or a file is too long for a file, or called as a person."""
    if len(name) > _LONGEST_NAME:
        raise InvalidInputError(
            f"{what:.60}… has a name of {len(name):,} characters; {_LONGEST_NAME} are allowed. "
            "Rename it."
        )
    if name not in _COMMON_NAMES and holds_name(name, persons):
        raise InvalidInputError(
            f"{what} may be named after a person of this study, and a study is published.",
            hint="Rename it, or pass personal=True (--personal).",
        )


def _tables_of(
    frames: Mapping[str, pd.DataFrame],
    kept: Mapping[str, Mapping[str, str]],
    persons: Collection[str],
    *,
    personal: bool,
) -> list[_Table]:
    """Return the tables of a study."""
    tables: dict[str, _Table] = {}
    for given, frame in frames.items():
        name = re.sub(r"[^a-z0-9._-]+", "-", given.lower()).strip("-.") or "table"
        if name in tables:
            words = f"Two tables would have the file data/{name}.csv. Rename one."
            raise InvalidInputError(words)
        meanings = kept.get(given, {})
        part = Published(frame, [], {}, [])
        if not personal:
            part = published(name, frame, keep=meanings, persons=persons)
        tables[name] = _table_of(name, part, meanings)
    return list(tables.values())


def _table_of(name: str, part: Published, meanings: Mapping[str, str]) -> _Table:
    """Return a table of a study, from what is published of its frame."""
    frame = part.frame
    fields = _described_columns(frame, meanings)
    contents: dict[str, bytes] = {}
    resources: list[dict[str, Any]] = []
    columns: dict[str, list[dict[str, str]]] = {}
    for kind in ("csv", "parquet"):
        content = WRITERS[f".{kind}"](frame)
        contents[f"data/{name}.{kind}"] = content
        described = [_field(frame[column], fields.get(str(column)), kind) for column in frame]
        columns[kind] = described
        resources.append(_resource(name, frame, kind, content, described))
    record = record_bytes(frame, contents[f"data/{name}.csv"])
    contents[f"data/{name}.csv.provenance.json"] = record
    return _Table(name, frame, contents, resources, columns["csv"], _about_table(name, part))


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
) -> dict[str, dict[str, str]]:
    """Return the columns to keep, with their meanings, by the name of their table, or raise."""
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
    kept: dict[str, dict[str, str]] = {}
    for table, columns in keep.items():
        if table not in frames:
            question = did_you_mean(str(table), frames)
            raise InvalidInputError(
                f"keep names the table {table!r}, which is not exported.{question}"
            )
        names = [columns] if isinstance(columns, str) else columns
        kept[table] = dict(names) if isinstance(names, Mapping) else dict.fromkeys(names, "")
        for column in kept[table]:
            if column not in frames[table]:
                question = did_you_mean(str(column), map(str, frames[table]))
                words = (
                    f"keep names the column {column!r}, which {table!r} does not have.{question}"
                )
                raise InvalidInputError(words)
    return kept


def _cited_tables(tables: Sequence[_Table]) -> list[pd.DataFrame]:
    """Return a table for each entry of the bibliography.

    Of tables with the same records it is the one with the fewest steps: README.md has those of each.
    """
    most_steps_first = sorted(
        tables, key=lambda table: len(get_provenance(table.frame)["steps"]), reverse=True
    )
    cited: dict[Any, pd.DataFrame] = {}
    for table in most_steps_first:
        cited[Source(table.frame).key()] = table.frame  # in place of one with more steps
    return list(cited.values())


def _cited(frame: pd.DataFrame) -> str:
    """Return how the records of a table are cited."""
    apa = cite(frame, style="apa")
    return f"{cite(frame)}\n\nIn the style of APA: {apa}"


def _about_table(name: str, part: Published) -> list[str]:
    """Return what the list of tables says of one."""
    table = part.frame
    lines = [f"- `{name}`, {quantity(len(table), 'row')}: {caption(table)}."]
    record = get_provenance(table)
    if steps := record["steps"]:
        lines.append(f"  Steps: {'; '.join(map(str, steps))}.")
    lines += _about_left_out(record)
    lines.append(f"  Cite as: {cite(table)}")
    return lines + _about_persons(part)


def _about_left_out(record: Mapping[str, Any]) -> list[str]:
    """Return which records are not in the figures of a table, each of them in one place."""
    statistic = record["statistic"].get("name", "")
    in_table = _IN_TABLE.get(statistic, ())
    of_columns = _OF_SINGLE_COLUMNS.get(statistic, ())
    nowhere: list[str] = []
    in_part: list[str] = []
    for reason, number in left_out(record["counted"]).items():
        words = f"{number:,} {REASONS[reason]}"
        if reason in of_columns:
            in_part.append(words)
        elif reason not in in_table:
            nowhere.append(words)
    lines: list[str] = []
    if nowhere:
        several = "; a project can be in two of these" if statistic in _SEVERAL_REASONS else ""
        lines.append(f"  Not in the figures: {', '.join(nowhere)}{several}.")
    if in_part:
        lines.append(f"  Not in the columns of these numbers: {', '.join(in_part)}.")
    return lines


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
            "An archive holds personal data: a study includes it only with personal=True (--personal)."
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
    titles = [source.title() for source in sources]
    links = {source.name: source.link for source in sources}
    words = title or "; ".join(dict.fromkeys(titles))
    package = {
        "name": "study",
        "title": " ".join(words.split()),
        "licenses": [_filled(of_licence)] if licence else None,
        "contributors": [{"title": name, "role": "author"} for name in authors or links],
        "sources": [_filled({"title": name, "path": link}) for name, link in links.items()],
    }
    return _filled(package)


def _software() -> dict[str, str]:
    """Return the versions of what made the tables."""
    return {
        "dirframe": __version__,
        "python": platform.python_version(),
        "pandas": pd.__version__,
        "pyarrow": pa.__version__,
        "numpy": np.__version__,
    }


def _described_columns(frame: pd.DataFrame, meanings: Mapping[str, str]) -> dict[str, Field]:
    """Return what is known of the columns of a table, and what its author says of others."""
    known = known_fields(resource_of(frame), get_provenance(frame))
    own = {
        column: Field((column,), Kind.TEXT, meaning)
        for column, meaning in meanings.items()
        if meaning and column not in known
    }
    return known | own


def _resource(
    name: str, frame: pd.DataFrame, kind: str, content: bytes, described: list[dict[str, str]]
) -> dict[str, Any]:
    return {
        "name": f"{name}-{kind}",
        "description": cite(frame),
        "path": f"data/{name}.{kind}",
        "format": kind,
        "hash": f"sha256:{sha256(content).hexdigest()}",
        "schema": {"fields": described, "missingValues": [""]},
        "provenance": get_provenance(frame),  # the specification allows further properties
    }


def _field(column: pd.Series[Any], field: Field | None, kind: str) -> dict[str, str]:
    """Return the description of a column: its name, type, unit and meaning."""
    dtype = column.dtype  # categories are written as text
    kind_of_values = _TYPES.get(dtype.kind, "string")
    if dtype == "object":
        is_list = field is not None and field.kind is Kind.ITEMS
        if is_list or any(isinstance(value, list) for value in column):
            # Readers get lists of Parquet as arrays, which Frictionless takes for no list.
            kind_of_values = "any" if kind == "parquet" else "array"
    described = {"name": str(column.name), "type": kind_of_values}
    if field is not None:
        described |= {"description": field.meaning, "unit": field.unit}
    return _filled(described)


def _filled(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the fields that have no value."""
    return {name: value for name, value in document.items() if value}


def _columns_file(tables: Sequence[_Table]) -> bytes:
    """Return the columns of all tables as CSV."""
    rows = [
        {
            "table": table.name,
            "column": column["name"],
            "type": column["type"],
            "unit": column.get("unit"),
            "meaning": column.get("description"),
        }
        for table in tables
        for column in table.columns
    ]
    return WRITERS[".csv"](pd.DataFrame(rows, dtype="str"))


# Files of the author


def _added_files(files: Sequence[str | Path], persons: Collection[str]) -> dict[str, bytes]:
    """Return the contents of figures, scripts and other files by their names in the study."""
    if isinstance(files, str | Path) or not isinstance(files, Sequence):
        raise InvalidInputError(f'files is {files!r}; give a list, such as ["figure.pdf"].')
    contents: dict[str, bytes] = {}
    for given in files:
        path = Path(given)
        name = f"files/{path.name}"
        if not path.is_file():
            raise InvalidInputError(f"There is no file {path} to add to the study.")
        _check_name(f"The file {path.name}", path.stem, persons)
        if name in contents:
            raise InvalidInputError(f"Two files have the name {path.name}. Rename one.")
        contents[name] = path.read_bytes()
        if holds_key(contents[name]):
            raise InvalidInputError(
                f"{path} holds an API key, and a study is published.",
                hint="Take the key out: read it from the environment variable DIRFRAME_API_KEY.",
            )
    return contents


def _list_of_files(added: Mapping[str, bytes]) -> str:
    """Return the section of README.md about the files of the author; empty without any."""
    if not added:
        return ""
    lines = [
        f"- `{name}`, {quantity(len(content), 'byte')}, SHA-256 {sha256(content).hexdigest()}"
        for name, content in added.items()
    ]
    return "\n## Files\n\n" + "\n".join(lines) + "\n"


def _file_resource(path: str, content: bytes) -> dict[str, Any]:
    name = re.sub(r"[^a-z0-9._-]+", "-", path.lower())
    return {
        "name": name,
        "path": path,
        "bytes": len(content),
        "hash": f"sha256:{sha256(content).hexdigest()}",
    }

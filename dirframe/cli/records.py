"""The records that a command works on: of a file, of standard input, or of a directory."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import dirframe
from dirframe.cli.options import STREAM
from dirframe.cli.request import Request
from dirframe.cli.selection import Selection

if TYPE_CHECKING:
    import pandas as pd

#: Of one project: the path of each collection below it.
_PATHS = {"contributors": "contributors", "activity": "analyses/latest/activity_facts"}
#: Options of a request with which the first page does not show what the others are like.
_WITHOUT_A_FIRST_PAGE = ("details", "offline", "organization", "projects")
#: Columns that name a record, by priority; organizations have no id.
_IDENTIFIERS = ("id", "url_name", "vanity_url")

#: What a command does with its records.
Use = Callable[["pd.DataFrame"], object]


def read(
    file: str | None,
    request: Request,
    selection: Selection,
    *,
    needed: str | None = None,
    try_on: Use | None = None,
) -> pd.DataFrame:
    """Read a file, or load a collection if there is none, and select from it.

    `needed` is the collection that the command is about, if it is about one. `try_on` does with no
    record, and then with those of the first page, what the command does with all: what it refuses
    is refused before it is paid for.
    """
    if file is not None:
        if request.options:
            given = " and ".join(request.options)
            raise click.UsageError(f"{file} is a file, and {given} is for a directory.")
        frame = read_file(file)
    else:
        request = bounded(request, selection)
        collection = _collection_of(request, needed)
        frame = _load(replace(request, collection=collection), selection, try_on)
    return selection.apply(frame)


def bounded(request: Request, selection: Selection) -> Request:
    """Return the request for no more records than are taken, where no condition leaves any out."""
    if selection.has_conditions or request.max_items is not None:
        return request
    return replace(request, max_items=selection.limit)


def _collection_of(request: Request, needed: str | None) -> str:
    """Return the collection to load; raise if the command was not told to load one."""
    if needed in _PATHS:
        raise click.UsageError(
            f"Name a file of {needed}: dirframe load /projects/1/{_PATHS[needed]}.xml "
            f"-o {needed}.parquet writes one."
        )
    if needed and request.collection and needed != request.collection:
        raise click.UsageError(
            f"This is about {needed}: leave --collection {request.collection} out."
        )
    collection = needed or request.collection
    if collection is None or not request.names_records:
        raise click.UsageError(f"Name a file, or --collection {collection or 'projects'}.")
    if collection == "accounts" and request.details:
        raise click.UsageError(
            "--details is about projects; accounts have no own pages: name --collection projects."
        )
    return collection


def _load(request: Request, selection: Selection, try_on: Use | None) -> pd.DataFrame:
    """Load a collection, unless the command refuses its columns."""
    with request.open_directory() as directory:
        with warnings.catch_warnings(action="ignore"):
            none = selection.apply(empty(str(request.collection)))
            if try_on is not None:
                try_on(none)
            shows_others = not any(getattr(request, name) for name in _WITHOUT_A_FIRST_PAGE)
            is_used = try_on is not None or selection.has_conditions
            if request.collection == "projects" and shows_others and is_used:
                _check_first_page(directory, request, selection, try_on)
        load = _loader(str(request.collection))
        arguments = request.arguments()
        is_watched = sys.stderr.isatty()
        return request.load(lambda: load(directory=directory, progress=is_watched, **arguments))


def _loader(collection: str) -> Callable[..., pd.DataFrame]:
    return dirframe.load_projects if collection == "projects" else dirframe.load_accounts


def _check_first_page(
    directory: dirframe.Directory, request: Request, selection: Selection, try_on: Use | None
) -> None:
    """Raise if the first page shows that needed columns are not sent, before others are paid for."""
    page = dirframe.load_projects(
        directory=directory,
        query=request.query,
        sort=request.sort,
        max_items=1,
        incomplete="warn",
        progress=False,
    )
    selection.only_of([str(name) for name in page]).apply(page)
    if try_on is None:
        return
    try:
        try_on(page)
    except dirframe.ColumnsNotSentError:
        raise
    except dirframe.DirframeError:
        pass  # of one record alone: others may be what it needs


def empty(collection: str) -> pd.DataFrame:
    """Return a frame without records, whose columns are those of the schema."""
    import pandas as pd

    from dirframe.client.xml.columns import typed_columns
    from dirframe.schema import RESOURCES

    resource = RESOURCES[collection.removesuffix("s")]
    cells: dict[str, list[None]] = {column: [] for column in resource.by_column}
    return pd.DataFrame(
        typed_columns(cells, resource.fields, collection=resource.collection, infers=False)
    )


# Files


def read_file(file: str) -> pd.DataFrame:
    """Read a table, an archive, or recorded pages of XML; ``-`` is standard input."""
    from dirframe.archive.store import Store
    from dirframe.io.read import read_content

    path = Path(file)
    if file == STREAM:
        if sys.stdin.isatty():
            raise click.UsageError("Standard input is a terminal: pipe a table into the command.")
        return read_content(sys.stdin.buffer.read(), "Standard input", {})
    if "://" in file:
        raise click.UsageError(
            f"{file} is an address, and FILE is on this machine: download it first."
        )
    is_xml = ".xml" in [suffix.lower() for suffix in path.suffixes]
    if path.is_dir() or is_xml:
        return dirframe.read_pages(file)
    if path.is_file() and Store.is_archive(path):
        return dirframe.open_archive(file).frame(whole=True)
    return dirframe.read_table(file)


def projects_named(names: Sequence[str], ids_from: Path | None) -> list[str] | None:
    """Return the projects that arguments and a file name; None if there are none."""
    projects = named_records(names, ids_from)
    for name in names:
        if "," in name:
            apart = " ".join(name.replace(",", " ").split())
            raise click.UsageError(f"Separate projects by blanks: {apart}")
        if " " in name.strip():
            raise click.UsageError(
                f"{name!r} is not an id or short name: --query {name!r} loads the projects with these words."
            )
    return projects


def named_records(names: Sequence[str], ids_from: Path | None) -> list[str] | None:
    """Return the records that arguments and a file name; None if there are none."""
    for name in names:
        if Path(name).is_file():
            raise click.UsageError(f"{name} is a file: --ids-from {name} reads the ids in it.")
    if ids_from is None:
        return list(names) or None
    return [*names, *_names_in(ids_from)]


def _names_in(path: Path) -> list[str]:
    """Return the ids in a table, or the lines of a text."""
    if path != Path(STREAM) and path.suffix.lower() not in {"", ".txt"}:
        names = _names_in_table(path)
    else:
        names = _names_in_text(path)
    if not names:
        raise click.UsageError(f"{path} names no record.")
    return names


def _names_in_table(path: Path) -> list[str]:
    frame = read_file(str(path))
    columns = [name for name in _IDENTIFIERS if name in frame]
    if not columns:
        raise click.UsageError(f"{path} has no column id (of organizations: url_name).")
    return [str(value) for value in frame[columns[0]].dropna()]


def _names_in_text(path: Path) -> list[str]:
    content = sys.stdin.buffer.read() if path == Path(STREAM) else path.read_bytes()
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise click.UsageError(f"Line {line} of {path} is not UTF-8. Save it in UTF-8.") from None
    return [line.strip() for line in lines if line.strip()]

"""The records that a command reads, and the table that it writes."""

from __future__ import annotations

import shutil
import sys
import warnings
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click import Choice, option

import dirframe
from dirframe import _display
from dirframe._printable import printable, printable_lines
from dirframe.cli.options import CONDITIONS, FILE, overwrite_option, with_options
from dirframe.io.formats import OF_ONE_TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import pandas as pd

_FORMATS = Choice(["table", *(suffix.removeprefix(".") for suffix in OF_ONE_TABLE)])
#: Rows of a table on a terminal, and letters of a cell.
_ROWS_ON_A_TERMINAL, _WIDEST = 50, 60
#: Stands for standard input where a file is read, and for standard output where one is written.
_STREAM = "-"
#: Of one project: the path of each collection below it.
_PATHS = {"contributors": "contributors", "activity": "analyses/latest/activity_facts"}

# Reading


def read(
    file: str | None = None,
    needed: str | None = None,
    *,
    collection: str | None = None,
    where: dict[str, Any],
    exclude: Sequence[str],
    older_than: str | None = None,
    try_on: Callable[[pd.DataFrame], object] | None = None,
    **question: Any,
) -> pd.DataFrame:
    """Read a file, or load a collection if there is none, and select from it what is asked for.

    The collection is the one that the command needs, or else the one that was asked for. `try_on`
    does with no record, and then with those of the first page, what the command does with all: what
    it refuses is refused before it is paid for.
    """
    selection: dict[str, Any] = {"where": where, "exclude": exclude, "older_than": older_than}
    if file is not None and (given := _given({"collection": collection, **question})):
        options = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        raise click.UsageError(f"{file} is a file, and {options} is for a directory.")
    if file is not None:
        frame = _read_file(file)
    elif needed and collection and needed != collection:
        raise click.UsageError(f"This is about {needed}: leave --collection {collection} out.")
    else:
        if needed not in _PATHS and not is_told_what_to_load(
            {"collection": collection, **question}
        ):
            raise click.UsageError(f"Name a file, or --collection {needed or 'projects'}.")
        frame = _load(needed or collection, selection, try_on, **question)
    return _select(frame, **selection)


def names_given(names: Sequence[str], ids_from: Path | None) -> list[str] | None:
    """Return the projects that arguments and a file name; None if there are none."""
    for name in names:
        if Path(name).is_file():
            raise click.UsageError(f"{name} is a file: --ids-from {name} loads what it names.")
    if ids_from is None:
        return list(names) or None
    return [*names, *_names_in(ids_from)]


def _names_in(path: Path) -> list[str]:
    """Return the ids in a table, or the lines of a text."""
    if path != Path(_STREAM) and path.suffix.lower() not in {"", ".txt"}:
        frame = _read_file(str(path))
        if "id" not in frame:
            raise click.UsageError(f"{path} has no column id.")
        return [str(value) for value in frame["id"].dropna()]
    content = sys.stdin.buffer.read() if path == Path(_STREAM) else path.read_bytes()
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is no text in UTF-8: {error}.") from None
    names = [line.strip() for line in lines if line.strip()]
    if not names:
        raise click.UsageError(f"{path} names no project.")
    return names


def is_told_what_to_load(question: Mapping[str, Any]) -> bool:
    """Return whether options name records: else a load would be that of a whole collection.

    Offline nothing is requested; conditions are applied to what was loaded.
    """
    names = (
        *("collection", "demo", "query", "max_items", "sample", "offline"),
        *("organization", "projects"),
    )
    return any(question.get(name) for name in names)


def _load(
    collection: str | None,
    selection: dict[str, Any],
    try_on: Callable[[pd.DataFrame], object] | None,
    **question: Any,
) -> pd.DataFrame:
    if collection is None:
        raise click.UsageError("Name a file, or --collection projects.")
    if collection in _PATHS:
        raise click.UsageError(
            f"Name a file of {collection}: dirframe load /projects/1/{_PATHS[collection]}.xml "
            f"-o {collection}.parquet writes one."
        )
    if collection == "accounts" and question.get("details"):
        raise click.UsageError(
            "--details is about projects; accounts have no own pages: name --collection projects."
        )
    load: Callable[..., pd.DataFrame] = getattr(dirframe, f"load_{collection}")
    options = asked(question)
    with open_directory(**question) as directory:
        with warnings.catch_warnings(action="ignore"):
            none = empty(collection)
            _select(none, **selection)
            if try_on is not None:
                try_on(none)
            are_pages_bare = collection == "projects" and not options.keys() & {
                "details",
                "offline",
                "organization",
                "projects",
            }
            if are_pages_bare and (try_on is not None or any(selection.values())):
                _check_first_page(load, directory, options, selection, try_on)
        progress = sys.stderr.isatty()
        return load_asking(
            lambda: load(directory=directory, progress=progress, **options), **question
        )


def load_asking(
    load: Callable[[], pd.DataFrame], *, yes: bool = False, demo: str | None = None, **_: Any
) -> pd.DataFrame:
    """Load records; ask before a load that needs more requests than are left today.

    Only the first pages were requested by then, and those in the cache were read.
    """
    if yes or demo:
        return load()
    with warnings.catch_warnings():
        warnings.simplefilter("error", dirframe.OverQuotaWarning)
        try:
            return load()
        except dirframe.OverQuotaWarning as warning:
            question = str(warning)
    if not sys.stdin.isatty():
        raise dirframe.QuotaExceededError(
            question,
            hint="Nothing was loaded: --yes loads as much as today's quota allows.",
            url="",
        )
    click.confirm(
        f"dirframe: {question}\nLoad as much as today's quota allows?", abort=True, err=True
    )
    return load()


def _check_first_page(
    load: Callable[..., pd.DataFrame],
    directory: dirframe.Directory,
    options: dict[str, Any],
    selection: dict[str, Any],
    try_on: Callable[[pd.DataFrame], object] | None,
) -> None:
    """Raise if the first page shows that needed columns are not sent, before others are paid for."""
    first = {name: options.get(name) for name in ("query", "sort")}
    page = load(directory=directory, progress=False, max_items=1, incomplete="warn", **first)
    where = selection["where"]
    sparse = {"values", "ranges"} & where.keys()
    seen = {n: {c: v for c, v in where[n].items() if c in page} for n in sparse}
    _select(page, **selection | {"where": where | seen})
    if try_on is not None:
        try:
            try_on(page)
        except dirframe.ColumnsNotSentError:
            raise
        except dirframe.DirframeError:
            pass  # of some records alone: others may be what it needs


def asked(question: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given and are not about the directory itself."""
    if question.get("seed") is not None and question.get("sample") is None:
        raise click.UsageError("--seed is of a drawing: name its size with --sample.")
    return {n: v for n, v in _given(question).items() if n not in {"base_url", "demo", "yes"}}


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {n: value for n, value in options.items() if value is not None and value is not False}


def open_directory(*, base_url: str | None, demo: str | None, **_: Any) -> dirframe.Directory:
    """Open the directory given by the options or the environment."""
    if demo is None:
        return dirframe.Directory(base_url)
    if base_url:
        option = "--demo" if demo == "sample" else "--rehearsal"
        raise click.UsageError(f"{option} and --base-url exclude each other.")
    return dirframe.sample_directory(analyses=demo == "sample")


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


def _select(
    frame: pd.DataFrame,
    *,
    where: dict[str, Any],
    exclude: Sequence[str],
    older_than: str | None,
) -> pd.DataFrame:
    """Keep the records that `dirframe.select` keeps, have the values by column and break no rule."""
    conditions = {name: value for name, value in where.items() if name != "values"}
    if "countries" in conditions:
        from dirframe.clean.countries import with_countries

        frame = with_countries(frame)
    if conditions:
        frame = dirframe.select(frame, **conditions)
    for column, text in where.get("values", {}).items():
        check_columns([column], [*CONDITIONS, *map(str, frame)])
        if error := dirframe.provenance.absent(frame, [column]):
            raise error
        cells, is_number = frame[column], _display.is_number(frame[column].dtype)
        if text and not is_number and cells.dtype != "str":
            raise click.UsageError(f"{column} holds neither texts nor numbers to compare with.")
        try:
            value = float(text) if text and is_number else text
        except ValueError:
            raise click.UsageError(f"{column} has numbers, not {text!r}.") from None
        frame = frame[cells == value if text else cells.isna()]
        step = f"only {_display.label(column)} {text or '(missing)'}"
        personal = [step] if dirframe.provenance.is_about_persons(frame, column) else []
        dirframe.provenance.add_selection(frame, [step], personal=personal)
    if exclude or older_than:
        frame = dirframe.exclude(frame, exclude, older_than=older_than)
    return frame


def _read_file(file: str) -> pd.DataFrame:
    """Read a table, an archive, or recorded pages of XML; ``-`` is standard input."""
    from dirframe.archive.store import Store
    from dirframe.io.read import read_content

    path = Path(file)
    if file == _STREAM:
        if sys.stdin.isatty():
            raise click.UsageError("Standard input is a terminal: pipe a table into the command.")
        return read_content(sys.stdin.buffer.read(), "Standard input", {})
    if path.is_dir() or ".xml" in map(str.lower, path.suffixes):
        return dirframe.read_pages(file)
    if path.is_file() and Store.is_archive(path):
        return dirframe.open_archive(file).frame(whole=True)
    return dirframe.read_table(file)


# Writing


def check_columns(columns: Iterable[str], known: Collection[str]) -> None:
    """Raise if a chosen column is not there."""
    for column in columns:
        if column not in known:
            question = _display.did_you_mean(column, known)
            raise click.UsageError(f"There is no column {column}.{question}")


class Output(NamedTuple):
    """Where and how a command writes its table; `columns` are those that were chosen."""

    path: Path | None
    overwrite: bool
    fmt: str | None
    columns: Sequence[str]

    def write(self, frame: pd.DataFrame) -> None:
        """Write a table, and its caption to standard error."""
        if self.columns:
            check_columns(self.columns, [str(name) for name in frame])
            first = ["id"] if "id" in frame and "id" not in self.columns else []
            frame = frame[[*first, *self.columns]]
        if self.path is None:
            self._print(frame)
        else:
            write_file(frame, self.path, self.overwrite)
        note(dirframe.provenance.caption(frame))

    def _print(self, frame: pd.DataFrame) -> None:
        from dirframe.io.writers import WRITERS, checked_frame

        form = self.fmt or ("table" if sys.stdout.isatty() else "csv")
        if form == "table":
            is_ordered = self.columns or dirframe.provenance.get_provenance(frame)["counted"]
            _print_table(frame, [] if is_ordered else ["id", *_display.leading_columns(frame)])
        else:
            content = WRITERS[f".{form}"](checked_frame("the table", frame))
            if sys.stdout.isatty():  # which acts on signs that a file only holds
                click.echo(printable_lines(content.decode()), nl=False)
            else:
                sys.stdout.buffer.write(content)
                sys.stdout.buffer.flush()


def output(function: Callable[..., Any]) -> Any:
    """Add the output options to a command, which receives them as `out`, checked before a load."""

    @wraps(function)
    def call(
        path: Path | None, overwrite: bool, fmt: str | None, columns: str | None, **options: Any
    ) -> Any:
        path = None if path == Path(_STREAM) else path
        if path is not None and fmt is not None:
            raise click.UsageError("A file has the form of its suffix: leave --format or -o out.")
        if fmt == "parquet" and sys.stdout.isatty():
            raise click.UsageError("Parquet is not for terminals: pipe it on, or name a file (-o).")
        check_target(path, overwrite=overwrite, sources=files_read(options))
        names = [*filter(None, map(str.strip, (columns or "").split(",")))]
        return function(out=Output(path, overwrite, fmt, names), **options)

    return with_options(
        option("-o", "--output", "path", type=FILE, help="File to write.  [default: -]"),
        overwrite_option,
        option("--format", "fmt", type=_FORMATS, help="Default: table on a terminal, else csv."),
        option("--columns", metavar="NAME,…", help="Write these columns only, after the id."),
    )(call)


def check_target(path: Path | None, *, overwrite: bool, sources: Iterable[str | Path] = ()) -> None:
    """Raise before anything is loaded if a file cannot be written, or is one that is read."""
    if path is not None:
        from dirframe.io.export import check_target as check

        check_not_read(path, sources)
        check(path, overwrite=overwrite)


def check_not_read(path: Path, sources: Iterable[str | Path]) -> None:
    """Raise if a target, or the provenance beside it, is a file that is read.

    It would be replaced by what was selected or computed from it.
    """
    from dirframe.io.writers import beside

    read = [Path(source) for source in sources]
    for written in (path, beside(path)):
        for source in (*read, *map(beside, read)):
            if _is_same_file(written, source):
                raise click.UsageError(
                    f"{written} is read by this command, and is not replaced by its result: name "
                    "another file to write."
                )


def _is_same_file(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.absolute() == other.absolute()


def files_read(options: Mapping[str, Any]) -> list[str | Path]:
    """Return the files that the options of a command name to be read."""
    names = ("file", "overrides", "archive", "ids_from")
    return [options[name] for name in names if options.get(name) not in (None, _STREAM)]


def write_file(
    frames: pd.DataFrame | dict[str, pd.DataFrame], path: Path, overwrite: bool, **study: Any
) -> None:
    """Write a file in the format of its suffix, and say so."""
    note(f"Wrote {dirframe.export(frames, path, overwrite=overwrite, **study)}")


def note(text: str) -> None:
    """Write a note to standard error, wrapped on a terminal."""
    text = printable_lines(text)
    if sys.stderr.isatty():
        text = click.wrap_text(text, shutil.get_terminal_size().columns)
    click.echo(text, err=True)


def _print_table(frame: pd.DataFrame, first: Sequence[str]) -> None:
    """Print a table; on a terminal its first rows and the columns that fit, `first` before others."""
    names, omitted = [str(name) for name in frame], list[str]()
    width, rows = sys.maxsize, len(frame)
    if sys.stdout.isatty():
        width, rows = shutil.get_terminal_size().columns, _ROWS_ON_A_TERMINAL
    if len(frame) == 1:
        cells = (_display.cell_texts(frame, name)[0] for name in names)
        shown = [printable(name) for name in names]
        pairs = zip(_display.align(shown, right=False), cells, strict=True)
        lines = [f"{name}  {cell}".rstrip() for name, cell in pairs]
    else:
        names.sort(key=lambda name: first.index(name) if name in first else len(first))
        heads, cut = _display.headings(names), min(width // 3, _WIDEST)
        lines, omitted = _display.table_lines(frame.head(rows), heads, width, cut)
        if omitted:  # headings of several lines make room
            heads = {name: head.replace(" ", "\n") for name, head in heads.items()}
            lines, omitted = _display.table_lines(frame.head(rows), heads, width, cut)
    click.echo("\n".join(lines))
    parts = [_display.quantity(len(frame) - rows, "more row")] if len(frame) > rows else []
    if omitted:
        parts.append(f"{_display.quantity(len(omitted), 'more column')} ({', '.join(omitted)})")
    if parts:
        choice = "--columns NAME,NAME shows others; " if omitted else ""
        note(f"\nNot shown: {' and '.join(parts)}. {choice}-o FILE or --format csv has everything.")

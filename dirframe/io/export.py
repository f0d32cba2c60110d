"""Write frames to files: CSV, TSV, JSON, JSON lines, Parquet, workbooks and studies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe._files import atomic_write, check_writable, folder_of
from dirframe.errors import InvalidInputError
from dirframe.io import writers
from dirframe.io.formats import OF_SEVERAL, SUFFIXES, WITH_RECORD
from dirframe.io.study import write_study
from dirframe.io.writers import WRITERS, record_file

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.archive.archive import Archive


def export(
    frame_or_frames: pd.DataFrame | Mapping[str, pd.DataFrame],
    path: str | Path,
    *,
    overwrite: bool = False,
    title: str | None = None,
    authors: Sequence[str] = (),
    license: str | None = None,
    personal: bool = False,
    keep: Mapping[str, Collection[str]] | Collection[str] = (),
    files: Sequence[str | Path] = (),
    archive: Archive | str | Path | None = None,
) -> Path:
    """Write one or more frames to a file, whole or not at all; the suffix selects the format.

    Parameters
    ----------
    frame_or_frames : pandas.DataFrame or Mapping of str to pandas.DataFrame
        Several named frames become the sheets of a workbook or the tables of a study, none of which
        may be called as a person of the study; the other formats hold one.
    path : str or pathlib.Path
        ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` (JSON lines), ``.parquet``, ``.xlsx`` (extra
        ``excel``), or ``.zip`` for a study. Missing parent folders are created.
    overwrite : bool, default False
        Whether an existing file may be replaced; the new one has its mode. An archive, a symbolic
        link or a named pipe never is.
    title, authors, license : str, sequence of str, str, optional
        Of a study: its title, by default that of the citation; the names of its authors, by default
        the directory; its licence, as an expression of SPDX or an address, by default none, and
        CC0-1.0 for sample records.
    personal : bool, default False
        Whether a study keeps everything: also columns about persons, which `dirframe.fields` marks,
        columns that the schema does not know, and e-mail addresses.
    keep : mapping of str to sequence of str, optional
        Columns to keep in a study although they are about persons or the schema does not know them,
        by the name of their table; for a single table, a list of names. E-mail addresses are
        masked. ``{"TABLE": {"COLUMN": "meaning"}}`` describes them, too.
    files : sequence of str or pathlib.Path, optional
        Figures, scripts and other files to add to a study, in its folder ``files/``: they are listed
        with their digests, and not examined for persons. One that holds an API key, or is called
        as a person of the study, is refused.
    archive : Archive, str or pathlib.Path, optional
        An archive of harvested pages to add to a study; it needs ``personal=True``, because it
        holds what persons have written about themselves.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the file exists and `overwrite` is False, the format cannot hold
        the frame, or an option of a study is invalid or given for another format.
    MissingExtraError
        If the format needs a package that is not installed.
    OSError
        If the file cannot be written, such as on a full disk. An existing one is left unchanged.

    Warns
    -----
    ExportWarning
        If a value cannot be stored unchanged, or a study leaves out what the schema does not know.

    Notes
    -----
    Parquet and workbooks hold provenance and citation; beside a text file they are in
    ``NAME.csv.provenance.json``. Digests show whether a file is as it was written. Where a format has no type for them, times are ISO 8601 in UTC,
    and lists JSON; in JSON infinite numbers are text (``"inf"``), and NaN is null. A text that a
    spreadsheet would evaluate as a formula begins with an apostrophe in CSV and TSV (OWASP, CSV
    injection). pandas keeps Namibia's code ``NA`` and ids with ``pandas.read_csv(path,
    keep_default_na=False, na_values=[""], dtype={"id": "str"})``. A study has each table as CSV and
    Parquet, with ``columns.csv`` and ``datapackage.json`` (Frictionless: type, unit and meaning of
    each column, also of statistics), ``citation.bib`` and ``README.md``, which names data, steps,
    rules and versions; the same frames give the same bytes.

    Without `personal`, a study keeps these columns of a table: numbers, truth values and times;
    those that the schema knows and does not mark; those of a statistic; and those that `keep`
    names. All others are left out, and so is a column whose name is not ``lower_case``, because it
    may be the name of a person. The README lists what was left out, counts the e-mail addresses
    that are masked (``…@…``) in texts, and names the ids that lead back to a person. The search
    terms of a query for accounts are left out of the provenance.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = export(pd.DataFrame({"id": ["01"]}), f"{folder}/projects.csv")
    ...     sorted(one.name for one in file.parent.iterdir())
    ['projects.csv', 'projects.csv.provenance.json']
    """
    target = check_target(path, overwrite=overwrite)
    suffix = target.suffix.lower()
    study: dict[str, Any] = {"title": title, "authors": authors, "license": license}
    study |= {"personal": personal, "keep": keep, "files": files, "archive": archive}
    given = [name for name, value in study.items() if value]
    if given and suffix != ".zip":
        raise InvalidInputError(
            f"{', '.join(given)} can be given for a study (.zip), not for a {suffix} file."
        )
    frames = _named_frames(frame_or_frames, target)
    frame = next(iter(frames.values()))
    with ExitStack() as stack:
        stack.enter_context(folder_of(target))
        if suffix in WITH_RECORD:  # it replaces the old one after the table has
            record = atomic_write(record_file(target), overwrite=overwrite, like=target)
            described = stack.enter_context(record)
        unfinished = stack.enter_context(atomic_write(target, overwrite=overwrite))
        if suffix == ".zip":
            write_study(frames, unfinished, **study)
        elif suffix == ".xlsx":
            unfinished.write_bytes(writers.workbook_bytes(frames))
        else:
            content = WRITERS[suffix](frame)
            unfinished.write_bytes(content)
        if suffix in WITH_RECORD:
            described.write_bytes(writers.record_bytes(frame, content))
        if suffix in WITH_RECORD:  # never beside a file of which it does not tell
            record_file(target).unlink(missing_ok=True)
    return target


def check_target(path: str | Path, *, overwrite: bool = False) -> Path:
    """Return the path of a file that `export` can write, or raise before anything is loaded."""
    target = Path(path)
    suffix = target.suffix.lower()
    check_writable(target, overwrite=overwrite, suffixes=SUFFIXES)
    if suffix == ".xlsx":
        writers.import_xlsxwriter()
    if suffix in WITH_RECORD:
        check_writable(record_file(target), overwrite=overwrite)
    if target.exists():
        from dirframe.archive.store import Store  # rarely needed

        if Store.is_archive(target):
            raise InvalidInputError(
                f"{target} is an archive of pages, which is never replaced. Choose another name."
            )
    return target


def _named_frames(
    given: pd.DataFrame | Mapping[str, pd.DataFrame], target: Path
) -> dict[str, pd.DataFrame]:
    suffix = target.suffix.lower()
    # Not every name of a file can be that of a sheet.
    name = "data" if suffix == ".xlsx" else target.stem
    frames = given if isinstance(given, Mapping) else {name: given}
    if not frames or (len(frames) > 1 and suffix not in OF_SEVERAL):
        raise InvalidInputError(
            f"A {suffix} file cannot hold {len(frames)} tables ({', '.join(map(repr, frames))}). "
            f"Export each by itself, or all to one of {', '.join(OF_SEVERAL)}."
        )
    return {str(name): writers.checked_frame(str(name), frame) for name, frame in frames.items()}

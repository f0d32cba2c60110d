"""Write frames to files: CSV, TSV, JSON, JSON lines, Parquet, workbooks and studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirframe._display import unknown_suffix
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.errors import InvalidInputError
from dirframe.io.study import write_study
from dirframe.io.writers import (
    TEXTS,
    beside,
    check_workbooks,
    checked_frame,
    parquet_bytes,
    record_text,
    write_csv,
    write_json,
    write_workbook,
)

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.archive.archive import Archive

#: Formats that hold several frames.
_SEVERAL = (".xlsx", ".zip")
FORMATS = (*TEXTS, ".parquet", *_SEVERAL)


def export(
    frame_or_frames: pd.DataFrame | Mapping[str, pd.DataFrame],
    path: str | Path,
    *,
    overwrite: bool = False,
    title: str | None = None,
    authors: Sequence[str] = (),
    license: str | None = None,
    personal: bool = False,
    archive: Archive | str | Path | None = None,
) -> Path:
    """Write one or more frames to a file, whole or not at all; the suffix selects the format.

    Parameters
    ----------
    frame_or_frames : pandas.DataFrame or Mapping of str to pandas.DataFrame
        The frames to write. Several named frames become the sheets of a workbook or the tables of
        a study; the other formats hold one frame.
    path : str or pathlib.Path
        ``.csv``, ``.tsv``, ``.json``, ``.jsonl`` (JSON lines), ``.parquet``, ``.xlsx`` (extra
        ``excel``), or ``.zip`` for a study. Missing parent folders are created.
    overwrite : bool, default False
        Whether an existing file may be replaced.
    title, authors, license : str, sequence of str, str, optional
        Only for a study: its title, by default that of the citation; its authors, as
        ``"Family, Given"`` or the name of an organization, by default the directory; its licence,
        as an expression of SPDX or an address, by default none, and CC0-1.0 for sample records.
    personal : bool, default False
        Only for a study: whether columns about persons are written too, such as names, logins,
        digests of e-mail addresses and locations; `dirframe.fields` marks them. What the schema
        does not know is left out too, as it may be about persons.
    archive : Archive, str or pathlib.Path, optional
        Only for a study: an archive of harvested pages to add. It holds what persons have written
        of themselves, and needs ``personal=True``.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the file exists and `overwrite` is False, it is an archive, its
        folder cannot be created, the format cannot hold the frame, or an option of a study is
        invalid or given for another format.
    MissingExtraError
        If the format needs a package that is not installed.
    OSError
        If the file cannot be written, for example because the disk is full. An existing file is
        left unchanged.

    Warns
    -----
    ExportWarning
        If a value cannot be stored unchanged, or a study leaves out columns that the schema does
        not know; the warning names the columns.

    See Also
    --------
    read_export : Read the frame back with its dtypes and provenance.

    Notes
    -----
    Provenance and citation are in the metadata of Parquet, in the sheet ``provenance`` of a
    workbook, and beside a text file as ``NAME.csv.provenance.json``. Lists are lists in Parquet and
    JSON, and JSON elsewhere; times are ISO 8601 in UTC where the format has no time type. A text
    that a spreadsheet would evaluate as a formula begins with an apostrophe in CSV and TSV, as OWASP
    recommends against CSV injection; `read_export` removes it. pandas' own reader keeps Namibia's
    code ``NA`` and ids with ``pandas.read_csv(path, keep_default_na=False, na_values=[""],
    dtype={"id": "str"})``. A study has each table as CSV and as Parquet in ``data/``, with
    ``datapackage.json`` (Frictionless: type, unit and meaning of each column), ``citation.bib`` and
    ``README.md``; the same frames give the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = export(pd.DataFrame({"id": ["01"]}), Path(folder) / "projects.csv")
    ...     sorted(one.name for one in Path(folder).iterdir())
    ['projects.csv', 'projects.csv.provenance.json']
    """
    target = check_target(path, overwrite=overwrite)
    suffix = target.suffix.lower()
    study = {
        "title": title,
        "authors": authors,
        "license": license,
        "personal": personal,
        "archive": archive,
    }
    given = [name for name, value in study.items() if value]
    if given and suffix != ".zip":
        raise InvalidInputError(
            f"{', '.join(given)} can be given for a study (.zip), not for a {suffix} file."
        )
    frames = _named_frames(frame_or_frames, target)
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as unfinished:
        try:
            _write(frames, unfinished, suffix, study)
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"{target} was not written: a text holds {error.object[error.start]!r}, half a "
                "character, which no file can hold. Replace it first."
            ) from None
        if suffix in TEXTS:  # never beside a file of which it does not tell
            beside(target).unlink(missing_ok=True)
    if suffix in TEXTS:
        with atomic_write(beside(target), overwrite=overwrite) as unfinished:
            unfinished.write_text(record_text(*frames.values()), encoding="utf-8")
    return target


def check_target(path: str | Path, *, overwrite: bool = False) -> Path:
    """Return the path of a file that `export` can write, or raise before anything is loaded."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        raise InvalidInputError(unknown_suffix(target, target.suffix, FORMATS))
    if suffix == ".xlsx":
        check_workbooks()
    check_writable(target, overwrite=overwrite)
    if suffix in TEXTS:
        check_writable(beside(target), overwrite=overwrite)
    if target.exists():
        from dirframe.archive.store import Store  # rarely needed

        if Store.is_archive(target):
            raise InvalidInputError(
                f"{target} is an archive of harvested pages, which is never replaced. Choose another "
                "name."
            )
    return target


def _named_frames(
    given: pd.DataFrame | Mapping[str, pd.DataFrame], target: Path
) -> dict[str, pd.DataFrame]:
    frames = given if isinstance(given, Mapping) else {target.stem: given}
    if not frames:
        raise InvalidInputError("There is no frame to export: the mapping is empty.")
    suffix = target.suffix.lower()
    if len(frames) > 1 and suffix not in _SEVERAL:
        raise InvalidInputError(
            f"A {suffix} file holds one table, and there are {len(frames)}: "
            f"{', '.join(map(repr, frames))}. Export each by itself, or all to one of {', '.join(_SEVERAL)}."
        )
    return {str(name): checked_frame(str(name), frame) for name, frame in frames.items()}


def _write(frames: dict[str, pd.DataFrame], file: Path, suffix: str, study: dict[str, Any]) -> None:
    first = next(iter(frames.values()))
    if suffix == ".parquet":
        file.write_bytes(parquet_bytes(first))
    elif suffix == ".xlsx":
        write_workbook(frames, file)
    elif suffix == ".zip":
        write_study(frames, file, **study)
    else:
        with file.open("w", encoding="utf-8", newline="") as stream:
            if suffix in {".csv", ".tsv"}:
                write_csv(first, stream, "," if suffix == ".csv" else "\t")
            else:
                write_json(first, stream, lines=suffix == ".jsonl")

"""A report from frames to file: everything is made before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dirframe._atomic import atomic_write, check_folder, make_folder, refuse_existing
from dirframe.errors import InvalidInputError
from dirframe.reports.execute import execute, need, read_template
from dirframe.reports.inputs import collect_inputs
from dirframe.reports.pdf import browser, pdf
from dirframe.reports.render import html, markdown, notebook_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import timedelta

    from dirframe.reports.inputs import Frames
    from dirframe.stats._options.selection import Selection

__all__ = ["report"]

_SUFFIXES = (".html", ".pdf", ".md", ".ipynb")


def report(
    frames: Frames,
    path: str | Path,
    *,
    template: str | Path | None = None,
    title: str | None = None,
    exclude: Collection[str] = (),
    max_age: str | int | timedelta | None = None,
    by: str | Sequence[str] | None = None,
    min_records: int = 1,
    overwrite: bool = False,
) -> Path:
    """Write a report on frames: what is in them, tables, charts, method and citation.

    Parameters
    ----------
    frames : pandas.DataFrame, or a mapping or sequence of them
        Projects, accounts or both, as the loaders give them. A frame without provenance is
        reported on, and the report says so.
    path : str or pathlib.Path
        The file. ``.html`` is one file that needs no network and runs no script; ``.pdf`` is
        that printed by Chromium; ``.md`` has its pictures in a folder beside it, ``NAME_files``;
        ``.ipynb`` is the executed notebook.
    template : str or pathlib.Path, optional
        A notebook to be run instead of ``dirframe/reports/template.ipynb``: copy that and
        edit it. A template is a program; run none that you have not read.
    title : str, optional
        The report's title. Left out: the directory's name and what the frames hold.
    exclude : collection of str, default ()
        Names of rules: records that `dirframe.flags` flags by them are left out of every table
        and chart, but not of the summary. A rule is for the frames that have its columns.
    max_age : str, int or datetime.timedelta, optional
        Leave out projects whose code was fetched longer ago than this, as every statistic
        does: a number of days, a timedelta, or text such as ``"2y"``.
    by : str or sequence of str, optional
        Divide tables and charts by a column, or by ``"language"``, ``"country"``, ``"year"`` or
        ``"team_size"``, where the frame has it and the chart has panels.
    min_records : int, default 1
        Strata with fewer records are one together.
    overwrite : bool, default False
        Whether an existing report may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the frames, the suffix, the template, a rule or a stratum cannot be meant, or the file
        exists and must not be replaced.
    MissingExtraError
        If the extra ``report`` is not installed.
    ConfigurationError
        If a PDF is wanted and there is no Chromium.
    ReportError
        If a cell of the template fails; nothing is written then.

    Notes
    -----
    The same frames give the same bytes, a PDF's date of printing apart. The method says which
    rules were applied, and how many records each of them left out.

    Examples
    --------
    >>> import tempfile
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(max_items=25, directory=directory)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dirframe.report(projects, Path(folder) / "report.html").name
    'report.html'
    """
    selection: Selection = {
        "exclude": exclude,
        "max_age": max_age,
        "by": by,
        "min_records": min_records,
    }
    material = collect_inputs(frames, title, selection)
    target = _target(Path(path), overwrite=overwrite)
    suffix = target.suffix.lower()
    for package in ("nbformat", "nbclient", "nbconvert", "ipykernel"):
        need(package)
    program = browser() if suffix == ".pdf" else ""
    notebook = execute(read_template(template), material)
    pictures: dict[str, bytes] = {}
    if suffix == ".md":
        text, pictures = markdown(notebook, _folder(target).name)
        content = text.encode()
    elif suffix == ".ipynb":
        content = notebook_text(notebook).encode()
    else:
        page = html(notebook, material.title)
        content = pdf(page, program) if suffix == ".pdf" else page.encode()
    for name, picture in pictures.items():
        _write(_folder(target) / name, picture, overwrite=overwrite)
    return _write(target, content, overwrite=overwrite)


def _target(target: Path, *, overwrite: bool) -> Path:
    if target.suffix.lower() not in _SUFFIXES:
        raise InvalidInputError(
            f"{target} has the suffix {target.suffix!r}; choose one of {', '.join(_SUFFIXES)}."
        )
    check_folder(target)
    beside = [_folder(target)] if target.suffix.lower() == ".md" else []
    for file in (target, *beside):
        if not overwrite:
            refuse_existing(file)
    if target.is_dir():
        raise InvalidInputError(f"{target} is a folder; name a file.")
    return target


def _folder(target: Path) -> Path:
    return target.with_name(f"{target.stem}_files")


def _write(target: Path, content: bytes, *, overwrite: bool) -> Path:
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as part:
        part.write_bytes(content)
    return target

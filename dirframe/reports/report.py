"""Build a report from frames and write it to a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe._display.suggest import unknown_suffix
from dirframe._files import atomic_write, check_writable, make_folder
from dirframe.errors import InvalidInputError
from dirframe.reports.execute import execute, read_template, require_package
from dirframe.reports.inputs import collect_inputs
from dirframe.reports.pdf import browser, pdf
from dirframe.reports.render import html, markdown, notebook_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import timedelta

    from dirframe.reports.inputs import Frames
    from dirframe.stats._options.selection import Selection

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
    interactive: bool = False,
    overwrite: bool = False,
) -> Path:
    """Write a report on frames: summary, tables, charts, method and citation.

    Parameters
    ----------
    frames : pandas.DataFrame, or a mapping or sequence of them
        Projects, accounts or both, as the loaders give them. A frame without provenance is
        reported on, and the report says so.
    path : str or pathlib.Path
        The file. ``.html`` is one file that needs no network and runs no script, unless it is
        interactive; ``.pdf`` is
        printed from it by Chromium; ``.md`` has its images in the folder ``NAME_files`` beside it;
        ``.ipynb`` is the executed notebook.
    template : str or pathlib.Path, optional
        A notebook to run instead of ``dirframe/reports/template.ipynb``; copy and edit that one. A
        template is a program: run only those that you have read.
    title : str, optional
        The report's title. Default: the name of the directory and the collections of the frames.
    exclude : collection of str, default ()
        Names of rules of `dirframe.flags`. Flagged records are excluded from every table and
        chart, but not from the summary. A rule applies to the frames that have its columns.
    max_age : str, int or datetime.timedelta, optional
        Exclude projects whose code was fetched longer ago than this, as in every statistic: a
        number of days, a timedelta, or text such as ``"2y"``.
    by : str or sequence of str, optional
        Divide tables and charts by a column, or by ``"language"``, ``"country"``, ``"year"`` or
        ``"team_size"``, where the frame has it and the chart has panels.
    min_records : int, default 1
        Strata with fewer records are combined into one.
    interactive : bool, default False
        Whether the charts of a ``.html`` or ``.ipynb`` show values on hover, zoom and can be
        downloaded as SVG: the page then contains a script, once, and still needs no network.
        Without scripts, and in the other forms, the pictures are shown.
    overwrite : bool, default False
        Whether an existing report may be replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    InvalidInputError
        If the frames, the suffix, the template, a rule or a stratum is invalid, or the file exists
        and `overwrite` is False.
    MissingExtraError
        If nbconvert or ipykernel is not installed, or for interactive charts plotly.
    ConfigurationError
        If a PDF is requested and Chromium is not installed.
    ReportError
        If a cell of the template fails. No file is written then.

    Notes
    -----
    The same frames give the same bytes, except for the print date of a PDF. The method section
    states the rules applied, and the number of records that each of them excluded.

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
    target = Path(path)
    check_target(target, overwrite=overwrite, interactive=interactive)
    suffix = target.suffix.lower()
    is_interactive = _is_interactive(target, interactive)
    program = browser() if suffix == ".pdf" else ""
    material = replace(material, is_interactive=is_interactive)
    notebook = execute(read_template(template), material)
    pictures: dict[str, bytes] = {}
    if suffix == ".md":
        text, pictures = markdown(notebook, _folder(target).name)
        content = text.encode()
    elif suffix == ".ipynb":
        content = notebook_text(notebook).encode()
    else:
        page = html(notebook, material.title, is_interactive=is_interactive)
        content = pdf(page, program) if suffix == ".pdf" else page.encode()
    for name, picture in pictures.items():
        _write(_folder(target) / name, picture, overwrite=overwrite)
    return _write(target, content, overwrite=overwrite)


def check_target(target: Path, *, overwrite: bool, interactive: bool = False) -> None:
    """Check that `report` can write a file, before any data is loaded for it.

    Parameters
    ----------
    target : pathlib.Path
        The file to write.
    overwrite : bool
        Whether an existing report may be replaced.
    interactive : bool, default False
        Whether the charts are to be interactive.

    Raises
    ------
    InvalidInputError
        If the suffix is unknown, the file exists and `overwrite` is False, or its folder cannot
        be created.
    MissingExtraError
        If a package that the report needs is not installed.
    ConfigurationError
        If a PDF is requested and Chromium is not installed.
    """
    if target.suffix.lower() not in _SUFFIXES:
        raise InvalidInputError(unknown_suffix(target, target.suffix, _SUFFIXES))
    check_writable(target, overwrite=overwrite)
    if target.suffix.lower() == ".md" and _folder(target).exists() and not overwrite:
        raise InvalidInputError(f"{_folder(target)} already exists.")
    for package in ("nbformat", "nbclient", "nbconvert", "ipykernel"):
        require_package(package)
    if _is_interactive(target, interactive):
        require_package("plotly", purpose="A report with interactive charts")
    if target.suffix.lower() == ".pdf":
        browser()


def _is_interactive(target: Path, interactive: bool) -> bool:
    return interactive and target.suffix.lower() in {".html", ".ipynb"}


def _folder(target: Path) -> Path:
    return target.with_name(f"{target.stem}_files")


def _write(target: Path, content: bytes, *, overwrite: bool) -> Path:
    make_folder(target.parent)
    with atomic_write(target, overwrite=overwrite) as temporary:
        temporary.write_bytes(content)
    return target

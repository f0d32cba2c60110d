"""Read the report template and execute it in a separate kernel."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dirframe
from dirframe.errors import InvalidInputError, MissingExtraError, ReportError
from dirframe.reports.contents import headings
from dirframe.reports.kernel_inputs import VARIABLE, write_inputs
from dirframe.schema import RESOURCES
from dirframe.settings import API_KEY_VARIABLE

if TYPE_CHECKING:
    from typing import BinaryIO

    from dirframe.reports.inputs import ReportData

#: The bundled template; users copy and edit it.
TEMPLATE = Path(__file__).with_name("template.ipynb")

#: Cells with this tag are notes for template authors.
_GUIDE = "guide"
_SECONDS_A_CELL = 600
_LONGEST = 2000


def require_package(package: str, *, purpose: str = "Making a report") -> None:
    """Check that an optional package is installed.

    Parameters
    ----------
    package : str
        Name of the package.
    purpose : str, default "Making a report"
        What needs it.

    Raises
    ------
    MissingExtraError
        If it is not installed.

    Examples
    --------
    >>> require_package("nbclient")
    """
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtraError(package, purpose=purpose)


def read_template(path: str | Path | None) -> Any:
    """Read and check a notebook.

    Parameters
    ----------
    path : str or pathlib.Path or None
        A notebook; None for the bundled template.

    Returns
    -------
    nbformat.NotebookNode
        The notebook, in version 4 of the format.

    Raises
    ------
    InvalidInputError
        If the file is not a readable notebook.

    Examples
    --------
    >>> read_template(None).nbformat
    4
    """
    import nbformat

    file = TEMPLATE if path is None else Path(path)
    try:
        # nbformat has no types.
        notebook = nbformat.reads(file.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
    except (
        OSError,
        ValueError,
        nbformat.ValidationError,
        *(AttributeError, KeyError, TypeError),  # from nbformat: JSON, but no notebook
    ) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInputError(
            f"{file} is not a notebook that can be read: {reason} Copy {TEMPLATE.name} from "
            "dirframe/reports and edit that."
        ) from None
    return notebook


def execute(notebook: Any, material: ReportData) -> Any:
    """Execute a template with the frames of a report.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The template; modified in place.
    material : ReportData
        The inputs of the report.

    Returns
    -------
    nbformat.NotebookNode
        The notebook with its outputs, without cells tagged ``guide`` and cells tagged with a
        collection that the report does not have.

    Raises
    ------
    ReportError
        If a cell or the kernel fails.

    Notes
    -----
    The kernel runs this interpreter with its own configuration folders and without the API key: a
    template reads the given frames and sends no requests to a directory.
    """
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    absent = {r.collection for r in RESOURCES.values()} - set(material.frames)
    excluded_tags = absent | {_GUIDE}
    notebook.cells = [
        c for c in notebook.cells if not excluded_tags & set(c.metadata.get("tags", ()))
    ]
    with tempfile.TemporaryDirectory(prefix="dirframe-report-") as name:
        folder = Path(name)
        write_inputs(material, folder)
        manager = AsyncKernelManager(
            # Without folders of kernels, this is the interpreter that runs here, and not the one
            # that an installed "python3" kernel would start.
            kernel_name="python3",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[]),
            connection_file=str(folder / "connection.json"),
            # Where available, sockets in the report's private folder, which other users cannot
            # open.
            transport="ipc" if os.name == "posix" else "tcp",
        )
        client = NotebookClient(
            notebook,
            km=manager,
            timeout=_SECONDS_A_CELL,
            record_timing=False,
            resources={"metadata": {"path": name}},
        )
        try:
            _run(client, folder)
        except CellExecutionError as error:
            number = next(
                number
                for number, cell in enumerate(notebook.cells, 1)
                if any(output.output_type == "error" for output in cell.get("outputs", ()))
            )
            raise _report_error(notebook, number, error.ename, error.evalue) from None
        except (CellTimeoutError, DeadKernelError) as error:
            executed = [n for n, c in enumerate(notebook.cells, 1) if c.get("execution_count")]
            number = min(len(notebook.cells), max(executed, default=0) + 1)
            raise _report_error(notebook, number, type(error).__name__, str(error)) from None
    notebook.metadata.kernelspec = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    return notebook


def _run(client: Any, folder: Path) -> None:
    with (folder / "stderr").open("w+b") as stderr:
        try:
            _execute(client, env=_environment(folder), stderr=stderr)
        except KeyboardInterrupt:  # an interrupted kernel prints its own traceback
            raise
        except BaseException:
            _forward_stderr(stderr)
            raise
        _forward_stderr(stderr)


def _forward_stderr(stderr: BinaryIO) -> None:
    stderr.seek(0)
    sys.stderr.write(stderr.read().decode(errors="replace"))


def _execute(client: Any, **kernel: Any) -> None:
    import asyncio

    class Loop(asyncio.SelectorEventLoop):
        """Event loop that leaves Ctrl-C to the program; nbclient would only stop the kernel."""

        def add_signal_handler(self, *_: object) -> None:
            raise RuntimeError("Signals are handled elsewhere.")  # nbclient handles this error

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=Loop) as runner:
            try:
                runner.run(client.async_execute(cleanup_kc=True, **kernel))
            except KeyboardInterrupt:  # hide errors of cancelled tasks
                runner.get_loop().set_exception_handler(lambda *_: None)
                raise
    else:  # inside a notebook: nbclient starts a loop in a thread, which gets no signals
        client.execute(cleanup_kc=True, **kernel)


def _environment(folder: Path) -> dict[str, str]:
    variables = {
        VARIABLE: str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(
            [str(Path(dirframe.__file__).parents[1]), *filter(None, [os.getenv("PYTHONPATH")])]
        ),
    }
    return {k: v for k, v in os.environ.items() if k != API_KEY_VARIABLE} | variables


def _report_error(notebook: Any, number: int, name: str, text: str) -> ReportError:
    preceding = notebook.cells[:number]
    texts = [heading for cell in preceding for heading in headings(cell)]
    heading = texts[-1] if texts else ""
    return ReportError(cell=number, heading=heading, error=name, text=text[:_LONGEST])

"""The template is read, fitted to the frames, and run in a kernel of its own."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dirframe
from dirframe.errors import InvalidInputError, MissingExtraError, ReportError
from dirframe.reports.kernel_inputs import VARIABLE, write_inputs
from dirframe.schema import RESOURCES
from dirframe.settings import API_KEY_VARIABLE

if TYPE_CHECKING:
    from typing import BinaryIO

    from dirframe.reports.inputs import ReportData

__all__ = ["TEMPLATE", "execute", "need", "read_template"]

#: The template that is shipped: copy and edit it.
TEMPLATE = Path(__file__).with_name("template.ipynb")

#: Cells with this tag speak to those who edit the template.
_GUIDE = "guide"
_SECONDS_A_CELL = 600
_LONGEST = 2000


def need(package: str) -> None:
    """Refuse to begin without a package of the extra.

    Parameters
    ----------
    package : str
        Its name.

    Raises
    ------
    MissingExtraError
        If it is not installed.

    Examples
    --------
    >>> need("nbclient")
    """
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtraError(package, extra="report", purpose="Making a report")


def read_template(path: str | Path | None) -> Any:
    """Read and check a notebook.

    Parameters
    ----------
    path : str or pathlib.Path or None
        A notebook; None is the template that is shipped.

    Returns
    -------
    nbformat.NotebookNode
        The notebook, in version 4 of the format.

    Raises
    ------
    InvalidInputError
        If there is no notebook.

    Examples
    --------
    >>> read_template(None).nbformat
    4
    """
    import nbformat

    file = TEMPLATE if path is None else Path(path)
    try:
        # nbformat has no types.
        notebook = nbformat.reads(  # type: ignore[no-untyped-call]  # as nbformat has it
            file.read_text(encoding="utf-8"), as_version=4
        )
        nbformat.validate(notebook)
    except (
        OSError,
        ValueError,
        nbformat.ValidationError,
        *(AttributeError, KeyError, TypeError),  # nbformat's, where JSON is no notebook
    ) as error:
        reason = str(error).partition("\n")[0]
        raise InvalidInputError(
            f"{file} is no notebook that can be read: {reason} Copy {TEMPLATE.name} from "
            "dirframe/reporting and edit that."
        ) from None
    return notebook


def execute(notebook: Any, material: ReportData) -> Any:
    """Run a template with the frames of a report.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The template; changed in place.
    material : Material
        What the report is made of.

    Returns
    -------
    nbformat.NotebookNode
        The notebook with what its cells gave, without the cells tagged ``guide`` and those
        tagged with a collection that is not there.

    Raises
    ------
    ReportError
        If a cell fails, or the kernel does.

    Notes
    -----
    The kernel is this interpreter, with folders of its own and without the API key: a
    template reads the frames that it gets, and asks no directory.
    """
    from jupyter_client.kernelspec import KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    absent = {r.collection for r in RESOURCES.values()} - set(material.frames)
    leaving = absent | {_GUIDE}
    notebook.cells = [c for c in notebook.cells if not leaving & set(c.metadata.get("tags", ()))]
    with tempfile.TemporaryDirectory(prefix="dirframe-report-") as name:
        folder = Path(name)
        write_inputs(material, folder)
        manager = AsyncKernelManager(
            kernel_name="report",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[_kernels(folder)]),
            connection_file=str(folder / "connection.json"),
            # Sockets in the report's own folder, which nobody else can open, where there are such.
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
            number = next(n for n, cell in enumerate(notebook.cells, 1) if _failed(cell))
            raise _told(notebook, number, error.ename, error.evalue) from None
        except (CellTimeoutError, DeadKernelError) as error:
            reached = [n for n, c in enumerate(notebook.cells, 1) if c.get("execution_count")]
            number = min(len(notebook.cells), max(reached, default=0) + 1)
            raise _told(notebook, number, type(error).__name__, str(error)) from None
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
        except KeyboardInterrupt:  # a kernel that is stopped prints a traceback of its own
            raise
        except BaseException:
            _repeat(stderr)
            raise
        _repeat(stderr)


def _repeat(stderr: BinaryIO) -> None:
    stderr.seek(0)
    sys.stderr.write(stderr.read().decode(errors="replace"))


def _execute(client: Any, **kernel: Any) -> None:
    import asyncio

    class Loop(asyncio.SelectorEventLoop):
        """Leaves Ctrl-C to the program: nbclient would only stop the kernel and go on."""

        def add_signal_handler(self, *_: object) -> None:
            raise RuntimeError("Signals are handled elsewhere.")  # nbclient is prepared for it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=Loop) as runner:
            try:
                runner.run(client.async_execute(cleanup_kc=True, **kernel))
            except KeyboardInterrupt:  # what the tasks meet as they are ended is no news
                runner.get_loop().set_exception_handler(lambda *_: None)
                raise
    else:  # a notebook's: nbclient begins one in a thread, which gets no signals
        client.execute(cleanup_kc=True, **kernel)


def _kernels(folder: Path) -> str:
    # This interpreter, and not whichever one a "python3" of the machine would start.
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "report",
        "language": "python",
    }
    place = folder / "kernels" / "report"
    place.mkdir(parents=True)
    (place / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return str(place.parent)


def _environment(folder: Path) -> dict[str, str]:
    own = {
        VARIABLE: str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(
            [str(Path(dirframe.__file__).parents[1]), *filter(None, [os.getenv("PYTHONPATH")])]
        ),
    }
    return {k: v for k, v in os.environ.items() if k != API_KEY_VARIABLE} | own


def _failed(cell: Any) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", ()))


def _told(notebook: Any, number: int, name: str, text: str) -> ReportError:
    before = notebook.cells[:number]
    sources = [cell.source for cell in before if cell.cell_type == "markdown"]
    lines = [line for source in sources for line in source.splitlines() if line.startswith("#")]
    heading = lines[-1].lstrip("# ").strip() if lines else ""
    return ReportError(cell=number, heading=heading, error=name, text=text[:_LONGEST])

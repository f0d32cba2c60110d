"""Kernels of notebooks: copies of one process that has imported what they import.

To start Python, IPython, pandas and the charts anew takes longer than most notebooks of the tests.
`tests/shadowing/ipykernel_launcher.py` stands in for the program of the same name in all processes
that the tests start: it asks for a copy, hands it its own streams, folder and environment, and is
the kernel for whoever started it. What runs in the copy is ipykernel itself.
"""

from __future__ import annotations

import array
import fcntl
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

#: The folder of the socket, and the process that ends last.
FOLDER, OWNER = "DIRFRAME_TESTS_KERNELS", "DIRFRAME_TESTS_OWNER"

#: What takes long to import, and does not look at import whether it is in a kernel; ipywidgets
#: does, and is told again.
PRELOADED = (
    *("ipykernel.kernelapp", "ipykernel.zmqshell", "ipywidgets", "anywidget", "nbformat"),
    *("matplotlib.pyplot", "pyarrow.parquet", "dirframe.client.loaders", "dirframe.plot"),
    *("dirframe.explorer.explorer", "dirframe.io.export", "dirframe.sample", "dirframe.stats"),
)
_INLINE = "module://matplotlib_inline.backend_inline"
_SECONDS_BETWEEN_LOOKS = 2.0
_LONGEST_REQUEST = 1 << 20


def become_kernel() -> int:
    """Have a kernel started for the words of this process; return its exit code."""
    with _connected(Path(os.environ[FOLDER])) as connection:
        request = {"words": sys.argv, "folder": str(Path.cwd()), "environment": dict(os.environ)}
        streams = array.array("i", [0, 1, 2]).tobytes()
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)]
        connection.sendmsg([json.dumps(request).encode()], rights)

        def hand_on(number: int, _: object) -> None:
            connection.send(bytes([number]))

        signal.signal(signal.SIGINT, hand_on)
        signal.signal(signal.SIGTERM, hand_on)
        return int.from_bytes(connection.recv(1))


def _connected(folder: Path) -> socket.socket:
    """Connect with the process that is copied; start it if this is the first kernel."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            connection.connect(str(folder / "socket"))
        except OSError:
            (folder / "socket").unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
                listening.bind(str(folder / "socket"))
                listening.listen(16)
                root = str(Path(__file__).resolve().parent.parent)
                subprocess.Popen(
                    [sys.executable, "-m", "tests.kernels", str(listening.fileno())],
                    cwd=root,
                    env={**os.environ, "PYTHONHASHSEED": "0", "MPLBACKEND": "Agg"},
                    pass_fds=[listening.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            connection.connect(str(folder / "socket"))
    return connection


def serve(listening: socket.socket) -> None:
    """Start a kernel for each request, as long as the tests run."""
    _preload()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers are nobody's to wait for
    listening.settimeout(_SECONDS_BETWEEN_LOOKS)
    while Path(f"/proc/{os.environ[OWNER]}").exists():
        with suppress(TimeoutError):
            connection, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _keep_kernel(connection)
            connection.close()


def _preload() -> None:
    for name in PRELOADED:
        import_module(name)
    gc.collect()
    gc.freeze()


def _keep_kernel(connection: socket.socket) -> None:
    """Start a kernel, hand signals on to it, and end with it."""
    content, [(_, _, rights)], _, _ = connection.recvmsg(_LONGEST_REQUEST, socket.CMSG_LEN(12))
    streams = array.array("i", rights)
    kernel = os.fork()
    if kernel == 0:
        connection.close()
        try:
            _run(streams, **json.loads(content))
        except SystemExit as ended:
            os._exit(int(ended.code or 0))
        except BaseException:  # noqa: BLE001  # the copy ends here, and says why
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    for stream in streams:
        os.close(stream)

    def hand_on() -> None:
        with suppress(ProcessLookupError):
            while number := connection.recv(1):
                os.kill(kernel, number[0])
            os.kill(kernel, signal.SIGKILL)  # whoever asked was killed

    threading.Thread(target=hand_on, daemon=True).start()
    _, status = os.waitpid(kernel, 0)
    with suppress(OSError):
        connection.send(bytes([os.waitstatus_to_exitcode(status) & 0xFF]))
    os._exit(0)


def _run(
    streams: array.array[int], *, words: list[str], folder: str, environment: dict[str, str]
) -> None:
    """Be the kernel."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = words
    sys.path[:0] = [p for p in environment["PYTHONPATH"].split(os.pathsep) if p not in sys.path]

    import ipywidgets
    import matplotlib as mpl
    from ipykernel.kernelapp import IPKernelApp

    # What their import does in a kernel.
    mpl.rcParams["backend"] = os.environ.setdefault("MPLBACKEND", _INLINE)
    kernel: Any = IPKernelApp.instance(parent_handle=os.getppid())
    kernel.initialize()
    ipywidgets.register_comm_target()
    kernel.start()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))

"""Ctrl-C ends a command with exit code 130, whenever it comes."""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False  # as in dirframe/__init__.py: what stands here runs before everything else

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

__all__ = ["INTERRUPTED", "exit_with"]

#: The exit code of what Ctrl-C stopped: 128 and the number of SIGINT, as shells have it.
INTERRUPTED = 130
#: Seconds after which an interrupt that Python ignored is sent again.
_AGAIN = 0.05


def exit_with(run: Callable[[], object]) -> NoReturn:
    """Run a command and leave the process with its exit code, or with 130 after SIGINT.

    A KeyboardInterrupt alone does not do: it comes to nothing where Python ignores errors (a
    finalizer, a callback of a weak reference), and code that it passes through may turn it into
    an error of its own. So that it came is remembered, and what was ignored is repeated.

    A process that was started with SIGINT ignored, as a script starts what it puts into the
    background, goes on ignoring it.

    Parameters
    ----------
    run : callable
        Does the work; may raise SystemExit.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        run()
        sys.exit()
    interrupted = False

    def on_interrupt(_: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        del frame
        interrupted = True
        raise KeyboardInterrupt

    def on_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return
        # From here it would be ignored as well.
        timer = threading.Timer(_AGAIN, _send_again)
        timer.daemon = True
        timer.start()

    code: object = 0
    try:
        sys.unraisablehook = on_unraisable
        signal.signal(signal.SIGINT, on_interrupt)
        run()
    except SystemExit as end:
        code = end.code
    except BaseException:
        if not interrupted:
            raise
        code = INTERRUPTED
    # What is left is to end. Whoever does not wait for that either need not.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    sys.exit(INTERRUPTED if interrupted else code)  # type: ignore[arg-type]  # as it came


def _send_again() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:  # to the thread that may be asleep: another one's signal does not wake it
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

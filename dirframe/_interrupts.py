"""Exit with code 130 on Ctrl-C, at any point of a command."""

from __future__ import annotations

import os
import signal
import sys
import threading

TYPE_CHECKING = False  # importing typing would delay the signal handler

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

#: Exit code after Ctrl-C: 128 plus the number of SIGINT, the convention of shells.
INTERRUPTED = 130
#: Seconds after which an interrupt that Python ignored is sent again.
_RESEND_DELAY = 0.05


def exit_with(run: Callable[[], object]) -> NoReturn:
    """Run a command and exit with its exit code, or with 130 after SIGINT.

    A KeyboardInterrupt alone is not reliable: Python discards it in finalizers and weak
    reference callbacks, and other code may convert it into its own exception. The handler
    therefore records the signal, and a discarded one is sent again.

    If the process was started with SIGINT ignored, as shells do for background jobs of a script,
    SIGINT stays ignored.

    Parameters
    ----------
    run : callable
        The command; may raise SystemExit.
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
        # An exception raised from this hook would be discarded as well.
        timer = threading.Timer(_RESEND_DELAY, _resend)
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
    # A second Ctrl-C during shutdown exits at once.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    sys.exit(INTERRUPTED if interrupted else code)  # type: ignore[arg-type]  # SystemExit.code is Any


def _resend() -> None:
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:  # only a signal to the main thread wakes it from a sleep
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

"""Entry point of ``python -m dirframe``."""

from __future__ import annotations

import atexit
import gc
import signal
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

#: Exit code after Ctrl-C: 128 plus the number of SIGINT, the convention of shells.
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line; Ctrl-C ends it also while it is imported."""
    atexit.register(_freeze)
    is_interrupted = False

    def on_interrupt(*_: object) -> None:
        nonlocal is_interrupted
        is_interrupted = True
        raise KeyboardInterrupt

    # Ignored by a shell's background jobs, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, on_interrupt)
    try:
        from dirframe.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    except Exception:
        # Where a lock is taken, Python may turn the interrupt into another error.
        if not is_interrupted:
            raise
        sys.stderr.write("dirframe: stopped.\n")
        sys.exit(_INTERRUPTED)


def _freeze() -> None:
    """Spare Python the search for cycles among all that was imported, at the end of a command."""
    if "duckdb" not in sys.modules:  # it lists on standard error what was not collected
        gc.freeze()


if __name__ == "__main__":
    main()

"""Entry point of ``python -m dirframe``."""

from __future__ import annotations

import atexit
import gc
import signal
import sys

#: Exit code after Ctrl-C: 128 plus the number of SIGINT, the convention of shells.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line; Ctrl-C ends it also while a module is imported."""
    atexit.register(_freeze)
    interrupts = []

    def on_interrupt(number: int, _: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    # Ignored by a shell's background jobs, it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, on_interrupt)
    try:
        from dirframe.cli import main as run

        run()
    except (KeyboardInterrupt, Exception):
        # Where a lock is taken, Python may turn the interrupt into another error.
        if not interrupts:
            raise
        sys.stderr.write("dirframe: stopped.\n")
        sys.exit(_INTERRUPTED)


def _freeze() -> None:
    """Spare Python the search for cycles among all that was imported, at the end of a command."""
    if "duckdb" not in sys.modules:  # it lists on standard error what was not collected
        gc.freeze()


if __name__ == "__main__":
    main()

"""Entry point of ``python -m dirframe``."""

from __future__ import annotations

import atexit
import gc
import sys

from dirframe._interrupts import exit_with

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line. Ctrl-C is handled from here on, also during imports."""
    atexit.register(_freeze)
    exit_with(_run)


def _freeze() -> None:
    """Spare Python the search for cycles among all that was imported, at the end of a command."""
    if "duckdb" not in sys.modules:  # it lists on standard error what was not collected
        gc.freeze()


def _run() -> None:
    from dirframe.cli import main as run

    run()


if __name__ == "__main__":
    main()

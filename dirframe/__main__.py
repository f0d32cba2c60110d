"""Entry point of ``python -m dirframe``."""

from __future__ import annotations

import atexit
import gc

from dirframe._interrupts import exit_with

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line. Ctrl-C is handled from here on, also during imports."""
    # Python would look for cycles among all that was imported, at the end of every command.
    atexit.register(gc.freeze)
    exit_with(_run)


def _run() -> None:
    from dirframe.cli import main as run

    run()


if __name__ == "__main__":
    main()

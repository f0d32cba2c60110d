"""Entry point of ``python -m dirframe``."""

from __future__ import annotations

import atexit
import gc
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

#: Exit code after Ctrl-C: 128 plus the number of SIGINT, the convention of shells.
_INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line; Ctrl-C ends it also while it is imported."""
    atexit.register(_freeze)
    try:
        from dirframe.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _freeze() -> None:
    """Spare Python the search for cycles among all that was imported, at the end of a command."""
    if "duckdb" not in sys.modules:  # it lists on standard error what was not collected
        gc.freeze()


if __name__ == "__main__":
    main()

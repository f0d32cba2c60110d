"""``python -m dirframe`` does what ``dirframe`` does."""

from __future__ import annotations

from dirframe._interrupts import exit_with

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["main"]


def main() -> NoReturn:
    """Run the command line; Ctrl-C counts from here on, while its modules are loaded too."""
    exit_with(_run)


def _run() -> None:
    from dirframe.cli import main as run

    run()


if __name__ == "__main__":
    main()

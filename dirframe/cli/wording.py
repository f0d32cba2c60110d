"""What an error says to do, as one does it in a shell.

The package's errors name what its functions take. Here the same is an option, or another command.

What stays out: which exit code an error has (`dirframe.cli`).
"""

from __future__ import annotations

import re

__all__ = ["in_a_shell"]

_READ = r"dirframe\.load_(accounts|projects)\(\)"

#: What the package says, and what a shell has instead.
_WORDS = [
    (r"\bpass overwrite=True", "--overwrite"),
    (r"allow that they are replaced \(overwrite=True\)", "--overwrite"),
    (r"\bpass column= to name", "--column to name"),
    (r"\bPass base_url=, set", "Give --base-url, set"),
    (r"\bPass api_key=, set", "Set"),
    (r"the key is passed as api_key=", "the key is taken from DIRFRAME_API_KEY"),
    (r"\buse dirframe\.sample_directory\(\) for", "--sample for"),
    (
        r"A frame of overrides is the table of country_audit\(\)",
        "Overrides are what --audit writes",
    ),
    (r"compare them with dirframe\.compare\(before, after\)", "use dirframe compare BEFORE AFTER"),
    (rf"\bPass one as {_READ} or {_READ} gives it", r"Name a file of dirframe \1 or \2"),
    (rf"\bPass one as {_READ} gives it", r"Name a file of dirframe \1"),
]


def in_a_shell(text: str) -> str:
    """Return what an error says, with options in the place of arguments."""
    for said, instead in _WORDS:
        text = re.sub(said, instead, text)
    return text

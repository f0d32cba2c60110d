"""Suggest the name that was meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return a question that names similar choices, after a blank; empty if there is none.

    Choices with the name as one of their words come first: `projects` means `load_projects`.
    """
    names = [str(choice) for choice in choices]
    close = [other for other in names if name in other.split("_")]
    close += get_close_matches(name, names, n=3)
    quoted = [repr(match) for match in dict.fromkeys(close)]
    return f" Did you mean {' or '.join(quoted[:3])}?" if quoted else ""


def unknown_suffix(path: object, suffix: str, choices: Iterable[str]) -> str:
    """Return a sentence that names the suffix of a file and those that it may have."""
    what = f"the suffix {suffix!r}" if suffix else "no suffix"
    return f"{path} has {what}; choose one of {', '.join(choices)}."


def unknown_attribute(owner: str, name: str, choices: Iterable[str]) -> AttributeError:
    """Return the error for an attribute that does not exist."""
    question = "" if name.startswith("_") else did_you_mean(name, choices)
    # With a name and no object Python adds no suggestion of its own.
    return AttributeError(
        f"{owner} has no attribute {name!r}{question and '.' + question}", name=name
    )

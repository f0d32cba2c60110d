"""Loaders of the frames that statistics take, in Python and in the shell, for messages."""

from __future__ import annotations

from typing import NamedTuple


class Loader(NamedTuple):
    """Call that loads a frame in Python, and shell command that writes it."""

    python: str
    shell: str


ACCOUNTS = Loader("dirframe.load_accounts()", "dirframe accounts")
PROJECTS = Loader("dirframe.load_projects()", "dirframe projects")
EITHER = Loader(f"{ACCOUNTS.python} or {PROJECTS.python}", "dirframe accounts or projects")
ANY = Loader("a loader", EITHER.shell)
CONTRIBUTORS = Loader("dirframe.load_contributors()", "dirframe contributors")
ACTIVITY = Loader("dirframe.load_activity()", "dirframe activity")
UNIFIED_ACCOUNTS = Loader("dirframe.unify_countries(accounts)", "dirframe clean")

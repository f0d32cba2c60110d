"""What the explorer loads, and the code that loads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dirframe

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.plan import Plan
    from dirframe.client.progress import ProgressCallback


@dataclass(frozen=True, kw_only=True)
class Request:
    """Records to load: all of a collection, those of a query, a sample, or named projects."""

    collection: str = "projects"
    query: str = ""
    sort: str = ""
    max_items: int = 0
    sample: int = 0
    seed: int = 0
    projects: Sequence[str] = ()
    organization: str = ""
    details: bool = False

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `load_projects` or `load_accounts`."""
        arguments: dict[str, Any] = {
            "query": self.query,
            "sort": self.sort,
            "max_items": self.max_items,
            "sample": self.sample,
            "seed": self.seed if self.sample else 0,
            "projects": list(self.projects),
            "organization": self.organization,
        }
        if self.collection == "projects":
            arguments["details"] = self.details
        return {name: value for name, value in arguments.items() if value}

    def load(self, directory: dirframe.Directory, progress: ProgressCallback) -> pd.DataFrame:
        """Load the records."""
        if self.collection == "projects":
            return dirframe.load_projects(directory, progress=progress, **self.arguments())
        return dirframe.load_accounts(directory, progress=progress, **self.arguments())

    def plan(self, directory: dirframe.Directory) -> Plan:
        """Return what the load costs."""
        return dirframe.plan(self.collection, directory=directory, **self.arguments())

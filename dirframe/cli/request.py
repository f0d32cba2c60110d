"""What a command asks a directory for."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import click

import dirframe
from dirframe.cli.terminal import note

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.plan import Plan

#: Of the fields of a request, those that say which directory it is for, and whether it may begin.
_NOT_OF_A_LOAD = {"collection", "base_url", "demo", "yes"}
#: Of the fields of a request, those that are no arguments of `dirframe.plan`.
_NOT_OF_A_PLAN = {"incomplete", "offline"}


@dataclass(frozen=True, kw_only=True)
class Request:
    """Records to load, and the directory to load them from, as the options of a command say."""

    collection: str | None = None
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None
    sample: int | None = None
    seed: int | None = None
    details: bool = False
    organization: str | None = None
    projects: Sequence[str] | None = None
    of: Sequence[str] = ()
    incomplete: str | None = None
    base_url: str | None = None
    demo: Literal["sample", "rehearsal"] | None = None
    refresh: bool = False
    offline: bool = False
    yes: bool = False

    def __post_init__(self) -> None:
        if self.seed is not None and self.sample is None:
            raise click.UsageError("--seed needs --sample, the size of the random sample.")
        if self.demo and self.base_url:
            option = "--demo" if self.demo == "sample" else "--rehearsal"
            raise click.UsageError(f"{option} and --base-url exclude each other.")

    @property
    def names_records(self) -> bool:
        """Whether options name the records, so that a load is not that of a whole collection.

        Offline nothing is requested.
        """
        return bool(
            self.collection
            or self.demo
            or self.query
            or self.max_items
            or self.sample
            or self.offline
            or self.organization
            or self.projects
        )

    @property
    def options(self) -> list[str]:
        """The options that were given, as they are typed."""
        names = [name.replace("_", "-") for name in self._given()]
        if self.demo == "rehearsal":
            names = ["rehearsal" if name == "demo" else name for name in names]
        return [f"--{name}" for name in names]

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the function that loads."""
        given = {name: value for name, value in self._given().items() if name not in _NOT_OF_A_LOAD}
        if self.of:
            given["of"] = self.of[0] if len(self.of) == 1 else list(self.of)
        return given

    def _given(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value
            for name, value in values.items()
            if value is not None and value is not False and value != ()
        }

    def open_directory(self) -> dirframe.Directory:
        """Open the directory that the options or the environment name."""
        if self.demo:
            return dirframe.sample_directory(analyses=self.demo == "sample")
        return dirframe.Directory(self.base_url)

    def plan(self, collection: str) -> Plan:
        """Return what the load of a collection costs."""
        if self.offline:
            raise click.UsageError("--plan sends requests and --offline sends none: leave one out.")
        arguments = {
            name: value for name, value in self.arguments().items() if name not in _NOT_OF_A_PLAN
        }
        with self.open_directory() as directory:
            return dirframe.plan(collection, directory=directory, **arguments)

    def load(self, load: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """Load records; ask before a load that needs more requests than are left today.

        Only the first pages were requested by then, and those in the cache were read.
        """
        if self.yes or self.demo:
            return load()
        with warnings.catch_warnings():
            warnings.simplefilter("error", dirframe.OverQuotaWarning)
            try:
                return load()
            except dirframe.OverQuotaWarning as warning:
                question = str(warning)
        if not sys.stdin.isatty():
            raise dirframe.QuotaExceededError(
                question,
                hint="Nothing was loaded: --yes loads as much as today's quota allows.",
                url="",
            )
        note(f"dirframe: {question}")
        click.confirm("Load as much as today's quota allows?", abort=True, err=True)
        return load()

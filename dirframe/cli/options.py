"""Shared options of commands that load from a directory or select records, and the load itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pandas as pd

    from dirframe.client.directory import Directory

__all__ = [
    "SELECTION_OPTIONS",
    "ask",
    "client_options",
    "collecting_plain",
    "connection_options",
    "details_option",
    "documents",
    "estimate_options",
    "given_options",
    "of_contributors",
    "of_months",
    "open_directory",
    "plain_format",
    "query_options",
    "split",
    "with_options",
]


_WHERE = (
    click.option("--base-url", metavar="URL", help="Address of the directory."),
    click.option("--sample", is_flag=True, help="Ask the bundled sample directory."),
)
_MANNER = (
    click.option("--refresh", is_flag=True, help="Ask for every page, whatever is cached."),
    click.option("--offline", is_flag=True, help="Ask the cache alone."),
    click.option("--stale", is_flag=True, help="Take cached pages of any age."),
    click.option(
        "--wait",
        metavar="SECONDS",
        type=click.FloatRange(0),
        default=0.0,
        help="Sleep so long, at most, until the daily quota comes back.",
    ),
)
_QUESTION = (
    click.option("--query", metavar="TEXT", help="Only records that match."),
    click.option("--sort", metavar="VALUE", help="Order, for example name or id_reverse."),
    click.option(
        "--max-items", metavar="N", type=click.IntRange(1), help="Cap on the number of records."
    ),
)
_PROJECT = click.option(
    "--project", metavar="PROJECT", help="Whose: the project's id or its short name in addresses."
)
details_option = click.option(
    "--details",
    is_flag=True,
    help="Ask for the own page of each project that came without its analysis.",
)
_PROOF = (
    click.option(
        "--incomplete",
        type=click.Choice(["raise", "warn"]),
        default="raise",
        show_default=True,
        help="What to do if completeness cannot be proven.",
    ),
)

#: Options that select records, by the names of `dirframe.charts.SELECTION`.
SELECTION_OPTIONS = {
    "exclude": click.option(
        "--exclude",
        metavar="RULE",
        multiple=True,
        help="Leave out what dirframe flags tells by this rule; again for another.",
    ),
    "max_age": click.option(
        "--max-age", metavar="AGE", help="Leave out older analyses: 90d, 26w, 18mo, 2y."
    ),
    "by": click.option(
        "--by",
        metavar="COLUMN",
        multiple=True,
        help="For each value of a column, or language, country, year, team_size.",
    ),
    "min_records": click.option(
        "--min-records",
        metavar="N",
        type=click.IntRange(1),
        help="Put smaller groups of --by together.",
    ),
}


def with_options(*options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options to a command, in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


#: Options for the directory.
connection_options = with_options(*_WHERE)
#: Options for the directory, the cache and the quota.
client_options = with_options(*_WHERE, *_MANNER)
#: The same with a query of a collection.
query_options = with_options(*_QUESTION, details_option, *_PROOF, *_WHERE, *_MANNER)
#: The same for records without detail pages.
collecting_plain = with_options(*_QUESTION, *_PROOF, *_WHERE, *_MANNER)
#: The same for the contributors of a project.
of_contributors = with_options(_PROJECT, *_QUESTION, *_PROOF, *_WHERE, *_MANNER)
#: The same for the months of a project, which are a single document.
of_months = with_options(_PROJECT, *_PROOF, *_WHERE, *_MANNER)
#: Options for a single document that states its number of records.
documents = with_options(*_PROOF, *_WHERE, *_MANNER)
#: Options of a plan, which loads no records.
estimate_options = with_options(*_QUESTION, details_option, *_WHERE, _MANNER[0])
#: Output format of results that are not a frame.
plain_format = with_options(
    click.option(
        "--format",
        "fmt",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="For people, or for programs.",
    )
)


def open_directory(base_url: str | None, sample: bool) -> Directory:
    """Open the directory given by the options or the environment."""
    if sample:
        if base_url:
            raise click.UsageError("--sample and --base-url exclude one another.")
        from dirframe.sample import sample_directory

        return sample_directory()
    from dirframe.client.directory import Directory

    return Directory(base_url)


def ask(collection: str, *, base_url: str | None, sample: bool, **question: Any) -> pd.DataFrame:
    """Load a collection with the options of a command."""
    from dirframe.client.collections import (
        load_activity,
        load_contributors,
        load_languages,
        load_size,
    )
    from dirframe.client.loaders import load_accounts, load_projects

    loaders: dict[str, Callable[..., pd.DataFrame]] = {
        "accounts": load_accounts,
        "activity": load_activity,
        "contributors": load_contributors,
        "languages": load_languages,
        "projects": load_projects,
        "size": load_size,
    }
    details = question.pop("details", False)
    if collection == "projects":
        question["details"] = details
    elif details:
        raise click.UsageError(f"--details is about projects; {collection} have no own pages.")
    with open_directory(base_url, sample) as directory:
        return loaders[collection](directory=directory, **question)


def split(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options with these names from `given`, and return those that are set."""
    own = {name: given.pop(name) for name in names}
    return {name: value for name, value in own.items() if value not in {None, ()}}


def given_options(question: dict[str, Any]) -> list[str]:
    """Return the names of the query options that are set."""
    unset = (None, False, 0.0, "raise")
    return [f"--{name.replace('_', '-')}" for name, value in question.items() if value not in unset]

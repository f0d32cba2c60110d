"""Shared options of commands that load from a directory or select records."""

from __future__ import annotations

from collections import UserDict
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from click.shell_completion import CompletionItem

    from dirframe.client.directory import Directory


class Command(click.Command):
    """A command whose help lists its options in sections."""

    section = ""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first sentence of the help, never cut."""
        del limit
        return super().get_short_help_str(1_000)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then the shared ones by section."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            if (record := parameter.get_help_record(ctx)) is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)


class CommandsOnDemand(UserDict[str, click.Command]):
    """The commands of a group, each made when it is first asked for: making all takes a while."""

    def __init__(self, makers: Mapping[str, Callable[[], Command]]) -> None:
        super().__init__()
        self._makers = dict(makers)

    def __getitem__(self, name: str) -> click.Command:
        """Return a command."""
        if name not in self.data:
            self.data[name] = self._makers[name]()
        return self.data[name]

    def __contains__(self, name: object) -> bool:
        """Return whether there is a command of this name."""
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        """Yield the names in the order of registration."""
        return iter(self._makers)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(self._makers)


class Group(Command, click.Group):
    """Commands in sections, in the order of their registration; names may have hyphens."""

    command_class = Command
    group_class = type

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of registration."""
        del ctx
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; a hyphen is as good as an underscore."""
        return super().get_command(ctx, cmd_name.replace("-", "_"))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete names typed with hyphens too."""
        name = incomplete if incomplete.startswith("-") else incomplete.replace("-", "_")
        return super().shell_complete(ctx, name)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the commands by section."""
        super().format_options(ctx, formatter)
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            records = sections.setdefault(getattr(command, "section", "") or "Commands", [])
            records.append((name, command.get_short_help_str()))
        # One column of names for all sections.
        widest = max(map(len, self.commands), default=0)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(widest), text) for name, text in records], col_max=40
                )


def command(name: str | None = None, **texts: str) -> Callable[[Callable[..., Any]], Command]:
    """Return a decorator that makes a command of a function."""
    return click.command(name, cls=Command, **texts)


def group() -> Callable[[Callable[..., Any]], Group]:
    """Return a decorator that makes a group of a function."""
    return click.group(cls=Group)


def with_options(*options: Any, section: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that adds options to a command, in this order and to a section of its help."""

    def add(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
            if section:
                function.__click_params__[-1].section = section
        return function

    return add


#: What only the authors of a study know; the names are those of `dirframe.export`.
study_options = with_options(
    click.option("--title", metavar="TEXT", help="Title of the study."),
    click.option(
        "--author",
        "authors",
        metavar="NAME",
        multiple=True,
        help='"Family, Given", or an organization; may be repeated.',
    ),
    click.option(
        "--license",
        metavar="SPDX",
        help="Licence of the records: an identifier such as CC-BY-4.0, or a URL.",
    ),
    click.option(
        "--personal",
        is_flag=True,
        help="Write names, logins, pictures, locations and the like too, which are left out.",
    ),
    click.option(
        "--archive",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="Archive of harvested pages to add; needs --personal.",
    ),
    section="Study (.zip)",
)


def rule_option(*names: str, help: str) -> Callable[[Any], Any]:  # noqa: A002  # as in click
    """Return an option that takes rules of dirframe flags, and completes them."""

    def complete(_context: click.Context, _option: click.Parameter, incomplete: str) -> list[str]:
        from dirframe.quality.rules import RULES

        return [rule for rule in RULES if rule.startswith(incomplete)]

    def check(
        _context: click.Context, _option: click.Parameter, rules: tuple[str, ...]
    ) -> tuple[str, ...]:
        if rules:
            from dirframe.quality.rules import rules_of

            rules_of(rules)  # raises before the load
        return rules

    return click.option(
        *names,
        metavar="RULE",
        multiple=True,
        callback=check,
        help=f"{help}; may be repeated.",
        shell_complete=complete,
    )


def age_option(name: str, *, help: str) -> Callable[[Any], Any]:  # noqa: A002  # as in click
    """Return the option for the age of an analysis."""

    def check(_context: click.Context, _option: click.Parameter, age: str | None) -> str | None:
        if age is not None:
            from dirframe.quality.rules import offset_of

            offset_of(age, name)  # raises before the load
        return age

    return click.option(name, metavar="AGE", callback=check, help=f"{help}: 90d, 26w, 18mo, 2y.")


_WHERE = with_options(
    click.option("--base-url", metavar="URL", help="Base URL of the directory."),
    click.option("--sample", is_flag=True, help="Use the bundled sample directory."),
    section="Directory",
)
_REFRESH = with_options(
    click.option("--refresh", is_flag=True, help="Fetch every page again, even if it is cached."),
    section="Cache",
)
_POLICY = with_options(
    _REFRESH,
    click.option(
        "--offline", is_flag=True, help="Use only the cache, pages of any age; send no requests."
    ),
    section="Cache",
)
_QUERY = with_options(
    click.option("--query", metavar="TEXT", help="Load only matching records."),
    click.option("--sort", metavar="VALUE", help="Sort order, for example name or id_reverse."),
    click.option(
        "-n",
        "--max-items",
        "--limit",
        "max_items",
        metavar="N",
        type=click.IntRange(1),
        help="Maximum number of records.",
    ),
    section="Records",
)
#: A random sample; ``--sample`` is the bundled directory.
draw_options = with_options(
    click.option(
        "--sample-size",
        metavar="N",
        type=click.IntRange(1),
        help="Draw so many records at random instead.",
    ),
    click.option(
        "--seed", metavar="N", type=click.IntRange(0), default=0, help="Seed of --sample-size."
    ),
    section="Records",
)
_PROJECT = with_options(
    click.option("--project", metavar="PROJECT", help="Id or short name of the project."),
    section="Records",
)
details_option = with_options(
    click.option(
        "--details",
        is_flag=True,
        help="Also fetch the page of each project that was sent without its analysis.",
    ),
    section="Records",
)
_PROOF = with_options(
    click.option(
        "--incomplete",
        type=click.Choice(["raise", "warn"]),
        default="raise",
        show_default=True,
        help="What to do if completeness cannot be proven.",
    ),
    section="Records",
)

#: Options that leave records out and divide the others.
selection_options = with_options(
    rule_option("--exclude", help="Exclude records by this rule of dirframe flags"),
    age_option("--older-than", help="Exclude analyses older than this"),
    click.option(
        "--by",
        metavar="COLUMN",
        help="Group by a column, or by language, country, year or team_size.",
    ),
    click.option(
        "--min-records",
        metavar="N",
        type=click.IntRange(1),
        help="Combine groups of --by with fewer records.",
    ),
    section="Selection",
)

#: Options for the directory.
connection_options = _WHERE
#: Options for the directory, the cache and the quota.
client_options = with_options(_WHERE, _POLICY)
#: The same with a query of a collection.
query_options = with_options(_QUERY, draw_options, details_option, _PROOF, client_options)
#: The same for records without detail pages.
plain_query_options = with_options(_QUERY, _PROOF, client_options)
#: The same for the contributors of a project.
contributor_options = with_options(_PROJECT, plain_query_options)
#: Options for a single document that states its number of records.
document_options = with_options(_PROOF, client_options)
#: The same for the months of a project, which are a single document.
month_options = with_options(_PROJECT, document_options)
#: Options of a plan, which loads no records.
estimate_options = with_options(_QUERY, draw_options, details_option, _WHERE, _REFRESH)
#: The collection to load where no file is named.
collection_option = with_options(
    click.option(
        "--collection",
        type=click.Choice(["accounts", "projects"]),
        help="Collection to load if no file is given.",
    ),
    section="Records",
)
#: Output format of results that are not a frame.
plain_format = with_options(
    click.option(
        "--format",
        "fmt",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Output format.",
    )
)


def open_directory(base_url: str | None, sample: bool) -> Directory:
    """Open the directory given by the options or the environment."""
    if sample:
        if base_url:
            raise click.UsageError("--sample and --base-url exclude each other.")
        from dirframe.sample import sample_directory

        return sample_directory()
    from dirframe.client.directory import Directory

    return Directory(base_url)


def drawn(options: dict[str, Any]) -> dict[str, Any]:
    """Take --sample-size and --seed out of options, and return them as the loaders name them."""
    size, seed = options.pop("sample_size", None), options.pop("seed", 0)
    return {} if size is None else {"sample": size, "seed": seed}


def split(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options with these names from `given`, and return those that are set."""
    own = {name: given.pop(name) for name in names}
    return {name: value for name, value in own.items() if value not in {None, ()}}


def given_options(question: dict[str, Any]) -> list[str]:
    """Return the names of the query options that are set."""
    unset = (None, False, 0.0, "raise")
    return [f"--{name.replace('_', '-')}" for name, value in question.items() if value not in unset]

"""Commands that answer a word of another tool with the word of this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

#: What people type in place of an option, and the option or the way that does it.
_WAYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("--language", "--lang", "--main-language"), ("--where language=Java",)),
    **dict.fromkeys(("--country", "--countries"), ("--where country=DE",)),
    **dict.fromkeys(("--license", "--licence"), ("--where license=mit",)),
    **dict.fromkeys(("--tag", "--tags"), ("--where tag=web",)),
    **dict.fromkeys(("--year", "--years", "--since"), ("--where year=2008..2010",)),
    **dict.fromkeys(("--activity", "--active"), ("--where activity=active",)),
    **dict.fromkeys(("--filter", "--select", "--condition"), ("--where language=Java",)),
    **dict.fromkeys(("--search", "--name", "--words"), ("--query WORDS",)),
    **dict.fromkeys(("--url", "--server", "--address"), ("--base-url URL", "--host ADDRESS")),
    **dict.fromkeys(("--out", "--file", "--save", "--target"), ("-o FILE", "--to FILE")),
    "--to": ("-o FILE",),
    **dict.fromkeys(("--force", "--replace"), ("--overwrite",)),
    **{f"--{form}": (f"--format {form}",) for form in ("csv", "tsv", "json", "jsonl", "parquet")},
    "--format": ("-o NAME.png", "--style bibtex"),
    **dict.fromkeys(("--fields", "--cols", "--column"), ("--columns NAME,NAME",)),
    **dict.fromkeys(("--org", "--organisation"), ("--organization NAME",)),
    **dict.fromkeys(("--ids", "--id", "--list"), ("--ids-from FILE",)),
    **dict.fromkeys(("--random", "--sample-size"), ("--sample N",)),
    **dict.fromkeys(("--dry-run", "--estimate", "--cost"), ("--plan",)),
    **dict.fromkeys(("--no-cache", "--fresh", "--update"), ("--refresh",)),
    "--top": ("-p top=10", "-n N"),
    **dict.fromkeys(("--head", "--rows", "--max"), ("-n N",)),
    **dict.fromkeys(("--group-by", "--group", "--divide"), ("--by COLUMN",)),
    "--title": ("-p title=TEXT",),
    "--width": ("-p width=column",),
    "--caption": ("-p caption=TEXT",),
    **dict.fromkeys(("--order", "--order-by", "--sort-by"), ("--sort VALUE",)),
    **dict.fromkeys(("--analyses", "--analysis", "--full"), ("--details",)),
    **dict.fromkeys(("--example", "--test"), ("--demo",)),
    **dict.fromkeys(("--bibtex", "--ris", "--csl"), ("--style bibtex",)),
    "--apa": ("--style apa",),
}
#: What does what an option of one command may be meant to do.
_WAYS_OF_COMMANDS: dict[tuple[str, str], str] = {
    **dict.fromkeys(
        (("export", "-o"), ("export", "--output"), ("export", "--out"), ("export", "--to")),
        "The last file is the one to write: dirframe export FILE TARGET.",
    ),
    ("accounts", "--id"): "One account is loaded by dirframe load /accounts/ID.xml.",
    **dict.fromkeys((("clean", "--country"), ("clean", "--columns")), "It is --column NAME."),
    **dict.fromkeys(
        (("flags", "--rule"), ("flags", "--rules")),
        "Every rule is applied; --exclude RULE leaves records out.",
    ),
    ("stats", "--list"): "dirframe stats --help names all.",
    ("plot", "--list"): "dirframe plot --help names all.",
}
#: What does what people expect of an option of any command.
_HABITS = {
    **dict.fromkeys(("--version", "-v", "-V"), "It is dirframe --version."),
    **dict.fromkeys(
        ("--quiet", "-q", "--silent", "--verbose", "--debug"),
        "Messages go to standard error, tables to standard output: 2>/dev/null hides the messages.",
    ),
    **dict.fromkeys(("--no-color", "--color", "--no-colour"), "Nothing is coloured."),
    **dict.fromkeys(
        ("--config", "--profile"),
        "Settings are environment variables: DIRFRAME_BASE_URL, DIRFRAME_API_KEY.",
    ),
    **dict.fromkeys(("--yes", "-y", "--no-input"), "Nothing is asked: leave it out."),
}
#: What to write in place of a further argument.
_ARGUMENTS = {
    "accounts": "dirframe accounts --query WORDS searches; dirframe load /accounts/ID.xml loads one.",
    "load": "The owners of a collection are named with --of: dirframe load contributors --of 633.",
    "plot": "It takes a name and one file; -o NAME.png names the picture.",
    "stats": "It takes a name and one file; -o FILE names the table to write.",
    "harvest": "--to FILE names the archive.",
    "cite": "It takes one file.",
    "clean": "It takes one file; -o FILE names the table to write.",
    "flags": "It takes one file; -o FILE names the table to write.",
    "summary": "It takes one file; dirframe compare BEFORE AFTER compares two.",
}
_KEY_OPTIONS = {"--api-key", "--apikey", "--api_key", "--key", "--token", "-k"}
_KEY_WAY = (
    "A key is never typed, because other users of the machine see what is typed: set the environment "
    "variable DIRFRAME_API_KEY."
)
#: What people type in place of a command, and what does it.
_COMMANDS = {
    **dict.fromkeys(
        ("explorer", "explore", "gui", "browse", "widget"),
        "The explorer opens in a notebook: import dirframe; dirframe.Explorer()",
    ),
    **dict.fromkeys(
        ("notebook", "lab", "jupyter"),
        "dirframe is used in a notebook by import dirframe.",
    ),
    **dict.fromkeys(
        ("select", "filter"),
        "dirframe projects and dirframe export take conditions: --where language=Java.",
    ),
    **dict.fromkeys(("exclude", "drop"), "dirframe export takes rules: --exclude negative_lines."),
    **dict.fromkeys(
        ("organization", "organizations", "organisation", "org", "orgs", "portfolio"),
        "dirframe projects --organization NAME loads the projects of an organization.",
    ),
    **dict.fromkeys(
        ("languages", "contributors", "repositories", "enlistments", "positions", "kudos"),
        "dirframe load /languages.xml, dirframe load contributors --of 633: see dirframe load --help.",
    ),
    **dict.fromkeys(("chart", "charts", "draw", "graph"), "It is dirframe plot NAME."),
    **dict.fromkeys(("statistics", "statistic", "count"), "It is dirframe stats NAME."),
    **dict.fromkeys(("users", "members", "people"), "It is dirframe accounts."),
    **dict.fromkeys(
        ("search", "find", "query"), "dirframe projects --query WORDS searches a directory."
    ),
    **dict.fromkeys(
        ("fetch", "download", "get", "crawl"),
        "dirframe projects and dirframe accounts load a collection once, dirframe harvest over days.",
    ),
    **dict.fromkeys(("convert", "save", "write"), "It is dirframe export FILE TARGET."),
    **dict.fromkeys(("estimate", "price", "cost", "plan"), "It is dirframe projects --plan."),
    **dict.fromkeys(("citation", "bibtex", "ris"), "It is dirframe cite FILE."),
    **dict.fromkeys(("countries", "unify", "countries_audit"), "It is dirframe clean FILE."),
    **dict.fromkeys(
        ("draw_sample", "sample", "random"), "dirframe projects --sample 100 draws projects."
    ),
    **dict.fromkeys(("server", "publish", "host"), "It is dirframe serve."),
    **dict.fromkeys(
        ("login", "auth", "configure", "config", "key", "register"),
        "No login is needed: set DIRFRAME_BASE_URL and DIRFRAME_API_KEY. dirframe keys is for the "
        "keys of a directory that you serve.",
    ),
    **dict.fromkeys(
        ("info", "describe", "head", "show", "quality"), "It is dirframe summary FILE."
    ),
    **dict.fromkeys(("diff", "changes"), "It is dirframe compare BEFORE AFTER."),
    "version": "It is dirframe --version.",
    "help": "It is dirframe --help, and dirframe COMMAND --help.",
}


class _Command(click.Command):
    """A command that names the way for an option or an argument that it does not have."""

    allow_extra_args = True  # they are answered below

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after the command."""
        words = list(args)
        try:
            super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            way = self._way(error.option_name, words)
            if way is None:
                raise
            raise click.UsageError(f"No such option {error.option_name!r}. {way}", ctx) from None
        if ctx.args:
            further = " ".join(ctx.args)
            way = _ARGUMENTS.get(str(self.name), "")
            raise click.UsageError(f"Unexpected argument {further!r}. {way}".rstrip(), ctx)
        return ctx.args

    def _way(self, name: str, words: list[str]) -> str | None:
        """Return what does what an unknown option may be meant to do; None if that is not known."""
        if name in _KEY_OPTIONS:
            return _KEY_WAY
        if (str(self.name), name) in _WAYS_OF_COMMANDS:
            return _WAYS_OF_COMMANDS[str(self.name), name]
        known = {option for parameter in self.params for option in parameter.opts}
        for word in words:
            if not word.startswith("--") and f"-{word}" in known:
                return f"It is -{word}."
        for way in _WAYS.get(name, ()):
            option, _, _ = way.partition(" ")
            if option in known:
                return f"It is {way}."
        return _HABITS.get(name)


class _Group(click.Group):
    """A group that names the way for a command or an option that it does not have."""

    command_class = _Command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words up to the command."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            way = _HABITS.get(error.option_name)
            if way is None:
                raise
            raise click.UsageError(f"No such option {error.option_name!r}. {way}", ctx) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word."""
        is_main = ctx.parent is None
        name = args[0]
        if is_main and name not in self.commands and name in _COMMANDS:
            raise click.UsageError(f"No such command {name!r}. {_COMMANDS[name]}", ctx)
        return super().resolve_command(ctx, args)


def command(name: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], _Command]:
    """Return the decorator that makes a command."""
    return click.command(name, cls=_Command, **options)


def group(**options: Any) -> Callable[[Callable[..., Any]], _Group]:
    """Return the decorator that makes a group of commands."""
    return click.group(cls=_Group, **options)

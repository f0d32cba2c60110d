"""Commands that load records, keep them in an archive, and say what a load costs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click import argument, command, option

import dirframe
from dirframe.cli import frames, options
from dirframe.cli.frames import Output, note, open_directory

#: Options that the price of a load depends on.
_PRICED = {
    *("query", "sort", "max_items", "sample", "seed", "details", "refresh"),
    *("of", "organization", "projects"),
}


@command()
@option("-o", "--output", "folder", default="dirframe-demo", help="Folder to write.")
def demo(folder: str) -> None:
    """Load the sample directory, and write tables and charts of it.

    \b
    Example:
      dirframe demo -o first-look
    """
    from dirframe.demo import run_demo

    run_demo(Path(folder))


def _print_plan(collection: str, **question: Any) -> None:
    if question.get("offline"):
        raise click.UsageError("--plan asks the directory, --offline does not: leave one out.")
    priced = {name: value for name, value in frames.asked(question).items() if name in _PRICED}
    with open_directory(**question) as directory:
        click.echo(dirframe.plan(collection, directory=directory, **priced))


def _load(collection: str, out: Output, plan: bool, **question: Any) -> None:
    if plan:
        _print_plan(collection, **question)
    else:
        from dirframe.clean.countries import with_countries

        none = frames.empty(collection)
        if "countries" in question["where"]:
            none = with_countries(none)
        frames.check_columns(out.columns, [*none])
        out.write(frames.read(collection=collection, **question))


@command()
@argument("names", nargs=-1, metavar="[PROJECT]...")
@option(
    "--ids-from",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Load the projects that a file names: a column id, or one id or name a line.",
)
@option("--organization", metavar="NAME", help="Load the projects of an organization.")
@options.select_options
@options.project_options
@options.plan_option
@frames.output
def projects(names: tuple[str, ...], ids_from: Path | None, **given: Any) -> None:
    """Load projects and write them as a table.

    PROJECT is an id or a short name: these are loaded, in this order.

    --query searches the words of a record; --where language=Java keeps those whose main language
    it is.

    \b
    Examples:
      dirframe projects --demo --sort stack_count_reverse -n 20
      dirframe projects --query parser --where language=Java -o parsers.csv
      dirframe projects --sample 100 --seed 7 --details -o drawn.parquet
      dirframe projects 633 714 --demo
      dirframe projects --ids-from projects.parquet --demo -o again.csv
    """
    _load("projects", projects=frames.names_given(names, ids_from), **given)


@command()
@options.select_options
@options.plan_option
@frames.output
def accounts(**given: Any) -> None:
    """Load accounts and write them as a table.

    \b
    Examples:
      dirframe accounts --demo -n 100
      dirframe accounts --query ada --format jsonl
      dirframe accounts -o accounts.parquet
    """
    _load("accounts", **given)


@command()
@argument("address", metavar="PATH|NAME")
@option(
    "--of",
    multiple=True,
    metavar="OWNER",
    help="Whose NAME to load: an id or short name. May be repeated.",
)
@options.path_options
@options.plan_option
@frames.output
def load(address: str, of: tuple[str, ...], out: Output, plan: bool, **question: Any) -> None:
    """Load the records at a path, or those of owners by a name.

    PATH ends in .xml: languages, contributors and months of a project, or one record. NAME is a
    collection of projects (contributors, activity_facts, size_facts, enlistments, factoids, stacks),
    of accounts (positions, kudos, kudos_sent, managed_projects) or of organizations
    (portfolio_projects, outside_projects, affiliated_committers, outside_committers).

    \b
    Examples:
      dirframe load /languages.xml -o languages.parquet
      dirframe load /projects/1.xml --demo
      dirframe load /projects/1/contributors.xml --plan
      dirframe load activity_facts --of 633 --of 714 --demo -o months.csv
    """
    if of:
        question["of"] = of[0] if len(of) == 1 else list(of)
    if plan:
        _print_plan(address, **question)
        return
    with open_directory(**question) as directory:
        options = frames.asked(question)
        out.write(
            frames.load_asking(
                lambda: dirframe.load(address, directory=directory, **options), **question
            )
        )


@command()
@argument("collection", type=options.COLLECTION)
@option("--to", "path", type=options.FILE, required=True, help="File of the archive.")
@options.harvest_options
@options.plan_option
def harvest(collection: Any, path: Path, plan: bool, **question: Any) -> None:
    """Download a collection into an archive, over days.

    Run the same command again to continue.

    \b
    Examples:
      dirframe harvest projects --to kept.archive --demo
      dirframe harvest projects --to kept.archive --details
    """
    if plan and path.exists():
        status = dirframe.open_archive(path).status()
        if status.resource != collection:
            raise click.UsageError(f"{path} is an archive of {status.resource}: name another file.")
        click.echo(status)
        return
    if plan:
        _print_plan(collection, **question)
        return
    with open_directory(**question) as directory:
        try:
            archive = dirframe.harvest(
                collection, path, directory=directory, **frames.asked(question)
            )
        except dirframe.QuotaExceededError:
            click.echo(dirframe.open_archive(path).status(), err=True)
            raise
    click.echo(archive.status())


@command()
@argument("path", metavar="ARCHIVE", type=click.Path(path_type=Path))
def status(path: Path) -> None:
    """Show what an archive holds and lacks.

    \b
    Example:
      dirframe status kept.archive
    """
    click.echo(dirframe.open_archive(path).status())


@command()
@options.directory_options
def check(**where: Any) -> None:
    """Try what a directory sends and keeps.

    Sends at most 18 requests. The report holds no key: post it.

    \b
    Example:
      dirframe check --demo
    """
    with open_directory(**where) as directory:
        click.echo(dirframe.check(directory))


@command()
@options.directory_options
def quota(**where: Any) -> None:
    """Show how many requests are left; sends none.

    \b
    Example:
      dirframe quota
    """
    with open_directory(**where) as directory:
        click.echo(directory.quota())


@click.group()
def cache() -> None:
    """Show or clear the cache of fetched pages.

    \b
    Examples:
      dirframe cache info
      dirframe cache clear
    """


@cache.command("info")
def cache_info() -> None:
    """Show location and size of the cache."""
    click.echo(dirframe.cache_info())


@cache.command("clear")
def cache_clear() -> None:
    """Remove every page from the cache."""
    note(f"Removed {dirframe.clear_cache():,} pages.")

"""Commands that load records, keep them in an archive, and say what a load costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click import argument, option

import dirframe
from dirframe._display import quantity
from dirframe.cli import options
from dirframe.cli.commands import command, group
from dirframe.cli.output import Output, output
from dirframe.cli.records import bounded, empty, named_records, projects_named, read
from dirframe.cli.request import Request
from dirframe.cli.selection import Selection, with_countries
from dirframe.cli.terminal import note, show
from dirframe.schema import RESOURCES


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


def _load(
    request: Request, selection: Selection, out: Output, *, collection: str, plan: bool
) -> None:
    """Load a collection and write it, or only say what that costs."""
    request = replace(request, collection=collection)
    if plan:
        show(bounded(request, selection).plan(collection))
        return
    none = empty(collection)
    if "countries" in selection.filters:
        none = with_countries(none)
    out.check_columns([str(name) for name in none])
    out.write(read(None, request, selection))


@command()
@argument("names", nargs=-1, metavar="[PROJECT]...")
@option(
    "--ids-from",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Load the projects in a file: a column id, or one id or name a line.",
)
@option("--organization", metavar="NAME", help="Load the projects of an organization.")
@options.select_options
@options.project_options
@options.plan_option
@output
def projects(
    *,
    names: tuple[str, ...],
    ids_from: Path | None,
    request: Request,
    selection: Selection,
    out: Output,
    plan: bool,
) -> None:
    """Load projects and write them as a table.

    PROJECT is an id or a short name. The projects are written in the given order.

    --query searches the words of a record; --where language=Java keeps the projects whose main
    language is Java.

    \b
    Examples:
      dirframe projects --demo --sort stack_count_reverse -n 20
      dirframe projects --query parser --where language=Java -o parsers.csv
      dirframe projects --sample 100 --seed 7 --details -o drawn.parquet
      dirframe projects 633 714 --demo
      dirframe projects --ids-from projects.parquet --demo -o again.csv
    """
    for name in names:
        if out.columns and name in RESOURCES["project"].by_column:
            columns = ",".join([*out.columns, name])
            raise click.UsageError(f"Separate columns by commas: --columns {columns}")
    request = replace(request, projects=projects_named(names, ids_from))
    try:
        _load(request, selection, out, collection="projects", plan=plan)
    except dirframe.IncompleteCollectionError:
        if names:
            note("dirframe: --query WORDS finds projects by their words.")
        raise


@command()
@options.select_options
@options.plan_option
@output
def accounts(request: Request, selection: Selection, out: Output, plan: bool) -> None:
    """Load accounts and write them as a table.

    \b
    Examples:
      dirframe accounts --demo -n 100
      dirframe accounts --query ada --format jsonl
      dirframe accounts -o accounts.parquet
    """
    _load(request, selection, out, collection="accounts", plan=plan)


@command()
@argument("address", metavar="PATH|NAME")
@option(
    "--of",
    multiple=True,
    metavar="OWNER",
    help="Whose NAME to load: an id or short name. May be repeated.",
)
@option(
    "--ids-from",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Load NAME of the records in a file: a column id, or one id or name a line.",
)
@options.path_options
@options.plan_option
@output
def load(*, address: str, ids_from: Path | None, request: Request, out: Output, plan: bool) -> None:
    """Load the records at a path, or of several projects or accounts.

    PATH ends in .xml: languages, contributors and months of a project, or one record. NAME is a
    collection of projects (contributors, activity_facts, size_facts, enlistments, repositories with
    canonical addresses, factoids, stacks), of accounts (positions, kudos, kudos_sent,
    managed_projects) or of organizations (portfolio_projects, outside_projects,
    affiliated_committers, outside_committers).

    \b
    Examples:
      dirframe load /languages.xml -o languages.parquet
      dirframe load /projects/1.xml --demo
      dirframe load /projects/1/contributors.xml --plan
      dirframe load activity_facts --of 633 --of 714 --demo -o months.csv
      dirframe load repositories --ids-from ours.csv --plan
    """
    address = _with_suffix(address)
    request = replace(request, of=named_records(request.of, ids_from) or ())
    if address == "repositories":
        _load_repositories(request, out, plan=plan)
        return
    if plan:
        show(request.plan(address))
        return
    arguments = request.arguments()
    with request.open_directory() as directory:
        frame = request.load(lambda: dirframe.load(address, directory=directory, **arguments))
        out.write(frame)


def _load_repositories(request: Request, out: Output, *, plan: bool) -> None:
    """Load the repositories of projects, which are their enlistments with canonical addresses."""
    if not request.of:
        raise click.UsageError("Name the projects: dirframe load repositories --of 464.")
    if plan:
        show(request.plan("enlistments"))
        return
    arguments = request.arguments()
    projects = arguments.pop("of")
    for name, typed in (("query", "--query"), ("sort", "--sort"), ("max_items", "-n")):
        if name in arguments:
            raise click.UsageError(f"{typed} is not an option of repositories: leave it out.")
    with request.open_directory() as directory:
        out.write(
            request.load(
                lambda: dirframe.load_repositories(projects, directory=directory, **arguments)
            )
        )


def _with_suffix(address: str) -> str:
    """Return a path with its suffix: projects/633 is that of projects/633.xml."""
    path, mark, query = address.partition("?")
    if "/" not in path or "://" in path or path.endswith((".xml", "/")):
        return address
    return f"{path}.xml{mark}{query}"


@command()
@argument("collection", type=options.COLLECTION)
@option("--to", "path", type=options.FILE, required=True, help="File of the archive.")
@options.harvest_options
@options.plan_option
def harvest(path: Path, plan: bool, request: Request) -> None:
    """Download a collection into an archive, over days.

    Run the same command again to continue.

    \b
    Examples:
      dirframe harvest projects --to kept.archive --demo
      dirframe harvest projects --to kept.archive --details
    """
    collection: Any = request.collection
    if plan and path.exists():
        status = dirframe.open_archive(path).status()
        if status.resource != collection:
            raise click.UsageError(f"{path} is an archive of {status.resource}: name another file.")
        show(status)
        return
    if plan:
        show(request.plan(collection))
        return
    arguments = request.arguments()
    with request.open_directory() as directory:
        try:
            archive = dirframe.harvest(collection, path, directory=directory, **arguments)
        except dirframe.QuotaExceededError:
            note(dirframe.open_archive(path).status())
            raise
    show(archive.status())


@command()
@argument("path", metavar="ARCHIVE", type=click.Path(path_type=Path))
def status(path: Path) -> None:
    """Show what an archive holds and lacks.

    \b
    Example:
      dirframe status kept.archive
    """
    show(dirframe.open_archive(path).status())


@command()
@options.about_directory
def check(request: Request) -> None:
    """Check what a directory sends, and which sort orders are stable.

    Sends at most 18 requests. The report contains no key, so you can publish it.

    \b
    Example:
      dirframe check --demo
    """
    with request.open_directory() as directory:
        show(dirframe.check(directory))


@command()
@options.about_directory
def quota(request: Request) -> None:
    """Show how many requests are left; sends none.

    \b
    Example:
      dirframe quota
    """
    with request.open_directory() as directory:
        show(directory.quota())


@group()
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
    show(dirframe.cache_info())


@cache.command("clear")
def cache_clear() -> None:
    """Remove every page from the cache."""
    note(f"Removed {quantity(dirframe.clear_cache(), 'page')}.")

"""The end-to-end demo on the sample directory: load, clean, count, chart, export."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from click import echo

import dirframe
from dirframe import plot, provenance
from dirframe._files import atomic_write, make_folder
from dirframe.io.export import export


def run_demo(folder: Path) -> None:
    """Load the sample directory, write tables and charts to a folder, and say each step."""
    import matplotlib.pyplot as plt

    make_folder(folder)  # fail before anything is loaded
    echo("The sample directory: synthetic accounts and projects, served on this machine.\n")
    accounts, projects = _load()
    for name, frame in (("accounts", accounts), ("projects", projects)):
        facts = provenance.get_provenance(frame)
        echo(
            f"{name:9}  {len(frame):,} of {facts['items_available']:,}, {facts['completeness']} complete; "
            f"{facts['requests_made']:,} requests paid, {facts['requests_cached']:,} from the cache"
        )
    accounts = dirframe.unify_countries(accounts)
    echo(f"countries  {dirframe.country_note(accounts)}\n")
    for name, frame in (("accounts", accounts), ("projects", projects)):
        for suffix in (".csv", ".parquet"):
            echo(f"wrote  {export(frame, folder / (name + suffix), overwrite=True)}")
    for name, frame in (
        ("language_share", projects),
        ("contributors_by_language", projects),
        ("accounts_by_country", accounts),
    ):
        getattr(plot, name)(frame)
        file = folder / f"{name}.png"
        with atomic_write(file, overwrite=True) as temporary:
            plt.savefig(temporary, dpi=150, format="png")
        plt.close()
        echo(f"wrote  {file}")
    again = _load(progress=False)
    requests = sum(provenance.get_provenance(frame)["requests_made"] for frame in again)
    echo(f"\nLoading the same once more costs {requests} requests: every page is in the cache.")


def _load(*, progress: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return directory.accounts(progress=progress), directory.projects(progress=progress)

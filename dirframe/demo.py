"""The end-to-end demo on the sample directory: load, clean, count, chart, export."""

from __future__ import annotations

from typing import TYPE_CHECKING

import dirframe
from dirframe import plot, provenance
from dirframe._files import atomic_write, make_folder
from dirframe.io.export import export

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd


def run_demo(folder: Path, *, say: Callable[[str], object]) -> None:
    """Load the sample directory, write tables and charts, and report the requests.

    Parameters
    ----------
    folder : pathlib.Path
        Output folder; files of an earlier demo are replaced.
    say : Callable
        Called with each line of the report.
    """
    make_folder(folder)  # fail before anything is loaded
    say("The sample directory: synthetic accounts and projects, served on this machine.\n")
    with dirframe.sample_directory() as directory:
        accounts = dirframe.load_accounts(directory=directory)
        projects = dirframe.load_projects(directory=directory)
    for frame in (accounts, projects):
        say(_report(frame))
    accounts = dirframe.unify_countries(accounts)
    counts = provenance.get_provenance(accounts).get("countries", {})
    say(
        f"countries  {counts.get('resolved', 0):,} accounts with a country, "
        f"{counts.get('missing', 0):,} without, {counts.get('unresolved', 0):,} not resolvable"
    )
    say("")
    for frame, name in ((accounts, "accounts"), (projects, "projects")):
        for suffix in (".csv", ".parquet"):
            say(f"wrote  {export(frame, folder / (name + suffix), overwrite=True)}")
    for path in _charts(accounts, projects, folder):
        say(f"wrote  {path}")
    with dirframe.sample_directory() as directory:
        frames = [
            dirframe.load_accounts(directory=directory, progress=False),
            dirframe.load_projects(directory=directory, progress=False),
        ]
    requests = sum(provenance.get_provenance(frame)["requests_made"] for frame in frames)
    say(f"\nLoading the same once more costs {requests} requests: every page is in the cache.")


def _report(frame: pd.DataFrame) -> str:
    facts = provenance.get_provenance(frame)
    note = provenance.completeness_note(facts)
    state = f"NOT complete: {note}" if note else "complete"
    return (
        f"{facts['resource'] + 's':9}  {len(frame):,} of {facts['items_available']:,}, {state}; "
        f"{facts['requests_made']:,} requests paid, {facts['requests_cached']:,} from the cache"
    )


def _charts(accounts: pd.DataFrame, projects: pd.DataFrame, folder: Path) -> list[Path]:
    import matplotlib.pyplot as plt

    charts = {
        "language_share": plot.language_share(projects),
        "contributors_by_language": plot.contributors_by_language(projects),
        "accounts_by_country": plot.accounts_by_country(accounts),
    }
    paths = []
    for name, axes in charts.items():
        figure = axes.get_figure(root=True)
        assert figure is not None  # noqa: S101  # the chart made one
        path = folder / f"{name}.png"
        with atomic_write(path, overwrite=True) as temporary:
            figure.savefig(temporary, dpi=150, format="png")
        plt.close(figure)
        paths.append(path)
    return paths

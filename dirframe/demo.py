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
    """Load the sample directory, write tables and charts to a folder, and say each line of a report."""
    import matplotlib.pyplot as plt

    make_folder(folder)  # fail before anything is loaded
    say("The sample directory: synthetic accounts and projects, served on this machine.\n")
    frames = _load()
    for name, frame in frames.items():
        facts = provenance.get_provenance(frame)
        note = provenance.completeness_note(facts)
        state = f"NOT complete: {note}" if note else "complete"
        say(
            f"{name:9}  {len(frame):,} of {facts['items_available']:,}, {state}; "
            f"{facts['requests_made']:,} requests paid, {facts['requests_cached']:,} from the cache"
        )
    accounts = frames["accounts"] = dirframe.unify_countries(frames["accounts"])
    counts = provenance.get_provenance(accounts)["countries"]
    say(
        f"countries  {counts['resolved']:,} accounts with a country, {counts['missing']:,} without, "
        f"{counts['unresolved']:,} not resolvable\n"
    )
    for name, frame in frames.items():
        for suffix in (".csv", ".parquet"):
            say(f"wrote  {export(frame, folder / (name + suffix), overwrite=True)}")
    charts = {
        "language_share": plot.language_share(frames["projects"]),
        "contributors_by_language": plot.contributors_by_language(frames["projects"]),
        "accounts_by_country": plot.accounts_by_country(accounts),
    }
    for name, axes in charts.items():
        figure = axes.get_figure(root=True)
        assert figure is not None  # noqa: S101  # the chart made one
        with atomic_write(folder / f"{name}.png", overwrite=True) as temporary:
            figure.savefig(temporary, dpi=150, format="png")
        plt.close(figure)
        say(f"wrote  {folder / f'{name}.png'}")
    again = _load(progress=False).values()
    requests = sum(provenance.get_provenance(frame)["requests_made"] for frame in again)
    say(f"\nLoading the same once more costs {requests} requests: every page is in the cache.")


def _load(*, progress: bool = True) -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "accounts": dirframe.load_accounts(directory=directory, progress=progress),
            "projects": dirframe.load_projects(directory=directory, progress=progress),
        }

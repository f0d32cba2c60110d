"""The end-to-end demo on the sample directory: load, clean, count, chart, export."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from click import echo

import dirframe
from dirframe import plot, provenance
from dirframe._files import atomic_write, make_folder
from dirframe.charts import CHARTS
from dirframe.io.export import export


def run_demo(folder: Path) -> None:
    """Load the sample directory, write tables and charts to a folder, and say each step."""
    import matplotlib.pyplot as plt

    make_folder(folder)  # fail before anything is loaded
    echo("The sample directory: synthetic accounts and projects, served on this machine.\n")
    frames = _load()
    for name, frame in frames.items():
        facts = provenance.get_provenance(frame)
        echo(
            f"{name:9}  {len(frame):,} of {facts['items_available']:,}, {facts['completeness']} complete; "
            f"{facts['requests_made']:,} requests paid, {facts['requests_cached']:,} from the cache"
        )
    frames["accounts"] = dirframe.unify_countries(frames["accounts"])
    echo(f"countries  {dirframe.country_note(frames['accounts'])}\n")
    for name, frame in frames.items():
        for suffix in (".csv", ".parquet"):
            echo(f"wrote  {export(frame, folder / (name + suffix), overwrite=True)}")
    for name in ("language_share", "contributors_by_language", "accounts_by_country"):
        getattr(plot, name)(frames[CHARTS[name].collection])
        file = folder / f"{name}.png"
        with atomic_write(file, overwrite=True) as temporary:
            plt.savefig(temporary, dpi=150, format="png")
        plt.close()
        echo(f"wrote  {file}")
    again = _load(progress=False).values()
    requests = sum(provenance.get_provenance(frame)["requests_made"] for frame in again)
    echo(f"\nLoading the same once more costs {requests} requests: every page is in the cache.")


def _load(*, progress: bool = True) -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "accounts": dirframe.load_accounts(directory, progress=progress),
            "projects": dirframe.load_projects(directory, progress=progress),
        }

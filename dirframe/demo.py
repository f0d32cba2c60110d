"""The end-to-end demo on the sample directory: load, clean, count, chart, export."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import pandas as pd
from click import echo

import dirframe
from dirframe import plot, provenance
from dirframe._files import atomic_write, make_folder
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError
from dirframe.io.export import export

COLLECTIONS, SUFFIXES = ("accounts", "projects"), (".csv", ".parquet")
CHART_NAMES = ("language_share", "contributors_by_language", "accounts_by_country")


def run_demo(folder: Path) -> None:
    """Load the sample directory, write tables and charts to a folder, and say each step."""
    make_folder(folder)  # fail before anything is loaded
    _check_folder(folder)
    echo("Loading the sample directory: synthetic accounts and projects, served on this machine.")
    frames = _load()
    for name, frame in frames.items():
        facts = provenance.get_provenance(frame)
        echo(
            f"{name:9}  {len(frame):,} of {facts['items_available']:,}, {facts['completeness']} complete; "
            f"{facts['requests_made']:,} requests paid, {facts['requests_cached']:,} from the cache"
        )
    frames["accounts"] = dirframe.unify_countries(frames["accounts"])
    echo(f"countries  {dirframe.country_note(frames['accounts'])}")

    echo("\nWriting tables and drawing charts.")
    for name, frame in frames.items():
        for suffix in SUFFIXES:
            echo(f"table  {export(frame, folder / (name + suffix), overwrite=True)}")
    for name in CHART_NAMES:
        echo(f"chart  {_draw(name, frames[CHARTS[name].collection], folder)}")

    again = _load(progress=False).values()
    requests = sum(provenance.get_provenance(frame)["requests_made"] for frame in again)
    echo(f"\nLoading the same once more costs {requests} requests: every page is in the cache.")
    echo(f"\nNext: look at the charts, the files .png in {folder.resolve()}")
    table, page = folder / "projects.parquet", folder / "report.html"
    echo(f"  dirframe report {quote(str(table))} -o {quote(str(page))}   one page for a browser")
    echo("  dirframe projects --demo --where language=Java   the same in a shell; dirframe --help")


def _check_folder(folder: Path) -> None:
    """Raise if a file of somebody would be replaced: those of an earlier demo are."""
    tables = [folder / f"{name}{s}" for name in COLLECTIONS for s in SUFFIXES]
    earlier = [file for file in tables if _is_of_the_sample(file)]
    others = [file for file in tables if file.exists() and file not in earlier]
    if len(earlier) < len(tables):
        charts = [folder / f"{name}.png" for name in CHART_NAMES]
        others += [file for file in charts if file.exists()]
    if others:
        raise InvalidInputError(
            f"{others[0]} exists and was not written by an earlier demo, so it is not replaced. Name "
            "another folder: dirframe demo -o FOLDER."
        )


def _is_of_the_sample(file: Path) -> bool:
    try:
        return bool(provenance.get_provenance(dirframe.read_table(file))["synthetic"])
    except InvalidInputError:
        return False


def _draw(name: str, frame: pd.DataFrame, folder: Path) -> Path:
    """Draw a chart, write it as a picture, and look at the file."""
    import matplotlib.pyplot as plt
    from matplotlib.image import imread

    figure = getattr(plot, name)(frame).figure
    file = folder / f"{name}.png"
    with atomic_write(file, overwrite=True) as temporary:
        figure.savefig(temporary, dpi=150, format="png")
    plt.close(figure)
    if imread(file)[..., :3].std() < 0.01:
        raise RuntimeError(f"{file} shows nothing: this installation of Matplotlib cannot draw.")
    return file


def _load(*, progress: bool = True) -> dict[str, pd.DataFrame]:
    with dirframe.sample_directory() as directory:
        return {
            "accounts": dirframe.load_accounts(directory, progress=progress),
            "projects": dirframe.load_projects(directory, progress=progress),
        }

"""The file of a run: what was measured, of which commit, with which versions, on which machine.

Own code, for no kept tool takes figures like these. pyperf and pytest-benchmark know seconds (pyperf
bytes and integers too), asv one number a function; all three time functions themselves, of which
less is always better. Here one script measures dozens of figures in turn, ratios among them, each
better in a direction of its own, some with a goal. pyperf and asv also keep the name of the host.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import get_args

from packaging.requirements import Requirement

from tests.benchmarks._report import Better, Figure

#: The first field of a file tells what it is.
FORMAT = "dirframe benchmarks, 1"
_HERE = Path(__file__).parent


class BadRunError(Exception):
    """A file is not that of a run; the message says which and why."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run: its figures by script, and what they depend on."""

    date: str
    commit: str
    #: When the commit was made; orders runs.
    committed: str
    #: Whether files differed from the commit.
    modified: bool
    versions: dict[str, str]
    machine: dict[str, str]
    figures: dict[str, list[Figure]]

    @property
    def title(self):
        """The commit, as short as people write it; with a + if files differed from it."""
        return f"{self.commit[:8]}{'+' * self.modified}"


def begin_run():
    """Return a run that has no figures yet, of the commit and machine that it begins with."""
    return Run(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=_git("rev-parse", "HEAD") or "unknown",
        committed=_git("show", "--no-patch", "--format=%cI", "HEAD"),
        modified=bool(_git("status", "--porcelain")),
        versions=_versions(),
        machine={
            "platform": platform.platform(),
            "processor": _processor(),
            "cores": str(os.cpu_count()),
        },
        figures={},
    )


def write_run(run, folder):
    """Write a run to a file that is named after its date and commit."""
    moment = datetime.fromisoformat(run.date).strftime("%Y-%m-%dT%H%M%SZ")
    path = folder / f"run-{moment}-{run.title}.json"
    text = json.dumps({"format": FORMAT, **asdict(run)}, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")
    return path


def read_run(path):
    """Read the file of a run, or raise `BadRunError`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadRunError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadRunError(f"{path} is not JSON: {error}.") from error
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise BadRunError(f"{path} is not the file of a run: its `format` is not {FORMAT!r}.")
    try:
        figures = {
            script: [read_figure(figure) for figure in of_script]
            for script, of_script in content.pop("figures").items()
        }
        run = Run(**content, figures=figures)
        _moments(run)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRunError(f"{path} is not whole: {type(error).__name__}, {error}.") from error
    return run


def read_figure(content):
    """Return a figure that `asdict` made a dict of; raise if it is not one."""
    figure = Figure(**content)
    numbers = [figure.value] if figure.goal is None else [figure.value, figure.goal]
    if not all(isinstance(number, int | float) for number in numbers):
        raise TypeError(f"{figure.name!r} is not a number")
    if figure.better not in (None, *get_args(Better)):
        raise ValueError(f"{figure.name!r} cannot be better {figure.better!r}")
    return figure


def runs_of(folder):
    """Return the runs in a folder in the order of their commits, and of one commit by date."""
    return sorted(map(read_run, folder.glob("run-*.json")), key=_moments)


def differences(before, now):
    """Say in what machine and versions two runs differ: a line each."""
    return [
        f"{name}: {was.get(name, 'none')} before, {is_.get(name, 'none')} now"
        for was, is_ in ((before.machine, now.machine), (before.versions, now.versions))
        for name in dict.fromkeys((*was, *is_))
        if was.get(name) != is_.get(name)
    ]


def _moments(run):
    return [datetime.fromisoformat(one) for one in (run.committed or run.date, run.date)]


def _versions():
    """Return the versions of Python, of dirframe and of the libraries that it names, if installed."""
    found = {"Python": f"{platform.python_implementation()} {platform.python_version()}"}
    for name in ("dirframe", *_libraries()):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _libraries():
    """Return the names of the libraries that dirframe or one of its extras needs to run."""
    facts = metadata("dirframe")
    extras = ["", *(set(facts.get_all("Provides-Extra") or ()) - {"dev", "docs"})]
    needed = [Requirement(line) for line in facts.get_all("Requires-Dist") or ()]
    return sorted(
        one.name
        for one in needed
        if one.name != "dirframe"
        and (one.marker is None or any(one.marker.evaluate({"extra": e}) for e in extras))
    )


def _processor():
    """Return the processor's model; `platform` tells it on Windows and macOS alone."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.processor() or platform.machine())


def _git(*arguments):
    """Return what git says of this checkout, or nothing where there is none."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=_HERE, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

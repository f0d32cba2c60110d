"""Statistics of a directory of recorded projects, of 1,000,000, and of 5,000,000 in Parquet.

Goals: of 12,000 recorded projects none over half a second, with and without `top`; of a million none
slower than 0.6 s of processor time, or than before, but for those of lists, also with the 20 most
frequent alone, as charts draw them; two columns of Parquet within 1.5 GB. A tenth of the million has a
tag of its own, as of real ones. The peer is DuckDB. ARGS: the number of projects.
"""

import inspect
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import dirframe
from dirframe import stats
from dirframe.charts import STATISTICS
from tests.benchmarks.corpus import RECORDED

PROJECTS = 1_000_000
DIRECTORY = 12_000
IN_PARQUET = 5_000_000
_LANGUAGES = "SELECT analysis_main_language_name, count(*) FROM projects GROUP BY 1"


def sample():
    with dirframe.sample_directory() as directory:
        return dirframe.load_projects(directory, progress=False)


def many(projects, number):
    """Repeat the records with new ids."""
    copies = -(-number // len(projects))
    frame = pd.concat([projects] * copies, ignore_index=True).iloc[:number]
    return frame.assign(id=[str(n) for n in range(number)])


def with_rare_tags(projects):
    """Give every tenth project a tag of its own."""
    tags = [
        [*(tags or []), f"tag of {number}"] if number % 10 == 0 else tags
        for number, tags in enumerate(projects["tags"])
    ]
    return projects.assign(tags=pd.Series(tags, dtype="object"))


def of_a_directory():
    """Print the times of all statistics of a directory, with the `top` of their charts too."""
    if not RECORDED.is_dir():
        print("No recorded projects are beside this checkout.")
        return
    projects = many(dirframe.read_pages(RECORDED), DIRECTORY)
    print(f"{DIRECTORY:,} recorded projects; seconds of processor time without and with top=20.")
    for name, statistic in of_projects():
        times = [
            min(seconds_of(statistic, projects, options) for _ in range(3))
            for options in ways_of(statistic)
        ]
        note = "  OVER HALF A SECOND" if max(times) > 0.5 else ""
        print(f"{name:<28} {' '.join(f'{time:6.3f}' for time in times)}{note}")


def of_projects():
    names = [name for name, chart in STATISTICS.items() if chart.collection in {"projects", ""}]
    return [(name, getattr(stats, name)) for name in names]


def ways_of(statistic):
    """Return the options to try: none, and the `top` of charts."""
    has_top = "top" in inspect.signature(statistic).parameters
    return [{}, {"top": 20}] if has_top else [{}]


def seconds_of(statistic, projects, options):
    used = process_time()
    statistic(projects, **options)
    return process_time() - used


def in_memory(number):
    projects = with_rare_tags(many(sample(), number))
    print(f"{number:,} projects; seconds of the clock and of processor time.")
    for name, statistic in of_projects():
        for options in ways_of(statistic):
            began, used = perf_counter(), process_time()
            statistic(projects, **options)
            seconds = f"{perf_counter() - began:6.2f} {process_time() - used:6.2f}"
            title = f"{name}, top {options['top']}" if options else name
            print(f"{title:<34} {seconds}")
    began = perf_counter()
    duckdb.sql(_LANGUAGES).fetchall()
    print(f"{'DuckDB, languages':<34} {perf_counter() - began:6.2f}")


def in_parquet(path):
    """Print time and highest memory of two statistics of a file."""
    began = perf_counter()
    stats.language_share(path)
    stats.contributors_by_language(path)
    highest = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024
    print(
        f"{IN_PARQUET:,} in Parquet: {perf_counter() - began:.1f} s, {highest:,.0f} MiB at most",
        flush=True,
    )


def main():
    if sys.argv[1:2] == ["parquet"]:
        in_parquet(sys.argv[2])
        return
    of_a_directory()
    in_memory(int(sys.argv[1]) if sys.argv[1:] else PROJECTS)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "projects.parquet"
        part = pa.Table.from_pandas(many(sample(), 100_000).drop(columns=["tags", "licenses"]))
        with pq.ParquetWriter(file, part.schema) as writer:
            for _ in range(IN_PARQUET // 100_000):
                writer.write_table(part)
        subprocess.run([sys.executable, "-m", __spec__.name, "parquet", str(file)], check=True)


if __name__ == "__main__":
    main()

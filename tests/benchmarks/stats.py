"""Statistics of 1,000,000 projects in memory, and of 5,000,000 in Parquet; DuckDB as the peer.

Goals: none slower than 0.6 s of processor time, or than before, also with the 20 most frequent
alone, as charts draw them; two columns of Parquet within 1.5 GB. A tenth of the projects has a tag of
its own, as of real ones.
ARGS: the number of projects.
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

PROJECTS = 1_000_000
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


def in_memory(number):
    projects = with_rare_tags(many(sample(), number))
    print(f"{number:,} projects; seconds of the clock and of processor time.")
    for name, chart in STATISTICS.items():
        if chart.collection in {"projects", ""}:
            function = getattr(stats, name)
            has_top = "top" in inspect.signature(function).parameters
            for options in [{}, {"top": 20}] if has_top else [{}]:
                began, used = perf_counter(), process_time()
                function(projects, **options)
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

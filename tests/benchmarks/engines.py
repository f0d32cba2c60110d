"""What the statistics of projects take on DuckDB and on Dask, beside pandas, and how much memory.

Projects of dirframe's generator are written as XML, read again and kept as Parquet, 50,000 in
a file. Each engine has a process of its own, which computes every statistic once, the same
way, and hands back its tables; they are compared with those of pandas. Times are of the clock,
in seconds. The memory is the most that a process ever had, of Dask the sum over its workers;
pandas reads all files first, which is a row of its own. In the last column one of two workers is
killed half a second into the slowest statistic, and the memory is that of those alive at the end.

Three statistics are also written by hand, for Polars and in DuckDB's SQL, as somebody would who has
those files and no dirframe: the counts alone, without shares, names and record of origin.

ARGS: the number of projects (1,000,000); a folder that has the files already, or keeps them.
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from dirframe import stats
from dirframe.schema import PROJECT
from tests.benchmarks._report import Measure, Table
from tests.benchmarks.stats import BARE, LANGUAGE, LINES, OPTIONS, make
from tools.synthetic.generate import generate_projects

PROJECTS = 1_000_000
IN_A_FILE = 50_000
NAMES = [name for name, (kind, _) in BARE.items() if kind == "project" and name in stats.__all__]
SLOWEST = "language_breakdown"
WORKERS = {"dask, 1 worker": 1, "dask, 2 workers": 2, "dask, one of 2 killed": 2}
ENGINES = ("pandas", "duckdb", *WORKERS)
BY_HAND = ("duckdb, by hand", "polars, by hand")
SQL = {
    "language_share": f"""SELECT {LANGUAGE}, count(*), sum({LINES}), sum(stack_count)
        FROM records WHERE {LANGUAGE} IS NOT NULL GROUP BY 1""",
    "licenses": """SELECT entry.name, count(DISTINCT id)
        FROM (SELECT id, unnest(licenses) AS entry FROM records) GROUP BY 1""",
    "tags": """SELECT tag, count(DISTINCT id)
        FROM (SELECT id, unnest(tags) AS tag FROM records) GROUP BY 1""",
}


def write(projects, folder):
    """Write generated projects as files of Parquet."""
    records = generate_projects(projects)
    for part in range(-(-projects // IN_A_FILE)):
        frame = make(PROJECT, islice(records, IN_A_FILE))
        frame.to_parquet(folder / f"part-{part:03}.parquet", index=False)


def megabytes():
    """Tell the most memory that this process ever had (Linux): `getrusage` would count its parent's."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


@contextmanager
def opened(engine, folder):
    """Give the records on an engine, what tells its memory, and the client of a cluster."""
    if engine == "pandas":
        yield pd.read_parquet(folder), megabytes, None
    elif engine == "duckdb":
        import duckdb

        yield duckdb.read_parquet(f"{folder}/*.parquet"), megabytes, None
    else:
        import dask.dataframe
        from distributed import Client, LocalCluster

        options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
        start = LocalCluster  # it has no types
        connect = Client
        with start(n_workers=WORKERS[engine], **options) as cluster, connect(cluster) as client:
            client.run(len, "")  # the workers are there
            yield (
                dask.dataframe.read_parquet(folder),
                lambda: sum(client.run(megabytes).values()),
                client,
            )


def killing(client):
    """Prepare to kill a worker's process; its nanny starts another."""
    worker = client.run(os.getpid).popitem()[1]
    return threading.Timer(0.5, os.kill, [worker, signal.SIGKILL])


def run(engine, folder, results):
    """Compute every statistic and keep times and tables."""
    start = time.perf_counter()
    with opened(engine, folder) as (records, memory, client):
        times = {"start": time.perf_counter() - start}
        tables = {}
        for name in NAMES:
            if "killed" in engine and name == SLOWEST:
                killing(client).start()
            start = time.perf_counter()
            tables[name] = getattr(stats, name)(records, **OPTIONS.get(name, {}))
            times[name] = time.perf_counter() - start
        results.write_bytes(pickle.dumps((times, memory(), tables)))


def by_hand(engine, folder):
    """Read the files as a way does, and give the seconds, and what computes rows of name and count."""
    start = time.perf_counter()
    if engine.startswith("duckdb"):
        import duckdb

        connection = duckdb.connect()
        connection.execute(f"CREATE VIEW records AS SELECT * FROM '{folder}/*.parquet'")
        took = time.perf_counter() - start
        return took, {name: partial(_rows, connection, sql) for name, sql in SQL.items()}
    import polars as pl

    records = pl.read_parquet(f"{folder}/*.parquet")
    took = time.perf_counter() - start
    names = pl.col("licenses").list.eval(pl.element().struct.field("name"))
    sums = (pl.len(), pl.col(LINES).sum(), pl.col("stack_count").sum())
    return took, {
        "language_share": lambda: records.drop_nulls(LANGUAGE).group_by(LANGUAGE).agg(*sums).rows(),
        "licenses": lambda: _each_once(records.select("id", names)),
        "tags": lambda: _each_once(records.select("id", "tags")),
    }


def _rows(connection, sql):
    return connection.execute(sql).fetchall()


def _each_once(lists):
    entries = lists.explode(lists.columns[1]).drop_nulls().unique()
    return entries.group_by(lists.columns[1]).len().rows()


def run_by_hand(engine, folder, results):
    """Compute the statistics that are written by hand, and keep times and rows."""
    took, queries = by_hand(engine, folder)
    times, tables = {"start": took}, {}
    for name, query in queries.items():
        start = time.perf_counter()
        tables[name] = query()
        times[name] = time.perf_counter() - start
    results.write_bytes(pickle.dumps((times, megabytes(), tables)))


def same_counts(tables, expected):
    """Stop where a count by hand is another than that of the statistic."""
    for name, rows in tables.items():
        counts = {row[0]: row[1] for row in rows}
        key = expected[name].columns[0]
        known = dict(zip(expected[name][key], expected[name]["projects"], strict=True))
        different = {
            value: counts.get(value) for value in known if counts.get(value) != known[value]
        }
        assert not different.keys() - {"other"}, (name, different)


def compared(tables, expected):
    """Stop where a table differs: sums of fractions may, in their last digits."""
    for name, table in tables.items():
        pd.testing.assert_frame_equal(table, expected[name], check_exact=False, rtol=1e-12)
        counted, known = (one.attrs["dirframe"]["counted"] for one in (table, expected[name]))
        assert counted == known, name


def report(projects, folder):
    """Run each engine and print a Markdown table."""
    found = {}
    for engine in (*ENGINES, *BY_HAND):
        with TemporaryDirectory() as place:
            results = Path(place) / "results"
            command = [sys.executable, "-m", __spec__.name, engine, str(folder), str(results)]
            subprocess.run(command, check=True)
            found[engine] = pickle.loads(results.read_bytes())
        check = compared if engine in ENGINES else same_counts
        check(found[engine][2], found["pandas"][2])
    print(f"{projects:,} projects.")
    times = Table("statistic", *(Measure(engine, "s", "lower") for engine in found))
    for name in ("start", *NAMES):
        times.row(name, *(took.get(name) for took, _, _ in found.values()))
    memory = Table("", *(Measure(engine, "MB", "lower", ",.0f") for engine in found))
    memory.row("memory", *(peak for _, peak, _ in found.values()))


def main():
    """Measure, or be one of the engines that are measured."""
    if sys.argv[1:2] and sys.argv[1] in ENGINES:
        run(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
        return
    if sys.argv[1:2] and sys.argv[1] in BY_HAND:
        run_by_hand(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
        return
    projects = int(sys.argv[1]) if sys.argv[1:] else PROJECTS
    with TemporaryDirectory() as place:
        folder = Path(sys.argv[2] if sys.argv[2:] else place)
        if not any(folder.glob("*.parquet")):
            write(projects, folder)
        report(projects, folder)


if __name__ == "__main__":
    main()

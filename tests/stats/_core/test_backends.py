"""Every statistic gives the same from DuckDB and from Dask as from pandas."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest

from dirframe import (
    flags,
    harvest,
    load_accounts,
    load_projects,
    provenance,
    sample_directory,
    stats,
    unify_countries,
)
from dirframe.errors import InvalidInputError
from tests.plot.charts import activity_facts, contributors
from tests.stats.every import FEW_SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Statistic = Callable[..., pd.DataFrame]

duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
dask = pytest.importorskip("dask", reason="Dask is an extra")
dask_frame = pytest.importorskip("dask.dataframe", reason="Dask is an extra")

# Dask itself still says `inplace` to pandas when it reads Parquet.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")

OF_ACCOUNTS = {
    *("accounts_by_country", "accounts_by_kudo_rank", "accounts_per_capita"),
    "posts_distribution",
}
TOPS = (
    *("accounts_by_country", "contributors_by_language", "contributors_per_thousand_lines"),
    *("language_breakdown", "language_share", "languages_by_year", "licenses", "life_span", "tags"),
)
#: Those of one project.
OF_OTHERS = {
    "commit_concentration": "contributors",
    "commits_by_contributor": "contributors",
    "growth_curve": "activity_facts",
    "growth_fit": "activity_facts",
    "monthly_activity": "activity_facts",
}


def records_of(name: str) -> str:
    return OF_OTHERS.get(name, "accounts" if name in OF_ACCOUNTS else "projects")


#: Every statistic, of what, with which options.
CASES = [
    ("growth", "accounts", {"freq": "W"}),
    *((name, records_of(name), FEW_SAMPLES.get(name, {})) for name in stats.__all__),
    *((name, records_of(name), {"top": 3}) for name in TOPS),
    ("languages_by_year", "projects", {"date": "created_at"}),
    ("activity", "projects", {"as_of": "2011-12", "window": 24}),
    ("project_age", "projects", {"as_of": "2011-12-31"}),
    ("life_span", "projects", {"window": 1}),
    ("commit_concentration", "contributors", {"window": 3}),
    ("intervals", "projects", {"measure": "share", "groups": "year", "resamples": 100}),
    ("compare_survival", "projects", {"groups": "team_size"}),
    *(("growth", "projects", {"freq": freq}) for freq in ("ME", "QE", "2W", "YE-JUN")),
]


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    with sample_directory(cache=False) as directory:
        accounts = unify_countries(load_accounts(directory=directory))
        found = {"accounts": accounts, "projects": load_projects(directory=directory)}
    return found | {"contributors": contributors(), "activity_facts": activity_facts()}


@pytest.fixture(scope="module")
def parts(frames: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parts")
    for name, frame in frames.items():
        (folder / name).mkdir()
        step = len(frame) // 3
        for place, start in enumerate(range(0, len(frame), step)):
            part = frame.iloc[start : start + step]
            part.to_parquet(folder / name / f"part-{place}.parquet", index=False)
    return folder


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with duckdb.connect() as connection:
        # A month begins elsewhere at another time; the session's zone must make no difference.
        connection.execute("SET TimeZone = 'America/Los_Angeles'")
        yield connection


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
@pytest.mark.parametrize(("name", "resource", "options"), CASES)
def test_a_statistic_is_the_same_on_every_engine(
    name: str,
    resource: str,
    options: dict[str, Any],
    engine: str,
    frames: dict[str, pd.DataFrame],
    parts: Path,
    session: Any,
) -> None:
    statistic: Statistic = getattr(stats, name)
    expected = statistic(frames[resource], **options)
    if engine == "duckdb":
        found = statistic(session.read_parquet(f"{parts / resource}/*.parquet"), **options)
    else:
        with dask.config.set(scheduler="synchronous"):
            found = statistic(dask_frame.read_parquet(parts / resource), **options)
    # Whole numbers are the same; sums of fractions may be added up in another order.
    pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=1e-12, atol=0)
    of, expected_of = (frame.attrs["dirframe"] for frame in (found, expected))
    for fact in ("counted", "resource"):
        assert of[fact] == expected_of[fact]
    assert of["steps"] == [name]
    assert not of["source"]


@pytest.mark.parametrize(("name", "resource", "options"), CASES)
def test_a_statistic_is_the_same_of_a_table_of_arrow_and_of_polars(
    name: str, resource: str, options: dict[str, Any], frames: dict[str, pd.DataFrame]
) -> None:
    polars = pytest.importorskip("polars", reason="polars is for those who have it")
    statistic: Statistic = getattr(stats, name)
    expected = statistic(frames[resource], **options)
    table = pa.Table.from_pandas(frames[resource])
    found = statistic(table, **options)
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs == expected.attrs
    found = statistic(polars.from_arrow(table), **options)
    pd.testing.assert_frame_equal(found, expected)
    assert found.attrs["dirframe"]["counted"] == expected.attrs["dirframe"]["counted"]


@pytest.mark.parametrize("engine", ["duckdb", "dask", "polars"])
def test_what_is_unfinished_and_how_sure_a_median_is_are_known_on_every_engine(
    engine: str, frames: dict[str, pd.DataFrame], parts: Path, session: Any
) -> None:
    """Of the sample, so that the comparisons above compare more than missing values."""
    polars = pytest.importorskip("polars", reason="polars is for those who have it")
    of = {
        "duckdb": lambda: session.read_parquet(f"{parts / 'projects'}/*.parquet"),
        "dask": lambda: dask_frame.read_parquet(parts / "projects"),
        "polars": lambda: polars.from_pandas(frames["projects"]),
    }
    with dask.config.set(scheduler="synchronous"):
        records = of[engine]()
        assert stats.growth(records)["finished"].to_list()[-2:] == [True, False]
        assert set(stats.languages_by_year(records, top=1)["finished"]) == {True, False}
        for name in ("contributors_by_language", "contributors_per_thousand_lines"):
            table = getattr(stats, name)(records, top=3).iloc[0]
            assert table["lower_quartile"] <= table["median"] <= table["upper_quartile"]
            assert table["median_low"] <= table["median"] <= table["median_high"]


def test_a_lazy_frame_of_polars_is_refused_with_the_way() -> None:
    polars = pytest.importorskip("polars", reason="polars is for those who have it")
    with pytest.raises(InvalidInputError, match=r"frame\.collect\(\)"):
        stats.tags(polars.LazyFrame({"tags": [["a"]]}))


LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"


def on_both(frame: pd.DataFrame, session: Any) -> list[Any]:
    """Give a frame as a relation, and as a Dask frame whose second part is empty."""
    parts = [frame, frame.iloc[:0]]
    whole = dask_frame.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0])
    # DuckDB before 1.5 does not know pandas' own type of text.
    return [session.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)), whole]


def test_the_older_dialect_and_other_types_are_read_as_pandas_reads_them(session: Any) -> None:
    frame = pd.DataFrame(
        {
            LANGUAGE: pd.Series(["C", "C", "Java", None], dtype="category"),
            LINES: [5.0, None, -2.0, 7.0],  # as pandas has whole numbers beside missing ones
            "user_count": pd.Series([1, 2, None, 2**53 + 1], dtype="Int64"),
            "created_at": pd.to_datetime(
                pd.Series(["2012-12-31 23:59", None, "2013-01-01 00:00", "2013-05-06 10:00"])
            ),
        }
    )
    for name, options in (("language_share", {}), ("growth", {"freq": "YS"})):
        statistic: Statistic = getattr(stats, name)
        expected = statistic(frame, **options)
        for other in on_both(frame, session):
            found = statistic(other, **options)
            pd.testing.assert_frame_equal(found, expected)
            counted = found.attrs["dirframe"]["counted"]
            assert counted == expected.attrs["dirframe"]["counted"]


@pytest.mark.parametrize("name", [name for name in stats.__all__ if name not in OF_ACCOUNTS])
def test_no_records_give_the_same_columns_and_dtypes(
    name: str, frames: dict[str, pd.DataFrame], session: Any
) -> None:
    lists = ["tags", "licenses", "analysis_languages"]
    empty = frames[OF_OTHERS.get(name, "projects")].iloc[:0].drop(columns=lists, errors="ignore")
    statistic: Statistic = getattr(stats, name)
    expected = statistic(empty)
    for other in on_both(empty, session):
        pd.testing.assert_frame_equal(statistic(other), expected)


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        (LINES, [1.5, 2.0], "must hold whole numbers"),
        (LINES, [float("inf"), 2.0], "must hold whole numbers"),
        (LINES, ["many", "few"], "must hold whole numbers"),
        ("analysis_min_month", [True, False], "must hold dates"),
    ],
)
def test_a_column_of_another_kind_is_an_error_and_is_not_rounded(
    column: str, values: list[Any], said: str, session: Any
) -> None:
    frame = pd.DataFrame({LANGUAGE: ["C", "Java"], LINES: [1, 2], column: values})
    statistic = stats.language_share if column == LINES else stats.languages_by_year
    for one in (frame, *on_both(frame, session)):
        with pytest.raises(InvalidInputError, match=f"{column} {said}"):
            statistic(one)


def test_a_frame_of_dask_is_of_the_resource_that_its_provenance_names() -> None:
    frame = pd.DataFrame({"id": ["1"], "created_at": pd.to_datetime(["2013-01-01"], utc=True)})
    accounts = provenance.set_provenance(frame, resource="account")  # no column tells it
    for count in (stats.growth, flags):
        records = provenance.get_provenance(count(dask_frame.from_pandas(accounts, npartitions=1)))
        assert records["resource"] == "account"
        assert records["counted"]["accounts"] == 1


def test_a_missing_column_and_what_is_no_frame_are_errors(session: Any) -> None:
    frame = pd.DataFrame({LANGUAGE: ["C"]})
    for other in on_both(frame, session):
        with pytest.raises(InvalidInputError, match=f"no column {LINES}"):
            stats.language_share(other)
    with pytest.raises(InvalidInputError, match=r"pandas, Polars or Dask.*Arrow table"):
        stats.language_share([frame])  # type: ignore[arg-type]  # what must be refused


def test_lists_may_stand_as_json_but_not_as_the_text_of_a_list(session: Any) -> None:
    lists = pd.DataFrame({"id": ["1", "2", "3"], "tags": [["xml", "web"], None, ["xml"]]})
    expected = stats.tags(lists)
    as_json = lists.assign(tags=pd.Series(['["xml", "web"]', None, '["xml"]'], dtype="str"))
    for other in (as_json, as_json.astype("object"), *on_both(as_json, session)):
        pd.testing.assert_frame_equal(stats.tags(other), expected)
    with pytest.raises(InvalidInputError, match=r"dataframe\.convert-string"):
        stats.tags(dask_frame.from_pandas(lists, npartitions=1))


def test_a_title_may_be_missing_in_one_part_and_be_another_in_the_next() -> None:
    named: list[dict[str, str | None]] = [
        {"vanity_url": "x", "name": None},
        {"vanity_url": "x", "name": "The X"},
        {"vanity_url": "x", "name": "An X"},
        {"vanity_url": "y", "name": None},
    ]
    whole = pd.DataFrame({"id": list("1234"), "licenses": [[one] for one in named]})
    parts = [dask.delayed(whole.iloc[[place]]) for place in range(len(whole))]
    with dask.config.set({"dataframe.convert-string": False}):
        found = stats.licenses(dask_frame.from_delayed(parts, meta=whole.iloc[:0]))
    pd.testing.assert_frame_equal(found, stats.licenses(whole))
    assert found["title"].tolist()[0] == "An X"


def test_the_parquet_of_an_archive_is_read_by_the_engines(session: Any, tmp_path: Path) -> None:
    with sample_directory(cache=False) as directory:
        archive = harvest("projects", tmp_path / "kept.archive", directory=directory)
    frame = archive.frame()
    table = archive.to_parquet(tmp_path / "projects.parquet")
    for name in ("language_share", "language_breakdown", "licenses", "life_span"):
        statistic: Statistic = getattr(stats, name)
        expected = statistic(frame, top=5)
        for projects in (session.read_parquet(str(table)), dask_frame.read_parquet(table)):
            found = statistic(projects, top=5)
            pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=1e-12)


def test_pandas_needs_neither_of_the_engines() -> None:
    program = (
        "import sys, pandas as pd; from dirframe import stats;"
        f"stats.language_share(pd.DataFrame({{{LANGUAGE!r}: ['C'], {LINES!r}: [1]}}));"
        "print({'dask', 'distributed', 'duckdb'} & set(sys.modules))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_cluster_that_the_person_has_does_the_work(
    frames: dict[str, pd.DataFrame], parts: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask's scheduler is an extra")
    with (
        distributed.LocalCluster(
            processes=False, n_workers=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = stats.language_share(dask_frame.read_parquet(parts / "projects"))
        assert client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter) > 0
    pd.testing.assert_frame_equal(found, stats.language_share(frames["projects"]))


KILLED = """
import os, signal, sys, threading
import dask.dataframe
from distributed import Client, LocalCluster
from dirframe import stats

if __name__ == "__main__":
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        victim = client.run(os.getpid).popitem()[1]
        projects = dask.dataframe.read_parquet(sys.argv[1])
        slowly = projects.map_partitions(lambda part: __import__("time").sleep(0.5) or part)
        threading.Timer(0.7, os.kill, [victim, signal.SIGKILL]).start()
        table = stats.tags(slowly, top=3)
        left = client.run(os.getpid).values()
        assert victim not in left, "nobody was killed"
        table.to_parquet(sys.argv[2])
"""


@pytest.mark.slow
def test_a_worker_that_is_killed_in_the_middle_changes_no_number(
    frames: dict[str, pd.DataFrame], parts: Path, tmp_path: Path
) -> None:
    program, found = tmp_path / "program.py", tmp_path / "found.parquet"
    program.write_text(KILLED, encoding="utf-8")
    command = [sys.executable, str(program), str(parts / "projects"), str(found)]
    subprocess.run(command, check=True, timeout=300)
    expected = stats.tags(frames["projects"], top=3)
    pd.testing.assert_frame_equal(pd.read_parquet(found), expected)

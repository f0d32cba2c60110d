"""Records that are elsewhere are counted as those in pandas, and their columns alone are read."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dirframe import InvalidInputError, provenance, stats

NAMES = (
    *("language_share", "contributors_by_language", "language_breakdown", "languages_by_year"),
    *("licenses", "tags", "activity", "life_span", "survival", "growth", "lorenz"),
    *("team_size_classes", "users_against_contributors"),
)


#: Statistics of texts, of numbers, of lists, of tables in lists and of times.
FEW = ("language_share", "contributors_by_language", "tags", "language_breakdown", "life_span")
OF_ANY_FRAME = pytest.mark.parametrize(
    "names", [FEW, pytest.param(NAMES, marks=pytest.mark.slow)], ids=["few", "all"]
)


def check(elsewhere, in_pandas, names, *, has_source=False):
    """Compare the statistics of records that are elsewhere with those of the frame."""
    for name in names:
        expected = in_pandas[name]
        table = getattr(stats, name)(elsewhere)
        pd.testing.assert_frame_equal(table, expected, obj=name)
        record, other = (provenance.get_provenance(one) for one in (table, expected))
        assert record["counted"] == other["counted"], name
        assert record["base"] == other["base"], name
        assert (record["source"] == "A directory") is has_source, name


@pytest.fixture(scope="module")
def past_projects(kind_frames):
    """Make projects whose last dates are before any retrieval."""
    frame = kind_frames["projects"].copy()
    return provenance.set_provenance(frame, retrieved_newest=None, resource="project")


@pytest.fixture(scope="module")
def in_pandas(past_projects):
    """Return each statistic of the frame, by its name; no test changes them."""
    return {name: getattr(stats, name)(past_projects) for name in NAMES}


@pytest.fixture(scope="module")
def parquet(past_projects, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    past_projects.to_parquet(folder / "projects.parquet", index=False)
    past_projects.head(20).to_parquet(folder / "0.parquet", index=False)
    (folder / "parts").mkdir()
    for place in range(3):
        part = past_projects.iloc[place * 20 : place * 20 + 20]
        part.to_parquet(folder / "parts" / f"{place}.parquet", index=False)
    return folder


def test_statistics_of_a_parquet_file(in_pandas, parquet):
    check(parquet / "projects.parquet", in_pandas, NAMES, has_source=True)


@OF_ANY_FRAME
def test_statistics_of_a_folder_of_parquet_files(names, in_pandas, parquet):
    check(str(parquet / "parts"), in_pandas, names, has_source=True)


@OF_ANY_FRAME
def test_tables_of_arrow_and_frames_of_polars(names, in_pandas, parquet):
    polars = pytest.importorskip("polars", reason="Polars is optional")
    table = pq.read_table(parquet / "projects.parquet")
    check(table, in_pandas, names, has_source=True)
    check(polars.from_arrow(table), in_pandas, names)


@OF_ANY_FRAME
def test_relations_of_duckdb_in_any_time_zone(names, in_pandas, parquet):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is optional")
    with duckdb.connect() as session:
        session.execute("SET TimeZone = 'America/Los_Angeles'")
        check(session.read_parquet(str(parquet / "projects.parquet")), in_pandas, names)


@pytest.mark.slow  # its import takes two seconds
def test_frames_of_dask_keep_their_source(past_projects, in_pandas):
    dask = pytest.importorskip("dask.dataframe", reason="Dask is optional")
    import dask as settings

    with settings.config.set({"dataframe.convert-string": False}):
        check(dask.from_pandas(past_projects, npartitions=3), in_pandas, NAMES, has_source=True)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (7, "got int"),
        (pd.Series([["xml"]]), "got pandas.Series"),
        (pa.array([1]), "pyarrow"),
        ("no_such_file.parquet", "There is no file no_such_file.parquet"),
    ],
    ids=["int", "Series", "array", "file"],
)
def test_statistics_refuse_what_is_no_table(wrong, words):
    with pytest.raises(InvalidInputError, match=words):
        stats.lorenz(wrong)


def test_statistics_refuse_a_file_that_is_not_parquet(tmp_path):
    (tmp_path / "wrong.parquet").write_text("id,name")
    with pytest.raises(InvalidInputError, match="not Parquet"):
        stats.lorenz(tmp_path / "wrong.parquet")

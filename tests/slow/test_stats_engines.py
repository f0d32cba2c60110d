"""Every statistic gives the same of DuckDB, Dask, Polars and Arrow as of pandas, or refuses it."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dirframe import flags, stats
from dirframe.errors import InvalidInputError
from tests import oracle
from tests.oracle import FIRST, LANGUAGE, LINES, PEOPLE

# Dask itself still says `inplace` to pandas when it reads Parquet.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")

ENGINES = ("duckdb", "dask", "polars", "arrow")
TOP = {"top": 3}
#: Every statistic, of what, with which options.
CASES = [
    *((kind, name, {}) for kind, names in oracle.STATISTICS.items() for name in names),
    *(("projects", name, TOP) for name in ("contributors_by_language", "language_breakdown")),
    *(("projects", name, TOP) for name in ("language_share", "languages_by_year", "life_span")),
    *(("projects", name, TOP) for name in ("licenses", "tags")),
    ("accounts", "accounts_by_country", TOP),
    ("projects", "languages_by_year", {"date": "created_at", "min_projects": 50}),
    ("projects", "activity", {"as_of": "2011-12", "window": 24}),
    ("projects", "life_span", {"window": 1}),
    *(("projects", "growth", {"freq": freq}) for freq in ("W", "QE", "YE-JUN")),
    ("projects", "activity", {"by": ["team_size", "language"], "min_records": 60, "max_age": "2y"}),
    ("projects", "language_share", TOP | {"exclude": ["lines_outlier", "negative_lines"]}),
    ("accounts", "posts_distribution", {"by": "country", "min_records": 100}),
]


def libraries(engine):
    name = {"dask": "dask.dataframe", "arrow": "pyarrow"}.get(engine, engine)
    return pytest.importorskip(name, reason=f"{engine} is optional")


def on(engine, table):
    """Hand a table of Arrow to an engine; to Dask in parts of a record each, and an empty one."""
    library = libraries(engine)
    if engine in {"duckdb", "polars"}:
        return library.from_arrow(table)
    if engine == "arrow":
        return table
    import dask

    frame = table.to_pandas()
    parts = [dask.delayed(frame.iloc[row : row + 1]) for row in range(len(frame) + 1)]
    return library.from_delayed(parts, meta=frame.iloc[:0])


@pytest.fixture(scope="module")
def frames(sample_projects, sample_accounts, sample_frames):
    """Return frames that do not know when they were loaded, as no frame of an engine does."""
    loaded = {"projects": sample_projects, "accounts": sample_accounts}
    loaded |= {kind: sample_frames[kind] for kind in ("contributors", "activity")}
    bare = {kind: frame.copy() for kind, frame in loaded.items()}
    for frame in bare.values():
        frame.attrs.clear()
    return bare


@pytest.fixture(scope="module")
def read(frames, tmp_path_factory):
    """Open each frame by an engine, as a large collection is: Parquet in three parts."""
    folder = tmp_path_factory.mktemp("parts")
    for kind, frame in frames.items():
        (folder / kind).mkdir()
        step = -(-len(frame) // 3)
        for place, start in enumerate(range(0, len(frame), step)):
            part = frame.iloc[start : start + step]
            part.to_parquet(folder / kind / f"part-{place}.parquet", index=False)

    def read_of(engine, kind):
        library = libraries(engine)
        if engine == "duckdb":
            # A month begins elsewhere at another time; the session's zone must make no difference.
            library.execute("SET TimeZone = 'America/Los_Angeles'")
            return library.read_parquet(f"{folder / kind}/*.parquet")
        if engine == "dask":
            return library.read_parquet(folder / kind)
        table = pa.Table.from_pandas(frames[kind])
        return table if engine == "arrow" else library.from_arrow(table)

    return read_of


@pytest.mark.parametrize("engine", ENGINES)
def test_every_statistic_is_the_same(engine, frames, read):
    failures = []
    for kind, name, options in CASES:
        statistic = getattr(stats, name)
        expected = statistic(frames[kind], **options)
        found = statistic(read(engine, kind), **options)
        # Whole numbers are the same; sums of fractions may be added up in another order.
        pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=1e-12, atol=0)
        counted, of = (table.attrs["dirframe"]["counted"] for table in (found, expected))
        if counted != of:
            failures.append((name, options, counted, of))
    assert not failures


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_unfinished_and_how_sure_a_median_is_are_known(engine, read):
    """Of the sample, so that the comparison above is one of more than missing values."""
    records = read(engine, "projects")
    assert stats.growth(records)["finished"].to_list()[-2:] == [True, False]
    assert set(stats.languages_by_year(records, top=1)["finished"]) == {True, False}
    row = stats.contributors_by_language(records, top=3).iloc[0]
    assert row["lower_quartile"] <= row["median"] <= row["upper_quartile"]
    assert row["median_low"] <= row["median"] <= row["median_high"]


@pytest.mark.parametrize("engine", ENGINES)
def test_no_records_give_the_same_columns_and_dtypes(engine, frames):
    for kind, names in oracle.STATISTICS.items():
        lists = ["tags", "licenses", "analysis_languages"]
        empty = frames[kind].iloc[:0].drop(columns=lists, errors="ignore")
        records = on(engine, pa.Table.from_pandas(empty, preserve_index=False))
        for name in names:
            statistic = getattr(stats, name)
            pd.testing.assert_frame_equal(statistic(records), statistic(empty))


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
def test_flags_are_the_same(engine, frames, read):
    for kind in ("projects", "accounts"):
        options = {"max_age": "6mo"} if kind == "projects" else {}
        found, expected = flags(read(engine, kind), **options), flags(frames[kind], **options)
        pd.testing.assert_frame_equal(found, expected)
        assert kind == "accounts" or len(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_other_types_are_read_as_pandas_reads_them(engine):
    frame = pd.DataFrame(
        {
            LANGUAGE: pd.Series(["C", "C", "Java", None], dtype="category"),
            LINES: [5.0, None, -2.0, 7.0],  # as pandas has whole numbers beside missing ones
            "user_count": pd.Series([1, 2, None, 2**53 + 1], dtype="Int64"),
            "created_at": pd.to_datetime(
                pd.Series(["2012-12-31 23:59", None, "2013-01-01 00:00", "2013-05-06 10:00"])
            ),
            "tags": ['["xml", "web"]', None, '["xml"]', "[]"],
            "id": list("1234"),
        }
    )
    records = on(engine, pa.Table.from_pandas(frame, preserve_index=False))
    for name, options in (("language_share", {}), ("growth", {"freq": "YS"}), ("tags", {})):
        found, expected = (getattr(stats, name)(one, **options) for one in (records, frame))
        pd.testing.assert_frame_equal(found, expected)
        assert found.attrs["dirframe"]["counted"] == expected.attrs["dirframe"]["counted"]


EXACT, LARGEST = 2**53, 2**63 - 1
whole = st.integers(-3, 3) | st.integers(-(2**63), LARGEST) | st.integers(EXACT - 2, EXACT + 2)
#: Columns, as Arrow has them.
COLUMNS = {
    (PEOPLE, "whole"): (pa.int64(), whole),
    (PEOPLE, "short"): (pa.int16(), st.integers(-3, 300)),
    (PEOPLE, "floating"): (
        pa.float64(),
        whole.map(float) | st.floats(-9, 9).map(lambda n: round(n, 1)),
    ),
    (PEOPLE, "decimal"): (pa.decimal128(22, 0), st.integers(-(10**18), 10**18).map(Decimal)),
    (PEOPLE, "cents"): (
        pa.decimal128(22, 2),
        st.integers(-900, 900).map(lambda n: Decimal(n) / 100),
    ),
    (PEOPLE, "text"): (pa.string(), st.integers(0, 9).map(str)),
    (PEOPLE, "truth"): (pa.bool_(), st.booleans()),
    ("created_at", "moments"): (
        pa.timestamp("us", tz="UTC"),
        st.datetimes(datetime(1990, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001  # they get one
    ),
    ("created_at", "days"): (pa.date32(), st.dates(date(2000, 1, 1), date(2020, 1, 1))),
    ("created_at", "seconds"): (pa.int64(), st.integers(0, 2**31)),
    ("created_at", "text"): (pa.string(), st.sampled_from(["03/04/2013", "2013-07-31", "2013"])),
}
READ = {"whole", "short", "decimal", "moments", "days"}


def outcome(statistic, frame, **options):
    """Compute, or say that the input was refused."""
    try:
        table = statistic(frame, **options)
    except InvalidInputError:
        return "refused"
    return table.to_dict("list"), table.attrs["dirframe"]["counted"]


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
@settings(suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow])
@given(st.data())
def test_a_column_is_read_alike_or_refused(engine, data):
    libraries(engine)
    dask = pytest.importorskip("dask", reason="Dask is optional")
    column, kind = data.draw(st.sampled_from([*COLUMNS]))
    type_, values = COLUMNS[column, kind]
    table = pa.table({column: pa.array(data.draw(st.lists(values, min_size=1, max_size=4)), type_)})
    growing = column == "created_at"
    statistic = stats.growth if growing else stats.contributor_distribution
    options = {"freq": "YS"} if growing else {}
    # Dask would make text of decimals and days before anything of ours sees them.
    with dask.config.set({"scheduler": "synchronous", "dataframe.convert-string": False}):
        found = outcome(statistic, on(engine, table), **options)
    assert found == outcome(statistic, table.to_pandas(), **options)
    if kind not in {"floating", "cents"}:
        assert (found != "refused") == (kind in READ)


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
def test_a_sum_of_64_bits_is_right_or_refused(engine):
    third = LARGEST // 3
    for numbers, languages in (
        ([LARGEST], "C"),
        ([LARGEST, 1], "CD"),  # each language fits, their total not
        ([LARGEST - 7, 7, -(2**62), None], "CCCC"),
        ([LARGEST - 7, 8, -(2**62), None], "CCCC"),
        ([third, third, third + 1], "CDC"),
        ([third, third, third + 2], "CDC"),
        ([EXACT, 1, 1], "CCD"),
    ):
        total = sum(number for number in numbers if number is not None and number > 0)
        frame = pd.DataFrame({LANGUAGE: [*languages], LINES: 1, PEOPLE: 1})
        for name, sums, column in (
            ("language_share", "code_lines", LINES),
            ("contributors_by_language", "contributors", PEOPLE),
            ("team_size_classes", "contributors", PEOPLE),
        ):
            frame_of = frame.assign(**{column: pd.Series(numbers, dtype="Int64")})
            records = on(engine, pa.Table.from_pandas(frame_of, preserve_index=False))
            if total > LARGEST:
                with pytest.raises(InvalidInputError):
                    getattr(stats, name)(records)
            else:
                assert sum(map(int, getattr(stats, name)(records)[sums].dropna())) == total


def test_what_an_engine_cannot_hold_is_refused():
    polars = libraries("polars")
    with pytest.raises(InvalidInputError, match="collect"):
        stats.tags(polars.LazyFrame({"tags": [["a"]]}))
    columns = f"'C' AS {LANGUAGE}, 1 AS {PEOPLE}, {2**64}::HUGEINT AS {LINES}, now() AS {FIRST}"
    relation = libraries("duckdb").sql(f"SELECT {columns}")
    for statistic in (stats.language_share, stats.language_breakdown):
        with pytest.raises(InvalidInputError):
            statistic(relation)
    lists = pd.DataFrame({"id": ["1", "2"], "tags": [["xml", "web"], None]})
    with pytest.raises(InvalidInputError):  # Dask makes text of lists
        stats.tags(libraries("dask").from_pandas(lists, npartitions=1))

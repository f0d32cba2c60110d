"""Every statistic takes rules to leave out and strata, on every engine."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import (
    load_accounts,
    load_projects,
    sample_directory,
    stats,
    unify_countries,
)
from dirframe.errors import InvalidInputError
from tests.plot.charts import activity_facts, contributors
from tests.stats.every import OF_ONE_PROJECT, OF_RECORDS, collection_of, quick

if TYPE_CHECKING:
    from collections.abc import Iterator

duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
dask_frame = pytest.importorskip("dask.dataframe", reason="Dask is an extra")

# Dask itself still says `inplace` to pandas when it reads Parquet.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword:pandas.errors.Pandas4Warning")

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
PEOPLE = "analysis_twelve_month_contributor_count"


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    with sample_directory(cache=False) as directory:
        accounts = unify_countries(load_accounts(directory=directory))
        return {"accounts": accounts, "projects": load_projects(directory=directory)}


@pytest.fixture(scope="module")
def engines(
    frames: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[Any]]]:
    """Read Parquet with both engines, as a large collection is."""
    folder = tmp_path_factory.mktemp("parts")
    with duckdb.connect() as session:
        session.sql("SET TimeZone = 'Asia/Tokyo'")
        found = {}
        for name, frame in frames.items():
            (folder / name).mkdir()
            table = pa.Table.from_pandas(frame, preserve_index=False)
            for part, start in enumerate(range(0, len(frame), 700)):
                pa.parquet.write_table(table.slice(start, 700), folder / name / f"{part}.parquet")
            found[name] = [
                session.read_parquet(f"{folder / name}/*.parquet"),
                dask_frame.read_parquet(folder / name),
            ]
        yield found


@pytest.mark.parametrize("name", stats.__all__)
def test_the_options_stand_in_the_signature_and_in_the_help(name: str) -> None:
    statistic = getattr(stats, name)
    parameters = inspect.signature(statistic).parameters
    for option in ("exclude", "max_age", "by", "min_records"):
        assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"\n{option} : " in statistic.__doc__
    with pytest.raises(TypeError, match=rf"{name}\(\).*'exclud'"):
        statistic(pd.DataFrame(), exclud=["negative_lines"])


def of_two_projects(name: str) -> tuple[pd.DataFrame, str]:
    frame = (
        activity_facts()
        if name in {"growth_curve", "growth_fit", "monthly_activity"}
        else contributors()
    )
    both = [frame.assign(project="a"), frame.iloc[:2].assign(project="b")]
    return pd.concat(both, ignore_index=True), "project"


@pytest.mark.parametrize("name", sorted(OF_ONE_PROJECT))
def test_a_statistic_of_one_project_takes_several_by_what_tells_them_apart(name: str) -> None:
    statistic = getattr(stats, name)
    frame, by = of_two_projects(name)
    with pytest.raises(InvalidInputError, match=r"more than once.*by="):
        statistic(frame)
    found = statistic(frame, by=by)
    for project, own in frame.groupby(by):
        rows = found[found[by] == project].drop(columns=by).reset_index(drop=True)
        pd.testing.assert_frame_equal(rows, statistic(own))
    relation = duckdb.from_arrow(pa.Table.from_pandas(frame, preserve_index=False))
    for other in (relation, dask_frame.from_pandas(frame, npartitions=2)):
        pd.testing.assert_frame_equal(statistic(other, by=by), found, check_exact=False)


@pytest.mark.parametrize("name", sorted(OF_ONE_PROJECT))
@pytest.mark.parametrize("options", [{"exclude": ["negative_lines"]}, {"max_age": "1y"}])
def test_a_rule_that_cannot_be_applied_is_refused_and_says_what_it_needs(
    name: str, options: Any
) -> None:
    frame, _ = of_two_projects(name)
    with pytest.raises(InvalidInputError, match=r"The rule .* needs the column analysis_"):
        getattr(stats, name)(frame, **options)


@pytest.fixture(scope="module")
def faulty(
    frames: dict[str, pd.DataFrame], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, list[Any]]]:
    """300 records of each kind, three of which a rule tells, on each engine."""
    folder = tmp_path_factory.mktemp("faulty")
    with duckdb.connect() as session:
        found = {}
        for name, column in (("accounts", "posts_count"), ("projects", LINES)):
            frame = frames[name].head(300).copy()
            frame.loc[frame.index[:3], column] = -1
            frame.to_parquet(folder / f"{name}.parquet", index=False)
            found[name] = [
                frame,
                session.read_parquet(f"{folder / name}.parquet"),
                dask_frame.read_parquet(folder / f"{name}.parquet"),
            ]
        yield found


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_statistic_says_what_it_leaves_out_on_every_engine(
    name: str, faulty: dict[str, list[Any]]
) -> None:
    collection = collection_of(name)
    rule = "negative_posts" if collection == "accounts" else "negative_lines"
    age = {} if collection == "accounts" else {"max_age": "6mo"}
    tables = [quick(name)(frame, exclude=[rule], **age) for frame in faulty[collection]]
    for table in tables:
        counted = table.attrs["dirframe"]["counted"]
        assert counted[f"excluded_{rule}"] >= 3
        assert counted[collection] == 300 - counted["excluded"]
        assert ("excluded_stale_analysis" in counted) == (collection == "projects")
        assert any(step.startswith(f"exclude: {rule}") for step in table.attrs["dirframe"]["steps"])
        pd.testing.assert_frame_equal(table, tables[0], check_exact=False, rtol=1e-12)


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_statistic_is_that_of_the_records_that_no_rule_tells(
    name: str, faulty: dict[str, list[Any]]
) -> None:
    frame = faulty[collection_of(name)][0]
    column, rule = ("posts_count", "negative_posts")
    if collection_of(name) == "projects":
        column, rule = (LINES, "negative_lines")
    sound = frame[~(frame[column] < 0).fillna(value=False)]
    statistic = quick(name)
    assert len(frame) - len(sound) >= 3
    pd.testing.assert_frame_equal(statistic(frame, exclude=[rule]), statistic(sound))


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_statistic_gives_the_same_strata_on_every_engine(
    name: str, faulty: dict[str, list[Any]]
) -> None:
    collection = collection_of(name)
    by = "kudo_score_kudo_rank" if collection == "accounts" else "team_size"
    if by in quick(name)(faulty[collection][0].head(50)):
        by = "posts_count"
    if name == "team_size_classes":
        by = "year"
    options = {"by": by, "min_records": 70}
    expected, *others = [quick(name)(frame, **options) for frame in faulty[collection]]
    counted = expected.attrs["dirframe"]["counted"]
    assert counted[collection] == 300
    assert counted["strata"] > 1
    for found in others:
        pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=1e-12)
        assert found.attrs["dirframe"]["counted"] == counted


@pytest.mark.parametrize("name", OF_RECORDS)
def test_strata_give_what_the_records_of_each_give_alone(
    name: str, frames: dict[str, pd.DataFrame]
) -> None:
    frame = frames[collection_of(name)]
    by = "country_name" if collection_of(name) == "accounts" else LANGUAGE
    wanted = frame[by].value_counts().index[:3]
    frame = frame[frame[by].isin(wanted) | frame[by].isna()]
    statistic = quick(name)
    found = statistic(frame, by=by)
    label = f"by_{by}" if by in statistic(frame.head(20)) else by
    assert found.columns[0] == label
    for value in [*wanted, None]:
        own = frame[frame[by].isna() if value is None else frame[by] == value]
        rows = found[found[label].isna() if value is None else found[label] == value]
        expected = statistic(own)
        pd.testing.assert_frame_equal(rows.drop(columns=label).reset_index(drop=True), expected)


def test_the_lives_of_each_language_are_those_of_its_projects_alone(
    frames: dict[str, pd.DataFrame],
) -> None:
    frame = frames["projects"]
    whole = stats.life_span(frame)
    for top in (None, 2):
        found = stats.life_span(frame, by="language", min_records=50, top=top)
        pooled = found["by_language"].str.startswith("other (").fillna(value=False)
        alone = found[~pooled]
        assert (alone["by_language"].dropna() == alone["language"].dropna()).all()
        assert len({*found["language"][pooled].dropna()}) > 1  # what it is, of each
        assert len(found) == (
            len(whole) if top is None else 2 * found["by_language"].nunique(dropna=False)
        )


CASES = [
    ("team_size_classes", {"by": "year", "min_records": 50}),
    ("activity", {"by": ["team_size", "language"], "min_records": 60, "max_age": "2y"}),
    ("language_share", {"top": 3, "exclude": ["lines_outlier", "negative_lines"]}),
    ("growth", {"by": "language", "freq": "YS", "min_records": 100}),
    ("posts_distribution", {"by": "country", "exclude": ["duplicate_id"], "min_records": 100}),
    ("accounts_by_kudo_rank", {"by": "kudo_score_kudo_rank"}),
]


@pytest.mark.parametrize(("name", "options"), CASES)
def test_the_engines_give_the_same(
    name: str, options: Any, frames: dict[str, pd.DataFrame], engines: dict[str, list[Any]]
) -> None:
    collection = "projects" if name == "growth" else collection_of(name)
    statistic = getattr(stats, name)
    expected = statistic(frames[collection], **options)
    for other in engines[collection]:
        found = statistic(other, **options)
        pd.testing.assert_frame_equal(found, expected, check_exact=False, rtol=1e-12)
        counted = expected.attrs["dirframe"]["counted"]
        assert found.attrs["dirframe"]["counted"] == counted


@given(
    st.lists(
        st.tuples(st.sampled_from(["C", "Java", " ", None]), st.none() | st.integers(-5, 120)),
        max_size=30,
    ),
    st.integers(1, 5),
)
def test_strata_hold_each_record_once_and_small_ones_are_together(
    rows: list[tuple[str | None, int | None]], least: int
) -> None:
    frame = pd.DataFrame(
        {
            LANGUAGE: pd.Series([language for language, _ in rows], dtype="str"),
            PEOPLE: pd.Series([people for _, people in rows], dtype="Int64"),
        }
    )
    whole = stats.contributor_distribution(frame)
    for by in ("language", "team_size"):
        found = stats.contributor_distribution(frame, by=by, min_records=least)
        together = found.groupby("contributors")["projects"].sum()
        assert together.to_dict() == whole.set_index("contributors")["projects"].to_dict()
        assert found.attrs["dirframe"]["counted"]["projects"] == len(rows)


def test_what_is_left_out_is_the_records_that_are_flagged(
    frames: dict[str, pd.DataFrame],
) -> None:
    frame = frames["projects"]
    bad = (frame[LINES] < 0).fillna(value=False)
    found = stats.language_share(frame, exclude=["negative_lines"])
    pd.testing.assert_frame_equal(found, stats.language_share(frame[~bad]))
    record = found.attrs["dirframe"]
    assert record["counted"]["excluded_negative_lines"] == int(bad.sum()) > 0
    assert record["steps"][-2:] == [f"exclude: negative_lines {bad.sum()}", "language_share"]


def test_outliers_are_told_by_the_whole_frame_before_it_is_divided() -> None:
    lines = [10**power for power in (2, 3, 4)] * 10 + [10**12]
    frame = pd.DataFrame({LINES: lines, LANGUAGE: "C", "half": ["a"] * 30 + ["b"]})
    found = stats.language_share(frame, by="half", exclude=["lines_outlier"])
    assert found["half"].tolist() == ["a"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"by": ["language", "by_language"]}, "has a column by_language already"),
        ({"by": "nothing"}, "neither a column of the frame nor one of language, country"),
        ({"by": "tags"}, "text or whole numbers"),
        ({"by": "country"}, "unify_countries"),
        ({"by": []}, "one or more columns"),
        ({"by": "name"}, "more than 1,000"),
        ({"by": "year", "min_records": 0}, "1 or more"),
        ({"exclude": ["negative_posts"]}, "needs the column posts_count"),
    ],
)
def test_what_cannot_be_divided_or_left_out_says_why(
    options: Any, said: str, frames: dict[str, pd.DataFrame]
) -> None:
    frame = frames["projects"].assign(by_language="C")
    with pytest.raises(InvalidInputError, match=said):
        stats.language_share(frame, **options)


@pytest.mark.parametrize("engine", ["pandas", "DuckDB", "Dask"])
def test_a_column_of_the_frame_goes_before_a_derived_stratum_of_its_name(
    engine: str, frames: dict[str, pd.DataFrame]
) -> None:
    own = frames["projects"]["created_at"].dt.year
    projects: Any = frames["projects"].assign(year=own)
    if engine == "DuckDB":
        projects = duckdb.from_arrow(pa.Table.from_pandas(projects, preserve_index=False))
    elif engine == "Dask":
        projects = dask_frame.from_pandas(projects, npartitions=2)
    table = stats.language_share(projects, by="year")
    known = frames["projects"][LANGUAGE].notna()
    counts = own[known].value_counts().sort_index()
    assert table.groupby("year")["projects"].sum().to_dict() == {
        str(year): count for year, count in counts.items()
    }
    dated = frames["projects"].assign(year=frames["projects"]["created_at"])
    with pytest.raises(InvalidInputError, match="Rename the column for the derived year"):
        stats.language_share(dated, by="year")


def test_years_ascend_and_what_is_not_known_is_last(frames: dict[str, pd.DataFrame]) -> None:
    found = stats.team_size_classes(frames["projects"], by="year")["year"]
    known = found.dropna()
    assert known.tolist() == sorted(known)
    assert found.isna().to_numpy().nonzero()[0].tolist() == [*range(len(known), len(found))]


@pytest.mark.parametrize("wrong", [pd.Series(["analysis_main_language_name"]), 5, [1], b"language"])
def test_what_is_no_name_of_a_column_is_refused_as_a_stratum(
    wrong: Any, frames: dict[str, pd.DataFrame]
) -> None:
    kind = type(wrong).__name__
    with pytest.raises(InvalidInputError, match=f"takes names of columns.*got a {kind}"):
        stats.tags(frames["projects"], by=wrong)
    names: Any = pd.Index([LANGUAGE])
    by_index = stats.tags(frames["projects"], by=names)
    pd.testing.assert_frame_equal(by_index, stats.tags(frames["projects"], by=[LANGUAGE]))

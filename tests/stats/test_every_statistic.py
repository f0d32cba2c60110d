"""What holds for every statistic: its columns, what it refuses, and what it says of its source."""

import inspect
import typing
from datetime import UTC, datetime
from functools import cache, partial
from random import Random

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import dirframe
from dirframe import plot, provenance, stats
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import (
    ColumnsNotSentError,
    InvalidInputError,
    MissingColumnsError,
    MissingExtraError,
)
from dirframe.quality.rules import RULES
from tests import charts, oracle
from tests.cases import raised, slow_except

RESOURCES = {"projects": "project", "accounts": "account"}
RESOURCES |= {"contributors": "contributor_fact", "activity": "activity_fact"}
EVERY = [(kind, name) for kind, names in oracle.STATISTICS.items() for name in names]
TOPS = {"accounts_by_country", "contributors_by_language", "language_breakdown", "language_share"}
TOPS |= {"languages_by_year", "licenses", "life_span", "tags"}
DTYPES = {"s": "str", "f": "Float64", "b": "boolean", "t": "datetime64[us, UTC]", "": "Int64"}
#: The columns of every result, with the letter of a dtype other than Int64.
COLUMNS = {
    "accounts_by_country": "country_alpha_2:s country_name:s accounts share:f inhabitants_2019 "
    "per_million:f",
    "accounts_by_kudo_rank": "kudo_rank accounts share:f",
    "activity": "activity:s projects share:f as_of:t",
    "commit_concentration": "top_1_share:f top_5_share:f gini:f bus_factor",
    "commits_by_contributor": "rank contributor_id:s contributor_name:s commits share:f "
    "cumulative_share:f",
    "contributor_concentration": "gini:f top_1_percent_share:f top_10_percent_share:f "
    "top_20_percent_share:f top_50_percent_share:f gini_without_zeros:f "
    "top_1_percent_share_without_zeros:f top_10_percent_share_without_zeros:f "
    "top_20_percent_share_without_zeros:f top_50_percent_share_without_zeros:f",
    "contributor_distribution": "contributors projects share:f share_at_most:f",
    "contributors_by_language": "language:s projects projects_counted contributors "
    "lower_quartile:f median:f upper_quartile:f median_low:f median_high:f maximum",
    "growth": "start:t new total finished:b",
    "language_breakdown": "language:s projects code_lines:f share:f",
    "language_share": "language:s projects share:f code_lines users",
    "languages_by_year": "year language:s projects share:f finished:b",
    "license_families": "family:s projects share:f",
    "licenses": "license:s title:s projects share:f",
    "life_span": "id:s name:s language:s first_month:t last_month:t months ended:b contributors",
    "lorenz": "projects_share:f contributors_share:f contributors",
    "monthly_activity": "month:t commits contributors code_added code_removed finished:b",
    "posts_distribution": "posts accounts share:f share_at_most:f",
    "survival": "months at_risk ended censored survival:f low:f high:f",
    "tags": "tag:s projects share:f",
    "team_size_classes": "team_size:s smallest largest projects share:f contributors",
    "users_against_contributors": "users contributors projects",
}


# A seed has no simpler form, and to look for one takes a minute.
@pytest.mark.parametrize("kind", oracle.STATISTICS)
@settings(phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), size=st.integers(0, 60), first=st.integers(0, 1))
def test_statistic_is_what_plain_python_counts(kind, seed, size, first):
    """Each example with every second statistic; the slow tests have all of them."""
    names = [*oracle.STATISTICS[kind]]
    assert not oracle.failures(kind, seed, size, names[first::2] or names)


def test_recorded_projects_are_counted_as_plain_python_counts_them(recorded):
    records = [
        {name: value for name, value in row.items() if isinstance(value, list) or pd.notna(value)}
        for row in recorded.to_dict("records")
    ]
    assert len(records) == 313
    failures = []
    for name in oracle.STATISTICS["projects"]:
        table = getattr(stats, name)(recorded)
        now = datetime.now(UTC)
        rows, counted = oracle.expected("projects", name, records, now, retrieved=None)
        failures += [f"{name}: {one}" for one in oracle.differences(table, rows, counted)]
    assert not failures
    counted = oracle.language_share(records)[1]
    assert (counted["without_language"], counted["code_lines_negative"]) == (14, 2)


@pytest.fixture(scope="module")
def statistic_of(kind_frames):
    """Return a function to the statistic of 60 records, computed once; no test changes it."""
    return cache(lambda kind, name: getattr(stats, name)(kind_frames[kind]))


def without(whole, type_):
    """Return a record without its values of a type."""
    return {name: value for name, value in whole.items() if not isinstance(value, type_)}


def few(kind):
    """Return few records of a kind by what they are, from one of which everything is known."""
    [whole] = oracle.make(kind, Random(5), 1)
    return {
        "no record": [],
        "two records of nothing": [{}, {}],
        "one record": [whole],
        "a record without numbers": [without(whole, int)],
        "a record without texts": [without(whole, str)],
        "a record without dates": [without(whole, datetime)],
        "a record without lists": [without(whole, list)],
    }


FEW = {kind: few(kind) for kind in oracle.FIELDS}


def check_columns_and_dtypes(tables):
    """Check the columns, dtypes and index of each statistic."""
    failures = []
    for (_, name), table in tables.items():
        columns = (column.partition(":") for column in COLUMNS[name].split())
        expected = [(column, DTYPES[letter]) for column, _, letter in columns]
        dtypes = [*table.dtypes.astype("str").items()]
        if dtypes != expected or list(table.index) != list(range(len(table))):
            failures.append((name, dtypes))
    assert not failures


def test_columns_and_dtypes_are_those_of_the_statistic(statistic_of):
    check_columns_and_dtypes({(kind, name): statistic_of(kind, name) for kind, name in EVERY})


@pytest.mark.parametrize("records", slow_except(FEW["projects"], [*FEW["projects"]][:4]))
def test_columns_and_dtypes_do_not_depend_on_the_records(records):
    frames = {kind: oracle.frame(kind, some[records]) for kind, some in FEW.items()}
    check_columns_and_dtypes(
        {(kind, name): getattr(stats, name)(frames[kind]) for kind, name in EVERY}
    )


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_statistic_names_its_source_and_leaves_the_frame_as_it_is(kind, name, kind_frames):
    frame = kind_frames[kind]
    before, record_before = frame.copy(deep=True), provenance.get_provenance(frame)
    table = getattr(stats, name)(frame)
    record = provenance.get_provenance(table)
    facts = {
        "source": "A directory",
        "steps": [name],
        "resource": RESOURCES[kind],
        "statistic": {"name": name},
    }
    assert {fact: record[fact] for fact in facts} == facts
    assert record["base"]["records"] in record["counted"].values()
    assert record["base"]["which"]
    assert next(iter(record["counted"].values())) == len(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert provenance.get_provenance(frame) == record_before


@pytest.mark.parametrize(
    ("kind", "name", "options"),
    [
        *((kind, name, {}) for kind, name in EVERY),
        *slow_except(
            [(kind, name, {"top": 2}) for kind, name in EVERY if name in TOPS],
            [("projects", "language_share", {"top": 2}), ("projects", "tags", {"top": 2})],
        ),
    ],
)
def test_statistic_is_independent_of_the_order_and_index_of_records(
    kind, name, options, kind_frames, statistic_of
):
    frame = kind_frames[kind]
    mixed = frame.sample(frac=1, random_state=1)
    mixed.index = pd.Index([7, 7, "a", None] * (len(frame) // 4), dtype=object)
    statistic = getattr(stats, name)
    table = statistic(frame, **options) if options else statistic_of(kind, name)
    pd.testing.assert_frame_equal(statistic(mixed, **options), table)


_OF_ACCOUNTS = {"impossible_kudo_rank", "impossible_latitude", "impossible_longitude"}
#: Each statistic, chart and rule, by its name, with its kind of records or what makes them.
NEEDY = {
    **{f"stats.{name}, {kind}": (getattr(stats, name), kind) for kind, name in EVERY},
    **{f"plot.{name}": (getattr(plot, name), make) for name, make in charts.CHARTS.items()},
    **{
        f"{function.__name__}, {rule}": (
            partial(function, rules=[rule]),
            "accounts" if rule in {*_OF_ACCOUNTS, "negative_posts"} else "projects",
        )
        for function in (dirframe.flags, dirframe.exclude)
        for rule in RULES
    },
}


def shown(function, frame):
    """Return the figures and words of a result by their names, but not what is missing."""
    result = function(frame)
    if not isinstance(result, pd.DataFrame):
        return {"picture": charts.looks(result)}
    columns = {name: [*map(str, result[name])] for name in result if result[name].notna().any()}
    columns.pop("finished", None)  # by the dates that there are
    record = provenance.get_provenance(result)
    return columns | record["counted"] | record["excluded"]


def not_sent(frame, columns):
    """Return a frame whose columns are empty because the directory did not send them."""
    empty = {column: pd.Series(None, frame.index, frame[column].dtype) for column in columns}
    return provenance.set_provenance(frame.assign(**empty), not_sent=list(columns))


def missing(function, frame, words=None):
    """Return the type of the error that a function raises for a frame, and the columns it misses."""
    with pytest.raises(MissingColumnsError, match=words) as caught:
        function(frame)
    return caught.type, caught.value.columns


@pytest.mark.parametrize("name", slow_except(NEEDY, [*NEEDY][::4]))
def test_statistic_without_a_column_names_it_or_does_without(name, kind_frames):
    """What does without gives no figure and no word that would be another with the column."""
    function, kind = NEEDY[name]
    frame = kind(30) if callable(kind) else kind_frames[kind].assign(latitude=91.0, longitude=91.0)
    provenance.set_provenance(frame, **({"resource": RESOURCES[kind]} if kind in RESOURCES else {}))
    _, first = missing(function, pd.DataFrame({"x": []}))
    others = {pair[0]: pair for pair in (oracle.FETCHED, oracle.USERS) if {*pair} <= {*frame}}
    needed = [others.get(column, (column,)) for column in first]  # of a pair, either will do
    assert needed
    dropped = {columns: frame.drop(columns=[*columns]) for columns in needed}
    unsent = {columns: not_sent(frame, columns) for columns in needed}
    assert {columns: missing(function, dropped[columns], columns[0]) for columns in needed} == {
        columns: (MissingColumnsError, columns[:1]) for columns in needed
    }
    assert {columns: missing(function, unsent[columns]) for columns in needed} == {
        columns: (ColumnsNotSentError, columns) for columns in needed
    }
    kept = [*{column for columns in needed for column in columns}, *frame.columns[:2]]
    found = shown(function, frame[[*dict.fromkeys(kept)]])
    assert found.items() <= shown(function, frame).items()


def test_records_of_another_kind_are_refused(sample_frames):
    failures = []
    for module, specs in ((stats, STATISTICS), (plot, CHARTS)):
        for name, spec in specs.items():
            right = {spec.collection} if spec.collection else {"accounts", "projects"}
            for other in set(sample_frames) - right:
                try:
                    getattr(module, name)(sample_frames[other])
                except (InvalidInputError, MissingExtraError):  # some need other libraries first
                    continue
                failures.append((module.__name__, name, other))
    assert not failures


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_result_of_a_statistic_is_refused_by_it(kind, name, statistic_of):
    statistic = getattr(stats, name)
    with pytest.raises(InvalidInputError, match=name):
        statistic(statistic_of(kind, name))


#: Functions of a frame of records that are no statistic.
QUALITY = {
    "flags": dirframe.flags,
    "summary": dirframe.summary,
    "exclude": dirframe.exclude,
    "select": dirframe.select,
    "compare": lambda frame: dirframe.compare(frame, frame),
}


@pytest.mark.parametrize("name", QUALITY)
def test_result_of_a_statistic_is_refused_where_records_are_needed(name, kind_frames):
    with pytest.raises(InvalidInputError, match="tags"):
        QUALITY[name](stats.tags(kind_frames["projects"]))


_TWICE = pd.DataFrame([["1", "C", "C"]], columns=["id", oracle.LANGUAGE, oracle.LANGUAGE])


@pytest.mark.parametrize("wrong", [[1], _TWICE], ids=["a list", "a column twice"])
def test_object_that_is_no_frame_is_refused(wrong):
    functions = {name: getattr(stats, name) for name in STATISTICS} | QUALITY
    errors = {name: raised(function, wrong) for name, function in functions.items()}
    others = {name: e for name, e in errors.items() if not isinstance(e, InvalidInputError)}
    assert others == {}


def test_top_is_an_option_of_statistics_of_groups():
    options = {name: inspect.signature(getattr(stats, name)).parameters for name in STATISTICS}
    assert {name for name in STATISTICS if "top" in options[name]} == TOPS


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, name in EVERY if name in TOPS])
def test_top_is_a_whole_number_of_one_or_more(kind, name, kind_frames):
    """One statistic with all wrong values, the others with two."""
    statistic, frame = getattr(stats, name), kind_frames[kind]
    wrong = [0, True, -1, 1.5, 2.0, False, "3", float("nan")]
    if name != "tags":
        wrong = wrong[:2]
    errors = [raised(statistic, frame, top=top) for top in wrong]
    assert [type(error) for error in errors] == [InvalidInputError] * len(wrong)
    assert [error for error in errors if "top" not in str(error)] == []


def test_options_have_names():
    functions = [getattr(stats, name) for name in STATISTICS]
    functions += [getattr(plot, name) for name in CHARTS]
    by_place = {}
    for function in functions:
        _, *options = inspect.signature(function).parameters.values()
        unnamed = [one.name for one in options if one.kind is one.POSITIONAL_OR_KEYWORD]
        if unnamed:
            by_place[function.__module__, function.__name__] = unnamed
    assert by_place == {}


@pytest.mark.parametrize(("kind", "name"), EVERY)
def test_option_that_is_unknown_is_a_type_error(kind, name, kind_frames):
    with pytest.raises(TypeError, match="tpo"):
        getattr(stats, name)(kind_frames[kind], tpo=3)


@pytest.mark.parametrize(
    "function",
    [
        *(getattr(stats, name) for name in STATISTICS),
        dirframe.select,
        dirframe.flags,
        dirframe.exclude,
        dirframe.summary,
        dirframe.compare,
        stats.by,
        dirframe.with_age,
        dirframe.with_license_family,
    ],
    ids=lambda function: function.__name__,
)
def test_options_of_statistics_and_selections_have_types_that_can_be_read(function):
    hints = typing.get_type_hints(inspect.unwrap(function))
    first, *_ = inspect.signature(function).parameters
    assert {first, "return"} <= {*hints}
    assert first in {"frame", "before", "statistic"}


@pytest.mark.parametrize("name", ["language_share", "tags"])
def test_statistic_of_which_rows_were_taken_away_says_how_many_are_left(name, kind_frames):
    frame = kind_frames["projects"]
    table = getattr(stats, name)(frame)
    assert " rows" not in provenance.caption(table)
    assert f"{len(table) - 1} of {len(table)} rows" in provenance.caption(table[1:])
    assert " rows" not in charts.caption(getattr(plot, name)(frame))


def test_strata_of_which_rows_were_taken_away_say_how_many_are_left(kind_frames):
    strata = stats.by(stats.tags, kind_frames["projects"], oracle.LANGUAGE)
    assert "2 of " in provenance.caption(strata.head(2))
    assert " rows" not in provenance.caption(strata)


@pytest.mark.parametrize(("kind", "name"), slow_except(EVERY, EVERY[::4]))
def test_stream_that_can_be_read_once_is_counted(kind, name, kind_frames, statistic_of):
    table = pa.Table.from_pandas(kind_frames[kind], preserve_index=False)
    statistic = getattr(stats, name)
    pd.testing.assert_frame_equal(statistic(table.to_reader()), statistic_of(kind, name))


@pytest.mark.parametrize(
    ("kind", "name"),
    [("projects", "language_share"), ("contributors", "commits_by_contributor")],
)
def test_stream_that_can_be_read_once_is_drawn(kind, name, kind_frames):
    """The slow tests have every chart."""
    table = pa.Table.from_pandas(kind_frames[kind], preserve_index=False)
    chart = getattr(plot, name)
    assert charts.looks(chart(table.to_reader())) == charts.looks(chart(kind_frames[kind]))


def test_statistics_are_all_in_the_oracle():
    assert {name for _, name in EVERY} == {*stats.__all__} - {"by"} == {*STATISTICS}

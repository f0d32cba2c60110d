"""What holds for every statistic: its columns, what it refuses, and what it says of its source."""

import ast
import inspect
import re
from contextlib import suppress
from datetime import datetime
from random import Random

import pandas as pd
import pytest

import dirframe
from dirframe import plot, provenance, stats
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import InvalidInputError, MissingColumnsError, MissingExtraError
from tests import oracle, processes

EVERY = [(kind, name) for kind, names in oracle.STATISTICS.items() for name in names]
TOPS = {"accounts_by_country", "contributors_by_language", "language_breakdown", "language_share"}
TOPS |= {"languages_by_year", "licenses", "life_span", "tags"}
MOMENT = "datetime64[us, UTC]"
_SHARES = "share Float64, share_at_most Float64"
#: The columns of every result, and their dtypes.
COLUMNS = {
    "accounts_by_country": ("country_alpha_2 str, country_name str, accounts Int64, share Float64"),
    "accounts_by_kudo_rank": "kudo_rank Int64, accounts Int64, share Float64",
    "activity": (
        f"activity str, projects Int64, share Float64, share_of_all Float64, as_of {MOMENT}"
    ),
    "commit_concentration": "measure str, value Float64",
    "commits_by_contributor": (
        "rank Int64, contributor_id str, contributor_name str, commits Int64, share Float64, "
        "cumulative_share Float64"
    ),
    "contributor_concentration": "measure str, value Float64, value_without_zeros Float64",
    "contributor_distribution": f"contributors Int64, projects Int64, {_SHARES}",
    "contributors_by_language": (
        "language str, projects Int64, projects_counted Int64, contributors Int64, "
        "lower_quartile Float64, median Float64, upper_quartile Float64, median_low Float64, "
        "median_high Float64, maximum Int64"
    ),
    "growth": f"start {MOMENT}, new Int64, total Int64, finished boolean",
    "language_breakdown": "language str, projects Int64, code_lines Float64, share Float64",
    "language_share": "language str, projects Int64, share Float64, code_lines Int64, users Int64",
    "languages_by_year": (
        "year Int64, from_year Int64, language str, projects Int64, share Float64, finished boolean"
    ),
    "license_families": "family str, projects Int64, share Float64",
    "licenses": "license str, title str, projects Int64, share Float64",
    "life_span": (
        f"id str, name str, language str, first_month {MOMENT}, last_month {MOMENT}, "
        "months Int64, ended boolean, contributors Int64"
    ),
    "lorenz": "projects_share Float64, contributors_share Float64, contributors Int64",
    "monthly_activity": (
        f"month {MOMENT}, commits Int64, contributors Int64, code_added Int64, code_removed Int64, "
        "finished boolean"
    ),
    "posts_distribution": f"posts Int64, accounts Int64, {_SHARES}",
    "survival": (
        "months Int64, at_risk Int64, ended Int64, censored Int64, survival Float64, low Float64, "
        "high Float64"
    ),
    "tags": "tag str, projects Int64, share Float64",
    "team_size_classes": (
        "team_size str, smallest Int64, largest Int64, projects Int64, share Float64, "
        "contributors Int64"
    ),
    "users_against_contributors": "users Int64, contributors Int64, projects Int64",
}


@pytest.fixture(scope="module")
def few():
    """Make no record, one of which everything is known, one without a name or a date, and so on."""
    found = []
    for kind in oracle.FIELDS:
        [whole] = oracle.make(kind, Random(5), 1)
        without = [
            {name: value for name, value in whole.items() if not isinstance(value, type_)}
            for type_ in (int, str, datetime, list)
        ]
        lists = [], [{}, {}], [whole], *([record] for record in without)
        found += [(kind, oracle.frame(kind, records)) for records in lists]
    return found


def test_columns_and_dtypes_do_not_depend_on_the_records(frames, few):
    failures = []
    for kind, name in EVERY:
        for frame in [frames[kind], *(frame for other, frame in few if other == kind)]:
            table = getattr(stats, name)(frame)
            columns = ", ".join(f"{column} {dtype}" for column, dtype in table.dtypes.items())
            if columns != COLUMNS[name] or list(table.index) != list(range(len(table))):
                failures.append((name, columns, frame.to_dict("records")))
    assert not failures


def test_the_result_names_its_source_and_the_frame_stays_as_it_is(frames):
    failures = []
    for kind, name in EVERY:
        frame = frames[kind]
        before, record_before = frame.copy(deep=True), provenance.get_provenance(frame)
        table = getattr(stats, name)(frame)
        record = provenance.get_provenance(table)
        facts = {
            "source": "A directory",
            "steps": [name],
            "resource": {
                "projects": "project",
                "accounts": "account",
                "contributors": "contributor_fact",
                "activity": "activity_fact",
            }[kind],
            "statistic": {"name": name},
        }
        failures += [(name, fact, record[fact]) for fact in facts if record[fact] != facts[fact]]
        assert record["base"]["records"] in record["counted"].values()
        assert record["base"]["which"]
        pd.testing.assert_frame_equal(frame, before)
        if provenance.get_provenance(frame) != record_before:
            failures.append((name, "the frame has another provenance"))
        if next(iter(record["counted"].values())) != len(frame):
            failures.append((name, record["counted"]))
    assert not failures


def test_the_order_and_the_index_of_the_records_make_no_difference(frames):
    for kind, name in EVERY:
        frame = frames[kind]
        mixed = frame.sample(frac=1, random_state=1)
        mixed.index = pd.Index([7, 7, "a", None] * (len(frame) // 4), dtype=object)
        for options in [{}, {"top": 2}] if name in TOPS else [{}]:
            statistic = getattr(stats, name)
            pd.testing.assert_frame_equal(statistic(mixed, **options), statistic(frame, **options))


def needed_by(statistic):
    with pytest.raises(MissingColumnsError) as caught:
        statistic(pd.DataFrame({"x": []}))
    return list(caught.value.columns)


def test_the_columns_that_an_error_names_are_those_that_are_needed(frames):
    failures = []
    for kind, name in EVERY:
        statistic = getattr(stats, name)
        needed = needed_by(statistic)
        if not statistic(frames[kind][needed]).attrs["dirframe"]["counted"]:
            failures.append((name, needed))
    assert not failures


def test_an_absent_column_is_named_or_done_without_and_never_taken_for_a_missing_value(frames):
    """Without a column, the rest of a result is what it was, and says nothing of the column."""
    failures, without = [], set()
    others = {*oracle.FETCHED, *oracle.USERS}  # one stands for the other
    for kind, name in EVERY:
        statistic = getattr(stats, name)
        whole, needed = statistic(frames[kind]), needed_by(statistic)
        for column in set(frames[kind]) - others:
            frame = frames[kind].drop(columns=column)
            try:
                table = statistic(frame)
            except MissingColumnsError as error:
                if list(error.columns) != [column] or column not in needed:
                    failures.append((name, column, error.columns))
                continue
            if column in needed:
                failures.append((name, column, "is needed"))
            lost = [c for c in table if not table[c].equals(whole[c])]
            without |= {(name, c) for c in lost}
            if not all(table[c].isna().all() or c == "finished" for c in lost):
                failures.append((name, column, lost))
            counted = [t.attrs["dirframe"]["counted"] for t in (table, whole)]
            if not counted[0].items() <= counted[1].items():
                failures.append((name, column, counted))
    assert not failures
    assert without == {
        *(("language_share", "code_lines"), ("monthly_activity", "code_added")),
        ("commits_by_contributor", "contributor_name"),
        ("growth", "finished"),
        *(("life_span", "id"), ("life_span", "contributors")),
    }
    users = stats.language_share(frames["projects"].drop(columns=[*oracle.USERS]))
    assert users["users"].isna().all()
    assert not any("users" in count for count in users.attrs["dirframe"]["counted"])
    with pytest.raises(MissingColumnsError, match="stack_count or user_count"):
        stats.users_against_contributors(frames["projects"].drop(columns=[*oracle.USERS]))


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


def test_accounts_without_provenance_are_known_by_their_columns(sample_frames):
    accounts = pd.DataFrame(sample_frames["accounts"].to_dict("list"))
    for statistic in (stats.tags, stats.licenses):
        with pytest.raises(MissingColumnsError):
            statistic(accounts)


def test_results_and_objects_that_are_no_frame_are_refused(frames):
    twice = pd.DataFrame([["1", "C", "C"]], columns=["id", oracle.LANGUAGE, oracle.LANGUAGE])
    functions = [getattr(stats, name) for _, name in EVERY]
    for kind, name in EVERY:
        with pytest.raises(InvalidInputError, match=name):
            getattr(stats, name)(getattr(stats, name)(frames[kind]))
    quality = [dirframe.flags, dirframe.summary, dirframe.exclude, dirframe.select]
    quality.append(lambda frame: dirframe.compare(frame, frame))
    for function in (*functions, *quality):
        for wrong in ([1], twice):
            with pytest.raises(InvalidInputError):
                function(wrong)
    for function in quality:
        with pytest.raises(InvalidInputError, match="tags"):
            function(stats.tags(frames["projects"]))


def test_top_is_a_whole_number_of_one_or_more(frames):
    for kind, name in EVERY:
        assert ("top" in inspect.signature(getattr(stats, name)).parameters) == (name in TOPS)
        for top in [0, -1, 1.5, 2.0, True, False, "3", float("nan")] if name in TOPS else ():
            with pytest.raises(InvalidInputError, match="top"):
                getattr(stats, name)(frames[kind], top=top)


def test_options_have_names_and_the_defaults_that_are_documented():
    failures, seen = [], 0
    functions = [(module, name) for module in (stats, plot) for name in module.__all__]
    functions += [(dirframe, name) for name in ("compare", "exclude", "flags", "summary")]
    for module, name in functions:
        if not inspect.isfunction(function := getattr(module, name)) or name == "style":
            continue
        parameters = inspect.signature(function).parameters
        if module in {stats, plot}:
            by_name = {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}
            positional = 3 if name in {"by", "panels"} else 1
            failures += [
                (name, p.name) for p in [*parameters.values()][positional:] if p.kind not in by_name
            ]
        for option, told in re.findall(
            r"^(\w+) : .*, default (.+)$", str(inspect.getdoc(function)), re.MULTILINE
        ):
            with suppress(ValueError, SyntaxError):  # some are said in words
                seen += 1
                if ast.literal_eval(told) != parameters[option].default:
                    failures.append((name, option, told))
    assert not failures
    assert seen > 5


def test_an_unknown_option_is_a_type_error(frames):
    for kind, name in EVERY:
        with pytest.raises(TypeError, match="tpo"):
            getattr(stats, name)(frames[kind], tpo=3)


def test_frames_of_pandas_need_no_other_engine():
    program = (
        "import sys, pandas as pd; from dirframe import stats;"
        f"stats.language_share(pd.DataFrame({{{oracle.LANGUAGE!r}: ['C'], {oracle.LINES!r}: [1]}}));"
        "print({'dask', 'distributed', 'duckdb', 'polars'} & set(sys.modules))"
    )
    done = processes.run(program=program)
    assert (done.out.strip(), done.code) == ("set()", 0)


def test_every_statistic_is_in_the_oracle():
    assert {name for _, name in EVERY} == {*stats.__all__} - {"by"} == {*STATISTICS}

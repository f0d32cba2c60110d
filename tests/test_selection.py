"""A selection keeps what it names, says what it kept, and leaves the frame alone."""

from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import select, stats, unify_countries
from dirframe.errors import InvalidInputError, UnknownValueWarning
from dirframe.provenance import get_provenance
from tests import oracle
from tests.cases import raised
from tests.oracle import FETCHED, FIRST, LANGUAGE, LAST

CREATED = "created_at"


def steps(frame):
    return get_provenance(frame)["steps"]


def ids(frame):
    return list(frame["id"])


def test_select_filters_keep_the_records_that_they_name_and_act_together(sample_projects):
    options = {"languages": ["Java", "C"], "years": (2006, 2010), "activity": "dormant"}
    alone = [select(sample_projects, **{name: value}) for name, value in options.items()]
    assert ids(alone[0]) == ids(sample_projects[sample_projects[LANGUAGE].isin(["Java", "C"])])
    shown = select(sample_projects, **options)
    assert 0 < len(shown) < len(sample_projects)
    assert shown.index.is_monotonic_increasing
    assert set(ids(shown)) == set.intersection(*(set(ids(one)) for one in alone))
    assert len(select(sample_projects)) == len(sample_projects)


def test_select_is_in_the_provenance_of_its_result_alone(sample_projects):
    before = get_provenance(sample_projects)
    with pytest.warns(UnknownValueWarning):
        shown = select(
            sample_projects, languages=["A", "B", "C"], years=(2006, 2006), activity="active"
        )
    assert steps(shown)[-3:] == [
        "only main language A or B or C",
        "only year of creation from 2006 to 2006",
        "only active",
    ]
    assert get_provenance(sample_projects) == before


@given(seed=st.integers(0, 2**32), size=st.integers(0, 30))
def test_activity_is_that_of_the_statistic(seed, size):
    projects = oracle.frame("projects", oracle.make("projects", Random(seed), size))
    counted = stats.activity(projects).set_index("activity")["projects"]
    classes = ("active", "dormant", "unknown")
    selected = {name: len(select(projects, activity=name)) for name in classes}
    assert selected == {name: counted[name] for name in classes}


def test_select_search_finds_every_word_in_name_description_tags_or_place(
    sample_projects, sample_accounts
):
    found = select(sample_projects, search="LINUX")
    text = sample_projects["name"] + " " + sample_projects["description"].fillna("")
    text += " " + sample_projects["tags"].map(lambda tags: " ".join(tags or []))
    matching = sample_projects["id"][text.str.contains("linux", case=False)]
    assert 0 < len(found) < len(sample_projects)
    assert ids(found) == list(matching)
    assert set() != set(ids(select(sample_projects, search="linux gui"))) < set(ids(found))
    assert steps(found)[-1] == "only matching LINUX"
    german = select(sample_accounts, search="germany")
    assert {"DE"} <= set(german["country_alpha_2"].dropna())
    assert len(select(sample_accounts, search="(?=x")) == 0  # text, not a pattern


WORDS = pd.DataFrame(
    {
        "name": pd.Categorical(["Call me", None, "Nginx"]),
        "description": [np.nan] * 3,
        "country_name": pd.Categorical(["Malta", "Peru", None]),
    }
)


@pytest.mark.parametrize(
    ("word", "rows"), [("nginx", [2]), ("peru", [1]), ("nan", []), ("all", [0])]
)
def test_select_search_looks_in_categories_and_columns_without_values(word, rows):
    assert list(select(WORDS, search=word).index) == rows


def test_select_search_for_all_is_a_word_and_not_no_filter():
    assert steps(select(WORDS, search="all")) == ["only matching all"]


def test_records_are_selected_by_entries_of_lists(sample_projects):
    tagged = select(sample_projects, tags="linux", licenses=["gpl", None])
    assert 0 < len(tagged) < len(sample_projects)
    assert all("linux" in tags for tags in tagged["tags"])
    codes = [{entry["name"] for entry in entries or ()} for entries in tagged["licenses"]]
    assert all("gpl" in names or not names for names in codes)
    assert {bool(names) for names in codes} == {True, False}


def test_records_are_selected_by_ranges_and_what_is_missing(sample_projects):
    ranges = {"average_rating": (None, None), "stack_count": (2, 10)}
    rated = select(sample_projects, ranges=ranges)
    users = sample_projects["stack_count"]
    expected = sample_projects["average_rating"].isna() & (users >= 2) & (users <= 10)
    assert ids(rated) == list(sample_projects["id"][expected]) != []
    assert steps(rated)[-2:] == ["only without average rating", "only stack count from 2 to 10"]
    as_numpy = {"average_rating": (None, None), "stack_count": (np.int64(2), np.float32(10))}
    assert ids(select(sample_projects, ranges=as_numpy)) == ids(rated)


@pytest.mark.parametrize(
    ("bounds", "rows"), [((2, 9), [1, 2]), ((2, None), [1, 2, 3]), ((None, 9), [0, 1, 2])]
)
def test_range_includes_both_ends_and_no_missing_value(bounds, rows):
    numbers = pd.DataFrame({"stack_count": [1, 2, 9, 10, None]})
    assert list(select(numbers, ranges={"stack_count": bounds}).index) == rows


@pytest.fixture(scope="module")
def years_of_creation(sample_projects):
    return sample_projects[CREATED].dt.year


def test_years_from_one_on(sample_projects, years_of_creation):
    selected = select(sample_projects, years=(2008, None))
    assert ids(selected) == list(sample_projects["id"][years_of_creation >= 2008])
    assert steps(selected)[-1] == "only year of creation from 2008"


def test_years_up_to_one(sample_projects, years_of_creation):
    selected = select(sample_projects, years=(None, 2008))
    assert ids(selected) == list(sample_projects["id"][years_of_creation <= 2008])
    assert steps(selected)[-1] == "only year of creation to 2008"


def test_years_that_are_missing(sample_projects, years_of_creation):
    selected = select(sample_projects, years=(None, None))
    assert ids(selected) == list(sample_projects["id"][years_of_creation.isna()])
    assert steps(selected)[-1] == "only without year of creation"


def test_years_of_all_records(sample_projects, years_of_creation):
    first, last = years_of_creation.min(), years_of_creation.max()
    selected = select(sample_projects, years=(first, last))
    assert ids(selected) == list(sample_projects["id"][years_of_creation.notna()])
    assert steps(selected)[-1] == f"only year of creation from {first} to {last}"


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
def test_years_are_those_of_utc(zone):
    moments = ["2007-12-31T20:00Z", "2008-01-01T00:00Z", "2008-12-31T23:59Z", "2009-01-01T01:00Z"]
    utc = pd.to_datetime(pd.Series(moments), utc=True)
    frame = pd.DataFrame({CREATED: utc.dt.tz_convert(zone)})
    assert list(select(frame, years=(2008, 2008)).index) == [1, 2]


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_licences_are_found_by_the_titles_of_charts_and_tables(rank, sample_projects):
    licence = stats.licenses(sample_projects, top=3).iloc[rank]
    by_code = select(sample_projects, licenses=licence["license"])
    by_title = select(sample_projects, licenses=licence["title"])
    assert set(ids(by_code)) <= set(ids(by_title)) != set()


def test_licence_that_no_record_has_is_answered_with_the_one_meant(sample_projects):
    with pytest.warns(UnknownValueWarning, match="MIT License"):
        select(sample_projects, licenses="MIT Licence")


def test_countries_are_found_by_the_names_of_charts_and_tables(sample_accounts):
    by_code = select(sample_accounts, countries="DE")
    assert ids(by_code) == ids(select(sample_accounts, countries="Germany"))


def test_select_value_that_no_record_has_is_warned_of(sample_projects):
    with pytest.warns(UnknownValueWarning, match="'jaava'.*'Java'") as caught:
        selected = select(sample_projects, languages=["jaava", "C"])
    assert set(selected[LANGUAGE]) == {"C"}
    assert caught[0].filename == __file__
    assert vars(caught[0].message)["values"] == ("jaava",)
    with pytest.warns(UnknownValueWarning) as caught:
        assert select(sample_projects, tags="linus").empty
    assert vars(caught[0].message)["values"] == ("linus",)


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        (
            "languages",
            "Java, c",
            "languages=['Java', 'c'] (--where language=Java --where language=c)",
        ),
        ("tags", "web,c++", "tags=['web', 'c++'] (--where tag=web --where tag=c++)"),
        (
            "countries",
            "Deutschland, Sri Lanka",
            "countries=['Deutschland', 'Sri Lanka'] (--where country=Deutschland --where 'country=Sri Lanka')",
        ),
        ("languages", "Ada,Perl", None),  # no record has one of them
        ("countries", "Korea, Republic of", None),  # one name
    ],
)
def test_select_values_between_commas_are_answered_with_how_to_ask_for_several(option, value, hint):
    frame = pd.DataFrame({"country_name": ["Germany", "Chad"], LANGUAGE: ["Java", "C"]})
    frame["tags"] = [["web"], ["a, b"]]
    with pytest.warns(UnknownValueWarning) as caught:
        assert select(frame, **{option: value}).empty
    assert vars(caught[0].message)["hint"] == (hint and f"Give several as a list: {hint}.")
    assert len(select(frame, tags="a, b")) == 1  # a name with a comma


def test_case_and_signs_within_a_name_do_not_count_where_no_record_has_it_as_spelt():
    names = ["C", "c", "C++", "C#", "Objective-C", "C--", "Visual Basic", "c shell"]
    frame = pd.DataFrame({LANGUAGE: names, "tags": [["Web"], *[[]] * 7]})
    frame["licenses"] = [[{"name": "MIT", "nice_name": "MIT License"}], *[None] * 7]
    expected = {
        "c": ["c"],
        "C": ["C"],
        "c++": ["C++"],
        "C#": ["C#"],
        "objective c": ["Objective-C"],
        "c--": ["C--"],
        "VISUALBASIC": ["Visual Basic"],
        "C-Shell": ["c shell"],
        " C ": ["C"],
    }
    selected = {name: list(select(frame, languages=name)[LANGUAGE]) for name in expected}
    assert selected == expected
    assert list(select(frame, tags="web").index) == [0]
    assert list(select(frame, licenses="mit").index) == [0]
    assert list(select(frame, licenses="mit license").index) == [0]


@pytest.fixture(scope="module")
def unified():
    """Return accounts with unified countries."""
    raw = ["DE", "uk", "USA", "Atlantis", "NA"]
    return unify_countries(pd.DataFrame({"country_code": raw}))


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("Deutschland", 0),
        ("germany", 0),
        ("de", 0),
        ("UK", 1),
        ("Great Britain", 1),
        ("USA", 2),
        ("Namibia", 4),
    ],
)
def test_countries_are_selected_by_any_name_that_unify_countries_resolves(name, row, unified):
    assert list(select(unified, countries=name).index) == [row]
    names_alone = unified.drop(columns="country_alpha_2")
    assert list(select(names_alone, countries=name).index) == [row]


def test_countries_that_no_record_has_are_answered_with_those_meant(unified):
    with pytest.warns(UnknownValueWarning, match=r"'Frankreich' \(France\)\.$"):
        assert select(unified, countries="Frankreich").empty
    with pytest.warns(UnknownValueWarning, match="Did you mean 'Germany'"):
        assert select(unified, countries="Germny").empty


def test_select_refuses_what_is_no_frame():
    with pytest.raises(InvalidInputError):
        select([1, 2])


def test_select_refuses_frames_without_the_columns_of_a_filter(sample_projects, sample_accounts):
    bare = pd.DataFrame({"id": ["1"]})
    cases = [
        (bare, {"countries": "Germany"}, "country_name"),
        (sample_projects, {"countries": "Germany"}, "Projects have no country"),
        (bare, {"search": "x"}, "name"),
        (sample_accounts, {"languages": "C"}, LANGUAGE),
        (sample_projects.drop(columns=FIRST), {"activity": "active"}, FIRST),
        (sample_projects.drop(columns=LAST), {"activity": "active"}, LAST),
        (sample_projects[[FIRST, LAST]], {"activity": "active"}, FETCHED[0]),
        (sample_projects.assign(created_at="2010"), {"years": (2008, 2010)}, CREATED),
    ]
    wrong = []
    for frame, options, named in cases:
        error = raised(select, frame, **options)
        if not isinstance(error, InvalidInputError) or named not in str(error):
            wrong.append((options, named, error))
    assert wrong == []


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"search": None}, "search"),
        ({"search": 3}, "search"),
        ({"search": ["x"]}, "search"),
        ({"activity": "busy"}, "busy"),
        ({"tags": None}, "tags"),
        ({"tags": 5}, "tags"),
        ({"years": (2010, 2008)}, "2010"),
        ({"years": (2008.0, 2009.5)}, "2009.5"),
        ({"years": (True, None)}, "True"),
        ({"ranges": {"stack_count": 3}}, "stack_count"),
        ({"ranges": {"stack_count": (1, "x")}}, "stack_count"),
        ({"ranges": {"stack_count": (5, 1)}}, "stack_count"),
        ({"ranges": {"stack_count": (float("nan"), None)}}, "stack_count"),
        ({"ranges": {"stack_count": (1, float("nan"))}}, "stack_count"),
        ({"ranges": {"name": (1, 2)}}, "name"),
        ({"ranges": {"y": (1, 2)}}, r"no column y\.$"),
        ({"ranges": {1: (1, 2)}}, "1"),
        ({"ranges": ("stack_count", (1, 2))}, "dictionary"),
    ],
    ids=repr,
)
def test_select_refuses_values_that_no_filter_takes(options, named, sample_projects):
    with pytest.raises(InvalidInputError, match=named):
        select(sample_projects, **options)

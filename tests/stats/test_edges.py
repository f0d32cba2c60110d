"""Cases at the edge: languages, licences and tags, countries, contributors, commits."""

import pandas as pd
import pytest

from dirframe import stats
from dirframe.errors import InvalidInputError, MissingColumnsError
from tests import oracle
from tests.oracle import LANGUAGE, LINES, PEOPLE

GPL = {"name": "gpl3", "nice_name": "GNU GPL 3.0"}
GPL_TODAY = {"name": "GNU GPL 3.0", "vanity_url": "gpl3"}
MIT = {"name": "mit", "nice_name": "MIT License"}


def projects(*records):
    return oracle.frame("projects", records, None)


def of_people(*numbers):
    return projects(*[{} if n is None else {PEOPLE: n} for n in numbers])


def of_countries(*codes):
    """Return accounts as they are after cleaning; a name in place of a code is not resolved."""
    names = {"DE": "Germany", "NA": "Namibia", "GB": "United Kingdom", "CI": "Côte d'Ivoire"}
    records = [{} if code is None else {"country_code": code} for code in codes]
    for record in records:
        if (code := record.get("country_code")) in names:
            record |= {"country_alpha_2": code, "country_name": names[code]}
    return oracle.frame("accounts", records, None)


def of_commits(*numbers):
    return pd.DataFrame(
        {
            "contributor_id": [str(number) for number in range(1, len(numbers) + 1)],
            "contributor_name": [f"name {number}" for number in range(1, len(numbers) + 1)],
            "commits": pd.array(numbers, dtype="Int64"),
        }
    )


def measures(frame, **options):
    table = stats.commit_concentration(frame, **options)
    return dict(zip(table["measure"], table["value"], strict=True))


def counted(table):
    return table.attrs["dirframe"]["counted"]


# Languages


def test_the_breakdown_weighs_percentages_by_lines():
    def of(lines, **parts):
        entries = [{"language": n, "percentage": p, "id": "1"} for n, p in parts.items()]
        return {LINES: lines, "analysis_languages": entries}

    rest = {"language": "2 Other", "percentage": "19"}
    first = of(1000, C="80", Perl="<1")
    first["analysis_languages"].append(rest)
    table = stats.language_breakdown(
        projects(first, of(100, Perl="100"), of(500, C="120", Perl="-20"), of(-5, C="100"), {})
    )
    assert table["language"].tolist() == ["C", "Perl"]
    assert table["projects"].tolist() == [1, 2]
    assert table["code_lines"].tolist() == pytest.approx([800, 105])
    assert counted(table)["code_lines_unnamed"] == 190
    assert counted(table)["percentages_impossible"] == counted(table)["code_lines_negative"] == 1
    named = {LINES: 9, "analysis_languages": [rest | {"id": "9"}]}  # with an id, it is a language
    assert stats.language_breakdown(projects(named))["language"].tolist() == ["2 Other"]


def test_names_differ_by_case_and_odd_ones_are_kept_but_blank_ones_are_none():
    names = ["C", "c", "日本語", "<script>", "$x$", "NA", "", " ", None]
    table = stats.language_share(projects(*[{LANGUAGE: name} if name else {} for name in names]))
    assert table["language"].tolist() == sorted(names[:6])
    assert counted(table)["without_language"] == 3


def test_users_come_from_either_dialect_row_by_row():
    some = projects({LANGUAGE: "C", "stack_count": 7, "user_count": 100}, {LANGUAGE: "C"})
    some.loc[1, "user_count"] = 5
    assert stats.language_share(some)["users"].tolist() == [12]
    assert stats.language_share(some.drop(columns="stack_count"))["users"].tolist() == [105]
    neither = stats.language_share(some.drop(columns=["stack_count", "user_count"]))
    assert neither["users"].isna().tolist() == [True]
    table = stats.users_against_contributors(some.assign(**{PEOPLE: [1, 2]}))
    assert table["users"].tolist() == [5, 7]


def test_thousands_of_others_have_a_comma():
    records = [{"tags": [str(n) for n in range(1003)]}, {"tags": ["0"]}]
    table = stats.tags(projects(*records), top=2)
    assert table["tag"].tolist() == ["0", "1", "other (1,001 tags)"]
    assert not oracle.differences(table, *oracle.tags(records, 2))


# Licences and tags


def test_a_licence_is_the_same_in_either_dialect():
    lists = [[GPL], [GPL_TODAY], [MIT, GPL]]
    table = stats.licenses(projects(*[{"licenses": one} for one in lists], {}))
    assert table.drop(columns="share").to_numpy().tolist() == [
        ["gpl3", "GNU GPL 3.0", 3],
        ["mit", "MIT License", 1],
    ]
    assert table["share"].tolist() == pytest.approx([1, 1 / 3])


def test_a_licence_is_in_one_family_and_a_project_in_each_of_its_own():
    codes = [["lgpl3", "mit"], ["agpl3", "gpl3_or_later"], ["mozilla_public_license_1_1"], ["own"]]
    lists = [[{"name": code} for code in some] for some in codes]
    table = stats.license_families(projects(*[{"licenses": one} for one in lists], {}))
    assert table.set_index("family")["projects"].to_dict() == {
        "permissive": 1, "weak copyleft": 2, "strong copyleft": 1, "other": 1, "none": 1,
    }  # fmt: skip
    assert table["share"].tolist() == [0.2, 0.4, 0.2, 0.2, 0.2]


def test_projects_that_share_an_id_count_each():
    some = projects({"tags": ["xml"], "id": "7"}, {"tags": ["xml"], "id": "7"})
    assert stats.tags(some)["projects"].tolist() == [2]


def test_lists_may_stand_as_json():
    lists = projects({"tags": ["xml", "web"]}, {}, {"tags": ["xml"]})
    as_json = lists.assign(tags=['["xml", "web"]', None, '["xml"]'])
    for other in (as_json, as_json.astype({"tags": "object"})):
        pd.testing.assert_frame_equal(stats.tags(other), stats.tags(lists))


# Countries


def test_namibia_is_a_country_and_not_a_missing_value():
    table = stats.accounts_by_country(of_countries("NA", "NA", None, "DE"))
    assert table["country_alpha_2"].tolist() == ["NA", "DE"]
    accounts = of_countries("NA", "DE")  # a file may have lost the code, but not the name
    accounts.loc[0, ["country_code", "country_alpha_2"]] = None
    table = stats.accounts_by_country(accounts)
    assert table["country_name"].tolist() == ["Germany", "Namibia"]
    assert table["country_alpha_2"].tolist() == ["DE", "NA"]


def test_other_countries_share_the_last_row_unless_there_is_one():
    table = stats.accounts_by_country(of_countries("DE", "DE", "NA", "GB", "CI", None), top=2)
    assert table["country_name"].tolist() == ["Germany", "Côte d'Ivoire", "other (2 countries)"]
    assert table["accounts"].tolist() == [2, 1, 2]
    assert table["country_alpha_2"].isna().tolist() == [False, False, True]
    table = stats.accounts_by_country(of_countries("DE", "DE", "NA", "Atlantis"), top=1)
    assert table["country_name"].tolist() == ["Germany", "Namibia"]
    assert counted(table)["country_unresolved"] == 1


def test_countries_that_are_not_unified_are_missing_columns():
    with pytest.raises(MissingColumnsError) as caught:
        stats.accounts_by_country(pd.DataFrame({"country_code": ["DE"]}))
    assert "country_alpha_2" in caught.value.columns


# Contributors


def test_gini_is_half_the_relative_mean_difference():
    people = [0, 0, 1, 1, 2, 5, 9, 9, 40, 2**40]
    table = stats.contributor_concentration(of_people(*people, None, -1))
    pairs = sum(abs(one - other) for one in people for other in people)
    assert table["value"].iloc[0] == pytest.approx(pairs / (2 * len(people) * sum(people)))
    some = [number for number in people if number]
    pairs = sum(abs(one - other) for one in some for other in some)
    assert table["value_without_zeros"].iloc[0] == pytest.approx(pairs / (2 * 8 * sum(some)))


def test_the_shares_of_the_top_are_those_of_the_largest_projects():
    people = [*range(99), 1000]
    table = stats.contributor_concentration(of_people(*people)).set_index("measure")["value"]
    for percent in (1, 10, 20, 50):
        largest = sum(sorted(people, reverse=True)[:percent])
        assert table[f"top {percent}%"] == pytest.approx(largest / sum(people))


def test_classes_are_named_by_their_bounds_and_stay_when_they_are_empty():
    names = ["0", "1", "2–4", "5–9", "10–19", "20–49", "50–99"]
    assert stats.team_size_classes(of_people())["team_size"].tolist() == [*names, "100 or more"]
    own = stats.team_size_classes(of_people(3), bounds=[0, 1000])
    assert own["team_size"].tolist() == ["0–999", "1,000 or more"]


def test_classes_that_do_not_ascend_from_0_are_refused():
    for bounds in ([], [1, 2], [-1, 2], [0, 2, 2], [0, 5, 3], [0, 1.5], [0, "9"], [0, True]):
        with pytest.raises(InvalidInputError):
            stats.team_size_classes(of_people(1), bounds=bounds)


# Commits of one project


def test_the_bus_factor_is_the_smallest_number_with_half_of_the_commits():
    most = 2**60
    for commits, expected in (
        ((50, 50), 1),  # a half is enough
        ((49, 49, 3), 2),
        ((1, 1, 1), 2),
        ((*[1] * 9, 0), 5),
        ((most, most + 1, 0), 1),
        ((most - 1, most - 1, 3), 2),
    ):
        assert measures(of_commits(*commits))["bus factor"] == expected


def test_gini_is_nothing_where_all_have_the_same_and_the_rest_where_one_has_everything():
    assert measures(of_commits(7, 7, 7))["gini"] == pytest.approx(0)
    assert measures(of_commits(0, 0, 0, 9))["gini"] == pytest.approx(3 / 4)


def test_who_of_the_bus_factor_is_still_active_is_told_by_the_newest_commit():
    last = pd.to_datetime(["2010-01-01", "2013-06-01", "2012-05-01", "2013-07-01"], utc=True)
    frame = of_commits(50, 40, 40, 1).assign(last_commit_time=last)
    found = measures(frame)
    assert (found["bus factor"], found["bus factor still active"]) == (2, 1)
    assert found["effective contributors"] == pytest.approx(131**2 / (50**2 + 2 * 40**2 + 1))
    assert measures(frame, window=2)["bus factor still active"] == 1
    assert measures(frame, window=1)["bus factor still active"] == 0
    frame.loc[0, "last_commit_time"] = pd.NaT
    assert pd.isna(measures(frame)["bus factor still active"])


def test_nobody_who_committed_gives_no_measure_and_shares_of_0():
    for frame in (of_commits(), of_commits(None), of_commits(0, 0)):
        assert stats.commit_concentration(frame)["value"].isna().all()
        ranked = stats.commits_by_contributor(frame)
        assert ranked["share"].eq(0).all()
        assert ranked["cumulative_share"].eq(0).all()


def test_contributors_of_several_projects_are_refused():
    twice = pd.concat([of_commits(3), of_commits(4)])
    for statistic in (stats.commits_by_contributor, stats.commit_concentration):
        with pytest.raises(InvalidInputError, match="'1'"):
            statistic(twice)


def test_a_missing_name_stands_before_a_blank_one():
    frame = of_commits(1, 1).assign(contributor_id=None, contributor_name=["", None])
    table = stats.commits_by_contributor(frame)
    assert table["contributor_name"].isna().tolist() == [True, False]

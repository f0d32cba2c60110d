"""Cases at the edge: odd lists, countries, contributors and commits; numbers, dates and 64 bits."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from time import process_time

import pandas as pd
import pyarrow as pa
import pytest

import dirframe
from dirframe import provenance, stats
from dirframe._tables import read_rows
from dirframe.errors import InvalidInputError
from dirframe.stats.licenses import FAMILIES, families_of
from tests import oracle
from tests.cases import slow_except
from tests.oracle import FIRST, LANGUAGE, LINES, PEOPLE

LARGEST, EXACT = 2**63 - 1, 2**53


def projects(*records):
    return oracle.frame("projects", records, None)


def of_commits(*numbers):
    ids = [str(number) for number in range(1, len(numbers) + 1)]
    return pd.DataFrame({"contributor_id": ids, "commits": pd.array(numbers, dtype="Int64")})


# Lists and countries


@pytest.mark.parametrize(
    "name",
    slow_except(["tags", "licenses", "language_share", "language_breakdown"], ["language_share"]),
)
def test_top_groups_cost_no_more_than_all_groups(name):
    numbers = range(6_000)
    frame = projects(
        *(
            {
                "tags": [f"tag {number}"],
                "licenses": [{"name": f"licence {number}"}],
                LANGUAGE: f"language {number}",
                "analysis_languages": [{"language": f"language {number}", "percentage": "9"}],
                LINES: 100,
            }
            for number in numbers
        )
    )

    def work(top):
        """Return the least processor time of three: each comparing with each takes 100 times it."""
        times = []
        for _ in range(3):
            began = process_time()
            getattr(stats, name)(frame, top=top)
            times.append(process_time() - began)
        return min(times)

    assert work(20) < 20 * work(None)


def test_number_of_other_groups_has_a_comma():
    records = [{"tags": [str(n) for n in range(1003)]}, {"tags": ["0"]}]
    table = stats.tags(projects(*records), top=2)
    assert table["tag"].tolist() == ["0", "1", "other (1,001 tags)"]
    assert not oracle.differences(table, *oracle.tags(records, 2))


def test_licence_is_in_one_family_and_a_project_in_each_of_its_own():
    codes = [["lgpl3", "mit"], ["agpl3", "gpl3_or_later"], ["mozilla_public_license_1_1"], ["own"]]
    codes[3] += ["simple_public", "limited_use", "misc", "template"]  # no mpl, mit or isc
    lists = [[{"name": code} for code in some] for some in codes]
    table = stats.license_families(projects(*[{"licenses": one} for one in lists], {}))
    assert table.set_index("family")["projects"].to_dict() == {
        "permissive": 1, "weak copyleft": 2, "strong copyleft": 1, "other": 1, "none": 1,
    }  # fmt: skip


def test_licence_is_known_by_its_code_or_its_title_in_any_spelling():
    families = {
        ("lgpv3_or_later", "GNU Lesser General Public License v3.0 or later"): "weak copyleft",
        ("own_lgpl", "GNU Lesser General Public License v3.0 or later"): "weak copyleft",
        ("Internet_Systems_Consortium_License", None): "permissive",
        ("expat", "Expat License"): "permissive",
        ("Ruby_License", "Ruby License"): "permissive",
        ("afl3", "Academic Free License v3.0"): "permissive",
        ("osl", "Open Software License 3.0"): "strong copyleft",
        ("gpl_classpath", None): "weak copyleft",
        ("GPL-3.0-or-later", None): "strong copyleft",
        ("GPLv2", None): "strong copyleft",
        ("own_gpl", "GNU General Public License, version 2"): "strong copyleft",
        ("LGPL-2.1", None): "weak copyleft",
        ("GFDL-1.3", None): "strong copyleft",
        ("Apache-2.0", None): "permissive",
        ("freeware", "Freeware"): "other",
        ("mit", "GNU General Public License v3.0 only"): "permissive",  # the code counts first
    }
    lists = [[{"name": code, "nice_name": title}] for code, title in families]
    frame = projects(*[{"licenses": entries} for entries in lists])
    found = dirframe.with_license_family(frame)["license_family"]
    assert dict(zip(families, found, strict=True)) == families


def test_licence_choice_of_two_is_in_both_families():
    perl = [{"name": "artistic_gpl", "nice_name": "Artistic License & GPL"}]
    frame = projects({"licenses": perl}, {})
    table = stats.license_families(frame).set_index("family")["projects"]
    assert table[table > 0].to_dict() == {"permissive": 1, "strong copyleft": 1, "none": 1}
    families = dirframe.with_license_family(frame)["license_family"]
    assert families.tolist() == ["permissive, strong copyleft", "none"]


def test_licence_of_the_table_has_one_meaning():
    rows = read_rows(Path(dirframe.__file__).parent / "stats" / "licenses.csv")
    assert {row["family"] for row in rows} == {*FAMILIES} - {"none"}
    codes = [row["code"] for row in rows if row["code"] not in {"", "artistic_gpl"}]
    assert len(codes) == len(set(codes))
    families = [
        (name, row["family"], families_of(name, None))
        for row in rows
        for name in (row["code"], row["title"], row["spdx"])
        if name
    ]
    wrong = [(name, own, found) for name, own, found in families if own not in found]
    assert wrong == []


@pytest.mark.parametrize("dtype", ["str", "object"])
def test_lists_may_stand_as_json(dtype):
    lists = projects({"tags": ["xml", "web"]}, {}, {"tags": ["xml"]})
    texts = pd.Series(['["xml", "web"]', None, '["xml"]'], dtype=dtype)
    pd.testing.assert_frame_equal(stats.tags(lists.assign(tags=texts)), stats.tags(lists))


def test_lists_that_are_no_json_are_refused():
    with pytest.raises(InvalidInputError, match="tags"):
        stats.tags(projects({"tags": ["xml", "web"]}).assign(tags="xml"))


def test_entries_may_be_records_or_texts_of_texts_alone():
    licences = [[{"name": "mit"}], ["mit"], [None, {}]]
    assert stats.licenses(projects(*[{"licenses": own} for own in licences]))["projects"][0] == 2
    tagged = projects({"tags": [{"tag": "xml", "n": "1"}, "xml"]}, {"tags": ["xml"]})
    assert stats.tags(tagged)["projects"].tolist() == [2]


@pytest.mark.parametrize("name", ["tags", "licenses"])
@pytest.mark.parametrize("entry", [{"tag": ["a", "b"], "name": ["a", "b"]}, ["a"]], ids=str)
def test_entries_that_hold_lists_are_refused(name, entry):
    with pytest.raises(InvalidInputError, match="entries"):
        getattr(stats, name)(projects({name: [entry]}))


@pytest.mark.parametrize("code", ["NA", None])
def test_namibia_is_a_country_and_a_file_that_lost_its_code_has_its_name(code):
    accounts = pd.DataFrame(
        {
            "country_code": [code, "DE"],
            "country_alpha_2": [code, "DE"],
            "country_name": ["Namibia", "Germany"],
        }
    )
    table = stats.accounts_by_country(accounts)
    assert table[["country_alpha_2", "country_name"]].to_numpy().tolist() == [
        ["DE", "Germany"],
        ["NA", "Namibia"],
    ]


def test_accounts_by_country_are_divided_by_inhabitants_where_these_are_known():
    codes = ["DE", "DE", "TW", "NA", "US", "FR", "FR"]
    frame = dirframe.unify_countries(pd.DataFrame({"id": [*"1234567"], "country_code": codes}))
    table = stats.accounts_by_country(frame, top=2)
    assert table["inhabitants_2019"].tolist() == [67059887, 83132799, pd.NA]
    per_million = table["per_million"].round(5)
    assert per_million.tolist() == [round(2 / 67.059887, 5), round(2 / 83.132799, 5), pd.NA]
    by_code = stats.accounts_by_country(frame).set_index("country_alpha_2")
    assert by_code["per_million"].notna().to_dict() == {
        "FR": True,
        "DE": True,
        "NA": True,
        "TW": False,
        "US": True,
    }
    assert "inhabitants of 2019: World Bank" in provenance.caption(table)
    assert provenance.get_provenance(frame)["other_data"] == []


# Contributors and commits


@pytest.mark.parametrize(
    "bounds",
    [
        [],
        [1, 2],
        [-1, 2],
        [0, 2, 2],
        [0, 5, 3],
        [0, 1.5],
        [0, "9"],
        [0, True],
        [0, 2**63],
        5,
        None,
    ],
    ids=str,
)
def test_classes_that_do_not_ascend_from_0_are_refused(bounds):
    with pytest.raises(InvalidInputError, match="bounds"):
        stats.team_size_classes(projects({PEOPLE: 1}), bounds=bounds)


def test_classes_may_be_a_column():
    column = pd.Series([0, 5], index=["small", "large"])
    assert stats.team_size_classes(projects(), bounds=column)["largest"].tolist() == [4, pd.NA]


@pytest.mark.parametrize(
    ("commits", "expected"),
    [
        ([50, 50], 1),  # a half is enough
        ([49, 49, 3], 2),
        ([*[1] * 9, 0], 5),
        ([2**60, 2**60 + 1, 0], 1),
        ([2**60 - 1, 2**60 - 1, 3], 2),
    ],
)
def test_bus_factor_is_the_smallest_number_with_half_of_the_commits(commits, expected):
    assert stats.commit_concentration(of_commits(*commits))["bus_factor"].tolist() == [expected]


def test_order_of_a_missing_name_is_before_a_blank_one():
    frame = of_commits(1, 1).assign(contributor_id=None, contributor_name=["", None])
    table = stats.commits_by_contributor(frame)
    assert table["contributor_name"].isna().tolist() == [True, False]


# Numbers and dates are read exactly or refused


def arrow(values, type_):
    """Return a column as pandas has it of an array of Arrow."""
    return pa.array(values, type_).to_pandas()


def count(column):
    return stats.contributor_distribution(pd.DataFrame({PEOPLE: column}))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (
            arrow([LARGEST, EXACT + 1, 3, 3, 0, -1], pa.int64()),
            [0, 3, EXACT + 1, LARGEST],
        ),
        (arrow([300, 3, None, -3], pa.int16()), [3, 300]),
        (pd.array([1, None], dtype="Int8"), [1]),
        (arrow([EXACT, 3.0, None, float("nan")], pa.float64()), [3, EXACT]),
    ],
    ids=["int64", "int16", "Int8", "float64"],
)
def test_whole_numbers_of_every_type_are_read_exactly(column, expected):
    assert count(column)["contributors"].tolist() == expected


@pytest.mark.parametrize(
    "column",
    [
        [1.5, 2.0],
        [float("inf"), 2.0],
        ["3"],
        [True, False],
        pytest.param(pd.array([2**63], dtype="UInt64"), id="UInt64"),
        pytest.param(arrow([Decimal("1.50")], pa.decimal128(22, 2)), id="decimal fraction"),
        pytest.param(arrow([Decimal(2**64)], pa.decimal128(22, 0)), id="large decimal"),
        pytest.param(arrow([date(2013, 1, 1)], pa.date32()), id="date"),
    ],
    ids=str,
)
def test_number_that_is_not_whole_is_refused_and_not_rounded(column):
    with pytest.raises(InvalidInputError, match=PEOPLE):
        count(column)


NEW_YEAR = datetime(2013, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "column",
    [
        arrow([NEW_YEAR], pa.timestamp("us", tz="UTC")),
        arrow([NEW_YEAR], pa.timestamp("ns", tz="Asia/Tokyo")),
        arrow([NEW_YEAR.replace(tzinfo=None)], pa.timestamp("us")),
        arrow([NEW_YEAR.date()], pa.date32()),
    ],
    ids=["UTC", "Tokyo", "without a zone", "date"],
)
def test_dates_of_every_type_are_read_in_utc(column):
    table = stats.growth(pd.DataFrame({"created_at": column}))
    assert table["start"].tolist() == [pd.Timestamp(NEW_YEAR)]


def test_dates_of_a_zone_in_the_west_are_in_the_year_of_utc():
    west = pd.DataFrame({"created_at": [pd.Timestamp("2012-12-31 23:00", tz="America/New_York")]})
    assert stats.growth(west, freq="YS")["start"].tolist() == [pd.Timestamp(NEW_YEAR)]


@pytest.mark.parametrize(
    "value", [1374364800, 0.5, "03/04/2013", "2013-07-31T00:00:00Z", "2013", "soon", True]
)
def test_date_that_is_none_is_refused(value):
    with pytest.raises(InvalidInputError, match="created_at"):
        stats.growth(pd.DataFrame({"created_at": [value]}))
    with pytest.raises(InvalidInputError, match=FIRST):
        stats.languages_by_year(pd.DataFrame({LANGUAGE: ["C"], FIRST: [value]}))


def test_date_of_the_last_possible_year_is_counted():
    last = pd.to_datetime(["9999-12-31"], utc=True).as_unit("us")
    table = stats.languages_by_year(pd.DataFrame({LANGUAGE: ["C"], FIRST: last}))
    assert [*table["year"], *table["finished"]] == [9999, False]


@pytest.mark.parametrize(
    ("name", "column"), [("growth", "created_at"), ("contributor_distribution", PEOPLE)]
)
@pytest.mark.parametrize(
    "type_",
    [pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.null()],
    ids=str,
)
def test_column_without_a_value_is_missing_whatever_it_could_hold(type_, name, column):
    table = getattr(stats, name)(pd.DataFrame({column: arrow([None, None], type_)}))
    assert table.empty
    total, *others = table.attrs["dirframe"]["counted"].values()
    assert total == sum(others) == 2


@pytest.mark.parametrize("statistic", [stats.language_share, stats.contributors_by_language])
def test_categories_and_floats_count_like_text_and_integers(statistic):
    some = projects({LANGUAGE: "C", LINES: 1, PEOPLE: 2}, {LANGUAGE: "D", LINES: 4}, {LINES: 7})
    other = some.astype({LANGUAGE: "category", LINES: "Float64", PEOPLE: "float64"})
    pd.testing.assert_frame_equal(statistic(some), statistic(other))


# Sums of 64 bits are never wrapped

#: The column of its result that is a sum, and the column of the projects that it sums up.
SUMS = {
    "language_share": ("code_lines", LINES),
    "contributors_by_language": ("contributors", PEOPLE),
    "team_size_classes": ("contributors", PEOPLE),
}
RECORDS = [
    [(LARGEST, "C"), (1, "D")],  # each language fits, their total not
    [(LARGEST // 3, "C")] * 3,
    [(LARGEST // 3 + 1, "C")] * 3,
    [(EXACT, "C"), (1, "C"), (1, "D")],
    [(LARGEST - 7, "C"), (8, "C"), (-(2**62), "C"), (None, "C")],
    [(LARGEST - 8, "C"), (8, "C"), (-(2**63), "D"), (None, "D")],
]


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("records", RECORDS)
def test_sum_is_right_or_refused(records, name):
    total = sum(number for number, _ in records if number is not None and number > 0)
    sums, column = SUMS[name]
    some = projects(*[{LANGUAGE: language} for _, language in records])
    some[column] = pd.array([number for number, _ in records], dtype="Int64")
    if total > LARGEST:
        with pytest.raises(InvalidInputError):
            getattr(stats, name)(some)
    else:
        assert sum(map(int, getattr(stats, name)(some)[sums].dropna())) == total


def test_sums_of_pooled_groups_and_of_commits_are_refused_too():
    lines = zip("BCA", (2**62, 2**62, 1), strict=True)
    pooled = projects(*[{LANGUAGE: language, LINES: number} for language, number in lines])
    with pytest.raises(InvalidInputError):
        stats.language_share(pooled, top=1)
    with pytest.raises(InvalidInputError):
        stats.commits_by_contributor(of_commits(2**62, 2**62))

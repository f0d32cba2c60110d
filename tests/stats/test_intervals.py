"""Shares of a random sample have an interval that covers the truth as often as it says."""

import math
from random import Random
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from lxml import html

import dirframe
from dirframe import provenance, stats
from dirframe.charts import STATISTICS
from dirframe.errors import InvalidInputError
from dirframe.schema import SHARE_COLUMNS, STATISTIC_COLUMNS
from tests.cases import raised, slow_except
from tests.oracle import LANGUAGE, PEOPLE

POPULATION, SIZE = 12_360, 400
#: Statistics of shares that are not of records.
WEIGHTED = {"language_breakdown"}
OF_SHARES = [
    name
    for name, chart in STATISTICS.items()
    if chart.collection in {"projects", "accounts"} and "share" in STATISTIC_COLUMNS[name]
]


def drawn(frame, population=None, *, seed=1, size=None):
    """Return a random sample of a frame, as a load gives it; without a size, all of its records."""
    records = len(frame) if size is None else size
    rows = Random(seed).sample(range(len(frame)), records)
    return provenance.set_provenance(
        frame.iloc[rows],
        completeness="sample",
        items_loaded=records,
        sample={"size": records, "population": population or len(frame), "seed": seed},
    )


def interval(part, whole, size, population, confidence=0.95):
    """Return the interval of a share in plain Python, as the docs state it."""
    left_out = population - size
    if not left_out:
        return part / whole, part / whole
    effective = whole * (population - 1) / left_out
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), part / whole
    middle = (share + z**2 / (2 * effective)) / (1 + z**2 / effective)
    root = math.sqrt(share * (1 - share) / effective + z**2 / (4 * effective**2))
    half = root * z / (1 + z**2 / effective)
    least, most = part / (whole + left_out), 1 - (whole - part) / (whole + left_out)
    return max(middle - half, least), min(middle + half, most)


@pytest.fixture(scope="module")
def every_count():
    """Return the ends of the interval for each number of 400 records, by that number."""
    tags = [[f"{number:03}" for number in range(record + 1, SIZE + 1)] for record in range(SIZE)]
    frame = pd.DataFrame({"tags": pd.Series(tags, dtype="object"), "licenses": None})
    frame = drawn(frame, POPULATION)
    ends = stats.tags(frame).set_index("projects")[["low", "high"]]
    of_none = stats.license_families(frame).set_index("family").loc["other", ["low", "high"]]
    ends.loc[0] = of_none.astype("float64")
    return ends.sort_index().to_numpy(np.float64)


@pytest.fixture(scope="module")
def log_factorials():
    return np.append(0, np.log(np.arange(1, POPULATION + 1)).cumsum())


@pytest.mark.parametrize("percent", [18, 10, 4, 2, 0.4])
def test_intervals_cover_a_share_as_often_as_they_say(percent, every_count, log_factorials):
    def choose(whole, part):
        return log_factorials[whole] - log_factorials[part] - log_factorials[whole - part]

    low, high = every_count.T

    def coverage(having):
        """Return the probability that the sample's interval holds the share, of all samples."""
        part = np.arange(max(0, SIZE - POPULATION + having), min(SIZE, having) + 1)
        chance = choose(having, part) + choose(POPULATION - having, SIZE - part)
        chance = np.exp(chance - choose(POPULATION, SIZE))
        share = having / POPULATION
        return chance[(low[part] <= share) & (share <= high[part])].sum()

    having = round(POPULATION * percent / 100)
    assert 0.925 <= coverage(having) <= 0.985
    around = range(math.ceil(0.8 * having), math.floor(1.2 * having) + 1)
    assert 0.945 <= np.mean([coverage(number) for number in around]) <= 0.965


def test_intervals_of_recorded_projects_hold_their_shares(recorded):
    truth = stats.language_share(recorded).set_index("language")["share"]
    held = []
    for seed in range(10):
        table = stats.language_share(drawn(recorded, seed=seed, size=100)).set_index("language")
        share = truth[table.index]
        held += list((table["low"] <= share) & (share <= table["high"]))
    assert 0.93 <= np.mean(held) <= 1
    assert len(held) > 100


@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_intervals_are_those_of_the_formula(confidence, sample_projects):
    frame = drawn(sample_projects, seed=4, size=300)
    table = stats.by(stats.activity, frame, "team_size", confidence=confidence)
    rows = table.dropna(subset="share")
    rows = rows[rows["share"] > 0]
    whole = (rows["projects"] / rows["share"]).round()
    expected = [
        interval(part, all_of_them, 300, len(sample_projects), confidence)
        for part, all_of_them in zip(rows["projects"], whole, strict=True)
    ]
    np.testing.assert_allclose(rows[["low", "high"]].to_numpy(np.float64), expected)
    assert table.loc[table["share"].isna(), ["low", "high"]].isna().all(axis=None)
    assert provenance.get_provenance(table)["interval"] == {"confidence": confidence}


def test_intervals_of_all_projects_but_one_leave_room_for_that_one():
    licences = [[{"name": "mit"}], [{"name": "gpl3"}]] * 20
    frame = drawn(pd.DataFrame({"licenses": licences}), population=41)
    table = stats.license_families(frame).set_index("family").loc["permissive"]
    assert (table["low"], table["high"]) == pytest.approx((20 / 41, 21 / 41))


@pytest.mark.parametrize("name", slow_except(OF_SHARES, OF_SHARES[::3]))
def test_intervals_are_in_each_table_of_shares_of_records(name, sample_frames):
    frame = sample_frames[STATISTICS[name].collection]
    statistic = getattr(stats, name)
    table = statistic(drawn(frame, seed=2, size=len(frame) // 2))
    expected = list(statistic(frame))
    fact = {"confidence": 0.95}
    if name in WEIGHTED:
        fact = {"absent": "weighted"}
    else:
        place = expected.index("share") + 1
        expected[place:place] = ["low", "high"]
        rows = table.dropna(subset="share")
        assert rows["share"].between(rows["low"], rows["high"]).all()
    assert list(table) == expected
    assert {*table} <= {*STATISTIC_COLUMNS[name], *SHARE_COLUMNS}
    assert provenance.get_provenance(table)["interval"] == fact
    # All records are no estimate, and a frame that is no sample has no interval.
    whole = statistic(drawn(frame))
    if name not in WEIGHTED:
        assert (whole["low"].dropna() == whole["high"].dropna()).all()
    assert provenance.get_provenance(statistic(frame))["interval"] == {}


@pytest.mark.parametrize("name", ["lorenz", "contributor_concentration"])
def test_intervals_of_shares_of_contributors_are_said_to_be_absent(name, sample_projects):
    table = getattr(stats, name)(drawn(sample_projects, seed=5, size=200))
    assert provenance.get_provenance(table)["interval"] == {"absent": "weighted"}
    assert "no interval: the shares are not of records" in provenance.caption(table)
    whole = getattr(stats, name)(sample_projects)
    assert provenance.get_provenance(whole)["interval"] == {}


def own_column(frame):
    return frame.assign(is_long=(frame["name"].str.len() > 9).astype("int64"))


def first_of(frame):
    return frame.sort_values("name").head(len(frame) // 2)


def joined(frame):
    other = pd.DataFrame({"id": frame["id"].iloc[:20], "x": 1})
    return provenance.copy_provenance(frame, frame.merge(other, on="id"))


def doubled(frame):
    half = frame.iloc[: len(frame) // 2]
    return provenance.copy_provenance(frame, pd.concat([half, half]))


STAYS = {
    "sorted": lambda frame: frame.sort_values("name"),
    "a column more": own_column,
    "selected": lambda frame: dirframe.select(frame, languages=["C", "Java"]),
    "selected twice": lambda frame: dirframe.select(
        dirframe.select(frame, activity="active"), ranges={"stack_count": (1, None)}
    ),
    "excluded": lambda frame: dirframe.exclude(frame, ["negative_lines", "months_reversed"]),
    "none": lambda frame: dirframe.select(frame, years=(1900, 1901)),
    "with a family": dirframe.with_license_family,
}
BREAKS = {
    "first": first_of,
    "first, then selected": lambda frame: dirframe.select(first_of(frame), languages="C"),
    "selected, then first": lambda frame: first_of(dirframe.select(frame, languages="C")),
    "joined": joined,
    "doubled": doubled,
    "own mask": lambda frame: frame[frame["name"] > "m"],
    "query": lambda frame: frame.query("name > 'm'"),
}


@pytest.mark.parametrize("name", STAYS)
def test_intervals_stay_after_functions_that_choose_by_values(name, sample_projects):
    frame = STAYS[name](drawn(sample_projects, seed=5, size=200))
    table = stats.tags(frame)
    with_tag = provenance.get_provenance(table)["counted"]["with_tag"]
    expected = [interval(part, with_tag, 200, len(sample_projects)) for part in table["projects"]]
    np.testing.assert_allclose(
        table[["low", "high"]].to_numpy(np.float64), np.reshape(expected, (-1, 2))
    )
    assert "estimate from a random sample of 200 of 1,500 projects" in provenance.caption(table)
    assert "95% interval" in provenance.caption(table)


@pytest.mark.parametrize("name", BREAKS)
def test_intervals_end_where_a_sample_was_changed_otherwise(name, sample_projects):
    frame = BREAKS[name](drawn(sample_projects, seed=5, size=200))
    table = stats.tags(frame)
    assert "low" not in table
    assert provenance.get_provenance(table)["interval"] == {"absent": "changed"}
    assert "estimate" not in provenance.caption(table)
    said = "no interval: records were removed or added other than by select, exclude or by"
    assert said in provenance.caption(table)
    assert said in provenance.caption(frame)


def test_intervals_of_a_sample_divided_by_a_column_of_ones_own(sample_projects):
    frame = own_column(drawn(sample_projects, seed=5, size=200))
    table = stats.by(stats.license_families, frame, "is_long")
    rows = table[table["is_long"] == "1"]
    whole = int(frame["is_long"].sum())
    expected = [interval(part, whole, 200, len(sample_projects)) for part in rows["projects"]]
    np.testing.assert_allclose(rows[["low", "high"]].to_numpy(np.float64), expected)


def test_intervals_name_lost_detail_pages_and_need_every_drawn_record(sample_projects):
    frame = drawn(sample_projects, seed=5, size=200)
    short = provenance.set_provenance(
        frame.copy(), completeness="incomplete", details_missing=list(frame["id"].iloc[:3])
    )
    table = stats.tags(short)
    assert "low" in table
    assert "3 detail pages could not be loaded" in provenance.caption(table)
    less = provenance.set_provenance(frame.iloc[1:], completeness="incomplete", items_loaded=199)
    assert provenance.get_provenance(stats.tags(less))["interval"] == {"absent": "incomplete"}


def test_intervals_are_the_same_from_a_file(sample_projects, tmp_path):
    frame = dirframe.select(drawn(sample_projects, seed=5, size=200), languages=["C", "Java"])
    frame = frame.drop(columns=["tags", "licenses"])
    dirframe.export(frame, tmp_path / "drawn.parquet")
    table = stats.language_share(tmp_path / "drawn.parquet")
    pd.testing.assert_frame_equal(table, stats.language_share(frame))
    assert "low" in table


def test_intervals_have_a_confidence_of_any_float(sample_projects):
    frame = drawn(sample_projects, seed=5, size=200)
    table = stats.tags(frame, confidence=np.float32(0.5))
    pd.testing.assert_frame_equal(table, stats.tags(frame, confidence=0.5))


@pytest.mark.parametrize("name", sorted({*OF_SHARES} - WEIGHTED))
def test_intervals_have_a_confidence_that_is_a_share(name, sample_projects):
    statistic = getattr(stats, name)
    wrong = [0, 1, 1 - 2**-53, 95, "0.95", None, True, math.nan]
    errors = [raised(statistic, sample_projects, confidence=confidence) for confidence in wrong]
    assert [type(error) for error in errors] == [InvalidInputError] * len(wrong)
    assert [error for error in errors if "confidence" not in str(error)] == []


def test_intervals_are_in_the_summary_of_a_sample(sample_projects):
    frame = drawn(sample_projects, seed=5, size=200)
    overview = dirframe.summary(frame)
    expected = [interval(part, 200, 200, 1500) for part in overview.bias["records"]]
    np.testing.assert_allclose(overview.bias[["low", "high"]].to_numpy(np.float64), expected)
    assert "estimate from a random sample of 200 of 1,500 projects" in overview.title
    assert "95% interval" in overview.title
    changed = dirframe.summary(frame.head(50))
    assert "low" not in changed.bias
    assert "no interval" in changed.source
    short = provenance.set_provenance(frame.copy(), completeness="incomplete")
    reasons = dirframe.summary(short).bias["reason"]
    assert not reasons.str.contains("not loaded").any()


def test_intervals_are_in_the_findings_of_a_sample_or_said_to_be_missing(
    sample_projects, sample_accounts, tmp_path, report_of_words
):
    projects = drawn(sample_projects[["id", "name", LANGUAGE, PEOPLE]], seed=5, size=200)
    accounts = sample_accounts[["id", "name", "country_code", "posts_count"]]
    changed = drawn(accounts, seed=5, size=200).head(150)
    file = dirframe.report([projects, changed], tmp_path / "report.html")
    page = html.fromstring(file.read_text(encoding="utf-8"))
    sentences = page.xpath("//section[@aria-labelledby='findings']//li/text()")
    has_interval = {
        ("projects" if "project" in sentence else "accounts", "95% interval" in sentence)
        for sentence in sentences
        if "%" in sentence and "without an interval" not in sentence
    }
    assert has_interval == {("projects", True)}
    assert any("accounts" in sentence and "%" in sentence for sentence in sentences)

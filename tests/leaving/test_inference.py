"""Statistics that become recipes: each gives the numbers of another library, or published ones."""

import numpy as np
import pandas as pd
import pytest

from dirframe import sensitivity, stats
from tests import oracle
from tests.oracle import FETCHED, FIRST, LANGUAGE, LAST, LINES, PEOPLE


def of_groups(**groups):
    return pd.DataFrame(
        {
            LANGUAGE: [name for name, values in groups.items() for _ in values],
            PEOPLE: [value for values in groups.values() for value in values],
        }
    )


def test_intervals():
    scipy_stats = pytest.importorskip("scipy.stats", reason="compared with scipy")
    values = np.random.default_rng(5).lognormal(2, 1, 80).round().astype(int)
    table = stats.intervals(of_groups(C=values), measure="median", resamples=3000)
    value, *ends = table[["value", "low", "high"]].iloc[0].astype(float)
    other = scipy_stats.bootstrap(
        (values,), np.median, n_resamples=3000, method="percentile", rng=7
    ).confidence_interval
    assert value == np.median(values)
    assert ends == pytest.approx([*other], abs=0.1 * (other.high - other.low))


def test_compare_groups():
    scipy_stats = pytest.importorskip("scipy.stats", reason="needed by it")
    generator = np.random.default_rng(2)
    groups = {name: generator.poisson(mean, 40) for name, mean in (("A", 3), ("B", 4), ("C", 7))}
    table = stats.compare_groups(of_groups(**groups))
    first, pairs = table.iloc[0], table.iloc[1:]
    assert (first["statistic"], first["p_value"]) == pytest.approx(
        tuple(scipy_stats.kruskal(*groups.values()))
    )
    raw = []
    for pair in pairs.itertuples():
        x, y = groups[pair.first], groups[pair.second]
        raw.append(scipy_stats.mannwhitneyu(x, y, method="asymptotic").pvalue)
        assert pair.effect == pytest.approx(np.sign(x[:, None] - y).mean())  # Cliff's delta
        assert pair.low < pair.effect < pair.high
    order = np.argsort(raw)
    holm = np.maximum.accumulate(np.array(raw)[order] * [3, 2, 1]).clip(max=1)
    assert pairs["p_value"].tolist() == pytest.approx(raw)
    assert pairs["p_corrected"].to_numpy(float)[order] == pytest.approx(holm)


def test_correlation():
    scipy_stats = pytest.importorskip("scipy.stats", reason="needed by it")
    generator = np.random.default_rng(1)
    x = generator.poisson(4, 70)
    y = x + generator.poisson(4, 70)
    table = stats.correlation(pd.DataFrame({"x": x, "y": y}), variables=["x", "y"], resamples=200)
    expected = scipy_stats.spearmanr(x, y)
    row = table.iloc[0]
    assert row["correlation"] == pytest.approx(expected.statistic)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["low"] < row["correlation"] < row["high"]


def test_compare_survival():
    pytest.importorskip("statsmodels", reason="needed by it")
    # Freireich et al., Blood 21 (1963), 699-716; the tests of Cox (1972).
    treated = [
        "6",
        "6",
        "6",
        "6+",
        "7",
        "9+",
        "10",
        "10+",
        "11+",
        "13",
        "16",
        "17+",
        "19+",
        "20+",
        "22",
        "23",
        "25+",
        "32+",
        "32+",
        "34+",
        "35+",
    ]
    control = [
        "1",
        "1",
        "2",
        "2",
        "3",
        "4",
        "4",
        "5",
        "5",
        "8",
        "8",
        "8",
        "8",
        "11",
        "11",
        "12",
        "12",
        "15",
        "17",
        "22",
        "23",
    ]
    records = [
        {
            LANGUAGE: name,
            FIRST: oracle.first_day(24_000),
            LAST: oracle.first_day(23_999 + int(life.strip("+"))),
            FETCHED[0]: oracle.first_day(
                23_999 + int(life.strip("+")) + 12 * (not life.endswith("+"))
            ),
        }
        for name, lives in (("6-MP", treated), ("control", control))
        for life in lives
    ]
    table = stats.compare_survival(oracle.frame("projects", records))
    whole, cox = table.iloc[0], table.iloc[1]
    assert whole["statistic"] == pytest.approx(16.79, abs=0.01)
    assert np.log(cox["hazard_ratio"]) == pytest.approx(1.57, abs=0.01)


@pytest.fixture(scope="module")
def heavy():
    scipy_stats = pytest.importorskip("scipy.stats", reason="draws from a power law")
    pytest.importorskip("powerlaw", reason="needed by the fit")
    return scipy_stats.zipf(2.5).rvs(1500, random_state=4)


def test_distribution_fit(heavy):
    table = stats.distribution_fit(of_groups(C=heavy), resamples=5).set_index("distribution")
    row = table.loc["power law"]
    assert row["exponent"] == pytest.approx(2.5, abs=0.12)
    assert row["records"] == (row["smallest"] <= heavy).sum()


def test_distribution_tail(heavy):
    table = stats.distribution_tail(of_groups(C=heavy)).set_index("value")
    assert table.loc[3, "share_at_least"] == pytest.approx((heavy >= 3).mean())
    assert table["power_law"].notna().any()


def test_growth_fit_and_growth_curve():
    pytest.importorskip("scipy.optimize", reason="needed by the fit")
    t = np.arange(48)
    curve = (9000 / (1 + np.exp(-0.2 * (t - 20)))).round().astype(int)
    months = pd.date_range("2010-01-01", periods=48, freq="MS", tz="UTC")
    frame = pd.DataFrame({"month": months, "commits": curve})
    table = stats.growth_fit(frame, cumulative=False).set_index("model")
    assert table.drop("observed")["aicc"].astype(float).idxmin() == "logistic"
    assert table.loc["logistic", "rate"] == pytest.approx(0.2, rel=0.03)
    assert table.loc["logistic", "limit"] == pytest.approx(9000, rel=0.02)
    drawn = stats.growth_curve(frame, cumulative=False)
    assert drawn["observed"].tolist() == curve.tolist()
    assert drawn["logistic"].iloc[0] == table.loc["logistic", "start"]


def test_accounts_per_capita():
    pytest.importorskip("pypopulation", reason="needed by it")
    pytest.importorskip("scipy.stats", reason="needed by it")
    codes = ["DE", "DE", "DE", "NA", "NA", "ZZ", None]
    accounts = pd.DataFrame(
        dict.fromkeys(("country_code", "country_alpha_2", "country_name"), codes)
    )
    row = stats.accounts_per_capita(accounts).set_index("country_alpha_2").loc["DE"]
    assert row["people"] == 83_132_799
    # Garwood's table: three events have an interval from 0.6187 to 8.7673.
    ends = [row[name] * 83.132799 for name in ("per_million", "low", "high")]
    assert ends == pytest.approx([3, 0.6187, 8.7673], abs=1e-4)


def test_project_age():
    records = [
        {FIRST: oracle.first_day(24_000 - months), LAST: oracle.first_day(24_000)}
        for months in (0, 11, 12, 40)
    ]
    table = stats.project_age(oracle.frame("projects", records), as_of="2000-01")
    assert table["projects"].tolist() == [2, 1, 0, 1]


def test_contributor_quantiles():
    table = stats.contributor_quantiles(of_groups(C=[7, 1, 3, -1]), quantiles=[1, 0, 0.5, 0.25])
    assert table["contributors"].tolist() == [7, 1, 3, 2]


def test_contributors_per_thousand_lines():
    frame = of_groups(C=[1, 1], D=[3], E=[1]).assign(**{LINES: [1000, 1000, 1000, 3000]})
    table = stats.contributors_per_thousand_lines(frame, top=1)
    assert table["language"].tolist() == ["C", "other (2 languages)"]
    assert table["contributors_per_thousand_lines"].tolist() == [1, 1]
    assert table["median"].tolist() == pytest.approx([1, (3 + 1 / 3) / 2])


def test_sensitivity():
    frame = of_groups(C=[1, 1, 9], D=[2]).assign(**{LINES: [1, 1, -1, 1]})
    found = sensitivity(stats.contributors_by_language, frame, rules=["negative_lines"])
    assert found["exclusion"].unique().tolist() == ["none", "negative_lines", "all"]
    last = found[found["exclusion"] == "all"]
    assert last["contributors_difference"].tolist() == [-9, 0]

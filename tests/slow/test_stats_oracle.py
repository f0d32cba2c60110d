"""Statistics of more records, and more often, than in the fast tests: see `tests.oracle`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from dirframe import stats
from tests import oracle
from tests.oracle import FETCHED, FIRST, LAST


# A seed has no simpler form, and to look for one takes a minute.
@pytest.mark.parametrize("kind", oracle.STATISTICS)
@settings(phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), size=st.integers(0, 120))
def test_every_statistic_is_what_plain_python_counts(kind, seed, size):
    assert not oracle.failures(kind, seed, size)


def test_entries_are_counted_alike_in_one_batch_and_in_several():
    """Of 150,000 records, which are counted 100,000 at a time."""
    entries = {
        "tags": [" xml", "xml", "web ", " ", "gui"],
        "licenses": [
            {"name": "gpl3", "nice_name": "GNU GPL 3.0"},
            {"name": "GNU GPL 3.0", "vanity_url": "gpl3"},
            {"name": "mit", "nice_name": "MIT License"},
            {"name": " "},
            {"name": "bsd", "nice_name": "BSD"},
        ],
    }
    for name, some in entries.items():
        records = [{name: some[n % 5 : n % 5 + 2]} if n % 7 else {} for n in range(150_000)]
        frame = pd.DataFrame({name: [record.get(name) for record in records]})
        frame["id"] = frame.index.astype("str")
        for top in (None, 1):
            table = getattr(stats, name)(frame, top=top)
            assert not oracle.differences(table, *getattr(oracle, name)(records, top))


@given(
    st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=25),
)
def test_survival_is_that_of_scipy(lives):
    scipy_stats = pytest.importorskip("scipy.stats", reason="compared with scipy")
    records = [
        {
            FIRST: oracle.first_day(24_000),
            LAST: oracle.first_day(23_999 + months),
            FETCHED[0]: oracle.first_day(23_999 + months + 12 * ended),
        }
        for months, ended in lives
    ]
    table = stats.survival(oracle.frame("projects", records)).set_index("months")
    data = scipy_stats.CensoredData(
        uncensored=[months for months, ended in lives if ended],
        right=[months for months, ended in lives if not ended],
    )
    sf = scipy_stats.ecdf(data).sf.evaluate(np.array(table.index, dtype=float))
    assert table["survival"].astype(float).tolist() == pytest.approx(sf.tolist())
    inside = table.dropna(subset=["low"])
    assert (inside["low"] < inside["survival"]).all()
    assert (inside["survival"] < inside["high"]).all()

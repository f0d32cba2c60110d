"""Every chart that fits the records, in the explorer."""

import pytest

import dirframe
from tests.explorer.test_explorer import check_charts


@pytest.mark.parametrize("collection", ["projects", "accounts"])
def test_charts_that_fit_are_drawn_and_pyplot_knows_none(
    collection, sample_projects, sample_accounts
):
    frames = {"projects": sample_projects, "accounts": sample_accounts}
    explorer = dirframe.Explorer(frames[collection].head(300))
    names = [name for _, name in explorer.chart.options]
    assert len(names) > 4
    check_charts(explorer, names)

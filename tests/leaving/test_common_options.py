"""The options of every statistic: rules to leave records out, and strata."""

import inspect

import pandas as pd

from dirframe import stats
from tests.oracle import LANGUAGE, LINES


def test_common_options(sample_projects, sample_accounts):
    """Six statistics give of the rest, and of each stratum, what these records give alone."""
    for name, kind, column, by in (
        ("language_share", "projects", LINES, "year"),
        ("growth", "projects", LINES, "language"),
        ("activity", "projects", LINES, "team_size"),
        ("licenses", "projects", LINES, LANGUAGE),
        ("accounts_by_kudo_rank", "accounts", "posts_count", "country"),
        ("accounts_by_country", "accounts", "posts_count", "year"),
    ):
        frame = (sample_projects if kind == "projects" else sample_accounts).head(300).copy()
        frame.loc[frame.index[:3], column] = -1
        rule = "negative_lines" if kind == "projects" else "negative_posts"
        sound = frame[~(frame[column] < 0).fillna(value=False)]
        statistic = getattr(stats, name)
        pd.testing.assert_frame_equal(statistic(frame, exclude=[rule]), statistic(sound))
        divided = statistic(frame, by=by, min_records=30, exclude=rule)
        counted = divided.attrs["dirframe"]["counted"]
        assert counted[f"excluded_{rule}"] == len(frame) - len(sound) >= 3
        assert counted["strata"] > 1
        assert counted[kind] == len(sound)
        alone = statistic(sound, by=by, min_records=30)
        pd.testing.assert_frame_equal(divided, alone)
    for name in stats.__all__:
        options = inspect.signature(getattr(stats, name)).parameters
        assert {"exclude", "max_age", "by", "min_records"} <= set(options), name

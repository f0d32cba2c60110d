"""The charts of accounts, checked by what is drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dirframe import plot
from tests.plot.charts import bars, caption, names


def test_each_rank_has_its_bar_from_new_to_the_highest() -> None:
    ranks = pd.Series([1, 1, 1, 9, 10, None, 11], dtype="Int64")
    ax = plot.accounts_by_kudo_rank(pd.DataFrame({"kudo_score_kudo_rank": ranks}))
    assert names(ax) == ["1 (new)", *"23456789", "10 (highest)"]
    assert [bar.get_width() for bar in bars(ax)] == [3, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    assert "Not shown: 1 account without a kudo rank, 1 with an impossible one." in caption(ax)


def test_posts_are_dots_and_zero_is_one_of_them() -> None:
    posts = pd.Series([0, 0, 0, 12, 1900, None, -1], dtype="Int64")
    ax = plot.posts_distribution(pd.DataFrame({"posts_count": posts}))
    (dots,) = ax.lines
    assert np.column_stack(dots.get_data()).tolist() == [[0, 3], [12, 1], [1900, 1]]
    assert caption(ax).startswith("Half have at most 0, 90% have at most 1,900")
    assert "1 account without a number of posts, 1 with a negative one." in caption(ax)

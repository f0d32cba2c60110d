"""The charts of contributors, checked by what is drawn."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dirframe import plot, stats
from tests.plot.charts import bars, caption, names


def projects(*numbers: int | None) -> pd.DataFrame:
    column = pd.Series(numbers, dtype="Int64")
    return pd.DataFrame({"analysis_twelve_month_contributor_count": column})


SOME = projects(0, 0, 0, 0, 1, 1, 2, 900, None, -4)


def test_a_dot_is_as_high_as_the_projects_with_its_number_are_many() -> None:
    ax = plot.contributor_distribution(SOME)
    (dots,) = ax.lines
    assert np.column_stack(dots.get_data()).tolist() == [[0, 4], [1, 2], [2, 1], [900, 1]]
    assert (ax.get_xscale(), ax.get_yscale()) == ("symlog", "symlog")
    left, right = ax.get_xlim()
    assert left < 0
    assert right > 900


def test_the_caption_reads_the_quantiles_off_and_counts_what_is_not_shown() -> None:
    said = caption(plot.contributor_distribution(SOME))
    assert said.startswith(
        "Half have at most 0, 90% have at most 900, 99% have at most 900; the most is 900. "
        "Not shown: 1 project without a contributor count, 1 with a negative one."
    )


def test_the_powers_of_ten_are_numbered_and_zero_is() -> None:
    ax = plot.contributor_distribution(projects(0, 5, 12_000))
    ax.figure.canvas.figure.draw_without_rendering()
    numbered = [label.get_text() for label in ax.get_xticklabels()]
    assert {"0", "1", "10", "100", "1,000", "10,000"} <= set(numbered)


def test_the_lorenz_curve_is_that_of_the_statistic_below_the_diagonal() -> None:
    ax = plot.lorenz(SOME)
    table = stats.lorenz(SOME)
    (curve,) = (line for line in ax.lines if line.get_label() == "lorenz")
    assert np.asarray(curve.get_xdata()).tolist() == table["projects_share"].tolist()
    assert np.asarray(curve.get_ydata()).tolist() == table["contributors_share"].tolist()
    (equal,) = (line for line in ax.lines if line.get_label() == "equality")
    assert np.column_stack(equal.get_data()).tolist() == [[0, 0], [1, 1]]
    gini = stats.contributor_concentration(SOME).set_index("measure")["value"]["gini"]
    assert ax.texts[0].get_text() == f"Gini coefficient {gini:.2f}"
    assert ax.get_aspect() == 1
    assert ax.get_xticks().tolist()[0] == 0


def test_the_caption_of_the_curve_says_the_coefficient_without_zeros() -> None:
    table = stats.contributor_concentration(SOME)
    gini = table["value_without_zeros"].iloc[0]
    said = " ".join(caption(plot.lorenz(SOME)).split())
    assert f"that have none, the coefficient is {gini:.2f}." in said


def test_projects_without_any_contributor_have_no_curve() -> None:
    ax = plot.lorenz(projects(0, 0))
    assert ax.texts[0].get_text() == "None of 2 projects has a contributor"


def test_the_classes_stand_in_their_order_with_number_and_share() -> None:
    ax = plot.team_size_classes(SOME, bounds=[0, 1, 10])
    assert names(ax) == ["0", "1–9", "10 or more"]
    assert [bar.get_width() for bar in bars(ax)] == [4, 3, 1]
    assert [text.get_text() for text in ax.texts[:3]] == ["4 (50.0%)", "3 (37.5%)", "1 (12.5%)"]


@pytest.mark.parametrize("width", [2.5, 6.4])
def test_dots_are_smaller_in_small_axes(width: float) -> None:
    _, ax = plt.subplots(figsize=(width, 3))
    plot.contributor_distribution(SOME, ax=ax)
    (dots,) = ax.lines
    assert (dots.get_markersize() > 5) == (width > 5)

"""The chart of countries, checked by what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from dirframe import plot, provenance
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def accounts(*rows: tuple[str | None, str | None, str | None]) -> pd.DataFrame:
    columns = ["country_code", "country_alpha_2", "country_name"]
    frame = pd.DataFrame(list(rows), columns=columns).astype("str")
    return provenance.set_provenance(frame, source="A directory", resource="account")


GERMANY, ALSO_GERMANY = ("DE", "DE", "Germany"), ("Germany", "DE", "Germany")
NAMIBIA, FRANCE = ("NA", "NA", "Namibia"), ("FR", "FR", "France")
NOWHERE, ATLANTIS = (None, None, None), ("Atlantis", None, None)


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(ax: Axes) -> list[str]:
    return [" ".join(text.get_text().split()) for text in ax.texts]


def test_the_bars_are_the_counts_from_the_most_to_the_least() -> None:
    ax = plot.accounts_by_country(accounts(NAMIBIA, GERMANY, ALSO_GERMANY, NOWHERE))
    assert names(ax) == ["Germany", "Namibia"]
    bars = [bar for bar in ax.patches if isinstance(bar, Rectangle)]
    assert [bar.get_width() for bar in bars] == [2, 1]
    assert texts(ax)[:2] == ["2 (66.7%)", "1 (33.3%)"]
    assert "Accounts" in ax.get_xlabel()
    assert ax.get_title() == "Accounts by country"


def test_missing_and_unidentified_countries_stand_in_the_caption() -> None:
    ax = plot.accounts_by_country(accounts(GERMANY, NOWHERE, NOWHERE, ATLANTIS))
    assert texts(ax)[-1] == (
        "Not shown: 2 accounts without a country, 1 with one that was not identified. "
        "n = 1 of 4 accounts with a country · Source: A directory"
    )


def test_the_others_are_one_hatched_bar() -> None:
    ax = plot.accounts_by_country(accounts(GERMANY, GERMANY, NAMIBIA, FRANCE), top=1)
    assert names(ax) == ["Germany", "other (2 countries)"]
    assert [bool(bar.get_hatch()) for bar in ax.patches] == [False, True]


@pytest.mark.parametrize(
    ("rows", "said"),
    [([], "No accounts"), ([NOWHERE, ATLANTIS], "None of 2 accounts has a known country")],
)
def test_a_chart_of_nothing_says_so(rows: list[Any], said: str) -> None:
    ax = plot.accounts_by_country(accounts(*rows))
    ax.figure.canvas.draw()
    assert texts(ax)[0] == said
    assert f"{len(rows)} accounts" in texts(ax)[1]
    assert not ax.patches


def test_a_frame_whose_countries_are_not_unified_leaves_no_empty_figure_behind() -> None:
    with pytest.raises(InvalidInputError, match="unify_countries"):
        plot.accounts_by_country(pd.DataFrame({"country_code": ["DE"]}))
    assert plt.get_fignums() == []

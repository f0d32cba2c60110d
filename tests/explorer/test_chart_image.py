"""A chart becomes a picture that stands alone, and leaves no figure open."""

from __future__ import annotations

import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dirframe.errors import InvalidInputError
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.choices import charts
from dirframe.schema import ACCOUNT, PROJECT

_KNOWN: list[object] = []  # figures of pyplot


@pytest.mark.parametrize("chart", charts(PROJECT))
def test_every_chart_of_projects_becomes_a_picture(chart: str, projects: pd.DataFrame) -> None:
    open_before = plt.get_fignums()
    drawn = render_chart(projects, chart, {})
    assert drawn.png.startswith(b"\x89PNG")
    assert "n = 1,500 projects" in drawn.words or "n = " in drawn.words
    assert 250 < drawn.width < 900
    assert plt.get_fignums() == open_before


@pytest.mark.parametrize("chart", charts(ACCOUNT))
def test_every_chart_of_accounts_becomes_a_picture_also_of_none(
    chart: str, accounts: pd.DataFrame
) -> None:
    assert render_chart(accounts, chart, {}).words.startswith("Accounts") or chart != "accounts_map"
    assert render_chart(accounts.iloc[:0], chart, {}).png


def test_a_dark_chart_is_light_on_dark(projects: pd.DataFrame) -> None:
    corners = {}
    for is_dark in (False, True):
        png = render_chart(projects, "language_share", {}, is_dark=is_dark).png
        corners[is_dark] = plt.imread(io.BytesIO(png))[:, :, :3]
    assert corners[False][0, 0].min() == 1.0
    assert corners[True][0, 0].max() < 0.1
    assert corners[True].max() > 0.85  # its text


def test_a_chart_that_fails_leaves_no_figure_open() -> None:
    open_before = plt.get_fignums()
    with pytest.raises(InvalidInputError):
        render_chart(pd.DataFrame({"id": ["1"]}), "language_share", {})
    assert plt.get_fignums() == open_before


@pytest.mark.parametrize("by", [None, "country_code"])
def test_pyplot_never_knows_the_figure_that_is_drawn(
    by: str | None, accounts: pd.DataFrame
) -> None:
    """A kernel shows pyplot's figures after each message, drawn or not, in whatever thread."""
    _KNOWN.clear()
    with mpl.rc_context({"figure.hooks": [f"{__name__}:_KNOWN.append"]}):
        plt.close(plt.figure())
        assert len(_KNOWN) == 1
        render_chart(accounts, "accounts_by_kudo_rank", {"by": by})
    assert len(_KNOWN) == 1


def test_a_picture_holds_itself_in_its_address(projects: pd.DataFrame) -> None:
    address = render_chart(projects.iloc[:10], "language_share", {}).address
    assert address.startswith("data:image/png;base64,iVBORw0KGgo")

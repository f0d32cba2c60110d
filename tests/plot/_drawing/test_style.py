"""The style sheet is for those who opt in."""

from __future__ import annotations

import matplotlib as mpl
import matplotlib.pyplot as plt

from dirframe import plot


def test_the_style_ends_with_its_block() -> None:
    before = dict(mpl.rcParams)
    with plot.style():
        assert mpl.rcParams["pdf.fonttype"] == 42
        assert not mpl.rcParams["axes.spines.top"]
    assert dict(mpl.rcParams) == before


def test_the_sheet_can_be_used_by_matplotlib_itself() -> None:
    with plt.style.context(plot.STYLE):
        assert mpl.rcParams["svg.fonttype"] == "none"

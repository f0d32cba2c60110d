"""A chart as a picture, with the words for those who do not see it."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from dirframe import plot
from dirframe.plot._drawing.axes import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

__all__ = ["ChartImage", "render_chart"]

#: Twice a screen's pixels, so that it stays sharp where a screen has more of them.
_DPI = 144
#: Points: a chart beside a table is shown smaller than on a page, and its caption is to be read.
_TEXT: dict[Any, float] = {
    "font.size": 11,
    "axes.titlesize": 13,
    "axes.labelsize": 10.5,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
}


@dataclass(frozen=True, kw_only=True)
class ChartImage:
    """A chart.

    Parameters
    ----------
    png : bytes
        The picture.
    words : str
        Its titles and captions.
    width : int
        Pixels of a screen that it is made for.
    """

    png: bytes
    words: str
    width: int

    @property
    def address(self) -> str:
        """The picture as an address that holds it, for a page without files beside it."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"


def render_chart(frame: pd.DataFrame, chart: str, options: Mapping[str, Any]) -> ChartImage:
    """Draw a chart of `dirframe.plot`; its figure is closed again.

    Parameters
    ----------
    frame : pandas.DataFrame
        What the chart takes.
    chart : str
        Its name.
    options : mapping
        Its other arguments.

    Returns
    -------
    Picture
        The chart as PNG.
    """
    open_before = set(plt.get_fignums())
    try:
        with plot.style(), mpl.rc_context(_TEXT):
            ax = getattr(plot, chart)(frame, **options)
            figure = ax.get_figure(root=True)
            stream = io.BytesIO()
            figure.savefig(stream, format="png", dpi=_DPI, bbox_inches="tight", pad_inches=0.05)
        text = " ".join(words(figure))
        width = int.from_bytes(stream.getvalue()[16:20]) // 2  # where PNG has it
    finally:
        # A figure that stays open would be shown once more at the end of the cell.
        for number in set(plt.get_fignums()) - open_before:
            plt.close(number)
    return ChartImage(png=stream.getvalue(), words=text, width=width)

"""Render a chart as PNG with alternative text."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt

from dirframe import plot
from dirframe.plot.canvas import words
from dirframe.stats._rules.exclusion import exclude

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

#: Twice the screen resolution, for high-density displays.
_DPI = 144
#: Points: a chart beside a table is smaller than on a page, and its caption must stay legible.
_TEXT: dict[Any, float] = {
    "font.size": 11,
    "axes.titlesize": 13,
    "axes.labelsize": 10.5,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
}
_INK, _PAPER = "E6E6E6", "111111"  # those of the dark themes of notebooks
_DARK: dict[Any, Any] = {
    **dict.fromkeys(("axes.facecolor", "figure.facecolor", "savefig.facecolor"), _PAPER),
    **dict.fromkeys(("axes.labelcolor", "axes.titlecolor", "patch.edgecolor", "text.color"), _INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "axes.edgecolor"), "9AA2AA"),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), _INK),
    "grid.color": "3A4048",
}


@dataclass(frozen=True, kw_only=True)
class ChartImage:
    """A rendered chart.

    Parameters
    ----------
    png : bytes
        The image.
    words : str
        Alternative text: titles and captions.
    width : int
        Width on the screen in pixels.
    """

    png: bytes
    words: str
    width: int

    @property
    def address(self) -> str:
        """The image as a data URL."""
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"


def render_chart(
    frame: pd.DataFrame, chart: str, options: Mapping[str, Any], *, is_dark: bool = False
) -> ChartImage:
    """Render a chart of `dirframe.plot` without a figure of pyplot.

    Parameters
    ----------
    frame : pandas.DataFrame
        Input of the chart.
    chart : str
        Name of the chart.
    options : mapping
        Other arguments of the chart.
    is_dark : bool, default False
        Whether it is light on dark, for a page that is.

    Returns
    -------
    ChartImage
        The chart as PNG.
    """
    own = dict(options)
    frame, column = exclude(frame, own.pop("exclude", ())), own.pop("by", "")
    draw: Any = getattr(plot, chart)
    with plot.style(), mpl.rc_context(_TEXT | _DARK if is_dark else _TEXT):
        figure: Any = (
            plot.panels(draw, frame, column, **own) if column else draw(frame, **own).figure
        )
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=_DPI, bbox_inches="tight", pad_inches=0.05)
        plt.close(figure)
    text = " ".join(words(figure))
    width = int.from_bytes(stream.getvalue()[16:20]) // 2  # width field of the PNG header
    return ChartImage(png=stream.getvalue(), words=text, width=width)

"""The style sheet of the charts, for those who opt in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["STYLE", "style"]

#: The style sheet, for ``matplotlib.pyplot.style.context`` and ``use``.
STYLE = str(Path(__file__).with_name("dirframe.mplstyle"))


def style() -> AbstractContextManager[None]:
    """Draw in the style of a paper, for as long as the ``with`` block lasts.

    Returns
    -------
    contextlib.AbstractContextManager
        Sets the style sheet ``dirframe.plot.STYLE``, and takes it back at its end. Nothing
        else changes any global setting of matplotlib.

    See Also
    --------
    matplotlib.pyplot.style.use : Sets ``dirframe.plot.STYLE`` for good.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> with style():
    ...     print(mpl.rcParams["pdf.fonttype"])
    42
    >>> mpl.rcParams["pdf.fonttype"]
    3
    """
    return plt.style.context(STYLE)

"""The optional style sheet of the charts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["STYLE", "style"]

#: Path of the style sheet, for ``matplotlib.pyplot.style.context`` and ``use``.
STYLE = str(Path(__file__).with_name("dirframe.mplstyle"))


def style() -> AbstractContextManager[None]:
    """Apply the style sheet for publications within a ``with`` block.

    Returns
    -------
    contextlib.AbstractContextManager
        Sets the style sheet ``dirframe.plot.STYLE`` and restores the previous settings at the end.
        Nothing else changes global settings of matplotlib.

    See Also
    --------
    matplotlib.pyplot.style.use : Apply ``dirframe.plot.STYLE`` permanently.

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

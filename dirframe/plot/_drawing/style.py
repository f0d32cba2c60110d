"""The optional style sheet of the charts."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Path of the style sheet, for ``matplotlib.pyplot.style.context`` and ``use``.
STYLE = str(Path(__file__).with_name("dirframe.mplstyle"))


@contextmanager
def style() -> Iterator[None]:
    """Apply the style sheet for publications within a ``with`` block.

    Yields
    ------
    None
        The block runs under the style sheet ``dirframe.plot.STYLE``; the previous settings are
        restored at its end. Nothing else changes global settings of matplotlib.

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
    # A notebook's backend switches the interactive mode on when it is loaded. Loaded within the
    # block, it would be switched off again at the end, and no later chart would be displayed.
    plt.draw_if_interactive()
    with plt.style.context(STYLE):
        yield

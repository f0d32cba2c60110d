"""Options of every chart: its title, caption, width and colours."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from dirframe.errors import InvalidInputError
from dirframe.plot._description.colours import Palette
from dirframe.plot._description.context import bound
from dirframe.stats._options.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes

Width = Literal["column", "page"]


class ChartOptions(Selection, total=False):
    """Common options of all charts.

    Parameters
    ----------
    by : str or sequence of str, optional
        Draw a panel for each stratum, on axes that are the same, in a figure of their own whose
        first axes are returned: as the statistic. At most nine; the smallest share the last. A
        panel that cannot be drawn says why.
    min_records : int, default 1
        Strata with fewer records share the last panel.
    ax : matplotlib.axes.Axes, optional
        Where to draw. By default, a new figure, as high as its rows need.
    title : str, optional
        The title, in place of the chart's own; ``""`` for none. Of panels: that of the figure.
    caption : str or bool, default True
        Text in place of the notes below the chart; the number of records and the source follow it.
        False draws no caption, for a text that states them itself.
    width : {"column", "page"}, optional
        Width of the new figure, for print: one column (84 mm) or the page (174 mm). By default, 6.4
        inches, of panels 3.7 inches each.
    palette : str, sequence of str or mapping of str to str, optional
        Colours in place of the chart's own: the name of a matplotlib colormap, or colours. The first
        is for data of one kind, languages take them in order of appearance, and classes of numbers
        go from the first to the last. A mapping names the colours of single languages. Colours that
        are alike in greyscale are hatched wherever a legend explains them.
    """

    ax: Axes | None
    title: str | None
    caption: str | bool
    width: Width | None
    palette: str | Sequence[str] | Mapping[str, str] | None


#: Defaults of the options that concern the appearance alone.
DEFAULT_APPEARANCE: dict[str, Any] = {
    "title": None,
    "caption": True,
    "width": None,
    "palette": None,
}
#: Width of a new figure in inches: 84 and 174 mm, one and two columns of most journals.
INCHES: dict[str | None, float] = {"column": 3.3, "page": 6.85}


class Appearance(NamedTuple):
    """Appearance of the chart that is being drawn."""

    title: str | None
    caption: str | bool
    inches: float | None
    palette: Palette
    is_panel: bool = False


_current: ContextVar[Appearance | None] = ContextVar("_current", default=None)


def current() -> Appearance:
    """Return the appearance of the chart that is being drawn."""
    return _current.get() or Appearance(None, True, None, Palette())


def appearance(given: Mapping[str, Any], *, has_axes: bool) -> AbstractContextManager[None]:
    """Draw the charts in the context with these options.

    Raises
    ------
    InvalidInputError
        If an option is invalid, or a width is given beside axes.
    """
    options = DEFAULT_APPEARANCE | dict(given)
    width = options["width"]
    if width is not None and width not in get_args(Width):
        raise InvalidInputError(f"width is {width!r}; it must be 'column' or 'page'.")
    if width is not None and has_axes:
        raise InvalidInputError("width= is that of a new figure: leave out ax, or width.")
    for name, types in (("title", (str, type(None))), ("caption", (str, bool))):
        if not isinstance(options[name], types):
            raise InvalidInputError(f"{name} is {options[name]!r}; it must be text.")
    palette, inches = Palette(options["palette"]), INCHES.get(width)
    return bound(_current, Appearance(options["title"], options["caption"], inches, palette))


def in_panels() -> AbstractContextManager[None]:
    """Describe the charts in the context as panels."""
    return bound(_current, current()._replace(is_panel=True))

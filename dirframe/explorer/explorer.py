"""The public `Explorer` class."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe.client.directory import Directory
from dirframe.errors import Hint, InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dirframe.explorer.state import State


class Explorer:
    """Explore accounts or projects in a notebook: load, filter, chart, cite, export.

    Displayed as the last line of a cell. It shows the query, its price, the remaining daily quota,
    a load that can be cancelled without losing records, a table, charts, filters for both, the
    citation, and code that reproduces the view. Only the buttons *Price* and *Load* send requests.
    Filters, search and order act on everything shown: table, chart, citation, code and file. A
    saved notebook, which has no kernel, keeps a static view of records, chart and source.

    Parameters
    ----------
    source : Directory or pandas.DataFrame, optional
        A directory to load from, or a frame of accounts or projects. Default: the directory
        configured in the environment.
    view : str or pathlib.Path, optional
        A view to begin with: the file that `save` wrote, or the text or link that the explorer
        shows. Of a directory it is restored when the records are loaded.

    Attributes
    ----------
    source : Directory or pandas.DataFrame
        The directory or frame that was given.
    state : State
        The choices and the derived values as traits: set ``state.query``, ``state.languages``,
        ``state.chart`` and so on, or observe them; ``state.load()`` loads and waits for the
        records.

    Raises
    ------
    MissingExtraError
        If ipywidgets is not installed.
    ConfigurationError
        If no directory is given and none is configured in the environment.
    InvalidInputError
        If `source` is neither a directory nor a frame of its records, or `view` is no view, is one
        of another version, or names columns that the records lack.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     explorer = dirframe.Explorer(directory)
    ...     explorer.state.max_items = 200
    ...     explorer.state.load()
    >>> explorer.state.languages = ("Java",)
    >>> explorer
    <Explorer: 32 of 200 projects>
    >>> explorer.frame["analysis_main_language_name"].unique().tolist()
    ['Java']
    """

    def __init__(
        self,
        source: Directory | pd.DataFrame | None = None,
        *,
        view: str | Path | None = None,
    ) -> None:
        try:
            from dirframe.explorer import saved_view
            from dirframe.explorer.code import variable_of
            from dirframe.explorer.state import State
            from dirframe.explorer.widgets.view import View, in_this_thread
        except ImportError as error:
            library = (error.name or "").partition(".")[0]
            if library not in {"anywidget", "ipywidgets", "traitlets"}:
                raise
            raise MissingExtraError(library, extra="explorer", purpose="The explorer") from error
        if source is None:
            source = Directory()
        if not isinstance(source, Directory | pd.DataFrame):
            raise InvalidInputError(
                f"The explorer was given a {type(source).__name__}; it takes a dirframe.Directory, "
                "a frame of load_accounts() or load_projects(), or nothing, for the directory that "
                "the environment names.",
                hint=Hint("Of polars or Arrow: frame.to_pandas()."),
            )
        self.source = source
        self.state: State = State(source, in_this_thread())
        caller = inspect.currentframe()
        caller = caller and caller.f_back
        if caller is not None:
            self.state.name_frame(variable_of(source, {**caller.f_globals, **caller.f_locals}))
        if view is not None:
            saved_view.restore(self.state, saved_view.read(view))
        self._view = View(self.state)

    @property
    def frame(self) -> pd.DataFrame | None:
        """The records shown; None before a load."""
        return self.state.shown.frame if self.state.shown else None

    @property
    def code(self) -> str:
        """Code that reproduces the records shown."""
        return self.state.code

    def save(self, path: str | Path) -> Path:
        """Write the view, without records and key, to a file for ``Explorer(source, view=path)``.

        Parameters
        ----------
        path : str or pathlib.Path
            The file, JSON; an existing one is replaced.

        Returns
        -------
        pathlib.Path
            The file.
        """
        from dirframe.explorer import saved_view

        return saved_view.save(self.state, path)

    def __repr__(self) -> str:
        from dirframe.explorer.html import words

        return f"<Explorer: {words(self.state)}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Return the static view: HTML, PNG and text."""
        from dirframe.explorer.html import static

        picture = self._view.picture
        bundle: dict[str, Any] = {
            "text/html": static(self.state, picture),
            "text/plain": repr(self),
        }
        if picture is not None:
            bundle["image/png"] = picture.png
        return bundle

    def _ipython_display_(self) -> None:
        """Display the static view, then the widgets, which hide it while a kernel runs."""
        from base64 import b64encode

        from IPython import display as ipython
        from IPython import get_ipython

        from dirframe.explorer.code import variable_of

        shell = get_ipython()
        if shell is not None and not self.state.has_variable:
            output = f"Out[{shell.displayhook.prompt_count}]"
            self.state.name_frame(f"{variable_of(self, shell.user_ns) or output}.source")

        def bundle() -> dict[str, Any]:
            contents = self._repr_mimebundle_()
            if "image/png" in contents:
                contents["image/png"] = b64encode(contents["image/png"]).decode()
            return contents

        # IPython does not annotate it.
        display: Callable[..., Any] = ipython.display
        handle = display(bundle(), raw=True, display_id=True)
        if handle is not None:
            self._view.when_changed(lambda: handle.update(bundle(), raw=True))
        # Without a kernel, a page would have the widget's repr as text below the static view.
        display(self._view.widget._repr_mimebundle_() | {"text/plain": ""}, raw=True)

"""The accessor of frames, ``frame.dirframe``, and the dtype of text that they need."""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from types import MethodType
from typing import Any

import pandas as pd

from dirframe._display import unknown_attribute
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import ConfigurationError

#: The functions whose first argument is a frame, by their module.
_FUNCTIONS: dict[str, Collection[str]] = {
    "dirframe": (
        *("child_table", "cite", "compare", "country_audit", "country_note", "exclude", "export"),
        *("flags", "select", "summary", "unify_countries", "with_age", "with_license_family"),
    ),
    "dirframe.stats": STATISTICS,
    "dirframe.plot": CHARTS,
}


def check_text_dtype() -> None:
    """Raise if pandas reads "str" as it did before version 3, where None is the text "None"."""
    # To read the option itself warns that it is deprecated.
    if not isinstance(pd.api.types.pandas_dtype("str"), pd.StringDtype):
        raise ConfigurationError(
            "pandas treats missing text as the word nan, and counts it, because its option "
            "future.infer_string is off.",
            hint='Run pandas.reset_option("future.infer_string").',
        )


class _Functions:
    """The functions of a module whose first argument is a frame, as methods of this frame."""

    def __init__(self, frame: pd.DataFrame, module: str) -> None:
        self._frame, self._module = frame, module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _FUNCTIONS[self._module]:
            raise unknown_attribute(f"DataFrame.dirframe of {self._module}", name, dir(self))
        return MethodType(getattr(import_module(self._module), name), self._frame)

    def __dir__(self) -> list[str]:
        return sorted(_FUNCTIONS[self._module])


# Every code path that makes or takes a frame imports this module, by way of the provenance.
@pd.api.extensions.register_dataframe_accessor("dirframe")
class Accessor(_Functions):
    """The functions of dirframe for this frame, its statistics, charts, provenance and caption.

    ``frame.dirframe.cite()`` is ``dirframe.cite(frame)``, ``frame.dirframe.plot.tags()`` is
    ``dirframe.plot.tags(frame)``, and ``frame.dirframe.caption`` is
    ``dirframe.provenance.caption(frame)``.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(frame, "dirframe")
        self.stats = _Functions(frame, "dirframe.stats")
        self.plot = _Functions(frame, "dirframe.plot")

    @property
    def provenance(self) -> dict[str, Any]:
        """What the frame was made from, as `dirframe.provenance.get_provenance` returns it."""
        facts: dict[str, Any] = import_module("dirframe.provenance").get_provenance(self._frame)
        return facts

    @property
    def caption(self) -> str:
        """The caption of a table of this frame, as `dirframe.provenance.caption` returns it."""
        text: str = import_module("dirframe.provenance").caption(self._frame)
        return text

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), "caption", "plot", "provenance", "stats"])

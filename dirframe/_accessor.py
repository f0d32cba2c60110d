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


# Every code path that makes or takes a frame imports this module, by way of the provenance.
@pd.api.extensions.register_dataframe_accessor("dirframe")
class Accessor:
    """The functions of dirframe for this frame, its statistics and its charts.

    ``frame.dirframe.cite()`` is ``dirframe.cite(frame)``, and ``frame.dirframe.plot.tags()`` is
    ``dirframe.plot.tags(frame)``.
    """

    def __init__(self, frame: pd.DataFrame, module: str = "dirframe") -> None:
        self._frame, self._module = frame, module
        if module == "dirframe":
            self.stats = Accessor(frame, "dirframe.stats")
            self.plot = Accessor(frame, "dirframe.plot")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _FUNCTIONS[self._module]:
            raise unknown_attribute(f"DataFrame.dirframe of {self._module}", name, dir(self))
        return MethodType(getattr(import_module(self._module), name), self._frame)

    def __dir__(self) -> list[str]:
        return sorted([*_FUNCTIONS[self._module], *(n for n in vars(self) if n[0] != "_")])

"""The accessor of frames, ``frame.dirframe``, and the dtype of text that they need."""

from __future__ import annotations

from importlib import import_module
from types import MethodType
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe._display import unknown_attribute
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Public functions whose first argument is a frame.
_METHODS = (
    *("child_table", "cite", "compare", "country_audit", "country_note", "exclude", "export"),
    *("flags", "select", "summary", "unify_countries"),
)


def check_text_dtype() -> None:
    """Raise if pandas reads "str" as it did before version 3, where None is the text "None"."""
    # To read the option itself warns that it is deprecated.
    if not isinstance(pd.api.types.pandas_dtype("str"), pd.StringDtype):
        raise ConfigurationError(
            f"pandas {pd.__version__} treats missing text as the word nan, and counts it: it is older "
            "than version 3, or its option future.infer_string is off.",
            hint='Run pip install "pandas>=3" and start Python anew, or run '
            'pandas.reset_option("future.infer_string").',
        )


class _Functions:
    """Functions of a module as methods of a frame: it is their first argument."""

    def __init__(self, frame: pd.DataFrame, module: str, names: Iterable[str]) -> None:
        self._frame, self._module, self._names = frame, module, sorted(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._names:
            raise unknown_attribute(f"DataFrame.dirframe of {self._module}", name, dir(self))
        return MethodType(getattr(import_module(self._module), name), self._frame)

    def __dir__(self) -> list[str]:
        return self._names

    def __repr__(self) -> str:
        return f"<Functions of {self._module} for this frame: {', '.join(dir(self))}>"


class Accessor(_Functions):
    """The functions of dirframe for this frame, its statistics and its charts.

    ``frame.dirframe.cite()`` is ``dirframe.cite(frame)``, and ``frame.dirframe.plot.tags()`` is
    ``dirframe.plot.tags(frame)``.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        super().__init__(frame, "dirframe", _METHODS)
        self.stats = _Functions(frame, "dirframe.stats", STATISTICS)
        self.plot = _Functions(frame, "dirframe.plot", CHARTS)

    def __dir__(self) -> list[str]:
        return sorted([*self._names, "plot", "stats"])


def register_accessor() -> None:
    """Give each DataFrame the attribute ``dirframe``."""
    if not hasattr(pd.DataFrame, "dirframe"):
        pd.api.extensions.register_dataframe_accessor("dirframe")(Accessor)

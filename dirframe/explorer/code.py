"""Python code that reproduces what the explorer shows, with public names and without the key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.client.directory import connection_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.explorer.request import Request


def load_lines(request: Request, directory: Directory) -> list[str]:
    """Return the lines that load records; the environment has the key of the directory."""
    opened = connection_of(directory).code
    if opened is None:
        options: dict[str, Any] = {"name": directory.name}
        options |= {"allow_http": True} if directory.allow_http else {}
        opened = _call("dirframe.Directory", repr(directory.base_url), options)
    load = _call(f"dirframe.load_{request.collection}", "directory", request.arguments())
    return [f"with {opened} as directory:", f"    {request.collection} = {load}"]


def select_lines(collection: str, choices: Mapping[str, Any]) -> list[str]:
    """Return the lines that select records, which are then called ``shown``."""
    if not choices:
        return [f"shown = {collection}"]
    options = (f"    {name}={value!r}," for name, value in choices.items())
    return ["shown = dirframe.select(", f"    {collection},", *options, ")"]


def chart_call(name: str, options: Mapping[str, Any]) -> str:
    """Return the code that draws a chart of what is shown."""
    return _call(f"dirframe.plot.{name}", "shown", options)


def sort(frame: pd.DataFrame, column: str, *, descending: bool) -> tuple[pd.DataFrame, str]:
    """Return a sorted frame, and the line that sorts ``shown`` so; text is sorted without case."""
    options: dict[str, Any] = {"ascending": not descending, "kind": "stable"}
    line = _call("shown = shown.sort_values", repr(column), options)
    if frame[column].dtype == "str":
        options["key"] = lambda texts: texts.str.casefold()
        line = f"{line[:-1]}, key=lambda texts: texts.str.casefold())"
    return frame.sort_values(column, **options), line


def _call(function: str, first: str, options: Mapping[str, Any]) -> str:
    arguments = [first, *(f"{name}={value!r}" for name, value in options.items())]
    return f"{function}({', '.join(arguments)})"

"""Save what the explorer shows as text, and restore it; no key and no record is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import traitlets as tr

from dirframe import __version__
from dirframe._files import atomic_write
from dirframe.errors import InvalidInputError
from dirframe.explorer.choices import FILTERS

if TYPE_CHECKING:
    from dirframe.explorer.state import State

#: What a link to a view has after the address of its notebook, before the view.
FRAGMENT = "#dirframe="

_FORMAT = 1
_QUESTION = ("collection", "query", "sort", "max_items", "details")
_LOOK = (
    *("columns", "order_by", "descending", "page_size", "page", "measure"),
    *("chart", "exclude", "by", "style"),
)
_OF_THE_RECORDS = ("columns", "measure", "chart")  # without a default that fits all
_HEAD = {"dirframe_view", "dirframe_version"}


def dump(state: State) -> str:
    """Return the view as JSON in one line: what differs from an explorer just opened."""
    view: dict[str, Any] = {"dirframe_view": _FORMAT, "dirframe_version": __version__}
    for name in (*_QUESTION, *FILTERS, *_LOOK):
        value = _collection(state) if name == "collection" else getattr(state, name)
        if name == "collection" or value != state.trait_defaults(name):
            view[name] = value
    return json.dumps(view, ensure_ascii=False)


def fragment(state: State) -> str:
    """Return the view as the end of a link."""
    return FRAGMENT + quote(dump(state), safe="")


def save(state: State, path: str | Path) -> Path:
    """Write the view to a file."""
    file = Path(path).expanduser()
    with atomic_write(file, overwrite=True) as written:
        written.write_text(dump(state) + "\n", encoding="utf-8")
    return file


def read(view: str | Path) -> dict[str, Any]:
    """Return a view from a file, or from the text or link that an explorer gave.

    Raises
    ------
    InvalidInputError
        If it is no view, or one of another version.
    """
    text = str(view).strip()
    if FRAGMENT in text:
        return parse(unquote(text.partition(FRAGMENT)[2]))
    if text.startswith("{"):
        return parse(text)
    try:
        return parse(Path(view).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError(f"The view {text[:200]!r} cannot be read: {error}.") from error


def parse(text: str) -> dict[str, Any]:
    """Return the view of a text; its names are checked, its values by `restore`."""
    try:
        view = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(f"This is not a saved view: {error}.") from error
    if not isinstance(view, dict) or "dirframe_view" not in view:
        raise InvalidInputError(
            "This is not a saved view: it has no dirframe_view. Give a file that the explorer saved, "
            "or the text or link that it shows."
        )
    unknown = sorted(set(view) - {*_HEAD, *_QUESTION, *FILTERS, *_LOOK})
    if view["dirframe_view"] != _FORMAT or unknown:
        why = f"it has {', '.join(unknown)}" if unknown else f"form {view['dirframe_view']!r}"
        raise InvalidInputError(
            f"The view was saved by dirframe {view.get('dirframe_version', 'of unknown version')} "
            f"in another form ({why}); this is dirframe {__version__}, which reads form {_FORMAT}. "
            "Save it anew with this version, or restore it with that one."
        )
    return {name: _tuples(value) for name, value in view.items() if name not in _HEAD}


def restore(state: State, view: dict[str, Any]) -> None:
    """Show a view; of a directory whose records are not loaded, when they are.

    Raises
    ------
    InvalidInputError
        If the records are of another collection or lack a column; nothing is changed then.
    """
    question = {name: view.get(name, state.trait_defaults(name)) for name in _QUESTION}
    if state.directory is None and question["collection"] != _collection(state):
        raise InvalidInputError(
            f"The view is one of {question['collection']}; the explorer was given "
            f"{_collection(state)}. Give it a frame of the view's collection, or a directory."
        )
    if state.directory is not None:
        try:
            for name, value in question.items():
                state.set_trait(name, value)
        except tr.TraitError as error:
            raise InvalidInputError(f"The view asks for what does not exist: {error}") from error
    defaults = {name: state.trait_defaults(name) for name in (*FILTERS, *_LOOK)}
    state.apply_view(
        {
            name: view.get(name, default)
            for name, default in defaults.items()
            if name in view or name not in _OF_THE_RECORDS
        }
    )


def _collection(state: State) -> str:
    return state.shown.resource.collection if state.shown else state.collection


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _tuples(part) for name, part in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value

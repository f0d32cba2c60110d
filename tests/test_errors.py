from __future__ import annotations

import inspect
import pickle
import re
from datetime import UTC, datetime

import pandas as pd
import pytest

from dirframe import errors
from dirframe.errors import (
    ConfigurationError,
    DirframeError,
    DirframeWarning,
    Hint,
    IncompleteCollectionError,
    InvalidInputError,
    MissingExtraError,
    NetworkError,
    QuotaExceededError,
    ReportError,
    RequestError,
    UnreadableResponseError,
    UnresolvedCountriesError,
)

URL = "https://directory.example/projects.xml"
CLASSES = [getattr(errors, name) for name in errors.__all__ if name != "Hint"]
ONE_OF_EACH_SHAPE = [
    InvalidInputError("It is there.", hint=Hint("Pass overwrite=True.", "Use --overwrite.")),
    InvalidInputError("max_items is -1; it must be 0 or more."),
    MissingExtraError("keyring", extra="keyring", purpose="Reading a stored key"),
    UnreadableResponseError("This is HTML.", found="HTML", source="page.xml"),
    NetworkError("No answer came.", url=URL),
    QuotaExceededError(
        "The quota is used up.",
        url=URL,
        status=429,
        help_text="Come back tomorrow.",
        resets_at=datetime(2026, 1, 2, tzinfo=UTC),
    ),
    ReportError(cell=3, heading="Languages", error="KeyError", text="'x'"),
    IncompleteCollectionError(
        "Two are missing.", frame=pd.DataFrame({"id": ["1"]}), missing="2 of 3 records"
    ),
]


def facts(error: DirframeError) -> dict[str, object]:
    return {name: value for name, value in vars(error).items() if name != "frame"}


@pytest.mark.parametrize("error", ONE_OF_EACH_SHAPE, ids=lambda error: type(error).__name__)
def test_an_error_crosses_a_process_boundary_with_its_facts(error: DirframeError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert facts(copy) == facts(error)


def test_the_records_of_an_incomplete_collection_cross_with_it() -> None:
    frame = pd.DataFrame({"id": ["1"]})
    error = IncompleteCollectionError("Two are missing.", frame=frame, missing="2 of 3 records")
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(error)).frame, frame)


def public_base(cls: type[Exception]) -> type:
    return next(base for base in cls.__mro__[1:] if not base.__name__.startswith("_"))


def test_the_drawn_tree_is_the_tree() -> None:
    """The drawing gives each class below its first base, indented by one step."""
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in inspect.cleandoc(errors.__doc__ or "").splitlines():
        found = re.match(r" {4}(?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+(?:Error|Warning))\b", line)
        if found:
            depth = len(found["branch"]) // 4
            above[depth:] = [found["name"]]
            root = "UserWarning" if found["name"].endswith("Warning") else "Exception"
            drawn[found["name"]] = above[depth - 1] if depth else root
    assert drawn == {cls.__name__: public_base(cls).__name__ for cls in CLASSES}


def test_one_base_catches_everything() -> None:
    assert all(issubclass(cls, DirframeError | DirframeWarning) for cls in CLASSES)


def test_the_standard_names_catch_what_they_should() -> None:
    assert issubclass(InvalidInputError, ValueError)
    assert issubclass(MissingExtraError, ImportError)
    assert issubclass(MissingExtraError, ConfigurationError)
    assert issubclass(QuotaExceededError, RequestError)


def test_a_missing_extra_says_what_to_install() -> None:
    error = MissingExtraError("keyring", extra="keyring", purpose="Reading a stored key")
    assert 'pip install "dirframe[keyring]"' in str(error)


def test_python_and_a_shell_each_get_the_advice_that_is_theirs() -> None:
    for kind in (InvalidInputError, DirframeWarning):
        error = kind("It is there.", hint=Hint("Pass overwrite=True.", shell="Use --overwrite."))
        assert str(error) == "It is there. Pass overwrite=True."
        assert error.shell_text == "It is there. Use --overwrite."
        assert error.message == "It is there."


def test_advice_that_holds_everywhere_is_given_once() -> None:
    error = InvalidInputError("It is gone.", hint=Hint("Check the address."))
    assert str(error) == error.shell_text == "It is gone. Check the address."
    assert str(InvalidInputError("It is gone.")) == "It is gone."
    assert (
        InvalidInputError("It is gone.", hint=Hint("Call f().", shell="")).shell_text
        == "It is gone."
    )


def test_advice_stands_below_a_list() -> None:
    error = UnresolvedCountriesError([("Mars", 2, "no country")])
    assert "\n  'Mars' (2): no country\nResolve them with overrides=" in str(error)
    assert "overrides=" not in error.shell_text


def test_code_that_is_in_no_module_is_warned_too() -> None:
    calls = {"warn": errors.warn, "warning": DirframeWarning("It is old.")}
    with pytest.warns(DirframeWarning, match="It is old"):
        exec("warn(warning)", calls)

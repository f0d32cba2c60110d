"""Errors and warnings: facts as attributes, two readers of one advice."""

import pickle
from datetime import UTC, datetime

import pandas as pd
import pytest

from dirframe import errors
from dirframe.errors import (
    DirframeWarning,
    IncompleteCollectionError,
    InvalidInputError,
    MissingExtraError,
    QuotaExceededError,
    UnresolvedCountriesError,
)

ADVICE = "Pass overwrite=True (--overwrite)."


@pytest.mark.parametrize(
    "error",
    [
        InvalidInputError("It is there.", hint=ADVICE),
        MissingExtraError("xlsxwriter", extra="excel", purpose="Writing .xlsx"),
        QuotaExceededError("It is used up.", url="/", resets_at=datetime(2026, 1, 2, tzinfo=UTC)),
        UnresolvedCountriesError("No country.", unresolved=[("Mars", 2, "no country")]),
        IncompleteCollectionError(
            "Two are missing.", frame=pd.DataFrame({"id": ["1"]}), missing="2 of 3 records"
        ),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_cross_a_process_boundary_with_their_facts(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    facts, again = dict(vars(error)), dict(vars(copy))
    if "frame" in facts:
        pd.testing.assert_frame_equal(again.pop("frame"), facts.pop("frame"))
    assert again == facts


@pytest.mark.parametrize("kind", [InvalidInputError, DirframeWarning])
def test_advice_follows_the_message(kind):
    error = kind("It is there.", hint=ADVICE)
    assert (str(error), error.hint) == (f"It is there. {ADVICE}", ADVICE)
    assert str(kind("It is gone.")) == "It is gone."


def test_advice_stands_below_a_list():
    assert str(InvalidInputError("These:\n  a\n  b", hint=ADVICE)) == f"These:\n  a\n  b\n{ADVICE}"


@pytest.mark.parametrize("kind", [InvalidInputError, DirframeWarning])
def test_error_text_escapes_what_a_terminal_acts_on(kind):
    error = kind("a\x1b[31m\x9b2J\u202eb\n\tc", hint="d\x07e", found="a\x1b[31m")
    assert str(error) == r"a\x1b[31m\x9b2J\u202eb" + "\n\tc\n" + r"d\x07e"
    assert error.found == "a\x1b[31m"


def test_warnings_reach_code_that_is_in_no_module():
    calls = {"warn": errors.warn, "warning": DirframeWarning("It is old.")}
    with pytest.warns(DirframeWarning):
        exec("warn(warning)", calls)

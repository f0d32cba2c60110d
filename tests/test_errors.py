"""Errors and warnings: one tree, facts as attributes, two readers of one advice."""

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
    NetworkError,
    QuotaExceededError,
    UnreadableResponseError,
    UnresolvedCountriesError,
)

URL = "https://directory.example/projects.xml"


def test_errors_cross_a_process_boundary_with_their_facts():
    frame = pd.DataFrame({"id": ["1"]})
    one_of_each_shape = [
        InvalidInputError("It is there.", hint="Pass overwrite=True (--overwrite)."),
        MissingExtraError("xlsxwriter", extra="excel", purpose="Writing .xlsx"),
        UnreadableResponseError("This is HTML.", found="HTML", source="page.xml"),
        NetworkError("No answer came.", url=URL),
        QuotaExceededError(
            "The quota is used up.",
            url=URL,
            status=429,
            help_text="Come back tomorrow.",
            resets_at=datetime(2026, 1, 2, tzinfo=UTC),
        ),
        IncompleteCollectionError("Two are missing.", frame=frame, missing="2 of 3 records"),
    ]
    for error in one_of_each_shape:
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        facts, again = dict(vars(error)), dict(vars(copy))
        if "frame" in facts:
            pd.testing.assert_frame_equal(again.pop("frame"), facts.pop("frame"))
        assert again == facts
    extra = one_of_each_shape[1]
    assert (extra.package, extra.extra) == ("xlsxwriter", "excel")
    assert 'pip install "dirframe[excel]"' in str(extra)


def test_advice_follows_the_message_and_stands_below_a_list():
    for kind in (InvalidInputError, DirframeWarning):
        error = kind("It is there.", hint="Pass overwrite=True (--overwrite).")
        assert str(error) == "It is there. Pass overwrite=True (--overwrite)."
        assert error.hint == "Pass overwrite=True (--overwrite)."
        assert str(kind("It is gone.")) == "It is gone."
    listing = UnresolvedCountriesError([("Mars", 2, "no country")])
    assert listing.unresolved == (("Mars", 2, "no country"),)
    *_, mars, advice = str(listing).splitlines()
    assert "'Mars' (2): no country" in mars
    assert "--overrides" in advice


def test_warnings_reach_code_that_is_in_no_module():
    calls = {"warn": errors.warn, "warning": DirframeWarning("It is old.")}
    with pytest.warns(DirframeWarning):
        exec("warn(warning)", calls)

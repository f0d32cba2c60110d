"""A typing error is suggested to a person, never answered."""

from __future__ import annotations

import re

import pytest

from dirframe.clean import country_audit
from dirframe.clean.suggest import suggest
from tests.clean import code, frame


@pytest.mark.parametrize("raw", ["amrenia", "phillipines", "UnitesStates", "Germny"])
def test_a_typing_error_is_suggested_and_never_answered(raw: str) -> None:
    table = country_audit(frame(raw))
    assert table["country_alpha_2"].isna().all()
    assert re.fullmatch(r"[A-Z]{2} \(.+\)\?", table["suggestion"][0])


def test_a_suggestion_needs_one_nearest_country() -> None:
    assert suggest("Nigera") is None or code("Nigera") is None
    assert suggest("Nowhere at all") is None
    assert suggest("xx") is None


@pytest.mark.parametrize(("raw", "alpha_2"), [("ra fo egypt", "EG"), ("kbingdom of beligum", "BE")])
def test_two_errors_in_a_long_name_are_seen_wherever_they_stand(raw: str, alpha_2: str) -> None:
    assert suggest(raw) == alpha_2

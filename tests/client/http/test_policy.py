"""How a load may use the cache and the allowance."""

from __future__ import annotations

import pytest

from dirframe.client.http.policy import Manner
from dirframe.errors import InvalidInputError


@pytest.mark.parametrize("other", ["offline", "stale"])
def test_asking_for_every_page_excludes_asking_the_cache(other: str) -> None:
    with pytest.raises(InvalidInputError, match="refresh"):
        Manner(refresh=True, **{other: True})


def test_a_negative_wait_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="wait"):
        Manner(wait=-1)


def test_pages_that_do_not_fit_are_asked_for_again_unless_offline() -> None:
    assert Manner(stale=True, wait=3).again() == Manner(refresh=True, wait=3)
    offline = Manner(offline=True)
    assert offline.again() is offline

"""Which attempts are repeated, how often, and after which pause."""

from __future__ import annotations

import pytest

from dirframe.client.http.retry import RetryPolicy


def policy(retries: int = 5) -> RetryPolicy:
    return RetryPolicy(retries=retries, backoff=0.5, max_pause=30)


def test_a_pause_that_the_server_asks_for_is_kept() -> None:
    assert policy().pause(1, retry_after=7) == 7


def test_pauses_grow_and_attempts_end() -> None:
    pauses = [policy(retries=4).pause(attempts) for attempts in range(1, 6)]
    assert pauses == [0, 1, 2, 4, None]  # the second attempt goes out at once


def test_without_retries_one_attempt_is_all() -> None:
    assert policy(retries=0).pause(1) is None


@pytest.mark.parametrize("attempts", [8, 100, 5_000])
def test_a_pause_never_exceeds_the_longest_one(attempts: int) -> None:
    assert policy(retries=10_000).pause(attempts) == 30


def test_a_longer_pause_than_that_ends_the_attempts_at_once() -> None:
    assert policy().pause(1, retry_after=3_600) is None


def test_an_exhausted_quota_is_never_tried_again() -> None:
    temporary = [status for status in range(200, 600) if policy().is_temporary(status)]
    assert temporary == [502, 503, 504]

"""The rate of pages counts clients, and keeps no more than it may."""

from __future__ import annotations

import pytest

from dirframe.errors import ConfigurationError
from dirframe.service.web import page_rate
from dirframe.service.web.page_rate import PageRate


def test_each_address_has_its_own_count_and_is_told_when_to_come_again() -> None:
    rate = PageRate(2)
    assert [rate.acquire("192.0.2.1") for _ in range(2)] == [0, 0]
    assert 1 <= rate.acquire("192.0.2.1") <= 61
    assert rate.acquire("192.0.2.2") == 0


def test_a_network_of_ipv6_is_one_client_and_a_mapped_address_is_its_ipv4() -> None:
    rate = PageRate(1)
    assert rate.acquire("2001:db8::1") == 0
    assert rate.acquire("2001:db8::2") > 0
    assert rate.acquire("2001:db8:0:1::1") == 0
    assert rate.acquire("192.0.2.1") == 0
    assert rate.acquire("::ffff:192.0.2.1") > 0


def test_what_is_kept_is_bounded_however_many_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_rate, "_TIMESTAMPS", 100)
    rate = PageRate(10)
    for number in range(1_000):
        rate.acquire(f"10.0.{number // 250}.{number % 250}")
        for _ in range(20):
            rate.acquire("192.0.2.1")
    assert sum(bucket.count() for bucket in rate._buckets.values()) <= 100
    assert rate.acquire("192.0.2.1") > 0  # who asks on is not forgotten


def test_no_rate_is_no_limit_and_a_negative_one_is_an_error() -> None:
    assert not any(PageRate(0).acquire("192.0.2.1") for _ in range(1_000))
    with pytest.raises(ConfigurationError, match="page rate is -1"):
        PageRate(-1)

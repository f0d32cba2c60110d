"""How fast an answer comes; tests/faults/test_charges.py asks real servers that trickle."""

from __future__ import annotations

import pytest

from dirframe.client.http.connections import Attempt, trusted_certificates
from dirframe.client.http.deadline import Deadline
from dirframe.errors import ConfigurationError


def test_the_first_byte_may_take_its_time_and_the_others_may_not() -> None:
    attempt = Attempt(Deadline(60), min_bytes_per_second=100, slow_time=30)
    attempt.count(1, 1_000)
    attempt.check_rate()
    attempt.count(2_000, 31)
    with pytest.raises(TimeoutError):
        attempt.check_rate()
    assert attempt.too_slow


def test_the_rate_is_measured_anew_after_each_time() -> None:
    attempt = Attempt(Deadline(60), min_bytes_per_second=100, slow_time=30)
    for _ in range(3):
        attempt.count(4_000, 30)
        attempt.check_rate()
    assert not attempt.too_slow


def test_without_a_variable_the_usual_authorities_are_trusted() -> None:
    assert trusted_certificates({"SSL_CERT_FILE": ""}) is None


def test_a_path_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="CURL_CA_BUNDLE"):
        trusted_certificates({"CURL_CA_BUNDLE": "gone.pem", "SSL_CERT_FILE": "gone too"})

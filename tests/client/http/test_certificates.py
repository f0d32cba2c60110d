"""Which certificates are trusted; tests/faults/test_charges.py asks real servers with them."""

from __future__ import annotations

import pytest

from dirframe.client.http.certificates import trusted_certificates
from dirframe.errors import ConfigurationError


def test_without_a_variable_the_usual_authorities_are_trusted() -> None:
    assert trusted_certificates({"SSL_CERT_FILE": ""}) is None


def test_a_path_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="CURL_CA_BUNDLE"):
        trusted_certificates({"CURL_CA_BUNDLE": "gone.pem", "SSL_CERT_FILE": "gone too"})

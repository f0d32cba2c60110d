"""Fetching and writing is tested with the harvest; here, what counts as a refusal."""

from __future__ import annotations

from dirframe.archive.writer import is_client_error
from dirframe.errors import ServiceError


def test_a_service_that_is_out_of_order_refuses_nothing() -> None:
    assert is_client_error(ServiceError("no such sort", url="", status=400))
    assert not is_client_error(ServiceError("out of order", url="", status=503))

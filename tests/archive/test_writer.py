"""Asking and keeping is tested with the harvest; here, what counts as a refusal."""

from __future__ import annotations

from dirframe.archive.keeping import is_refusal
from dirframe.errors import ServiceError


def test_a_service_that_is_out_of_order_refuses_nothing() -> None:
    assert is_refusal(ServiceError("no such sort", url="", status=400))
    assert not is_refusal(ServiceError("out of order", url="", status=503))

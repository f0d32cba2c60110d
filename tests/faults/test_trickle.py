"""An answer that trickles is ended; one that only comes late is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dirframe.errors import ServiceError
from tests.faults import faults
from tests.faults.service import numbered
from tests.faults.test_charges import charged, failure
from tests.faults.test_outcomes import load

if TYPE_CHECKING:
    from tests.faults.conftest import Ask
    from tests.faults.service import FaultyService


@pytest.mark.parametrize("fault", [faults.drip_headers, faults.drip_body])
def test_an_answer_that_trickles_is_ended_charged_once_and_not_asked_for_again(
    fault: Any, service: FaultyService, ask: Ask
) -> None:
    service.always = fault
    directory = ask(
        service,
        retries=3,
        min_bytes_per_second=1_000.0,
        slow_time=0.4,
    )
    text = failure(directory)
    assert "was too slow" in text
    assert "less than 1000" in text
    assert "min_bytes_per_second=" in text
    assert charged(directory) == len(service.asked) == 1


def test_a_directory_that_thinks_long_before_its_first_byte_is_waited_for(
    service: FaultyService, ask: Ask
) -> None:
    service.faults.append(faults.late(1.0))
    options: dict[str, float] = {"min_bytes_per_second": 10_000.0, "slow_time": 0.2}
    directory = ask(service, **options)
    assert load(directory) == numbered(55)


def test_a_pause_between_headers_and_a_body_that_then_comes_whole_is_no_trickle(
    service: FaultyService, ask: Ask
) -> None:
    def pausing(exchange: Any) -> None:
        exchange.send(exchange.head(Content_Length=str(len(exchange.body))))
        exchange.closing.wait(1.0)
        exchange.send(exchange.body)

    service.faults.append(pausing)
    options: dict[str, float] = {"min_bytes_per_second": 10_000.0, "slow_time": 0.2}
    directory = ask(service, **options)
    assert load(directory) == numbered(55)


def test_a_refused_redirect_names_scheme_host_and_port(service: FaultyService, ask: Ask) -> None:
    service.always = faults.redirects("https://127.0.0.1/projects.xml")
    with pytest.raises(ServiceError, match=r"to https://127\.0\.0\.1:443, which") as caught:
        load(ask(service))
    assert f"than http://127.0.0.1:{service.port}." in str(caught.value)

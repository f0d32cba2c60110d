"""Metrics count requests, and hold no key and no name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import requests

from dirframe.service.server import serve
from tests.service.conftest import write_collection

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.door import Door


def test_metrics_count_requests_without_keys_and_names(sample: Door) -> None:
    sample.keyed("/accounts/7.xml")
    sample.ask("/accounts/unknown-person.xml?api_key=not-a-key")
    text = sample.ask("/metrics").body.decode()
    assert 'dirframe_requests_total{status="403",view="account_xml"}' in text
    assert 'dirframe_records{collection="accounts"} 2000.0' in text
    for secret in (sample.key, "not-a-key", "unknown-person", "/7"):
        assert secret not in text
    service = serve(metrics="127.0.0.1:0")
    with service as url:
        assert requests.get(f"{url}/metrics", timeout=30).status_code == 404


def test_metrics_count_the_records_that_are_served_now(tmp_path: Path) -> None:
    write_collection(tmp_path, "account", [{"id": "1", "name": "Ada"}])
    service = serve(tmp_path, metrics="/metrics")
    with service as url:
        write_collection(tmp_path, "account", [{"id": n, "name": "x"} for n in ("1", "2")])
        service.reload()
        text = requests.get(f"{url}/metrics", timeout=30).text
    assert 'dirframe_records{collection="accounts"} 2.0' in text

"""Why no answer came; tests/faults/test_charges.py has each failure from a real server."""

from __future__ import annotations

from dirframe.client.http.failures import proxy_of, proxy_refusal


def test_a_proxy_is_named_without_its_password() -> None:
    proxies = {"https": "http://ada:s3cret@proxy.example:3128"}
    assert proxy_of("https://d.example/p.xml", proxies) == "proxy.example:3128"
    assert proxy_of("http://d.example/p.xml", proxies) is None


def test_a_refusal_of_a_proxy_is_final_and_free() -> None:
    failure = proxy_refusal("proxy.example:3128", answer="407")
    assert not failure.is_temporary
    assert not failure.has_arrived
    assert "NO_PROXY" in failure.hint.shell

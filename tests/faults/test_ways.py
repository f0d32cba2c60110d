"""The way to the directory and back: encrypted, through a proxy, and cut on its way."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import pytest
import trustme

import dirframe
from dirframe.errors import NetworkError
from tests.faults import faults
from tests.faults.service import KEY, FaultyService, Shelf, Trap, numbered
from tests.faults.tunnel import Tunnel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

    from dirframe.client.directory import Directory
    from tests.faults.conftest import Ask
    from tests.faults.service import Fault


def load(directory: Directory) -> pd.DataFrame:
    return dirframe.load_projects(directory=directory, progress=False)


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def encrypted(authority: trustme.CA) -> Iterator[FaultyService]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with FaultyService(Shelf(numbered(55), size=10), tls=context) as service:
        yield service


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = tmp_path / "authority.pem"
    authority.cert_pem.write_to_path(str(bundle))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("workers", [1, 4])
def test_an_encrypted_directory_loads_complete(
    encrypted: FaultyService, ask: Ask, workers: int
) -> None:
    frame = load(ask(encrypted, max_workers=workers))
    assert list(frame["id"]) == numbered(55)
    assert frame.attrs["dirframe"]["base_url"].startswith("https://")


def test_a_certificate_that_nobody_vouches_for_is_refused_before_the_key_goes_out(
    encrypted: FaultyService, ask: Ask
) -> None:
    with pytest.raises(NetworkError, match="certificate") as caught:
        load(ask(encrypted))
    assert encrypted.asked == []
    assert KEY not in str(caught.value)


@pytest.mark.usefixtures("trusted")
def test_the_deadline_holds_in_an_encrypted_exchange(encrypted: FaultyService, ask: Ask) -> None:
    encrypted.always = faults.drip_body
    with pytest.raises(NetworkError, match=r"longer than 0\.7 seconds"):
        load(ask(encrypted, retries=0, total_timeout=0.7))


def test_a_proxy_of_the_environment_is_asked(
    service: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Trap() as elsewhere:
        monkeypatch.setenv("http_proxy", service.url)
        # The service plays the proxy: a request through one names the whole address.
        frame = load(ask(service, base_url=f"http://127.0.0.1:{elsewhere.port}"))
        assert elsewhere.connections == 0
    assert list(frame["id"]) == numbered(55)
    assert service.asked[0].target.startswith(f"http://127.0.0.1:{elsewhere.port}/projects.xml?")


def test_a_host_that_the_environment_exempts_is_asked_without_the_proxy(
    service: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Trap() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert len(load(ask(service))) == 55
        assert proxy.connections == 0


@pytest.mark.usefixtures("trusted")
def test_a_tunnel_carries_an_encrypted_directory_and_never_sees_the_key(
    encrypted: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Tunnel() as tunnel:
        monkeypatch.setenv("https_proxy", tunnel.url)
        directory = ask(encrypted, max_workers=4)
        assert list(load(directory)["id"]) == numbered(55)
        directory.close()
    assert set(tunnel.connected) == {f"127.0.0.1:{encrypted.port}"}
    assert b"M4RK" not in tunnel.heard
    assert len(tunnel.heard) > 1_000


@pytest.mark.usefixtures("trusted")
def test_a_proxy_that_refuses_is_an_error_without_the_key(
    encrypted: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Tunnel(refuses=True) as tunnel:
        monkeypatch.setenv("https_proxy", tunnel.url)
        with pytest.raises(dirframe.NetworkError) as caught:
            load(ask(encrypted, retries=0))
    assert "M4RK" not in str(caught.value)
    assert "407" in str(caught.value)
    assert encrypted.asked == []


@pytest.mark.usefixtures("trusted")
def test_a_proxy_that_is_gone_is_an_error_without_the_key(
    encrypted: FaultyService, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Tunnel() as tunnel:
        gone = tunnel.url
    monkeypatch.setenv("https_proxy", gone)
    with pytest.raises(dirframe.NetworkError) as caught:
        load(ask(encrypted, retries=0))
    assert "M4RK" not in str(caught.value)


@pytest.mark.parametrize("cut", [faults.cut_short, faults.reset_in_body, faults.chunks_that_stop])
def test_a_body_that_is_cut_once_is_asked_for_again(
    cut: Fault, service: FaultyService, ask: Ask
) -> None:
    service.on_page[3] = [cut]
    assert list(load(ask(service))["id"]) == numbered(55)
    assert service.pages.count(3) == 2


def test_a_body_that_is_always_cut_ends_after_the_tries_allowed(
    service: FaultyService, ask: Ask
) -> None:
    service.on_page[1] = [faults.cut_short] * 20
    with pytest.raises(NetworkError):
        load(ask(service, retries=2))
    assert service.pages == [1, 1, 1]


def test_each_try_for_a_cut_body_counts_towards_the_quota(service: FaultyService, ask: Ask) -> None:
    service.on_page[1] = [faults.cut_short] * 20
    with pytest.raises(NetworkError):
        load(ask(service, retries=5, daily_quota=2))
    assert service.pages == [1, 1]

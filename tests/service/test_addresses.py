"""An address counts for one client, however it is written."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.service.addresses import client_of, parse_address


@given(address=st.ip_addresses(v=4))
def test_an_ipv4_address_is_the_same_client_if_it_is_written_as_ipv6(address: object) -> None:
    assert client_of(parse_address(f"::ffff:{address}")) == client_of(parse_address(str(address)))


@given(network=st.integers(1 << 32, (1 << 64) - 1), hosts=st.sets(st.integers(0, (1 << 64) - 1)))
def test_all_addresses_of_an_ipv6_network_are_one_client(network: int, hosts: set[int]) -> None:
    clients = {client_of(parse_address(str(IPv6Address((network << 64) | n)))) for n in hosts}
    assert len(clients) == min(len(hosts), 1)


@given(first=st.ip_addresses(v=4), second=st.ip_addresses(v=4))
def test_two_ipv4_addresses_are_two_clients(first: object, second: object) -> None:
    clients = {client_of(parse_address(str(address))) for address in (first, second)}
    assert len(clients) == len({first, second})


def test_a_zone_does_not_tell_clients_apart() -> None:
    assert parse_address("fe80::1%eth0") == parse_address("fe80::1")


@pytest.mark.parametrize("text", ["", "unix:", "localhost", "192.0.2.1:80", "192.0.2"])
def test_what_is_no_address_is_none_and_all_of_it_is_one_client(text: str) -> None:
    assert parse_address(text) is None
    assert client_of(parse_address(text)) == ""

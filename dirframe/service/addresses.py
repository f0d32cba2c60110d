"""Addresses of clients, as connections and pages count them."""

from __future__ import annotations

import ipaddress


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address of a client, an IPv4 one also if it is written as IPv6, or None."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def client_of(address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> str:
    """Return the client that an address counts for: the whole /64 network for IPv6."""
    # A subscriber of IPv6 has a whole network: one address each would be no limit.
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), 64), strict=False))
    return "" if address is None else str(address)

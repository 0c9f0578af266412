"""Which addresses only this machine reaches."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Names other than localhost are not resolved: they may be another address tomorrow."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"

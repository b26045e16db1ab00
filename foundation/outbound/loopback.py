"""Tell the own machine from others by the name or address of a host."""

from ipaddress import ip_address


def is_loopback(host: str | None) -> bool:
    """Return whether a host of a URL or a setting is the own machine. Names are not resolved."""
    if not host:
        return False
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")

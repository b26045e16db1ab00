"""Which hosts are the own machine."""

import pytest

from foundation.outbound.loopback import is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "::1", "localhost", "a.localhost"])
def test_the_own_machine_is_known(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "localhost.example",
        "127.0.0.1.example",
        "bank.example",
        "",
        None,
    ],
)
def test_others_are_not_the_own_machine(host):
    assert not is_loopback(host)

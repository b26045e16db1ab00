"""Codes: the family of the tokens that came of one."""

from mcp_server.oauth import codes


def test_each_code_has_a_family_of_its_own_that_stays():
    assert codes.family_of("one") == codes.family_of("one") != codes.family_of("another")


def test_the_family_is_not_known_without_the_secret_key(settings):
    family = codes.family_of("one")
    settings.SECRET_KEY = "another secret key"

    assert codes.family_of("one") != family


def test_a_code_is_unspent_until_its_exchange(flow):
    code = flow.code()

    assert codes.is_unspent(code)
    flow.exchange(code)
    assert not codes.is_unspent(code)

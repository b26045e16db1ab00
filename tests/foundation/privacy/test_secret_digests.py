"""Digests of secrets."""

from foundation.privacy.secret_digests import digest


def test_a_digest_tells_nothing_of_the_secret():
    assert digest("secret") != digest("secres")
    assert len(digest("x" * 5000)) == 64


def test_half_a_character_is_the_secret_of_no_row():
    assert digest("\ud800") != digest("")

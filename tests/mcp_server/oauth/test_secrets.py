"""Secrets of clients are kept as hashes, and checked in no time."""

from django.contrib.auth.hashers import check_password, identify_hasher, make_password

from tests.mcp_server.oauth.conftest import make_client


def test_a_secret_is_kept_as_a_salted_hash(db):
    one, two = (make_client(client_secret="the secret").client_secret for _ in range(2))

    assert one != two
    assert "the secret" not in one
    assert identify_hasher(one).algorithm == "client_secret"
    assert identify_hasher(one).safe_summary(one) == {"algorithm": "client_secret"}


def test_only_the_secret_opens(db):
    kept = make_client(client_secret="the secret").client_secret

    assert check_password("the secret", kept)
    assert not check_password("another", kept)
    assert not check_password("", kept)


def test_people_have_slow_hashes_still():
    assert identify_hasher(make_password("a password")).algorithm != "client_secret"

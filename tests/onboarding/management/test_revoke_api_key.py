"""manage.py revoke_api_key."""

import pytest
from django.core.management import CommandError


def test_a_key_ends_at_once_and_keeps_its_first_date(run, make_api_key):
    key = make_api_key().key

    first, second = (run("revoke_api_key", key.access_key) for _ in range(2))

    key.refresh_from_db()
    since = f"{key.revoked_at:%Y-%m-%d %H:%M} UTC"
    assert first == second == [f"{key.access_key} of {key.partner} is revoked since {since}"]


def test_an_unknown_key_is_refused(run):
    with pytest.raises(CommandError, match=r"^There is no such access key\.$"):
        run("revoke_api_key", "ak_sb_nobodys")

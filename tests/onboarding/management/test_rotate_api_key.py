"""manage.py rotate_api_key."""

import pytest
from django.core.management import CommandError
from django.utils import timezone

from onboarding.services.partners import api_keys


@pytest.fixture
def issued(make_api_key):
    return make_api_key()


def secret_in(lines):
    [secret] = [line.split()[-1] for line in lines if line.startswith("secret key")]
    return secret


def test_the_new_secret_is_shown_once_and_the_old_one_works_on(run, issued):
    lines = run("rotate_api_key", issued.key.access_key)

    issued.key.refresh_from_db()
    assert api_keys.secret_digest(secret_in(lines)) == issued.key.secret_digest
    assert api_keys.secret_digest(issued.secret) == issued.key.previous_digest
    assert issued.secret not in "\n".join(lines)
    end = issued.key.previous_expires_at
    assert 23.9 < (end - timezone.now()).total_seconds() / 3600 <= 24
    assert lines[-2:] == [
        "Only a hash of the secret is stored: this is the one time that it is shown.",
        f"The old secret works until {end:%Y-%m-%d %H:%M} UTC.",
    ]


def test_without_grace_the_old_secret_ends_at_once(run, issued):
    lines = run("rotate_api_key", issued.key.access_key, "--grace-hours", "0")

    issued.key.refresh_from_db()
    assert issued.key.previous_digest == ""
    assert lines[-1] == "The old secret no longer works."


@pytest.mark.parametrize("hours", ["-1", "169", "999999999999"])
def test_another_grace_period_is_refused(run, issued, hours):
    with pytest.raises(CommandError, match=r"^--grace-hours must be 0 to 168\.$"):
        run("rotate_api_key", issued.key.access_key, f"--grace-hours={hours}")


def test_a_key_that_is_not_live_is_refused(run, issued):
    api_keys.revoke_api_key(issued.key, at=timezone.now())

    with pytest.raises(CommandError, match=r"^The access key was revoked or has expired\.$"):
        run("rotate_api_key", issued.key.access_key)


def test_an_unknown_key_is_refused_without_being_repeated(run):
    with pytest.raises(CommandError, match=r"^There is no such access key\.$"):
        run("rotate_api_key", "sk_sb_pasted_by_mistake")

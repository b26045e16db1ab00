"""Partners and their access keys."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.core import serializers
from django.db import IntegrityError, connection
from django.db.models import ProtectedError
from django.test.utils import CaptureQueriesContext

from onboarding.choices import Permission
from onboarding.models import ApiKey, Partner
from onboarding.services.partners import api_keys

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def partner(make_partner):
    return make_partner()


@pytest.fixture
def issued(partner):
    return api_keys.issue_api_key(partner, at=NOON)


def live_digests(key, *, at):
    """Return the digests of the secrets that work."""
    key.refresh_from_db()
    in_grace = key.previous_expires_at is not None and at < key.previous_expires_at
    return {key.secret_digest} | ({key.previous_digest} if in_grace else set())


def digests(*issued):
    return {api_keys.secret_digest(one.secret) for one in issued}


# Partners


def test_a_partner_is_registered_under_its_trimmed_name_and_without_a_key(db):
    partner = api_keys.create_partner(name=" Acme ")

    partner.refresh_from_db()
    assert partner.name == "Acme"
    assert partner.suspended_at is None
    assert not partner.api_keys.exists()


def test_a_name_is_one_partners(make_partner):
    make_partner(name="Acme")

    with pytest.raises(IntegrityError, match="onboarding_partner"):
        api_keys.create_partner(name="Acme ")


# Issue


def test_a_key_carries_the_mark_of_its_environment(partner, settings):
    sandbox = api_keys.issue_api_key(partner, at=NOON)
    settings.IS_SANDBOX = False
    live = api_keys.issue_api_key(partner, at=NOON)

    assert sandbox.key.access_key.startswith("ak_sb_")
    assert sandbox.secret.startswith("sk_sb_")
    assert live.key.access_key.startswith("ak_live_")
    assert live.secret.startswith("sk_live_")


def test_keys_and_secrets_are_random(partner):
    issued = [api_keys.issue_api_key(partner, at=NOON) for _ in range(20)]

    assert len({one.key.access_key for one in issued}) == 20
    assert len({one.secret for one in issued}) == 20
    assert min(len(one.secret.removeprefix("sk_sb_")) for one in issued) == 43  # 256 bits


def test_a_key_may_do_everything_from_anywhere_for_a_year(issued):
    key = ApiKey.objects.get(pk=issued.key.pk)

    assert all(key.allows(permission) for permission in Permission)
    assert key.admits("192.0.2.1")
    assert key.expires_at == NOON + timedelta(days=365)
    assert (key.label, key.revoked_at, key.last_used_at) == ("", None, None)


def test_a_key_can_be_limited(partner):
    issued = api_keys.issue_api_key(
        partner,
        at=NOON,
        label="reports",
        permissions=["lead:read"],
        networks=["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"],
        lifetime=timedelta(days=30),
    )

    key = ApiKey.objects.get(pk=issued.key.pk)
    assert key.label == "reports"
    assert [permission for permission in Permission if key.allows(permission)] == ["lead:read"]
    assert key.expires_at == NOON + timedelta(days=30)
    assert key.networks == ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7/32"]
    assert [key.admits(address) for address in ("10.1.2.3", "2001:db8::1", "192.0.2.7")] == [
        True
    ] * 3
    assert not any(key.admits(address) for address in ("11.1.2.3", "2001:db9::1", "192.0.2.8", ""))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"permissions": ["lead:fly"]}, "'lead:fly' is not a valid Permission"),
        ({"permissions": ["LEAD_READ"]}, "'LEAD_READ' is not a valid Permission"),
        ({"networks": ["10.0.0.1/8"]}, "10.0.0.1/8 has host bits set"),
        ({"networks": ["10.0.0.0/33"]}, "does not appear to be an IPv4 or IPv6 network"),
        ({"networks": ["anywhere"]}, "does not appear to be an IPv4 or IPv6 network"),
        ({"networks": [""]}, "does not appear to be an IPv4 or IPv6 network"),
    ],
)
def test_a_key_with_malformed_limits_is_not_issued(partner, limits, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        api_keys.issue_api_key(partner, at=NOON, **limits)

    assert not partner.api_keys.exists()


# Secrets


def test_the_database_holds_digests_only(partner):
    with CaptureQueriesContext(connection) as statements:
        first = api_keys.issue_api_key(partner, at=NOON)
        second = api_keys.rotate_api_key(first.key, at=NOON)

    stored = serializers.serialize("json", ApiKey.objects.all())
    for issued in (first, second):
        assert issued.secret not in stored
        assert issued.secret not in json.dumps(statements.captured_queries)
        assert api_keys.secret_digest(issued.secret) in stored


def test_a_secret_does_not_show_in_a_traceback(issued):
    assert issued.secret not in repr(issued)
    assert issued.secret not in str(issued)


def test_the_digest_of_a_secret_depends_on_the_pepper(issued, settings):
    settings.API_KEY_PEPPER = "another"

    assert api_keys.secret_digest(issued.secret) != issued.key.secret_digest


# Rotate


def test_the_old_secret_works_on_for_24_hours(issued):
    rotated = api_keys.rotate_api_key(issued.key, at=NOON)

    end = NOON + timedelta(hours=24)
    assert rotated.key.access_key == issued.key.access_key
    assert rotated.secret != issued.secret
    assert live_digests(issued.key, at=NOON) == digests(issued, rotated)
    assert live_digests(issued.key, at=end - HOUR) == digests(issued, rotated)
    assert live_digests(issued.key, at=end) == digests(rotated)


def test_a_key_has_at_most_two_live_secrets(issued):
    second = api_keys.rotate_api_key(issued.key, at=NOON)
    third = api_keys.rotate_api_key(issued.key, at=NOON + HOUR)

    assert live_digests(issued.key, at=NOON + HOUR) == digests(second, third)


@pytest.mark.parametrize("grace", [timedelta(0), timedelta(seconds=1), timedelta(days=7)])
def test_a_grace_period_lasts_0_to_7_days(issued, grace):
    rotated = api_keys.rotate_api_key(issued.key, at=NOON, grace=grace)

    assert live_digests(issued.key, at=NOON) == digests(*([issued] if grace else []), rotated)
    assert live_digests(issued.key, at=NOON + grace) == digests(rotated)


@pytest.mark.parametrize("grace", [timedelta(seconds=-1), timedelta(days=7, seconds=1)])
def test_another_grace_period_is_refused(issued, grace):
    with pytest.raises(ValueError, match="0 to 7 days"):
        api_keys.rotate_api_key(issued.key, at=NOON, grace=grace)

    assert live_digests(issued.key, at=NOON) == digests(issued)


def test_rotation_changes_the_secrets_and_nothing_else(issued):
    columns = [field.name for field in ApiKey._meta.concrete_fields]
    before = ApiKey.objects.values(*columns).get()
    api_keys.rotate_api_key(issued.key, at=NOON)

    after = ApiKey.objects.values(*columns).get()
    assert {name for name in columns if before[name] != after[name]} == {
        "secret_digest", "previous_digest", "previous_expires_at",
    }  # fmt: skip


def test_a_key_that_has_expired_is_not_rotated(issued):
    with pytest.raises(api_keys.KeyNotLive):
        api_keys.rotate_api_key(issued.key, at=issued.key.expires_at)


def test_a_key_that_was_revoked_is_not_rotated(issued):
    api_keys.revoke_api_key(issued.key, at=NOON)

    with pytest.raises(api_keys.KeyNotLive):
        api_keys.rotate_api_key(issued.key, at=NOON)


def test_two_rotations_at_once_leave_the_last_two_secrets(in_threads, make_api_key):
    issued = make_api_key(at=NOON)
    rotated = in_threads(lambda _: api_keys.rotate_api_key(issued.key, at=NOON), range(4))

    alive = live_digests(issued.key, at=NOON)
    assert len(alive) == 2
    assert alive < digests(*rotated)


# Revoke


def test_a_revoked_key_is_not_live(issued):
    api_keys.revoke_api_key(issued.key, at=NOON)

    assert issued.key.revoked_at == NOON
    assert not ApiKey.objects.live(at=NOON).exists()


def test_a_key_that_is_revoked_again_keeps_its_first_date(issued):
    stale = ApiKey.objects.get(pk=issued.key.pk)
    api_keys.revoke_api_key(issued.key, at=NOON)
    api_keys.revoke_api_key(stale, at=NOON + HOUR)

    assert stale.revoked_at == NOON
    assert ApiKey.objects.get(pk=stale.pk).revoked_at == NOON


# What the database guarantees


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"previous_digest": "a" * 64}, "apikey_previous_secret_has_an_end"),
        ({"previous_expires_at": NOON}, "apikey_previous_secret_has_an_end"),
        (
            {"secret_digest": "a" * 64, "previous_digest": "a" * 64, "previous_expires_at": NOON},
            "apikey_secrets_differ",
        ),
    ],
)
def test_the_database_refuses_secrets_without_sense(issued, values, constraint):
    with pytest.raises(IntegrityError, match=constraint):
        ApiKey.objects.filter(pk=issued.key.pk).update(**values)


def test_the_database_refuses_an_access_key_twice(issued, make_partner):
    with pytest.raises(IntegrityError, match="access_key"):
        ApiKey.objects.create(
            partner=make_partner(),
            access_key=issued.key.access_key,
            secret_digest="a" * 64,
            expires_at=NOON,
        )


def test_a_partner_with_keys_stays(issued):
    with pytest.raises(ProtectedError):
        Partner.objects.filter(pk=issued.key.partner_id).delete()

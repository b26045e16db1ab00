"""manage.py issue_bank_key, and the commands that rotate and revoke its keys."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from banking.models import StaffEvent
from onboarding.models import BankKey


def run(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_key_is_issued_with_its_scopes_and_its_secret_shown_once(db):
    shown = run("issue_bank_key", "--scope", "cards:write", "*:read", "--label", "Core")

    key = BankKey.objects.get()
    assert (key.permissions, key.label) == (["cards:write", "*:read"], "Core")
    assert key.access_key.startswith("bk_sb_")
    assert "scopes      cards:write *:read" in shown
    assert "secret key  sk_sb_" in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ["--scope", "castles:write"],
        ["--scope", "cards"],
        ["--scope", "*:read", "--network", "nowhere"],
        ["--scope", "*:read", "--days", "0"],
        ["--scope", "*:read", "--label", "x" * 101],
    ],
)
def test_a_wrong_key_is_not_issued(db, arguments):
    with pytest.raises(CommandError):
        run("issue_bank_key", *arguments)

    assert not BankKey.objects.exists()


def test_it_is_rotated_and_revoked_like_a_partners_and_each_is_a_staff_event(db):
    run("issue_bank_key", "--scope", "*:read")
    key = BankKey.objects.get()

    assert "secret key  sk_sb_" in run("rotate_api_key", key.access_key)
    assert f"{key} of the bank is revoked" in run("revoke_api_key", key.access_key)

    key.refresh_from_db()
    assert [event.details["summary"][0] for event in StaffEvent.objects.order_by("number")] == [
        f"Bank key {key} was issued.",
        f"Bank key {key} was given another secret.",
        f"Bank key {key} was revoked.",
    ]
    assert {event.who for event in StaffEvent.objects.all()} == {""}
    assert key.previous_digest
    assert key.revoked_at

"""Bank keys in the back office. What they share with partners' keys is tested there."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from onboarding.admin import issued_secrets
from onboarding.models import BankKey
from onboarding.services.partners import api_keys

KEYS = "/admin/onboarding/bankkey/"
FEED = "/service/bank/v1/kinds"
FORM = {
    "label": "Core",
    "permissions": ["cards:write", "*:read"],
    "networks": "10.1.0.0/16",
    "days": "90",
}


@pytest.fixture
def key(db):
    return api_keys.issue_bank_key(at=timezone.now(), scopes=["*:read"], label="Core").key


def secrets_in(page):
    return re.findall(r"sk_sb_[\w-]{43}", page.content.decode())


def call(key, secret, address="10.1.0.7"):
    header = f"Vestibule {key.access_key}:{secret}"
    return Client().get(FEED, headers={"authorization": header}, REMOTE_ADDR=address).status_code


def test_a_key_is_issued_with_scopes_and_networks_and_its_secret_shown_once(chief):
    answer = chief.post(f"{KEYS}add/", FORM)

    key = BankKey.objects.get()
    assert answer["Location"] == f"{KEYS}{key.pk}/secret/"
    assert (key.label, key.permissions) == ("Core", ["cards:write", "*:read"])
    assert key.networks == ["10.1.0.0/16"]
    assert timedelta(days=89) < key.expires_at - timezone.now() <= timedelta(days=90)
    first, second = chief.get(answer["Location"]), chief.get(answer["Location"], follow=True)
    (secret,) = set(secrets_in(first))
    assert api_keys.secret_digest(secret) == key.secret_digest
    assert not secrets_in(second)
    assert "the operators of Core" in first.content.decode()


def test_the_issued_key_opens_the_feed_from_its_networks_alone(chief):
    page = chief.post(f"{KEYS}add/", FORM, follow=True)
    key, secret = BankKey.objects.get(), secrets_in(page)[0]

    assert call(key, secret) == 200
    assert call(key, secret, address="203.0.113.7") != 200
    chief.post(f"{KEYS}{key.pk}/revoke/")
    assert call(key, secret) == 401


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("permissions", [], "This field is required"),
        ("permissions", ["castles:write"], "castles:write is not one of"),
        ("permissions", ["lead:write"], "lead:write is not one of"),
        ("networks", "nowhere", "is not a CIDR range"),
        ("days", "731", "less than or equal to 730"),
    ],
)
def test_a_wrong_form_issues_nothing(chief, field, value, fault):
    answer = chief.post(f"{KEYS}add/", {**FORM, field: value})

    assert fault in answer.content.decode()
    assert not BankKey.objects.exists()


def test_rotation_and_revocation_are_in_the_history(chief, key):
    page = chief.post(f"{KEYS}{key.pk}/rotate/", {"grace_hours": "1"}, follow=True)
    chief.post(f"{KEYS}{key.pk}/revoke/")

    key.refresh_from_db()
    assert api_keys.secret_digest(secrets_in(page)[0]) == key.secret_digest
    assert key.revoked_at
    said = {entry.get_change_message() for entry in LogEntry.objects.all()}
    assert said == {"Rotated. The old secret works for 1 more hours.", "Revoked."}
    assert "Revoked." in chief.get(f"{KEYS}{key.pk}/history/").content.decode()


def test_the_page_of_a_partners_key_with_the_same_number_does_not_show_the_secret(
    chief, key, make_api_key
):
    partners = make_api_key().key
    BankKey.objects.filter(pk=key.pk).update(id=partners.pk)
    chief.post(f"{KEYS}{partners.pk}/rotate/", {"grace_hours": "0"})
    assert issued_secrets.ISSUED in chief.session

    page = chief.get(f"/admin/onboarding/apikey/{partners.pk}/secret/", follow=True)

    assert not secrets_in(page)


@pytest.mark.parametrize("step", ["rotate", "revoke"])
def test_a_step_needs_the_permission_to_change_bank_keys(make_staff, key, step):
    staff = make_staff("view_bankkey", "add_bankkey", "change_apikey")

    assert staff.post(f"{KEYS}{key.pk}/{step}/", {"grace_hours": 0}).status_code == 403
    assert f"/{step}/" not in staff.get(f"{KEYS}{key.pk}/change/").content.decode()


def test_issuing_needs_the_permission_to_add_bank_keys(make_staff):
    staff = make_staff("view_bankkey", "change_bankkey", "add_apikey")

    assert staff.post(f"{KEYS}add/", FORM).status_code == 403
    assert not BankKey.objects.exists()

"""Bank keys in the back office. What they share with partners' keys is tested there."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from banking.errors import StepRefused
from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import BankKey
from onboarding.services.partners import api_keys
from tests.staff import confirm_change

KEYS = "/admin/onboarding/bankkey/"
FEED = "/service/bank/v1/kinds"
DAYS = timedelta(days=90)
FORM = {
    "label": "Core",
    "permissions": ["cards:write", "*:read"],
    "networks": "10.1.0.0/16",
    "days": "90",
}


@pytest.fixture
def key(db):
    return api_keys.issue_bank_key(at=timezone.now(), scopes=["*:read"], label="Core").key


def second_person():
    return User.objects.create_user("second@example.com", user_type="STAFF")


def secrets_in(page):
    return re.findall(r"sk_sb_[\w-]{43}", page.content.decode())


def call(key, secret, address="10.1.0.7"):
    header = f"Vestibule {key.access_key}:{secret}"
    return Client().get(FEED, headers={"authorization": header}, REMOTE_ADDR=address).status_code


def test_a_key_works_once_a_second_administrator_has_confirmed_it(chief):
    page = chief.post(f"{KEYS}add/", FORM)
    (secret,) = set(secrets_in(page))
    change = StaffChange.objects.get()

    assert not BankKey.objects.exists()
    assert "takes effect when a second administrator has confirmed it" in page.content.decode()
    assert "the operators of Core" in page.content.decode()
    assert secret not in str(change.payload) + str(change.summary)
    with pytest.raises(staff_changes.OwnChange):
        staff_changes.confirm(change, by=change.proposed_by, at=timezone.now())
    assert not BankKey.objects.exists()

    done = confirm_change()

    key = BankKey.objects.get()
    assert (key.label, key.permissions) == ("Core", ["cards:write", "*:read"])
    assert (key.networks, key.expires_at) == (["10.1.0.0/16"], done.settled_at + DAYS)
    assert api_keys.secret_digest(secret) == key.secret_digest
    assert done.summary == [
        f"New bank key {key}.",
        "Its label: Core.",
        "Its scopes: cards:write, *:read.",
        "It can call from: 10.1.0.0/16.",
        "It expires 90 days after the confirmation.",
    ]


def test_the_issued_key_opens_the_feed_from_its_networks_alone(chief):
    secret = secrets_in(chief.post(f"{KEYS}add/", FORM))[0]
    staff_changes.confirm(StaffChange.objects.get(), by=second_person(), at=timezone.now())
    key = BankKey.objects.get()

    assert call(key, secret) == 200
    assert call(key, secret, address="203.0.113.7") != 200
    chief.post(f"{KEYS}{key.pk}/revoke/")
    assert call(key, secret) == 401


def test_the_secret_is_on_the_page_of_the_answer_alone(chief):
    chief.post(f"{KEYS}add/", FORM)
    change = StaffChange.objects.get()

    page = chief.get(f"/admin/banking/staffchange/{change.pk}/change/")

    assert not secrets_in(page)
    assert "sk_sb_" not in str(dict(chief.session.items()))


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
    assert not StaffChange.objects.exists()


def test_another_secret_works_once_a_second_administrator_has_confirmed_it(chief, key):
    former = key.secret_digest

    page = chief.post(f"{KEYS}{key.pk}/rotate/", {"grace_hours": "1"})

    key.refresh_from_db()
    assert key.secret_digest == former
    at = timezone.now()
    staff_changes.confirm(StaffChange.objects.get(), by=second_person(), at=at)
    key.refresh_from_db()
    assert api_keys.secret_digest(secrets_in(page)[0]) == key.secret_digest
    assert (key.previous_digest, key.previous_expires_at) == (former, at + timedelta(hours=1))


@pytest.mark.parametrize("meanwhile", ["revoked", "rotated", "expired"])
def test_another_secret_of_a_key_that_changed_meanwhile_is_refused(chief, key, meanwhile):
    chief.post(f"{KEYS}{key.pk}/rotate/", {"grace_hours": "1"})
    at = timezone.now() + timedelta(days=1000) * (meanwhile == "expired")
    if meanwhile == "revoked":
        api_keys.revoke_api_key(key, at=at)
    elif meanwhile == "rotated":
        api_keys.rotate_api_key(key, at=at)
    digest = BankKey.objects.get().secret_digest

    with pytest.raises(StepRefused):
        staff_changes.confirm(StaffChange.objects.get(), by=second_person(), at=at)

    assert BankKey.objects.get().secret_digest == digest


def test_a_secret_is_not_proposed_for_a_revoked_key(chief, key):
    api_keys.revoke_api_key(key, at=timezone.now())

    page = chief.post(f"{KEYS}{key.pk}/rotate/", {"grace_hours": "1"}, follow=True)

    assert "was revoked or has expired" in page.content.decode()
    assert not StaffChange.objects.exists()


def test_a_revocation_is_in_the_history(chief, key):
    chief.post(f"{KEYS}{key.pk}/revoke/")

    key.refresh_from_db()
    assert key.revoked_at
    assert "Revoked." in chief.get(f"{KEYS}{key.pk}/history/").content.decode()


@pytest.mark.parametrize("step", ["rotate", "revoke"])
def test_a_step_needs_the_permission_to_change_bank_keys(make_staff, key, step):
    staff = make_staff("view_bankkey", "add_bankkey", "change_apikey")

    assert staff.post(f"{KEYS}{key.pk}/{step}/", {"grace_hours": 0}).status_code == 403
    assert f"/{step}/" not in staff.get(f"{KEYS}{key.pk}/change/").content.decode()


def test_issuing_needs_the_permission_to_add_bank_keys(make_staff):
    staff = make_staff("view_bankkey", "change_bankkey", "add_apikey")

    assert staff.post(f"{KEYS}add/", FORM).status_code == 403
    assert not StaffChange.objects.exists()

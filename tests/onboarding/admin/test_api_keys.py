import json
import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.utils import timezone

from banking.models import StaffChange, User
from banking.services import staff_changes
from onboarding.models import ApiKey, Partner
from onboarding.services.partners import api_keys

KEYS = "/admin/onboarding/apikey/"


@pytest.fixture
def form(make_partner):
    return {
        "partner": make_partner().pk,
        "label": "Production",
        "permissions": ["lead:write", "lead:read"],
        "networks": "203.0.113.0/24\n2001:db8::/32",
        "days": "90",
    }


def secrets_in(text):
    return set(re.findall(r"sk_sb_[\w-]{43}", text))


def second_person():
    return User.objects.create_user("second@example.com", user_type="STAFF")


def test_a_key_works_once_a_second_administrator_has_confirmed_it(form, chief, caplog):
    with caplog.at_level("DEBUG"):
        page = chief.post(f"{KEYS}add/", form)
    (secret,) = secrets_in(page.content.decode())
    change = StaffChange.objects.get()
    access_key = change.payload["access_key"]
    header = {"authorization": f"Vestibule {access_key}:{secret}"}

    assert not ApiKey.objects.exists()
    assert Client().get("/service/api/v1/lead", headers=header).status_code == 401
    assert "no-store" in page["Cache-Control"]
    assert "takes effect when a second administrator has confirmed it" in page.content.decode()
    with pytest.raises(staff_changes.OwnChange):
        staff_changes.confirm(change, by=change.proposed_by, at=timezone.now())

    done = staff_changes.confirm(change, by=second_person(), at=timezone.now())

    key = ApiKey.objects.get()
    assert key.secret_digest == api_keys.secret_digest(secret)
    assert (key.partner_id, key.label) == (form["partner"], "Production")
    assert key.permissions == ["lead:write", "lead:read"]
    assert key.networks == ["203.0.113.0/24", "2001:db8::/32"]
    assert key.expires_at == done.settled_at + timedelta(days=90)
    assert done.summary == [
        f"New partner's key {access_key}.",
        f"Its partner: {key.partner}.",
        "Its label: Production.",
        "Its permissions: lead:write, lead:read.",
        "It can call from: 203.0.113.0/24, 2001:db8::/32.",
        "It expires 90 days after the confirmation.",
    ]
    left = [json.dumps(dict(chief.session.items())), caplog.text, str(change.payload)]
    assert not secrets_in("".join(left))
    assert not secrets_in(json.dumps(list(LogEntry.objects.values()), default=str))


def test_a_key_of_a_partner_that_is_suspended_meanwhile_is_void(form, chief):
    chief.post(f"{KEYS}add/", form)
    Partner.objects.get().suspend(at=timezone.now())

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(StaffChange.objects.get(), by=second_person(), at=timezone.now())

    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("networks", "10.0.0.1/8", "is not a CIDR range"),
        ("networks", "<script>", "is not a CIDR range"),
        ("permissions", ["lead:erase"], "lead:erase is not one of"),
        ("permissions", [], "This field is required"),
        ("days", "0", "greater than or equal to 1"),
        ("days", "731", "less than or equal to 730"),
        ("partner", "0", "valid choice"),
    ],
)
def test_a_wrong_form_issues_nothing(form, chief, field, value, fault):
    response = chief.post(f"{KEYS}add/", {**form, field: value})

    assert fault in response.content.decode()
    assert not StaffChange.objects.exists()


def test_another_secret_works_once_it_is_confirmed_and_the_old_one_for_the_grace_asked_for(
    make_api_key, chief
):
    issued = make_api_key()

    page = chief.post(f"{KEYS}{issued.key.pk}/rotate/", {"grace_hours": "168"})

    (secret,) = secrets_in(page.content.decode())
    assert ApiKey.objects.get().secret_digest == issued.key.secret_digest
    staff_changes.confirm(StaffChange.objects.get(), by=second_person(), at=timezone.now())
    key = ApiKey.objects.get()
    assert key.secret_digest == api_keys.secret_digest(secret)
    assert key.previous_digest == api_keys.secret_digest(issued.secret)
    assert key.previous_expires_at - timezone.now() > timedelta(hours=167)


@pytest.mark.parametrize("hours", ["", "-1", "169", "1.5", "many"])
def test_a_wrong_grace_rotates_nothing(make_api_key, chief, hours):
    issued = make_api_key()

    page = chief.post(f"{KEYS}{issued.key.pk}/rotate/", {"grace_hours": hours}, follow=True)

    assert "0 to 168 hours" in page.content.decode()
    assert ApiKey.objects.get().secret_digest == issued.key.secret_digest


def test_a_key_is_revoked_for_good(make_api_key, chief):
    key = make_api_key().key

    page = chief.post(f"{KEYS}{key.pk}/revoke/", follow=True).content.decode()

    key.refresh_from_db()
    revoked_at = key.revoked_at
    assert revoked_at
    assert "is revoked" in page
    assert "/rotate/" not in page
    chief.post(f"{KEYS}{key.pk}/revoke/")
    again = chief.post(f"{KEYS}{key.pk}/rotate/", {"grace_hours": 0}, follow=True)
    key.refresh_from_db()
    assert key.revoked_at == revoked_at
    assert "was revoked or has expired" in again.content.decode()


@pytest.mark.parametrize("step", ["rotate", "revoke"])
def test_nothing_changes_by_get(make_api_key, chief, step):
    key = make_api_key().key

    assert chief.get(f"{KEYS}{key.pk}/{step}/").status_code == 405

    key.refresh_from_db()
    assert not key.revoked_at
    assert not key.previous_digest


@pytest.mark.parametrize("step", ["rotate", "revoke"])
def test_a_step_needs_the_permission_to_change_keys(make_api_key, make_staff, step):
    key = make_api_key().key
    viewer = make_staff("view_apikey", "add_apikey")

    assert viewer.post(f"{KEYS}{key.pk}/{step}/", {"grace_hours": 0}).status_code == 403
    assert viewer.post(f"{KEYS}0/{step}/").status_code == 403
    assert f"/{step}/" not in viewer.get(f"{KEYS}{key.pk}/change/").content.decode()


def test_who_may_only_add_keys_sees_the_secret_of_a_new_one(form, make_staff):
    page = make_staff("add_apikey", "view_partner").post(f"{KEYS}add/", form, follow=True)

    assert len(secrets_in(page.content.decode())) == 1


def test_issuing_needs_the_permission_to_add_keys(form, make_staff):
    staff = make_staff("view_apikey", "change_apikey")

    assert staff.post(f"{KEYS}add/", form).status_code == 403
    assert not StaffChange.objects.exists()


def test_a_key_is_neither_edited_nor_deleted(make_api_key, chief):
    key = make_api_key().key

    assert chief.post(f"{KEYS}{key.pk}/change/", {"label": "mine"}).status_code == 403
    assert chief.post(f"{KEYS}{key.pk}/delete/", {"post": "yes"}).status_code == 403


def test_no_page_shows_a_hash(make_api_key, chief):
    key = make_api_key().key
    api_keys.rotate_api_key(key, at=timezone.now())
    key.refresh_from_db()

    pages = [f"{KEYS}{key.pk}/change/", KEYS, f"/admin/onboarding/partner/{key.partner_id}/change/"]
    shown = "".join(chief.get(page).content.decode() for page in pages)

    assert key.access_key in shown
    assert key.secret_digest not in shown
    assert key.previous_digest not in shown


@pytest.mark.parametrize(("state", "label"), [("live", "L"), ("expired", "E"), ("revoked", "R")])
def test_keys_are_filtered_by_state(make_api_key, chief, state, label):
    now = timezone.now()
    make_api_key(label="L")
    make_api_key(label="E", at=now - timedelta(days=400))
    api_keys.revoke_api_key(make_api_key(label="R").key, at=now)

    page = chief.get(KEYS, {"state": state}).content.decode()

    assert re.findall(r'<th[^>]*><a[^>]*><span class="line">(\w)</span>', page) == [label]

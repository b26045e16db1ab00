import re

import pytest
from django.contrib.admin.models import LogEntry

from banking.services.staff_changes import ChangeVoid
from onboarding.models import Partner
from onboarding.services.partners import api_keys as partner_services
from tests.factories import NOON
from tests.staff import confirm_change

PARTNERS = "/admin/onboarding/partner/"


def test_another_contract_meanwhile_voids_a_waiver(make_partner, chief):
    partner = make_partner()
    chief.post(f"{PARTNERS}{partner.pk}/waive_code/", {"contract": "Annex 2"})
    Partner.objects.update(code_waiver_contract="Annex 3")

    with pytest.raises(ChangeVoid):
        confirm_change()

    assert Partner.objects.get().code_waiver_contract == "Annex 3"


def test_a_partner_is_added_by_name(chief):
    chief.post(f"{PARTNERS}add/", {"name": "Acme Payroll"})

    assert Partner.objects.get().name == "Acme Payroll"


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("{pk}/suspend/", {}),
        ("", {"action": "suspend_selected", "_selected_action": "{pk}"}),
    ],
)
def test_a_partner_is_suspended(make_partner, chief, page, form):
    partner = make_partner()
    form = {name: value.format(pk=partner.pk) for name, value in form.items()}

    answer = chief.post(PARTNERS + page.format(pk=partner.pk), form, follow=True)

    partner.refresh_from_db()
    assert partner.suspended_at
    assert "All its calls are refused" in answer.content.decode()
    assert LogEntry.objects.get().get_change_message() == "Suspended."


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("{pk}/reinstate/", {}),
        ("", {"action": "reinstate_selected", "_selected_action": "{pk}"}),
    ],
)
def test_a_partner_is_reinstated(make_partner, chief, page, form):
    partner = make_partner()
    chief.post(f"{PARTNERS}{partner.pk}/suspend/")
    form = {name: value.format(pk=partner.pk) for name, value in form.items()}

    answer = chief.post(PARTNERS + page.format(pk=partner.pk), form, follow=True)

    partner.refresh_from_db()
    assert partner.suspended_at
    assert "Proposed. It takes effect when" in answer.content.decode()
    change = confirm_change()
    partner.refresh_from_db()
    assert not partner.suspended_at
    assert "can call the API again" in change.summary[0]


def test_a_second_suspension_keeps_the_date(make_partner, chief):
    partner = make_partner()
    chief.post(f"{PARTNERS}{partner.pk}/suspend/")
    since = Partner.objects.get().suspended_at

    answer = chief.post(f"{PARTNERS}{partner.pk}/suspend/", follow=True)

    assert Partner.objects.get().suspended_at == since
    assert "is already suspended" in answer.content.decode()


@pytest.mark.parametrize("step", ["suspend", "reinstate"])
def test_standing_does_not_change_by_get(make_partner, chief, step):
    assert chief.get(f"{PARTNERS}{make_partner().pk}/{step}/").status_code == 405


def test_suspending_needs_the_permission_to_change_partners(make_partner, make_staff):
    partner = make_partner()
    viewer = make_staff("view_partner")

    assert viewer.post(f"{PARTNERS}{partner.pk}/suspend/").status_code == 403
    viewer.post(PARTNERS, {"action": "suspend_selected", "_selected_action": partner.pk})
    assert not Partner.objects.get().suspended_at
    assert "/suspend/" not in viewer.get(f"{PARTNERS}{partner.pk}/change/").content.decode()


def test_a_contract_that_waives_the_code_is_noted_and_taken_back(make_partner, chief, make_staff):
    partner = make_partner()
    page = f"{PARTNERS}{partner.pk}/"
    contract = {"contract": "Annex 2 of 2026-03-01"}
    assert make_staff("view_partner").post(f"{page}waive_code/", contract).status_code == 403
    assert "Enter the contract" in chief.post(f"{page}waive_code/", follow=True).content.decode()
    assert not Partner.objects.get().code_waiver_contract

    answer = chief.post(f"{page}waive_code/", contract, follow=True)
    assert "Proposed. It takes effect when" in answer.content.decode()
    assert not Partner.objects.get().code_waiver_contract
    change = confirm_change()
    assert change.summary == [
        f"Applicants of {partner} sign without a code, by Annex 2 of 2026-03-01."
    ]
    assert Partner.objects.get().code_waiver_contract == contract["contract"]
    chief.post(f"{page}ask_for_code/")

    assert not Partner.objects.get().code_waiver_contract
    assert LogEntry.objects.count() == 1


def test_a_partner_whose_applicants_are_not_reminded(make_partner, chief, make_staff):
    partner = make_partner()
    page = f"{PARTNERS}{partner.pk}/"
    assert make_staff("view_partner").post(f"{page}stop_reminders/").status_code == 403

    chief.post(f"{page}stop_reminders/")
    assert not Partner.objects.get().sends_nudges
    chief.post(f"{page}send_reminders/")

    assert Partner.objects.get().sends_nudges
    assert LogEntry.objects.count() == 2


def test_the_list_counts_leads_and_live_keys(make_partner, make_api_key, make_lead, chief):
    partner = make_partner()
    for _ in range(3):
        make_lead(partner)
    make_api_key(partner)
    revoked = make_api_key(partner).key
    partner_services.revoke_api_key(revoked, at=revoked.created_at)

    page = chief.get(PARTNERS).content.decode()

    assert re.findall(r'field-(?:lead|live_key)_count">(\d+)<', page) == ["3", "1"]


def test_a_partner_is_neither_renamed_nor_deleted(make_partner, chief):
    partner = make_partner()

    assert chief.post(f"{PARTNERS}{partner.pk}/change/", {"name": "X"}).status_code == 403
    assert chief.post(f"{PARTNERS}{partner.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_page_of_a_partner_proposes_limits(make_partner, chief, make_staff):
    partner = make_partner()
    url = f"{PARTNERS}{partner.pk}/set_limits/"
    assert make_staff("view_partner").post(url, {}).status_code == 403

    refused = chief.post(url, {"calls_per_minute": "0"}, follow=True).content.decode()
    unchanged = chief.post(url, {}, follow=True).content.decode()
    chief.post(url, {"calls_per_minute": "900", "creates_per_minute": "", "webhooks_max": "12"})
    before = Partner.objects.get().calls_per_minute
    confirm_change()
    shown = chief.get(f"{PARTNERS}{partner.pk}/change/")

    assert "Enter whole numbers" in refused
    assert "These are the limits already." in unchanged
    assert before is None
    assert (Partner.objects.get().calls_per_minute, Partner.objects.get().webhooks_max) == (900, 12)
    assert "900" in shown.content.decode()
    assert "(the usual)" in shown.content.decode()


def test_suspended_partners_can_be_had_alone(make_partner, chief):
    make_partner(name="Acme Payroll")
    make_partner(name="Tin Ledger", suspended_at=NOON)

    suspended, active, everybody = (
        chief.get(f"{PARTNERS}?standing={value}").text for value in ("suspended", "active", "")
    )

    assert ("Tin Ledger" in suspended, "Acme Payroll" in suspended) == (True, False)
    assert ("Tin Ledger" in active, "Acme Payroll" in active) == (False, True)
    assert "Tin Ledger" in everybody
    assert "Acme Payroll" in everybody

"""Screens of verifications: states of providers, evidence shown masked, reliance by two people."""

import json

import pytest
from django.urls import reverse

from onboarding.choices import CheckCode, CheckSource
from onboarding.models import (
    Partner,
    PartnerVerification,
    VerificationProvider,
    VerificationRequest,
)
from tests.factories import NOON, later, make_check, make_check_run
from tests.onboarding.cases import make_case
from tests.staff import confirm_change
from tests.verification_providers import account

ROOT = "/admin/onboarding/"
SENT = {"firstName": "Ada", "ssn": "123-45-6789", "address": {"line1": "1 Way", "state": "NY"}}


@pytest.fixture
def request_row(db):
    case = make_case()
    return VerificationRequest.objects.create(
        application=case,
        provider="idcheck",
        kind="IDENTITY",
        party_id=case.lead.external_id,
        sent=json.dumps(SENT),
        received='{"outcome": "WARN", "reference": "ref-1", "name": "Ada Example"}',
        sent_digest="d",
        status="ANSWERED",
        result="WARN",
        reference="ref-1",
        reasons=["A"],
        asked_at=NOON,
        deadline=later(hours=1),
        settled_at=later(minutes=1),
    )


def page(client, path):
    answer = client.get(ROOT + path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_evidence_is_masked(request_row, chief):
    shown = page(chief, f"verificationrequest/{request_row.pk}/change/")

    assert "ref-1" in shown
    assert "NY" in shown
    assert "••••6789" in shown
    for secret in ("123-45", "Ada", "1 Way"):
        assert secret not in shown.replace(request_row.application.lead.business_name, "")


def test_evidence_that_is_no_json_is_not_shown(request_row, chief):
    request_row.received = "<b>Ada"
    request_row.save(update_fields=["received"])

    assert "6 characters that are no JSON" in page(
        chief, f"verificationrequest/{request_row.pk}/change/"
    )


def test_the_list_decrypts_nothing(request_row, chief, settings):
    settings.PII_KEYS = f"other:{'9f' * 32}"

    assert "idcheck" in page(chief, "verificationrequest/")


def test_a_request_is_found_by_its_id(request_row, chief):
    found = page(chief, f"verificationrequest/?q={request_row.external_id}")

    assert f"verificationrequest/{request_row.pk}/change" in found


def test_staff_see_the_state_of_each_provider(request_row, chief, settings):
    settings.VERIFICATION_PROVIDERS = [account("https://a.example.com")]
    VerificationRequest.objects.update(status="SENT", result="", settled_at=None)
    VerificationProvider.objects.create(
        name="idcheck", failures=5, open_until=later(days=9999), failed_at=NOON, fault="timed out"
    )
    VerificationProvider.objects.create(name="old", answered_at=NOON)

    shown = page(chief, "verificationprovider/")

    assert "Not asked for now" in shown
    assert "timed out" in shown
    assert "Not configured" in shown
    one = VerificationProvider.objects.get(name="idcheck")
    assert "IDENTITY" in page(chief, f"verificationprovider/{one.pk}/change/")


def test_the_case_shows_verifications_beside_the_item_that_they_are_evidence_of(request_row, chief):
    run = make_check_run(request_row.application)
    make_check(run, code=CheckCode.IDENTITY_CONFIRMED, source=CheckSource.MANUAL, result="WARN")
    details = {"request_id": str(request_row.external_id)}
    note = "idcheck, reference ref-1."
    make_check(
        run,
        code=CheckCode.IDENTITY_VERIFIED,
        source=CheckSource.PROVIDER,
        result="WARN",
        note=note,
        details=details,
    )

    shown = page(chief, f"application/{request_row.application.pk}/change/")

    assert shown.count(note) == 2
    assert f"verificationrequest/?q={request_row.external_id}" in shown


def test_the_evidence_of_a_partner_is_shown(chief, db):
    case = make_case()
    row = PartnerVerification.objects.create(
        application=case, kind="ADDRESS", method="DOCUMENT", verified_on=NOON, reference="kyc-77",
        contract="Annex 3", at=NOON,
    )  # fmt: skip

    assert "kyc-77" in page(chief, "partnerverification/")
    assert "Annex 3" in page(chief, f"partnerverification/{row.pk}/change/")


def test_two_administrators_rely_on_a_partner_and_stop(make_partner, chief, make_staff):
    partner = make_partner()
    url = reverse("admin:onboarding_partner_rely", args=[partner.pk])
    assert make_staff("view_partner").post(url, {"contract": "A"}).status_code == 403
    assert "Enter the contract" in chief.post(url, follow=True).content.decode()

    chief.post(url, {"contract": "Annex 3"})
    assert not Partner.objects.get().reliance_contract
    confirm_change()
    assert Partner.objects.get().reliance_contract == "Annex 3"

    chief.post(reverse("admin:onboarding_partner_stop_relying", args=[partner.pk]))
    assert Partner.objects.get().reliance_contract == "Annex 3"
    confirm_change()
    assert not Partner.objects.get().reliance_contract

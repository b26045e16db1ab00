"""Partner verifications: evidence that counts while a contract says so."""

import uuid
from datetime import date

import pytest
from django.db import transaction

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, RunCause, VerificationKind
from onboarding.errors import ErrorCode, Invalid, Refused
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Partner, PartnerVerification
from onboarding.queries import audit
from onboarding.queries.leads import LeadNotFound, lock_application
from onboarding.services.applications import lifecycle
from onboarding.services.checks import rechecks
from onboarding.services.checks.check_runs import run_checks
from onboarding.services.events import history
from onboarding.services.events.history import CLOCK, PARTNER
from onboarding.services.privacy import erasure
from onboarding.services.verification import partner_verifications
from tests.factories import NOON, later, make_document, make_owner, make_partner
from tests.onboarding.cases import load
from tests.onboarding.services.checks.submitted import screen
from tests.onboarding.services.verification.test_sending import check_of


@pytest.fixture
def case(submitted, in_production):
    """Return a case in review of a partner on whom the bank relies."""
    submitted()
    screen()
    Partner.objects.update(reliance_contract="Annex 3")
    return Application.objects.select_related("lead__partner").get()


def hand_in(case, *, partner=None, at=NOON, **values):
    details = {
        "kind": "IDENTITY",
        "method": "DOCUMENT",
        "verified_on": date(2026, 3, 1),
        "reference": "kyc-77",
        "document_ids": [str(case.lead.documents.first().external_id)],
        **values,
    }
    return partner_verifications.hand_in(
        partner=partner or case.lead.partner,
        customer_id=str(case.lead.external_id),
        details=details,
        at=at,
    )


def codes(refused):
    return [(fault.code, fault.pointer) for fault in refused.value.faults]


def test_it_is_evidence_that_counts_and_makes_the_checks_outdated(case):
    made = hand_in(case, at=later(hours=1))
    outdated = rechecks.is_outdated(case)
    list(rechecks.recheck_outdated(at=later(hours=2)))

    check = check_of(CheckCode.PARTNER_IDENTITY)
    assert outdated
    assert (check.result, check.source) == (CheckResult.PASS, "PARTNER")
    assert check.note == "Verified by the partner: Document looked at, 2026-03-01, kyc-77."
    assert check.details["verification_id"] == str(made.external_id)
    assert Event.objects.filter(type=EventType.PARTNER_VERIFIED).count() == 1
    assert list(audit.find_faults()) == []


def test_a_changed_row_is_found_by_the_audit(case):
    hand_in(case)
    PartnerVerification.objects.update(reference="other")

    [fault] = audit.find_faults()
    assert "rows that were changed" in str(fault)


def test_it_does_not_count_once_the_contract_has_ended(case):
    hand_in(case)
    Partner.objects.update(reliance_contract="")

    run_checks(Application.objects.select_related("lead").get(), cause=RunCause.STAFF, at=later())

    check = check_of(CheckCode.PARTNER_IDENTITY)
    assert check.result == CheckResult.WARN
    assert check.note.startswith("The bank does not rely on this partner: it does not count.")


@pytest.mark.parametrize(
    ("kind", "of_owner", "changed", "result"),
    [
        ("IDENTITY", False, ["lastName"], "WARN"),
        ("IDENTITY", False, ["phoneNumber", "uboList"], "PASS"),
        ("IDENTITY", True, ["uboList"], "WARN"),
        ("IDENTITY", True, ["lastName"], "PASS"),
        ("REGISTRY", False, ["ein"], "WARN"),
        ("ADDRESS", False, ["businessAddress"], "WARN"),
    ],
)
def test_it_does_not_count_for_data_that_changed_since(case, kind, of_owner, changed, result):
    ubo_id = str(make_owner(case.lead).external_id) if of_owner else None
    hand_in(case, kind=kind, ubo_id=ubo_id, at=later(minutes=2))
    with transaction.atomic():
        locked = lock_application(pk=case.pk)
        history.record_change(locked, changed, by=PARTNER, at=later(minutes=3))

    run_checks(load(case), cause=RunCause.STAFF, at=later(minutes=4))

    check = check_of(VerificationKind(kind).partner_code)
    assert check.result == result
    if result == "WARN":
        assert check.note.startswith("The data have changed since the partner verified them")

    hand_in(load(case), kind=kind, ubo_id=ubo_id, at=later(minutes=5))
    run_checks(load(case), cause=RunCause.STAFF, at=later(minutes=6))
    assert check_of(VerificationKind(kind).partner_code).result == "PASS"


def test_without_a_contract_it_is_refused(case):
    Partner.objects.update(reliance_contract="")

    with pytest.raises(partner_verifications.RelianceNotAgreed):
        hand_in(case)
    assert not PartnerVerification.objects.exists()


def test_the_lead_of_another_partner_is_not_found(case):
    with pytest.raises(LeadNotFound):
        hand_in(case, partner=make_partner(reliance_contract="Annex 3"))


def test_owners_and_documents_must_be_the_leads(case):
    foreign = make_document()
    with pytest.raises(Invalid) as refused:
        hand_in(case, document_ids=[str(foreign.external_id), "x", "x", str(uuid.uuid4())])
    assert codes(refused) == [
        (ErrorCode.DOCUMENT_NOT_FOUND, f"/documentIds/{place}") for place in range(4)
    ]
    with pytest.raises(Invalid) as refused:
        hand_in(case, ubo_id=str(make_owner().external_id))
    assert codes(refused) == [(ErrorCode.OWNER_NOT_FOUND, "/uboId")]


def test_an_owner_can_be_verified(case):
    owner = make_owner(case.lead)

    assert hand_in(case, ubo_id=str(owner.external_id)).ubo_id == owner.external_id
    with pytest.raises(Invalid):
        hand_in(case, kind="REGISTRY", ubo_id=str(owner.external_id))


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"verified_on": date(2026, 3, 3)}, ErrorCode.INVALID_DATE),
        ({"document_ids": []}, ErrorCode.DOCUMENT_LIST_EMPTY),
    ],
)
def test_a_day_to_come_and_missing_evidence_are_refused(case, values, code):
    with pytest.raises(Invalid) as refused:
        hand_in(case, **values)

    assert [one for one, _ in codes(refused)] == [code]


def test_it_is_erased_with_a_lead_who_never_submitted(db, make_application, monkeypatch):
    monkeypatch.setattr(erasure.stores, "require_own", lambda: None)
    application = make_application()
    Partner.objects.update(reliance_contract="Annex 3")
    application.lead.partner.refresh_from_db()
    make_document(application.lead)
    hand_in(application)
    application.refresh_from_db()
    lifecycle.move(application, Status.EXPIRED, by=CLOCK, at=NOON)

    list(erasure.erase_unsubmitted(before=later(days=1), at=later(days=1)))

    assert not PartnerVerification.objects.exists()
    assert list(audit.find_faults()) == []


def test_there_is_an_end_to_it(case, monkeypatch):
    monkeypatch.setattr(partner_verifications, "MAX_PER_APPLICATION", 1)
    hand_in(case)

    with pytest.raises(partner_verifications.TooManyVerifications):
        hand_in(case)


def test_a_closed_application_takes_none(case):
    Application.objects.update(status=Status.DENIED, decided_at=NOON)

    with pytest.raises(Refused):
        hand_in(case)

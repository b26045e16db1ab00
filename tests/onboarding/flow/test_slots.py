"""The slots: what an applicant is asked to upload, and where each document stands."""

from datetime import timedelta

import pytest
from django.utils import translation

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, IdentityStatus, LlcFileType, Supplier
from onboarding.flow.journeys import Journey
from onboarding.flow.slots import list_slots
from onboarding.models import Document
from tests.factories import (
    NOON,
    make_application,
    make_document,
    make_lead,
    make_owner,
    make_partner,
)

UTILITY = LlcFileType.UTILITY_BILL.value


@pytest.fixture
def application(db):
    lead = make_lead(make_partner(display_name="Northwind"), business_type="MMLLC")
    return make_application(lead, status=Status.IN_PROGRESS)


def slots_of(application):
    journey = Journey(application, {"link": "the-link"})
    return {slot.key: slot for slot in list_slots(journey, journey.file())}


def request(kind, *, reason="It is not readable.", **more):
    return {
        "llc_file_type": kind,
        "reason": reason,
        "requested_at": (NOON + timedelta(days=1)).isoformat(),
        **more,
    }


def test_there_is_a_slot_for_each_rule_and_one_for_the_rest(application):
    slots = slots_of(application)

    assert list(slots) == [
        "ARTICLES_OF_ORGANIZATION",
        "EIN_PROOF",
        "OPERATING_AGREEMENT",
        "OTHER",
    ]
    proof = slots["EIN_PROOF"]
    assert str(proof.title) == "The IRS letter or form SS-4 with the EIN"
    assert str(proof.why) == "It shows that the EIN belongs to the business."
    assert [kind for kind, _ in proof.choices] == ["IRS_EIN_LETTER", "SS4_DOCUMENT"]
    assert proof.is_missing
    assert not slots["OTHER"].is_missing


def test_a_rule_is_worded_in_the_readers_language(application):
    with translation.override("es"):
        title = str(slots_of(application)["OPERATING_AGREEMENT"].title)

    assert title == "El acuerdo operativo"


def test_without_a_business_type_there_is_only_the_rest(db):
    assert list(slots_of(make_application(make_lead()))) == ["OTHER"]


def test_a_document_stands_where_it_is_asked_for_or_with_the_rest(application):
    letter = make_document(application.lead, llc_file_type="IRS_EIN_LETTER")
    bill = make_document(application.lead, llc_file_type=UTILITY)
    other = make_document(
        application.lead, llc_file_type="SS4_DOCUMENT", owner=make_owner(application.lead)
    )

    slots = slots_of(application)

    assert [one.document for one in slots["EIN_PROOF"].documents] == [letter]
    assert [one.document for one in slots["OTHER"].documents] == [bill, other]
    assert slots["EIN_PROOF"].is_filled
    assert not slots["EIN_PROOF"].is_missing


def test_what_was_replaced_is_not_shown(application):
    make_document(application.lead, status=DocumentStatus.REPLACED)

    assert slots_of(application)["OTHER"].documents == []


def test_who_sent_a_document_is_said(application):
    for supplier in (Supplier.PARTNER, Supplier.APPLICANT, Supplier.REVIEWER):
        make_document(application.lead, supplied_by=supplier)

    shown = [str(one.supplier) for one in slots_of(application)["OTHER"].documents]

    assert shown == ["Northwind", "you", "Vestibule Bank (sandbox)"]


@pytest.mark.parametrize(
    ("status", "is_seen", "is_replaceable", "is_refused"),
    [
        (DocumentStatus.RECEIVED, True, True, False),
        (DocumentStatus.QUARANTINED, False, True, True),
        (DocumentStatus.REJECTED, True, True, True),
        (DocumentStatus.ACCEPTED, True, False, False),
    ],
)
def test_what_may_be_done_with_a_document_hangs_on_its_status(
    application, status, is_seen, is_replaceable, is_refused
):
    document = make_document(application.lead, status=status)

    [shown] = slots_of(application)["OTHER"].documents

    path = f"/apply/the-link/documents/{document.external_id}"
    assert shown.url == (path if is_seen else "")
    assert (shown.is_replaceable, shown.is_refused) == (is_replaceable, is_refused)
    assert shown.standing


def test_a_file_that_waits_for_its_scan_is_being_checked_and_may_be_replaced(application):
    make_document(
        application.lead,
        llc_file_type="IRS_EIN_LETTER",
        status=DocumentStatus.PENDING,
        scan_due_at=NOON,
    )

    slot = slots_of(application)["EIN_PROOF"]

    [shown] = slot.documents
    assert slot.is_filled
    assert (shown.url, shown.is_replaceable, shown.is_refused) == ("", True, False)
    assert "checking that this file is safe" in str(shown.standing)


def test_a_document_that_is_yet_to_be_fetched_is_only_named(application):
    Document.objects.create(
        lead=application.lead,
        source_url="https://files.example.com/a.pdf?signature=s3cr3t",
        status=DocumentStatus.PENDING,
        uploaded_at=NOON,
    )

    [shown] = slots_of(application)["OTHER"].documents

    assert (shown.url, shown.is_replaceable) == ("", False)
    assert str(shown.name) == "A file from files.example.com"


def test_a_document_that_could_not_be_fetched_may_be_sent_by_the_applicant(application):
    Document.objects.create(
        lead=application.lead,
        source_url="https://files.example.com/a.pdf",
        status=DocumentStatus.NOT_FETCHED,
        uploaded_at=NOON,
    )

    slots = slots_of(application)
    [shown] = slots["OTHER"].documents

    assert "DOCUMENT_NOT_FETCHED" not in slots
    assert shown.is_refused
    assert str(shown.standing) == "We could not download this file. If you have it, send it here."


def test_what_staff_ask_for_has_a_slot_with_their_reason_and_a_date(application):
    application.status = Status.DOCUMENTS_REQUIRED
    application.document_requests = [request(UTILITY)]

    slot = slots_of(application)["UTILITY_BILL_REQUESTED"]

    assert (str(slot.title), slot.why) == ("Utility bill", "It is not readable.")
    assert slot.due_date == application.deadline
    assert slot.is_missing


def test_what_staff_ask_for_of_an_owner_names_the_owner(application):
    owner = make_owner(application.lead, first_name="Grace", last_name="Hopper")
    application.document_requests = [request("PASSPORT", ubo_id=str(owner.external_id))]

    slot = slots_of(application)[f"PASSPORT_REQUESTED.{owner.external_id}"]

    assert slot.owner == owner


def test_what_staff_ask_for_again_stands_in_the_slot_of_its_rule(application):
    make_document(application.lead, llc_file_type="IRS_EIN_LETTER", status=DocumentStatus.REJECTED)
    application.document_requests = [request("IRS_EIN_LETTER")]

    slots = slots_of(application)

    assert "IRS_EIN_LETTER_REQUESTED" not in slots
    assert slots["EIN_PROOF"].is_missing
    assert slots["EIN_PROOF"].why == "It is not readable."


def test_who_must_prove_who_they_are_is_asked_person_by_person(application):
    application.status, application.status_changed_at = Status.ID_VERIFICATION, NOON
    application.lead.identity_status = "REQUESTED"
    owner = make_owner(application.lead, identity_status="REQUESTED")

    slots = slots_of(application)

    assert slots["IDENTITY_PROOF_MISSING"].owner is None
    assert slots[f"IDENTITY_PROOF_MISSING.{owner.external_id}"].owner == owner


def test_the_slots_cost_one_statement(application, django_assert_num_queries):
    make_document(application.lead)
    journey = Journey(application, {"link": "the-link"})
    file = journey.file()

    with django_assert_num_queries(1):
        list_slots(journey, file)


def test_why_staff_rejected_a_file_is_told_and_why_machines_did_is_not(application):
    rejected = {"status": DocumentStatus.REJECTED, "status_reason": "Page 2 is missing."}
    make_document(application.lead, llc_file_type=UTILITY, **rejected)
    quarantined = {"status": DocumentStatus.QUARANTINED, "status_reason": "an executable"}
    make_document(application.lead, llc_file_type=UTILITY, **quarantined)

    shown = slots_of(application)["OTHER"].documents

    assert [one.reason for one in shown] == ["Page 2 is missing.", ""]


def test_what_is_said_of_a_rejected_file_is_said_once(application):
    kind, reason = "ARTICLES_OF_ORGANIZATION", "Page 2 is missing."
    application.document_requests = [request(kind, reason=reason)]
    assert slots_of(application)[kind].why == reason

    rejected = {"status": DocumentStatus.REJECTED, "status_reason": reason}
    make_document(application.lead, llc_file_type=kind, **rejected)

    slot = slots_of(application)[kind]
    assert slot.why == "They show that a state has registered the business."
    assert [shown.reason for shown in slot.documents] == [reason]


# Proofs of identity


def test_proofs_of_identity_come_first_that_of_the_applicant_before_those_of_owners(application):
    grace = make_owner(application.lead, first_name="Grace")
    application.status, application.status_changed_at = Status.ID_VERIFICATION, NOON
    application.lead.identity_status = grace.identity_status = IdentityStatus.REQUESTED
    grace.save()

    slots = [*slots_of(application).values()]

    assert [slot.is_identity for slot in slots] == [True, True, False, False, False, False]
    assert [slot.owner for slot in slots[:2]] == [None, grace]
    assert [kind for kind, _ in slots[0].choices] == ["GOVERNMENT_IDENTIFICATION", "PASSPORT"]
    assert [field.name for field in slots[0].side_fields] == ["front", "back"]


def test_an_identification_that_was_asked_for_stays_in_its_slot(application):
    application.status, application.status_changed_at = Status.ID_VERIFICATION, NOON
    application.lead.identity_status = IdentityStatus.REQUESTED
    [key] = [slot.key for slot in slots_of(application).values() if slot.is_identity]
    passport = make_document(application.lead, llc_file_type="PASSPORT", uploaded_at=NOON)

    for status in (Status.ID_VERIFICATION, Status.IN_REVIEW):
        application.status = status
        slots = slots_of(application)

        assert [shown.document for shown in slots[key].documents] == [passport]
        assert slots[key].is_filled
        assert slots["OTHER"].documents == []


def test_who_answered_with_a_passport_is_asked_for_its_page(application):
    application.lead.passport_number = "P1"

    slot = next(iter(slots_of(application).values()))

    assert slot.kinds == ("PASSPORT",)
    assert [(one.name, str(one.label)) for one in slot.side_fields] == [
        ("front", "Page with the photo")
    ]


def test_of_a_card_that_is_begun_the_other_side_is_asked_for(db):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)
    make_document(application.lead, llc_file_type="GOVERNMENT_IDENTIFICATION", side="BACK")

    slot = next(iter(slots_of(application).values()))

    assert slot.is_missing
    assert [(one.name, str(one.label)) for one in slot.side_fields] == [("front", "Front side")]


def test_the_front_is_shown_before_the_back(db):
    application = make_application(make_lead(business_type="SSN"), status=Status.IN_PROGRESS)
    for side in ("BACK", "FRONT"):
        make_document(application.lead, llc_file_type="GOVERNMENT_IDENTIFICATION", side=side)

    slot = next(iter(slots_of(application).values()))

    assert [shown.document.side for shown in slot.documents] == ["FRONT", "BACK"]


def test_the_applicant_sees_that_an_owner_sent_something_and_not_what(application):
    grace = make_owner(application.lead, first_name="Grace", last_name="Hopper")
    make_document(
        application.lead,
        owner=grace,
        llc_file_type="PASSPORT",
        file_name="visa-from-cuba.pdf",
        supplied_by=Supplier.OWNER,
    )

    [shown] = slots_of(application)["OTHER"].documents

    assert (str(shown.name), shown.supplier, shown.url) == ("Identification", "Grace Hopper", "")
    assert not shown.is_replaceable

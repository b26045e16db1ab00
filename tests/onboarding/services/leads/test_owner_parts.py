"""Invited owners fill in and sign their own part; the applicant's signature waits for that."""

from contextlib import suppress
from datetime import date

import pytest
from django.db import connection

from foundation.database import append_only
from onboarding import legal_texts
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import InvitationStatus, LegalText, Supplier
from onboarding.event_types import EventType
from onboarding.models import (
    Application,
    Consent,
    Event,
    Lead,
    Owner,
    OwnerInvitation,
    OwnerRecord,
)
from onboarding.queries import audit, fixed_rows
from onboarding.queries.consents import list_consents
from onboarding.queries.leads import open_lead_file
from onboarding.queries.requirements import Kind, Party
from onboarding.services.applications import attempts
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.events.history import APPLICANT, record_change
from onboarding.services.leads import drafts, owner_invitations, owner_parts, submissions
from onboarding.services.leads.drafts import NotYourPart
from tests.factories import NOON, later

AGREED = {text: legal_texts.current(text, "en").version for text in owner_parts.TEXTS}
PART = {
    "first_name": "Grace",
    "last_name": "Hopper",
    "phone_number": "+12025550124",
    "birth_date": date(1976, 1, 1),
    "ssn": "123456789",
    "address.line1": "3 Main Street",
    "address.city": "Arlington",
}


@pytest.fixture
def application(make_application, make_lead):
    return make_application(make_lead(), status=Status.IN_PROGRESS)


@pytest.fixture
def grace(application, make_owner, make_invitation):
    """An owner who is waited for."""
    owner = make_owner(application.lead, email="grace@example.com", ownership_percent=25)
    return make_invitation(owner).owner


def save(application, owner, **values):
    return owner_parts.save_part(application, owner, values, seen="", at=NOON)


def complete(application, owner, **values):
    stored = Owner.objects.get(pk=owner.pk)
    values = {
        "signed_name": " grace  HOPPER",
        "agreed": AGREED,
        "language": "en",
        "seen": owner_parts.state_of(stored),
        "at": later(minutes=5),
        **values,
    }
    owner_parts.complete(application, stored, **values)


def waiting(application):
    return [one for one in open_lead_file(application).requirements if one.kind == Kind.OWNER]


def test_a_part_is_saved_as_the_owners(application, grace):
    save(application, grace, **PART)

    owner = Owner.objects.get()
    assert (owner.full_name, owner.ssn) == ("Grace Hopper", "123456789")
    assert owner.address == {"line1": "3 Main Street", "city": "Arlington"}
    assert owner.supplied_by["ssn"] == Supplier.OWNER
    assert Event.objects.get().role == "OWNER"


def test_a_completed_part_is_signed_and_written_down(application, grace):
    save(application, grace, **PART)

    complete(application, grace)

    event = Event.objects.get(type=EventType.OWNER_COMPLETED)
    consents = list(Consent.objects.order_by("pk"))
    assert [one.text for one in consents] == list(owner_parts.TEXTS)
    assert {one.signed_name for one in consents} == {"grace HOPPER"}
    assert {one.ubo_id for one in consents} == {grace.external_id}
    assert event.details == {
        "ubo_id": str(grace.external_id),
        "texts": AGREED,
        "language": "en",
        "answers_digest": consents[0].answers_digest,
        "answers_version": consents[0].answers_version,
        "record_digest": OwnerRecord.objects.get().digest,
        **fixed_rows.fix(*consents),
    }
    assert OwnerInvitation.objects.get().completed_at == later(minutes=5)
    assert not list_consents(application)
    assert list(audit.find_faults()) == []


def test_a_forged_consent_of_an_owner_is_found_by_the_audit(application, grace):
    save(application, grace, **PART)
    complete(application, grace)
    append_only.unprotect(connection, "onboarding_consent")

    Consent.objects.filter(text=LegalText.PRIVACY_NOTICE).update(signed_name="Eve")

    assert [one.fault for one in audit.find_faults()] == [
        "is about rows that were changed: Owner completed their part"
    ]


def test_a_part_that_was_signed_twice_passes_the_audit(application, grace):
    save(application, grace, **PART)
    complete(application, grace)
    OwnerInvitation.objects.update(status=InvitationStatus.INVITED, completed_at=None)

    complete(application, grace, at=later(days=1))

    assert Consent.objects.count() == 4
    assert list(audit.find_faults()) == []


def test_answers_of_an_owner_that_change_after_the_signature_without_an_event_are_found(
    application, grace
):
    save(application, grace, **PART)
    complete(application, grace)
    change_without_owners = ["firstName"]
    record_change(
        Application.objects.select_related("lead").get(),
        change_without_owners,
        by=APPLICANT,
        at=later(hours=1),
    )

    Owner.objects.update(first_name="Eve")
    changed = [one.fault for one in audit.find_faults()]
    Owner.objects.all().delete()
    deleted = [one.fault for one in audit.find_faults()]

    assert changed == ["was signed by an owner for other answers than there are"]
    assert deleted == ["was signed by an owner who is gone"]


def test_answers_of_an_owner_that_change_with_an_event_are_in_order(application, grace):
    save(application, grace, **PART)
    complete(application, grace)
    owner_id = str(grace.external_id)
    drafts.save_owner(application, owner_id, {"ownership_percent": 30}, seen="", at=later(hours=1))
    shared = list(audit.find_faults())

    drafts.remove_owner(application, owner_id, at=later(hours=2))

    assert shared == list(audit.find_faults()) == []
    assert not Owner.objects.exists()


def test_the_choice_of_a_control_person_after_a_signature_is_in_order(application, grace):
    save(application, grace, **PART)
    complete(application, grace)

    drafts.choose_control_person(application, str(grace.external_id), at=later(hours=1))

    assert Owner.objects.get().is_control_person
    assert list(audit.find_faults()) == []


def test_the_submission_waits_for_an_invited_owner(application, grace):
    [missing] = waiting(application)

    assert missing in submissions.list_blocking(open_lead_file(application).requirements)
    assert (missing.ubo_id, missing.satisfiable_by) == (grace.external_id, (Party.OWNER,))
    with pytest.raises(submissions.Incomplete):
        submissions.submit(
            application,
            signed_name="Ada",
            agreed={},
            language="en",
            seen=submissions.state_of(Lead.objects.get()),
            at=NOON,
        )

    save(application, grace, **PART)
    complete(application, grace)
    assert not waiting(application)


def test_nobody_else_is_told_what_an_invited_owner_lacks(application, grace):
    missing = {one.code for one in open_lead_file(application).requirements if one.ubo_id}

    assert missing == {"OWNER_NOT_COMPLETED"}


def test_an_owner_without_a_share_lacks_what_the_applicant_says(application, grace):
    Owner.objects.update(ownership_percent=None)

    missing = {one.code for one in open_lead_file(application).requirements if one.ubo_id}

    assert missing == {"OWNER_NOT_COMPLETED", "OWNERSHIP_PERCENT_MISSING"}


@pytest.mark.parametrize(
    ("values", "refusal"),
    [
        ({"signed_name": "Eve Forger"}, submissions.AnotherName),
        ({"signed_name": "x"}, submissions.NotAName),
        ({"agreed": {}}, submissions.NotAgreed),
        ({"agreed": dict.fromkeys(owner_parts.TEXTS, "1999-01")}, submissions.TextsChanged),
        ({"seen": "another state"}, submissions.ChangedMeanwhile),
    ],
)
def test_a_signature_is_refused(application, grace, values, refusal):
    save(application, grace, **PART)

    with pytest.raises(refusal):
        complete(application, grace, **values)

    assert not Consent.objects.exists()
    assert OwnerInvitation.objects.get().status == InvitationStatus.INVITED


def test_a_part_that_lacks_something_is_not_signed(application, grace):
    save(application, grace, **{**PART, "ssn": ""})

    with pytest.raises(submissions.Incomplete):
        complete(application, grace)


@pytest.mark.parametrize("status", ["COMPLETED", "TAKEN_OVER"])
def test_a_part_that_is_not_the_owners_turn_stays(application, grace, status):
    save(application, grace, **PART)
    completed_at = NOON if status == "COMPLETED" else None
    OwnerInvitation.objects.update(status=status, completed_at=completed_at)

    with pytest.raises(NotYourPart):
        save(application, grace, ssn="223456789")
    with pytest.raises(NotYourPart):
        complete(application, grace)


@pytest.mark.parametrize("status", [Status.SUBMITTED, Status.WITHDRAWN])
def test_a_locked_application_takes_no_part(application, grace, status):
    save(application, grace, **PART)
    Application.objects.update(status=status)

    with pytest.raises(LeadLocked):
        save(application, grace, ssn="223456789")
    with pytest.raises(LeadLocked):
        complete(application, grace)


def test_a_removed_owner_has_no_part(application, grace):
    drafts.remove_owner(application, str(grace.external_id), at=NOON)

    with pytest.raises(Owner.DoesNotExist):
        save(application, grace, ssn="223456789")


def test_of_eight_signatures_at_once_one_is_written_down(in_threads, application, grace):
    save(application, grace, **PART)
    seen = owner_parts.state_of(Owner.objects.get())

    def sign(_number):
        with suppress(NotYourPart):
            complete(application, grace, seen=seen)
            return True
        return False

    assert sum(in_threads(sign, range(8))) == 1
    assert Consent.objects.count() == len(owner_parts.TEXTS)
    assert list(audit.find_faults()) == []


def test_a_part_is_signed_or_taken_over_and_never_both(in_threads, application, grace):
    save(application, grace, **PART)
    seen = owner_parts.state_of(Owner.objects.get())

    def act(number):
        with suppress(NotYourPart):
            if number % 2:
                complete(application, grace, seen=seen)
            else:
                owner_invitations.take_over(application, str(grace.external_id), at=NOON)

    in_threads(act, range(4))

    assert OwnerInvitation.objects.get().status == InvitationStatus.TAKEN_OVER
    assert Owner.objects.get().ssn == ""
    assert list(audit.find_faults()) == []


def test_the_version_of_the_answers_is_another_whether_the_number_is_the_same_or_not(
    application, grace
):
    save(application, grace, **PART)
    versions = [owner_parts.state_of(Owner.objects.get())]

    for number in ("123456789", "123456780", "123456789"):
        save(application, grace, ssn=number)
        versions.append(owner_parts.state_of(Owner.objects.get()))

    assert len(set(versions)) == len(versions)


def test_who_signed_in_one_attempt_signs_again_in_the_next(application, grace):
    save(application, grace, **PART)
    complete(application, grace)

    attempts.next_attempt(application, later(days=1))

    assert Owner.objects.get().is_waited_for
    assert Consent.objects.exists()


def test_a_record_of_an_owner_that_says_something_else_is_found(application, grace):
    save(application, grace, **PART)
    complete(application, grace)
    record = OwnerRecord.objects.get()
    OwnerRecord.objects.all().delete()
    assert list(audit.find_faults()) == []  # a record goes with the part of an owner

    OwnerRecord.objects.create(
        application=record.application,
        owner=record.owner,
        content={**record.content, "bank": "Another Bank"},
        digest=record.digest,
        signed_at=record.signed_at,
    )

    [found] = audit.find_faults()
    assert found.fault == "was signed by an owner, whose record differs"

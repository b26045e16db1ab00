"""Reviews: one person has a case at a time, and what they ask of its applicant."""

from datetime import timedelta

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import IdentityStatus, LlcFileType
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Mail, Note
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.applications.lifecycle import InvalidMove
from onboarding.services.events import history
from onboarding.services.reviews import cases
from onboarding.services.reviews.cases import (
    CLAIMABLE,
    ClaimedByAnother,
    Incomplete,
    NotClaimable,
    NotClaimed,
    NotesUnread,
    Superseded,
)
from tests.factories import NOON, later, make_document, make_owner
from tests.onboarding.cases import HALF_AN_HOUR, load, make_case, make_reviewer
from tests.onboarding.services.leads.test_submissions import make_complete_owner


def events():
    return list(Event.objects.order_by("number").values_list("type", flat=True))


@pytest.fixture
def ada(db):
    return make_reviewer()


@pytest.fixture
def bob(db):
    return make_reviewer()


@pytest.fixture
def case(ada):
    return make_case(by=ada)


def test_a_case_is_claimed_for_half_an_hour(ada):
    cases.claim(make_case(), by=ada, at=NOON)

    application = Application.objects.get()
    assert (application.claimed_by, application.claimed_until) == (ada, NOON + HALF_AN_HOUR)
    event = Event.objects.get()
    assert (event.type, event.who) == (EventType.CLAIMED, str(ada.external_id))
    assert list(audit.find_faults()) == []


def test_a_case_of_somebody_else_is_not_claimed(case, bob):
    with pytest.raises(ClaimedByAnother, match=r"until \d\d:\d\d") as caught:
        cases.claim(case, by=bob, at=later(minutes=29))

    assert caught.value.until == NOON + HALF_AN_HOUR
    assert not Event.objects.exists()


def test_a_claim_lapses(case, bob):
    cases.claim(case, by=bob, at=NOON + HALF_AN_HOUR)

    assert Application.objects.get().claimed_by == bob


def test_claiming_again_keeps_the_case_and_says_so_once(ada):
    case = make_case()

    cases.claim(case, by=ada, at=NOON)
    cases.claim(case, by=ada, at=later(minutes=10))

    assert Application.objects.get().claimed_until == later(minutes=40)
    assert events() == [EventType.CLAIMED]


def test_who_claims_the_case_of_a_colleague_who_left_becomes_its_assignee(ada, bob):
    case = make_case()
    Application.objects.update(assignee=bob, returned_at=NOON)
    bob.is_active = False
    bob.save()

    cases.claim(case, by=ada, at=NOON)

    application = Application.objects.get()
    assert (application.assignee, application.returned_at) == (ada, None)
    assert Event.objects.get().details == {"becomes": "assignee"}


def test_who_claims_the_case_of_a_colleague_who_works_here_leaves_it_to_them(ada, bob):
    case = make_case()
    Application.objects.update(assignee=bob, returned_at=NOON)

    cases.claim(case, by=ada, at=NOON)

    application = Application.objects.get()
    assert (application.assignee, application.returned_at) == (bob, NOON)
    assert Event.objects.get().details == {}


@pytest.mark.parametrize("status", sorted(set(Status) - CLAIMABLE))
def test_where_staff_have_nothing_to_do_nothing_is_claimed(ada, status):
    with pytest.raises(NotClaimable):
        cases.claim(make_case(status), by=ada, at=NOON)


def test_an_older_attempt_is_not_claimed(ada):
    case = make_case()
    Application.objects.update(is_current=False)

    with pytest.raises(Superseded):
        cases.claim(case, by=ada, at=NOON)


def test_of_six_at_once_one_has_the_case(in_threads):
    case = make_case()
    users = [make_reviewer() for _ in range(6)]

    outcomes = in_threads(lambda user: cases.claim(load(case), by=user, at=NOON), users)

    losers = [one for one in outcomes if isinstance(one, ClaimedByAnother)]
    winner = next(one for one in outcomes if isinstance(one, Application))
    assert len(losers) == 5, outcomes
    assert {one.until for one in losers} == {NOON + HALF_AN_HOUR}
    assert Application.objects.get().claimed_by == winner.claimed_by
    assert events() == [EventType.CLAIMED]


def test_the_first_claim_is_the_first_touch(ada, bob):
    case = make_case(at=later(hours=4))  # 11:00 in New York

    cases.claim(case, by=ada, at=later(hours=5))
    cases.release(case, by=ada, at=later(hours=6))
    cases.claim(case, by=bob, at=later(hours=7))

    application = Application.objects.get()
    assert application.touched_at == later(hours=5)
    assert application.due_at == later(days=1, hours=4)


def test_outside_a_review_nothing_is_touched(ada):
    cases.claim(make_case(Status.DOCUMENTS_REQUIRED), by=ada, at=NOON)

    assert Application.objects.get().touched_at is None


def test_a_case_is_given_back(case, ada):
    cases.release(case, by=ada, at=later(hours=3))

    application = Application.objects.get()
    assert (application.claimed_by, application.claimed_until) == (None, None)
    assert events() == [EventType.RELEASED]


def test_a_case_of_somebody_else_is_not_given_back(case, bob):
    with pytest.raises(NotClaimed):
        cases.release(case, by=bob, at=NOON)

    assert Application.objects.get().claimed_by


def test_each_step_keeps_the_case_for_longer(case, ada):
    cases.require_claim(case, by=ada, at=later(minutes=20))

    assert Application.objects.get().claimed_until == later(minutes=50)


def test_a_claim_that_has_lapsed_is_none(case, ada):
    with pytest.raises(NotClaimed):
        cases.require_claim(case, by=ada, at=NOON + HALF_AN_HOUR)


def test_without_a_claim_nobody_goes_on(case, bob):
    with pytest.raises(NotClaimed):
        cases.require_claim(case, by=bob, at=NOON)


def test_a_note_is_for_staff(case, bob):
    note = cases.add_note(case, " Called them. ", is_for_applicant=False, by=bob, at=NOON)

    assert (note.text, note.by, note.is_for_applicant) == ("Called them.", bob, False)
    event = Event.objects.get()
    assert (event.type, event.sequence) == (EventType.NOTED, None)
    assert event.details == {"note_id": str(note.external_id), "is_for_applicant": False}
    assert not Mail.objects.exists()


def test_a_note_to_the_applicant_is_mailed_in_their_language(case, ada):
    case.consents.create(
        text="PRIVACY_NOTICE", version="1", language="es", signed_name="A", agreed_at=NOON
    )

    cases.add_note(case, "Which floor is it?", is_for_applicant=True, by=ada, at=NOON)

    mail = Mail.objects.get()
    assert (mail.kind, mail.language, mail.application) == (MailKind.MESSAGE, "es", case)


def test_a_note_touches_the_case(bob):
    cases.add_note(make_case(), "Seen.", is_for_applicant=False, by=bob, at=later(minutes=3))

    assert Application.objects.get().touched_at == later(minutes=3)


def test_a_note_says_something(case, ada):
    with pytest.raises(Incomplete):
        cases.add_note(case, "  ", is_for_applicant=False, by=ada, at=NOON)

    assert not Note.objects.exists()


@pytest.mark.parametrize(
    ("writers", "sentence"),
    [
        ("b", "Bob has added a note since you opened this page. Read it, then decide."),
        ("bab", "Bob has added notes since you opened this page. Read them, then decide."),
        ("bc", "Colleagues have added notes since you opened this page. Read them, then decide."),
    ],
)
def test_notes_of_colleagues_are_read_before_a_decision(
    case, ada, bob, make_note, writers, sentence
):
    bob.first_name, bob.last_name = "Bob", ""
    bob.save()
    people = {"a": ada, "b": bob, "c": make_reviewer()}
    seen = make_note(case, by=bob)
    for writer in writers:
        make_note(case, by=people[writer])

    with pytest.raises(NotesUnread) as caught:
        cases.require_notes_read(case, seen.pk, by=ada)

    assert str(caught.value) == sentence


def test_own_notes_messages_and_notes_that_were_shown_stop_nothing(case, ada, bob, make_note):
    seen = make_note(case, by=bob)
    make_note(case, by=ada)
    make_note(case, by=bob, is_for_applicant=True)

    cases.require_notes_read(case, seen.pk, by=ada)
    cases.require_notes_read(case, None, by=ada)  # from a page without notes


def test_an_older_attempt_may_still_be_noted_about(case, ada, make_application):
    Application.objects.update(is_current=False)
    make_application(case.lead, attempt=2)

    cases.add_note(load(case), "An afterthought.", is_for_applicant=False, by=ada, at=NOON)

    assert Event.objects.get().application == case
    assert list(audit.find_faults()) == []


def test_documents_are_asked_for_with_reasons(case, ada):
    reasons = {LlcFileType.UTILITY_BILL: " Blurred. "}

    cases.request_documents(case, reasons, by=ada, at=NOON)

    application = Application.objects.get()
    assert application.status == Status.DOCUMENTS_REQUIRED
    assert [one["reason"] for one in application.document_requests] == ["Blurred."]
    assert application.due_at is None
    assert (application.claimed_by, Event.objects.get().who) == (ada, str(ada.external_id))


def test_a_document_of_an_owner_is_asked_for(case, ada):
    grace, other = make_owner(case.lead), make_owner()

    with pytest.raises(Incomplete):
        cases.request_documents(
            case, {}, of_owners={(LlcFileType.PASSPORT, other): "Expired."}, by=ada, at=NOON
        )
    cases.request_documents(
        case, {}, of_owners={(LlcFileType.PASSPORT, grace): "Expired."}, by=ada, at=NOON
    )

    [asked] = load(case).document_requests
    assert (asked["llc_file_type"], asked["ubo_id"]) == ("PASSPORT", str(grace.external_id))


def test_a_document_is_not_asked_for_without_a_reason(case, ada):
    with pytest.raises(Incomplete):
        cases.request_documents(case, {LlcFileType.UTILITY_BILL: " "}, by=ada, at=NOON)

    assert load(case).status == Status.IN_REVIEW


def test_what_is_missing_may_be_asked_for_as_it_is(case, ada):
    cases.request_documents(case, {}, by=ada, at=NOON)

    assert load(case).status == Status.DOCUMENTS_REQUIRED


def test_nothing_is_not_asked_for(case, ada):
    for kind in ("ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"):
        make_document(case.lead, llc_file_type=kind)

    with pytest.raises(Incomplete):
        cases.request_documents(case, {}, by=ada, at=NOON)

    assert load(case).status == Status.IN_REVIEW


def test_people_are_asked_to_prove_who_they_are(case, ada):
    owner = make_complete_owner(case.lead)

    cases.request_identity(case, [owner], by=ada, at=NOON)

    owner.refresh_from_db()
    assert load(case).status == Status.ID_VERIFICATION
    assert owner.identity_status == IdentityStatus.REQUESTED


def test_nobody_and_strangers_are_not_asked(case, ada, make_owner):
    for people in ([], [make_owner()]):
        with pytest.raises(Incomplete):
            cases.request_identity(case, people, by=ada, at=NOON)

    assert not Event.objects.exists()


def test_identities_are_verified_in_review(case, ada):
    cases.verify_identities(case, by=ada, at=NOON)

    assert load(case).lead.identity_status == IdentityStatus.VERIFIED
    assert events() == [EventType.IDENTITY_COMPLETED]


STEPS = [
    lambda case, by: cases.request_documents(
        case, {LlcFileType.PASSPORT: "Expired."}, by=by, at=NOON
    ),
    lambda case, by: cases.request_identity(case, [case.lead], by=by, at=NOON),
    lambda case, by: cases.verify_identities(case, by=by, at=NOON),
]


@pytest.mark.parametrize("step", STEPS)
def test_whoever_has_not_got_the_case_asks_nothing(case, bob, step):
    with pytest.raises(NotClaimed):
        step(case, bob)

    assert not Event.objects.exists()


@pytest.mark.parametrize("step", STEPS)
def test_what_the_lifecycle_has_not_is_refused_in_a_sentence(ada, step):
    case = make_case(Status.APPROVED_TEMPORARY, by=ada)

    with pytest.raises(InvalidMove, match=r"^The application is APPROVED_TEMPORARY and cannot"):
        step(case, ada)


def test_the_clock_of_a_review_runs_from_move_to_move(ada):
    case = make_case(Status.DOCUMENTS_REQUIRED)
    monday = later(hours=5)  # noon in New York

    lifecycle.move(load(case), Status.IN_REVIEW, by=history.APPLICANT, at=monday)
    began = load(case)
    cases.claim(began, by=ada, at=monday + timedelta(hours=1))
    touched = load(case)
    cases.request_identity(touched, [touched.lead], by=ada, at=monday + timedelta(minutes=70))
    asked = load(case)
    lifecycle.move(
        load(case), Status.IN_REVIEW, by=history.APPLICANT, at=monday + timedelta(days=1)
    )
    again = load(case)

    assert (began.review_began_at, began.touched_at) == (monday, None)
    assert began.due_at == monday + timedelta(hours=2)
    assert touched.due_at == monday + timedelta(days=1)
    assert asked.due_at is None
    assert (again.review_began_at, again.touched_at) == (monday + timedelta(days=1), None)
    assert again.due_at == monday + timedelta(days=1, hours=2)

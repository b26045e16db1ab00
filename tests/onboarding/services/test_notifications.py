"""Notifications of staff: who is told what, once, and mailed unless they muted it."""

from datetime import timedelta

import pytest

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import NotificationKind as Kind
from onboarding.event_types import MailKind
from onboarding.models import Absence, Application, Mail, MutedMail, Notification
from onboarding.services import notifications
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT
from onboarding.services.mails import mail_texts
from onboarding.services.mails.facts import Overtaken
from onboarding.services.reviews import assignments, cases, escalations, proposals
from tests.factories import NOON, later, make_proposal
from tests.onboarding.cases import STEPS, load, make_case, make_reviewer


@pytest.fixture
def ada(db):
    return make_reviewer(*STEPS, first_name="Ada", last_name="Byron")


@pytest.fixture
def bob(db):
    return make_reviewer()


def told(user):
    """Return the kinds of a user's notifications, oldest first."""
    of_user = Notification.objects.filter(user=user).order_by("pk")
    return [Kind(kind) for kind in of_user.values_list("kind", flat=True)]


def test_a_notice_is_mailed_and_the_mail_names_no_customer(ada, bob, settings):
    case = load(make_case())

    notifications.notify(Kind.HANDED_OVER, [ada, bob], application=case, by=bob, at=NOON)

    notice = Notification.objects.get()
    assert (notice.user, notice.by, notice.application) == (ada, bob, case)
    message = mail_texts.compose(Mail.objects.get(kind=MailKind.STAFF_NOTICE), at=NOON)
    assert message.to == [ada.email]
    assert message.subject == f"A case was handed over to you: {case.reference}"
    assert f"{settings.BASE_URL}/admin/onboarding/application/{case.pk}/change/" in message.body
    for name in (case.lead.business_name, case.lead.last_name, case.lead.email):
        assert name not in message.body


@pytest.mark.parametrize(
    ("zone", "due"),
    [("America/New_York", "Mar 2, 2026, 09:00 EST"), ("", "Mar 2, 2026, 08:00 CST")],
)
def test_a_mail_tells_the_deadline_in_the_time_zone_of_its_reader(ada, settings, zone, due):
    settings.STAFF_TIME_ZONE = "America/Chicago"
    User.objects.filter(pk=ada.pk).update(time_zone=zone)
    case = load(make_case())

    notifications.notify(Kind.ASSIGNED, [ada], application=case, at=NOON)

    message = mail_texts.compose(Mail.objects.get(), at=NOON)
    assert f"Due by {due}." in message.body


@pytest.fixture
def away(ada, bob):
    """Let Ada be absent today, with Bob as her deputy."""
    today = NOON.date()
    return Absence.objects.create(user=ada, deputy=bob, first_day=today, last_day=today)


@pytest.mark.parametrize("kind", [Kind.MENTIONED, Kind.ESCALATED, Kind.OVERDUE, Kind.RETURNED])
def test_a_deputy_is_told_what_an_absent_colleague_is_told(ada, bob, away, kind):
    notifications.notify(kind, [ada], application=load(make_case()), at=NOON)

    assert (told(ada), told(bob)) == ([kind], [kind])
    assert {mail.user for mail in Mail.objects.all()} == {ada, bob}


def test_a_deputy_is_told_once(ada, bob, away):
    case = load(make_case())

    notifications.notify(Kind.ESCALATED, [ada, bob], application=case, at=NOON)
    notifications.notify(Kind.NEW_HIT, [ada], application=case, at=NOON)

    assert told(bob) == [Kind.ESCALATED]  # of new hits everybody who judges them is told


def test_a_deputy_is_not_told_of_their_own_act_nor_of_the_absent_colleagues(ada, bob, away):
    case = load(make_case())

    notifications.notify(Kind.HANDED_OVER, [ada], application=case, by=bob, at=NOON)
    notifications.notify(Kind.ANSWERED, [ada], application=case, by=ada, at=NOON)

    assert (told(ada), told(bob)) == ([Kind.HANDED_OVER], [])


def test_a_deputy_is_told_once_of_a_deadline(ada, bob, away):
    case = make_case()
    Application.objects.filter(pk=case.pk).update(assignee=ada, due_at=NOON)

    notifications.notify_deadlines(at=NOON)
    notifications.notify_deadlines(at=NOON)

    assert (told(ada), told(bob)) == ([Kind.OVERDUE], [Kind.OVERDUE])


def test_a_notice_that_was_read_is_not_mailed_any_more(ada):
    notifications.notify(Kind.RETURNED, [ada], application=load(make_case()), at=NOON)
    notifications.mark_read(ada, at=NOON)

    with pytest.raises(Overtaken):
        mail_texts.compose(Mail.objects.get(), at=NOON)


def test_a_muted_kind_is_in_the_list_and_not_mailed(ada):
    notifications.set_mails(ada, kinds=set(Kind) - {Kind.RETURNED})

    for kind in (Kind.RETURNED, Kind.MENTIONED):
        notifications.notify(kind, [ada], application=load(make_case()), at=NOON)

    assert told(ada) == [Kind.RETURNED, Kind.MENTIONED]
    assert [mail.notification.kind for mail in Mail.objects.all()] == [Kind.MENTIONED]
    assert [muted.kind for muted in MutedMail.objects.all()] == [Kind.RETURNED]


def test_who_left_is_not_notified(ada):
    ada.is_active = False

    notifications.notify(Kind.MENTIONED, [ada], application=load(make_case()), at=NOON)

    assert not Notification.objects.exists()


def test_the_assignee_is_told_once_that_the_applicant_answered(ada):
    case = make_case(Status.DOCUMENTS_REQUIRED)
    Application.objects.update(assignee=ada)

    lifecycle.move(load(case), Status.IN_REVIEW, by=APPLICANT, at=NOON)
    notifications.notify_answer(load(case), at=NOON)

    assert told(ada) == [Kind.RETURNED]


def test_nobody_is_told_of_the_answer_in_a_case_of_nobody(db):
    notifications.notify_answer(load(make_case()), at=NOON)

    assert not Notification.objects.exists()


def test_hand_overs_questions_answers_and_mentions_are_told(ada, bob):
    case = make_case(by=bob)
    Application.objects.update(assignee=bob)

    question = escalations.escalate(load(case), to=None, question="Why?", by=bob, at=NOON)
    escalations.answer(question, text="So.", by=ada, at=NOON)
    assignments.reassign(load(case), to=ada, note="@Ada.Byron please", by=bob, at=NOON)
    cases.add_note(load(case), f"@{bob.email}, thanks.", is_for_applicant=False, by=ada, at=NOON)

    assert told(ada) == [Kind.ESCALATED, Kind.MENTIONED, Kind.HANDED_OVER]
    assert told(bob) == [Kind.ANSWERED, Kind.MENTIONED]


def test_a_proposer_is_told_of_the_refusal(ada, bob):
    proposal = make_proposal(make_case(), proposed_by=bob)

    proposals.refuse(proposal, note="Not enough.", by=ada, at=NOON)

    assert told(bob) == [Kind.PROPOSAL_REFUSED]


def test_deadlines_are_told_once_before_and_once_after(ada):
    make_case()  # of nobody
    mine = make_case()  # due two hours after NOON
    Application.objects.filter(pk=mine.pk).update(assignee=ada)

    counts = [
        notifications.notify_deadlines(at=NOON + timedelta(minutes=minutes))
        for minutes in (-1, 0, 5, 121, 126)
    ]

    assert counts == [0, 1, 0, 1, 0]
    assert told(ada) == [Kind.DUE_SOON, Kind.OVERDUE]
    assert set(Notification.objects.values_list("application", flat=True)) == {mine.pk}


def test_notices_are_marked_as_read_by_their_user_alone(ada, bob):
    case = load(make_case())
    notifications.notify(Kind.MENTIONED, [ada, bob], application=case, at=NOON)
    pks = list(Notification.objects.values_list("pk", flat=True))

    assert notifications.mark_read(ada, pks=pks, at=later(minutes=1)) == 1

    assert not Notification.objects.filter(user=bob).exclude(read_at=None).exists()

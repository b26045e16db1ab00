"""Owners of customer cases: the assignee, the hand-over, and the notifications."""

from datetime import timedelta

import pytest

from onboarding.choices import CaseOutcome
from onboarding.choices import NotificationKind as Kind
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, CustomerCase, Mail, Notification
from onboarding.queries.customers import CaseQueue, in_queue
from onboarding.services import notifications
from onboarding.services.customers import case_claims, case_steps
from onboarding.services.mails import mail_texts
from onboarding.services.reviews import leaving
from onboarding.services.reviews.assignments import NotAssignee
from onboarding.services.reviews.cases import ClaimedByAnother
from tests.factories import NOON, later
from tests.onboarding.cases import HALF_AN_HOUR, make_reviewer
from tests.onboarding.customers import events_of, make_review, reload

pytestmark = pytest.mark.django_db


@pytest.fixture
def review(ada):
    return make_review(by=ada)


@pytest.fixture
def eve():
    """Return a reviewer who may not hand over the cases of others."""
    return make_reviewer()


def told(user):
    found = Notification.objects.filter(user=user).order_by("pk")
    return [(Kind(one.kind), one.customer_case) for one in found]


def queue(name, user, at=NOON):
    return list(in_queue(name, user=user, at=at))


def test_the_first_claim_makes_the_assignee_who_keeps_the_case(review, ada, bob):
    case_claims.release(review, by=ada, at=NOON)
    case_claims.claim(review, by=bob, at=later())

    assert (reload(review).assignee, reload(review).claimed_by) == (ada, bob)
    claims = [
        details.get("becomes")
        for kind, details in events_of(review.customer)
        if kind == EventType.CUSTOMER_CASE_CLAIMED
    ]
    assert claims == ["assignee", None]


def test_a_case_stays_in_the_assignees_list_without_a_claim(review, ada, bob):
    late = NOON + HALF_AN_HOUR

    assert queue(CaseQueue.MINE, ada, late) == [review]
    assert queue(CaseQueue.UNASSIGNED, ada, late) == []
    assert queue(CaseQueue.MINE, bob, late) == []


def test_a_case_of_a_person_who_left_is_unassigned(review, ada, bob):
    ada.is_active = False
    ada.save()
    leaving.release_claims(type(ada), user=ada, by=bob, at=NOON)

    assert reload(review).claimed_by is None
    assert queue(CaseQueue.UNASSIGNED, bob) == [review]
    case_claims.claim(review, by=bob, at=NOON)
    assert reload(review).assignee == bob


def test_the_colleague_is_told_of_a_hand_over(review, ada, bob, settings):
    case_claims.reassign(review, to=bob, note="Please.", by=ada, at=NOON)

    review = reload(review)
    assert (review.assignee, review.claimed_by) == (bob, bob)
    assert told(bob) == [(Kind.HANDED_OVER, review)]
    _, details = events_of(review.customer)[-1]
    assert (details["from"], details["to"]) == (str(ada.external_id), str(bob.external_id))
    message = mail_texts.compose(Mail.objects.get(kind=MailKind.STAFF_NOTICE), at=NOON)
    page = f"{settings.BASE_URL}/admin/onboarding/customercase/{review.pk}/change/"
    assert page in message.body


def test_the_rights_of_a_hand_over_are_those_of_an_application(review, ada, eve):
    with pytest.raises(NotAssignee):
        case_claims.reassign(review, to=eve, by=eve, at=NOON)
    CustomerCase.objects.update(assignee=eve)
    with pytest.raises(ClaimedByAnother):
        case_claims.reassign(review, to=ada, by=eve, at=NOON)

    case_claims.reassign(review, to=ada, by=eve, at=NOON + HALF_AN_HOUR)

    assert reload(review).assignee == ada


@pytest.mark.parametrize(
    ("minutes", "kinds"), [(-150, []), (-60, [Kind.DUE_SOON]), (1, [Kind.OVERDUE])]
)
def test_the_assignee_is_told_once_of_a_deadline(review, ada, minutes, kinds):
    at = review.due_at + timedelta(minutes=minutes)

    for _ in range(2):
        notifications.notify_deadlines(at=at)

    assert told(ada) == [(kind, review) for kind in kinds]


def test_one_notification_stands_for_the_application_and_its_review(review, ada):
    Application.objects.update(assignee=ada, due_at=review.due_at)

    notifications.notify_deadlines(at=review.due_at)

    assert told(ada) == [(Kind.OVERDUE, None)]


def test_closed_cases_have_no_deadline(review, ada):
    case_steps.decide(review, CaseOutcome.NO_CHANGE, reason="As before.", by=ada, at=NOON)

    notifications.notify_deadlines(at=review.due_at)

    assert told(ada) == []


@pytest.mark.parametrize("ending", ["confirm", "refuse"])
def test_the_proposer_is_told_what_became_of_an_outcome(review, ada, bob, ending):
    case_steps.decide(review, CaseOutcome.EXIT, reason="They left.", by=ada, at=NOON)

    if ending == "confirm":
        case_steps.confirm(review, by=bob, at=later(hours=1))
    else:
        case_steps.refuse(review, note="Not yet.", by=bob, at=later(hours=1))

    kind = Kind.PROPOSAL_CONFIRMED if ending == "confirm" else Kind.PROPOSAL_REFUSED
    assert told(ada) == [(kind, review)]

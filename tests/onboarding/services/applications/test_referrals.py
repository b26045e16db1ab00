"""The status of a referral, which follows the applications that began with its link."""

import pytest

from banking.choices import ReferralStatus
from banking.models import ClientAccess
from banking.services import clients
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, Role
from onboarding.models import Application
from onboarding.services.access import sessions
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import CLOCK, Actor
from onboarding.services.reviews import decisions
from tests.factories import NOON, later, make_application, make_lead, make_referral
from tests.onboarding.cases import load
from tests.onboarding.services.leads.test_submissions import make_complete

REVIEWER = Actor(Role.REVIEWER, "ada")

pytestmark = pytest.mark.django_db


@pytest.fixture
def referral():
    return make_referral()


@pytest.fixture
def in_review(referral):
    """Return an application that began with the referral's link and waits for its decision."""
    application = make_complete()
    application.status, application.referral = (
        Status.IN_REVIEW,
        clients.register_referral(referral, at=NOON),
    )
    application.save()
    return load(application)


def state(referral):
    referral.refresh_from_db()
    return referral.status, referral.completed_at


def come_in(referral, at=NOON):
    application = make_application(make_lead(), referral=referral)
    sessions.open_session(application, language="en", at=at)
    return application


def test_nothing_moves_before_the_code_is_entered(referral):
    make_application(make_lead(), referral=referral)

    assert state(referral) == (ReferralStatus.INVITED, None)


@pytest.mark.parametrize("days", [0, 45])
def test_with_the_code_the_business_registers_also_after_the_invitation(referral, days):
    come_in(referral, at=later(days=days))

    assert state(referral) == (ReferralStatus.REGISTERED, None)


def test_with_the_account_it_is_completed_and_the_accountant_has_no_access(referral, in_review):
    decisions.approve(in_review, by=REVIEWER, at=later(days=90))

    assert state(referral) == (ReferralStatus.COMPLETED, later(days=90))
    assert not ClientAccess.objects.exists()


def test_a_temporary_approval_opens_the_account_too(referral, in_review):
    decisions.approve_temporarily(in_review, by=REVIEWER, at=later(days=2))

    decisions.deny(
        load(in_review), reasons=[DenialReason.DOCUMENTS_OVERDUE], by=CLOCK, at=later(days=40)
    )

    assert state(referral) == (ReferralStatus.COMPLETED, later(days=2))


def test_a_denial_is_not_shown(referral, in_review):
    decisions.deny(in_review, reasons=[DenialReason.NOT_ELIGIBLE], by=REVIEWER, at=later(days=1))

    assert state(referral) == (ReferralStatus.REGISTERED, None)


@pytest.mark.parametrize(
    ("target", "by"), [(Status.EXPIRED, CLOCK), (Status.WITHDRAWN, Actor(Role.APPLICANT))]
)
def test_an_end_without_a_decision_looks_like_a_denial(referral, target, by):
    application = come_in(referral)

    lifecycle.move(load(application), target, by=by, at=later(days=40))

    assert state(referral) == (ReferralStatus.REGISTERED, None)


def test_a_reopened_application_completes_it(referral, in_review):
    decisions.deny(in_review, reasons=[DenialReason.NOT_ELIGIBLE], by=REVIEWER, at=later(days=1))
    attempt = decisions.reopen(in_review, by=REVIEWER, at=later(days=2))
    Application.objects.filter(pk=attempt.pk).update(status=Status.IN_REVIEW)

    decisions.approve(load(attempt), by=REVIEWER, at=later(days=3))

    assert state(referral) == (ReferralStatus.COMPLETED, later(days=3))


def test_a_withdrawn_referral_stays_so_and_the_application_goes_on(referral):
    clients.withdraw_referral(referral, at=NOON)

    application = come_in(referral)

    assert state(referral) == (ReferralStatus.EXPIRED, None)
    assert Application.objects.get(pk=application.pk).status == Status.IN_PROGRESS

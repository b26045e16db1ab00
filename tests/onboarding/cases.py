"""Cases and the staff who review them, for tests of several modules."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission

from banking.choices import UserType
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, ProposalKind
from onboarding.models import Application
from onboarding.services.reviews import proposals
from tests.factories import NOON, make_check_run, make_user
from tests.onboarding.services.leads.test_submissions import make_complete

STEPS = ("decide_application", "confirm_application", "reassign_application")
HALF_AN_HOUR = timedelta(minutes=30)


def make_reviewer(*codenames, **values):
    """Return a person of staff who may review, and what else is named."""
    user = make_user(user_type=UserType.STAFF, **values)
    named = Permission.objects.filter(codename__in=["review_application", *codenames])
    user.user_permissions.set(named)
    return user


def make_case(status=Status.IN_REVIEW, *, by=None, at=NOON, **values):
    """Return an application in review; claimed by somebody, if they are named."""
    application = make_complete(**values)
    columns = {"status": status, "review_began_at": at, "due_at": at + timedelta(hours=2)}
    if by:
        columns |= {"claimed_by": by, "claimed_until": at + HALF_AN_HOUR, "touched_at": at}
    Application.objects.filter(pk=application.pk).update(**columns)
    return load(application)


def make_checked_case(status=Status.IN_REVIEW, *, by):
    case = make_case(status, by=by)
    make_check_run(case)
    return case


def propose(case, kind=ProposalKind.DENY, *, by, at=NOON, **values):
    """Decide a case, or propose the decision, with a reason unless the values have another."""
    reasons = [DenialReason.RISK_APPETITE] if kind is ProposalKind.DENY else []
    values = {"internal_text": "Because.", "reasons": reasons, **values}
    return proposals.decide(case, kind, by=by, at=at, **values)


def load(application):
    return Application.objects.select_related("lead").get(pk=application.pk)


@pytest.fixture
def ada(db):
    """A reviewer with the permissions of all steps of a case."""
    return make_reviewer(*STEPS)


@pytest.fixture
def bob(db):
    """Another reviewer like Ada."""
    return make_reviewer(*STEPS)

"""Applications: withdrawn, entered anew, closed for good."""

from functools import partial

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType
from onboarding.models import Application, Event
from onboarding.services.access import links
from onboarding.services.applications import attempts
from onboarding.services.applications.lifecycle import InvalidMove
from tests.factories import NOON, later
from tests.onboarding.services.leads.values import customer_id

CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]
SUBMITTED = [Status.SUBMITTED, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]
APPROVED = [Status.APPROVED, Status.APPROVED_TEMPORARY]


@pytest.fixture
def withdraw(partner, create):
    create()

    def withdraw(at=NOON):
        return attempts.withdraw_lead(partner=partner, customer_id=customer_id(), at=at)

    return withdraw


@pytest.mark.parametrize("status", [Status.CREATED, Status.IN_PROGRESS, *SUBMITTED])
def test_an_open_application_is_withdrawn(withdraw, status):
    Application.objects.update(status=status)

    application = withdraw(at=later(hours=1))

    assert (application.status, application.status_changed_at) == (
        Status.WITHDRAWN, later(hours=1),
    )  # fmt: skip


def test_a_second_withdrawal_changes_nothing(withdraw):
    withdraw()

    assert withdraw(at=later(hours=1)).status_changed_at == NOON


@pytest.mark.parametrize("status", [*APPROVED, Status.DENIED, Status.EXPIRED])
def test_what_is_decided_or_over_is_not_withdrawn(withdraw, status):
    Application.objects.update(status=status)

    with pytest.raises(InvalidMove):
        withdraw()

    assert Application.objects.get().status == status


@pytest.mark.parametrize("status", [Status.CREATED, Status.IN_PROGRESS, *SUBMITTED])
def test_an_applicant_withdraws_an_open_application_once(make_application, status):
    application = make_application(status=status)

    for hours in (1, 2):
        attempts.withdraw_application(application, at=later(hours=hours))

    application.refresh_from_db()
    assert (application.status, application.status_changed_at) == (
        Status.WITHDRAWN, later(hours=1),
    )  # fmt: skip
    event = Event.objects.get()
    assert (event.type, event.role) == (EventType.WITHDRAWN, Role.APPLICANT)


@pytest.mark.parametrize("status", [*APPROVED, Status.DENIED, Status.EXPIRED])
def test_an_applicant_withdraws_nothing_that_is_decided_or_over(make_application, status):
    application = make_application(status=status)

    with pytest.raises(InvalidMove):
        attempts.withdraw_application(application, at=NOON)


def test_an_applicant_withdraws_no_attempt_that_a_newer_one_replaced(make_application):
    application = make_application(is_current=False)

    with pytest.raises(InvalidMove):
        attempts.withdraw_application(application, at=NOON)


@pytest.fixture
def ask(partner):
    def ask(service, at=NOON):
        return service(partner=partner, customer_id=customer_id(), at=at)[1]

    return ask


def test_a_renewal_keeps_the_link_and_extends_it(create, ask):
    first = create().access

    renewed = ask(attempts.renew_access, later(days=1))

    assert renewed.location == first.location
    assert renewed.token != first.token
    assert renewed.location_expires_at == later(days=31)


def test_a_renewal_replaces_the_link_on_demand(create, ask):
    first = create().access

    renewed = ask(partial(attempts.renew_access, rotates_link=True), later(days=1))

    assert renewed.location != first.location
    assert renewed.token != first.token
    assert renewed.location_expires_at == later(days=31)


@pytest.mark.parametrize("status", CLOSED)
def test_a_closed_application_has_no_way_in(create, ask, status):
    create()
    Application.objects.update(status=status)

    with pytest.raises(attempts.ApplicationClosed):
        ask(attempts.renew_access)


def test_a_further_grant_keeps_the_link(create, ask):
    first = create().access

    again = ask(attempts.regrant_access)

    assert again.location == first.location
    assert again.token != first.token
    assert Application.objects.get().token_digest == links.digest(again.token)

"""Requests for a new link: answered by mail to the lead, and by nothing else."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Mail
from onboarding.queries import audit
from onboarding.services.access import link_requests, links
from tests.factories import NOON, later

EXPIRED = later(days=30)


def request_link(application, at=EXPIRED, language="en"):
    """Ask with the link that the application had when it was read."""
    link_requests.request_link(links.derive_link(application), language=language, at=at)
    return Application.objects.get(pk=application.pk)


def test_an_expired_link_is_replaced_and_mailed(make_application):
    application = make_application(status=Status.DOCUMENTS_REQUIRED)

    renewed = request_link(application, language="es")

    queued, event = Mail.objects.get(), Event.objects.get()
    assert (queued.kind, queued.application, queued.language) == (MailKind.LINK, application, "es")
    assert queued.event == event
    assert (event.type, event.role) == (EventType.LINK_REPLACED, Role.APPLICANT)
    assert renewed.link_version == 2
    assert renewed.link_expires_at == later(days=60)
    assert list(audit.find_faults()) == []


def test_a_live_link_is_mailed_as_it_is(make_application):
    application = make_application()

    assert request_link(application, at=NOON).link_version == 1
    assert Mail.objects.get().kind == MailKind.LINK
    assert not Event.objects.exists()


def test_the_link_of_an_older_attempt_leads_to_the_newest(make_application):
    older = make_application(status=Status.EXPIRED, is_current=False)
    newest = make_application(older.lead, attempt=2, at=EXPIRED)

    request_link(older)

    assert Mail.objects.get().application == newest


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.WITHDRAWN, Status.DENIED])
def test_what_has_ended_is_not_opened_again(make_application, status):
    assert request_link(make_application(status=status)).link_version == 1
    assert not Mail.objects.exists()


def test_a_replaced_link_has_the_newer_link_mailed(make_application):
    application = make_application()
    old = links.derive_link(application)
    links.replace_link(application, at=NOON)

    link_requests.request_link(old, language="en", at=NOON)

    assert Mail.objects.get().kind == MailKind.LINK
    assert Application.objects.get().link_version == 2


def test_of_a_link_that_is_none_of_ours_nothing_comes(db):
    link_requests.request_link("nonsense", language="en", at=NOON)

    assert not Mail.objects.exists()


def test_an_unknown_link_is_looked_up_in_two_indexes(db, django_assert_num_queries):
    with django_assert_num_queries(2) as asked:
        link_requests.request_link("nonsense", language="en", at=NOON)

    assert not any(" OR " in query["sql"] for query in asked.captured_queries)


def test_five_links_an_hour_are_enough(make_application, settings):
    settings.RATE_LIMIT_FACTOR = 0  # which is for partners
    application = make_application()

    for minute in range(7):
        request_link(application, at=later(minutes=minute))

    assert Mail.objects.count() == 5

"""Mails: queued with what causes them, claimed once, tried again, given up."""

import pytest

from onboarding.choices import EventType, MailKind, MailStatus
from onboarding.models import Event, FlowSession, Mail
from onboarding.services import history, mails
from onboarding.services.history import CHECKS, PARTNER
from tests.factories import NOON, later


def happen(application, *types, by=CHECKS):
    """Write events down and return them as their publisher has them."""
    return [history.record(application, one, by=by, at=NOON) for one in types]


def kinds():
    return list(Mail.objects.order_by("pk").values_list("kind", flat=True))


@pytest.mark.parametrize(
    ("event_type", "kind"),
    [
        (EventType.DOCUMENTS_REQUIRED, MailKind.WANTED),
        (EventType.IDENTITY_REQUESTED, MailKind.WANTED),
        (EventType.APPROVED, MailKind.APPROVED),
        (EventType.APPROVED_TEMPORARY, MailKind.APPROVED_TEMPORARY),
        (EventType.DENIED, MailKind.DENIED),
    ],
)
def test_applicants_are_written_about_what_concerns_them(make_application, event_type, kind):
    application = make_application()
    events = happen(application, event_type)

    mails.queue_for_events(events, at=later(seconds=1))

    mail = Mail.objects.get()
    assert (mail.kind, mail.application, mail.event) == (kind, application, events[0])
    assert (mail.status, mail.attempts, mail.code) == (MailStatus.QUEUED, 0, "")
    assert mail.due_at == mail.created_at == later(seconds=1)


def test_of_everything_else_applicants_are_not_written(make_application):
    others = [one for one in EventType if one not in mails.WRITTEN_ABOUT]

    assert mails.queue_for_events(happen(make_application(), *others), at=NOON) == []
    assert kinds() == []


def test_links_are_mailed_for_partners_that_want_it(make_application, make_lead, make_partner):
    mailing = make_application(make_lead(make_partner(mails_links=True)))
    handing = make_application()
    events = [
        *happen(mailing, EventType.CREATED, by=PARTNER),
        *happen(handing, EventType.CREATED, EventType.APPROVED, by=PARTNER),
    ]

    mails.queue_for_events(events, at=NOON)

    queued = list(Mail.objects.order_by("pk").values_list("kind", "application"))
    assert queued == [(MailKind.LINK, mailing.pk), (MailKind.APPROVED, handing.pk)]


def test_what_says_the_same_is_mailed_once(make_application):
    asked = [EventType.IDENTITY_REQUESTED, EventType.DOCUMENTS_REQUIRED]
    events = happen(make_application(), *asked)

    mails.queue_for_events(events, at=NOON)

    assert Mail.objects.get().event == events[-1]


def test_a_mail_of_an_event_is_in_the_language_of_its_applicant(make_application):
    spanish, english = make_application(), make_application()
    FlowSession.objects.create(
        application=spanish,
        digest="of a key",
        language="es",
        created_at=NOON,
        expires_at=later(hours=1),
    )
    events = [one for each in (spanish, english) for one in happen(each, EventType.APPROVED)]

    queued = mails.queue_for_events(events, at=NOON)

    assert [mail.language for mail in queued] == ["es", "en"]


def test_many_events_take_as_many_statements_as_one(
    make_application, make_lead, make_partner, django_assert_num_queries
):
    partner = make_partner(mails_links=True)
    for _ in range(20):
        happen(make_application(make_lead(partner)), EventType.CREATED, EventType.APPROVED)
    events = list(Event.objects.select_related("lead", "application"))

    with django_assert_num_queries(4):  # partners, two of the languages, the mails
        mails.queue_for_events(events, at=NOON)

    assert len(kinds()) == 40

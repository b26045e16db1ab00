"""Links for phones: made in a session, entered once, ended."""

from datetime import timedelta

import pytest

from foundation.privacy.secret_digests import digest
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType
from onboarding.models import PhoneLink
from onboarding.queries import audit
from onboarding.services.access import links, phone_links, sessions
from onboarding.services.access.phone_links import TooManyPhoneLinks
from onboarding.services.applications.attempts import ApplicationClosed
from tests.factories import NOON, later, make_application, make_document, make_lead, make_owner


@pytest.fixture
def session(db):
    application = make_application(make_lead(), status=Status.IN_PROGRESS)
    return sessions.open_session(application, language="en", at=NOON).session


def make(session, *, owner_id=None, at=NOON):
    return phone_links.make(session, owner_id=owner_id, at=at)


def token_of(link):
    return links.derive_phone_link(link.external_id)


def test_a_link_is_for_one_person_and_ends_the_former_one(session):
    owner = make_owner(session.application.lead)
    former = make(session)

    link = make(session, owner_id=owner.external_id)

    former.refresh_from_db()
    assert former.closed_at == NOON
    assert (link.owner, link.digest, link.closed_at) == (owner, digest(token_of(link)), None)
    assert link.expires_at == NOON + timedelta(minutes=15)


def test_making_and_entering_are_on_record(session):
    link = make(session, owner_id=make_owner(session.application.lead).external_id)
    phone_links.enter(token_of(link), at=NOON)

    made, entered = session.application.lead.events.order_by("-number")[:2][::-1]
    assert (made.type, entered.type) == (EventType.PHONE_LINKED, EventType.PHONE_ENTERED)
    assert made.details == entered.details == {"ubo_id": str(link.owner.external_id)}
    assert {made.role, entered.role} == {Role.APPLICANT}
    assert list(audit.find_faults()) == []


def test_one_phone_comes_in(session):
    link = make(session)

    key = phone_links.enter(token_of(link), at=NOON)

    link.refresh_from_db()
    assert (link.entered_at, link.key_digest) == (NOON, digest(key))
    with pytest.raises(PhoneLink.DoesNotExist):
        phone_links.enter(token_of(link), at=NOON)


@pytest.mark.django_db(transaction=True)
def test_of_two_phones_at_once_one_comes_in(in_threads):
    application = make_application(make_lead(), status=Status.IN_PROGRESS)
    session = sessions.open_session(application, language="en", at=NOON).session
    token = token_of(make(session))

    def enter(_number):
        try:
            return phone_links.enter(token, at=NOON)
        except PhoneLink.DoesNotExist:
            return ""

    keys = [key for key in in_threads(enter, range(4)) if key]
    assert len(keys) == 1


def test_a_link_ends(session):
    cancelled, complete = make(session), make(session)

    phone_links.close(cancelled, at=later(minutes=1))
    phone_links.complete(complete, at=later(minutes=1))

    for link in (cancelled, complete):
        link.refresh_from_db()
    assert (cancelled.is_complete, complete.is_complete) == (False, True)
    assert complete.closed_at == later(minutes=1)


def test_what_a_phone_sends_is_recorded(session):
    link = make(session)
    sent = [make_document(session.application.lead) for _ in range(2)]

    phone_links.record_uploads(link, sent)

    link.refresh_from_db()
    assert link.uploads == [str(one.external_id) for one in sent]


def test_links_are_limited(session, settings):
    settings.PHONE_LINKS_PER_HOUR = 1
    make(session)

    with pytest.raises(TooManyPhoneLinks):
        make(session, at=later(minutes=59))
    make(session, at=later(minutes=61))


def test_an_application_that_has_ended_gets_none(session):
    session.application.status = Status.WITHDRAWN
    session.application.save()

    with pytest.raises(ApplicationClosed):
        make(session)

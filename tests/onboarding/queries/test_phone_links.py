"""Reads of the links for phones."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Supplier
from onboarding.models import PhoneLink
from onboarding.queries import phone_links as queries
from onboarding.services.access import links, phone_links, sessions
from tests.factories import NOON, later, make_application, make_lead, make_owner


@pytest.fixture
def link(db):
    application = make_application(make_lead(), status=Status.IN_PROGRESS)
    session = sessions.open_session(application, language="en", at=NOON).session
    return phone_links.make(session, owner_id=None, at=NOON)


@pytest.fixture
def token(link):
    return links.derive_phone_link(link.external_id)


def test_an_open_link_is_found_in_one_statement(link, token, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = queries.find_open(token, at=later(minutes=14))
        assert found.session.application.lead.partner

    assert found == link


@pytest.mark.parametrize(
    "end",
    [
        lambda link: PhoneLink.objects.update(closed_at=NOON),
        lambda link: PhoneLink.objects.update(expires_at=later(minutes=1)),
        lambda link: type(link.session).objects.update(expires_at=later(minutes=1)),
        lambda link: type(link.session.application).objects.update(is_current=False),
        lambda link: type(link.session.application).objects.update(
            status_changed_at=later(minutes=1)
        ),
        lambda link: type(link.session.application).objects.update(status=Status.APPROVED),
    ],
    ids=["closed", "expired", "session over", "newer attempt", "status changed", "decided"],
)
def test_a_link_that_has_ended_is_not_found(link, token, end):
    end(link)

    with pytest.raises(PhoneLink.DoesNotExist):
        queries.find_open(token, at=later(minutes=2))


def test_the_partner_is_found_by_a_link_that_has_ended_too(link, token):
    phone_links.close(link, at=NOON)

    assert queries.find_partner(token) == link.session.application.lead.partner
    assert queries.find_partner("nothing") is None


def test_a_phone_is_found_by_its_key_alone(link, token):
    with pytest.raises(PhoneLink.DoesNotExist):
        queries.find_entered(token, "", at=NOON)
    key = phone_links.enter(token, at=NOON)

    assert queries.find_entered(token, key, at=NOON) == link
    for other in ("", "another"):
        with pytest.raises(PhoneLink.DoesNotExist):
            queries.find_entered(token, other, at=NOON)


def test_a_phone_that_has_sent_all_is_known_until_its_time_is_over(link, token):
    key = phone_links.enter(token, at=NOON)
    with pytest.raises(PhoneLink.DoesNotExist):
        queries.find_completed(token, key, at=NOON)
    phone_links.complete(link, at=NOON)

    assert queries.find_completed(token, key, at=later(minutes=14)) == link
    for other, at in (("", NOON), ("another", NOON), (key, later(minutes=15))):
        with pytest.raises(PhoneLink.DoesNotExist):
            queries.find_completed(token, other, at=at)


def test_a_link_is_of_the_session_that_made_it(link):
    assert queries.get_of_session(link.session, link.external_id) == link

    other = sessions.open_session(link.session.application, language="en", at=NOON).session
    with pytest.raises(PhoneLink.DoesNotExist):
        queries.get_of_session(other, link.external_id)


def test_the_owner_whose_session_it_was_sends_the_pictures(link):
    assert queries.supplier_of(link) is Supplier.APPLICANT

    link.session.owner = make_owner(link.session.application.lead)
    assert queries.supplier_of(link) is Supplier.OWNER

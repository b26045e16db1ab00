"""Applications, found by the applicant's link."""

import pytest

from onboarding.models import Application
from onboarding.queries import applications
from onboarding.services import links
from tests.factories import NOON, later

LIFETIME = 30  # days, of a link


def test_a_link_opens_its_application_in_one_statement(make_application, django_assert_num_queries):
    application = make_application()
    make_application()

    with django_assert_num_queries(1):
        found = applications.get_application_by_link(links.derive_link(application), at=NOON)
        partner = found.lead.partner

    assert (found, partner) == (application, application.lead.partner)


@pytest.mark.parametrize("link", ["", "never-issued", "\u20ac", "x" * 5000])
def test_a_link_that_never_was_opens_nothing(make_application, link):
    make_application()

    with pytest.raises(Application.DoesNotExist):
        applications.get_application_by_link(link, at=NOON)


def test_the_stored_digest_is_no_link(make_application):
    application = make_application()

    with pytest.raises(Application.DoesNotExist):
        applications.get_application_by_link(application.link_digest, at=NOON)


def test_a_replaced_link_opens_nothing(make_application):
    application = make_application()
    old = links.derive_link(application)
    links.replace_link(application, at=NOON)

    with pytest.raises(Application.DoesNotExist):
        applications.get_application_by_link(old, at=NOON)

    assert applications.get_application_by_link(links.derive_link(application), at=NOON)


def test_a_link_is_good_up_to_its_end(make_application):
    link = links.derive_link(make_application())

    assert applications.get_application_by_link(link, at=later(days=LIFETIME, seconds=-1))
    with pytest.raises(applications.LinkExpired):
        applications.get_application_by_link(link, at=later(days=LIFETIME))


def test_the_link_of_an_earlier_attempt_has_expired(make_application):
    link = links.derive_link(make_application(is_current=False))

    with pytest.raises(applications.LinkExpired):
        applications.get_application_by_link(link, at=NOON)


def test_a_digest_tells_nothing_of_the_secret():
    assert applications.digest("secret") != applications.digest("secres")
    assert len(applications.digest("x" * 5000)) == 64

"""Applications, found by the applicant's link, and the language that their applicant reads."""

import pytest

from onboarding.choices import LegalText
from onboarding.models import Application, Consent, FlowSession
from onboarding.queries import applications
from onboarding.services.access import links
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

    with pytest.raises(applications.LinkReplaced):
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


def come_in(application, language, **delta):
    FlowSession.objects.create(
        application=application,
        digest=f"{application.pk}{language}{delta}",
        language=language,
        created_at=later(**delta),
        expires_at=later(days=1, **delta),
    )


def sign(application, language):
    Consent.objects.create(
        application=application,
        text=LegalText.PRIVACY_NOTICE,
        version="1",
        language=language,
        signed_name="Ada Byron",
        agreed_at=NOON,
    )


def test_the_partner_of_any_link_that_there_was_is_found(make_application):
    application = make_application()
    link = links.derive_link(application)

    for at in (NOON, application.link_expires_at):
        assert applications.find_partner(link, at=at) == application.lead.partner
    assert applications.find_partner("nothing", at=NOON) is None


def test_the_language_is_that_of_the_newest_session(make_application):
    application = make_application()
    sign(application, "en")
    for language in ("en", "es", ""):
        come_in(application, language)

    assert applications.get_reading_language(application) == "es"


def test_the_language_of_who_came_in_long_ago_is_that_of_the_signature(make_application):
    application = make_application()
    sign(application, "es")

    assert applications.get_reading_language(application) == "es"


def test_whose_language_is_not_known_reads_english(make_application):
    assert applications.get_reading_language(make_application()) == "en"


def test_the_languages_of_many_take_two_statements(make_application, django_assert_num_queries):
    one, two, three = (make_application() for _ in range(3))
    come_in(one, "es")
    sign(two, "es")

    with django_assert_num_queries(2):
        languages = applications.list_reading_languages([one.pk, two.pk, three.pk])

    assert languages == {one.pk: "es", two.pk: "es", three.pk: "en"}

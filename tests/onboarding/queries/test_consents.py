"""Reads of what applicants agreed to."""

from onboarding.choices import LegalText
from onboarding.models import Consent
from onboarding.queries.consents import list_consents
from tests.factories import NOON


def test_consents_of_an_attempt_are_listed_in_the_order_of_the_page(make_application):
    application, other = make_application(), make_application()
    for one, text in [
        *((application, text) for text in LegalText),
        (other, LegalText.PRIVACY_NOTICE),
    ]:
        Consent.objects.create(
            application=one, text=text, version="2026-11", language="en", agreed_at=NOON
        )

    assert [consent.text for consent in list_consents(application)] == list(LegalText)

"""Codes of languages are as long as those of Django's translations, such as "pt-br"."""

import pytest
from django.conf import global_settings
from django.utils import timezone

from onboarding.choices import LegalText
from onboarding.models import Consent, CustomerCase, FlowSession, Mail, OwnerInvitation
from onboarding.services.access import sessions
from tests.factories import make_application, make_invitation, make_owner

LONGEST = max(len(code) for code, _name in global_settings.LANGUAGES)


@pytest.mark.parametrize("model", [Consent, CustomerCase, FlowSession, Mail, OwnerInvitation])
def test_a_column_holds_every_code_that_django_knows(model):
    assert model._meta.get_field("language").max_length >= LONGEST


def test_brazilian_portuguese_is_stored_where_people_read_and_sign(db):
    owner = make_owner()
    make_invitation(owner, at=timezone.now())
    application = make_application(owner.lead, at=timezone.now())
    opened = sessions.open_session(application, language="pt-br", at=timezone.now())
    OwnerInvitation.objects.update(language="pt-br")
    Consent.objects.create(
        application=application,
        text=LegalText.PRIVACY_NOTICE,
        version="2026-11",
        language="pt-br",
        signed_name="Ada Byron",
        agreed_at=timezone.now(),
    )

    opened.session.refresh_from_db()
    stored = {Consent.objects.get().language, OwnerInvitation.objects.get().language}
    assert {opened.session.language, *stored} == {"pt-br"}

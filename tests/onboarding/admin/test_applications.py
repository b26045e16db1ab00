"""Applications without a screen of their own: what belongs to them and stays hidden."""

from django.contrib import admin

from onboarding.models import AccessCode, FlowSession


def test_codes_and_sessions_of_applicants_have_no_screen():
    assert not any(map(admin.site.is_registered, [AccessCode, FlowSession]))

from io import StringIO

import pytest
from django.core.management import call_command

from onboarding.models import VerificationProvider
from tests.factories import NOON, later
from tests.verification_providers import SECRET, account

pytestmark = pytest.mark.django_db


def run():
    out = StringIO()
    call_command("list_verification_providers", stdout=out, skip_checks=True)
    return out.getvalue()


def test_each_provider_is_printed_with_its_state_and_no_secret(settings):
    settings.VERIFICATION_PROVIDERS = [
        account("https://a.example.com", "one"),
        account("https://b.example.com", "two", adapter="none"),
    ]
    VerificationProvider.objects.create(
        name="one", failures=5, open_until=later(days=9999), failed_at=NOON, fault="timed out"
    )

    printed = run()

    assert "one (https, https://a.example.com)\n  asked for: IDENTITY\n" in printed
    assert "state: not asked for now" in printed
    assert "timed out" in printed
    assert "error: VERIFICATION_PROVIDERS: two: there is no adapter 'none'." in printed
    assert SECRET not in printed
    assert "test-token" not in printed


def test_without_a_provider_it_says_so():
    assert run() == "No provider is configured: VERIFICATION_PROVIDERS is not set.\n"

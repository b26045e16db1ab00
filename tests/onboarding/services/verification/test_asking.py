import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, VerificationRequest
from onboarding.services.verification import asking
from tests.factories import NOON, later
from tests.verification_providers import ALL, account


@pytest.fixture
def configured(settings):
    settings.VERIFICATION_PROVIDERS = [account("https://a.example.com", "one", kinds=ALL)]


@pytest.mark.parametrize("status", [one for one in Status if one not in asking.ASKED_IN])
def test_nothing_is_asked_before_the_submission_and_after_the_decision(
    submitted, configured, status
):
    application = submitted()
    application.status = status

    assert not asking.ask(application, at=NOON)
    assert not VerificationRequest.objects.exists()


def test_without_a_provider_nothing_is_asked(submitted, django_assert_num_queries):
    application = submitted()

    with django_assert_num_queries(0):
        assert not asking.ask(application, at=NOON)


def test_each_check_is_asked_once_of_the_provider_that_is_first(submitted, configured, settings):
    settings.VERIFICATION_PROVIDERS.append(account("https://b.example.com", "two", kinds=ALL))
    application = submitted()

    assert asking.ask(application, at=NOON)
    assert asking.ask(application, at=later(seconds=1))

    rows = VerificationRequest.objects.order_by("pk").values_list("provider", "kind")
    assert list(rows) == [("one", "IDENTITY"), ("one", "REGISTRY"), ("one", "ADDRESS")]


def test_the_screening_waits_for_two_minutes(submitted, configured):
    application = submitted()

    assert asking.ask(application, at=NOON)
    assert not asking.ask(application, at=later(minutes=2))


def test_a_party_without_values_is_not_asked_about(submitted, configured):
    application = submitted()
    lead = application.lead
    lead.business_name, lead.business_address = "", {}
    lead.save()

    asking.ask(Application.objects.get(), at=NOON)

    assert not VerificationRequest.objects.filter(kind="ADDRESS").exists()

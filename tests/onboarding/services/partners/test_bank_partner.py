"""The bank as a partner of its own."""

import pytest

from onboarding.admin.access_key_forms import IssueApiKeyForm
from onboarding.models import Partner
from onboarding.services.partners import api_keys
from onboarding.services.partners.bank_partner import get_bank_partner
from tests.factories import NOON, make_partner

pytestmark = pytest.mark.django_db


def test_the_bank_is_one_partner_under_its_own_name(settings):
    settings.BANK_NAME = "Example Bank"

    bank = get_bank_partner()

    assert get_bank_partner() == bank == Partner.objects.get()
    assert (bank.name, bank.shown_name) == ("The bank itself", "Example Bank")
    assert (bank.is_bank, make_partner().is_bank) == (True, False)


def test_two_first_uses_at_once_make_one_row(in_threads):
    assert len(set(in_threads(lambda _: get_bank_partner().pk, range(4)))) == 1


def test_the_bank_gets_no_access_key():
    bank = get_bank_partner()

    with pytest.raises(ValueError, match="has no access keys"):
        api_keys.issue_api_key(bank, at=NOON)
    assert bank not in IssueApiKeyForm().fields["partner"].queryset

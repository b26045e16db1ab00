import os
import stat

import pytest
from django.core.exceptions import ImproperlyConfigured

from banking.choices import LetterVariant
from banking.models import Account
from banking.services import letters
from tests.factories import NOON


@pytest.fixture(autouse=True)
def key_file(settings, tmp_path):
    settings.LETTER_SIGNING_FILE = tmp_path / "secret" / "letter.pem"
    return settings.LETTER_SIGNING_FILE


@pytest.fixture
def business(make_account):
    return make_account(is_primary=True).business


@pytest.mark.parametrize("variant", LetterVariant)
def test_each_letter_is_a_signed_pdf(business, variant):
    letter = letters.write_letter(business, variant, at=NOON)

    assert letter.content.startswith(b"%PDF-")
    assert b"/ByteRange" in letter.content
    assert letter.file_name == (f"letter-{variant.value.lower().replace('_', '-')}-2026-03-02.pdf")


def test_a_business_without_a_checking_account_has_no_letter(make_business):
    with pytest.raises(Account.DoesNotExist):
        letters.write_letter(make_business(), LetterVariant.GENERAL, at=NOON)


def test_the_key_is_made_once_and_for_the_owner_alone(key_file):
    first = letters.load_signing_identity(at=NOON)

    assert letters.load_signing_identity(at=NOON) == first
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert os.listdir(key_file.parent) == ["letter.pem"]  # noqa: PTH208 - the names alone


def test_a_production_without_a_key_says_so(settings):
    settings.IS_SANDBOX = False

    with pytest.raises(ImproperlyConfigured, match="LETTER_SIGNING_FILE"):
        letters.load_signing_identity(at=NOON)

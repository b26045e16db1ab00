"""What is known of sealed values without opening all of them."""

import pytest
from django.db import connection

from foundation.privacy.encrypted_columns import (
    Sample,
    count_by_index_key,
    count_by_key,
    count_unbound,
    decrypt_sample,
)
from foundation.privacy.encryption import encrypt
from onboarding.models import Owner

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"
SSN = Owner._meta.get_field("ssn")


@pytest.fixture
def owners(make_owner, settings):
    """Two owners under the old key, then one under the new one, and one without a number."""
    for keys, count in [(OLD, 2), (NEW, 1)]:
        settings.PII_KEYS = keys
        for _ in range(count):
            make_owner(ssn="123-45-6789")
    make_owner(ssn="")
    settings.PII_KEYS = f"{NEW},{OLD}"


def test_values_are_counted_by_their_key(owners):
    assert count_by_key(SSN) == {"old": 2, "new": 1}


def test_the_newest_values_are_opened(owners, settings):
    settings.PII_KEYS = NEW

    assert decrypt_sample(SSN, size=1) == Sample(decrypted=1)
    assert decrypt_sample(SSN, size=10) == Sample(decrypted=1, undecryptable=2)


def test_a_blind_index_of_another_key_is_found(owners, settings):
    settings.PII_INDEX_KEYS = f"test1:{'5e' * 32}"

    assert decrypt_sample(SSN, size=10) == Sample(decrypted=3, misindexed=3)


def test_an_index_of_any_of_the_keys_is_right(owners, settings):
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32},{settings.PII_INDEX_KEYS}"

    assert decrypt_sample(SSN, size=10) == Sample(decrypted=3)


def test_indexes_are_counted_by_their_key(make_owner, settings):
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32}"
    make_owner(ssn="123-45-6789")
    settings.PII_INDEX_KEYS = ":without an id"
    make_owner(ssn="123-45-6789")
    make_owner(ssn="")

    assert count_by_index_key(Owner._meta.get_field("ssn_index")) == {"2026": 1, "": 1}


def test_values_that_are_not_bound_to_a_row_are_counted(owners):
    assert count_unbound(SSN) == 0

    with connection.cursor() as cursor:
        old = encrypt("123456789", context=SSN.context)
        cursor.execute("UPDATE onboarding_owner SET ssn = %s WHERE ssn <> ''", [old])

    assert count_unbound(SSN) == 3

"""Values are encrypted under keys with ids, and indexed by keyed hashes."""

import base64
import hashlib
import hmac

import pytest
from django.core.exceptions import ImproperlyConfigured
from hypothesis import given
from hypothesis import strategies as st

from foundation.privacy import encryption

CONTEXT = "onboarding.lead.ssn"
SSN, OTHER_SSN = "123456789", "987654321"
OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"


# The envelope


@given(text=st.text(min_size=1))
def test_what_is_sealed_opens_to_the_same_text(text):
    assert encryption.decrypt(encryption.encrypt(text, context=CONTEXT), context=CONTEXT) == text


def test_an_envelope_names_its_key_and_repeats_nothing(settings):
    settings.PII_KEYS = f"{NEW},{OLD}"

    first, second = (
        encryption.encrypt(SSN, context=CONTEXT),
        encryption.encrypt(SSN, context=CONTEXT),
    )

    assert first.startswith("e1.new.")
    assert first != second
    assert SSN not in first


def test_a_value_that_was_moved_to_another_field_does_not_open():
    encrypted = encryption.encrypt(SSN, context=CONTEXT)

    with pytest.raises(encryption.DecryptionError, match=r"onboarding\.owner\.ssn"):
        encryption.decrypt(encrypted, context="onboarding.owner.ssn")


def test_a_value_that_was_changed_does_not_open():
    version, key_id, body = encryption.encrypt(SSN, context=CONTEXT).split(".")
    whole = bytearray(base64.urlsafe_b64decode(body))
    for position in range(len(whole)):
        changed = bytearray(whole)
        changed[position] ^= 1

        with pytest.raises(encryption.DecryptionError):
            encryption.decrypt(
                f"{version}.{key_id}.{base64.urlsafe_b64encode(changed).decode()}", context=CONTEXT
            )


@pytest.mark.parametrize(
    "encrypted",
    ["123456789", "e1.test1", "e1.test1.", "e1.test1.AAAA", "e2.test1.AAAA", "e1.gone.AAAA", "é"],
)
def test_what_is_no_envelope_does_not_open(encrypted):
    with pytest.raises(encryption.DecryptionError) as refusal:
        encryption.decrypt(encrypted, context=CONTEXT)

    assert str(refusal.value).startswith("onboarding.lead.ssn: ")
    assert encrypted not in str(refusal.value)


def test_the_first_key_seals_and_all_keys_unseal(settings):
    settings.PII_KEYS = OLD
    encrypted_then = encryption.encrypt(SSN, context=CONTEXT)
    settings.PII_KEYS = f"{NEW}, {OLD}"
    encrypted_now = encryption.encrypt(SSN, context=CONTEXT)

    assert (encryption.primary_key_id(), encryption.primary_prefix()) == ("new", "e2.new.")
    assert encryption.decrypt(encrypted_then, context=CONTEXT) == SSN
    assert encryption.decrypt(encrypted_now, context=CONTEXT) == SSN


def test_without_its_key_a_value_does_not_open(settings):
    settings.PII_KEYS = OLD
    encrypted = encryption.encrypt(SSN, context=CONTEXT)
    settings.PII_KEYS = NEW

    with pytest.raises(encryption.DecryptionError):
        encryption.decrypt(encrypted, context=CONTEXT)


def test_another_key_under_the_same_id_does_not_open_a_value(settings):
    settings.PII_KEYS = f"old:{'1a' * 32}"
    encrypted = encryption.encrypt(SSN, context=CONTEXT)
    settings.PII_KEYS = f"old:{'2b' * 32}"

    with pytest.raises(encryption.DecryptionError):
        encryption.decrypt(encrypted, context=CONTEXT)


@pytest.mark.parametrize(
    "keys",
    [
        *("", "old", "old:", "old:1a", f"old:{'1a' * 16}", f"old:{'zz' * 32}", f":{'1a' * 32}"),
        *(f"{OLD},", f"{OLD},{OLD}", f"a.b:{'1a' * 32}", f"{OLD}:{'1a' * 32}"),
    ],
)
def test_keys_that_could_lose_values_are_refused(settings, keys):
    settings.PII_KEYS = keys

    with pytest.raises(ImproperlyConfigured, match="PII_KEYS") as refusal:
        encryption.encrypt(SSN, context=CONTEXT)

    assert "1a1a" not in str(refusal.value)


# The blind index


@pytest.mark.parametrize("text", ["123-45-6789", "123 45 6789", " 123456789", "123.45.6789"])
def test_the_index_of_a_number_does_not_depend_on_its_punctuation(text):
    assert encryption.blind_index(text, context="ssn") == encryption.blind_index(SSN, context="ssn")


def test_the_index_of_a_number_depends_on_everything_else(settings):
    index = encryption.blind_index(SSN, context="ssn")
    settings.PII_INDEX_KEYS = f"test1:{'5e' * 32}"

    others = [encryption.blind_index(SSN, context="ssn")]
    settings.PII_INDEX_KEYS = f"test1:{'3c' * 32}"
    others += [
        encryption.blind_index(OTHER_SSN, context="ssn"),
        encryption.blind_index(SSN, context="ein"),
    ]

    assert index == encryption.blind_index(SSN, context="ssn")
    assert index not in others
    assert len(index) == len("test1.") + 22
    assert encryption.blind_index("ab1", context="id") == encryption.blind_index(
        "AB-1", context="id"
    )


@pytest.mark.parametrize("text", ["", "-", " . "])
def test_where_there_is_no_number_there_is_no_index(text):
    assert encryption.blind_index(text, context="ssn") == ""


# Several keys of indexes


def test_the_first_key_indexes_and_all_keys_find(settings):
    settings.PII_INDEX_KEYS = f"2025:{'5e' * 32}"
    old = encryption.blind_index(SSN, context="ssn")
    settings.PII_INDEX_KEYS = f"2026:{'6f' * 32}, 2025:{'5e' * 32}"

    new = encryption.blind_index(SSN, context="ssn")

    assert (old[:5], new[:5], len(new)) == ("2025.", "2026.", 27)
    assert encryption.blind_indexes(SSN, context="ssn") == [new, old]
    assert encryption.blind_indexes("-", context="ssn") == []


def test_the_key_of_the_former_setting_gives_the_indexes_of_old(settings):
    settings.PII_INDEX_KEYS = ":an old key of any text"
    message = f"ssn\0{SSN}".encode()
    expected = hmac.digest(b"an old key of any text", message, hashlib.sha256).hex()[:32]

    assert encryption.blind_index("123-45-6789", context="ssn") == expected
    settings.PII_INDEX_KEYS = f"2026:{'6f' * 32},:an old key of any text"
    assert encryption.blind_indexes(SSN, context="ssn")[1] == expected


@pytest.mark.parametrize(
    "keys",
    [
        *("", "2026", "2026:", ":", "2026:6f", f"2026-11-23:{'6f' * 32}", f"20.6:{'6f' * 32}"),
        *(f"a:{'6f' * 32},", f"a:{'6f' * 32},a:{'5e' * 32}", ":one,:two"),
    ],
)
def test_index_keys_that_could_lose_numbers_are_refused(settings, keys):
    settings.PII_INDEX_KEYS = keys

    with pytest.raises(ImproperlyConfigured, match="PII_INDEX_KEYS must read") as refusal:
        encryption.index_key_ids()

    assert "6f6f" not in str(refusal.value)


# The row


def test_a_value_is_decrypted_in_its_row_and_column_only():
    sealed = encryption.encrypt(SSN, context=CONTEXT, row="a")
    assert encryption.decrypt(sealed, context=CONTEXT, row="a") == SSN

    for context, row in [(CONTEXT, "b"), ("onboarding.lead.ein", "a"), (CONTEXT, "")]:
        with pytest.raises(encryption.DecryptionError):
            encryption.decrypt(sealed, context=context, row=row)
        with pytest.raises(encryption.DecryptionError):  # the version is no way around the row
            encryption.decrypt(f"e1{sealed[2:]}", context=context, row=row)

"""Values are encrypted under keys with ids, and indexed by keyed hashes."""

import base64

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

    assert str(refusal.value) == "No key decrypts this value of onboarding.lead.ssn."


def test_the_first_key_seals_and_all_keys_unseal(settings):
    settings.PII_KEYS = OLD
    encrypted_then = encryption.encrypt(SSN, context=CONTEXT)
    settings.PII_KEYS = f"{NEW}, {OLD}"
    encrypted_now = encryption.encrypt(SSN, context=CONTEXT)

    assert (encryption.primary_key_id(), encryption.primary_prefix()) == ("new", "e1.new.")
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
    settings.PII_INDEX_KEY = "another"

    others = [encryption.blind_index(SSN, context="ssn")]
    settings.PII_INDEX_KEY = "test-index-key"
    others += [
        encryption.blind_index(OTHER_SSN, context="ssn"),
        encryption.blind_index(SSN, context="ein"),
    ]

    assert index == encryption.blind_index(SSN, context="ssn")
    assert index not in others
    assert len(index) == 32
    assert encryption.blind_index("ab1", context="id") == encryption.blind_index(
        "AB-1", context="id"
    )


@pytest.mark.parametrize("text", ["", "-", " . "])
def test_where_there_is_no_number_there_is_no_index(text):
    assert encryption.blind_index(text, context="ssn") == ""

"""manage.py verify_keys."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from banking.services import deployments
from foundation.privacy.encryption import encrypt
from tests.factories import NOON

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"


@pytest.fixture
def owner(make_owner, settings):
    """Return an owner with a number in a database whose secrets are recorded."""
    settings.PII_KEYS = OLD
    deployments.verify(at=NOON, may_record=True)
    return make_owner(ssn="123-45-6789")


def test_right_secrets_are_confirmed_with_the_keys_in_use(owner, capsys):
    call_command("verify_keys")

    lines = capsys.readouterr().out.splitlines()
    assert "LINK_KEY: as recorded" in lines
    assert "onboarding.owner.ssn: 1 under old; opened 1" in lines
    assert "onboarding.Owner.ssn_index: 1 under test1" in lines
    assert lines[-1] == "every secret is that of this database"


def test_a_missing_index_key_is_an_error(owner, settings):
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32}"

    with pytest.raises(CommandError) as refused:
        call_command("verify_keys")

    fault = "onboarding.Owner.ssn_index: PII_INDEX_KEYS lacks test1, which indexed 1 numbers."
    assert fault in str(refused.value).splitlines()


def test_keys_that_nothing_needs_are_named_after_the_rotation(
    owner, settings, capsys, encrypted_disk
):
    settings.PII_KEYS = f"{NEW},{OLD}"
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32},{settings.PII_INDEX_KEYS}"
    deployments.verify(at=NOON, may_record=True)
    call_command("verify_keys")
    assert "may be removed" not in capsys.readouterr().out

    call_command("rotate_pii_keys")
    call_command("verify_keys")

    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        "PII_KEYS: the key old may be removed",
        "PII_INDEX_KEYS: the key test1 may be removed",
    ]


def test_values_that_open_in_any_row_are_told(owner, capsys):
    with connection.cursor() as cursor:
        in_any_row = encrypt("123456789", context="onboarding.owner.ssn")
        cursor.execute("UPDATE onboarding_owner SET ssn = %s", [in_any_row])

    call_command("verify_keys")

    assert "  1 of them open in any row: run rotate_pii_keys" in capsys.readouterr().out


def test_a_wrong_key_is_an_error_that_names_secret_and_field(owner, settings, capsys):
    settings.PII_KEYS = NEW

    with pytest.raises(CommandError) as refused:
        call_command("verify_keys")

    assert "PII_KEYS: differs" in capsys.readouterr().out
    faults = str(refused.value).splitlines()
    assert "onboarding.owner.ssn: PII_KEYS lacks old, which encrypted 1 values." in faults
    assert "onboarding.owner.ssn: 1 values of the sample do not open." in faults


def test_a_wrong_index_key_is_an_error(owner, settings):
    settings.PII_INDEX_KEYS = f"test1:{'5e' * 32}"

    with pytest.raises(CommandError, match="PII_INDEX_KEYS does not give 1 blind indexes"):
        call_command("verify_keys")


def test_without_a_record_only_the_values_are_opened(db, capsys):
    call_command("verify_keys")

    assert capsys.readouterr().out.startswith("no secrets are recorded yet")


def test_a_sample_has_at_least_one_value(db):
    with pytest.raises(CommandError, match="at least 1"):
        call_command("verify_keys", "--sample", "0")

"""manage.py verify_keys."""

import pytest
from django.core.management import CommandError, call_command

from banking.services import deployments
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
    assert lines[-1] == "every secret is that of this database"


def test_a_wrong_key_is_an_error_that_names_secret_and_field(owner, settings, capsys):
    settings.PII_KEYS = NEW

    with pytest.raises(CommandError) as refused:
        call_command("verify_keys")

    assert "PII_KEYS: differs" in capsys.readouterr().out
    faults = str(refused.value).splitlines()
    assert "onboarding.owner.ssn: PII_KEYS lacks old, which sealed 1 values." in faults
    assert "onboarding.owner.ssn: 1 values of the sample do not open." in faults


def test_a_wrong_index_key_is_an_error(owner, settings):
    settings.PII_INDEX_KEY = "another"

    with pytest.raises(CommandError, match="PII_INDEX_KEY does not give 1 blind indexes"):
        call_command("verify_keys")


def test_without_a_record_only_the_values_are_opened(db, capsys):
    call_command("verify_keys")

    assert capsys.readouterr().out.startswith("no secrets are recorded yet")


def test_a_sample_has_at_least_one_value(db):
    with pytest.raises(CommandError, match="at least 1"):
        call_command("verify_keys", "--sample", "0")

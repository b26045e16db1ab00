"""manage.py accept_secrets."""

import pytest
from django.core.management import CommandError, call_command

from banking.services import deployments
from tests.factories import NOON

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"


@pytest.fixture
def recorded(db, settings):
    settings.PII_KEYS = OLD
    deployments.verify(at=NOON, may_record=True)


def test_a_change_on_purpose_is_accepted_for_each_secret_by_name(recorded, settings, capsys):
    settings.LINK_KEY = settings.API_KEY_PEPPER = "another"

    call_command("accept_secrets", "LINK_KEY")

    assert capsys.readouterr().out == "accepted LINK_KEY: every applicant's link is void\n"
    with pytest.raises(deployments.SecretsDiffer, match=r"^API_KEY_PEPPER is not"):
        deployments.verify(at=NOON, may_record=True)


def test_keys_are_not_accepted_while_values_need_the_old_one(recorded, make_owner, settings):
    make_owner(ssn="123-45-6789")
    settings.PII_KEYS = NEW

    with pytest.raises(CommandError, match=r"^Values of onboarding\.owner\.ssn do not open"):
        call_command("accept_secrets", "PII_KEYS")


def test_values_are_given_up_on_purpose(recorded, make_owner, settings):
    make_owner(ssn="123-45-6789")
    settings.PII_KEYS = NEW

    call_command("accept_secrets", "PII_KEYS", "--yes")

    deployments.verify(at=NOON, may_record=True)


def test_keys_without_sealed_values_are_accepted(recorded, settings):
    settings.PII_KEYS = NEW

    call_command("accept_secrets", "PII_KEYS")

    deployments.verify(at=NOON, may_record=True)

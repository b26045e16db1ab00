"""manage.py rotate_pii_keys."""

import pytest
from django.core.management import CommandError

from banking.services import deployments
from foundation.privacy.encrypted_columns import encrypted_fields
from onboarding.services.privacy import reencryption
from tests.factories import NOON

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"


@pytest.fixture
def old_owners(make_owner, settings):
    settings.PII_KEYS = OLD
    owners = [make_owner(ssn=f"12345678{number}") for number in range(5)]
    settings.PII_KEYS = f"{NEW},{OLD}"
    return owners


def left():
    return sum(reencryption.count_outdated(field) for field in encrypted_fields())


def test_it_reseals_everything_and_says_how_much(run, old_owners):
    lines = run("rotate_pii_keys", "--batch", "2")

    assert "onboarding.owner.ssn: 5" in lines
    assert lines[-1] == "resealed 5 values under key new"
    assert left() == 0
    assert run("rotate_pii_keys")[-1] == "resealed 0 values under key new"


def test_a_dry_run_counts_and_changes_nothing(run, old_owners):
    assert run("rotate_pii_keys", "--dry-run")[-1] == "would reseal 5 values under key new"
    assert left() == 5


def test_interrupted_it_says_how_far_it_came_and_goes_on_later(run, old_owners, monkeypatch):
    reencrypt = reencryption.reencrypt

    def interrupted(*, batch_size):
        yield next(reencrypt(batch_size=batch_size))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reencryption, "reencrypt", interrupted)
        with pytest.raises(CommandError, match=r"^interrupted after 2 values; run again$"):
            run("rotate_pii_keys", "--batch", "2")

    assert left() == 3
    assert run("rotate_pii_keys", "--batch", "2")[-1] == "resealed 3 values under key new"


def test_values_that_no_key_opens_end_it_with_an_error(run, old_owners, settings):
    settings.PII_KEYS = NEW

    with pytest.raises(CommandError, match=r"^5 values open with none of the keys; see the log$"):
        run("rotate_pii_keys")


def test_it_says_when_somebody_changed_values_meanwhile(run, old_owners, monkeypatch):
    monkeypatch.setattr(
        reencryption, "reencrypt", lambda *, batch_size: iter([reencryption.Counts(4, 1)])
    )

    assert run("rotate_pii_keys")[-1] == "1 were changed meanwhile; run again"


def test_a_batch_has_at_least_one_value(run):
    with pytest.raises(CommandError, match="at least 1"):
        run("rotate_pii_keys", "--batch", "0")


def test_off_a_terminal_there_is_no_progress_bar(run, old_owners, capfd):
    run("rotate_pii_keys")

    assert capfd.readouterr() == ("", "")


def test_once_nothing_is_left_the_old_key_may_be_taken_away(run, old_owners, settings):
    settings.PII_KEYS = OLD
    deployments.verify(at=NOON, may_record=True)
    settings.PII_KEYS = f"{NEW},{OLD}"
    deployments.verify(at=NOON, may_record=True)

    run("rotate_pii_keys")

    settings.PII_KEYS = NEW
    deployments.verify(at=NOON, may_record=True)

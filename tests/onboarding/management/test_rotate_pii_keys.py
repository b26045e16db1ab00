"""manage.py rotate_pii_keys."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError

from banking.services import deployments
from foundation.privacy.encrypted_columns import encrypted_fields
from onboarding.services.privacy import reencryption
from tests.factories import NOON

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"


@pytest.fixture(autouse=True)
def disk(encrypted_disk):
    """Find no files of other tests, which are under other keys."""
    return encrypted_disk


@pytest.fixture
def old_owners(make_owner, settings):
    settings.PII_KEYS = OLD
    owners = [make_owner(ssn=f"12345678{number}") for number in range(5)]
    settings.PII_KEYS = f"{NEW},{OLD}"
    return owners


def left():
    return sum(reencryption.count_outdated(field) for field in encrypted_fields())


def test_it_encrypts_everything_and_says_how_much(run, old_owners):
    lines = run("rotate_pii_keys", "--batch", "2")

    assert "onboarding.owner.ssn: 5" in lines
    assert lines[-3] == "encrypted 5 values with key new"
    assert left() == 0
    assert run("rotate_pii_keys")[-3] == "encrypted 0 values with key new"


def test_a_dry_run_counts_and_changes_nothing(run, old_owners):
    assert run("rotate_pii_keys", "--dry-run")[-3] == "would encrypt 5 values with key new"
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
    assert run("rotate_pii_keys", "--batch", "2")[-3] == "encrypted 3 values with key new"


def test_values_that_no_key_opens_end_it_with_an_error(run, old_owners, settings):
    settings.PII_KEYS = NEW

    with pytest.raises(CommandError, match=r"^5 values cannot be decrypted; the log names them$"):
        run("rotate_pii_keys")


def test_it_says_when_somebody_changed_values_meanwhile(run, old_owners, monkeypatch):
    monkeypatch.setattr(
        reencryption, "reencrypt", lambda *, batch_size: iter([reencryption.Counts(4, 1)])
    )

    assert run("rotate_pii_keys")[-2] == "1 were changed meanwhile; run again"


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


@pytest.fixture
def old_file(request, disk, settings):
    """A document under the old key, in a deployment that began with that key."""
    settings.PII_KEYS = OLD
    request.getfixturevalue("own_store")
    storages["documents"].save("leads/1/2", ContentFile(b"passport"))
    settings.PII_KEYS = f"{NEW},{OLD}"
    return disk / "media" / "leads" / "1" / "2"


def test_files_are_wrapped_anew_before_an_old_key_is_given_up(run, old_file, settings):
    dry, wet = run("rotate_pii_keys", "--dry-run"), run("rotate_pii_keys")

    assert dry[-1].startswith("0 files would be encrypted, 1 would be wrapped")
    assert wet[-1].startswith("0 files encrypted, 1 wrapped with the present key")
    settings.PII_KEYS = NEW
    with storages["documents"].open("leads/1/2") as opened:
        assert opened.read() == b"passport"


def test_an_old_key_is_required_while_a_file_may_need_it(run, old_file, monkeypatch):
    old_file.write_bytes(old_file.read_bytes().replace(b"e1.old.", b"e1.gone"))
    forgotten = []
    monkeypatch.setattr(deployments, "forget_old_keys", forgotten.append)

    with pytest.raises(CommandError, match="1 files cannot be read; see the log"):
        run("rotate_pii_keys")

    assert "PII_KEYS" not in forgotten

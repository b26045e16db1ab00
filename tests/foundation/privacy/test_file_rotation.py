import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as configured
from django.core.files.base import ContentFile
from django.utils import timezone

from foundation.privacy import file_rotation
from foundation.privacy.aws_kms import KmsKeys
from foundation.privacy.encrypted_files import HEADER_BYTES, MAGIC, UnreadableFile
from foundation.privacy.file_rotation import PART_PREFIX, Outcome, list_names, remove_parts, renew
from tests.foundation.privacy.test_aws_kms import pii_key
from tests.foundation.privacy.test_encrypted_storage import bytes_below, flip, on_disk, read

OLD, NEW = f"old:{'1a' * 32}", f"new:{'2b' * 32}"
SCAN = b"%PDF-1.7 PASSPORT 123-45-6789 " * 5_000


def store_plain(storage, *names):
    for name in names:
        storage.store.save(name, ContentFile(SCAN + name.encode()))


def test_a_plain_file_is_encrypted_in_its_place(storage, tmp_path):
    store_plain(storage, "leads/1/2")
    path = on_disk(storage, "leads/1/2")
    os.utime(path, (1_000_000_000, 1_000_000_000))

    assert renew(storage, "leads/1/2", dry_run=True) == Outcome.ENCRYPTED
    assert path.read_bytes().startswith(SCAN)
    assert renew(storage, "leads/1/2") == Outcome.ENCRYPTED

    assert b"PASSPORT" not in bytes_below(tmp_path)
    assert read(storage, "leads/1/2") == SCAN + b"leads/1/2"
    assert (path.stat().st_mtime, path.stat().st_mode & 0o777) == (1_000_000_000, 0o600)
    assert renew(storage, "leads/1/2") == Outcome.CURRENT


def test_a_new_key_changes_the_header_alone(storage, settings):
    settings.PII_KEYS = OLD
    storage.save("1", ContentFile(SCAN))
    before = on_disk(storage, "1").read_bytes()
    settings.PII_KEYS = f"{NEW},{OLD}"

    assert renew(storage, "1") == Outcome.REWRAPPED

    after = on_disk(storage, "1").read_bytes()
    assert after[HEADER_BYTES:] == before[HEADER_BYTES:]
    assert after.startswith(MAGIC + b"e1.new.")
    settings.PII_KEYS = NEW
    assert read(storage, "1") == SCAN


def test_a_change_to_a_key_service_and_back_wraps_anew(storage, kms, settings):
    settings.KEY_PROVIDER, settings.PII_KEYS = "environment", OLD
    storage.save("1", ContentFile(SCAN))

    settings.PII_KEYS = pii_key(kms, settings, "old", bytes.fromhex("1a" * 32))
    settings.KEY_PROVIDER = "aws-kms"
    assert renew(storage, "1") == Outcome.REWRAPPED
    assert read(storage, "1") == SCAN
    assert KmsKeys().is_current(on_disk(storage, "1").read_bytes()[len(MAGIC) : 200].decode())

    settings.KEY_PROVIDER, settings.PII_KEYS = "environment", OLD
    assert renew(storage, "1") == Outcome.REWRAPPED
    assert read(storage, "1") == SCAN


def test_the_names_are_those_of_files_to_encrypt(storage):
    store_plain(storage, "1", "leads/1/2", "leads/1/3", "logos/1", f"leads/1/{PART_PREFIX}x")

    assert sorted(list_names(storage)) == ["1", "leads/1/2", "leads/1/3"]


def test_papers_of_a_bucket_are_not_taken_for_documents(bucket):
    others = configured.STORAGES["documents"]["OPTIONS"].get("others", [])
    documents = bucket("", label="media", others=others)
    papers = bucket("papers", label="papers")
    for storage in (documents, papers):
        storage.save("jobs/1", ContentFile(SCAN))

    assert list(list_names(documents)) == ["jobs/1"]
    assert list(list_names(papers)) == ["jobs/1"]


def test_an_empty_store_has_no_names(storage):
    assert list(list_names(storage)) == []


def test_a_file_that_was_deleted_meanwhile_is_gone(storage):
    assert renew(storage, "none") == Outcome.GONE


def test_a_file_that_is_deleted_while_it_is_copied_stays_deleted(storage, monkeypatch, tmp_path):
    store_plain(storage, "leads/1/2")
    copy = file_rotation.shutil.copyfileobj

    def copy_and_delete(content, file):
        copy(content, file)
        storage.delete("leads/1/2")

    monkeypatch.setattr(file_rotation.shutil, "copyfileobj", copy_and_delete)

    assert renew(storage, "leads/1/2") == Outcome.GONE
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_no_key_unwraps_stays_as_it_is(storage, settings):
    settings.PII_KEYS = OLD
    storage.save("1", ContentFile(SCAN))
    before = on_disk(storage, "1").read_bytes()
    settings.PII_KEYS = NEW

    with pytest.raises(UnreadableFile):
        renew(storage, "1")

    assert on_disk(storage, "1").read_bytes() == before


def test_a_write_that_fails_leaves_the_old_file(storage, monkeypatch, tmp_path):
    store_plain(storage, "leads/1/2")

    def fail(_descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(file_rotation.os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        renew(storage, "leads/1/2")

    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["2"]
    assert read(storage, "leads/1/2") == SCAN + b"leads/1/2"


def test_what_an_interrupted_run_left_goes_after_a_while(storage, tmp_path):
    store_plain(storage, "leads/1/2", f"leads/1/{PART_PREFIX}x")

    remove_parts(storage, before=timezone.now() - timedelta(hours=1))
    assert len(storage.listdir("leads/1")[1]) == 2
    remove_parts(storage, before=timezone.now() + timedelta(seconds=2))

    assert storage.listdir("leads/1")[1] == ["2"]


KILLED = """
import os, signal, sys
from pathlib import Path
import django
django.setup()
from foundation.privacy import file_rotation
from foundation.privacy.aws_kms import KmsKeys
from foundation.privacy.encrypted_storage import EncryptedStorage
disk = "django.core.files.storage.FileSystemStorage"
storage = EncryptedStorage(
    store={"BACKEND": disk, "OPTIONS": {"location": sys.argv[1]}}, label="media", plain=["logos/"]
)
real, count = getattr(sys.argv[2] == "fsync" and os or Path, sys.argv[2]), 0

def kill_at_the_third(*arguments):
    global count
    count += 1
    if count == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)

setattr(os if sys.argv[2] == "fsync" else Path, sys.argv[2], kill_at_the_third)
for name in sorted(file_rotation.list_names(storage)):
    file_rotation.renew(storage, name)
"""


@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_a_run_that_is_killed_loses_nothing_and_goes_on(storage, tmp_path, moment):
    names = [f"leads/1/{number}" for number in range(5)]
    store_plain(storage, *names)

    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "media"), moment],
        cwd=configured.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_test"},
        check=False,
    )

    assert killed.returncode == -signal.SIGKILL
    assert all(read(storage, name) == SCAN + name.encode() for name in names)
    outcomes = [renew(storage, name) for name in sorted(list_names(storage))]
    assert outcomes == [Outcome.CURRENT] * 2 + [Outcome.ENCRYPTED] * 3
    assert all(read(storage, name) == SCAN + name.encode() for name in names)
    remove_parts(storage, before=timezone.now() + timedelta(seconds=2))
    assert b"PASSPORT" not in bytes_below(tmp_path)


def test_a_forged_file_is_not_repaired(storage, settings):
    settings.PII_KEYS = OLD
    storage.save("1", ContentFile(SCAN))
    flip(Path(on_disk(storage, "1")))
    settings.PII_KEYS = f"{NEW},{OLD}"

    renew(storage, "1")

    with pytest.raises(UnreadableFile):
        storage.open("1")

import logging
import threading
from pathlib import Path

import boto3
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage

from foundation.privacy.encrypted_files import MAGIC, UnreadableFile
from foundation.privacy.encrypted_spools import EncryptedSpool
from foundation.privacy.encrypted_storage import EncryptedStorage, store_below
from tests.foundation.privacy.conftest import REGION

SCAN = b"%PDF-1.7 PASSPORT 123-45-6789 " * 5_000


def read(storage, name):
    with storage.open(name) as opened:
        return opened.read()


def bytes_below(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def on_disk(storage, name):
    return Path(storage.store.path(name))


def test_no_plain_bytes_of_a_file_lie_in_the_folder(storage, tmp_path):
    name = storage.save("leads/1/2", ContentFile(SCAN))

    assert name == "leads/1/2"
    assert b"PASSPORT" not in bytes_below(tmp_path)
    assert on_disk(storage, name).stat().st_mode & 0o777 == 0o600
    assert read(storage, name) == SCAN
    assert storage.size(name) == len(SCAN)


@pytest.mark.parametrize("content", [b"", b"x", SCAN])
def test_a_spooled_upload_is_moved_and_is_never_plain(storage, tmp_path, content):
    spool = EncryptedSpool(tmp_path / "spool")
    spool.write(content)
    inode = spool.path.stat().st_ino

    with spool.as_file() as file:
        assert file.read() == content
        assert b"PASSPORT" not in bytes_below(tmp_path)
        name = storage.save("leads/1/2", file)
    spool.close()

    assert on_disk(storage, name).stat().st_ino == inode
    assert read(storage, name) == content


@pytest.mark.parametrize("is_spooled", [True, False])
def test_a_name_that_is_taken_gives_another_name_with_a_key_of_its_own(
    storage, tmp_path, is_spooled, monkeypatch
):
    storage.save("leads/1/2", ContentFile(b"first"))
    spool = EncryptedSpool(tmp_path / "spool")
    spool.write(b"second")
    file = spool.as_file() if is_spooled else ContentFile(b"second")
    names = iter(["leads/1/2", "leads/1/2_other"])  # the first as before the other process stored
    monkeypatch.setattr(storage, "get_available_name", lambda *_args, **_options: next(names))

    name = storage.save("leads/1/2", file)
    spool.close()

    assert name == "leads/1/2_other"
    assert read(storage, "leads/1/2") == b"first"
    assert read(storage, name) == b"second"
    assert sorted(storage.listdir("leads/1")[1]) == ["2", "2_other"]


def test_a_file_of_before_is_read_until_that_is_refused(storage, settings, caplog):
    storage.store.save("leads/1/2", ContentFile(b"plain"))

    assert read(storage, "leads/1/2") == b"plain"
    assert storage.size("leads/1/2") == 5

    settings.UNENCRYPTED_FILES = "refuse"
    with pytest.raises(UnreadableFile, match="it is not encrypted"):
        storage.open("leads/1/2")


def test_a_logo_stays_plain(storage, settings):
    settings.UNENCRYPTED_FILES = "refuse"
    storage.save("logos/1.png", ContentFile(b"\x89PNG"))

    assert on_disk(storage, "logos/1.png").read_bytes() == b"\x89PNG"
    assert read(storage, "logos/1.png") == b"\x89PNG"


def flip(path, at=-1):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


FORGERIES = {
    "a byte flipped": flip,
    "a byte of the wrapped key flipped": lambda path: flip(path, len(MAGIC) + 40),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-20]),
    "cut within the header": lambda path: path.write_bytes(path.read_bytes()[:500]),
    "swapped with another": lambda path: path.with_name("3").rename(path),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_changed_file_is_refused_and_logged(storage, caplog, forge):
    for name in ("leads/1/2", "leads/1/3"):
        storage.save(name, ContentFile(SCAN + name.encode()))
    forge(on_disk(storage, "leads/1/2"))

    with pytest.raises(UnreadableFile):
        storage.open("leads/1/2")

    (record,) = caplog.records
    assert record.levelno == logging.CRITICAL
    assert record.getMessage().startswith("the file media/leads/1/2 cannot be read: ")


def test_a_file_of_another_storage_is_refused(storage, tmp_path):
    disk = "django.core.files.storage.FileSystemStorage"
    other = EncryptedStorage(
        store={"BACKEND": disk, "OPTIONS": {"location": tmp_path / "media"}}, label="papers"
    )
    storage.save("1", ContentFile(b"x"))

    with pytest.raises(UnreadableFile, match="no key unwraps its data key, or it was moved"):
        other.open("1")


def test_a_file_whose_key_was_removed_is_refused(storage, settings):
    settings.PII_KEYS = f"old:{'1a' * 32}"
    storage.save("1", ContentFile(b"x"))
    settings.PII_KEYS = f"new:{'2b' * 32},old:{'1a' * 32}"
    assert read(storage, "1") == b"x"

    settings.PII_KEYS = f"new:{'2b' * 32}"
    with pytest.raises(UnreadableFile):
        storage.open("1")


def test_a_missing_file_is_missing(storage):
    with pytest.raises(FileNotFoundError):
        storage.open("leads/none")
    with pytest.raises(ValueError, match="opened for reading"):
        storage.open("leads/none", "wb")


def test_many_threads_store_under_one_name_and_lose_nothing(storage):
    names = []

    def save(number):
        names.append((storage.save("leads/1/2", ContentFile(b"%d" % number)), number))

    threads = [threading.Thread(target=save, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(dict(names)) == 8
    assert {read(storage, name): number for name, number in names} == {
        b"%d" % number: number for number in range(8)
    }


@pytest.mark.parametrize("size", [10, 300_000, 9 * 1024**2])
def test_a_bucket_keeps_files_of_any_size_encrypted(moto, size):
    client = boto3.session.Session().client("s3", endpoint_url=moto, region_name=REGION)
    client.create_bucket(Bucket="documents")
    options = {"bucket_name": "documents", "endpoint_url": moto, "region_name": REGION}
    s3 = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {**options, "location": "a"}}
    storage = EncryptedStorage(store=s3, label="media", moved="quarantine/")
    content = b"PASSPORT! " * (size // 10)

    name = storage.save("leads/1/2", ContentFile(content))

    stored = client.get_object(Bucket="documents", Key="a/leads/1/2")["Body"].read()
    assert stored.startswith(MAGIC)
    assert b"PASSPORT" not in stored
    assert read(storage, name) == content
    assert (storage.size(name), storage.exists(name)) == (len(content), True)
    assert storage.listdir("leads/1") == ([], ["2"])
    below = store_below(storage)
    with below.open("leads/1/2") as opened:
        below.save("quarantine/leads/1/2", opened)
    assert read(storage, "quarantine/leads/1/2") == content


def test_a_spooled_upload_is_stored_in_a_storage_that_does_not_encrypt(tmp_path):
    spool = EncryptedSpool(tmp_path / "spool")
    spool.write(SCAN)

    with spool.as_file() as file:
        FileSystemStorage(tmp_path / "media").save("1", file)
    spool.close()

    assert (tmp_path / "media" / "1").read_bytes() == SCAN


@pytest.mark.parametrize("size", [0, 10, 500, 1024, 1030])
def test_the_size_of_a_file_that_was_cut_is_another(storage, size):
    storage.save("1", ContentFile(b"x" * 100))
    path = on_disk(storage, "1")
    path.write_bytes(path.read_bytes()[:size])

    assert storage.size("1") != 100
    assert storage.size("1") >= 0

import base64
import time

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile

from foundation.privacy import aws_kms
from foundation.privacy.aws_kms import BoundedCache, KeyServiceUnavailable, KmsKeys
from foundation.privacy.encrypted_files import UnreadableFile
from foundation.privacy.encryption import DecryptionError, decrypt, encrypt, parse_keys
from tests.foundation.privacy.conftest import forget_keys, stop_service

KEY = bytes(range(32))


def pii_key(kms, settings, key_id, key=KEY):
    """Return an entry of PII_KEYS whose value the key service wrapped."""
    context = {"vestibule": f"PII_KEYS {key_id}"}
    body = kms.encrypt(KeyId=settings.KMS_KEY_ID, Plaintext=key, EncryptionContext=context)
    return f"{key_id}:{base64.b64encode(body['CiphertextBlob']).decode()}"


def test_a_key_unwraps_in_its_context_alone(kms, settings, monkeypatch):
    wrapped = KmsKeys().wrap(KEY, context="file media/1")
    forget_keys(monkeypatch)

    assert wrapped.startswith(f"aws-kms.{settings.KMS_KEY_ID}.")
    assert KmsKeys().unwrap(wrapped, context="file media/1") == KEY
    with pytest.raises(DecryptionError, match="InvalidCiphertext"):
        KmsKeys().unwrap(wrapped, context="file media/2")


def test_a_wrapped_key_that_is_not_base64_is_refused(kms):
    with pytest.raises(DecryptionError, match="not Base64"):
        KmsKeys().unwrap("aws-kms.key.???", context="file media/1")


def test_the_service_is_asked_once_for_a_key_and_again_after_some_time(kms, settings, monkeypatch):
    wrapped = KmsKeys().wrap(KEY, context="file media/1")
    stop_service(settings)

    assert KmsKeys().unwrap(wrapped, context="file media/1") == KEY

    moment = time.monotonic() + aws_kms.CACHE_SECONDS
    monkeypatch.setattr(aws_kms.time, "monotonic", lambda: moment)
    with pytest.raises(KeyServiceUnavailable, match="EndpointConnectionError"):
        KmsKeys().unwrap(wrapped, context="file media/1")


def test_a_cache_keeps_the_newest_keys():
    cache = BoundedCache(2, 60)
    for name in "abca":
        cache.put((name, ""), name.encode())

    assert [cache.get((name, "")) for name in "abc"] == [b"a", None, b"c"]


def test_a_service_that_does_not_answer_is_unavailable(kms, settings, monkeypatch):
    wrapped = KmsKeys().wrap(KEY, context="file media/1")
    stop_service(settings)
    forget_keys(monkeypatch)

    with pytest.raises(KeyServiceUnavailable, match="EndpointConnectionError"):
        KmsKeys().wrap(KEY, context="file media/1")
    with pytest.raises(KeyServiceUnavailable, match="EndpointConnectionError"):
        KmsKeys().unwrap(wrapped, context="file media/1")


def test_files_are_stored_and_moved_under_a_key_of_the_service(kms, storage, monkeypatch):
    storage.save("leads/1/2", ContentFile(b"passport"))
    storage.save("leads/1/3", ContentFile(b"passport"))
    forget_keys(monkeypatch)

    with storage.open("leads/1/2") as opened:
        assert opened.read() == b"passport"
    storage.store.delete("leads/1/2")
    with storage.store.open("leads/1/3") as other:
        storage.store.save("leads/1/2", other)
    forget_keys(monkeypatch)
    with pytest.raises(UnreadableFile):
        storage.open("leads/1/2")


def test_files_of_the_environment_stay_readable_under_a_key_service(
    storage, kms, settings, monkeypatch
):
    settings.KEY_PROVIDER = "environment"
    settings.PII_KEYS = f"k1:{KEY.hex()}"
    storage.save("1", ContentFile(b"of before"))
    settings.KEY_PROVIDER = "aws-kms"
    settings.PII_KEYS = pii_key(kms, settings, "k1")

    with storage.open("1") as opened:
        assert opened.read() == b"of before"


def test_columns_use_keys_that_the_service_unwrapped_once(kms, settings):
    settings.PII_KEYS = f"{pii_key(kms, settings, 'k2')},{pii_key(kms, settings, 'k1', b'1' * 32)}"

    encrypted = encrypt("123-45-6789", context="a.b")
    stop_service(settings)

    assert encrypted.startswith("e1.k2.")
    assert decrypt(encrypted, context="a.b") == "123-45-6789"
    assert parse_keys(settings.PII_KEYS) == {"k2": KEY, "k1": b"1" * 32}


def test_plain_keys_and_keys_of_another_id_are_refused_under_a_key_service(kms, settings):
    with pytest.raises(ImproperlyConfigured, match="id:base64 of KMS's ciphertext"):
        parse_keys(f"k1:{'1a' * 32}")

    moved = pii_key(kms, settings, "k1").replace("k1:", "k2:")
    with pytest.raises(ImproperlyConfigured, match="does not unwrap"):
        parse_keys(moved)


def test_a_plain_file_is_found_without_the_service(kms, storage, settings):
    storage.save("logos/1", ContentFile(b"logo"))
    stop_service(settings)

    with storage.open("logos/1") as opened:
        assert opened.read() == b"logo"

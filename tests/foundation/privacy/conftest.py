"""A folder of encrypted files, and a key service on this machine."""

import boto3
import pytest

from foundation.privacy import aws_kms
from foundation.privacy.encrypted_storage import EncryptedStorage

REGION = "us-east-1"


@pytest.fixture
def storage(tmp_path):
    """A storage that encrypts into a folder, all but its logos."""
    disk = "django.core.files.storage.FileSystemStorage"
    options = {"location": tmp_path / "media", "file_permissions_mode": 0o600}
    return EncryptedStorage(
        store={"BACKEND": disk, "OPTIONS": options}, label="media", plain=["logos/"]
    )


@pytest.fixture
def kms(moto, settings, monkeypatch):
    """Let a key of the key service wrap data keys; return a client of the service."""
    client = boto3.session.Session().client("kms", endpoint_url=moto, region_name=REGION)
    settings.KEY_PROVIDER = "aws-kms"
    settings.KMS_ENDPOINT, settings.KMS_REGION = moto, REGION
    settings.KMS_KEY_ID = client.create_key()["KeyMetadata"]["Arn"]
    forget_keys(monkeypatch)
    yield client
    aws_kms.kms_client.cache_clear()


def stop_service(settings):
    """Let the key service be away from now on."""
    settings.KMS_ENDPOINT = "http://127.0.0.1:9"
    aws_kms.kms_client.cache_clear()


def forget_keys(monkeypatch):
    """Begin as a new process does: without a client and without unwrapped keys."""
    aws_kms.kms_client.cache_clear()
    aws_kms.unwrap_pii_keys.cache_clear()
    cache = aws_kms.BoundedCache(aws_kms.CACHE_KEYS, aws_kms.CACHE_SECONDS)
    monkeypatch.setattr(aws_kms, "unwrapped_keys", cache)

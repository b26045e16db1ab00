"""Where anchors are kept."""

from datetime import timedelta
from io import BytesIO

import boto3
import pytest
from botocore.exceptions import ClientError
from django.utils import timezone
from moto import mock_aws

from foundation.anchoring import stores
from foundation.anchoring.stores import Bucket, StoreFault, open_store
from tests.factories import NOON

LOCK = timedelta(days=10)
NAME = "000001.json"


@pytest.fixture
def client():
    """Return a client of S3, whose calls moto answers: the bucket `anchors` has object lock."""
    with mock_aws():
        client = boto3.session.Session().client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="anchors", ObjectLockEnabledForBucket=True)
        yield client


@pytest.fixture
def bucket(client):
    return Bucket("s3://anchors/bank", lock=LOCK, client=client)


@pytest.fixture(params=["file", "s3"])
def store(request, tmp_path):
    if request.param == "file":
        return open_store((tmp_path / "with space").as_uri(), lock=LOCK)
    return request.getfixturevalue("bucket")


def test_a_file_is_read_as_it_was_written(store):
    store.write(NAME, BytesIO(b"{}"), at=NOON)

    assert store.names() == [NAME]
    assert stores.read_all(store, NAME) == b"{}"


def test_an_empty_store_has_no_files(store):
    assert store.names() == []
    with pytest.raises(StoreFault):
        stores.read_all(store, NAME)


def test_a_file_is_never_replaced(store):
    store.write(NAME, BytesIO(b"first"), at=NOON)

    with pytest.raises(StoreFault, match=store.location):
        store.write(NAME, BytesIO(b"second"), at=NOON)

    assert stores.read_all(store, NAME) == b"first"


def test_a_file_of_a_folder_cannot_be_written_by_accident(tmp_path):
    open_store(tmp_path.as_uri(), lock=LOCK).write(NAME, BytesIO(b"{}"), at=NOON)

    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o444
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_files_of_a_bucket_are_locked(bucket, client):
    now = timezone.now().replace(microsecond=0)
    bucket.write(NAME, BytesIO(b"{}"), at=now)

    file = {"Bucket": "anchors", "Key": "bank/000001.json"}
    found = client.head_object(**file)
    assert found["ObjectLockMode"] == "COMPLIANCE"
    assert found["ObjectLockRetainUntilDate"] == now + LOCK
    with pytest.raises(ClientError, match="AccessDenied"):
        client.delete_object(**file, VersionId=found["VersionId"])


def test_the_first_version_in_a_bucket_counts(bucket, client):
    bucket.write(NAME, BytesIO(b"first"), at=NOON)
    client.delete_object(Bucket="anchors", Key="bank/000001.json")  # hides it
    assert bucket.names() == [NAME]
    client.put_object(Bucket="anchors", Key="bank/000001.json", Body=b"forged")

    assert stores.read_all(bucket, NAME) == b"first"
    assert bucket.names() == [NAME]


@pytest.mark.parametrize("location", ["file://host/folder", "s3:///prefix", "/folder", "file:"])
def test_a_location_that_is_no_store_is_refused(location):
    with pytest.raises(StoreFault, match="neither"):
        open_store(location, lock=LOCK)


def test_a_server_is_no_store():
    assert open_store("rfc3161:https://time.example", lock=LOCK) is None


def test_files_are_named_by_number_and_statement():
    assert stores.file_name(12, stores.STATEMENT, of=b"a") == "000012.json"
    assert stores.file_name(12, stores.SIGNATURE, of=b"a") == "000012-ca978112ca1bbdca.sig"
    assert stores.number_of("000012-ca978112ca1bbdca.sig") == 12
    assert stores.number_of("notes.txt") == 0

"""Where anchors are kept."""

from datetime import timedelta
from io import BytesIO

import pytest

from foundation.anchoring import stores
from foundation.anchoring.stores import Bucket, StoreFault, open_store
from tests.factories import NOON

LOCK = timedelta(days=10)
NAME = "000001.json"


class BucketInMemory:
    """The calls of an S3 client, on a bucket that keeps versions. No S3 server is a dependency."""

    def __init__(self):
        self.versions = []
        self.locks = {}

    def put_object(self, *, Bucket, Key, Body, IfNoneMatch, **lock):  # noqa: N803 - boto3's names
        assert IfNoneMatch == "*"
        if any(version["Key"] == Key for version in self.versions):
            raise RuntimeError("PreconditionFailed")
        self.add(Key, Body.read())
        self.locks[Key] = lock

    def add(self, key, content):
        version = {"Key": key, "VersionId": len(self.versions), "content": content}
        self.versions.insert(0, version)

    def get_paginator(self, name):
        assert name == "list_object_versions"
        return self

    def paginate(self, *, Bucket, Prefix):  # noqa: N803 - boto3's names
        found = [version for version in self.versions if version["Key"].startswith(Prefix)]
        yield {"Versions": found[:1]}
        yield {"Versions": found[1:]}
        yield {}

    def get_object(self, *, Bucket, Key, VersionId):  # noqa: N803 - boto3's names
        (found,) = (one for one in self.versions if one["VersionId"] == VersionId)
        return {"Body": BytesIO(found["content"])}


@pytest.fixture(params=["file", "s3"])
def store(request, tmp_path):
    if request.param == "file":
        return open_store((tmp_path / "with space").as_uri(), lock=LOCK)
    return Bucket("s3://anchors/bank", lock=LOCK, client=BucketInMemory())


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


def test_files_of_a_bucket_are_locked(store):
    if not isinstance(store, Bucket):
        return
    store.write(NAME, BytesIO(b"{}"), at=NOON)

    lock = store.client.locks["bank/000001.json"]
    assert lock["ObjectLockMode"] == "COMPLIANCE"
    assert lock["ObjectLockRetainUntilDate"] == NOON + LOCK


def test_the_first_version_in_a_bucket_counts():
    client = BucketInMemory()
    bucket = Bucket("s3://anchors/bank/", lock=LOCK, client=client)
    bucket.write(NAME, BytesIO(b"first"), at=NOON)
    client.add("bank/000001.json", b"forged")

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

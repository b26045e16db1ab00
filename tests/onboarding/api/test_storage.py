"""Storage that cannot be written: writes say so and when to come back, reads are answered."""

import hashlib
import logging
import subprocess

import pytest
from django.core.files.storage import FileSystemStorage, storages
from django.db import connection

from config.whole_bodies import NotKept
from onboarding.models import Document, Event, Lead
from tests.bodies import PDF, document_data
from tests.onboarding.conftest import PartnerApi, codes
from tests.servers import serving

LARGE = PDF + b"x" * 400_000  # waits on disk before it is stored
SLOW_DOWN = (
    b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nConnection: close\r\n\r\n"
    b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"
)


@pytest.fixture
def api(transactional_db, make_api_key, settings):
    return PartnerApi(make_api_key())


@pytest.fixture
def store_in(monkeypatch):
    """Let documents be stored by another storage."""

    def store_in(storage):
        monkeypatch.setitem(storages._storages, "documents", storage)  # noqa: SLF001 - no public way

    return store_in


@pytest.fixture
def full_disk(tmp_path):
    """A disk without a free byte; only root may mount one."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=20", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk takes root")
    (tmp_path / "filler").write_bytes(b"x" * 4096)
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.fixture
def read_only():
    """Let the database take no writes, as on a disk that is full or was mounted read-only."""
    is_sqlite = connection.vendor == "sqlite"
    setting = "PRAGMA query_only" if is_sqlite else "SET default_transaction_read_only"

    def switch(value):
        with connection.cursor() as cursor:
            cursor.execute(f"{setting} = {value}")

    yield lambda: switch("on")
    switch("off")


def upload(api, content=PDF):
    customer_id = Lead.objects.get().external_id
    return api.put(f"lead/{customer_id}/upload", {"documentDataList": [document_data(content)]})


def assert_refused(response, caplog):
    assert response.status_code == 503
    assert codes(response) == {None: "SERVICE_UNAVAILABLE"}
    assert response["Retry-After"] == "5"
    assert logging.CRITICAL in {record.levelno for record in caplog.records}


@pytest.mark.parametrize("content", [PDF, LARGE], ids=["small", "large"])
def test_an_upload_to_a_full_disk_is_a_503_and_leaves_nothing(
    api, full_disk, store_in, settings, caplog, content
):
    settings.DOCUMENT_SPOOL = full_disk
    store_in(FileSystemStorage(location=full_disk))
    api.create()
    events = Event.objects.count()

    response = upload(api, content)

    assert_refused(response, caplog)
    assert (Document.objects.count(), Event.objects.count()) == (0, events)
    assert [path.name for path in full_disk.rglob("*") if path.is_file()] == ["filler"]


def test_a_body_that_the_disk_did_not_take_is_a_503(api):
    response = api.client.generic(
        "PUT",
        f"{api.root}lead",
        b"{}",
        headers={"Authorization": api.authorization, "Accept": "application/json"},
        CONTENT_TYPE="application/json",
        **{"wsgi.input": NotKept()},
    )

    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert codes(response) == {None: "SERVICE_UNAVAILABLE"}
    assert not Lead.objects.exists()


def test_an_upload_to_a_folder_that_is_gone_is_a_503(api, tmp_path, store_in, caplog):
    (tmp_path / "file").touch()
    store_in(FileSystemStorage(location=tmp_path / "file"))
    api.create()

    assert_refused(upload(api), caplog)
    assert not Document.objects.exists()


def test_a_create_whose_document_cannot_be_stored_leaves_no_lead(api, tmp_path, store_in, caplog):
    (tmp_path / "file").touch()
    store_in(FileSystemStorage(location=tmp_path / "file"))

    response = api.put("lead", {"email": "ada@example.com", "documentDataList": [document_data()]})

    assert_refused(response, caplog)
    assert not Lead.objects.exists()


def test_an_upload_to_an_object_store_that_refuses_is_a_503(api, store_in, caplog):
    s3 = pytest.importorskip("storages.backends.s3")
    with serving(SLOW_DOWN) as server:
        store_in(
            s3.S3Storage(
                bucket_name="documents", endpoint_url=server.url, region_name="us-east-1",
                access_key="test", secret_key="test",
            )
        )  # fmt: skip
        api.create()

        response = upload(api)

    assert_refused(response, caplog)
    assert not Document.objects.exists()


def test_an_upload_that_no_key_service_wraps_is_a_503_and_leaves_nothing(
    api, encrypted_disk, key_service_away, caplog
):
    api.create()

    for content in (PDF, LARGE):
        assert_refused(upload(api, content), caplog)

    assert not Document.objects.exists()
    assert [path for path in encrypted_disk.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("content", [PDF, LARGE], ids=["small", "large"])
def test_no_plain_bytes_of_an_upload_are_on_the_disk(api, encrypted_disk, settings, content):
    settings.DOCUMENT_SPOOL = encrypted_disk / "spool"
    api.create()

    assert upload(api, content + b"PASSPORT 123-45-6789").status_code == 200

    (path,) = [path for path in encrypted_disk.rglob("*") if path.is_file()]
    encrypted = path.read_bytes()
    assert [word for word in (b"%PDF", b"PASSPORT", b"xxxxxxxx") if word in encrypted] == []
    document = Document.objects.get()
    with document.file.open() as opened:
        stored = opened.read()
    assert stored == content + b"PASSPORT 123-45-6789"
    assert (document.size_bytes, document.sha256) == (
        len(stored),
        hashlib.sha256(stored).hexdigest(),
    )


def test_an_idempotency_key_is_free_again_after_a_full_disk(api, tmp_path, store_in):
    (tmp_path / "file").touch()
    working = storages["documents"]
    store_in(FileSystemStorage(location=tmp_path / "file"))
    customer_id = api.create()["customerId"]
    call = (f"lead/{customer_id}/upload", {"documentDataList": [document_data()]})
    assert api.put(*call, Idempotency_Key="once").status_code == 503

    store_in(working)

    assert api.put(*call, Idempotency_Key="once").status_code == 200
    assert Document.objects.count() == 1


@pytest.mark.parametrize("path", ["lead", "lead/{}", "events", "webhooks", "meta/errors"])
def test_reads_are_answered_while_nothing_can_be_written(api, read_only, path):
    customer_id = api.create()["customerId"]
    read_only()

    response = api.get(path.format(customer_id))

    assert response.status_code == 200
    assert "RateLimit-Limit" not in response


def test_a_write_is_a_503_while_nothing_can_be_written(api, read_only, caplog):
    read_only()

    response = api.put("lead", {"email": "ada@example.com"})

    assert_refused(response, caplog)


def test_the_limit_of_reads_holds_while_counts_can_be_written(api, settings):
    settings.CALLS_PER_MINUTE = 1
    settings.RATE_LIMIT_FACTOR = 1

    assert [api.get("lead").status_code for _ in range(2)] == [200, 429]

"""Connection check of the document store: files are written, read and deleted."""

import secrets
from collections.abc import Iterator
from typing import Any, Final

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from banking.services import stores
from config.connection_checks.findings import Finding, Hints, fault_of

CONTENT: Final = b"a probe of check --live; it may be deleted"
HINTS: Final[Hints] = [
    ("unable to locate credentials", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."),
    ("nosuchbucket", "Make the bucket, or correct DOCUMENT_S3_BUCKET."),
    ("invalidaccesskeyid", "AWS_ACCESS_KEY_ID is unknown to the store."),
    ("signaturedoesnotmatch", "AWS_SECRET_ACCESS_KEY is not that of the access key."),
    ("accessdenied", "Allow the key to list the bucket, and to get, put and delete its objects."),
    ("forbidden", "The access key is wrong, or may not list, get, put and delete objects."),
    ("(403)", "The access key is wrong, or may not list, get, put and delete objects."),
    ("(404)", "Make the bucket, or correct DOCUMENT_S3_BUCKET."),
    ("not found", "Make the bucket, or correct DOCUMENT_S3_BUCKET."),
    ("could not connect", "Look at DOCUMENT_S3_ENDPOINT, the firewall and the server."),
    ("permission denied", "Give the folder to the user of the programs."),
    ("read-only", "Give the folder to the user of the programs; ReadWritePaths of the unit."),
    ("ssl", "Set AWS_CA_BUNDLE to the CA's certificate, or use the name in the certificate."),
]


def check() -> Iterator[Finding]:
    """Yield the findings of both folders of the store, and of its owner and versions."""
    try:
        for name in ("documents", "papers"):
            _probe(storages[name])
    except Exception as exc:  # noqa: BLE001 - the errors of stores share no base class
        yield fault_of("the document store", exc, HINTS)
        return
    yield Finding("The document store keeps, returns and deletes files.")
    if settings.DOCUMENT_STORAGE == "s3":
        yield from _versioning()
    else:
        yield Finding("Files are in DATA_DIR: web and workers must be on one machine.")
    if fault := stores.ownership_fault():
        hint = "Name the store of this database, or run `manage.py adopt_store`: the runbook."
        yield Finding(fault, hint)


def _probe(storage: Any) -> None:
    """Write, read and delete a file. Raises the errors of the store, OSError."""
    name = storage.save(f"probe-{secrets.token_hex(8)}", ContentFile(CONTENT))
    try:
        with storage.open(name) as content:
            if content.read() != CONTENT:
                raise OSError("the file was not read as it was written")
    finally:
        storage.delete(name)


def _versioning() -> Iterator[Finding]:
    store: Any = storages["documents"]
    client = store.store.connection.meta.client
    try:
        status = client.get_bucket_versioning(Bucket=settings.DOCUMENT_S3_BUCKET).get("Status")
    except Exception as exc:  # noqa: BLE001 - boto3 makes its classes of errors at run time
        yield Finding(f"Whether the bucket keeps versions cannot be seen: {exc}.")
        return
    if status != "Enabled":
        hint = "Switch versioning on: it brings back files that were deleted or overwritten."
        yield Finding("The bucket keeps no versions.", hint)

"""Connection check of the audit's anchors, for workers: folders, buckets and timestamp servers."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

from config.connection_checks.findings import Finding, Hints, fault_of
from foundation.anchoring import anchors, timestamps
from foundation.anchoring.stores import Bucket, Folder, Store, StoreFault

HINTS: Final[Hints] = [
    ("unable to locate credentials", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."),
    ("nosuchbucket", "Make the bucket, with object lock, or correct ANCHORS."),
    ("objectlockconfigurationnotfound", "Make a bucket with object lock: it cannot be added."),
    ("accessdenied", "Allow the key to list versions, and to put objects with a lock."),
    ("could not connect", "Look at AWS_ENDPOINT_URL_S3, the firewall and the server."),
]


def check() -> Iterator[Finding]:
    """Yield the findings of each destination in ANCHORS. Nothing is written: it would be locked."""
    if not settings.ANCHOR_KEY_FILE:
        yield Finding("Not tried: ANCHOR_KEY_FILE is not set, so this program anchors nothing.")
        return
    try:
        found = anchors.parse_destinations(settings.ANCHORS, lock=settings.ANCHOR_LOCK)
    except StoreFault as exc:
        yield fault_of("ANCHORS", exc)
        return
    for store in found.stores:
        yield _store(store)
    for server in found.servers:
        try:
            timestamps.request(server, b"probe")
        except timestamps.TimestampFault as exc:
            yield fault_of("the timestamp server", exc)
        else:
            yield Finding(f"{server} gives timestamps.")


def _store(store: Store) -> Finding:
    if isinstance(store, Folder):
        return _folder(store.path)
    try:
        store.names()
        if isinstance(store, Bucket):
            store.client.get_object_lock_configuration(Bucket=store.bucket)
    except Exception as exc:  # noqa: BLE001 - boto3 makes its classes of errors at run time
        return fault_of("anchors", exc, HINTS)
    return Finding(f"{store.location} can be read and has object lock.")


def _folder(path: Path) -> Finding:
    """Return the finding whether anchors can be added to a folder.

    A missing folder is fine if it can be made, as the first anchor does.
    """
    nearest = next(folder for folder in [path, *path.parents] if folder.exists())
    if os.access(nearest, os.W_OK | os.X_OK):
        return Finding(f"Anchors can be written to {path}.")
    return Finding(
        f"Anchors cannot be written to {path}.",
        "Mount it, give it to the user of the workers, and name it in ReadWritePaths of the unit.",
    )

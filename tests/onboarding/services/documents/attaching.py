"""Attach files to leads, and list the stored ones."""

from datetime import UTC, datetime

from django.core.files.storage import storages

from onboarding.choices import Supplier
from onboarding.services.documents import intake
from onboarding.services.documents.file_store import FileStore, file_transaction
from onboarding.uploads import MEMORY_BYTES

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n"
LARGE = PDF + bytes(MEMORY_BYTES)


def attach(lead, *sent, then=lambda: None):
    with file_transaction() as store:
        attached = write(lead, *sent, store=store)
        then()
    return attached


def write(lead, *sent, store, urls=()):
    return add(lead, sent, urls, store=store).files


def note(lead, *urls):
    """Note URLs and return those that are new."""
    return add(lead, [], urls, store=FileStore()).new_urls


def add(lead, sent, urls, *, store):
    attachments = intake.attach_documents(
        lead, sent, urls=urls, store=store, supplied_by=Supplier.PARTNER, at=NOON
    )
    intake.save_attachments(attachments)
    return attachments


def fail():
    raise ZeroDivisionError


def files(folder="leads"):
    """Return the names of all stored files."""
    try:
        folders, names = storages["documents"].listdir(folder)
    except FileNotFoundError:
        return []
    inner = [name for one in folders for name in files(f"{folder}/{one}")]
    return sorted([*inner, *(f"{folder}/{name}" for name in names)])

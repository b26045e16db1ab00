"""Document facts: names of a document and its owner, its status, and whether it can be shown."""

from urllib.parse import urlsplit

from foundation.backoffice.screens import badge
from foundation.files import SHOWN_INLINE
from onboarding.choices import DocumentStatus


def file_name(document):
    """Return the file name of a document, else "From" and the host of its source URL."""
    return document.file_name or f"From {urlsplit(document.source_url).hostname or 'an address'}"


def status_badge(document):
    """Return the status as a badge; a file that waits for its scan says so."""
    waits = "To be scanned for malware" if document.awaits_receipt else ""
    return badge(document.status, waits or document.get_status_display())


def can_be_shown(document):
    """Return whether staff may see the file, or pictures of it, on a page."""
    shown = document.is_openable and document.detected_type in SHOWN_INLINE
    return shown and is_harmless(document)


def is_harmless(document):
    """Return whether the document is neither quarantined nor replaced with a `status_reason`.

    Such a reason may be an earlier quarantine, but also a rejection or a removal by the applicant.
    """
    was_doubted = document.status == DocumentStatus.REPLACED and document.status_reason
    return document.status != DocumentStatus.QUARANTINED and not was_doubted


def person_name(owner):
    """Return the name of an owner, or else the email address or id."""
    return owner.full_name or owner.email or str(owner)

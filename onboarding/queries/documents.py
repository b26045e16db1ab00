"""Reads of documents: received documents that reviewers have not opened."""

from collections.abc import Iterable

from banking.models import User
from onboarding.choices import DocumentStatus, Role
from onboarding.event_types import EventType
from onboarding.models import Document, Event


def list_unopened(documents: Iterable[Document], *, by: Iterable[User]) -> list[Document]:
    """Return the received documents of one lead that none of these users has opened.

    Accepted and rejected documents are no longer received; a new version is a new document.
    Runs one database query, or no query if no document is received.
    """
    received = [one for one in documents if one.status == DocumentStatus.RECEIVED]
    if not received:
        return []
    opened = Event.objects.filter(
        lead=received[0].lead_id,
        type=EventType.DOCUMENT_OPENED,
        role=Role.REVIEWER,
        who__in=[str(user.external_id) for user in by],
    )
    ids = {
        details["document_id"] for details in opened.order_by().values_list("details", flat=True)
    }
    return [one for one in received if str(one.external_id) not in ids]

"""Documents from the partner: added to a registered lead."""

from collections.abc import Sequence
from datetime import datetime

from onboarding.choices import Supplier
from onboarding.models import Application, Partner
from onboarding.queries.leads import lock_current_application
from onboarding.services.applications import attempts
from onboarding.services.documents import intake
from onboarding.services.documents.arrivals import record_receipt
from onboarding.services.documents.file_store import FileStore
from onboarding.services.documents.intake import AttachedDocument, SentDocument
from onboarding.services.events.history import PARTNER


def upload_documents(
    *,
    partner: Partner,
    customer_id: str,
    incoming: Sequence[SentDocument],
    store: FileStore,
    at: datetime,
) -> tuple[Application, list[AttachedDocument]]:
    """Add documents to a partner's lead, record them, and return them with its application.

    Call it in a `file_transaction`, with its store. The application moves on if nothing that its
    status waits for is missing any more.
    Raises: LeadNotFound, ApplicationClosed, TooManyDocuments.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    attempts.require_open(application)
    attachments = intake.attach_documents(
        application.lead, incoming, store=store, supplied_by=Supplier.PARTNER, at=at
    )
    intake.save_attachments(attachments)
    attachments = intake.renew_duplicates(application, attachments, at=at)
    record_receipt(application, attachments, by=PARTNER, at=at)
    return application, attachments.files

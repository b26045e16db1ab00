"""Reads of a partner's leads."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from banking.pii import SealedField
from onboarding.errors import ErrorCode, Refused
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.requirements import Requirement, list_requirements

LONGEST_UUID = 36


class LeadNotFound(Refused):
    """No lead of this partner has the id; whether another partner's has is not told."""

    code = ErrorCode.LEAD_NOT_FOUND


@dataclass(frozen=True)
class LeadFile:
    """A lead with everything that is known of it: its current application, owners, documents."""

    application: Application
    owners: list[Owner]
    documents: list[Document]
    requirements: list[Requirement]


def get_current_application(*, partner: Partner, customer_id: str) -> Application:
    """Return the current application of the partner's lead, the lead with it.

    Raises: LeadNotFound, also for an id that is no UUID.
    """
    wanted = current_applications(partner).filter(lead__external_id=parse_customer_id(customer_id))
    application = wanted.first()
    if application is None:
        raise LeadNotFound
    return application


def lock_current_application(*, partner: Partner, customer_id: str) -> Application:
    """Return what `get_current_application` does, both rows locked. Raises: LeadNotFound."""
    leads = Lead.objects.filter(partner=partner, external_id=parse_customer_id(customer_id))
    lead = leads.select_for_update(of=("self",)).first()
    if lead is None:
        raise LeadNotFound
    return lock_application_of(lead)


def lock_application_of(lead: Lead) -> Application:
    """Return the current application of a lead whose row is locked, its own row locked, too.

    The lead comes first, always: it guards which of its applications is the current one.
    """
    application = lead.applications.select_for_update(of=("self",)).get(is_current=True)
    application.lead = lead
    return application


def get_lead_file(*, partner: Partner, customer_id: str) -> LeadFile:
    """Return the partner's lead with all that belongs to it. Raises: LeadNotFound."""
    application = get_current_application(partner=partner, customer_id=customer_id)
    return open_lead_file(application)


def open_lead_file(application: Application) -> LeadFile:
    """Return the lead of an application with all that belongs to it, in three statements."""
    lead = application.lead
    owners = list(lead.owners.order_by("pk"))
    documents = list(lead.documents.order_by("pk"))
    rules = list_document_rules(lead.business_type) if lead.business_type else []
    requirements = list_requirements(lead, owners=owners, documents=documents, rules=rules)
    return LeadFile(application, owners, documents, requirements)


def search_applications(
    *,
    partner: Partner,
    status: str = "",
    email: str = "",
    unique_id: str = "",
    updated_since: datetime | None = None,
) -> QuerySet[Application]:
    """Return current applications of the partner's leads, the newest lead first.

    No number is decrypted for it.
    """
    wanted = {"status": status, "lead__email": email.lower(), "lead__unique_id": unique_id}
    found = current_applications(partner).filter(
        **{name: value for name, value in wanted.items() if value}
    )
    if updated_since:
        changed = Q(lead__updated_at__gte=updated_since)
        found = found.filter(changed | Q(status_changed_at__gte=updated_since))
    return found.defer(*_sealed_columns()).order_by("-lead_id")


def _sealed_columns() -> Iterator[str]:
    fields = Lead._meta.get_fields()
    return (f"lead__{field.name}" for field in fields if isinstance(field, SealedField))


def current_applications(partner: Partner) -> QuerySet[Application]:
    """Return the newest attempt of each of the partner's leads."""
    return Application.objects.filter(is_current=True, lead__partner=partner).select_related("lead")


def parse_customer_id(text: str) -> UUID:
    """Return the id as a UUID. Raises: LeadNotFound."""
    if len(text) > LONGEST_UUID:  # Python would take braces and dashes without end
        raise LeadNotFound
    try:
        return UUID(text)
    except ValueError:
        raise LeadNotFound from None

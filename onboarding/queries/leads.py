"""Reads of a partner's leads."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL

from foundation.database.compiled_queries import CompiledQuery
from foundation.privacy.fields import encrypted_names
from onboarding.errors import ErrorCode, Refused
from onboarding.models import Application, Document, DocumentRule, Holder, Lead, Owner, Partner
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.holdings import Holding, list_holdings, walk
from onboarding.queries.requirements import Requirement, list_requirements

LONGEST_UUID = 36


class LeadNotFound(Refused):
    """No lead of this partner has the id; other partners' leads count as not found."""

    code = ErrorCode.LEAD_NOT_FOUND


@dataclass(frozen=True)
class LeadFile:
    """A lead with its current application, owners, documents and missing requirements.

    `rules` are the document rules of the lead's business type.
    """

    application: Application
    owners: list[Owner]
    documents: list[Document]
    requirements: list[Requirement]
    rules: list[DocumentRule]

    @property
    def lead(self) -> Lead:
        """Return the lead of the application."""
        return self.application.lead

    @property
    def people(self) -> list[Lead | Owner]:
        """Return the applicant, then the other owners."""
        return [self.lead, *self.owners]

    @cached_property
    def holdings(self) -> list[Holding]:
        """Return the trusts and companies that hold the business, as trees; read at first use."""
        return list_holdings(self.lead, self.people)

    @property
    def holders(self) -> list[Holder]:
        """Return the trusts and companies of the holdings."""
        return [holding.holder for holding in walk(self.holdings)]

    def find_party(self, external_id: UUID | None) -> Lead | Owner | Holder | None:
        """Return the person, trust or company with an external id; None if it was removed."""
        person = next((one for one in self.people if one.external_id == external_id), None)
        return person or next((one for one in self.holders if one.external_id == external_id), None)

    @property
    def control_person(self) -> Lead | Owner:
        """Return the control person: a marked lead, else a marked owner, else the applicant.

        Source: 31 CFR 1010.230(d)(2).
        """
        marked = (owner for owner in self.owners if owner.is_control_person)
        return self.lead if self.lead.is_control_person else next(marked, self.lead)


def get_current_application(*, partner: Partner, customer_id: str) -> Application:
    """Return the current application of the partner's lead, with the lead.

    Raises: LeadNotFound, also for an erased lead and for an id that is no UUID.
    """
    wanted = {"partner": partner.pk, "customer_id": parse_customer_id(customer_id)}
    application = CURRENT.first(**wanted)
    if application is None:
        raise LeadNotFound
    return application


def lock_current_application(*, partner: Partner, customer_id: str) -> Application:
    """Return the current application of the partner's lead, with the lead, both rows locked.

    Call it in a transaction. Raises: LeadNotFound, as `get_current_application`.
    """
    wanted = {"partner": partner.pk, "customer_id": parse_customer_id(customer_id)}
    application = _try_twice(lambda: CURRENT_LOCKED.first(**wanted))
    if application is None:
        raise LeadNotFound
    return application


def lock_application(*conditions: Q, **wanted: Any) -> Application | None:
    """Return a current application with its lead, both rows locked; None if none matches.

    Call it in a transaction, which must lock the lead's row before others: the row guards which
    application is current, and the end of the lead's chain of events.
    """
    found = Application.objects.filter(*conditions, is_current=True, **wanted)
    return _try_twice(lambda: _locked(found).first())


def claim_application(**wanted: Any) -> Application | None:
    """Return a current application with its lead, both rows locked, without waiting for locks.

    Call it in a transaction. None if none matches, or if another transaction has locked a row.
    """
    found = Application.objects.filter(is_current=True, **wanted).select_related("lead")
    return found.select_for_update(of=("lead", "self"), skip_locked=True).first()


def lock_holders(*, partner: Partner, email: str, unique_id: str) -> list[Application]:
    """Return the current applications of a partner's leads with the email or the uniqueId.

    Their rows and those of the leads are locked: call it in a transaction. An empty uniqueId finds
    nothing.
    """
    return HOLDERS.all(partner=partner.pk, email=email, unique_id=unique_id)


def _locked(found: QuerySet[Application]) -> QuerySet[Application]:
    return found.select_related("lead").select_for_update(of=("lead", "self"))


def _try_twice(find: Callable[[], Application | None]) -> Application | None:
    """Return what `find` returns, called again after None.

    A new attempt may have been opened while the first query waited for locks.
    """
    return find() or find()


def get_lead_file(*, partner: Partner, customer_id: str) -> LeadFile:
    """Return the partner's lead with its related rows. Raises: LeadNotFound."""
    application = get_current_application(partner=partner, customer_id=customer_id)
    return open_lead_file(application)


def open_lead_file(application: Application) -> LeadFile:
    """Return the lead of an application with its related rows, in three statements."""
    lead = application.lead
    owners, documents = list_owners(lead), DOCUMENTS.all(lead=lead.pk)
    for document in documents:
        document.lead = lead
    rules = RULES.all(business_type=lead.business_type) if lead.business_type else []
    requirements = list_requirements(application, owners=owners, documents=documents, rules=rules)
    return LeadFile(application, owners, documents, requirements, rules)


def list_owners(lead: Lead) -> list[Owner]:
    """Return the owners of a lead in the order of their creation, with their invitations."""
    owners = OWNERS.all(lead=lead.pk)
    for owner in owners:
        owner.lead = lead
    return owners


def search_applications(
    *,
    partner: Partner,
    status: str = "",
    email: str = "",
    unique_id: str = "",
    updated_since: datetime | None = None,
    before: int | None = None,
) -> QuerySet[Application]:
    """Return the current application of each of the partner's leads, newest lead first.

    Filters must match exactly; an empty one is not applied. `updated_since` finds leads that
    changed, or whose status changed, at or after it. `before` is the primary key of the last lead
    on the previous page. Does not decrypt personal numbers.
    """
    wanted = {"status": status, "lead__email": email.lower(), "lead__unique_id": unique_id}
    found = current_applications(partner).filter(
        **{name: value for name, value in wanted.items() if value}
    )
    if updated_since:
        changed = Q(lead__updated_at__gte=updated_since)
        found = found.filter(changed | Q(status_changed_at__gte=updated_since))
    if before is not None:
        # Of `lead_id__lt` PostgreSQL would compare the application alone, and read all later leads.
        found = found.filter(RawSQL("onboarding_lead.id < %s", [before], BooleanField()))
    encrypted = [f"lead__{name}" for name in encrypted_names(Lead)]
    return found.defer(*encrypted).order_by("-lead_id")


def current_applications(partner: Any) -> QuerySet[Application]:
    """Return the newest attempt of each of the partner's leads that are not erased."""
    current = Application.objects.filter(is_current=True, lead__erased_at=None)
    return current.filter(lead__partner=partner).select_related("lead")


def parse_customer_id(text: str) -> UUID:
    """Return the id as a UUID. Raises: LeadNotFound."""
    if len(text) > LONGEST_UUID:  # Python accepts any number of braces and dashes
        raise LeadNotFound
    try:
        return UUID(text)
    except ValueError:
        raise LeadNotFound from None


CURRENT = CompiledQuery(
    lambda partner, customer_id: current_applications(partner).filter(lead__external_id=customer_id)
)
CURRENT_LOCKED = CompiledQuery(
    lambda partner, customer_id: _locked(
        current_applications(partner).filter(lead__external_id=customer_id)
    )
)
HOLDERS = CompiledQuery(
    lambda partner, email, unique_id: _locked(
        Application.objects.filter(
            Q(lead__email=email) | Q(lead__unique_id=unique_id) & ~Q(lead__unique_id=""),
            lead__partner=partner,
            is_current=True,
        ).order_by("lead_id")
    )
)
OWNERS = CompiledQuery(
    lambda lead: Owner.objects.filter(lead=lead).select_related("invitation").order_by("pk")
)
DOCUMENTS = CompiledQuery(lambda lead: Document.objects.filter(lead=lead).order_by("pk"))
RULES = CompiledQuery(list_document_rules)

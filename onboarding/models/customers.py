"""Customers: businesses whose applications were approved, and the cases about them."""

from django.db import models
from django.db.models import F, Q

from banking.models import Business, User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from onboarding.choices import (
    CaseOutcome,
    ChangeDenialReason,
    ChangeStatus,
    CustomerCaseKind,
    CustomerCaseStatus,
    CustomerStatus,
    Risk,
    Role,
)
from onboarding.models.applications import Application
from onboarding.models.leads import Lead

REVIEWS = [CustomerCaseKind.PERIODIC.value, CustomerCaseKind.TRIGGERED.value]
OPEN = ~Q(status=CustomerCaseStatus.CLOSED.value)
ALWAYS_BY_TWO = [CaseOutcome.EXIT.value, CaseOutcome.RESTRICTION_LIFTED.value]

STATUSES = {
    CaseOutcome.CHANGE_APPROVED: ChangeStatus.APPROVED,
    CaseOutcome.CHANGE_DENIED: ChangeStatus.DENIED,
    CaseOutcome.CUSTOMER_CLOSED: ChangeStatus.CLOSED,
    CaseOutcome.WITHDRAWN: ChangeStatus.WITHDRAWN,
}


class Customer(ExternalIdModel):
    """An approved business. The row is created when the account of the business is opened.

    `risk` is the rating at the approval, then that of the newest review. `review_due_on` is the day
    of the next periodic review; null once the customer is closed.
    """

    lead = models.ForeignKey(Lead, models.PROTECT, related_name="customers")
    application = models.OneToOneField(Application, models.PROTECT, related_name="customer")
    business = models.OneToOneField(Business, models.PROTECT, related_name="customer")
    status = models.CharField(max_length=10, choices=CustomerStatus, default=CustomerStatus.ACTIVE)
    risk = models.CharField(max_length=6, choices=Risk)
    review_due_on = models.DateField("next review", null=True, blank=True)
    since = models.DateTimeField("customer since")
    restricted_at = models.DateTimeField("restricted", null=True, blank=True)
    closed_at = models.DateTimeField("closed", null=True, blank=True)

    class Meta:
        constraints = [
            check("customer_status_known", Q(status__in=CustomerStatus.values)),
            check("customer_risk_known", Q(risk__in=Risk.values)),
            check(
                "customer_closed_at_iff_closed",
                Q(status=CustomerStatus.CLOSED.value) ^ Q(closed_at=None),
            ),
        ]
        indexes = [
            models.Index(name="customer_newest", fields=["-since", "-id"]),
            models.Index(
                name="customer_review_due",
                fields=["review_due_on"],
                condition=~Q(review_due_on=None),
            ),
        ]

    @property
    def is_closed(self) -> bool:
        """Return whether all accounts of the customer are closed."""
        return self.status == CustomerStatus.CLOSED


class CustomerCase(ExternalIdModel):
    """A review of a customer, or a requested change of its data.

    A customer has one open review at a time; `causes` are objects with `cause`, `text` and `at`.
    A claim by a reviewer holds until `claimed_until`, as that of an application; `assignee` has the
    case until it is closed or handed over. `decided_by` decides a case; if the outcome needs two
    people, the case has the status PROPOSED until `confirmed_by` confirms it. `evidence_digest` is
    a hash of the data that `decided_by` saw. `content` is the requested change as JSON, encrypted
    because a value may be a personal number; `changed` has the names of its values as a request has
    them, `document_ids` the ids of the documents sent with it. `language` is the language in which
    an owner asked for the change.
    """

    customer = models.ForeignKey(Customer, models.PROTECT, related_name="cases")
    kind = models.CharField(max_length=9, choices=CustomerCaseKind)
    status = models.CharField(
        max_length=8, choices=CustomerCaseStatus, default=CustomerCaseStatus.OPEN
    )
    causes = models.JSONField(default=list)
    content = EncryptedField(blank=True, default="")
    changed = models.JSONField(default=list, blank=True)
    document_ids = models.JSONField(default=list, blank=True)
    opened_as = models.CharField("opened by", max_length=10, choices=Role)
    opened_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    language = models.CharField(max_length=10, blank=True, default="", db_default="")
    opened_at = models.DateTimeField("opened")
    due_at = models.DateTimeField("due")
    claimed_by = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, related_name="customer_claims"
    )
    claimed_until = models.DateTimeField(null=True, blank=True)
    assignee = models.ForeignKey(
        User,
        models.PROTECT,
        null=True,
        blank=True,
        verbose_name="assigned to",
        related_name="assigned_customer_cases",
        db_index=False,  # the index of open cases serves the queues
    )
    outcome = models.CharField(max_length=18, choices=CaseOutcome, blank=True)
    new_risk = models.CharField(max_length=6, choices=Risk, blank=True)
    denial_reason = models.CharField(max_length=14, choices=ChangeDenialReason, blank=True)
    is_for_partner = models.BooleanField(default=False)
    reason = models.TextField(blank=True, help_text="Of the decision. For staff and auditors only.")
    evidence_digest = models.CharField(max_length=64, blank=True, editable=False)
    decided_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    confirmed_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    closed_at = models.DateTimeField("closed", null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique(
                "customercase_one_open_review", "customer", condition=OPEN & Q(kind__in=REVIEWS)
            ),
            check("customercase_kind_known", Q(kind__in=CustomerCaseKind.values)),
            check("customercase_status_known", Q(status__in=CustomerCaseStatus.values)),
            check("customercase_outcome_known", Q(outcome__in=["", *CaseOutcome.values])),
            check("customercase_outcome_unless_open", Q(status="OPEN") ^ ~Q(outcome="")),
            check("customercase_closed_at_iff_closed", Q(status="CLOSED") ^ Q(closed_at=None)),
            check(
                "customercase_claimed_by_iff_until",
                Q(claimed_by=None, claimed_until=None)
                | Q(claimed_by__isnull=False, claimed_until__isnull=False),
            ),
            check(
                "customercase_confirmed_by_another",
                Q(confirmed_by=None) | ~Q(confirmed_by=F("decided_by")),
            ),
            check(
                "customercase_grave_outcome_by_two",
                ~Q(status="CLOSED", outcome__in=ALWAYS_BY_TWO) | Q(confirmed_by__isnull=False),
            ),
        ]
        indexes = [
            models.Index(name="customercase_queue", fields=["-status", "due_at", "id"]),
            models.Index(name="customercase_due", fields=["due_at"], condition=OPEN),
            models.Index(
                name="customercase_closed", fields=["closed_at"], condition=~Q(closed_at=None)
            ),
            models.Index(
                name="customercase_claimed", fields=["claimed_by"], condition=~Q(claimed_by=None)
            ),
        ]

    @property
    def is_review(self) -> bool:
        """Return whether the case is a review and not a requested change."""
        return self.kind in REVIEWS

    @property
    def change_status(self) -> ChangeStatus:
        """Return the status of a requested change for partners; RECEIVED until the case closes."""
        if self.closed_at is None:
            return ChangeStatus.RECEIVED
        return STATUSES[CaseOutcome(self.outcome)]

    @property
    def published_denial_reason(self) -> str | None:
        """Return the reason of a denied change; None if it was not denied."""
        is_denied = self.change_status is ChangeStatus.DENIED
        return self.denial_reason if is_denied else None

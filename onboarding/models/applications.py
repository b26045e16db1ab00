"""Applications: the attempts of a lead to open an account."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.db import models
from django.db.models import CharField, Q
from django.db.models.functions import Cast, Right

from banking.models import Account, Referral, User
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import DECIDED, CheckResult, Risk, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models.leads import Lead
from onboarding.models.people import NONE

LATEST_MIDNIGHT = timedelta(hours=12)  # after that of UTC, the day has ended in all of the US
DIGITS = 12  # hexadecimal, of a reference
REFERENCE = Right(Cast("external_id", CharField(max_length=36)), DIGITS)


@dataclass(frozen=True)
class Decision:
    """The outcome of an application, its time and the reasons of a denial.

    `reapply_after` is when the partner may create the lead again; None if only the bank can reopen
    the application, which is so after every denial.
    """

    outcome: Status
    decided_at: datetime
    reason_codes: list[str] = field(default_factory=list)
    reapply_after: datetime | None = None


class Application(ExternalIdModel):
    """One attempt of a lead to open an account; the unit of KYB review.

    The newest attempt of a lead is the current one. The applicant's link is derived from
    `external_id` and `link_version`; only its digest is stored, and that of the single-use token
    with which the partner's page embeds the application. `document_requests` are objects with
    `llc_file_type`, `reason` (shown to the applicant), `requested_at`, for a document of another
    owner `ubo_id`, and for one side of a card `side`.

    A review begins with each move to IN_REVIEW. `due_at` is the deadline of staff's next step:
    in a review the first step (`touched_at`), then the decision; null while the bank has nothing to
    do. A claim by a reviewer holds until `claimed_until`. `assignee` has the case until it ends or
    is handed over, and stays named afterwards. `returned_at` is when the applicant or a colleague
    answered, until the assignee takes the case up again. `risk_reasons` are objects with `factor`,
    `value`, `points` and `reason`; `worst_result` is the worst result of the newest checks.
    """

    lead = models.ForeignKey(Lead, models.PROTECT, related_name="applications")
    attempt = models.PositiveSmallIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    status = models.CharField(max_length=20, choices=Status, default=Status.CREATED)
    status_changed_at = models.DateTimeField()
    link_version = models.PositiveIntegerField(default=1, editable=False)
    link_digest = models.CharField(max_length=64, unique=True, editable=False)
    link_expires_at = models.DateTimeField()
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    token_expires_at = models.DateTimeField()
    token_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    document_requests = models.JSONField(default=list, blank=True, editable=False)
    entered_at = models.DateTimeField("came in last", null=True, blank=True, editable=False)
    visited_steps = models.JSONField(
        default=list,
        db_default=NONE,
        editable=False,
        help_text="Steps whose pages the applicant has seen.",
    )
    submitted_at = models.DateTimeField(null=True, blank=True, editable=False)
    expiration_date = models.DateField(
        null=True, blank=True, editable=False, help_text="When a temporary approval ends."
    )
    account = models.OneToOneField(
        Account, models.PROTECT, null=True, blank=True, editable=False, related_name="application"
    )
    referral = models.ForeignKey(
        Referral,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="applications",
        help_text="Whose invitation link began the application.",
    )
    reminders_sent = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="Since the status changed or the applicant came in."
    )
    remind_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When to look for the next reminder."
    )
    nudges_stopped_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When the applicant stopped reminders."
    )
    time_zone = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Of the applicant's browser.",
    )
    review_began_at = models.DateTimeField(null=True, blank=True, editable=False)
    touched_at = models.DateTimeField("first touched", null=True, blank=True, editable=False)
    due_at = models.DateTimeField("promised until", null=True, blank=True, editable=False)
    decided_at = models.DateTimeField(null=True, blank=True, editable=False)
    claimed_by = models.ForeignKey(
        User, models.PROTECT, null=True, blank=True, editable=False, related_name="claims"
    )
    claimed_until = models.DateTimeField(null=True, blank=True, editable=False)
    assignee = models.ForeignKey(
        User,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        verbose_name="assigned to",
        related_name="assigned_cases",
    )
    returned_at = models.DateTimeField("answered", null=True, blank=True, editable=False)
    risk = models.CharField(max_length=6, choices=Risk, blank=True, editable=False)
    risk_points = models.PositiveSmallIntegerField(default=0, editable=False)
    risk_reasons = models.JSONField(default=list, blank=True, editable=False)
    worst_result = models.CharField(max_length=4, choices=CheckResult, blank=True, editable=False)
    needs_screening = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="A changed list has an entry like a party, or a changed entry of its hits.",
    )
    new_hit_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Since when a customer has a new screening hit that nobody has judged.",
    )
    answered_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Since when an answer of the applicant waits for staff.",
    )
    applicant_text = models.TextField(
        blank=True, editable=False, help_text="What the applicant is told of a denial."
    )
    created_at = models.DateTimeField()

    class Meta:
        permissions = [
            ("review_application", "Can claim cases, ask for what is missing and write notes"),
            ("decide_application", "Can propose decisions, and make those that need no second"),
            ("confirm_application", "Can be the second person of a decision"),
            ("reassign_application", "Can hand cases of others on"),
            ("reveal_number", "Can reveal personal numbers"),
            ("message_applicant", "Can write messages to applicants"),
            ("search_number", "Can search by personal numbers and their last four digits"),
            ("export_audit", "Can export the audit of a lead"),
        ]
        constraints = [
            models.UniqueConstraint(name="application_attempt_unique", fields=["lead", "attempt"]),
            models.UniqueConstraint(
                name="application_one_current", fields=["lead"], condition=Q(is_current=True)
            ),
            check("application_status_known", Q(status__in=Status.values)),
            check("application_attempt_positive", Q(attempt__gte=1)),
            check(
                "application_claimed_by_iff_until",
                Q(claimed_by=None, claimed_until=None)
                | Q(claimed_by__isnull=False, claimed_until__isnull=False),
            ),
            check("application_risk_known", Q(risk__in=["", *Risk.values])),
            check("application_worst_result_known", Q(worst_result__in=["", *CheckResult.values])),
        ]
        indexes = [
            models.Index(name="application_status", fields=["status", "lead"]),
            models.Index(  # the order of the lists of staff, and what they filter by
                name="application_urgency",
                fields=["due_at", "id"],
                include=[
                    *("is_current", "status", "assignee", "claimed_by", "claimed_until"),
                    *("lead", "risk"),
                ],
            ),
            models.Index(
                name="application_claimed", fields=["claimed_by"], condition=~Q(claimed_by=None)
            ),
            models.Index(
                name="application_assignee",
                fields=["assignee", "status"],
                condition=~Q(assignee=None),
            ),
            models.Index(
                name="application_decided", fields=["decided_at"], condition=~Q(decided_at=None)
            ),
            models.Index(
                name="application_to_screen", fields=["id"], condition=Q(needs_screening=True)
            ),
            models.Index(
                name="application_new_hit", fields=["new_hit_at"], condition=~Q(new_hit_at=None)
            ),
            models.Index(
                name="application_remind_at",
                fields=["remind_at", "id"],
                condition=Q(is_current=True, remind_at__isnull=False),
            ),
            models.Index(REFERENCE, name="application_reference"),
            models.Index(
                name="application_answered",
                fields=["answered_at"],
                condition=Q(answered_at__isnull=False),
            ),
            models.Index(name="application_created", fields=["created_at"]),
            models.Index(
                name="application_submitted",
                fields=["submitted_at"],
                condition=~Q(submitted_at=None),
            ),
        ]

    @property
    def reference(self) -> str:
        """Return the number that the applicant names to staff: the last digits of the id."""
        digits = self.external_id.hex[-DIGITS:].upper()
        return "-".join(digits[place : place + 4] for place in range(0, DIGITS, 4))

    @property
    def group(self) -> StatusGroup:
        """Return the group of the status, for example `ACTION_REQUIRED`."""
        return Status(self.status).group

    @property
    def deadline(self) -> datetime | None:
        """Return when the application ends without further activity; None if it has no deadline.

        `onboarding.services.applications.expiry` expires overdue applications by the same columns.
        """
        if self.status == Status.APPROVED_TEMPORARY:
            return self._end_of_last_day
        if self.group is StatusGroup.ACTION_REQUIRED:
            return self.status_changed_at + settings.ACTION_LIFETIME
        if self.group is not StatusGroup.PENDING_APPLICANT:
            return None
        granted_at = self.link_expires_at - settings.LINK_LIFETIME
        active = [self.lead.updated_at, self.status_changed_at, granted_at, self.entered_at]
        return max(filter(None, active)) + settings.APPLICATION_LIFETIME

    @property
    def _end_of_last_day(self) -> datetime | None:
        if self.expiration_date is None:
            return None
        midnight = datetime.combine(self.expiration_date, time.min, tzinfo=UTC)
        return midnight + timedelta(days=1) + LATEST_MIDNIGHT

    @property
    def is_decided(self) -> bool:
        """Return whether the bank has approved or denied the application."""
        return self.status in DECIDED

    @property
    def decision(self) -> "Decision | None":
        """Return the decision; None before the decision.

        A denial takes one database query, for the reasons in its event.
        """
        if not self.is_decided:
            return None
        return Decision(Status(self.status), self.status_changed_at, self._reason_codes)

    @property
    def is_temporary(self) -> bool:
        """Return whether the approval ends unless documents are supplied."""
        return self.status == Status.APPROVED_TEMPORARY

    @property
    def temporary_until(self) -> date | None:
        """Return the last day of a temporary approval; None if there is none."""
        return self.expiration_date if self.is_temporary else None

    @property
    def _reason_codes(self) -> list[str]:
        if self.status != Status.DENIED:
            return []
        denials = self.events.filter(type=EventType.DENIED).order_by("-number")
        details = denials.values_list("details", flat=True).first() or {}
        return list(details.get("reason_codes", []))

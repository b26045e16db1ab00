"""Changes that one administrator proposes and a second one confirms, and their history."""

from datetime import UTC

from django.db import models
from django.db.models import F, Q

from banking.choices import StaffChangeStatus, StaffEventType
from banking.models.users import User
from foundation.database import hash_chains
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel

OPEN = StaffChangeStatus.OPEN.value
CONFIRMED = StaffChangeStatus.CONFIRMED.value


class StaffChange(ExternalIdModel):
    """A proposal of staff, which takes effect once a second administrator has confirmed it.

    It changes a staff account, a group, a rule or other rows, or is a bank operation. `kind` names
    the functions that carry it out with `payload`; `summary` is for readers. `digest` is a hash of
    the payload and of the values that it replaces: a change of either voids the proposal.
    """

    kind = models.CharField(max_length=40)
    subject = models.ForeignKey(
        User,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="person concerned",
    )
    payload = models.JSONField(default=dict)
    summary = models.JSONField(default=list)
    digest = models.CharField(max_length=64)
    status = models.CharField(
        max_length=9, choices=StaffChangeStatus, default=StaffChangeStatus.OPEN
    )
    proposed_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    settled_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        verbose_name = "proposed change"
        constraints = [
            check("staffchange_status_known", Q(status__in=StaffChangeStatus.values)),
            check(
                "staffchange_settled_at_iff_not_open",
                Q(status=OPEN) ^ Q(settled_at__isnull=False),
            ),
            check(
                "staffchange_never_confirmed_by_its_proposer",
                ~Q(status=CONFIRMED, settled_by=F("proposed_by")),
            ),
            check(
                "staffchange_never_confirmed_by_its_subject",
                ~Q(status=CONFIRMED, settled_by=F("subject")),
            ),
        ]


class BankOperation(StaffChange):
    """A step with money, an account or a card, which a second clerk confirms.

    A proxy of StaffChange with permissions of its own. It does not filter: queries must select the
    kinds that are bank operations.
    """

    class Meta:
        proxy = True
        verbose_name = "bank operation"


class StaffHistory(models.Model):
    """The number of staff events and the digest of the last one, in a single row.

    The row is locked while an event is added.
    """

    event_count = models.PositiveIntegerField(default=0)
    last_digest = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "staff histories"

    def __str__(self) -> str:
        return f"{self.event_count} staff events"


class StaffEvent(ExternalIdModel):
    """An event about staff accounts, groups, rules, keys, exports, searches or screening hits.

    Rows are only ever added and form a chain, in which each row has the digest of the one before.
    """

    number = models.PositiveIntegerField(unique=True)
    type = models.CharField(max_length=20, choices=StaffEventType)
    who = models.CharField(max_length=64, blank=True, help_text="The id of the user.")
    details = models.JSONField(default=dict, blank=True)
    request_id = models.CharField(max_length=128, blank=True)
    occurred_at = models.DateTimeField()
    previous_digest = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["-number"]
        constraints = [check("staffevent_type_known", Q(type__in=StaffEventType.values))]

    def compute_digest(self) -> str:
        """Return the digest of this event and of the digest of the event before."""
        return hash_chains.compute_digest(
            [
                str(self.external_id),
                self.number,
                str(self.type),
                self.who,
                self.details,
                self.request_id,
                self.occurred_at.astimezone(UTC).isoformat(timespec="microseconds"),
                self.previous_digest,
            ]
        )

"""Moves of the sandbox's clock: simulated time for one partner, applied in batches of leads."""

from datetime import timedelta

from django.db import models
from django.db.models import Q

from foundation.external_ids import ExternalIdModel
from onboarding.choices import ClockMoveStatus
from onboarding.models.partners import Partner


class ClockMove(ExternalIdModel):
    """One move of a partner's sandbox clock: times in its rows go back, as if `seconds` had passed.

    A partner has at most one unfinished move. The move covers the leads up to the key `last_lead`,
    in the order of their keys; leads up to `moved_through` are done, leads created later are not
    moved. The columns that end in `due` count the work that the move makes due.
    """

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="+")
    seconds = models.PositiveIntegerField()
    last_lead = models.PositiveBigIntegerField(default=0)
    moved_through = models.PositiveBigIntegerField(default=0)
    leads_done = models.PositiveIntegerField(default=0)
    leads_total = models.PositiveIntegerField()
    deliveries_due = models.PositiveIntegerField()
    mails_due = models.PositiveIntegerField()
    documents_due = models.PositiveIntegerField()
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="clockmove_one_unfinished",
                fields=["partner"],
                condition=Q(finished_at=None),
            ),
        ]

    @property
    def by(self) -> timedelta:
        """Return the duration of the move."""
        return timedelta(seconds=self.seconds)

    @property
    def status(self) -> ClockMoveStatus:
        """Return whether the move is finished."""
        return ClockMoveStatus.DONE if self.finished_at else ClockMoveStatus.IN_PROGRESS

"""Leaving: cases that a member of staff has claimed are free when their account is deactivated."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.dispatch import receiver

from banking.models import User
from banking.signals import staff_left
from onboarding.event_types import EventType
from onboarding.models import Application, CustomerCase
from onboarding.services.customers import case_claims
from onboarding.services.events import history
from onboarding.services.reviews import cases


@receiver(staff_left)
@transaction.atomic
def release_claims(
    sender: type[User], *, user: User, by: User, at: datetime, **kwargs: Any
) -> None:
    """End all claims of a member of staff who was deactivated, each with an event.

    The events name the administrator `by`.
    """
    for application in Application.objects.filter(claimed_by=user).order_by("lead_id"):
        locked = cases.lock_any(application)
        mine = Application.objects.filter(pk=locked.pk, claimed_by=user)
        if mine.update(claimed_by=None, claimed_until=None):
            details = {"of": str(user.external_id), "reason": "The account was deactivated."}
            history.record(locked, EventType.RELEASED, by=cases.actor(by), at=at, **details)
    claimed = CustomerCase.objects.filter(claimed_by=user).select_related("customer")
    for case in claimed.order_by("customer__lead_id", "pk"):
        case_claims.release_for(user, case, by=by, at=at)

"""The sandbox's clock: let time pass for one partner, by moving back what waits for a moment."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet

from onboarding.choices import MailStatus
from onboarding.models import (
    AccessCode,
    Application,
    Delivery,
    Document,
    FlowSession,
    Lane,
    Lead,
    Mail,
    Partner,
    Webhook,
)
from onboarding.services import clock, reminders


@dataclass(frozen=True)
class Passed:
    """What time brought: who ended, who was reminded, and how much work became due."""

    by: timedelta
    ended: list[Application]
    reminded: int
    deliveries_due: int
    mails_due: int
    documents_due: int

    @property
    def advanced_seconds(self) -> int:
        """Return how long that was."""
        return int(self.by.total_seconds())


def advance(*, partner: Partner, by: timedelta, at: datetime) -> Passed:
    """Let time pass for what a partner has, and do what the clock then does.

    Events stay as they are, and so do access keys. Another partner's time stands still.
    """
    before, soon = _due(partner, at), _due(partner, at + by)
    _move_back(partner, by)
    ended = [outcome.application_id for outcome in _run(partner, at)]
    reminded = sum(not one.fault for one in _remind(partner, at))
    found = Application.objects.select_related("lead").filter(external_id__in=ended)
    deliveries, mails, files = (later - now for later, now in zip(soon, before, strict=True))
    return Passed(by, list(found.order_by("pk")), reminded, deliveries, mails, files)


def _run(partner: Partner, at: datetime) -> Iterator[clock.Outcome]:
    outcomes = clock.expire_overdue(at=at, lead__partner=partner)
    return (outcome for outcome in outcomes if not outcome.fault)


def _remind(partner: Partner, at: datetime) -> Iterator[clock.Outcome]:
    return reminders.remind_waiting(at=at, lead__partner=partner)


def _due(partner: Partner, at: datetime) -> tuple[int, int, int]:
    """Return how many deliveries, mails and documents to fetch are due."""
    deliveries = Delivery.objects.filter(lane__webhook__partner=partner, next_attempt_at__lte=at)
    mails = _mails(partner).filter(status=MailStatus.QUEUED, due_at__lte=at)
    documents = Document.objects.filter(lead__partner=partner, fetch_due_at__lte=at)
    return deliveries.count(), mails.count(), documents.count()


def _mails(partner: Partner) -> QuerySet[Mail]:
    of_keys, of_webhooks = Q(api_key__partner=partner), Q(webhook__partner=partner)
    return Mail.objects.filter(Q(application__lead__partner=partner) | of_keys | of_webhooks)


@transaction.atomic
def _move_back(partner: Partner, by: timedelta) -> None:
    """Move back every moment that something waits for, and those that it is reckoned from.

    Leads come first, as for everybody who locks them.
    """
    Partner.objects.select_for_update(of=("self",)).get(pk=partner.pk)  # one clock at a time
    applications = Application.objects.filter(lead__partner=partner)
    _shift(Lead.objects.filter(partner=partner), by, "created_at", "updated_at")
    _move_dates(applications, by)
    _shift(
        applications, by, "created_at", "status_changed_at", "entered_at", "submitted_at",
        "link_expires_at", "token_expires_at", "token_used_at",
    )  # fmt: skip
    _shift(Document.objects.filter(lead__partner=partner), by, "uploaded_at", "fetch_due_at")
    codes = AccessCode.objects.filter(application__lead__partner=partner)
    _shift(codes, by, "sent_at", "expires_at")
    sessions = FlowSession.objects.filter(application__lead__partner=partner)
    _shift(sessions, by, "created_at", "expires_at")
    _shift(_mails(partner), by, "due_at", "expires_at")
    _shift(Lane.objects.filter(webhook__partner=partner), by, "due_at")
    deliveries = Delivery.objects.filter(lane__webhook__partner=partner)
    _shift(deliveries.exclude(next_attempt_at=None), by, "next_attempt_at", "failing_since")
    _shift(Webhook.objects.filter(partner=partner), by, "failing_since", "previous_expires_at")


def _shift(rows: QuerySet[Any], by: timedelta, *names: str) -> None:
    rows.update(**{name: F(name) - by for name in names})


def _move_dates(applications: QuerySet[Application], by: timedelta) -> None:
    """Move what is no column of a moment: last days, and when documents were asked for.

    A last day keeps its distance in days from the day of the decision.
    """
    dated = applications.filter(~Q(expiration_date=None) | ~Q(document_requests=[]))
    for application in dated:
        decided_at = application.status_changed_at
        if application.expiration_date:
            application.expiration_date -= decided_at.date() - (decided_at - by).date()
        for request in application.document_requests:
            requested_at = datetime.fromisoformat(request["requested_at"]) - by
            request["requested_at"] = requested_at.isoformat()
        application.save(update_fields=["expiration_date", "document_requests"])

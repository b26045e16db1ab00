"""Sandbox clock: time passes for one partner, as the due times in its rows are moved back.

A move is made in short transactions, so that other partners do not wait for it. The partner's
request makes a part of it within BUDGET; a job makes the rest.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, F, Max, Q, QuerySet

from banking.services import jobs
from foundation.database.inserts import insert_unless_present
from foundation.jobs.registry import JobContext
from onboarding.choices import MailStatus
from onboarding.errors import ErrorCode, Refused
from onboarding.models import (
    AccessCode,
    Application,
    ClockMove,
    Delivery,
    Document,
    FlowSession,
    Lane,
    Lead,
    Mail,
    OwnerInvitation,
    Partner,
    PhoneLink,
    VerificationRequest,
    Webhook,
)
from onboarding.services.applications import expiry, reminders
from onboarding.services.leads import owner_reminders

BATCH_SIZE = 100  # leads
BUDGET = timedelta(seconds=5)
TURN = 0.1  # seconds; the interval at which a waiting SQLite connection tries the lock
KIND = "move_clock"
Clock = Callable[[], datetime]


class ClockMoving(Refused):
    """The partner's clock is being moved, and the move is not finished."""

    code = ErrorCode.CLOCK_MOVING


def begin(*, partner: Partner, by: timedelta, at: datetime) -> ClockMove:
    """Begin to let the time `by` pass for a partner, and return the move; `go_on` makes the rest.

    Moves back the times of rows without a lead, and requests a job that goes on after BUDGET.
    Events, access keys and the rows of other partners are not changed. Units: whole seconds.
    Raises: ClockMoving while an earlier move is not finished.
    """
    unfinished = ClockMove.objects.filter(partner=partner, finished_at=None)
    if found := unfinished.first():
        raise ClockMoving(move=found.external_id)
    move = _plan(partner, by, at)
    with transaction.atomic():
        if not insert_unless_present(move):
            raise ClockMoving(move=unfinished.values_list("external_id", flat=True).first())
        _move_back_partner(move)
        _request_job(move, at=at, after=BUDGET)
    return move


def request_rest(*, partner: Partner, at: datetime) -> None:
    """Request a job for the rest of the partner's unfinished move, if any."""
    if found := ClockMove.objects.filter(partner=partner, finished_at=None).first():
        _request_job(found, at=at)


def go_on(move: ClockMove, *, now: Clock) -> Iterator[ClockMove]:
    """Make the rest of a move in short transactions, and yield the move after each.

    Once all leads are moved, expires overdue applications and queues due reminders. Safe to
    interrupt and to run concurrently: nothing is moved twice. On SQLite it pauses after each TURN,
    since other writers hardly find the lock free between short transactions.
    """
    began = time.monotonic()
    for made in _make_rest(move, now):
        yield made
        if connection.vendor == "sqlite" and time.monotonic() - began >= TURN:
            jobs.pause(TURN)
            began = time.monotonic()


def finish_requested(context: JobContext, *, now: Clock) -> str:
    """Finish the move that a job was requested for. Raises: LeaseLost."""
    move = ClockMove.objects.get(external_id=context.arguments["move"])
    for made in go_on(move, now=now):
        context.progress(made.leads_done, made.leads_total)
    return "the clock was moved"


def _make_rest(move: ClockMove, now: Clock) -> Iterator[ClockMove]:
    if move.finished_at:
        return
    while moved := _move_batch(move):
        move = moved
        yield move
    at = now()
    for act in (expiry.expire_overdue, reminders.remind_due, owner_reminders.remind_due):
        for _ in act(at=at, lead__partner=move.partner_id):
            yield move
    ClockMove.objects.filter(pk=move.pk, finished_at=None).update(finished_at=now())


def _request_job(move: ClockMove, *, at: datetime, after: timedelta = timedelta()) -> None:
    name = str(move.external_id)
    jobs.request(KIND, key=name, arguments={"move": name}, at=at, after=after)


def _plan(partner: Partner, by: timedelta, at: datetime) -> ClockMove:
    """Return an unsaved move with the counts of its leads and of the work that becomes due."""
    leads = Lead.objects.filter(partner=partner).aggregate(last=Max("pk"), total=Count("pk"))
    deliveries = Delivery.objects.filter(lane__webhook__partner=partner)
    mails = _mails(partner).filter(status=MailStatus.QUEUED)
    documents = Document.objects.filter(lead__partner=partner)
    meanwhile = (at, at + by)
    return ClockMove(
        partner=partner,
        seconds=int(by.total_seconds()),
        last_lead=leads["last"] or 0,
        leads_total=leads["total"],
        deliveries_due=_count_between(deliveries, "next_attempt_at", *meanwhile),
        mails_due=_count_between(mails, "due_at", *meanwhile),
        documents_due=_count_between(documents, "fetch_due_at", *meanwhile),
        created_at=at,
    )


def _count_between(rows: QuerySet[Any], name: str, after: datetime, until: datetime) -> int:
    return rows.filter(**{f"{name}__gt": after, f"{name}__lte": until}).count()


def _mails(partner: Partner) -> QuerySet[Mail]:
    of_keys, of_webhooks = Q(api_key__partner=partner), Q(webhook__partner=partner)
    return Mail.objects.filter(Q(application__lead__partner=partner) | of_keys | of_webhooks)


@transaction.atomic
def _move_batch(move: ClockMove) -> ClockMove | None:
    """Move the next leads of a move, and save its progress; None if no lead is left.

    One transaction does both, so that after a crash no lead is moved twice or skipped.
    """
    move = ClockMove.objects.select_for_update(of=("self",)).get(pk=move.pk)
    left = Lead.objects.filter(
        partner=move.partner_id, pk__gt=move.moved_through, pk__lte=move.last_lead
    )
    locked = left.select_for_update(of=("self",)).order_by("pk")
    leads = list(locked.values_list("pk", flat=True)[:BATCH_SIZE])
    if not leads:
        return None
    _move_back_leads(leads, move.by)
    move.moved_through = leads[-1]
    move.leads_done += len(leads)
    move.save(update_fields=["moved_through", "leads_done"])
    return move


def _move_back_leads(leads: list[int], by: timedelta) -> None:
    """Move back all due times of leads, and the times that these are computed from.

    Updates the leads first, in the lock order of the other services.
    """
    applications = Application.objects.filter(lead__in=leads)
    _shift(Lead.objects.filter(pk__in=leads), by, "created_at", "updated_at")
    _move_dates(applications, by)
    _shift(
        applications, by, "created_at", "status_changed_at", "entered_at", "submitted_at",
        "link_expires_at", "token_expires_at", "token_used_at", "remind_at",
    )  # fmt: skip
    documents = Document.objects.filter(lead__in=leads)
    _shift(
        documents, by, "uploaded_at", "fetch_due_at", "scan_due_at", "scanned_at",
        "doubt_confirmed_at",
    )  # fmt: skip
    requests = VerificationRequest.objects.filter(application__lead__in=leads)
    _shift(requests, by, "asked_at", "due_at", "deadline")
    codes = AccessCode.objects.filter(application__lead__in=leads)
    _shift(codes, by, "sent_at", "expires_at")
    sessions = FlowSession.objects.filter(application__lead__in=leads)
    _shift(sessions, by, "created_at", "expires_at")
    phones = PhoneLink.objects.filter(session__in=sessions)
    _shift(phones, by, "created_at", "entered_at", "closed_at", "expires_at")
    invitations = OwnerInvitation.objects.filter(owner__lead__in=leads)
    _shift(
        invitations, by, "invited_at", "reminded_at", "completed_at", "link_expires_at",
        "remind_at", "reminders_stopped_at",
    )  # fmt: skip
    _move_back_mails(Mail.objects.filter(application__lead__in=leads), by)
    _move_back_lanes(Lane.objects.filter(lead__in=leads), by)


def _move_back_partner(move: ClockMove) -> None:
    """Move back the times of webhooks, lanes and mails that belong to no lead."""
    partner, by = move.partner, move.by
    mails = Mail.objects.filter(Q(api_key__partner=partner) | Q(webhook__partner=partner))
    _move_back_mails(mails, by)
    _move_back_lanes(Lane.objects.filter(webhook__partner=partner, lead=None), by)
    _shift(Webhook.objects.filter(partner=partner), by, "failing_since", "previous_expires_at")


def _move_back_mails(mails: QuerySet[Mail], by: timedelta) -> None:
    _shift(mails, by, "due_at", "expires_at")


def _move_back_lanes(lanes: QuerySet[Lane], by: timedelta) -> None:
    _shift(lanes, by, "due_at")
    waiting = Delivery.objects.filter(lane__in=lanes).exclude(next_attempt_at=None)
    _shift(waiting, by, "next_attempt_at", "failing_since")


def _shift(rows: QuerySet[Any], by: timedelta, *names: str) -> None:
    rows.update(**{name: F(name) - by for name in names})


def _move_dates(applications: QuerySet[Application], by: timedelta) -> None:
    """Move back values that are no timestamp columns: expiration dates, times of requests.

    An expiration date keeps its distance in days from the day of the decision.
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

"""Posting: send one event to one webhook, signed, and say what came of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

import standardwebhooks
from django.conf import settings

from foundation.outbound import http_client
from foundation.outbound.http_client import AddressRefused, KeptConnection, RequestFailed, Response
from onboarding.models import Publication, Webhook
from onboarding.validators import visible

ANSWER_BYTES = 2048  # of the body that are kept
GONE = 410
PATIENCE: Final = {429, 503}  # with which a receiver may say when to come again
LONGEST_WAIT = timedelta(hours=24)
SECONDS = re.compile(r"[0-9]+")
LONGEST_NUMBER = 9
REDIRECTED = "redirects are not followed"


@dataclass(frozen=True)
class Outcome:
    """What became of one POST.

    Shape: without a status code no answer came, and `fault` says why; `answer` is the beginning
    of the body as text that can be shown. `retry_after` is how long the receiver asks for peace.
    """

    status_code: int | None = None
    answer: str = ""
    fault: str = ""
    duration_ms: int = 0
    retry_after: timedelta | None = None

    @property
    def is_success(self) -> bool:
        """Say whether the receiver has it now."""
        return self.status_code is not None and 200 <= self.status_code < 300

    @property
    def is_gone(self) -> bool:
        """Say whether the receiver wants nothing any more."""
        return self.status_code == GONE


def sign(message_id: str, timestamp: datetime, body: str, secrets: Iterable[str]) -> str:
    """Return the value of `webhook-signature`: one signature per secret, the newest first.

    Source: Standard Webhooks 1.0.
    """
    moment = timestamp.astimezone(UTC)  # the package takes any zone for UTC
    return " ".join(
        standardwebhooks.Webhook(secret).sign(message_id, moment, body) for secret in secrets
    )


def post(
    webhook: Webhook, publication: Publication, *, at: datetime, kept: KeptConnection | None = None
) -> Outcome:
    """Send a publication to a webhook, and return what came of it; nothing is recorded.

    Over a `kept` it may arrive twice, as a delivery may anyway: its id tells.
    """
    try:
        answer = http_client.send_request(
            "POST",
            webhook.server_url,
            headers=_headers(webhook, publication, at),
            body=publication.body.encode(),
            connect_seconds=settings.WEBHOOK_CONNECT_SECONDS,
            seconds=settings.WEBHOOK_SECONDS,
            max_bytes=ANSWER_BYTES,
            allow_loopback=settings.ALLOW_LOOPBACK,
            reads_all=False,
            kept=kept,
        )
    except AddressRefused as refused:
        return Outcome(fault=str(refused))
    except RequestFailed as failed:
        return Outcome(fault=failed.reason, duration_ms=failed.duration_ms)
    return Outcome(
        status_code=answer.status,
        answer=visible(answer.content.decode("utf-8", "replace")),
        fault=REDIRECTED if 300 <= answer.status < 400 else "",
        duration_ms=answer.duration_ms,
        retry_after=_retry_after(answer, at),
    )


def _headers(webhook: Webhook, publication: Publication, at: datetime) -> dict[str, str]:
    secrets = [webhook.signing_secret]
    if webhook.previous_expires_at and webhook.previous_expires_at > at:
        secrets.append(webhook.previous_secret)
    return {
        "Authorization": f"Bearer {webhook.token}",
        "Content-Type": "application/json",
        "webhook-id": publication.message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": sign(publication.message_id, at, publication.body, secrets),
    }


def _retry_after(answer: Response, at: datetime) -> timedelta | None:
    """Return how long the receiver asks to be left alone, a day at most.

    Source: RFC 9110 section 10.2.3: seconds or a date.
    """
    value = answer.headers.get("Retry-After", "").strip()
    if answer.status not in PATIENCE or not value:
        return None
    if SECONDS.fullmatch(value):
        seconds = int(value) if len(value) <= LONGEST_NUMBER else 10**LONGEST_NUMBER
        return min(timedelta(seconds=seconds), LONGEST_WAIT)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    wait = (until if until.tzinfo else until.replace(tzinfo=UTC)) - at
    return min(max(wait, timedelta(0)), LONGEST_WAIT)

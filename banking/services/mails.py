"""Mails to users: queued in the transaction of their cause, and sent by a worker.

A mail is a job, so a mail outlives the process that queued it, and is tried again. The facts of
the mail, which can be links and codes, are encrypted, and deleted when the job has ended.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.core.mail import EmailMessage
from uuid_utils.compat import uuid7

from banking.models import Job
from foundation.jobs.registry import JobContext

KIND: Final = "send_mail"


def queue(subject: str, text: str, *, to: str, at: datetime) -> None:
    """Add a job that mails a text; a worker sends it once the caller's transaction is committed."""
    queue_kind(KIND, {"subject": subject, "text": text, "to": to}, at=at)


def queue_kind(kind: str, facts: Mapping[str, Any], *, at: datetime) -> None:
    """Queue a job that writes a mail from facts that JSON can hold, and sends it.

    `kind` is the kind of the job. The request is answered before a worker writes the mail, so that
    neither the answer nor its time shows whether a mail is sent.
    """
    Job.objects.create(
        kind=kind,
        key=str(uuid7()),
        private_arguments=json.dumps(dict(facts)),
        due_at=at,
        created_at=at,
    )


def read_facts(context: JobContext) -> dict[str, Any]:
    """Return the facts of a queued mail."""
    facts: dict[str, Any] = json.loads(context.private_arguments)
    return facts


def send(context: JobContext) -> str:
    """Send a queued mail, and return the outcome of the job."""
    facts = read_facts(context)
    EmailMessage(facts["subject"], facts["text"], to=[facts["to"]]).send()
    return "the mail was sent"

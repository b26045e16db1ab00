"""Jobs of the tool server: recurring ones, and mails that are written by a worker."""

from datetime import datetime, timedelta
from io import StringIO

from django.core.management import call_command
from oauth2_provider.models import clear_expired

from banking.days import DAY
from foundation.jobs.registry import JobContext, job
from mcp_server.services import (
    access_log_partitions,
    client_accesses,
    connections,
    file_links,
    password_resets,
    reading_notices,
    registrations,
    sign_in_notices,
)

UNUSED_FOR = timedelta(days=30)


@job("end_accesses", every=timedelta(minutes=5), attempts=1, retention=timedelta(days=1))
def end_accesses(_context: JobContext, *, at: datetime) -> str:
    """End the accesses of accountants to clients, and those of assistants, whose end has passed.

    Such an assistant loses its tokens. When the last access of a firm ends, all assistants of its
    accountants lose theirs.
    """
    accesses = client_accesses.end_accesses_that_are_over(at=at)
    return f"ended {accesses} accesses and {connections.end_over(at=at)} connections"


@job("mail_first_uses", every=timedelta(minutes=5), attempts=1, retention=timedelta(days=1))
def mail_first_uses(_context: JobContext, *, at: datetime) -> str:
    """Mail users whose new assistant has read data for the first time."""
    return f"mailed the first use of {reading_notices.mail_first_uses(at=at)} connections"


@job("mail_unusual_use", every=timedelta(hours=1), attempts=1)
def mail_unusual_use(_context: JobContext, *, at: datetime) -> str:
    """Mail users and owners about assistants that read unusually much."""
    return f"mailed unusual use of {reading_notices.mail_unusual_use(at=at)} connections"


@job("purge_file_links", every=timedelta(minutes=5), attempts=1, retention=timedelta(days=1))
def purge_file_links(_context: JobContext, *, at: datetime) -> str:
    """Delete the links to downloaded files that have expired, and the copies of the files."""
    return f"deleted {file_links.purge(at=at)} links that had expired"


@job("tend_access_log", every=DAY, attempts=1, lease=timedelta(hours=2))
def tend_access_log(_context: JobContext, *, at: datetime) -> str:
    """Add partitions of the access log for the coming months, and archive the old ones.

    Raises: Incomplete if the owner of the tables has to do it.
    """
    return access_log_partitions.tend(at=at)


@job("clear_tokens", every=DAY)
def clear_tokens(_context: JobContext, *, at: datetime) -> str:
    """Delete the codes and tokens of assistants that have expired."""
    clear_expired()
    return f"deleted the codes and tokens that had ended by {at:%Y-%m-%d %H:%M}"


@job("purge_client_registrations", every=DAY)
def purge_client_registrations(_context: JobContext, *, at: datetime) -> str:
    """Delete clients that registered more than UNUSED_FOR ago and were never connected."""
    return f"deleted {registrations.purge_unused(before=at - UNUSED_FOR)} clients never used"


@job("purge_client_documents", every=DAY)
def purge_client_documents(_context: JobContext, *, at: datetime) -> str:
    """Delete clients whose metadata document is outdated, by the toolkit's `clearcimdapplications`.

    Clients with live tokens stay. A deleted client is known again when its document is fetched.
    """
    output = StringIO()
    call_command("clearcimdapplications", stdout=output)
    return " ".join(output.getvalue().split())


@job(password_resets.KIND, attempts=6, lease=timedelta(minutes=1), retention=DAY)
def mail_password_reset(context: JobContext, *, at: datetime) -> str:
    """Mail each user of an email address the link to choose another password."""
    return password_resets.send(context)


@job(sign_in_notices.KIND, attempts=6, lease=timedelta(minutes=1), retention=DAY)
def mail_failed_sign_ins(context: JobContext, *, at: datetime) -> str:
    """Mail a user that sign-ins at their account failed."""
    return sign_in_notices.send(context)

"""Tables of the tool server: connected assistants, their calls and files, and passkeys."""

from datetime import date, datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django_otp.models import Device, TimestampMixin
from oauth2_provider.models import Application

from banking.models import Business
from banking.models.stored_files import StoredFile
from foundation.database.constraints import check, unique
from mcp_server.errors import ErrorCode

ANSWERED = "OK"
PAGES_CLIENT_ID = "signed-in-pages"  # no assistant: the client of what users open themselves
OPEN_CLIENTS = "open_clients"  # in the log: an accountant opened the list of clients
ACCEPT_INVITATION = "accept_invitation"  # in the log: an accountant accepted the terms of service
OPENED_LINK = "link:"  # in the log, before the name of the tool that made the link
ANY_END_OPEN = Q(first_day=None) | Q(last_day=None)
OUTCOMES = [(ANSWERED, "Answered"), *((code.value, code.label) for code in ErrorCode)]


class Connection(models.Model):
    """The permission of one user to one assistant, an OAuth client, to read data for them.

    The tokens have its scopes; the columns have its limits. The row outlives the tokens and the
    client's registration, because the access log refers to it. A user who opens pages has one, too,
    for the log: its client is PAGES_CLIENT_ID.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="connections")
    application = models.ForeignKey(
        Application, models.SET_NULL, null=True, related_name="connections"
    )
    client_name = models.CharField(max_length=255)
    client_host = models.CharField(
        max_length=255, blank=True, help_text="Where the answer to the user's consent went."
    )
    created_at = models.DateTimeField()
    consented_at = models.DateTimeField(
        null=True, blank=True, help_text="Of the consent that began the access, or began it anew."
    )
    businesses = models.JSONField(
        null=True, blank=True, help_text="Keys of the businesses that it may read; null is all."
    )
    accounts = models.JSONField(
        null=True, blank=True, help_text="Keys of the accounts that it may read; null is all."
    )
    first_day = models.DateField(null=True, blank=True, help_text="Of the data that it may read.")
    last_day = models.DateField(null=True, blank=True, help_text="Of the data that it may read.")
    hides_names = models.BooleanField(default=False, db_default=False)
    access_until = models.DateField(
        null=True, blank=True, help_text="The last day of its access, in UTC; null is no end."
    )
    limits_changed_at = models.DateTimeField(null=True, blank=True)
    first_use_mailed_at = models.DateTimeField(null=True, blank=True)
    unusual_use_mailed_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            unique("connection_once_per_client", "user", "application"),
            check("connection_days_in_order", Q(first_day__lte=F("last_day")) | ANY_END_OPEN),
            check("connection_ended_is_not_paused", Q(ended_at=None) | Q(paused_at=None)),
        ]

    def __str__(self) -> str:
        return f"connection {self.pk}"

    def is_over(self, *, on: date) -> bool:
        """Return whether the access has ended, or its last day is before `on`, a day in UTC."""
        over = self.access_until is not None and self.access_until < on
        return self.ended_at is not None or over


class AccessLogEntry(models.Model):
    """A tool call, an opened page or an opened link to a file; never changed.

    The values of a call's arguments are not kept. A call that tells data of several businesses has
    a row for each, so that every owner sees it. On PostgreSQL the table is partitioned by month,
    and old months move to files: `mcp_server.services.access_log_partitions`.
    """

    at = models.DateTimeField()
    connection = models.ForeignKey(Connection, models.PROTECT, related_name="log_entries")
    tool = models.CharField(max_length=64)
    business = models.ForeignKey(Business, models.PROTECT, null=True, related_name="+")
    outcome = models.CharField(max_length=23, choices=OUTCOMES)
    duration_ms = models.PositiveIntegerField()
    request_id = models.CharField(max_length=128)
    limits = models.CharField(  # noqa: DJ001 - null in the rows from before there were limits
        max_length=64,
        null=True,
        help_text="The values of the limits that applied, separated by spaces.",
    )

    class Meta:
        verbose_name_plural = "access log entries"
        indexes = [
            models.Index(fields=["connection", "-at", "-id"], name="log_entry_by_connection"),
            models.Index(
                fields=["business", "-at", "-id"],
                name="log_entry_by_business",
                condition=Q(business__isnull=False),
            ),
        ]
        constraints = [
            check("access_log_outcome_known", Q(outcome__in=[value for value, _ in OUTCOMES])),
        ]

    def __str__(self) -> str:
        return f"access log entry {self.pk}"


class AccessLogArchive(StoredFile):
    """A file with rows of the access log that left the table with the partition of their month."""

    partition = models.CharField(max_length=63, help_text="The table that had the rows.")
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    row_count = models.PositiveIntegerField()
    archived_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["last_id", "first_id"], name="access_log_archive_ids")]

    def __str__(self) -> str:
        return f"access log archive {self.pk}"


class FileLink(StoredFile):
    """A link to a file that an assistant downloaded, for some minutes and without a sign-in.

    The link holds a secret, of which the row has the digest. The file is that of another row, or a
    copy that is deleted with the link. It may be opened while the connection may still read the
    businesses of the file.
    """

    digest = models.CharField(max_length=64, unique=True, editable=False)
    connection = models.ForeignKey(Connection, models.CASCADE, related_name="file_links")
    tool = models.CharField(max_length=64)
    business_ids = models.JSONField(help_text="Keys of the businesses whose data the file has.")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"file link {self.pk}"


class Passkey(TimestampMixin, Device):
    """A WebAuthn credential of a user, given as second factor instead of a code."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    credential_id = models.CharField(max_length=1364, unique=True, help_text="Base64url.")
    credential = models.BinaryField(
        help_text="AAGUID, credential id and COSE public key, as authenticators encode them."
    )
    sign_count = models.PositiveBigIntegerField(
        default=0, help_text="Signatures that the authenticator has counted; 0 if it does not."
    )

    def __str__(self) -> str:
        return f"passkey {self.pk}"

    def record_use(self, sign_count: int, *, at: datetime) -> bool:
        """Store the authenticator's counter of signatures, and the time of use.

        Returns False if the counter did not grow: the key was copied, or the answer is a replay. A
        counter that stays 0 is no fault, because some authenticators do not count.
        Source: Web Authentication Level 2, section 7.2, step 21.
        """
        grown = Q(sign_count__lt=sign_count) if sign_count else Q(sign_count=0)
        unmoved = Passkey.objects.filter(grown, pk=self.pk)
        return bool(unmoved.update(sign_count=sign_count, last_used_at=at))

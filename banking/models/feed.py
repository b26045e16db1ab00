"""The record feed: which records the bank's systems sent, and the outcome of each line."""

from datetime import datetime
from typing import Self
from uuid import UUID

from django.core.files import File
from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from banking.choices import FeedResult, FeedSource
from banking.models.staff_changes import StaffChange
from banking.models.stored_files import file_storage
from banking.models.users import User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from foundation.privacy.verified_files import open_verified

MAX_ID = 100
MAX_KIND = 40
CHANGED_HERE = ""  # the digest of a record that was changed here since its last line


class FeedRecord(models.Model):
    """A record under the id of the system that sent it, with its version and a digest of its data.

    `row_id` is the primary key of the record's row, or `row_uuid` if the key is a UUID.
    A record that was removed keeps its version, so that an older line does not bring it back, and
    in `removed_data` its last data as JSON.
    """

    kind = models.CharField(max_length=MAX_KIND)
    external_id = models.CharField(max_length=MAX_ID)
    row_id = models.BigIntegerField(null=True)
    row_uuid = models.UUIDField(null=True)
    version = models.BigIntegerField()
    digest = models.CharField(max_length=32)
    is_removed = models.BooleanField(default=False)
    removed_data = EncryptedField(blank=True, default="", bound_to=["kind", "external_id"])
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            unique("feedrecord_unique", "kind", "external_id"),
            unique("feedrecord_one_per_row", "kind", "row_id", condition=Q(row_id__isnull=False)),
            check(
                "feedrecord_has_a_row_unless_removed",
                Q(is_removed=True, row_id=None, row_uuid=None)
                | (Q(is_removed=False) & (Q(row_id__isnull=False) | Q(row_uuid__isnull=False))),
            ),
            check("feedrecord_version_not_negative", Q(version__gte=0)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.external_id}"

    @property
    def row_key(self) -> int | UUID | None:
        """Return the primary key of the record's row, or None if the record was removed."""
        return self.row_id or self.row_uuid


class FeedChange(models.Model):
    """An entry in the log of changes: a record was changed by a line of the feed, or here.

    `result` says whether the record was created, updated or removed. Ids grow with time.
    """

    kind = models.CharField(max_length=MAX_KIND)
    external_id = models.CharField(max_length=MAX_ID)
    version = models.BigIntegerField()
    result = models.CharField(max_length=10, choices=FeedResult)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            check(
                "feedchange_result_is_a_change",
                Q(result__in=[FeedResult.CREATED, FeedResult.UPDATED, FeedResult.REMOVED]),
            ),
        ]

    def __str__(self) -> str:
        return f"change {self.pk}"


class FeedBatch(ExternalIdModel):
    """A run of lines that came in together: one call, one file, or one line.

    `file_digest` and `offset_bytes` say how far a file has been read, so that an interrupted run
    can be continued from there.
    """

    source = models.CharField(max_length=8, choices=FeedSource)
    sender = models.CharField(max_length=100, blank=True, help_text="Access key, or file name.")
    sent_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=MAX_KIND, blank=True, help_text="Empty for mixed kinds.")
    is_atomic = models.BooleanField(default=False)
    counts = models.JSONField(default=dict, help_text="Number of lines by result.")
    line_count = models.BigIntegerField(default=0)
    file_digest = models.CharField(max_length=64, blank=True)
    offset_bytes = models.BigIntegerField(default=0)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "feed batches"
        ordering = ["-pk"]
        constraints = [check("feedbatch_source_known", Q(source__in=FeedSource.values))]
        indexes = [
            models.Index(
                name="feedbatch_of_file",
                fields=["file_digest", "-id"],
                condition=~Q(file_digest=""),
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.external_id}"


class FeedChunk(models.Model):
    """The results of some consecutive lines of a batch, as compressed NDJSON."""

    batch = models.ForeignKey(FeedBatch, models.CASCADE, related_name="chunks")
    first_line = models.BigIntegerField()
    results = models.BinaryField()
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [unique("feedchunk_unique", "batch", "first_line")]

    def __str__(self) -> str:
        return f"results of batch {self.batch_id} from line {self.first_line}"


class FeedInboxLineQuerySet(models.QuerySet["FeedInboxLine"]):
    """Lines that wait for missing records, or that were refused after waiting."""

    def waiting(self, *, at: datetime) -> Self:
        """Return the lines that were not refused and whose time to wait is not over."""
        return self.filter(fault="", expires_at__gt=at)


class FeedInboxLine(models.Model):
    """A line that waits for a record that it refers to, or that was refused after waiting."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    batch = models.ForeignKey(FeedBatch, models.PROTECT, related_name="inbox_lines")
    line_number = models.BigIntegerField()
    kind = models.CharField(max_length=MAX_KIND)
    external_id = models.CharField(max_length=MAX_ID)
    version = models.BigIntegerField()
    text = EncryptedField(bound_to=["id"])
    missing_kind = models.CharField(max_length=MAX_KIND)
    missing_id = models.CharField(max_length=MAX_ID)
    received_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    fault = models.CharField(max_length=500, blank=True)

    objects = FeedInboxLineQuerySet.as_manager()

    class Meta:
        constraints = [unique("feedinboxline_unique", "kind", "external_id", "version")]
        indexes = [
            models.Index(name="feedinboxline_missing", fields=["missing_kind", "missing_id"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.external_id}, waiting for {self.missing_kind}"


class FeedUpload(ExternalIdModel):
    """A file that a member of staff uploaded, with a preview of the results of its lines.

    `results` is NDJSON as in FeedChunk, without the UUIDs of records. The file is kept until
    `kept_until`. Once a second administrator has confirmed `change`, `batch` has stored the lines.
    """

    file = models.FileField(storage=file_storage, max_length=255, blank=True)
    file_name = models.CharField(max_length=100)
    file_digest = models.CharField("SHA-256", max_length=64)
    kind = models.CharField(max_length=MAX_KIND, blank=True, help_text="Empty for mixed kinds.")
    counts = models.JSONField(default=dict, help_text="Number of lines by result.")
    results = models.BinaryField()
    uploaded_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    uploaded_at = models.DateTimeField()
    kept_until = models.DateTimeField()
    change = models.ForeignKey(
        StaffChange, models.PROTECT, null=True, blank=True, related_name="feed_uploads"
    )
    batch = models.OneToOneField(
        FeedBatch, models.PROTECT, null=True, blank=True, related_name="upload"
    )

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"upload {self.external_id}"

    def is_open(self, *, at: datetime) -> bool:
        """Return whether the file is kept and its records have not been stored yet."""
        return bool(self.file) and self.batch_id is None and at < self.kept_until

    def open_file(self) -> "File[bytes]":
        """Return the file, opened, if its content has the SHA-256 in `file_digest`.

        Raises: FileNotFoundError, UnreadableFile.
        """
        return open_verified(self.file, self.file_digest, of=f"upload {self.external_id}")

"""Jobs: work that a worker does, once or again and again, as rows that staff can see."""

from datetime import datetime
from typing import Self

from django.core.files import File
from django.db import models
from django.db.models import Q

from banking.choices import JobStatus
from banking.models.businesses import Business
from banking.models.stored_files import file_storage
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from foundation.privacy.verified_files import open_verified
from foundation.tracing.causes import CausedModel

OPEN = [JobStatus.QUEUED.value, JobStatus.RUNNING.value]


class JobQuerySet(models.QuerySet["Job"]):
    """Jobs."""

    def open(self) -> Self:
        return self.filter(status__in=OPEN)

    def due(self, *, at: datetime) -> Self:
        return self.open().filter(due_at__lte=at)


class Job(ExternalIdModel, CausedModel):
    """A background job. `kind` names its function, `key` the object that it is for.

    At most one job of a kind and key is open. A worker may claim the job from `due_at` on; the
    `due_at` of a claimed job is the end of its lease, after which another worker claims it.
    `attempts` shows a worker whether it still has the job. `done` of `total` steps are made.
    """

    kind = models.CharField(max_length=40)
    key = models.CharField(max_length=64, blank=True)
    business = models.ForeignKey(
        Business, models.PROTECT, null=True, blank=True, related_name="jobs"
    )
    arguments = models.JSONField(default=dict, blank=True)
    private_arguments = EncryptedField(
        null=True, blank=True, editable=False, help_text="Deleted when it ends."
    )
    status = models.CharField(max_length=10, choices=JobStatus, default=JobStatus.QUEUED)
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    outcome = models.CharField(max_length=255, blank=True, help_text="What it did, or its fault.")
    file = models.FileField(storage=file_storage, max_length=255, blank=True)
    file_name = models.CharField(max_length=255, blank=True)
    content_type = models.CharField(max_length=127, blank=True)
    sha256 = models.CharField("SHA-256", max_length=64, default="", db_default="", blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    collected_at = models.DateTimeField(
        null=True, blank=True, help_text="When its file was handed to who asked for it."
    )

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique("job_one_open", "kind", "key", condition=Q(status__in=OPEN)),
            check("job_status_known", Q(status__in=JobStatus.values)),
            check("job_finished_iff_not_open", Q(status__in=OPEN) ^ Q(finished_at__isnull=False)),
        ]
        indexes = [
            models.Index(name="job_due", fields=["due_at"], condition=Q(status__in=OPEN)),
        ]

    def __str__(self) -> str:
        return f"job {self.external_id}"

    def open_file(self) -> "File[bytes]":
        """Return the file, opened, if its content has the SHA-256 that the job wrote.

        Raises: FileNotFoundError, also for files that were written before jobs had a SHA-256;
        UnreadableFile.
        """
        if not self.sha256:
            raise FileNotFoundError(f"The file of {self} has no SHA-256")
        return open_verified(self.file, self.sha256, of=str(self))

"""Documents: files of a lead, and the rules for the documents that a business must supply."""

from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import models
from django.db.models import Q

from banking.choices import BusinessType
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from foundation.inspection.file_names import safe_name
from foundation.privacy.verified_files import open_verified
from onboarding.choices import (
    DocumentDoubt,
    DocumentSide,
    DocumentStatus,
    LlcFileType,
    Supplier,
)
from onboarding.models.leads import Lead
from onboarding.models.owners import Owner

WITHOUT_FILE = [DocumentStatus.PENDING.value, DocumentStatus.NOT_FETCHED.value]
NO_FILE, HAS_FILE = Q(file="", sha256=""), ~Q(file="") & ~Q(sha256="")
IS_UNSCANNED = Q(scan_due_at__isnull=False)
AWAITS_RECEIPT = IS_UNSCANNED & Q(status=DocumentStatus.PENDING.value)
IN_USE = ~Q(sha256="") & ~Q(status=DocumentStatus.REPLACED.value)


def document_storage() -> Storage:
    """Return the storage of document files: a local directory or an S3-compatible store."""
    return storages["documents"]


class Document(ExternalIdModel):
    """A file that proves a fact about a lead.

    `NOT_FETCHED` rows, and `PENDING` rows before the fetch, have no file, but a `source_url`.
    `fetch_due_at` is when a worker may fetch the file; during a fetch, when its lease ends.
    `scan_due_at` is the same for the first malware scan; a new file is `PENDING` until then. Later
    scans set `scanned_at` and `scanned_with` again, and `malware` if they find any.
    """

    lead = models.ForeignKey(Lead, models.PROTECT, related_name="documents")
    owner = models.ForeignKey(
        Owner,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="documents",
        help_text="Whose identity it proves; nobody's, the applicant's.",
    )
    llc_file_type = models.CharField("kind", max_length=40, choices=LlcFileType, blank=True)
    side = models.CharField(
        max_length=5,
        choices=DocumentSide,
        blank=True,
        db_default="",
        default="",
        help_text="Of an identity card; empty if the file shows the whole document.",
    )
    file_name = models.CharField(max_length=255, blank=True)
    content_type = models.CharField(max_length=127, blank=True, help_text="As declared.")
    detected_type = models.CharField(max_length=127, blank=True, help_text="As sniffed.")
    size_bytes = models.PositiveIntegerField(default=0)
    sha256 = models.CharField("SHA-256", max_length=64, blank=True)
    file = models.FileField(storage=document_storage, max_length=255, blank=True)
    source_url = models.URLField(max_length=2048, blank=True)
    status = models.CharField(
        max_length=12, choices=DocumentStatus, default=DocumentStatus.RECEIVED
    )
    status_reason = models.CharField(max_length=255, blank=True)
    rotation = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Degrees clockwise by which staff turned it upright."
    )
    doubt = models.CharField(
        max_length=8,
        choices=DocumentDoubt,
        blank=True,
        default="",
        db_default="",
        help_text="Why it may not be legible, of an identity document.",
    )
    doubt_confirmed_at = models.DateTimeField(
        null=True, blank=True, help_text="When its sender said that it can be read."
    )
    supplied_by = models.CharField(max_length=10, choices=Supplier, default=Supplier.PARTNER)
    is_by_phone = models.BooleanField(
        "by a phone",
        default=False,
        db_default=False,
        help_text="Sent by a phone with a link, which shows it to nobody but staff.",
    )
    uploaded_at = models.DateTimeField()
    fetch_due_at = models.DateTimeField(null=True, blank=True, editable=False)
    fetch_attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    scan_due_at = models.DateTimeField(null=True, blank=True, editable=False)
    scan_attempts = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    scanned_at = models.DateTimeField("scanned", null=True, blank=True, editable=False)
    scanned_with = models.CharField(max_length=100, default="", db_default="", editable=False)
    malware = models.CharField(max_length=255, default="", db_default="", editable=False)

    class Meta:
        permissions = [("open_document", "Can open documents, with a reason outside of cases")]
        constraints = [
            models.UniqueConstraint(
                name="document_stored_once",
                fields=["lead", "sha256", "llc_file_type", "file_name"],
                condition=IN_USE & Q(owner=None),
            ),
            models.UniqueConstraint(
                name="document_of_owner_stored_once",
                fields=["owner", "sha256", "llc_file_type", "file_name"],
                condition=IN_USE & Q(owner__isnull=False),
            ),
            models.UniqueConstraint(
                name="document_url_once", fields=["lead", "source_url"], condition=~Q(source_url="")
            ),
            check(
                "document_has_file_unless_pending",
                (NO_FILE & Q(status__in=WITHOUT_FILE, scan_due_at=None))
                | (HAS_FILE & (~Q(status__in=WITHOUT_FILE) | AWAITS_RECEIPT)),
            ),
            check("document_status_known", Q(status__in=DocumentStatus.values)),
            check("document_kind_known", Q(llc_file_type__in=["", *LlcFileType.values])),
            check("document_supplier_known", Q(supplied_by__in=Supplier.values)),
            check("document_doubt_known", Q(doubt__in=["", *DocumentDoubt.values])),
            check("document_doubt_before_confirmation", ~Q(doubt="") | Q(doubt_confirmed_at=None)),
            check("document_rotation_quarters", Q(rotation__in=[0, 90, 180, 270])),
            check("document_side_known", Q(side__in=["", *DocumentSide.values])),
        ]
        indexes = [
            models.Index(
                name="document_fetch_due",
                fields=["fetch_due_at"],
                condition=Q(fetch_due_at__isnull=False),
            ),
            models.Index(name="document_scan_due", fields=["scan_due_at"], condition=IS_UNSCANNED),
            models.Index(name="document_scanned_with", fields=["scanned_with", "scanned_at"]),
            models.Index(name="document_sha256", fields=["sha256"], condition=~Q(sha256="")),
        ]

    @property
    def is_unscanned(self) -> bool:
        """Return whether the file waits for its first scan; nobody may open it before."""
        return self.scan_due_at is not None

    @property
    def awaits_receipt(self) -> bool:
        """Return whether the file was sent, and is received if its first scan finds nothing."""
        return self.is_unscanned and self.status == DocumentStatus.PENDING

    @property
    def is_doubted(self) -> bool:
        """Return whether the file may be illegible, and its sender has not said it is legible."""
        return bool(self.doubt) and self.doubt_confirmed_at is None

    @property
    def is_openable(self) -> bool:
        """Return whether staff may open the file: it is there, scanned, and no malware is known."""
        return bool(self.file) and not self.is_unscanned and not self.malware

    @property
    def safe_name(self) -> str:
        """Return the name to save the file under, whose extension is of the detected type."""
        return safe_name(self.file_name or str(self.external_id), self.detected_type)

    def open_file(self) -> "File[bytes]":
        """Return the file, opened, if its content has the SHA-256 that was received.

        Every reader calls this. Raises: FileNotFoundError, UnreadableFile.
        """
        return open_verified(self.file, self.sha256, of=f"document {self.external_id}")

    @property
    def rejected_reason(self) -> str | None:
        """Return the reason of a rejection; None if the document is not rejected."""
        return self.status_reason if self.status == DocumentStatus.REJECTED else None


class DocumentRule(models.Model):
    """One slot of the checklist: a business of this type supplies one of the accepted kinds."""

    business_type = models.CharField(max_length=20, choices=BusinessType)
    code = models.CharField(max_length=40, help_text="Names the slot, for example EIN_PROOF.")
    accepted_types = models.JSONField(help_text="The kinds of document that fill the slot.")
    message = models.CharField(max_length=255, help_text="What the applicant is asked for.")
    message_es = models.CharField(
        "message in Spanish", max_length=255, blank=True, help_text="English is shown without it."
    )

    class Meta:
        ordering = ["business_type", "pk"]
        constraints = [
            models.UniqueConstraint(
                name="documentrule_slot_unique", fields=["business_type", "code"]
            ),
            check("documentrule_business_type_known", Q(business_type__in=BusinessType.values)),
            check("documentrule_accepts_something", ~Q(accepted_types=[])),
        ]

    def __str__(self) -> str:
        return f"{self.business_type} {self.code}"

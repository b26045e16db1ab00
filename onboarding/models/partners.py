"""Partners and their access keys."""

import logging
from datetime import datetime
from hashlib import sha256
from pathlib import PurePosixPath
from uuid import UUID

from django.conf import settings
from django.core.files.storage import Storage, storages
from django.db import models
from uuid_utils.compat import uuid7

from foundation.privacy.encrypted_files import UnreadableFile
from onboarding.choices import Font, Permission
from onboarding.models.access_keys import AccessKey
from onboarding.themes import Theme

logger = logging.getLogger(__name__)
SHORTEST_DIGEST = 16  # hexadecimal digits in the names of logos, which had no more at first
BANK_ID = UUID("01a21b6e-0000-7000-8000-000000000001")  # of the row that stands for the bank itself


def partner_storage() -> Storage:
    """Return the storage of logos, which is that of the documents."""
    return storages["documents"]


class Partner(models.Model):
    """A company that registers applicants over the Lead API, or the bank itself.

    The bank's row has the applicants that no company registered. It has no access keys, so it has
    no webhooks either.
    """

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    name = models.CharField(max_length=100, unique=True)
    display_name = models.CharField(
        max_length=100, blank=True, help_text="What applicants read; the name, if there is none."
    )
    brand_color = models.CharField(
        "brand colour", max_length=7, blank=True, help_text="Of buttons and links: #0f5b6e."
    )
    font = models.CharField(max_length=10, choices=Font, blank=True, db_default="")
    corner_radius = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="Of fields and buttons, in pixels."
    )
    hides_header = models.BooleanField(
        "hides the header", default=False, db_default=False, help_text="In the partner's pages."
    )
    logo = models.FileField(storage=partner_storage, max_length=255, blank=True)
    support_email = models.EmailField(blank=True, help_text="Whom applicants may ask.")
    return_url = models.URLField(
        "return URL", blank=True, help_text="Where applicants go when they are done."
    )
    embed_origins = models.JSONField(
        default=list, blank=True, help_text="Origins whose pages may show the flow."
    )
    mails_links = models.BooleanField(
        "mails the links",
        default=False,
        help_text="Applicants are mailed their link when they are registered.",
    )
    sends_nudges = models.BooleanField(
        "reminds applicants",
        default=True,
        db_default=True,
        help_text="Applicants who have not submitted are reminded by mail.",
    )
    code_waiver_contract = models.CharField(
        "contract that waives the code",
        max_length=200,
        blank=True,
        db_default="",
        help_text="Set, applicants sign in the partner's pages without a mailed code.",
    )
    reliance_contract = models.CharField(
        "contract of reliance",
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="Set, the partner's own verifications count for checks.",
    )
    calls_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of each key; empty, the setting CALLS_PER_MINUTE."
    )
    creates_per_minute = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Of each access key; empty, the setting CREATES_PER_MINUTE.",
    )
    webhooks_max = models.PositiveIntegerField(
        "most webhooks", null=True, blank=True, help_text="Empty, the setting WEBHOOKS_MAX."
    )
    suspended_at = models.DateTimeField(
        null=True, blank=True, help_text="Set, every call of the partner is refused."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(font__in=["", *Font.values]), name="partner_font_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_name(self) -> str:
        """Return the name that applicants see."""
        return self.display_name or (settings.BANK_NAME if self.is_bank else self.name)

    @property
    def is_bank(self) -> bool:
        """Return whether this is the bank itself."""
        return self.external_id == BANK_ID

    @property
    def theme(self) -> Theme:
        """Return the look of the applicants' pages."""
        return Theme(self.brand_color, self.font, self.corner_radius)

    @property
    def logo_version(self) -> str:
        """Return a version of the logo, for its URL; empty without a logo."""
        return PurePosixPath(self.logo.name or "").stem

    def read_logo(self) -> bytes:
        """Return the logo, if its name begins with the SHA-256 of its content.

        Raises: FileNotFoundError, UnreadableFile.
        """
        with self.logo.open("rb") as opened:
            content: bytes = opened.read()
        named = self.logo_version.partition("_")[0]  # the store may add letters to the name
        if len(named) < SHORTEST_DIGEST or not sha256(content).hexdigest().startswith(named):
            logger.critical("the logo of partner %s is not the received file", self.external_id)
            raise UnreadableFile("its content has another SHA-256 than its name")
        return content

    def suspend(self, *, at: datetime) -> bool:
        """Refuse every call of the partner from now on; return whether this is a change."""
        return bool(Partner.objects.filter(pk=self.pk, suspended_at=None).update(suspended_at=at))

    def reinstate(self) -> bool:
        """Allow the partner's calls again; return whether this is a change."""
        suspended = Partner.objects.filter(pk=self.pk, suspended_at__isnull=False)
        return bool(suspended.update(suspended_at=None))


def every_permission() -> list[str]:
    """Return the default permissions of a new key: all of them."""
    return Permission.values


class ApiKey(AccessKey):
    """An access key of a partner, for the Lead API."""

    prefix = "ak"
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="api_keys")
    permissions = models.JSONField(default=every_permission)

    class Meta(AccessKey.Meta):
        verbose_name = "access key"
        ordering = ["partner", "-created_at", "pk"]

    def allows(self, permission: Permission) -> bool:
        """Return whether the key has the permission."""
        return permission.value in self.permissions

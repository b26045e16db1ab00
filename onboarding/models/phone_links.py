"""Phone links: links by which a phone adds pictures of one identification to an application."""

from django.db import models

from foundation.external_ids import ExternalIdModel
from onboarding.models.owners import Owner
from onboarding.models.sessions import FlowSession


class PhoneLink(ExternalIdModel):
    """A link that was shown to a session as a QR code, for one phone.

    The link is derived from the external id; only its digest is stored, and that of the key that
    the phone holds in a cookie. The row is deleted with its session. `owner` is the owner whose
    identification is wanted; without an owner it is the applicant's. `uploads` are the external ids
    of the documents that the phone has sent.
    """

    session = models.ForeignKey(FlowSession, models.CASCADE, related_name="phone_links")
    owner = models.ForeignKey(Owner, models.CASCADE, null=True, related_name="phone_links")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    key_digest = models.CharField(max_length=64, blank=True, editable=False)
    uploads = models.JSONField(default=list, editable=False)
    created_at = models.DateTimeField()
    entered_at = models.DateTimeField(null=True, editable=False)
    closed_at = models.DateTimeField(null=True, editable=False)
    is_complete = models.BooleanField(default=False, editable=False)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = "link for a phone"
        verbose_name_plural = "links for phones"

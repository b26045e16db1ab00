"""Terms of service and their acceptances."""

from django.db import models

from banking.models.businesses import Business
from banking.models.users import User
from foundation.database.constraints import unique
from foundation.external_ids import ExternalIdModel


class TermsOfService(ExternalIdModel):
    """One version of a document that businesses accept."""

    title = models.CharField(max_length=200)
    version = models.CharField(max_length=20)
    url = models.URLField()
    published_at = models.DateTimeField()

    class Meta:
        verbose_name = verbose_name_plural = "terms of service"
        constraints = [unique("termsofservice_version_unique", "title", "version")]

    def __str__(self) -> str:
        return f"{self.title} {self.version}"


class TermsAcceptance(models.Model):
    """The acceptance of the terms by a user for a business."""

    terms = models.ForeignKey(TermsOfService, models.PROTECT, related_name="acceptances")
    business = models.ForeignKey(Business, models.PROTECT, related_name="terms_acceptances")
    accepted_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField()

    class Meta:
        constraints = [unique("termsacceptance_once", "business", "terms")]

    def __str__(self) -> str:
        return f"acceptance of {self.terms_id} by {self.business_id}"

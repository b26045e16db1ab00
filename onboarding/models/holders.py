"""Holders: trusts and companies that hold a share, and the people who hold shares of them."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from onboarding.choices import HolderKind
from onboarding.models.leads import Lead
from onboarding.models.owners import Owner

PERCENT = Q(share_percent__gt=0, share_percent__lte=100)


class Holder(ExternalIdModel):
    """A trust or a company that holds a share of the business or, with a parent, of another holder.

    Units: `share_percent` is percent of the business or, with a parent, of the parent.
    """

    lead = models.ForeignKey(Lead, models.CASCADE, related_name="holders")
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="+")
    kind = models.CharField(max_length=7, choices=HolderKind)
    name = models.CharField(max_length=255)
    ein = EncryptedField("EIN", blank=True)
    share_percent = models.DecimalField(max_digits=7, decimal_places=4)
    is_rest_small = models.BooleanField(
        default=False,
        help_text="Nobody else holds 25 percent or more of the business through it.",
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            check("holder_kind_known", Q(kind__in=HolderKind.values)),
            check("holder_share_percent_to_100", PERCENT),
        ]

    @property
    def business_name(self) -> str:
        """Return the name under which lists are searched, as the business of a lead has it."""
        return self.name


class Stake(models.Model):
    """A person's share of a holder: an owner's or, without an owner, the applicant's.

    Units: percent of the holder.
    """

    holder = models.ForeignKey(Holder, models.CASCADE, related_name="stakes")
    owner = models.ForeignKey(Owner, models.CASCADE, null=True, blank=True, related_name="stakes")
    share_percent = models.DecimalField(max_digits=7, decimal_places=4)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="stake_once", fields=["holder", "owner"]),
            models.UniqueConstraint(
                name="stake_of_applicant_once", fields=["holder"], condition=Q(owner=None)
            ),
            check("stake_share_percent_to_100", PERCENT),
        ]

    def __str__(self) -> str:
        return f"stake in {self.holder_id}"

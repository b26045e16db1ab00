"""Leads: a partner's customers, who open a business account."""

from collections.abc import Mapping

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower
from uuid_utils.compat import uuid7

from banking.choices import BusinessType
from foundation.database.constraints import check
from foundation.privacy.fields import BlindIndexField, EncryptedField
from onboarding.choices import IdentityStatus
from onboarding.models.address_keys import BUSINESS_KEY, HOME_KEY, MAILING_KEY
from onboarding.models.partners import Partner
from onboarding.models.people import LAST_FOUR, Person

UNPUBLISHED = Q(last_sequence__gt=F("published_sequence"))
ADDRESS = ("line1", "line2", "city", "state", "postal_code", "country")
SHARES = Q(ownership_percent=None) | Q(ownership_percent__gte=0, ownership_percent__lte=100)


class Lead(Person):
    """An applicant and their business: the partner's data with the applicant's corrections.

    The email identifies the lead within its partner and never changes. Addresses are objects with
    the contract's fields; `edd_answers` are objects with question, answer and question_id.
    `event_count`, `last_sequence` and `last_digest` are the end of the lead's chain of events;
    `published_sequence` is the sequence of its newest published event.
    """

    external_id = models.UUIDField(
        "customer id", unique=True, default=uuid7, editable=False, help_text="Also the personId."
    )
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="leads")
    email = models.EmailField()
    line1 = models.CharField(max_length=255, blank=True)
    line2 = models.CharField(max_length=255, blank=True)
    city = models.CharField(max_length=30, blank=True)
    state = models.CharField(max_length=255, blank=True)
    country = models.CharField(max_length=2, blank=True)
    postal_code = models.CharField(max_length=16, blank=True)
    ein = EncryptedField("EIN", blank=True)
    ein_index = BlindIndexField(of="ein", context="ein", db_index=True)
    ein_last_four_index = BlindIndexField(
        of="ein", context="ein last four", last=LAST_FOUR, db_index=True
    )
    business_name = models.CharField(max_length=255, blank=True)
    business_address = models.JSONField(default=dict, blank=True)
    mailing_address = models.JSONField(default=dict, blank=True)
    business_type = models.CharField(max_length=20, choices=BusinessType, blank=True)
    incorporation_state = models.CharField(max_length=255, blank=True)
    incorporation_date = models.DateField(null=True, blank=True)
    unique_id = models.CharField("partner's own id", max_length=255, blank=True)
    duns = models.CharField("DUNS", max_length=9, blank=True)
    naics_code = models.CharField("NAICS code", max_length=6, blank=True)
    campaign = models.CharField(max_length=255, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    edd_answers = models.JSONField("EDD answers", default=list, blank=True)
    event_count = models.PositiveIntegerField(default=0, editable=False)
    last_sequence = models.PositiveIntegerField(default=0, editable=False)
    last_digest = models.CharField(max_length=64, blank=True, editable=False)
    published_sequence = models.PositiveIntegerField(default=0, editable=False)
    erased_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since then the personal data are gone."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="lead_email_unique", fields=["partner", "email"]),
            models.UniqueConstraint(
                name="lead_unique_id_unique",
                fields=["partner", "unique_id"],
                condition=~Q(unique_id=""),
            ),
            check("lead_email_normal", Q(email=Lower("email"))),
            check("lead_ownership_percent_0_to_100", SHARES),
            check("lead_business_type_known", Q(business_type__in=["", *BusinessType.values])),
            check("lead_identity_status_known", Q(identity_status__in=IdentityStatus.values)),
        ]
        indexes = [
            models.Index(name="lead_unpublished", fields=["id"], condition=UNPUBLISHED),
            models.Index(name="lead_phone_number", fields=["phone_number"]),
            models.Index(name="lead_filtered", fields=["partner", "business_type", "id"]),
            models.Index(name="lead_email", fields=["email"]),
            models.Index(HOME_KEY, name="lead_home"),
            models.Index(BUSINESS_KEY, name="lead_business_address"),
            models.Index(MAILING_KEY, name="lead_mailing_address"),
        ]

    def __str__(self) -> str:
        return f"lead {self.external_id}"

    @property
    def home(self) -> Mapping[str, str | None]:
        return {part: getattr(self, part) for part in ADDRESS}

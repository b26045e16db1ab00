"""Cards of businesses. No table has a full number, an expiry date or a CVV."""

from django.db import models
from django.db.models import Q

from banking.choices import (
    CardNetwork,
    CardProduct,
    CardStatus,
    EnrollmentStatus,
    SecuredCardStatus,
)
from banking.models.accounts import LAST4, Account
from banking.models.businesses import Business
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel


class Card(ExternalIdModel):
    """One card, plastic or virtual, on an account."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="cards")
    account = models.ForeignKey(Account, models.PROTECT, related_name="cards")
    product_type = models.CharField(max_length=16, choices=CardProduct)
    cardholder_name = models.CharField(max_length=100)
    last4 = models.CharField(max_length=4, validators=[LAST4])
    network = models.CharField(max_length=10, choices=CardNetwork)
    status = models.CharField(max_length=8, choices=CardStatus)
    shipping_date = models.DateField(
        null=True, blank=True, help_text="When the plastic left; none for virtual cards."
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            check("card_last4_is_four_digits", Q(last4__regex=r"^[0-9]{4}$")),
            check("card_product_known", Q(product_type__in=CardProduct.values)),
            check("card_network_known", Q(network__in=CardNetwork.values)),
            check("card_status_known", Q(status__in=CardStatus.values)),
            check(
                "card_virtual_is_not_shipped",
                ~Q(product_type=CardProduct.DEBIT_VIRTUAL) | Q(shipping_date=None),
            ),
        ]
        indexes = [models.Index(name="card_last4", fields=["last4"])]

    def __str__(self) -> str:
        return f"card {self.external_id}"


class SecuredCard(models.Model):
    """A business's enrollment in the secured card program.

    `card_account` holds the credit limit and the debt; the balance of `collateral_account` is the
    collateral. Both are empty before the business is enrolled.
    """

    business = models.OneToOneField(Business, models.PROTECT, related_name="secured_card")
    enrollment_status = models.CharField(max_length=12, choices=EnrollmentStatus)
    status = models.CharField(max_length=8, choices=SecuredCardStatus, blank=True)
    card_account = models.OneToOneField(
        Account, models.PROTECT, null=True, blank=True, related_name="secured_card"
    )
    collateral_account = models.OneToOneField(
        Account, models.PROTECT, null=True, blank=True, related_name="collateral_of"
    )
    minimum_payment_cents = models.PositiveIntegerField(default=0)
    next_payment_due_date = models.DateField(null=True, blank=True)
    enrolled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            check(
                "securedcard_accounts_iff_enrolled",
                Q(
                    enrollment_status__in=[EnrollmentStatus.ENROLLED, EnrollmentStatus.CLOSED],
                    status__in=SecuredCardStatus.values,
                    card_account__isnull=False,
                    collateral_account__isnull=False,
                    enrolled_at__isnull=False,
                )
                | Q(
                    enrollment_status__in=[
                        EnrollmentStatus.NOT_ENROLLED,
                        EnrollmentStatus.PENDING,
                    ],
                    status="",
                    card_account=None,
                    collateral_account=None,
                    enrolled_at=None,
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"secured card of {self.business_id}"

"""Suppliers: whom a business pays, and how they can be paid."""

from django.db import models
from django.db.models import Q

from banking.choices import PaymentMethod
from banking.models.addresses import PostalAddress
from banking.models.businesses import Business
from banking.numbers import (
    has_routing_number,
    validate_bic,
    validate_iban,
    validate_routing_number,
)
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from foundation.privacy.masks import mask

BY_ROUTING_NUMBER = [PaymentMethod.ACH, PaymentMethod.WIRE_DOMESTIC]


class Supplier(PostalAddress, ExternalIdModel):
    """A company or person who sends bills to a business."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="suppliers")
    name = models.CharField(max_length=255)
    contact_name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(blank=True)
    phone_number = models.CharField(max_length=16, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [unique("supplier_name_unique", "business", "name")]

    def __str__(self) -> str:
        return f"supplier {self.external_id}"


class Payee(PostalAddress):
    """The details for paying a supplier by one method.

    The address is that of the supplier's bank or, for a check, that of the payee. `payee_name` is
    the recipient of the money. An international wire goes to an IBAN, or to an account
    number where the country has no IBANs.
    """

    supplier = models.ForeignKey(Supplier, models.PROTECT, related_name="payees")
    method = models.CharField(max_length=20, choices=PaymentMethod)
    is_active = models.BooleanField(default=True)
    payee_name = models.CharField(max_length=255)
    bank_name = models.CharField(max_length=255, blank=True)
    routing_number = models.CharField(
        max_length=9, blank=True, validators=[validate_routing_number]
    )
    account_number = EncryptedField(blank=True, default="", bound_to=["supplier", "method"])
    iban = EncryptedField(
        "IBAN",
        blank=True,
        default="",
        bound_to=["supplier", "method"],
        validators=[validate_iban],
    )
    swift = models.CharField("SWIFT", max_length=11, blank=True, validators=[validate_bic])

    class Meta:
        constraints = [
            unique("payee_method_unique", "supplier", "method"),
            check(
                "payee_details_match_method",
                (
                    Q(method__in=BY_ROUTING_NUMBER, routing_number__regex=r"^[0-9]{9}$", swift="")
                    & ~Q(account_number="")
                    & Q(iban="")
                )
                | (
                    Q(method=PaymentMethod.WIRE_INTERNATIONAL, routing_number="")
                    & ~Q(swift="")
                    & (~Q(account_number="") | ~Q(iban=""))
                )
                | Q(
                    method=PaymentMethod.CHECK,
                    routing_number="",
                    account_number="",
                    iban="",
                    swift="",
                ),
            ),
            check(
                "payee_routing_number_has_check_digit",
                Q(routing_number="") | Q(has_routing_number("routing_number")),
            ),
            check(
                "payee_swift_has_its_shape",
                Q(swift="") | Q(swift__regex=r"^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} of {self.supplier_id}"

    @property
    def account_number_masked(self) -> str:
        """Return the last four characters of the account number behind dots."""
        return mask(self.account_number)

    @property
    def iban_masked(self) -> str:
        """Return the last four characters of the IBAN behind dots."""
        return mask(self.iban)

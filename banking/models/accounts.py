"""Accounts: where money is kept, here and at other institutions."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Right

from banking.choices import (
    CREDIT,
    OF_THE_BANK,
    AccountStatus,
    AccountType,
    ConnectionStatus,
    LinkedAccountType,
)
from banking.models.businesses import Business
from banking.numbers import (
    has_account_number,
    has_routing_number,
    validate_account_number,
    validate_routing_number,
)
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel

LAST4 = RegexValidator(r"^[0-9]{4}$")
ONE_PER_BUSINESS = (
    AccountType.TAX_BUCKET,
    AccountType.EMERGENCY_BUCKET,
    AccountType.SECURED_CARD_COLLATERAL,
    AccountType.SECURED_CARD,
)


LAST_FOUR = Right("account_number", 4)


class AccountQuerySet(models.QuerySet["Account"]):
    """Filters of accounts: accounts of businesses without the bank's own, and open accounts."""

    def of_customers(self) -> "AccountQuerySet":
        """Return the accounts that belong to businesses."""
        return self.filter(business__isnull=False)

    def open(self) -> "AccountQuerySet":
        """Return the accounts that take postings."""
        return self.filter(status=AccountStatus.OPEN)


class Account(ExternalIdModel):
    """An account of a business, or one of the bank's own.

    `current_cents` is the sum of the account's entries, `held_cents` the sum of its holds. Code
    that writes entries or holds updates them in the same transaction, and `verify_ledger` compares
    them. The bank's own accounts store no balance: every posting would wait for their row.
    Units: US cents; what a business owes on a credit account is negative.
    """

    business = models.ForeignKey(
        Business, models.PROTECT, null=True, blank=True, related_name="accounts"
    )
    account_type = models.CharField(max_length=24, choices=AccountType)
    name = models.CharField(max_length=100)
    account_number = models.CharField(
        max_length=12, unique=True, validators=[validate_account_number]
    )
    routing_number = models.CharField(max_length=9, validators=[validate_routing_number])
    status = models.CharField(max_length=6, choices=AccountStatus, default=AccountStatus.OPEN)
    is_primary = models.BooleanField(
        default=False, help_text="The checking account of the primary beneficial owner."
    )
    credit_limit_cents = models.BigIntegerField(null=True, blank=True)
    current_cents = models.BigIntegerField(default=0, editable=False)
    held_cents = models.BigIntegerField(default=0, editable=False)
    closed_through = models.DateField(
        null=True, blank=True, editable=False, help_text="The last day of the last closed month."
    )
    end_date = models.DateField(
        null=True, blank=True, help_text="The last day of an account that is open for a time."
    )
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    frozen_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="The account has sent no money since then; empty if it is not frozen.",
    )

    objects = AccountQuerySet.as_manager()

    class Meta:
        constraints = [
            check("account_type_known", Q(account_type__in=AccountType.values)),
            check(
                "account_of_a_business_or_the_bank",
                Q(business__isnull=False)
                ^ Q(account_type__in=sorted(kind.value for kind in OF_THE_BANK)),
            ),
            check(
                "account_bank_keeps_no_balance",
                Q(business__isnull=False) | Q(current_cents=0, held_cents=0),
            ),
            check("account_holds_are_not_negative", Q(held_cents__gte=0)),
            check(
                "account_limit_iff_credit",
                Q(
                    account_type__in=sorted(kind.value for kind in CREDIT),
                    credit_limit_cents__isnull=False,
                    credit_limit_cents__gte=0,
                )
                | (
                    ~Q(account_type__in=sorted(kind.value for kind in CREDIT))
                    & Q(credit_limit_cents=None)
                ),
            ),
            check(
                "account_closed_is_empty",
                Q(status=AccountStatus.OPEN, closed_at=None)
                | Q(
                    status=AccountStatus.CLOSED,
                    closed_at__isnull=False,
                    current_cents=0,
                    held_cents=0,
                ),
            ),
            check(
                "account_frozen_is_open_and_of_a_business",
                Q(frozen_at=None) | Q(status=AccountStatus.OPEN, business__isnull=False),
            ),
            check("account_number_has_twelve_digits", Q(account_number__regex=r"^[0-9]{12}$")),
            check("account_number_has_check_digit", has_account_number("account_number")),
            check(
                "account_routing_number_has_check_digit",
                Q(routing_number__regex=r"^[0-9]{9}$") & Q(has_routing_number("routing_number")),
            ),
            check(
                "account_primary_is_checking",
                Q(is_primary=False) | Q(account_type=AccountType.MAIN_ACCOUNT),
            ),
            unique("account_one_primary", "business", condition=Q(is_primary=True)),
            unique(
                "account_one_open_of_a_type",
                "business",
                "account_type",
                condition=Q(status=AccountStatus.OPEN, account_type__in=ONE_PER_BUSINESS),
            ),
        ]
        indexes = [models.Index(LAST_FOUR, name="account_last_four")]

    def __str__(self) -> str:
        return f"account {self.external_id}"

    @property
    def available_cents(self) -> int:
        """Return the available balance: the balance without holds, plus the unused limit."""
        return self.current_cents - self.held_cents + (self.credit_limit_cents or 0)

    @property
    def masked_number(self) -> str:
        """Return the last four digits of the account number behind dots."""
        return f"••••{self.account_number[-4:]}"

    @property
    def is_open(self) -> bool:
        """Return whether the account takes postings."""
        return self.status == AccountStatus.OPEN

    @property
    def is_frozen(self) -> bool:
        """Return whether the account is open, but sends no money."""
        return self.frozen_at is not None


class LinkedAccount(ExternalIdModel):
    """An account of a business at another institution, which this bank may read."""

    business = models.ForeignKey(Business, models.PROTECT, related_name="linked_accounts")
    institution_name = models.CharField(max_length=100)
    account_name = models.CharField(max_length=100)
    last4 = models.CharField(max_length=4, validators=[LAST4])
    account_type = models.CharField(max_length=12, choices=LinkedAccountType)
    connection_status = models.CharField(max_length=16, choices=ConnectionStatus)
    last_synced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            check("linkedaccount_last4_is_four_digits", Q(last4__regex=r"^[0-9]{4}$")),
            check("linkedaccount_type_known", Q(account_type__in=LinkedAccountType.values)),
            check(
                "linkedaccount_connection_status_known",
                Q(connection_status__in=ConnectionStatus.values),
            ),
        ]
        indexes = [models.Index(name="linkedaccount_last4", fields=["last4", "institution_name"])]

    def __str__(self) -> str:
        return f"linked account {self.external_id}"

    @property
    def masked_number(self) -> str:
        """Return the last four digits, which are all that the bank knows, behind dots."""
        return f"••••{self.last4}"

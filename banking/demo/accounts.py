"""The accounts of a demo business, at this bank and at other institutions."""

from datetime import timedelta
from decimal import Decimal

from django.conf import settings

from banking.choices import AccountType, ConnectionStatus, LinkedAccountType
from banking.days import midnight
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.profiles import Profile
from banking.models import Account, Business, LinkedAccount, TaxBucket
from banking.numbers import complete_account_number

SMALL = (AccountType.MAIN_ACCOUNT,)
USUAL = (*SMALL, AccountType.TAX_BUCKET)
LATER = (AccountType.EMERGENCY_BUCKET, AccountType.LOC)  # once the quiet beginning is over
EVERY = (
    *USUAL,
    *LATER,
    AccountType.SAVING_BUCKET,
    AccountType.SECURED_CARD_COLLATERAL,
    AccountType.SECURED_CARD,
)
LIMITS = {AccountType.LOC: 2_500_000, AccountType.SECURED_CARD: 200_000}
MORNING = timedelta(hours=14)  # of the West, in UTC
ELSEWHERE = (
    ("Redwood Credit Union", "Rainy day savings", LinkedAccountType.SAVINGS,
     ConnectionStatus.CONNECTED),
    ("First Harbor Bank", "Everyday checking", LinkedAccountType.CHECKING,
     ConnectionStatus.LOGIN_REQUIRED),
    ("Juniper Card Services", "Business card", LinkedAccountType.CREDIT_CARD,
     ConnectionStatus.DISCONNECTED),
)  # fmt: skip


def open_accounts(
    business: Business, profile: Profile, days: Days, dice: Dice
) -> dict[AccountType, Account]:
    """Save the accounts of a business and return them by type.

    A business without suppliers gets only a few accounts.
    """
    kinds = EVERY if profile.is_large else USUAL if profile.providers else SMALL
    accounts = [
        Account(
            external_id=dice.uuid(business.created_at),
            business=business,
            account_type=kind,
            name=kind.label,
            account_number=complete_account_number(dice.digits(11)),
            routing_number=settings.BANK_ROUTING_NUMBER,
            is_primary=kind == AccountType.MAIN_ACCOUNT,
            credit_limit_cents=LIMITS.get(kind),
            opened_at=midnight(days.first_full if kind in LATER else days.first) + MORNING,
        )
        for kind in kinds
    ]
    Account.objects.bulk_create(accounts)
    _set_up_tax_bucket(accounts, profile, dice)
    return {AccountType(account.account_type): account for account in accounts}


def link_accounts(business: Business, *, days: Days, dice: Dice) -> None:
    """Save the business's accounts at other institutions."""
    LinkedAccount.objects.bulk_create(
        LinkedAccount(
            external_id=dice.uuid(business.created_at),
            business=business,
            institution_name=institution,
            account_name=name,
            last4=dice.digits(4),
            account_type=kind,
            connection_status=status,
            last_synced_at=days.end - timedelta(hours=5 + 400 * index),
        )
        for index, (institution, name, kind, status) in enumerate(ELSEWHERE)
    )


def _set_up_tax_bucket(accounts: list[Account], profile: Profile, dice: Dice) -> None:
    for account in accounts:
        if account.account_type == AccountType.TAX_BUCKET:
            TaxBucket.objects.create(
                account=account,
                is_auto_save_enabled=True,
                auto_set_aside_percent=profile.tax_percent,
                estimated_tax_rate_percent=Decimal(dice.randint(1800, 3100)) / 100,
            )

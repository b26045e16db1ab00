"""The accounts of a demo business, at this bank and at other institutions."""

from datetime import timedelta
from typing import Any

from django.conf import settings

from banking.choices import AccountType, ConnectionStatus, LinkedAccountType
from banking.days import midnight
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.lines import Lines
from banking.demo.profiles import Profile
from banking.models import Account, Business, LinkedAccount
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
    lines: Lines, business: Business, profile: Profile, days: Days, dice: Dice
) -> dict[AccountType, Account]:
    """Plan the accounts of a business and return them by type.

    A large business gets an account of each type, a business with suppliers a checking account and
    a tax bucket, any other business only a checking account.
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
    for account in accounts:
        lines.add("accounts", account, **_tax_settings(account, profile, dice))
    return {AccountType(account.account_type): account for account in accounts}


def link_accounts(lines: Lines, business: Business, *, days: Days, dice: Dice) -> None:
    """Plan the business's accounts at other institutions."""
    linked = [
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
    ]
    lines.add("linked-accounts", *linked)


def _tax_settings(account: Account, profile: Profile, dice: Dice) -> dict[str, Any]:
    """Return the settings of a tax bucket as a field of its line; nothing for other accounts."""
    if account.account_type != AccountType.TAX_BUCKET:
        return {}
    return {
        "tax_settings": {
            "isAutoSaveEnabled": True,
            "autoSetAsidePercent": profile.tax_percent,
            "estimatedTaxRatePercent": dice.randint(1800, 3100) / 100,
        }
    }

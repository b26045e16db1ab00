"""Founding a business of the demo: its people, addresses, plan and accounts."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings

from banking.choices import (
    AccountType,
    AddressKind,
    ConnectionStatus,
    DunsStatus,
    LinkedAccountType,
    UserType,
)
from banking.demo.book import Book
from banking.demo.days import Days, add_months
from banking.demo.dice import Dice, midnight
from banking.demo.profiles import Profile
from banking.demo.shops import CITIES
from banking.models import (
    Account,
    Business,
    BusinessAddress,
    BusinessOwner,
    DunsRegistration,
    LinkedAccount,
    TaxBucket,
    User,
)
from banking.numbers import complete_account_number

SMALL = (AccountType.MAIN_ACCOUNT,)
USUAL = (*SMALL, AccountType.TAX_BUCKET, AccountType.SAVING_BUCKET)
EVERY = (
    *USUAL,
    AccountType.EMERGENCY_BUCKET,
    AccountType.LOC,
    AccountType.SECURED_CARD_COLLATERAL,
    AccountType.SECURED_CARD,
)
LIMITS = {AccountType.LOC: 2_500_000, AccountType.SECURED_CARD: 200_000}
ELSEWHERE = (
    ("Redwood Credit Union", "Rainy day savings", LinkedAccountType.SAVINGS,
     ConnectionStatus.CONNECTED),
    ("First Harbor Bank", "Everyday checking", LinkedAccountType.CHECKING,
     ConnectionStatus.LOGIN_REQUIRED),
    ("Juniper Card Services", "Business card", LinkedAccountType.CREDIT_CARD,
     ConnectionStatus.DISCONNECTED),
)  # fmt: skip


def make_user(
    email: str,
    first_name: str,
    last_name: str,
    *,
    user_type: UserType,
    dice: Dice,
    at: datetime,
) -> User:
    """Return somebody, unsaved, who cannot sign in until a password was set."""
    user = User(
        external_id=dice.uuid(at),
        email=email,
        first_name=first_name,
        last_name=last_name,
        user_type=user_type,
        date_joined=at,
    )
    user.set_unusable_password()
    return user


def found(profile: Profile, days: Days, dice: Dice) -> Business:
    """Save a business with its owners and addresses."""
    at = midnight(days.first)
    business = Business.objects.create(
        external_id=dice.uuid(at),
        legal_name=profile.legal_name,
        business_type=profile.business_type,
        filing_status=profile.filing_status,
        incorporation_state=profile.state,
        incorporation_date=add_months(days.first, -12 * profile.years_old).replace(
            day=dice.randint(1, 28)
        ),
        email=f"hello.{profile.slug}@example.com",
        phone_number=profile.phone_number,
        website=f"https://{profile.slug}.example.com",
        created_at=at,
    )
    _save_owners(business, profile, dice)
    _save_addresses(business, profile, dice)
    return business


def open_accounts(business: Business, profile: Profile, dice: Dice) -> dict[AccountType, Account]:
    """Save the accounts of a business, and return them by type."""
    opened_at = business.created_at + timedelta(hours=14)
    kinds = EVERY if profile.is_large else USUAL if profile.providers else SMALL
    accounts = [
        Account(
            external_id=dice.uuid(opened_at),
            business=business,
            account_type=kind,
            name=kind.label,
            account_number=complete_account_number(dice.digits(11)),
            routing_number=settings.BANK_ROUTING_NUMBER,
            is_primary=kind == AccountType.MAIN_ACCOUNT,
            credit_limit_cents=LIMITS.get(kind),
            opened_at=opened_at,
        )
        for kind in kinds
    ]
    Account.objects.bulk_create(accounts)
    return {AccountType(account.account_type): account for account in accounts}


def furnish(book: Book) -> None:
    """Save what a business has beside its accounts, if it is one to look at."""
    if AccountType.TAX_BUCKET in book.accounts:
        TaxBucket.objects.create(
            account=book.accounts[AccountType.TAX_BUCKET],
            is_auto_save_enabled=True,
            auto_set_aside_percent=book.profile.tax_percent,
            estimated_tax_rate_percent=Decimal(book.dice.randint(1800, 3100)) / 100,
        )
        _register_duns(book.business, book.profile, book.dice)
    if book.profile.is_large:
        _link_accounts(book)


def _link_accounts(book: Book) -> None:
    LinkedAccount.objects.bulk_create(
        LinkedAccount(
            external_id=book.dice.uuid(book.business.created_at),
            business=book.business,
            institution_name=institution,
            account_name=name,
            last4=book.dice.digits(4),
            account_type=kind,
            connection_status=status,
            last_synced_at=book.days.end - timedelta(hours=5 + 400 * index),
        )
        for index, (institution, name, kind, status) in enumerate(ELSEWHERE)
    )


def _save_owners(business: Business, profile: Profile, dice: Dice) -> None:
    users = [
        make_user(
            person.email(profile.slug),
            person.first_name,
            person.last_name,
            user_type=UserType.BUSINESS,
            dice=dice,
            at=business.created_at,
        )
        for person in profile.owners
    ]
    User.objects.bulk_create(users)
    BusinessOwner.objects.bulk_create(
        BusinessOwner(
            external_id=dice.uuid(business.created_at),
            business=business,
            user=user,
            first_name=person.first_name,
            last_name=person.last_name,
            email=user.email,
            ownership_percent=person.ownership_percent,
            role=person.role,
        )
        for person, user in zip(profile.owners, users, strict=True)
    )


def _save_addresses(business: Business, profile: Profile, dice: Dice) -> None:
    number = dice.randint(100, 2900)
    lines = {
        AddressKind.REGISTERED: f"{number} {profile.street}",
        AddressKind.OPERATIONAL: f"{number + 4} {profile.street}",
        AddressKind.MAILING: f"PO Box {dice.digits(4)}",
    }
    BusinessAddress.objects.bulk_create(
        BusinessAddress(business=business, kind=kind, line1=line1, **_city(profile))
        for kind, line1 in lines.items()
    )


def _register_duns(business: Business, profile: Profile, dice: Dice) -> None:
    DunsRegistration.objects.create(
        business=business,
        number=dice.digits(9),
        status=DunsStatus.REGISTERED,
        registered_name=business.legal_name,
        registered_date=business.created_at.date() + timedelta(days=40),
        line1=f"{dice.randint(100, 2900)} {profile.street}",
        **_city(profile),
    )


def _city(profile: Profile) -> dict[str, str]:
    city = CITIES[profile.place]
    return {"city": city.name, "state": city.state, "postal_code": city.postal_code}

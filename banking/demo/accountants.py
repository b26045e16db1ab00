"""The demo bank's accountants, their access to businesses, and their referrals."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from banking.choices import AccessLevel, AccessStatus, ReferralStatus, UserType
from banking.days import DAY
from banking.demo.cast import (
    BOOKKEEPERS,
    CONNECTED,
    OF_THE_OTHER,
    PENDING,
    REFERRED,
    REVOKED,
)
from banking.demo.dice import Dice
from banking.demo.founding import make_user
from banking.demo.lines import Lines
from banking.models import Accountant, Business, ClientAccess, Referral

INVITATION = timedelta(days=30)
LEVELS = tuple(AccessLevel)
STATUSES = (
    ReferralStatus.INVITED,
    ReferralStatus.COMPLETED,
    ReferralStatus.REGISTERED,
    ReferralStatus.COMPLETED,
    ReferralStatus.INVITED,
    ReferralStatus.EXPIRED,
)


def plan_accountants(lines: Lines, *, at: datetime, dice: Dice) -> list[Accountant]:
    """Add the lines of the accountants and their users; return the accountants.

    Accountants with equal firm names are of one firm.
    """
    users = [
        make_user(
            person.email,
            person.first_name,
            person.last_name,
            user_type=UserType.ACCOUNTANT,
            dice=dice,
            at=at,
        )
        for person in BOOKKEEPERS
    ]
    lines.add("users", *users)
    accountants = [
        Accountant(
            user=user,
            partner_referral_code=person.partner_referral_code,
        )
        for person, user in zip(BOOKKEEPERS, users, strict=True)
    ]
    for person, accountant in zip(BOOKKEEPERS, accountants, strict=True):
        firm = {"firm_name": person.firm_name, "firm": person.firm_name}
        lines.add("accountants", accountant, **firm)
    return accountants


def plan_accesses(
    lines: Lines,
    accountants: Sequence[Accountant],
    businesses: Sequence[Business],
    clients: Sequence[Business],
    *,
    until: datetime,
) -> None:
    """Add the lines of the accesses: the first accountant sees two businesses and most clients.

    The second accountant sees the other businesses and two clients. A few of the first accountant's
    accesses are pending or revoked. The third accountant is a colleague of the first.
    """
    first, second = accountants[:2]
    accesses = [
        _access(first, business, level, AccessStatus.CONNECTED)
        for business, level in zip(businesses[:2], LEVELS, strict=False)
    ]
    accesses += [
        _access(second, business, AccessLevel.FULL, AccessStatus.CONNECTED)
        for business in [*businesses[2:], clients[OF_THE_OTHER], clients[REVOKED[0]]]
    ]
    for status, places in [
        (AccessStatus.CONNECTED, CONNECTED),
        (AccessStatus.PENDING_TERMS, PENDING),
        (AccessStatus.REVOKED, REVOKED),
    ]:
        accesses += [
            _access(first, clients[place], LEVELS[place % len(LEVELS)], status, until=until)
            for place in places
        ]
    lines.add("client-accesses", *accesses)


def plan_referrals(
    lines: Lines, accountants: Sequence[Accountant], *, until: datetime, dice: Dice
) -> None:
    """Add the lines of the referrals: two by the second accountant, the others by the first."""
    referrals = [
        _referral(accountants[index >= len(REFERRED) - 2], index, until, dice)
        for index in range(len(REFERRED))
    ]
    lines.add("referrals", *referrals)


def _access(
    accountant: Accountant,
    business: Business,
    level: AccessLevel,
    status: AccessStatus,
    *,
    until: datetime | None = None,
) -> ClientAccess:
    invited_at = business.created_at + 2 * DAY
    return ClientAccess(
        accountant=accountant,
        business=business,
        status=status,
        level=level,
        invited_at=invited_at,
        granted_at=None if status == AccessStatus.PENDING_TERMS else invited_at + DAY,
        revoked_at=until and until - 3 * DAY if status == AccessStatus.REVOKED else None,
    )


def _referral(accountant: Accountant, index: int, until: datetime, dice: Dice) -> Referral:
    business_name, first_name, last_name = REFERRED[index]
    status = STATUSES[index % len(STATUSES)]
    age = dice.randint(50, 200) if status == ReferralStatus.EXPIRED else 3 + index * 2
    invited_at = until - age * DAY - timedelta(seconds=dice.randrange(20_000))
    is_completed = status == ReferralStatus.COMPLETED
    return Referral(
        external_id=dice.uuid(invited_at),
        accountant=accountant,
        business_name=business_name,
        owner_first_name=first_name,
        owner_last_name=last_name,
        email=f"{first_name}.{last_name}@example.com".lower(),
        status=status,
        invited_at=invited_at,
        expires_at=invited_at + INVITATION,
        completed_at=invited_at + 2 * DAY if is_completed else None,
    )

"""Founding a business of the demo: its people, its addresses, its registration."""

from datetime import datetime, timedelta

from banking.choices import AddressKind, DunsStatus, UserType
from banking.days import add_months, midnight
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.lines import Lines, name_of
from banking.demo.profiles import Profile
from banking.demo.shops import CITIES
from banking.models import Business, BusinessAddress, BusinessOwner, DunsRegistration, User


def make_user(
    email: str,
    first_name: str,
    last_name: str,
    *,
    user_type: UserType,
    dice: Dice,
    at: datetime,
) -> User:
    """Return a planned user, who cannot sign in until a password is chosen."""
    return User(
        external_id=dice.uuid(at),
        email=email,
        first_name=first_name,
        last_name=last_name,
        user_type=user_type,
    )


def found(lines: Lines, profile: Profile, days: Days, dice: Dice) -> tuple[Business, User]:
    """Plan a business with its owners and addresses, and its DUNS number if it has suppliers.

    Return the business and the user of its first owner.
    """
    at = midnight(days.first)
    business = Business(
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
    lines.add("businesses", business)
    users = _add_owners(lines, business, profile, dice)
    _add_addresses(lines, business, profile, dice)
    if profile.providers:
        _add_duns(lines, business, profile, dice)
    return business, users[0]


def _add_owners(lines: Lines, business: Business, profile: Profile, dice: Dice) -> list[User]:
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
    for person, user in zip(profile.owners, users, strict=True):
        owner = BusinessOwner(
            external_id=dice.uuid(business.created_at),
            business=business,
            first_name=person.first_name,
            last_name=person.last_name,
            email=user.email,
            ownership_percent=person.ownership_percent,
            role=person.role,
            sign_in_role=person.sign_in_role or "",
        )
        lines.add("owners", owner)
        lines.add("users", user, owner=name_of(owner))
    return users


def _add_addresses(lines: Lines, business: Business, profile: Profile, dice: Dice) -> None:
    number = dice.randint(100, 2900)
    first_lines = {
        AddressKind.REGISTERED: f"{number} {profile.street}",
        AddressKind.OPERATIONAL: f"{number + 4} {profile.street}",
        AddressKind.MAILING: f"PO Box {dice.digits(4)}",
    }
    addresses = (
        BusinessAddress(business=business, kind=kind, line1=line1, **_city(profile))
        for kind, line1 in first_lines.items()
    )
    lines.add("addresses", *addresses)


def _add_duns(lines: Lines, business: Business, profile: Profile, dice: Dice) -> None:
    registration = DunsRegistration(
        business=business,
        number=dice.digits(9),
        status=DunsStatus.REGISTERED,
        registered_name=business.legal_name,
        registered_date=business.created_at.date() + timedelta(days=40),
        line1=f"{dice.randint(100, 2900)} {profile.street}",
        **_city(profile),
    )
    lines.add("duns-registrations", registration)


def _city(profile: Profile) -> dict[str, str]:
    city = CITIES[profile.place]
    return {"city": city.name, "state": city.state, "postal_code": city.postal_code}

"""What there is to know of a demo business before its first day. Units: whole dollars."""

from dataclasses import dataclass

from banking.choices import (
    BillFrequency,
    BusinessOwnerRole,
    BusinessType,
    FilingStatus,
    PaymentMethod,
)


@dataclass(frozen=True)
class Person:
    """Somebody who owns a part of a business."""

    first_name: str
    last_name: str
    ownership_percent: int = 100
    role: BusinessOwnerRole = BusinessOwnerRole.PRIMARY_OWNER

    @property
    def name(self) -> str:
        """Return the full name."""
        return f"{self.first_name} {self.last_name}"

    def email(self, slug: str) -> str:
        """Return the address of the person at a business."""
        return f"{self.first_name}.{slug}@example.com".lower()


@dataclass(frozen=True)
class Shop:
    """A merchant, what is bought there and for how much; without a place it sells online."""

    name: str
    mcc: str
    category: str
    low: int
    high: int
    goods: tuple[str, ...]
    place: str = ""
    currency: str = ""


@dataclass(frozen=True)
class Provider:
    """A supplier, its bills and how they are paid: so many a month, or at a frequency."""

    name: str
    contact_name: str
    category: str
    description: str
    low: int
    high: int
    method: PaymentMethod = PaymentMethod.ACH
    frequency: BillFrequency | None = None
    bills_per_month: int = 0
    day: int = 3
    terms: int = 14
    iban: str = ""
    swift: str = ""


@dataclass(frozen=True)
class Item:
    """Something that a business sells on invoices; how many at once."""

    name: str
    description: str
    price: int
    most: int = 1


@dataclass(frozen=True)
class Profile:
    """A business: who it is, what it earns, what it spends. Units: dollars, per month."""

    slug: str
    legal_name: str
    business_type: BusinessType
    state: str
    place: str
    street: str
    phone_number: str
    owners: tuple[Person, ...]
    filing_status: FilingStatus = FilingStatus.SINGLE
    plan: str = "GROW"
    years_old: int = 3
    investment: int = 20_000
    has_quiet_beginning: bool = False
    is_large: bool = False  # with every kind of account and card
    payouts: tuple[int, int] | None = None  # of a card processor, three times a week
    cash: tuple[int, int] | None = None  # taken to the bank, once a week
    checks: tuple[int, int] | None = None  # twice
    staff: tuple[tuple[str, int], ...] = ()
    draw: int = 0
    saving: int = 0
    tax_percent: int = 15
    purchases: int = 10
    private_percent: int = 0
    shops: tuple[Shop, ...] = ()
    providers: tuple[Provider, ...] = ()
    invoices: int = 0
    income_category: str = "SERVICES"
    items: tuple[Item, ...] = ()
    customers: tuple[str, ...] = ()
    sales_tax_percent: str = "0"

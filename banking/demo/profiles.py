"""The profile of a demo business: the input for its history. Units: whole dollars."""

from dataclasses import dataclass

from banking.choices import (
    BillFrequency,
    BusinessOwnerRole,
    BusinessType,
    FilingStatus,
    PaymentMethod,
    SignInRole,
)


@dataclass(frozen=True)
class Person:
    """An owner of a business."""

    first_name: str
    last_name: str
    ownership_percent: int = 100
    role: BusinessOwnerRole = BusinessOwnerRole.PRIMARY_OWNER
    sign_in_role: SignInRole | None = None

    @property
    def name(self) -> str:
        """Return the full name."""
        return f"{self.first_name} {self.last_name}"

    def email(self, slug: str) -> str:
        """Return the email address of the person at the business with this slug."""
        return f"{self.first_name}.{slug}@example.com".lower()


@dataclass(frozen=True)
class Shop:
    """A merchant with its goods and the range of its amounts. Without a `place` it sells online.

    `low` equal to `high` makes it a subscription, paid once a month.
    """

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
    """A supplier with its terms: days until a bill is due. Units: dollars, from `low` to `high`.

    A supplier sends `bills_per_month` bills or, with a `frequency`, recurring bills instead. The
    first bill of a month is of about `day`.
    """

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
    """A product or service on invoices; `most` is the largest quantity of a line."""

    name: str
    description: str
    price: int
    most: int = 1


@dataclass(frozen=True)
class Profile:
    """A business with its owners, income and spending. Units: whole dollars.

    `staff` has names with monthly salaries. `draw` and `saving` are sums per month, `purchases` and
    `invoices` are numbers per month.
    """

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

"""One business of the demo in the making: founded, planned, and saved once its money has moved."""

from dataclasses import dataclass

from banking.choices import AccountType
from banking.demo import billing, cards, closing, founding, invoicing, spending, trading
from banking.demo.accounts import link_accounts, open_accounts
from banking.demo.book import Book
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.profiles import Profile
from banking.demo.receipts import write_receipts
from banking.demo.shops import Mall
from banking.demo.suppliers import save_suppliers
from banking.models import Account, Business, PaymentRule


@dataclass
class House:
    """A business with its book, its cards, and the invoices and bills that wait to be saved."""

    book: Book
    wallet: cards.Wallet
    invoices: invoicing.Invoices
    bills: billing.Bills

    @property
    def business(self) -> Business:
        """Return the business."""
        return self.book.business

    def save_documents(self) -> None:
        """Save what refers to transactions, which are written by now."""
        self.invoices.save()
        self.bills.save(self.book)
        write_receipts(self.book, self.wallet)

    def close(self) -> None:
        """Make the statements, and the tax statements where taxes are set aside."""
        closing.close_months(self.book)
        if AccountType.TAX_BUCKET in self.book.accounts:
            closing.make_tax_statements(self.book)


@dataclass(frozen=True)
class Ground:
    """What all businesses of a demo share."""

    seed: int
    mall: Mall
    fee_income: Account
    rules: dict[str, PaymentRule]


def build(profile: Profile, days: Days, ground: Ground) -> House:
    """Found a business and plan all that happens to it."""
    dice = Dice(f"{ground.seed}:{profile.slug}")
    business = founding.found(profile, days, dice)
    accounts = open_accounts(business, profile, days, dice)
    book = Book(
        business, profile, days, dice, ground.mall, accounts, ground.fee_income, ground.rules
    )
    if profile.is_large:
        link_accounts(business, days=days, dice=dice)
    wallet = cards.issue_cards(book)
    cards.enroll(book)
    invoicing.save_service_items(book)
    suppliers = save_suppliers(book)
    trading.trade(book)
    spending.spend(book, wallet)
    house = House(book, wallet, invoicing.plan_invoices(book), billing.plan_bills(book, suppliers))
    if profile.providers:
        spending.leave_pending(book, wallet)
        trading.set_aside(book)
    book.prevent_overdrafts()
    return house

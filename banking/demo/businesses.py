"""Plan one demo business: its records, its transactions, and its documents after them."""

from dataclasses import dataclass

from banking.demo import billing, cards, founding, invoicing, spending, trading
from banking.demo.accounts import link_accounts, open_accounts
from banking.demo.book import Book
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.lines import Lines
from banking.demo.profiles import Profile
from banking.demo.receipts import add_receipts
from banking.demo.shops import MerchantDirectory
from banking.demo.suppliers import plan_suppliers
from banking.models import Business, PaymentRule, User


@dataclass
class DemoBusiness:
    """A business with its planned transactions, cards, invoices and bills, and its first owner."""

    book: Book
    wallet: cards.Wallet
    invoices: list[invoicing.PlannedInvoice]
    bills: billing.Bills
    owner: User

    @property
    def business(self) -> Business:
        """Return the business."""
        return self.book.business

    def add_documents(self, lines: Lines) -> None:
        """Add the lines of invoices, bills and receipts, which come after their transactions."""
        for invoice in self.invoices:
            invoice.add_to(lines)
        self.bills.add_to(lines, self.book.dice)
        add_receipts(lines, self.book, self.wallet)


@dataclass(frozen=True)
class SharedRecords:
    """The records that all businesses of a demo share."""

    seed: int
    directory: MerchantDirectory
    rules: dict[str, PaymentRule]


def build(lines: Lines, profile: Profile, days: Days, shared: SharedRecords) -> DemoBusiness:
    """Plan a business: add the lines of its owners, accounts, cards and suppliers.

    Return it with its planned transactions, invoices and bills, whose lines are added later.
    """
    dice = Dice(f"{shared.seed}:{profile.slug}")
    business, owner = founding.found(lines, profile, days, dice)
    accounts = open_accounts(lines, business, profile, days, dice)
    book = Book(business, profile, days, dice, shared.directory, accounts, shared.rules)
    if profile.is_large:
        link_accounts(lines, business, days=days, dice=dice)
    wallet = cards.issue_cards(lines, book)
    cards.enroll(lines, book)
    invoicing.plan_service_items(lines, book)
    suppliers = plan_suppliers(lines, book)
    trading.trade(book)
    spending.spend(book, wallet)
    demo = DemoBusiness(
        book, wallet, invoicing.plan_invoices(book), billing.plan_bills(book, suppliers), owner
    )
    if profile.providers:
        spending.leave_pending(book, wallet)
        trading.set_aside(book)
    book.prevent_overdrafts()
    return demo

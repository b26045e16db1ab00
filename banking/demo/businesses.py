"""Build one demo business: plan its transactions, and save its documents after them."""

from dataclasses import dataclass

from banking.choices import AccountType
from banking.demo import billing, cards, closing, founding, invoicing, spending, trading
from banking.demo.accounts import link_accounts, open_accounts
from banking.demo.book import Book
from banking.demo.days import Days
from banking.demo.dice import Dice
from banking.demo.profiles import Profile
from banking.demo.receipts import write_receipts
from banking.demo.shops import MerchantDirectory
from banking.demo.suppliers import save_suppliers
from banking.models import Account, Business, PaymentRule


@dataclass
class DemoBusiness:
    """A business with its planned transactions, its cards, and its unsaved invoices and bills."""

    book: Book
    wallet: cards.Wallet
    invoices: invoicing.Invoices
    bills: billing.Bills

    @property
    def business(self) -> Business:
        """Return the business."""
        return self.book.business

    def save_documents(self) -> None:
        """Save the invoices, bills and receipts. Their transactions must be written already."""
        self.invoices.save()
        self.bills.save(self.book)
        write_receipts(self.book, self.wallet)

    def close(self) -> None:
        """Make the account statements and, for a business with a tax bucket, the tax statements."""
        closing.close_months(self.book)
        if AccountType.TAX_BUCKET in self.book.accounts:
            closing.make_tax_statements(self.book)


@dataclass(frozen=True)
class SharedRecords:
    """The records that all businesses of a demo share."""

    seed: int
    directory: MerchantDirectory
    fee_income: Account
    rules: dict[str, PaymentRule]


def build(profile: Profile, days: Days, shared: SharedRecords) -> DemoBusiness:
    """Save a business with its accounts, cards and suppliers, and plan its transactions."""
    dice = Dice(f"{shared.seed}:{profile.slug}")
    business = founding.found(profile, days, dice)
    accounts = open_accounts(business, profile, days, dice)
    book = Book(
        business, profile, days, dice, shared.directory, accounts, shared.fee_income, shared.rules
    )
    if profile.is_large:
        link_accounts(business, days=days, dice=dice)
    wallet = cards.issue_cards(book)
    cards.enroll(book)
    invoicing.save_service_items(book)
    suppliers = save_suppliers(book)
    trading.trade(book)
    spending.spend(book, wallet)
    demo = DemoBusiness(
        book, wallet, invoicing.plan_invoices(book), billing.plan_bills(book, suppliers)
    )
    if profile.providers:
        spending.leave_pending(book, wallet)
        trading.set_aside(book)
    book.prevent_overdrafts()
    return demo

"""Invoices: sent every month, most of them paid, some of them late."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from banking.calendar import is_business_day, next_business_day
from banking.choices import DiscountType, InvoiceStatus, TransactionType
from banking.days import midnight
from banking.demo.book import Book
from banking.demo.lines import Lines
from banking.demo.profiles import Item
from banking.models import Invoice, InvoiceDiscount, InvoiceLine, ServiceItem
from banking.money import percent_of

DRAFTS, NOT_YET_DUE, OVERDUE = 3, 6, 9  # of the newest, how many from the one before
CANCELED_EVERY = 17
LATE_PERCENT, CHECK_PERCENT, DISCOUNT_PERCENT, TAXED_PERCENT = 30, 25, 25, 40
TERMS = (15, 30, 30)


@dataclass
class PlannedInvoice:
    """A planned invoice with its lines and discounts."""

    invoice: Invoice
    lines: list[InvoiceLine]
    discounts: list[InvoiceDiscount]

    def add_to(self, lines: Lines) -> None:
        """Add the line of the invoice; the line of its payment must have been added before."""
        lines.add(
            "invoices",
            self.invoice,
            lines=[
                {
                    "name": line.name,
                    "quantity": line.quantity,
                    "unitPriceCents": line.unit_price_cents,
                }
                for line in self.lines
            ],
            discounts=[
                {"name": one.name, "discountType": one.discount_type, "value": one.value}
                for one in self.discounts
            ],
        )


def plan_service_items(lines: Lines, book: Book) -> None:
    """Plan the items that the business sells as templates for invoice lines."""
    items = (
        ServiceItem(
            external_id=book.dice.uuid(midnight(book.days.first)),
            business=book.business,
            name=item.name,
            description=item.description,
            unit_price_cents=item.price * 100,
        )
        for item in book.profile.items
    )
    lines.add("service-items", *items)


def plan_invoices(book: Book) -> list[PlannedInvoice]:
    """Return the invoices of a business, and enter their payments in its book."""
    made = []
    issued = sorted(_issue_timestamps(book))
    for index, at in enumerate(issued):
        invoice = _draft(book, at, f"INV-{1001 + index}")
        made.append(_fill(book, invoice))
        _decide(book, invoice, index, len(issued) - 1 - index)
    return made


def _issue_timestamps(book: Book) -> list[datetime]:
    timestamps = []
    for month in book.days.firsts():
        count = book.profile.invoices // (2 if book.days.is_quiet(month) else 1)
        days = [day for day in book.days.of_month(month) if is_business_day(day)]
        if days:
            timestamps += [book.dice.timestamp(day) for day in book.dice.choices(days, k=count)]
    return timestamps


def _draft(book: Book, at: datetime, number: str) -> Invoice:
    name = book.dice.choice(book.profile.customers)
    mailbox = "".join(filter(str.isalnum, name)).lower()
    return Invoice(
        external_id=book.dice.uuid(at),
        business=book.business,
        number=number,
        status=InvoiceStatus.DRAFT,
        recipient_name=name,
        recipient_email=f"{mailbox}@example.com",
        description=f"{at:%B %Y}",
        issue_date=at.date(),
        due_date=at.date() + timedelta(days=book.dice.choice(TERMS)),
        ach_payment_allowed=book.dice.happens(85),
        created_at=at,
    )


def _fill(book: Book, invoice: Invoice) -> PlannedInvoice:
    """Plan lines, a discount and sales tax of an invoice, and set its sums."""
    items = book.profile.items
    sold = book.dice.sample(items, k=book.dice.randint(1, min(4, len(items))))
    lines = [_line(book, invoice, item, place) for place, item in enumerate(sold, start=1)]
    discounts = []
    invoice.subtotal_cents = sum(line.amount_cents for line in lines)
    if book.dice.happens(DISCOUNT_PERCENT):
        discounts.append(_discount(book, invoice))
        invoice.discount_cents = discounts[-1].amount_cents
    net = invoice.subtotal_cents - invoice.discount_cents
    if book.dice.happens(TAXED_PERCENT):
        invoice.sales_tax_percent = Decimal(book.profile.sales_tax_percent)
        invoice.sales_tax_cents = percent_of(net, invoice.sales_tax_percent)
    invoice.total_cents = net + invoice.sales_tax_cents
    return PlannedInvoice(invoice, lines, discounts)


def _line(book: Book, invoice: Invoice, item: Item, position: int) -> InvoiceLine:
    quantity = book.dice.randint(max(1, item.most // 4), item.most)
    return InvoiceLine(
        invoice=invoice,
        position=position,
        name=item.name,
        quantity=quantity,
        unit_price_cents=item.price * 100,
        amount_cents=quantity * item.price * 100,
    )


def _discount(book: Book, invoice: Invoice) -> InvoiceDiscount:
    percent = book.dice.choice([Decimal(5), Decimal(10), None])
    if percent is None:
        off = Decimal(min(25, invoice.subtotal_cents // 200))
        return InvoiceDiscount(
            invoice=invoice,
            name="Thank you",
            discount_type=DiscountType.AMOUNT,
            value=off,
            amount_cents=int(off * 100),
        )
    return InvoiceDiscount(
        invoice=invoice,
        name="Regular customer",
        discount_type=DiscountType.PERCENT,
        value=percent,
        amount_cents=percent_of(invoice.subtotal_cents, percent),
    )


def _decide(book: Book, invoice: Invoice, index: int, age: int) -> None:
    """Set the status of an invoice, and plan its payment; `age` counts the newer invoices."""
    today = book.days.until
    if age < DRAFTS:
        return
    invoice.pay_url = f"https://pay.example.com/{book.dice.getrandbits(128):032x}"
    invoice.status = InvoiceStatus.SENT
    if age < NOT_YET_DUE:
        invoice.due_date = max(invoice.due_date, today + timedelta(days=4 + age))
    elif age < OVERDUE:
        late_since = today - timedelta(days=2 + age)
        invoice.due_date = max(invoice.issue_date, min(invoice.due_date, late_since))
    elif index % CANCELED_EVERY == CANCELED_EVERY - 1:
        invoice.status = InvoiceStatus.CANCELED
    else:
        _pay(book, invoice)


def _pay(book: Book, invoice: Invoice) -> None:
    """Plan the customer's payment before or after the due date, unless it is in the future."""
    dice = book.dice
    is_late = dice.happens(LATE_PERCENT)
    wanted = invoice.due_date + timedelta(
        days=dice.randint(3, 24) if is_late else -dice.randint(0, 9)
    )
    paid_date = next_business_day(max(wanted, invoice.issue_date + timedelta(days=1)))
    if not book.days.is_past(paid_date):
        return
    by_check = dice.happens(CHECK_PERCENT)
    invoice.payment = book.enter(
        TransactionType.CHECK_DEPOSIT if by_check else TransactionType.FUND_TRANSFER,
        invoice.total_cents,
        at=dice.timestamp(paid_date),
        category=book.profile.income_category,
        description=f"{invoice.recipient_name}, {invoice.number}",
    )
    invoice.status, invoice.paid_date = InvoiceStatus.PAID, paid_date
    invoice.paid_cents = invoice.total_cents

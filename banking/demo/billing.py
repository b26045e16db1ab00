"""Bills of the demo businesses, one-time and recurring, and their payments."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from banking.choices import BillFrequency, BillPaymentStatus, BillStatus
from banking.days import add_months
from banking.demo import payments
from banking.demo.attachments import attach
from banking.demo.book import Book
from banking.demo.dice import Dice
from banking.demo.lines import Lines
from banking.demo.profiles import Provider
from banking.models import Bill, BillPayment, Supplier

HALF_PAID, PROCESSING, FAILED = 6, (7, 8), 9  # so many bills came after it
CANCELED_EVERY, FAILS_FIRST_EVERY = 19, 14
QUIET_PERCENT = 50
ATTACHED = 6  # of the newest bills, how many have a file
QUARTERS = {1, 4, 7, 10}
STEPS = {BillFrequency.MONTHLY: 1, BillFrequency.QUARTERLY: 3}  # in months


@dataclass
class Bills:
    """The planned bills of a business, with their payments."""

    bills: list[Bill] = field(default_factory=list)
    payments: list[BillPayment] = field(default_factory=list)

    def add_to(self, lines: Lines, dice: Dice) -> None:
        """Add the lines of the bills, their payments, and attachments of the newest bills.

        Call it after the lines of the payments' transactions were added.
        """
        lines.add("bills", *self.bills)
        lines.add("bill-payments", *self.payments)
        attach(lines, self.bills[-ATTACHED:], dice=dice)


def plan_bills(book: Book, suppliers: dict[str, Supplier]) -> Bills:
    """Return the bills of a business with their payments, and enter the payments in its book."""
    made = Bills()
    dated = [
        (_invoice_date(book, provider, day), provider)
        for provider in book.profile.providers
        for day in _days(book, provider)
    ]
    dated.sort(key=lambda pair: pair[0])
    for index, (invoice_date, provider) in enumerate(dated):
        bill = _draft(book, provider, suppliers[provider.name], invoice_date, index)
        made.bills.append(bill)
        made.payments += _decide(book, bill, provider, index, len(dated) - 1 - index)
    _schedule_next(made.bills)
    return made


def _days(book: Book, provider: Provider) -> list[date]:
    """Return the days on which a supplier sends bills."""
    days = []
    for month in book.days.firsts():
        if provider.frequency == BillFrequency.QUARTERLY and month.month not in QUARTERS:
            continue
        count = 1 if provider.frequency else provider.bills_per_month
        step = 28 // max(1, count)
        days += [month.replace(day=min(28, provider.day + index * step)) for index in range(count)]
    return [day for day in days if book.days.is_past(day)]


def _invoice_date(book: Book, provider: Provider, day: date) -> date:
    """Return the invoice date: `day` for a recurring bill, else a day at most two days away."""
    shifted = day if provider.frequency else day + timedelta(days=book.dice.randint(-2, 2))
    return min(max(shifted, book.days.first), book.days.until - timedelta(days=1))


def _draft(
    book: Book, provider: Provider, supplier: Supplier, invoice_date: date, index: int
) -> Bill:
    share = QUIET_PERCENT if book.days.is_quiet(invoice_date) else 100
    is_fixed = provider.low == provider.high
    amount = provider.low * 100 if is_fixed else book.dice.cents(provider.low, provider.high)
    created_at = book.dice.timestamp(invoice_date)
    initials = [word[0] for word in provider.name.split() if word[0].isalpha()]
    return Bill(
        external_id=book.dice.uuid(created_at),
        business=book.business,
        supplier=supplier,
        number=f"{''.join(initials).upper()}-{20_100 + index * 3}",
        status=BillStatus.PENDING,
        amount_cents=amount * share // 100,
        description=f"{provider.description}, {invoice_date:%B %Y}",
        invoice_date=invoice_date,
        due_date=invoice_date + timedelta(days=provider.terms),
        frequency=provider.frequency or "",
        created_at=created_at,
    )


def _decide(book: Book, bill: Bill, provider: Provider, index: int, age: int) -> list[BillPayment]:
    """Set the status of a bill, plan its payments and return them; `age` counts newer bills."""
    payer = payments.BillPayer(book, bill, provider, book.rules[provider.method])
    if age in PROCESSING:
        return [payer.pay_today()]
    if age == HALF_PAID:
        return [payer.pay_half()]
    if age == FAILED:
        return [payer.fail()]
    if age > FAILED and index % CANCELED_EVERY == CANCELED_EVERY - 1:
        bill.status = BillStatus.CANCELED
        return [payer.cancel()] if index % 2 else []
    first = [payer.fail()] if age > FAILED and index % FAILS_FIRST_EVERY == 0 else []
    paid = payer.pay_in_time(again=bool(first))
    if paid and paid.status == BillPaymentStatus.SETTLED:
        bill.status = BillStatus.PAID
    return [*first, *([paid] if paid else [])]


def _schedule_next(bills: list[Bill]) -> None:
    """Set the next payment date on the newest bill of each series; one series also gets an end."""
    newest = {bill.supplier.name: bill for bill in bills if bill.frequency}
    for position, bill in enumerate(newest.values()):
        following = add_months(bill.due_date.replace(day=1), STEPS[BillFrequency(bill.frequency)])
        bill.next_payment_date = following.replace(day=min(28, bill.due_date.day))
        if position == 1:
            bill.recurrence_end_date = add_months(following, 12)

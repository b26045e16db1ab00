"""Payments of demo bills: scheduled, processing, settled, failed or canceled."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from banking.calendar import add_business_days, is_business_day, next_business_day
from banking.choices import BillPaymentStatus, PaymentMethod
from banking.days import DAY, midnight
from banking.demo.book import Book
from banking.demo.profiles import Provider
from banking.models import Bill, BillPayment, PaymentRule, Transaction

SOON = timedelta(days=10)
REASONS = {
    PaymentMethod.CHECK: "The check came back: the address is incomplete.",
    PaymentMethod.WIRE_INTERNATIONAL: "The intermediary bank returned the wire.",
}
RETURNED = "R03: the receiving bank found no such account."


@dataclass
class BillPayer:
    """Creates the payments of one bill."""

    book: Book
    bill: Bill
    provider: Provider
    rule: PaymentRule

    def pay_in_time(self, *, again: bool = False) -> BillPayment | None:
        """Return a payment some days before the due date or, with `again`, four days after it.

        None if the payment is too far in the future to be scheduled.
        """
        wanted = self.bill.due_date - self.book.dice.randint(1, 5) * DAY
        scheduled = next_business_day(max(wanted, self.bill.invoice_date + DAY))
        if again:
            scheduled = add_business_days(self.bill.due_date, 4)
        return self._pay(scheduled) if scheduled < self.book.days.until + SOON else None

    def pay_today(self) -> BillPayment:
        """Return a payment that was sent on the last business day and is still processing."""
        day = self.book.days.until - DAY
        while not is_business_day(day):
            day -= DAY
        return self._pay(day)

    def pay_half(self) -> BillPayment:
        """Return a payment of half the amount on the first business day after the bill."""
        scheduled = add_business_days(self.bill.invoice_date, 1)
        return self._pay(scheduled, amount_cents=self.bill.amount_cents // 2)

    def fail(self) -> BillPayment:
        """Return a failed payment of the second business day after the invoice date."""
        payment = self._draft(add_business_days(self.bill.invoice_date, 2))
        payment.status = BillPaymentStatus.FAILED
        payment.failure_reason = REASONS.get(self.provider.method, RETURNED)
        return payment

    def cancel(self) -> BillPayment:
        """Return a canceled payment of the bill's due date, or the business day after it."""
        payment = self._draft(next_business_day(self.bill.due_date))
        payment.status = BillPaymentStatus.CANCELED
        return payment

    def _draft(self, scheduled: date, amount_cents: int | None = None) -> BillPayment:
        return BillPayment(
            external_id=self.book.dice.uuid(midnight(scheduled)),
            bill=self.bill,
            method=self.provider.method,
            amount_cents=amount_cents or self.bill.amount_cents,
            scheduled_date=scheduled,
            status=BillPaymentStatus.SCHEDULED,
        )

    def _pay(self, scheduled: date, amount_cents: int | None = None) -> BillPayment:
        """Return a payment in its status at the end of the demo; plan its transfer and fee.

        The amount is by default that of the bill.
        """
        payment = self._draft(scheduled, amount_cents)
        if not self.book.days.is_past(scheduled):
            return payment
        arrival = add_business_days(scheduled, self.rule.business_days)
        sent_at = self.book.dice.timestamp(scheduled, first_hour=14, last_hour=17)
        settled_at = max(sent_at, midnight(arrival) + timedelta(hours=14))
        payment.transaction = self._send(payment, sent_at, settled_at)
        payment.status = BillPaymentStatus.PROCESSING
        if self.book.days.is_past(arrival):
            payment.status, payment.settled_date = BillPaymentStatus.SETTLED, arrival
            self._charge_fee(settled_at + timedelta(seconds=1))
        return payment

    def _send(self, payment: BillPayment, sent_at: datetime, settled_at: datetime) -> Transaction:
        row = self.book.pay(
            -payment.amount_cents,
            at=settled_at,
            occurred_at=sent_at,
            category=self.provider.category,
            description=f"Bill {self.bill.number}, {self.provider.name}",
            merchant_raw_name=self.provider.name,
        )
        row.settles_at = None  # it settles with its payment, not by itself
        return row

    def _charge_fee(self, at: datetime) -> None:
        if self.rule.fee_cents:
            note = f"Fee: {PaymentMethod(self.rule.method).label}"
            self.book.charge(self.rule.fee_cents, at=at, description=note)

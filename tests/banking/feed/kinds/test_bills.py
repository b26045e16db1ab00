"""Bills of the feed, their payments, and the rules of payment methods."""

from datetime import timedelta

import pytest

from banking.models import Bill, BillPayment, PaymentRule
from banking.services import due_payments
from tests.banking.feed.conftest import BILL
from tests.banking.feed.test_batches import results
from tests.factories import NOON

PAYMENT = {
    "bill": "L-1",
    "method": "ACH",
    "amountCents": 5000,
    "scheduledDate": "2026-02-10",
    "status": "SCHEDULED",
}
SETTLED = PAYMENT | {"status": "SETTLED", "settledDate": "2026-02-12"}


def test_a_bill_is_of_the_business_of_its_supplier(supplies):
    bill = Bill.objects.get()

    assert bill.business == bill.supplier.business


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"dueDate": "2026-01-01"}, "dueDate"),
        ({"nextPaymentDate": "2026-03-20"}, "nextPaymentDate"),
        ({"recurrenceEndDate": "2026-09-20"}, "recurrenceEndDate"),
        ({"amountCents": 0}, "amountCents"),
        ({"currencyCode": "EUR"}, "currencyCode"),
    ],
)
def test_data_of_a_bill_that_contradict_each_other_are_refused(
    line, refusals, supplies, changed, field
):
    assert refusals(line("bills", "L-1", 2, **BILL | changed)) == [
        ("VALUE_REFUSED", f"/data/{field}")
    ]


def test_a_recurring_bill_has_its_dates(feed, line, supplies):
    recurring = BILL | {"frequency": "MONTHLY", "nextPaymentDate": "2026-03-20"}

    assert results(feed(line("bills", "L-1", 2, **recurring))) == ["updated"]
    assert Bill.objects.get().is_recurring


def test_a_payment_names_the_transaction_that_moved_the_money(feed, line, supplies):
    moved = {
        "account": "A-1",
        "transactionType": "FUND_TRANSFER",
        "status": "POSTED",
        "amountCents": -5000,
        "occurredAt": "2026-02-12T15:00:00Z",
    }

    outcomes = feed(
        line("transactions", "T-1", **moved),
        line("bill-payments", "Y-1", **SETTLED, transaction="T-1"),
        line("bills", "L-1", 2, **BILL | {"status": "PAID"}),
    )

    assert results(outcomes) == ["created", "created", "updated"]
    assert BillPayment.objects.get().transaction.amount_cents == -5000


def test_a_transaction_of_another_business_pays_no_bill(feed, line, refusals, supplies):
    moved = {
        "account": "A-9",
        "transactionType": "FUND_TRANSFER",
        "status": "POSTED",
        "amountCents": -5000,
        "occurredAt": "2026-02-12T15:00:00Z",
    }
    feed(line("transactions", "T-9", **moved))

    assert refusals(line("bill-payments", "Y-1", **SETTLED, transaction="T-9")) == [
        ("VALUE_REFUSED", "/data/transaction")
    ]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"settledDate": "2026-02-12"}, "settledDate"),
        ({"status": "SETTLED"}, "settledDate"),
        ({"status": "FAILED"}, "failureReason"),
        ({"failureReason": "R03"}, "failureReason"),
    ],
)
def test_data_of_a_payment_that_contradict_each_other_are_refused(
    line, refusals, supplies, changed, field
):
    assert refusals(line("bill-payments", "Y-1", **PAYMENT | changed)) == [
        ("VALUE_REFUSED", f"/data/{field}")
    ]


def test_payments_come_to_no_more_than_the_bill(feed, line, refusals, supplies):
    half = PAYMENT | {"amountCents": 3000}

    outcomes = feed(
        line("bill-payments", "Y-1", **half),
        line("bill-payments", "Y-2", **half),
        line("bill-payments", "Y-3", **half | {"status": "CANCELED"}),
    )

    assert results(outcomes) == ["created", "refused", "created"]
    assert refusals(line("bills", "L-1", 2, **BILL | {"amountCents": 2999})) == [
        ("VALUE_REFUSED", "/data/amountCents")
    ]


def test_a_bill_whose_payment_has_left_is_not_canceled(feed, line, refusals, supplies):
    canceled = line("bills", "L-1", 2, **BILL | {"status": "CANCELED"})
    feed(line("bill-payments", "Y-1", **PAYMENT | {"status": "PROCESSING"}))

    assert refusals(canceled) == [("VALUE_REFUSED", "/data/status")]

    feed(line("bill-payments", "Y-1", 2, **PAYMENT | {"status": "CANCELED"}))
    assert results(feed(canceled)) == ["updated"]


@pytest.mark.parametrize("status", ["SCHEDULED", "PROCESSING"])
def test_the_core_moves_the_money_of_its_payments(feed, line, supplies, status):
    feed(line("bill-payments", "Y-1", **PAYMENT | {"status": status}))

    late = NOON + timedelta(days=365)
    assert not [*due_payments.send_due(at=late), *due_payments.settle_arrived(at=late)]
    assert BillPayment.objects.get().status == status


@pytest.mark.parametrize("kind", ["bills", "bill-payments"])
def test_bills_and_payments_stay(feed, line, refusals, supplies, kind):
    feed(line("bill-payments", "L-1", **PAYMENT))

    gone = {"kind": kind, "externalId": "L-1", "version": 2, "removed": True}

    assert refusals(gone) == [("NOT_REMOVABLE", None)]


def test_the_rule_of_a_method_is_updated(feed, line, db):
    rule = {
        "method": "ACH",
        "feeCents": 25,
        "perPaymentLimitCents": 1_000_000,
        "dailyLimitCents": 2_000_000,
        "businessDays": 2,
        "cutoffHour": 20,
    }
    count = PaymentRule.objects.count()

    assert results(feed(line("payment-rules", "ACH", **rule))) == ["updated"]
    assert PaymentRule.objects.get(method="ACH").fee_cents == 25
    assert PaymentRule.objects.count() == count

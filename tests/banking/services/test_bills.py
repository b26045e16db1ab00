"""Bills are entered once, and canceled while no payment has left."""

from datetime import date

import pytest
from django.db import IntegrityError

from banking.choices import BillFrequency, BillStatus
from banking.models import Bill
from banking.services import bills
from banking.transitions import InvalidTransition
from tests.factories import NOON, later

SETTLED = {"status": "SETTLED", "settled_date": NOON.date()}
FAILED = {"status": "FAILED", "failure_reason": "The account is closed."}


@pytest.fixture
def supplier(make_supplier):
    return make_supplier()


def enter(supplier, **values):
    values = {
        "number": "2026-17",
        "amount_cents": 120_00,
        "invoice_date": date(2026, 3, 1),
        "due_date": date(2026, 3, 31),
        "at": NOON,
        **values,
    }
    return bills.create_bill(supplier, **values)


def test_a_bill_belongs_to_the_business_of_its_supplier(supplier):
    bill = enter(
        supplier,
        description="Flour",
        frequency=BillFrequency.MONTHLY,
        next_payment_date=date(2026, 4, 30),
    )

    bill.refresh_from_db()
    assert (bill.business, bill.status) == (supplier.business, BillStatus.PENDING)
    assert (bill.amount_cents, bill.currency_code, bill.created_at) == (120_00, "USD", NOON)
    assert bill.is_recurring


def test_the_same_bill_is_entered_once(supplier):
    first = enter(supplier)

    second = enter(supplier, at=later(days=1))

    assert first == second == Bill.objects.get()


@pytest.mark.parametrize(
    "other",
    [{"amount_cents": 1}, {"due_date": date(2026, 4, 1)}, {"currency_code": "EUR"}],
)
def test_another_bill_of_the_same_number_is_refused(supplier, other):
    enter(supplier)

    with pytest.raises(bills.NumberTaken):
        enter(supplier, **other)


def test_two_suppliers_may_use_one_number(supplier, make_supplier):
    assert enter(supplier) != enter(make_supplier(supplier.business))


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"due_date": date(2026, 2, 28)}, "bill_due_after_invoice"),
        ({"amount_cents": 0}, "bill_amount_positive"),
        ({"next_payment_date": date(2026, 4, 1)}, "bill_dates_need_a_frequency"),
    ],
)
def test_a_bill_that_makes_no_sense_is_refused(supplier, values, constraint):
    with pytest.raises(IntegrityError, match=constraint):
        enter(supplier, **values)


def test_a_canceled_bill_takes_its_scheduled_payments_along(make_bill, make_bill_payment):
    bill = make_bill()
    scheduled = make_bill_payment(bill)
    failed = make_bill_payment(bill, **FAILED)
    elsewhere = make_bill_payment()

    for _ in range(2):
        assert bills.cancel_bill(bill).status == BillStatus.CANCELED

    for payment in (scheduled, failed, elsewhere):
        payment.refresh_from_db()
    assert [scheduled.status, failed.status] == ["CANCELED", "FAILED"]
    assert elsewhere.status == "SCHEDULED"


@pytest.mark.parametrize("values", [{"status": "PROCESSING"}, SETTLED])
def test_a_bill_whose_payment_left_is_not_canceled(make_bill, make_bill_payment, values):
    bill = make_bill()
    make_bill_payment(bill, **values)
    scheduled = make_bill_payment(bill)

    with pytest.raises(bills.PaymentsUnderway):
        bills.cancel_bill(bill)

    scheduled.refresh_from_db()
    assert scheduled.status == "SCHEDULED"


def test_a_paid_bill_is_not_canceled(make_bill):
    with pytest.raises(InvalidTransition):
        bills.cancel_bill(make_bill(status=BillStatus.PAID))


def test_eight_who_enter_a_bill_at_once_enter_one(make_supplier, in_threads):
    supplier = make_supplier()

    outcomes = in_threads(lambda _: enter(supplier), range(8))

    assert set(outcomes) == {Bill.objects.get()}

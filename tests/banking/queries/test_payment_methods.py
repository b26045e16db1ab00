"""Each way to pay a bill tells its price, its limits and why it cannot be taken."""

from datetime import UTC, date, datetime
from uuid import uuid4

import pytest

from banking.choices import AccountStatus, BillStatus, IneligibleReason, PaymentMethod
from banking.models import Bill, PaymentRule
from banking.queries import payment_methods
from tests.factories import NOON, later

ACH, WIRE, ABROAD, CHECK = PaymentMethod
TODAY = NOON.date()  # a Monday


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def account(business, make_account, make_transaction):
    account = make_account(business, is_primary=True)
    make_transaction(account, 1_000_000_00)
    return account


@pytest.fixture
def supplier(business, account, make_supplier, make_payee):
    supplier = make_supplier(business)
    for method in PaymentMethod:
        make_payee(supplier, method)
    return supplier


@pytest.fixture
def bill(supplier, make_bill):
    return make_bill(supplier, amount_cents=1_000_00)


def offers(bill, *, at=NOON):
    found = payment_methods.list_payment_methods(bill.business, str(bill.external_id), at=at)
    return {offer.method: offer for offer in found}


def reasons(bill, *, at=NOON):
    return {method: offer.ineligible_reason for method, offer in offers(bill, at=at).items()}


def test_each_method_tells_its_price_its_limits_and_its_dates(bill):
    found = payment_methods.list_payment_methods(bill.business, bill.external_id, at=NOON)

    assert [offer.method for offer in found] == list(PaymentMethod)
    assert all(offer.is_eligible for offer in found)
    assert found[2] == payment_methods.MethodOffer(
        method=ABROAD,
        ineligible_reason=None,
        fee_cents=40_00,
        per_payment_limit_cents=250_000_00,
        daily_remaining_cents=500_000_00,
        sending_date=TODAY,
        estimated_arrival_date=date(2026, 3, 4),
    )


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (datetime(2026, 3, 2, 16, 59, tzinfo=UTC), "03-04 03-02 03-04 03-09"),
        (datetime(2026, 3, 2, 17, tzinfo=UTC), "03-04 03-02 03-05 03-09"),
        (datetime(2026, 3, 2, 20, tzinfo=UTC), "03-05 03-03 03-05 03-10"),
        (datetime(2026, 3, 6, 21, tzinfo=UTC), "03-11 03-09 03-11 03-16"),  # Friday evening
        (datetime(2026, 3, 7, 9, tzinfo=UTC), "03-11 03-09 03-11 03-16"),  # Saturday
        (datetime(2026, 5, 22, 21, tzinfo=UTC), "05-28 05-26 05-28 06-02"),  # Memorial Day
    ],
)
def test_arrival_follows_the_cutoff_the_weekends_and_the_holidays(bill, at, expected):
    dates = [offer.estimated_arrival_date for offer in offers(bill, at=at).values()]

    assert " ".join(f"{day:%m-%d}" for day in dates) == expected


@pytest.mark.parametrize("status", [BillStatus.PAID, BillStatus.CANCELED])
def test_a_bill_that_is_not_pending_cannot_be_paid(bill, status):
    Bill.objects.update(status=status)

    assert set(reasons(bill).values()) == {IneligibleReason.BILL_NOT_PENDING}


def test_a_bill_that_is_covered_cannot_be_paid(bill, make_bill_payment):
    make_bill_payment(bill, amount_cents=1_000_00)

    assert set(reasons(bill).values()) == {IneligibleReason.NOTHING_REMAINING}


def test_a_bill_in_another_currency_cannot_be_paid(bill):
    Bill.objects.update(currency_code="EUR")

    assert set(reasons(bill).values()) == {IneligibleReason.OTHER_CURRENCY}


def test_the_supplier_must_have_active_details(
    business, account, make_supplier, make_payee, make_bill
):
    supplier = make_supplier(business)
    make_payee(supplier, ACH)
    make_payee(supplier, WIRE, is_active=False)

    assert reasons(make_bill(supplier)) == {
        ACH: None,
        WIRE: IneligibleReason.PAYEE_INACTIVE,
        ABROAD: IneligibleReason.NO_PAYEE_DETAILS,
        CHECK: IneligibleReason.NO_PAYEE_DETAILS,
    }


def test_the_limit_of_a_payment_holds_to_the_cent(supplier, make_bill):
    at_limit = make_bill(supplier, amount_cents=100_000_00)
    beyond = make_bill(supplier, amount_cents=100_000_01)

    assert reasons(at_limit)[ACH] is None
    assert reasons(beyond)[ACH] == IneligibleReason.OVER_PAYMENT_LIMIT
    assert reasons(beyond)[WIRE] is None


def test_payments_of_the_day_use_up_its_limit(
    business, supplier, bill, make_bill, make_bill_payment
):
    other = make_bill(supplier, amount_cents=900_000_00)
    for status in ["SCHEDULED", "PROCESSING"]:
        make_bill_payment(other, amount_cents=99_500_00, status=status)
    make_bill_payment(other, amount_cents=50_000_01, status="SETTLED", settled_date=TODAY)
    for values in [
        {"status": "CANCELED"},
        {"status": "FAILED", "failure_reason": "Closed"},
        {"method": WIRE},
        {"scheduled_date": later(days=-1).date()},
        {"scheduled_date": later(days=1).date()},
    ]:
        make_bill_payment(other, amount_cents=1_00, **values)
    make_bill_payment(amount_cents=1_00)

    found = offers(bill)

    assert found[ACH].daily_remaining_cents == 250_000_00 - 249_000_01
    assert found[ACH].ineligible_reason == IneligibleReason.OVER_DAILY_LIMIT
    assert found[WIRE].daily_remaining_cents == 1_000_000_00 - 1_00


def test_after_the_cutoff_the_next_days_limit_counts(supplier, bill, make_bill, make_bill_payment):
    other = make_bill(supplier, amount_cents=900_000_00)
    make_bill_payment(other, amount_cents=250_000_00)
    make_bill_payment(other, amount_cents=10_00, scheduled_date=later(days=1).date())

    assert offers(bill)[ACH].daily_remaining_cents == 0
    assert offers(bill, at=later(hours=8))[ACH].daily_remaining_cents == 249_990_00


def test_a_limit_that_was_lowered_is_never_negative(supplier, bill, make_bill_payment):
    make_bill_payment(bill, amount_cents=100_00)
    PaymentRule.objects.update(daily_limit_cents=50_00, per_payment_limit_cents=50_00)

    assert offers(bill)[ACH].daily_remaining_cents == 0


def test_the_balance_must_cover_amount_and_fee(
    business, make_account, make_transaction, make_supplier, make_payee, make_bill
):
    make_transaction(make_account(business), 1_010_00)
    supplier = make_supplier(business)
    for method in PaymentMethod:
        make_payee(supplier, method)

    assert reasons(make_bill(supplier, amount_cents=1_000_00)) == {
        ACH: None,
        WIRE: IneligibleReason.INSUFFICIENT_FUNDS,
        ABROAD: IneligibleReason.INSUFFICIENT_FUNDS,
        CHECK: None,
    }


def test_holds_are_not_available(account, bill, make_transaction):
    make_transaction(account, -999_500_00, pending=True)

    assert reasons(bill)[ACH] == IneligibleReason.INSUFFICIENT_FUNDS


def test_without_an_open_account_nothing_can_be_paid(
    business, make_account, make_supplier, make_payee, make_bill
):
    make_account(business, status=AccountStatus.CLOSED, closed_at=NOON)
    supplier = make_supplier(business)
    make_payee(supplier, ACH)

    assert reasons(make_bill(supplier))[ACH] == IneligibleReason.INSUFFICIENT_FUNDS


def test_the_bill_of_another_business_is_not_found(business, bill, make_business):
    for external_id in [bill.external_id, uuid4(), "BILL-1"]:
        with pytest.raises(Bill.DoesNotExist):
            payment_methods.list_payment_methods(make_business(), external_id, at=NOON)


@pytest.mark.parametrize("count", [3, 30])
def test_the_methods_take_six_statements(
    supplier, bill, make_bill, make_bill_payment, count, django_assert_num_queries
):
    for day in range(count):
        make_bill_payment(bill, amount_cents=1_00, scheduled_date=later(days=day).date())
        make_bill_payment(make_bill(supplier), amount_cents=1_00)

    with django_assert_num_queries(6) as captured:
        payment_methods.list_payment_methods(bill.business, bill.external_id, at=NOON)

    assert not any(
        "account_number" in query["sql"]
        for query in captured.captured_queries
        if "payee" in query["sql"]
    )

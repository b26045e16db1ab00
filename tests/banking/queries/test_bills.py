"""Bills are listed in the order that is asked for, and read with their payments and files."""

from datetime import timedelta
from uuid import uuid4

import pytest

from banking.choices import BillFilter, BillOrder, BillStatus, SettlementStatus, SortDirection
from banking.models import Bill, BillAttachment, PaymentRule
from banking.queries import bills
from banking.reach import Reach
from tests.factories import NOON, PDF, later

SETTLED = {"status": "SETTLED", "settled_date": NOON.date()}
FAILED = {"status": "FAILED", "failure_reason": "The account is closed."}


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def supplier(business, make_supplier):
    return make_supplier(business)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (BillFilter.PENDING, ["PENDING"]),
        (BillFilter.PAID, ["PAID"]),
        (BillFilter.CANCELED, ["CANCELED"]),
        (BillFilter.ALL, ["PENDING", "PAID", "CANCELED"]),
    ],
)
def test_a_filter_shows_the_bills_of_a_status(business, supplier, make_bill, status, expected):
    for stored in BillStatus:
        make_bill(supplier, status=stored)
        make_bill(status=stored)

    page = bills.list_bills(business, status=status)

    assert [bill.status for bill in page.items] == expected
    assert page.total_count == len(expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 0, 2, 3]),
        ({"direction": SortDirection.DESC}, [3, 2, 0, 1]),
        ({"sort_by": BillOrder.CREATE_DATE}, [3, 1, 2, 0]),
        ({"sort_by": BillOrder.CREATE_DATE, "direction": SortDirection.DESC}, [0, 2, 1, 3]),
    ],
)
def test_bills_are_sorted_to_the_last_one(business, supplier, make_bill, options, expected):
    days = [(2, 3), (1, 2), (2, 2), (3, 1)]  # due, created
    made = [
        make_bill(supplier, due_date=later(days=due).date(), created_at=later(days=created))
        for due, created in days
    ]

    page = bills.list_bills(business, **options)

    assert page.items == [made[number] for number in expected]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"first": later(days=2).date()}, [1, 2]),
        ({"last": later(days=2).date()}, [0, 1]),
        ({"first": later(days=2).date(), "last": later(days=2).date()}, [1]),
        ({"sort_by": BillOrder.CREATE_DATE, "first": later(days=5).date()}, [1, 0]),
        ({"sort_by": BillOrder.CREATE_DATE, "last": later(days=5).date()}, [2, 1]),
    ],
)
def test_a_period_is_of_the_date_that_orders(business, supplier, make_bill, options, expected):
    midnight = later(hours=-12)
    days = [(1, 6), (2, 5), (3, 4)]  # due, created at the last moment of the day
    made = [
        make_bill(
            supplier,
            due_date=later(days=due).date(),
            created_at=midnight + timedelta(days=created + 1, microseconds=-1),
        )
        for due, created in days
    ]

    page = bills.list_bills(business, **options)

    assert page.items == [made[number] for number in expected]
    assert page.total_count == len(expected)


@pytest.mark.parametrize("wrong", [{"status": "LATE"}, {"sort_by": "NAME"}, {"direction": "UP"}])
def test_an_unknown_filter_or_order_is_refused(business, wrong):
    with pytest.raises(ValueError, match="is not a valid"):
        bills.list_bills(business, **wrong)


@pytest.mark.parametrize("count", [3, 30])
def test_a_list_takes_two_statements(
    business, make_supplier, make_bill, count, django_assert_num_queries
):
    for _ in range(count):
        make_bill(make_supplier(business))

    with django_assert_num_queries(2):
        page = bills.list_bills(business)
        names = {bill.supplier.name for bill in page.items}

    assert len(names) == count


def test_bills_come_in_pages(business, supplier, make_bill):
    made = [make_bill(supplier) for _ in range(5)]

    pages = [bills.list_bills(business, page=page, page_size=2) for page in range(3)]

    assert [bill for page in pages for bill in page.items] == made
    assert (pages[2].total_count, pages[2].total_pages) == (5, 3)


@pytest.mark.parametrize("count", [3, 30])
def test_a_bill_is_read_in_three_statements(
    business,
    supplier,
    make_bill,
    make_bill_payment,
    make_bill_attachment,
    count,
    django_assert_num_queries,
):
    bill = make_bill(supplier, amount_cents=100_000)
    for _ in range(count):
        make_bill_payment(bill)
        make_bill_attachment(bill)
    make_bill_attachment(make_bill(supplier))

    with django_assert_num_queries(3):
        detail = bills.get_bill_detail(business, str(bill.external_id))
        name = detail.bill.supplier.name

    assert (detail.bill, name) == (bill, supplier.name)
    assert len(detail.payments) == len(detail.attachments) == count
    assert detail.remaining_cents == 100_000 - count * 1_000


@pytest.mark.parametrize(
    ("payments", "remaining", "status"),
    [
        ([], 1_000, SettlementStatus.UNPAID),
        ([{"amount_cents": 400}], 600, SettlementStatus.UNPAID),
        ([{"amount_cents": 400, "status": "PROCESSING"}], 600, SettlementStatus.PROCESSING),
        ([{"amount_cents": 400, **FAILED}], 1_000, SettlementStatus.UNPAID),
        ([{"amount_cents": 400, "status": "CANCELED"}], 1_000, SettlementStatus.UNPAID),
        ([{"amount_cents": 400, **SETTLED}], 600, SettlementStatus.PARTIALLY_SETTLED),
        (
            [{"amount_cents": 400, **SETTLED}, {"amount_cents": 600, "status": "PROCESSING"}],
            0,
            SettlementStatus.PARTIALLY_SETTLED,
        ),
        (
            [{"amount_cents": 400, **SETTLED}, {"amount_cents": 600, **SETTLED}],
            0,
            SettlementStatus.SETTLED,
        ),
        ([{"amount_cents": 1_200, **SETTLED}], 0, SettlementStatus.SETTLED),
    ],
)
def test_what_remains_and_what_is_settled_follow_from_the_payments(
    business, supplier, make_bill, make_bill_payment, payments, remaining, status
):
    bill = make_bill(supplier, amount_cents=1_000)
    for values in payments:
        make_bill_payment(bill, **values)

    detail = bills.get_bill_detail(business, bill.external_id)

    assert (detail.remaining_cents, detail.settlement_status) == (remaining, status)


def test_payments_come_in_the_order_of_their_dates(
    business, supplier, make_bill, make_bill_payment
):
    bill = make_bill(supplier)
    days = [2, 1, 2]
    made = [make_bill_payment(bill, scheduled_date=later(days=day).date()) for day in days]

    detail = bills.get_bill_detail(business, bill.external_id)

    assert detail.payments == [made[1], made[0], made[2]]


def test_the_bill_of_another_business_is_not_found(business, make_bill):
    for external_id in [make_bill().external_id, uuid4(), "BILL-1"]:
        with pytest.raises(Bill.DoesNotExist):
            bills.get_bill_detail(business, external_id)


def test_an_attachment_is_found_by_its_document_id(
    business, supplier, make_bill, make_bill_attachment, django_assert_num_queries
):
    attachment = make_bill_attachment(make_bill(supplier))

    with django_assert_num_queries(1):
        found = bills.get_attachment(business, str(attachment.external_id))

    assert found == attachment
    assert found.read().content == PDF


def test_the_attachment_of_another_business_is_not_found(business, make_bill_attachment):
    for document_id in [make_bill_attachment().external_id, uuid4(), "bill.pdf"]:
        with pytest.raises(BillAttachment.DoesNotExist):
            bills.get_attachment(business, document_id)


def test_scheduled_payments_are_due_from_their_day_on(make_bill_payment):
    today, tomorrow = [make_bill_payment(scheduled_date=later(days=days).date()) for days in (0, 1)]
    make_bill_payment(**FAILED)

    assert list(bills.list_due_payments(at=NOON)) == [today]
    assert list(bills.list_due_payments(at=later(days=1))) == [today, tomorrow]


@pytest.mark.parametrize(
    ("sent_on", "arrives_on"),
    [(0, 2), (3, 7), (5, 9)],  # Monday to Wednesday; over a weekend; on one
)
def test_payments_arrive_after_the_business_days_of_their_method(
    make_bill_payment, make_transaction, sent_on, arrives_on
):
    PaymentRule.objects.filter(method="ACH").update(business_days=2)
    hold = make_transaction(amount_cents=-1000, at=later(days=sent_on), pending=True)
    payment = make_bill_payment(status="PROCESSING", transaction=hold)

    assert bills.list_arrived_payments(at=later(days=arrives_on - 1)) == []
    assert bills.list_arrived_payments(at=later(days=arrives_on)) == [payment]


def test_a_payment_whose_hold_ended_travels_no_more(make_bill_payment, make_transaction):
    payment = make_bill_payment(status="PROCESSING", transaction=make_transaction(amount_cents=-9))

    assert bills.list_arrived_payments(at=NOON) == [payment]


@pytest.mark.parametrize("count", [3, 30])
def test_a_page_in_full_takes_four_statements_and_tells_what_one_bill_tells(
    business,
    supplier,
    make_bill,
    make_bill_payment,
    make_bill_attachment,
    count,
    django_assert_num_queries,
):
    for _ in range(count):
        bill = make_bill(supplier, amount_cents=100_000)
        make_bill_payment(bill)
        make_bill_attachment(bill)

    with django_assert_num_queries(4):
        page = bills.list_bill_details(business)

    assert page.total_count == count
    assert page.items[-1] == bills.get_bill_detail(business, str(bill.external_id))


def test_a_bill_of_a_day_out_of_reach_is_not_there(business, supplier, make_bill):
    bill = make_bill(supplier)

    assert bills.get_bill(business, bill.external_id, Reach(first=NOON.date())) == bill
    with pytest.raises(Bill.DoesNotExist):
        bills.get_bill(business, bill.external_id, Reach(first=later(days=1).date()))

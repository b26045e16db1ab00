"""Invoices add up, are sent once, and are paid to the cent."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from hypothesis import given
from hypothesis import strategies as st

from banking.choices import DiscountType, InvoiceStatus
from banking.money import InvalidAmount
from banking.queries.invoices import get_invoice
from banking.services import holds, invoices, ledger
from banking.services.invoices import Discount, InvoiceDetails, Line
from banking.transitions import InvalidTransition
from tests.factories import NOON, later, make_account, make_transaction

PERCENT, AMOUNT = DiscountType
TWO_HOURS = [Line("Design", 9_550, Decimal(2))]


def details(lines=TWO_HOURS, **values):
    values = {
        "number": "INV-1",
        "recipient_name": "Example Customer",
        "recipient_email": "customer@example.com",
        "issue_date": date(2026, 3, 2),
        "due_date": date(2026, 4, 1),
        **values,
    }
    return InvoiceDetails(lines=lines, **values)


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def draft(business):
    return invoices.create_invoice(business, details(), at=NOON)


@pytest.fixture
def sent(draft):
    return invoices.send_invoice(draft)


def test_a_draft_adds_up(business):
    invoice = invoices.create_invoice(
        business,
        details(
            lines=[Line("Design", 9_550, Decimal("2.5")), Line("Fonts", 3_000)],
            discounts=[Discount("Loyal", PERCENT, Decimal("10.5")), Discount("Coupon", AMOUNT, 5)],
            sales_tax_percent=Decimal("8.875"),
        ),
        at=NOON,
    )

    read = get_invoice(business, invoice.external_id)
    assert (read.invoice.status, read.invoice.pay_url) == (InvoiceStatus.DRAFT, "")
    assert [(line.position, line.amount_cents) for line in read.lines] == [(1, 23_875), (2, 3_000)]
    assert [discount.amount_cents for discount in read.discounts] == [2_822, 500]
    assert read.invoice.subtotal_cents == 26_875
    assert read.invoice.discount_cents == 3_322
    assert read.invoice.sales_tax_cents == 2_090  # 8.875 % of 235.53 is 20.9033
    assert read.invoice.total_cents == 25_643


@pytest.mark.parametrize(
    ("quantity", "price", "amount"), [("0.5", 1, 1), ("0.333", 100, 33), ("1.005", 100, 101)]
)
def test_half_a_cent_of_a_line_is_rounded_up(quantity, price, amount):
    assert Line("Work", price, Decimal(quantity)).amount_cents == amount


@given(
    lines=st.lists(
        st.builds(
            Line,
            name=st.just("Work"),
            unit_price_cents=st.integers(0, 10**9),
            quantity=st.decimals("0.001", "99999", places=3),
        ),
        min_size=1,
        max_size=5,
    ),
    percents=st.lists(st.decimals("0.01", "49.99", places=2), max_size=2),
    tax=st.decimals(0, 20, places=3),
)
def test_the_sums_never_break_the_constraints(lines, percents, tax):
    discounts = [Discount("Some", PERCENT, percent) for percent in percents]

    wanted = details(lines=lines, discounts=discounts, sales_tax_percent=tax)

    assert 0 <= wanted.discount_cents <= wanted.subtotal_cents
    assert wanted.sales_tax_cents >= 0


def test_a_number_is_given_once_in_a_business(business, draft, make_business):
    with pytest.raises(invoices.NumberTaken):
        invoices.create_invoice(business, details(), at=NOON)

    assert invoices.create_invoice(make_business(), details(), at=NOON)
    assert business.invoices.count() == 1


def test_an_invoice_without_lines_is_refused(business):
    with pytest.raises(ValueError, match="line at least"):
        invoices.create_invoice(business, details(lines=[]), at=NOON)


def test_discounts_beyond_the_subtotal_are_refused(business):
    coupon = Discount("Coupon", AMOUNT, Decimal("191.01"))

    with pytest.raises(invoices.DiscountTooLarge):
        invoices.create_invoice(business, details(discounts=[coupon]), at=NOON)


@pytest.mark.parametrize(
    "values",
    [
        {"discounts": [Discount("Friend", PERCENT, Decimal(100))]},
        {"lines": [Line("Advice", 0)], "sales_tax_percent": Decimal(8)},
    ],
)
def test_an_invoice_over_nothing_is_refused(business, values):
    with pytest.raises(invoices.NothingToPay):
        invoices.create_invoice(business, details(**values), at=NOON)

    assert not business.invoices.exists()


@pytest.mark.parametrize(
    "values",
    [
        {"recipient_email": "nobody"},
        {"number": "9" * 41},
        {"sales_tax_percent": Decimal("8.8751")},
        {"lines": [Line("Work", 100, Decimal("0.3333"))]},
        {"lines": [Line("", 100)]},
        {"discounts": [Discount("Some", PERCENT, Decimal("1.001"))]},
        {"discounts": [Discount("Some", "GIFT", Decimal(1))]},
    ],
)
def test_a_value_that_its_column_does_not_hold_is_refused(business, values):
    with pytest.raises(ValidationError):
        invoices.create_invoice(business, details(**values), at=NOON)

    assert not business.invoices.exists()


def test_a_discount_of_half_a_cent_is_refused(business):
    with pytest.raises(InvalidAmount):
        invoices.create_invoice(
            business, details(discounts=[Discount("Some", AMOUNT, Decimal("0.005"))]), at=NOON
        )


def test_an_invoice_that_is_due_before_it_is_issued_is_refused(business):
    with pytest.raises(IntegrityError, match="invoice_due_after_issue"):
        invoices.create_invoice(business, details(due_date=date(2026, 3, 1)), at=NOON)


def test_an_invoice_is_sent_once_with_a_link_of_its_own(business, draft, settings):
    settings.BASE_URL = "https://bank.example.com"
    other = invoices.create_invoice(business, details(number="INV-2"), at=NOON)

    links = {invoices.send_invoice(row).pay_url for row in (draft, other)}

    assert len(links) == 2
    assert all(link.startswith("https://bank.example.com/pay/") for link in links)
    with pytest.raises(InvalidTransition):
        invoices.send_invoice(draft)


def test_a_payment_in_full_settles_an_invoice(business, sent, make_account, make_transaction):
    payment = make_transaction(make_account(business), 19_100)

    paid = invoices.record_payment(sent, 19_100, at=later(days=3), payment=payment)

    paid.refresh_from_db()
    assert (paid.status, paid.paid_cents, paid.paid_date) == ("PAID", 19_100, date(2026, 3, 5))
    assert paid.payment == payment


def test_a_payment_in_part_leaves_it_open(sent):
    paid = invoices.record_payment(sent, 100, at=NOON)
    assert (paid.status, paid.paid_cents, paid.paid_date) == ("SENT", 100, None)

    paid = invoices.record_payment(sent, 19_000, at=NOON)
    assert (paid.status, paid.paid_cents) == ("PAID", 19_100)


def test_the_same_transaction_is_counted_once(business, sent, make_account, make_transaction):
    payment = make_transaction(make_account(business), 100)

    for _ in range(2):
        paid = invoices.record_payment(sent, 100, at=NOON, payment=payment)

    assert paid.paid_cents == 100


def test_an_invoice_names_one_transaction(business, sent, make_account, make_transaction):
    account = make_account(business)
    first, second = [make_transaction(account, 100) for _ in range(2)]
    invoices.record_payment(sent, 100, at=NOON, payment=first)

    with pytest.raises(invoices.WrongPayment):
        invoices.record_payment(sent, 100, at=NOON, payment=second)

    assert invoices.record_payment(sent, 19_000, at=NOON).payment == first


@pytest.mark.parametrize("amount_cents", [0, -1, 19_101])
def test_a_payment_that_does_not_fit_is_refused(sent, amount_cents):
    with pytest.raises(invoices.WrongPayment):
        invoices.record_payment(sent, amount_cents, at=NOON)


def test_a_payment_of_another_business_or_amount_is_refused(
    business, sent, make_account, make_transaction
):
    account = make_account(business)

    for payment in [make_transaction(amount_cents=100), make_transaction(account, 99)]:
        with pytest.raises(invoices.WrongPayment):
            invoices.record_payment(sent, 100, at=NOON, payment=payment)


@pytest.fixture
def posted(business, make_account, make_transaction):
    return make_transaction(make_account(business), 19_100)


@pytest.mark.parametrize("end", [lambda row: row, holds.release])
def test_what_is_not_posted_pays_nothing(business, sent, make_account, make_transaction, end):
    row = make_transaction(make_account(business), 19_100, pending=True)
    end(row)

    with pytest.raises(invoices.WrongPayment, match="not posted"):
        invoices.record_payment(sent, 19_100, at=NOON, payment=row)

    sent.refresh_from_db()
    assert (sent.status, sent.paid_cents) == (InvoiceStatus.SENT, 0)


def test_what_was_reversed_pays_nothing(sent, posted):
    ledger.reverse(posted.posting, at=NOON, reason="Returned")

    with pytest.raises(invoices.WrongPayment, match="reversed"):
        invoices.record_payment(sent, 19_100, at=NOON, payment=posted)


def test_a_transaction_pays_one_invoice(business, sent, posted):
    other = invoices.send_invoice(
        invoices.create_invoice(business, details(number="INV-2"), at=NOON)
    )
    invoices.record_payment(sent, 19_100, at=NOON, payment=posted)

    with pytest.raises(invoices.WrongPayment, match="another invoice"):
        invoices.record_payment(other, 19_100, at=NOON, payment=posted)


def test_what_is_not_sent_takes_no_payment(draft):
    with pytest.raises(InvalidTransition):
        invoices.record_payment(draft, 100, at=NOON)

    invoices.cancel_invoice(draft)
    with pytest.raises(InvalidTransition):
        invoices.record_payment(draft, 100, at=NOON)


def test_what_was_paid_is_not_canceled(sent):
    invoices.record_payment(sent, 100, at=NOON)

    with pytest.raises(InvalidTransition):
        invoices.cancel_invoice(sent)


def test_an_unpaid_invoice_is_canceled_once(sent):
    assert invoices.cancel_invoice(sent).status == InvoiceStatus.CANCELED

    with pytest.raises(InvalidTransition):
        invoices.cancel_invoice(sent)


def test_eight_payments_at_once_never_pay_too_much(raced, in_threads):
    outcomes = in_threads(lambda _: invoices.record_payment(raced, 5_000, at=NOON), range(8))

    raced.refresh_from_db()
    assert [type(outcome) for outcome in outcomes].count(invoices.WrongPayment) == 5
    assert raced.paid_cents == 15_000


def test_two_invoices_at_once_count_a_transaction_once(raced, in_threads):
    business = raced.business
    others = [
        invoices.send_invoice(
            invoices.create_invoice(business, details(number=f"INV-{number}"), at=NOON)
        )
        for number in range(2, 5)
    ]
    payment = make_transaction(make_account(business), 19_100)

    outcomes = in_threads(
        lambda invoice: invoices.record_payment(invoice, 19_100, at=NOON, payment=payment), others
    )

    assert [type(outcome) for outcome in outcomes].count(invoices.WrongPayment) == 2
    assert business.invoices.filter(payment=payment).count() == 1


@pytest.fixture
def raced(make_business, in_threads):
    invoice = invoices.create_invoice(make_business(), details(), at=NOON)
    return invoices.send_invoice(invoice)

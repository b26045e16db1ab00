from datetime import UTC, date, datetime, timedelta

import pytest

from banking.choices import AccountType, BillFrequency
from banking.queries.forecasts import BILLS, INVOICES, OTHER, forecast_cash
from tests.factories import make_bill_payment

TODAY = date(2026, 4, 10)
MARCH = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def account(business, make_account, make_transaction):
    """A checking account with 10,000 dollars for longer than the history."""
    account = make_account(business, opened_at=datetime(2025, 1, 1, tzinfo=UTC))
    make_transaction(account, 1_000_000, at=datetime(2025, 6, 1, tzinfo=UTC))
    return account


@pytest.fixture
def business(make_business):
    return make_business()


def moved(forecast, part):
    return {
        week.end_date: getattr(week, f"{part}_cents")
        for week in forecast.weeks
        if getattr(week, f"{part}_cents")
    }


def test_cash_is_all_money_less_holds_and_without_credit(
    business, account, make_account, make_transaction
):
    make_transaction(
        make_account(business, account_type=AccountType.SAVING_BUCKET), 5_000, at=MARCH
    )
    make_account(business, account_type=AccountType.LOC, credit_limit_cents=90_000)
    make_transaction(account, -700, at=MARCH, pending=True)

    forecast = forecast_cash(business, today=TODAY, days=7, parts=[])

    assert forecast.cash_cents == 1_000_000 + 5_000 - 700
    assert [week.cash_cents for week in forecast.weeks] == [forecast.cash_cents]


def test_bills_leave_on_their_due_date_or_at_once_and_come_again(
    business, account, make_supplier, make_bill
):
    supplier = make_supplier(business)
    make_bill(supplier, 1_000, due_date=TODAY - timedelta(days=9))
    partly = make_bill(supplier, 2_000, due_date=TODAY + timedelta(days=8))
    make_bill_payment(partly, amount_cents=500)
    make_bill(
        supplier,
        300,
        status="PAID",
        frequency=BillFrequency.MONTHLY,
        next_payment_date=date(2026, 4, 30),
        recurrence_end_date=date(2026, 6, 15),
    )
    make_bill(supplier, 9_900, currency_code="EUR", due_date=TODAY)

    forecast = forecast_cash(business, today=TODAY, days=90, parts=[BILLS])

    assert list(moved(forecast, "bills").values()) == [-1_000, -1_500, -300, -300]
    assert forecast.weeks[-1].cash_cents == 1_000_000 - 3_100
    assert forecast.weeks[-1].end_date == TODAY + timedelta(days=90)
    assert forecast.lowest.cash_cents == forecast.weeks[-1].cash_cents


def test_a_bill_of_the_31st_is_paid_on_it_again_after_a_short_month(
    business, account, make_supplier, make_bill
):
    make_bill(
        make_supplier(business),
        300,
        status="PAID",
        frequency=BillFrequency.MONTHLY,
        next_payment_date=date(2026, 8, 31),
    )

    forecast = forecast_cash(business, today=TODAY, days=210, parts=[BILLS])

    week_of_october_31 = date(2026, 11, 6)  # a Saturday; the day before is in the week before
    assert list(moved(forecast, "bills")) == [
        date(2026, 9, 4),
        date(2026, 10, 2),
        week_of_october_31,
    ]


def test_invoices_come_on_their_due_date_or_late(business, account, make_invoice):
    make_invoice(business, 400, due_date=TODAY + timedelta(days=1))
    make_invoice(business, 600, due_date=TODAY - timedelta(days=1), issue_date=date(2026, 3, 1))

    forecast = forecast_cash(business, today=TODAY, days=40, parts=[INVOICES])

    assert moved(forecast, "invoices") == {
        TODAY + timedelta(days=7): 400,
        TODAY + timedelta(days=35): 600,
    }


def test_all_else_goes_on_as_before(business, account, make_transaction):
    make_transaction(account, -90_000, at=MARCH)
    make_transaction(account, -5_000, at=MARCH, category_id="TRANSFERS_OUT")
    make_transaction(account, 900_000, at=datetime(2026, 1, 2, tzinfo=UTC))  # before the history

    forecast = forecast_cash(business, today=TODAY, days=14, parts=[OTHER])

    assert set(moved(forecast, "other").values()) == {-7_000}
    assert "2026-01-10 to 2026-04-09" in forecast.assumptions[1]
    assert forecast.assumptions[-1] == "What the user did not grant is left out."


@pytest.mark.parametrize("count", [1, 9])
def test_a_forecast_takes_six_statements(
    business, account, make_supplier, make_bill, make_invoice, count, django_assert_num_queries
):
    for _ in range(count):
        make_bill(make_supplier(business), 100)
        make_invoice(business, 100)

    with django_assert_num_queries(6):
        forecast_cash(business, today=TODAY)

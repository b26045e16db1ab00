from datetime import UTC, date, datetime

import pytest

from banking.choices import AccountType, ChartType, Granularity
from banking.queries.summaries import NotApplicable, Point, get_financial_summary
from banking.services import ledger
from tests.factories import NOON

MARCH_2 = date(2026, 3, 2)


@pytest.fixture
def account(make_account, make_transaction):
    """An account that sold, spent, got money back, set money aside and waits for more."""
    account = make_account()
    bucket = make_account(account.business, account_type=AccountType.TAX_BUCKET)
    make_transaction(account, 100_000, category_id="SALES")
    make_transaction(account, -30_000, category_id="RENT")
    make_transaction(account, -5_000, category_id="MEALS", is_business=False)
    make_transaction(
        account, 1_000, category_id="RENT", at=datetime(2026, 3, 31, 23, 59, tzinfo=UTC)
    )
    make_transaction(account, 7_000, category_id="SERVICES", at=datetime(2026, 1, 5, tzinfo=UTC))
    make_transaction(account, 900, category_id="SALES", at=datetime(2025, 12, 31, tzinfo=UTC))
    make_transaction(account, 50_000, category_id="SALES", pending=True)
    for category in ("OWNER_INVESTMENT", "LOAN_PROCEEDS"):
        make_transaction(account, 40_000, category_id=category)
    for category in ("OWNER_DRAW", "CASH_WITHDRAWAL", "LOAN_PRINCIPAL"):
        make_transaction(account, -6_000, category_id=category)
    make_transaction(category_id="SALES")
    ledger.transfer(
        source=account, target=bucket, amount_cents=20_000, at=NOON, description="Set aside"
    )
    return account


def sums(summary):
    return {point.period: point.amount_cents for point in summary.series if point.amount_cents}


@pytest.mark.parametrize(
    ("chart_type", "total", "by_day"),
    [
        (ChartType.INCOME, 100_000, {"2026-03-02": 100_000}),
        (ChartType.EXPENSE, 34_000, {"2026-03-02": 35_000, "2026-03-31": -1_000}),
        (ChartType.PROFIT, 71_000, {"2026-03-02": 70_000, "2026-03-31": 1_000}),
    ],
)
def test_a_month_is_summed_up_by_day(account, chart_type, total, by_day):
    summary = get_financial_summary(account.business, chart_type, date(2026, 3, 17))

    assert (summary.chart_type, summary.granularity) == (chart_type, Granularity.MONTH)
    assert summary.total_cents == total
    assert sums(summary) == by_day
    assert len(summary.series) == 31


@pytest.mark.parametrize(
    ("granularity", "periods", "total"),
    [
        (Granularity.QUARTER, 3, 107_000),
        (Granularity.YEAR, 12, 107_000),
    ],
)
def test_a_longer_period_is_summed_up_by_month(account, granularity, periods, total):
    summary = get_financial_summary(account.business, ChartType.INCOME, MARCH_2, granularity)

    assert summary.total_cents == total
    assert sums(summary) == {"2026-01": 7_000, "2026-03": 100_000}
    assert summary.series[0] == Point("2026-01", 7_000)
    assert len(summary.series) == periods


def test_the_last_quarter_ends_with_the_year(account):
    summary = get_financial_summary(
        account.business, ChartType.INCOME, date(2025, 11, 30), Granularity.QUARTER
    )

    assert [point.period for point in summary.series] == ["2025-10", "2025-11", "2025-12"]
    assert summary.total_cents == 900


@pytest.mark.parametrize(("is_business", "total"), [(True, 29_000), (False, 5_000)])
def test_private_expenses_are_told_apart(account, is_business, total):
    summary = get_financial_summary(
        account.business, ChartType.EXPENSE, MARCH_2, is_business=is_business
    )

    assert summary.total_cents == total


@pytest.mark.parametrize("is_business", [True, False])
def test_a_profit_is_of_business_transactions_alone(make_business, is_business):
    with pytest.raises(NotApplicable):
        get_financial_summary(make_business(), ChartType.PROFIT, MARCH_2, is_business=is_business)


def test_a_summary_covers_no_single_day(make_business):
    with pytest.raises(ValueError, match="DAY"):
        get_financial_summary(make_business(), ChartType.INCOME, MARCH_2, Granularity.DAY)


@pytest.mark.parametrize("chart_type", ChartType)
@pytest.mark.parametrize("granularity", [Granularity.MONTH, Granularity.YEAR])
def test_a_summary_is_one_statement(account, chart_type, granularity, django_assert_num_queries):
    with django_assert_num_queries(1):
        get_financial_summary(account.business, chart_type, MARCH_2, granularity)


def test_a_reversal_leaves_nothing(make_account, make_transaction):
    row = make_transaction(account := make_account(), 4_000, category_id="SALES")
    ledger.reverse(row.posting, at=NOON, reason="twice")

    assert get_financial_summary(account.business, ChartType.INCOME, MARCH_2).total_cents == 0

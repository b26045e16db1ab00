from datetime import UTC, date, datetime

import pytest

from banking.queries import cash_flows
from banking.queries.cash_flows import MonthFlow
from banking.reach import Reach
from banking.services import ledger
from tests import factories

DAY = date(2026, 3, 17)


@pytest.fixture
def account(make_account):
    return make_account()


def flows(account, **options):
    return cash_flows.list_cash_flows(account.business, through=DAY, **options)


def test_there_are_twelve_months_the_oldest_first(account):
    months = [flow.month for flow in flows(account)]

    assert (months[0], months[-1]) == (date(2025, 4, 1), date(2026, 3, 1))
    assert months == sorted(set(months))
    assert len(months) == 12


def test_a_month_has_what_came_and_what_left(account, make_transaction):
    make_transaction(account, 5_000, at=datetime(2026, 1, 31, 23, 59, tzinfo=UTC))
    make_transaction(account, 3_000, at=datetime(2026, 2, 1, tzinfo=UTC))
    make_transaction(account, -700, at=datetime(2026, 2, 28, tzinfo=UTC))

    assert flows(account, months=3) == [
        MonthFlow(date(2026, 1, 1), 5_000, 0),
        MonthFlow(date(2026, 2, 1), 3_000, 700),
        MonthFlow(date(2026, 3, 1), 0, 0),
    ]


def test_what_is_pending_or_stays_with_the_business_does_not_count(account, make_transaction):
    make_transaction(account, 5_000)
    make_transaction(account, -100, pending=True)
    bucket = factories.make_account(account.business, account_type="TAX_BUCKET")
    ledger.transfer(
        source=account, target=bucket, amount_cents=900, at=factories.NOON, description="Taxes"
    )

    assert flows(account, months=1) == [MonthFlow(date(2026, 3, 1), 5_000, 0)]


def test_a_period_has_what_moved_on_its_days(account, make_transaction):
    for cents, day, category in (
        (9_000, 1, "SALES"),
        (5_000, 2, "OWNER_INVESTMENT"),
        (-700, 3, "OWNER_DRAW"),
        (-300, 3, "TRANSFERS_OUT"),
        (-100, 4, "RENT"),
    ):
        at = datetime(2026, 3, day, tzinfo=UTC)
        make_transaction(account, cents, at=at, category_id=category)

    flow = cash_flows.get_cash_flow(account.business, first=date(2026, 3, 2), last=date(2026, 3, 3))

    assert (flow.in_cents, flow.out_cents, flow.net_cents) == (5_000, 700, 4_300)


def test_a_period_has_the_accounts_in_reach(account, make_transaction):
    make_transaction(account, 5_000)
    days = {"first": date(2026, 3, 1), "last": date(2026, 3, 31)}

    flow = cash_flows.get_cash_flow(account.business, reach=Reach(accounts=frozenset()), **days)

    assert (flow.in_cents, flow.out_cents) == (0, 0)


def test_another_business_counts_for_itself(account, make_transaction):
    make_transaction(amount_cents=5_000)

    assert flows(account, months=1) == [MonthFlow(date(2026, 3, 1), 0, 0)]


def test_a_year_takes_one_statement(account, make_transaction, django_assert_num_queries):
    make_transaction(account, 5_000)

    with django_assert_num_queries(1):
        flows(account)

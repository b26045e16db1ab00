from datetime import UTC, date, datetime

import pytest

from banking.choices import AccountType
from banking.models import TaxBucket, TaxStatement
from banking.services import holds, ledger, taxes
from tests.factories import draft_transaction

LATE = datetime(2026, 7, 2, tzinfo=UTC)


@pytest.fixture
def business(make_business):
    return make_business(incorporation_state="TX", created_at=datetime(2025, 10, 5, tzinfo=UTC))


@pytest.fixture
def account(business, make_account, make_transaction):
    account = make_account(business)
    for month in (1, 4):
        make_transaction(account, 4_000_000, at=datetime(2026, month, 5, tzinfo=UTC))
    return account


def make(through, at=LATE):
    return list(taxes.make_tax_statements(through=through, at=at))


def test_each_period_that_ended_gets_a_paper_once(account):
    outcomes = make(date(2026, 6, 30))

    made = list(TaxStatement.objects.order_by("tax_year", "quarter"))
    assert not any(outcome.fault for outcome in outcomes)
    assert [(row.tax_year, row.quarter) for row in made] == [
        (2025, 4),
        (2025, 5),
        (2026, 1),
        (2026, 2),
    ]
    assert made[0].read().content.startswith(b"%PDF-")
    assert made[0].file_name == "tax-statement-2025-q4.pdf"
    assert make(date(2026, 6, 30)) == []


def test_a_period_of_a_year_without_tables_gets_its_paper_by_the_last_ones(account, business):
    at = datetime(2027, 4, 2, tzinfo=UTC)

    outcomes = make(date(2027, 3, 31), at=at)

    assert [outcome.period for outcome in outcomes][-1] == taxes.Period(2027, 1)
    assert not any(outcome.fault for outcome in outcomes)
    notes = taxes.compose(business, taxes.Period(2027, 1), at).notes
    assert notes[0] == "There are no tax tables of 2027 yet; those of 2026 are used."


def test_the_quarters_of_a_year_add_up_to_its_tax(account, business):
    periods = [taxes.Period(2026, quarter) for quarter in range(1, 6)]
    contents = [taxes.compose(business, period, LATE) for period in periods]

    sums = [paper.estimated_tax_cents for paper in contents]
    assert sum(sums[:4]) == sums[4] > 0
    assert [paper.income_cents for paper in contents] == [4_000_000, 4_000_000, 0, 0, 8_000_000]


def test_a_paper_waits_for_pending_transactions_and_counts_them_on_their_day(account, business):
    at = datetime(2026, 4, 1, 6, tzinfo=UTC)
    late = draft_transaction(account, 100_000, occurred_at=datetime(2026, 3, 30, tzinfo=UTC))
    pending = holds.hold(late)
    assert taxes.Period(2026, 1) not in [outcome.period for outcome in make(date(2026, 3, 31), at)]

    holds.settle(pending, at=datetime(2026, 4, 2, tzinfo=UTC))

    outcomes = make(date(2026, 3, 31), datetime(2026, 4, 2, 6, tzinfo=UTC))
    assert [outcome.period for outcome in outcomes] == [taxes.Period(2026, 1)]
    first, second = (
        taxes.compose(business, taxes.Period(2026, quarter), LATE) for quarter in (1, 2)
    )
    assert (first.income_cents, second.income_cents) == (4_100_000, 4_000_000)


def test_a_transaction_that_stays_pending_is_left_out(account):
    late = draft_transaction(account, 100_000, occurred_at=datetime(2026, 3, 30, tzinfo=UTC))
    holds.hold(late)

    outcomes = make(date(2026, 3, 31), datetime(2026, 4, 15, tzinfo=UTC))

    assert taxes.Period(2026, 1) in [outcome.period for outcome in outcomes]


def test_a_state_without_figures_stops_nobody_else(make_business, account):
    unknown = make_business(incorporation_state="PR", created_at=datetime(2025, 1, 1, tzinfo=UTC))

    outcomes = make(date(2026, 3, 31))

    faults = {outcome.business for outcome in outcomes if outcome.fault}
    assert faults == {unknown}
    assert account.business.tax_statements.count() == 3


def test_what_was_set_aside_is_told(account, business, make_account):
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    TaxBucket.objects.create(account=bucket)
    for source, target, amount, month in [(account, bucket, 900, 2), (bucket, account, 300, 5)]:
        ledger.transfer(
            source=source,
            target=target,
            amount_cents=amount,
            at=datetime(2026, month, 9, tzinfo=UTC),
            description="Set aside",
        )

    paper = taxes.compose(business, taxes.Period(2026, 2), LATE)

    assert paper.set_aside_opening_cents == 900
    assert (paper.set_aside_in_cents, paper.set_aside_out_cents) == (0, -300)
    assert paper.set_aside_balance_cents == 600


@pytest.mark.parametrize(
    ("quarter", "first", "last"),
    [
        (1, "2026-01-01", "2026-03-31"),
        (4, "2026-10-01", "2026-12-31"),
        (5, "2026-01-01", "2026-12-31"),
    ],
)
def test_periods_have_their_days(quarter, first, last):
    period = taxes.Period(2026, quarter)

    assert (str(period.first), str(period.last)) == (first, last)


def test_two_makers_make_one_paper(make_business, in_threads):
    business = make_business(incorporation_state="TX", created_at=datetime(2025, 1, 1, tzinfo=UTC))

    made = in_threads(
        lambda _: taxes.make_tax_statement(business, period=taxes.Period(2025, 1), at=LATE),
        range(4),
    )

    assert len(set(made)) == TaxStatement.objects.count() == 1

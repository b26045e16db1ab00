from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banking.choices import AccountStatus, AccountType, TransactionType
from banking.models import Account, Statement
from banking.queries.ledger import find_differences
from banking.services import ledger, statements
from tests.factories import LONG_AGO, draft_transaction

OPENED = datetime(2026, 1, 15, tzinfo=UTC)
MARCH = date(2026, 3, 31)
APRIL = datetime(2026, 4, 2, 12, tzinfo=UTC)


@pytest.fixture
def account(make_account):
    return make_account(opened_at=OPENED)


def close(through=MARCH, at=APRIL):
    return list(statements.close_months(through=through, at=at))


def post(account, cents, day, **values):
    at = datetime(2026, *day, 12, tzinfo=UTC)
    row = draft_transaction(account, cents, occurred_at=at, **values)
    return ledger.post(row, at=at, allow_overdraft=True)


def test_months_are_closed_from_the_first_on(account):
    post(account, 5_000, (1, 20))
    post(account, -1_200, (3, 3))
    post(account, -300, (3, 4), transaction_type=TransactionType.FEE)

    made = close()

    assert [(row.year, row.month) for row in made] == [(2026, 1), (2026, 2), (2026, 3)]
    assert [row.closing_cents for row in made] == [5_000, 5_000, 3_500]
    assert (made[2].in_cents, made[2].out_cents, made[2].transaction_count) == (0, 1_500, 2)
    assert not list(find_differences())


def test_the_paper_is_kept_by_its_hash(account):
    post(account, 5_000, (1, 20))

    statement = close()[0]

    kept = statement.read()
    assert kept.content.startswith(b"%PDF-")
    assert kept.file_name == f"statement-2026-01-{account.account_number[-4:]}.pdf"
    assert (statement.size_bytes, len(statement.sha256)) == (len(kept.content), 64)


def test_what_is_closed_is_not_closed_again(account):
    close()

    assert close() == []
    assert Statement.objects.count() == 3


def test_nothing_is_posted_into_a_closed_month(account):
    close()

    with pytest.raises(ledger.MonthClosed):
        post(account, 100, (3, 31))
    post(account, 100, (4, 1))


def test_a_month_that_is_not_over_stays_open(account):
    with pytest.raises(statements.MonthNotOver):
        close(through=date(2026, 4, 1))


def test_the_bank_and_the_cards_have_no_statements(make_account):
    make_account(account_type=AccountType.SECURED_CARD_COLLATERAL, opened_at=OPENED)

    assert close() == []


def test_an_account_that_closed_has_a_last_statement(account):
    february = datetime(2026, 2, 10, tzinfo=UTC)
    Account.objects.filter(pk=account.pk).update(status=AccountStatus.CLOSED, closed_at=february)

    assert [row.month for row in close()] == [1, 2]


def test_a_statement_takes_the_same_statements_for_more_transactions(account):
    def count(month):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            statements.close_month(account, month=month, at=APRIL)
        return len(queries)

    post(account, 5_000, (1, 20))
    few = count(date(2026, 1, 1))
    for _ in range(20):
        post(account, 100, (2, 3))

    assert count(date(2026, 2, 1)) == few


def test_two_closers_make_one_statement_each_month(make_account, in_threads):
    account = make_account(opened_at=OPENED)
    post(account, 5_000, (1, 20))

    made = in_threads(lambda _: close(), range(4))

    assert sum(len(rows) for rows in made) == Statement.objects.count() == 3
    assert not list(find_differences())


def test_a_closed_account_has_its_last_statement_in_every_time_zone(make_account):
    closed = datetime(2026, 4, 1, 2, tzinfo=UTC)
    make_account(
        opened_at=LONG_AGO,
        closed_through=date(2026, 3, 31),
        status=AccountStatus.CLOSED,
        closed_at=closed,
    )

    with timezone.override(ZoneInfo("America/New_York")):  # where the account closed in March
        assert statements.list_unclosed(through=date(2026, 4, 30)).count() == 1

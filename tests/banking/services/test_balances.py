import pytest

from banking.choices import AccountStatus, AccountType
from banking.models import Account
from banking.services import balances as services
from banking.services import ledger
from banking.services.balances import AccountClosed, InsufficientFunds
from tests.banking.services.conftest import balances
from tests.factories import NOON, draft_transaction


def test_more_than_is_available_is_refused(funded):
    with pytest.raises(InsufficientFunds):
        ledger.post(draft_transaction(funded, -10_001), at=NOON)

    assert balances(funded) == (10_000, 10_000)


def test_a_credit_account_spends_up_to_its_limit(make_account):
    line = make_account(account_type=AccountType.LOC, credit_limit_cents=5_000)

    ledger.post(draft_transaction(line, -5_000), at=NOON)

    assert balances(line) == (-5_000, 0)
    with pytest.raises(InsufficientFunds):
        ledger.post(draft_transaction(line, -1), at=NOON)


def test_a_closed_account_takes_nothing(make_account):
    account = make_account(status=AccountStatus.CLOSED, closed_at=NOON)

    with pytest.raises(AccountClosed):
        ledger.post(draft_transaction(account, 100), at=NOON)


def test_more_accounts_than_a_statement_takes_get_their_amounts(make_account, monkeypatch):
    monkeypatch.setattr(services, "AT_ONCE", 2)
    accounts = [make_account() for _ in range(3)]
    rows = [draft_transaction(account, 100 * place) for place, account in enumerate(accounts, 1)]

    services.add(rows)

    assert [balances(account)[0] for account in accounts] == [100, 200, 300]


def test_the_bank_itself_has_no_transactions(db):
    clearing = ledger.bank_account(AccountType.CLEARING)

    with pytest.raises(ValueError, match="entries, not transactions"):
        ledger.post(draft_transaction(clearing, 100), at=NOON)


def test_eight_writers_do_not_overdraw(make_account, in_threads):
    account = make_account()
    ledger.post(draft_transaction(account, 1_000), at=NOON)

    def spend(_number):
        ledger.post(draft_transaction(Account(pk=account.pk), -400), at=NOON)

    outcomes = in_threads(spend, range(8))

    assert [type(outcome) for outcome in outcomes].count(InsufficientFunds) == 6
    assert balances(account) == (200, 200)

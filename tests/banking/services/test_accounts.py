"""Accounts are opened with a number of their own, and closed only when they are empty."""

import pytest

from banking.choices import AccountStatus, AccountType
from banking.models import Account, TaxBucket
from banking.numbers import complete_account_number, validate_account_number
from banking.services import accounts, balances, holds, ledger
from tests.factories import NOON, draft_transaction, later


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def main(business):
    return accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=NOON)


def test_an_account_opens_with_valid_numbers_and_no_money(main, settings):
    main.refresh_from_db()

    validate_account_number(main.account_number)
    assert main.account_number[0] != "0"
    assert main.routing_number == settings.BANK_ROUTING_NUMBER
    assert (main.name, main.opened_at, main.available_cents) == ("Business checking", NOON, 0)


def test_an_account_takes_the_name_that_it_is_given(business):
    account = accounts.open_account(
        business, AccountType.SAVING_BUCKET, at=NOON, name="A second oven"
    )

    assert account.name == "A second oven"


def test_the_first_checking_account_alone_is_primary(business, main):
    second = accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=NOON)
    bucket = accounts.open_account(business, AccountType.SAVING_BUCKET, at=NOON)

    assert [main.is_primary, second.is_primary, bucket.is_primary] == [True, False, False]


def test_a_tax_bucket_comes_with_its_row(business):
    account = accounts.open_account(business, AccountType.TAX_BUCKET, at=NOON)

    assert TaxBucket.objects.get().account == account
    assert account.tax_bucket.is_active


def test_a_second_open_tax_bucket_is_refused(business):
    first = accounts.open_account(business, AccountType.TAX_BUCKET, at=NOON)

    with pytest.raises(accounts.AccountExists):
        accounts.open_account(business, AccountType.TAX_BUCKET, at=NOON)

    accounts.close_account(first, at=NOON)
    assert accounts.open_account(business, AccountType.TAX_BUCKET, at=NOON).is_open


def test_a_business_may_have_many_saving_buckets(business):
    for _ in range(2):
        accounts.open_account(business, AccountType.SAVING_BUCKET, at=NOON)

    assert business.accounts.count() == 2


def test_a_credit_account_opens_with_its_limit(business):
    line = accounts.open_account(business, AccountType.LOC, at=NOON, credit_limit_cents=5_000_00)

    assert line.available_cents == 5_000_00


@pytest.mark.parametrize(
    ("account_type", "limit"),
    [
        (AccountType.LOC, None),
        (AccountType.SECURED_CARD, -1),
        (AccountType.MAIN_ACCOUNT, 100),
        (AccountType.CLEARING, None),
        (AccountType.FEE_INCOME, None),
        ("PIGGY_BANK", None),
    ],
)
def test_an_account_that_makes_no_sense_is_refused(business, account_type, limit):
    with pytest.raises(ValueError, match=r"limit|bank's own|not a valid"):
        accounts.open_account(business, account_type, at=NOON, credit_limit_cents=limit)

    assert not business.accounts.exists()


def test_a_number_that_is_taken_is_drawn_again(business, main, monkeypatch):
    digits = iter([main.account_number[:-1], main.account_number[:-1], "77777777777"])
    monkeypatch.setattr(accounts, "_draw_digits", lambda: next(digits))

    second = accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=NOON)

    assert second.account_number == complete_account_number("77777777777")
    assert Account.objects.of_customers().count() == 2


def test_eight_at_once_open_one_tax_bucket_and_one_primary_account(make_business, in_threads):
    business = make_business()

    outcomes = in_threads(
        lambda kind: accounts.open_account(business, kind, at=NOON),
        [AccountType.TAX_BUCKET, AccountType.MAIN_ACCOUNT] * 4,
    )

    assert [type(outcome) for outcome in outcomes].count(accounts.AccountExists) == 3
    assert business.accounts.count() == 5
    assert business.accounts.filter(is_primary=True).count() == 1


def test_an_empty_account_is_closed(main):
    closed = accounts.close_account(main, at=later(days=1))

    main.refresh_from_db()
    assert (closed.status, main.status, main.closed_at) == (
        AccountStatus.CLOSED,
        AccountStatus.CLOSED,
        later(days=1),
    )
    assert not main.is_primary


def test_an_account_with_money_stays_open(main):
    ledger.post(draft_transaction(main, 100), at=NOON)

    with pytest.raises(accounts.AccountInUse):
        accounts.close_account(main, at=NOON)

    main.refresh_from_db()
    assert main.is_open


@pytest.mark.parametrize("amount_cents", [-100, 100])
def test_an_account_with_a_pending_transaction_stays_open(main, amount_cents):
    pending = holds.hold(draft_transaction(main, amount_cents), allow_overdraft=True)

    with pytest.raises(accounts.AccountInUse):
        accounts.close_account(main, at=NOON)

    holds.release(pending)
    assert not accounts.close_account(main, at=NOON).is_open


def test_an_account_is_closed_once(main):
    accounts.close_account(main, at=NOON)

    with pytest.raises(balances.AccountClosed):
        accounts.close_account(main, at=later(days=1))

    main.refresh_from_db()
    assert main.closed_at == NOON


def test_the_banks_own_account_is_never_closed(db):
    clearing = ledger.bank_account(AccountType.CLEARING)

    with pytest.raises(balances.AccountClosed):
        accounts.close_account(clearing, at=NOON)


def test_a_closed_tax_bucket_is_inactive(business):
    account = accounts.open_account(business, AccountType.TAX_BUCKET, at=NOON)

    accounts.close_account(account, at=NOON)

    assert not TaxBucket.objects.get().is_active


def test_the_oldest_other_checking_account_becomes_primary(business, main):
    younger = accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=later(days=2))
    older = accounts.open_account(business, AccountType.MAIN_ACCOUNT, at=later(days=1))

    accounts.close_account(main, at=later(days=3))

    assert list(business.accounts.filter(is_primary=True)) == [older]
    assert younger.is_open


def test_of_eight_who_close_an_account_one_does(make_account, in_threads):
    account = make_account()

    outcomes = in_threads(lambda _: accounts.close_account(account, at=NOON), range(8))

    assert [type(outcome) for outcome in outcomes].count(balances.AccountClosed) == 7


def test_money_that_comes_while_an_account_closes_is_never_lost(make_account, in_threads):
    account = make_account()

    def act(number):
        if number:
            return ledger.post(draft_transaction(Account(pk=account.pk), 100), at=NOON)
        return accounts.close_account(account, at=NOON)

    outcomes = in_threads(act, range(4))

    account.refresh_from_db()
    refused = [type(outcome) for outcome in outcomes]
    if account.is_open:
        assert refused.count(accounts.AccountInUse) == 1
        assert account.current_cents == 300
    else:
        assert refused.count(balances.AccountClosed) == 3

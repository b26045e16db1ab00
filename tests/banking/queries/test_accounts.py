"""What a business has here, and what it linked elsewhere."""

import pytest

from banking.choices import AccountStatus, AccountType, BucketType
from banking.models import Account
from banking.queries import accounts
from banking.reach import EVERYTHING, Reach
from tests.factories import NOON, later

CLOSED = {"status": AccountStatus.CLOSED, "closed_at": NOON}


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def main(business, make_account):
    return make_account(business, is_primary=True, opened_at=NOON)


def test_the_summary_has_the_primary_account_and_both_buckets(
    business, main, make_account, make_transaction
):
    make_account(business)
    collateral = make_account(business, account_type=AccountType.SECURED_CARD_COLLATERAL)
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    make_account(business, account_type=AccountType.SAVING_BUCKET)
    for account, amount in [(main, 10_000), (collateral, 500), (bucket, 2_000)]:
        make_transaction(account, amount)
    make_transaction(main, -1_500, pending=True)

    summary = accounts.get_account_summary(business)

    assert (summary.account, summary.account.available_cents) == (main, 8_500)
    assert summary.sub_accounts == [
        accounts.SubAccount(BucketType.TAX, 2_000),
        accounts.SubAccount(BucketType.SECURED_CARD_COLLATERAL, 500),
    ]


def test_the_summary_takes_one_statement(business, main, django_assert_num_queries):
    with django_assert_num_queries(1):
        summary = accounts.get_account_summary(business)

    assert summary == accounts.AccountSummary(main, [], [main])


def test_a_closed_bucket_is_not_in_the_summary(business, main, make_account):
    make_account(business, account_type=AccountType.TAX_BUCKET, **CLOSED)

    assert accounts.get_account_summary(business).sub_accounts == []


def test_without_a_primary_account_the_oldest_checking_account_stands_in(business, make_account):
    make_account(business, account_type=AccountType.TAX_BUCKET)
    make_account(business, opened_at=later(days=1))
    oldest = make_account(business)

    assert accounts.get_account_summary(business).account == oldest


def test_a_business_without_an_open_checking_account_has_no_summary(business, make_account, main):
    Account.objects.filter(pk=main.pk).update(**CLOSED)
    make_account(business, account_type=AccountType.TAX_BUCKET)
    make_account()

    with pytest.raises(Account.DoesNotExist):
        accounts.get_account_summary(business)


def test_all_accounts_of_one_business_are_listed(business, main, make_account):
    closed = make_account(business, **CLOSED)
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    make_account()

    assert list(accounts.list_accounts(business)) == [main, closed, bucket]


@pytest.mark.parametrize("count", [3, 30])
def test_the_lists_take_one_statement_each(
    business, make_account, make_linked_account, count, django_assert_num_queries
):
    for _ in range(count):
        make_account(business)
        make_linked_account(business)

    with django_assert_num_queries(2):
        numbers = {row.masked_number for row in accounts.list_accounts(business)}
        linked = list(accounts.list_linked_accounts(business))

    assert len(numbers) == len(linked) == count


def test_linked_accounts_come_by_institution(business, make_linked_account):
    second = make_linked_account(business, institution_name="Second Savings")
    first = make_linked_account(business, institution_name="First Savings")
    make_linked_account()

    assert list(accounts.list_linked_accounts(business)) == [first, second]
    assert first.masked_number == "••••6789"


def test_an_account_is_found_by_its_number_and_by_its_id(main, business):
    by_number = accounts.get_account(business, main.account_number)
    by_id = accounts.get_account(business, str(main.external_id))

    assert by_number == by_id == main


@pytest.mark.parametrize("name", ["", "nothing", "200000000000"])
def test_a_name_that_is_no_accounts_is_not_found(business, main, name):
    with pytest.raises(Account.DoesNotExist):
        accounts.get_account(business, name)


def test_the_account_of_another_business_is_not_found(main, make_business):
    with pytest.raises(Account.DoesNotExist):
        accounts.get_account(make_business(), main.account_number)


@pytest.mark.parametrize("form", ["••••{}", "{}", "****{}", "x-{}"])
def test_an_account_is_found_by_its_masked_number(main, business, form):
    assert accounts.get_account(business, form.format(main.account_number[-4:])) == main


def test_a_masked_number_that_two_accounts_have_is_refused(business, make_account):
    for number in ("200000000006", "300000080006"):
        make_account(business, account_number=number)

    with pytest.raises(accounts.AmbiguousNumber):
        accounts.get_account(business, "••••0006")


def test_a_number_that_may_not_be_read_is_masked(business, main, make_account):
    assert accounts.number_of(main, EVERYTHING) == main.account_number
    assert accounts.number_of(main, Reach(shows_numbers=False)) == main.masked_number


def test_an_account_out_of_reach_is_not_there(business, main, make_account):
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    reach = Reach(accounts=frozenset({bucket.pk}))

    summary = accounts.get_account_summary(business, reach)

    assert summary.accounts == [bucket]
    with pytest.raises(Account.DoesNotExist):
        accounts.get_account(business, main.account_number, reach)

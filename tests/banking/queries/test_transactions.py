from datetime import date
from uuid import uuid4

import pytest

from banking.models import Location, Merchant, Receipt, Transaction
from banking.queries.filters import TransactionFilter
from banking.queries.transactions import (
    TooManyLocations,
    get_transaction,
    list_categories,
    list_locations,
)
from banking.services import holds
from tests.factories import NOON, make_card


@pytest.fixture
def make_location(db):
    def make(key):
        return Location.objects.create(
            key=key, line1="1 Main St", city="Reno", state="NV", postal_code="89501"
        )

    return make


@pytest.fixture
def purchase(make_account, make_transaction, make_location):
    """A purchase with everything that belongs to one."""
    account = make_account()
    row = make_transaction(
        account,
        -1_250,
        transaction_type="PURCHASE",
        category_id="MEALS",
        merchant=Merchant.objects.create(name="Corner Bakery", mcc="5462"),
        location=make_location("reno-1"),
        card=make_card(account),
    )
    Receipt.objects.create(transaction=row, number="R-1", issued_at=NOON)
    return row


def everything_about(row):
    return [
        row.account.account_number,
        row.merchant.name,
        row.category.display_name,
        row.location.key,
        row.card.last4,
        row.receipt.number,
    ]


def test_a_transaction_comes_with_all_that_belongs_to_it(purchase, django_assert_num_queries):
    business, expected = purchase.business, everything_about(purchase)

    with django_assert_num_queries(1):
        found = everything_about(get_transaction(business, purchase.external_id))

    assert found == expected


def test_a_transaction_without_details_is_found(make_transaction):
    row = make_transaction()

    found = get_transaction(row.business, row.external_id)

    assert (found, found.merchant, found.card) == (row, None, None)
    assert not hasattr(found, "receipt")


def test_a_transaction_of_another_business_is_not_found(purchase, make_business):
    with pytest.raises(Transaction.DoesNotExist):
        get_transaction(make_business(), purchase.external_id)


def test_an_unknown_or_released_transaction_is_not_found(make_transaction):
    released = holds.release(make_transaction(pending=True))

    for external_id in [released.external_id, uuid4()]:
        with pytest.raises(Transaction.DoesNotExist):
            get_transaction(released.business, external_id)


@pytest.mark.parametrize(
    "wanted",
    [
        {"account_number": "200000000006"},
        {"transaction_type": "FEE"},
        {"start_date": date(2026, 3, 3)},
        {"end_date": date(2026, 3, 1)},
    ],
)
def test_what_contradicts_the_transaction_hides_it(purchase, wanted):
    with pytest.raises(Transaction.DoesNotExist):
        get_transaction(purchase.business, purchase.external_id, TransactionFilter(**wanted))


def test_what_agrees_with_the_transaction_finds_it(purchase):
    wanted = TransactionFilter(
        account_number=purchase.account.account_number,
        transaction_type="PURCHASE",
        start_date=NOON.date(),
        end_date=NOON.date(),
    )

    assert get_transaction(purchase.business, purchase.external_id, wanted) == purchase


def test_categories_come_by_side_and_name(db, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = list(list_categories())

    assert found == sorted(found, key=lambda row: (row.category_type, row.display_name))
    assert {row.category_type for row in found} == {"EXPENSE", "INCOME"}


def test_locations_come_in_the_order_of_their_keys(
    purchase, make_transaction, make_location, django_assert_num_queries
):
    make_transaction(purchase.account, location=make_location("austin-2"))
    business = purchase.business

    with django_assert_num_queries(1):
        places = list_locations(business, ["reno-1", "nowhere", "austin-2", "reno-1"])

    assert [place.key for place in places.found] == ["reno-1", "austin-2"]
    assert places.not_found == ("nowhere",)


def test_a_location_where_only_others_were_is_not_found(purchase, make_business, make_location):
    make_location("unseen-3")

    places = list_locations(make_business(), ["reno-1", "unseen-3"])

    assert (places.found, places.not_found) == ((), ("reno-1", "unseen-3"))


def test_a_location_of_a_released_transaction_is_not_found(make_transaction, make_location):
    row = holds.release(make_transaction(pending=True, location=make_location("gone-4")))

    assert list_locations(row.business, ["gone-4"]).not_found == ("gone-4",)


def test_at_most_ten_locations_are_looked_up(make_business):
    with pytest.raises(TooManyLocations):
        list_locations(make_business(), [f"place-{number}" for number in range(11)])

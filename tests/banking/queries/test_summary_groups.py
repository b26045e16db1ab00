from datetime import date

import pytest

from banking.choices import ChartType, GroupBy
from banking.models import Merchant
from banking.queries import summary_groups
from banking.queries.profits import COUNTED_IN
from banking.queries.summary_groups import NO_MERCHANT, OTHER_MERCHANTS, list_groups

EXPENSE = ChartType.EXPENSE


@pytest.fixture
def account(make_account):
    return make_account()


def grouped(business, by, chart_type=EXPENSE):
    first, until = date(2026, 3, 1), date(2026, 4, 1)
    groups = list_groups(business, chart_type, COUNTED_IN[chart_type], first, until, by)
    return [(group.key, group.amount_cents, group.count) for group in groups]


def test_merchants_beyond_the_largest_are_one_part(account, make_transaction, monkeypatch):
    monkeypatch.setattr(summary_groups, "MOST_MERCHANTS", 2)
    for name, cents in [("A", 400), ("B", 300), ("C", 200), ("D", 150), ("", 50)]:
        make_transaction(account, -cents, category_id="RENT", merchant_raw_name=name)

    assert grouped(account.business, GroupBy.MERCHANT) == [
        ("A", 400, 1),
        (OTHER_MERCHANTS, 350, 2),
        ("B", 300, 1),
        (NO_MERCHANT, 50, 1),
    ]


def test_a_merchant_is_one_part_whatever_its_codes(account, make_transaction):
    for mcc in ("5411", "5462"):
        mill = Merchant.objects.create(name="Mill", mcc=mcc)
        make_transaction(account, -100, category_id="RENT", merchant=mill)
    make_transaction(account, -7, category_id="RENT", merchant_raw_name="Mill")

    assert grouped(account.business, GroupBy.MERCHANT) == [("Mill", 207, 3)]


def test_only_posted_rows_of_the_business_and_the_period_count(
    account, make_transaction, make_business, make_account
):
    make_transaction(account, -100, category_id="RENT")
    make_transaction(account, -100, category_id="RENT", pending=True)
    make_transaction(account, -100, category_id="OWNER_DRAW")
    make_transaction(None, -900, category_id="RENT")

    for by in GroupBy:
        assert [(cents, count) for _, cents, count in grouped(account.business, by)] == [(100, 1)]


@pytest.mark.parametrize("count", [1, 12])
@pytest.mark.parametrize(
    ("by", "statements"),
    [(GroupBy.CATEGORY, 1), (GroupBy.MONTH, 1), (GroupBy.ACCOUNT, 2), (GroupBy.MERCHANT, 2)],
)
def test_parts_take_the_same_statements_for_any_number(
    account, make_transaction, by, statements, count, django_assert_num_queries
):
    for number in range(count):
        mill = Merchant.objects.create(name=f"Mill {number}", mcc="5411")
        make_transaction(account, -100, category_id="RENT", merchant=mill)

    with django_assert_num_queries(statements):
        grouped(account.business, by)

"""Counts of querysets in one statement."""

import pytest

from banking.models import Account, Business
from foundation.database.counts import count_all


def test_querysets_are_counted_in_one_statement(make_account, django_assert_num_queries):
    business = make_account(name="Main").business
    for _ in range(3):
        make_account(business, name="Savings")
    accounts = Account.objects.filter(business=business)

    with django_assert_num_queries(1):
        counts = count_all(
            [
                accounts,
                accounts.filter(name="Savings").order_by("-pk"),
                accounts.order_by("pk")[:2],
                Business.objects.filter(pk=business.pk),
                accounts.filter(name="100% 'Other'"),
                accounts.filter(pk__in=[]),
                accounts.none(),
            ]
        )

    assert counts == [4, 3, 2, 1, 0, 0, 0]


@pytest.mark.parametrize("found", [[], ()])
def test_nothing_is_asked_about_no_queryset(db, django_assert_num_queries, found):
    with django_assert_num_queries(0):
        assert count_all(found) == []

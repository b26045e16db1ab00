"""The tree of those who hold a business."""

from decimal import Decimal

from onboarding.models import Holder, Stake
from onboarding.queries.holdings import add_up, list_holdings, walk
from tests.factories import NOON


def test_a_tree_names_each_holder_before_those_that_hold_it(make_lead, django_assert_num_queries):
    lead = make_lead(ownership_percent=Decimal(50))
    top, below = [
        Holder.objects.create(
            lead=lead, kind="COMPANY", name=name, share_percent=50, created_at=NOON
        )
        for name in ("Top", "Below")
    ]
    Holder.objects.filter(pk=below.pk).update(parent=top)
    Stake.objects.create(holder=below, share_percent=100)

    with django_assert_num_queries(2):
        holdings = list_holdings(lead, [lead])

    assert [(one.holder.name, one.of_business) for one in walk(holdings)] == [
        ("Top", 50), ("Below", 25),
    ]  # fmt: skip
    assert add_up([lead], holdings) == {lead.external_id: 75}


def test_a_business_without_holders_costs_one_statement(make_lead, django_assert_num_queries):
    lead = make_lead()

    with django_assert_num_queries(1):
        assert list_holdings(lead, [lead]) == []

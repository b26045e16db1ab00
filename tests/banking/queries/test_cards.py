"""Cards are listed by holder; the secured one tells what it may still buy."""

import pytest

from banking.choices import EnrollmentStatus, SecuredCardStatus
from banking.queries import cards
from tests.factories import later


@pytest.fixture
def business(make_business):
    return make_business()


def test_cards_come_by_cardholder(make_account, make_card):
    account = make_account()
    names = ["Cleo Last", "Ada First", "Ben Middle", "Ada First"]
    made = [make_card(account, cardholder_name=name) for name in names]
    make_card()

    found = list(cards.list_cards(account.business))

    assert found == [made[1], made[3], made[2], made[0]]


@pytest.mark.parametrize("count", [3, 30])
def test_cards_take_one_statement(make_account, make_card, count, django_assert_num_queries):
    account = make_account()
    for _ in range(count):
        make_card(account)

    with django_assert_num_queries(1):
        assert len(cards.list_cards(account.business)) == count


def test_a_secured_card_tells_what_it_may_still_buy(
    business, make_secured_card, make_transaction, django_assert_num_queries
):
    card = make_secured_card(
        business, minimum_payment_cents=2_500, next_payment_due_date=later(days=20).date()
    )
    make_transaction(card.collateral_account, 50_000)
    make_transaction(card.card_account, -12_000)
    make_transaction(card.card_account, -3_000, pending=True)

    with django_assert_num_queries(1):
        details = cards.get_secured_card(business)

    assert details == cards.SecuredCardDetails(
        enrollment_status=EnrollmentStatus.ENROLLED,
        account_status=SecuredCardStatus.CURRENT,
        credit_limit_cents=50_000,
        current_usage_cents=12_000,
        open_to_buy_cents=35_000,
        collateral_cents=50_000,
        minimum_payment_cents=2_500,
        next_payment_due_date=later(days=20).date(),
    )


def test_a_card_that_was_paid_too_much_has_no_usage(business, make_secured_card, make_transaction):
    make_transaction(make_secured_card(business).card_account, 1_000)

    details = cards.get_secured_card(business)

    assert (details.current_usage_cents, details.open_to_buy_cents) == (0, 51_000)


def test_a_card_over_its_limit_buys_nothing(business, make_secured_card, make_transaction):
    make_transaction(make_secured_card(business).card_account, -51_000)

    details = cards.get_secured_card(business)

    assert (details.current_usage_cents, details.open_to_buy_cents) == (51_000, 0)


def test_not_to_be_enrolled_is_a_state(business, make_secured_card):
    make_secured_card()

    assert cards.get_secured_card(business) == cards.SecuredCardDetails(
        EnrollmentStatus.NOT_ENROLLED
    )


@pytest.mark.parametrize("status", [EnrollmentStatus.NOT_ENROLLED, EnrollmentStatus.PENDING])
def test_before_the_enrollment_there_are_no_amounts(business, make_secured_card, status):
    make_secured_card(
        business,
        enrollment_status=status,
        status="",
        card_account=None,
        collateral_account=None,
        enrolled_at=None,
    )

    assert cards.get_secured_card(business) == cards.SecuredCardDetails(status)

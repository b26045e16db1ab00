"""Cards, as an assistant sees them."""

from datetime import UTC, date, datetime

from banking.choices import CardProduct, CardStatus

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_cards_are_listed_by_cardholder(assistant, business, make_account, make_card):
    account = make_account(business)
    card = make_card(
        account,
        cardholder_name="Maya Baker",
        last4="4242",
        status=CardStatus.ACTIVE,
        shipping_date=date(2026, 1, 5),
        created_at=NOON,
    )

    assert assistant.call("svc_list_cards") == {
        "cards": [
            {
                "cardExternalId": str(card.external_id),
                "productType": "DEBIT_PHYSICAL",
                "cardholderName": "Maya Baker",
                "last4": "4242",
                "network": card.network,
                "status": "ACTIVE",
                "shippingDate": "2026-01-05",
                "createdDate": "2026-03-02",
            }
        ],
        "totalCount": 1,
    }


def test_a_virtual_card_was_never_shipped(assistant, business, make_account, make_card):
    make_card(make_account(business), product_type=CardProduct.DEBIT_VIRTUAL, shipping_date=None)

    assert assistant.call("svc_list_cards")["cards"][0]["shippingDate"] is None


def test_a_business_without_the_secured_card_has_no_amounts(assistant):
    assert assistant.call("svc_get_secured_card_details") == {
        "enrollmentStatus": "NOT_ENROLLED",
        "accountStatus": None,
        "creditLimitCents": None,
        "creditLimitUsd": None,
        "currentUsageCents": None,
        "currentUsageUsd": None,
        "openToBuyCents": None,
        "openToBuyUsd": None,
        "collateralCents": None,
        "collateralUsd": None,
        "minimumPaymentCents": None,
        "minimumPaymentUsd": None,
        "nextPaymentDueDate": None,
    }


def test_the_secured_card_tells_its_limit_and_usage(assistant, business, make_secured_card):
    make_secured_card(business)

    details = assistant.call("svc_get_secured_card_details")

    assert details["enrollmentStatus"] == "ENROLLED"
    assert details["creditLimitUsd"] == f"{details['creditLimitCents'] / 100:.2f}"

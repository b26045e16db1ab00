"""Tools for the cards of a business."""

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import Field

from banking.choices import (
    CardNetwork,
    CardProduct,
    CardStatus,
    EnrollmentStatus,
    SecuredCardStatus,
)
from banking.queries import cards
from mcp_server.caller import Caller
from mcp_server.limits import EVERY_LIMIT, OF_BUSINESS, UNDATED
from mcp_server.registry import tool
from mcp_server.schema import BusinessUserId, DateOf, Result
from mcp_server.scopes import Scope


class Card(Result):
    """A card without its full number, CVV and expiry date."""

    card_external_id: UUID = Field(validation_alias="external_id")
    product_type: CardProduct
    cardholder_name: str
    last4: Annotated[str, Field(pattern=r"^\d{4}$")]
    network: CardNetwork
    status: CardStatus
    shipping_date: date | None = Field(description="When the plastic left; null for virtual.")
    created_date: DateOf = Field(validation_alias="created_at")


class CardList(Result):
    """All cards of one business."""

    cards: list[Card]
    total_count: int


class SecuredCard(Result):
    """The secured card of a business. Without an account, the amounts are null."""

    enrollment_status: EnrollmentStatus
    account_status: SecuredCardStatus | None
    credit_limit_cents: int | None
    credit_limit_usd: str | None = None
    current_usage_cents: int | None
    current_usage_usd: str | None = None
    open_to_buy_cents: int | None
    open_to_buy_usd: str | None = None
    collateral_cents: int | None
    collateral_usd: str | None = None
    minimum_payment_cents: int | None
    minimum_payment_usd: str | None = None
    next_payment_due_date: date | None


@tool(Scope.CARDS, title="List cards", within=EVERY_LIMIT)
def svc_list_cards(caller: Caller, business_user_id: BusinessUserId = None) -> CardList:
    """List the business's cards with holder, last four digits and status.

    For the secured card's limit, call `svc_get_secured_card_details`.
    """
    found = list(cards.list_cards(caller.business(business_user_id), caller.reach))
    return CardList(cards=found, total_count=len(found))


@tool(Scope.CARDS, title="Get secured card details", within=OF_BUSINESS & UNDATED)
def svc_get_secured_card_details(
    caller: Caller, business_user_id: BusinessUserId = None
) -> SecuredCard:
    """Get the secured card's enrollment, limit, usage, open-to-buy and next payment.

    For the cards themselves, call `svc_list_cards`.
    """
    return SecuredCard.model_validate(cards.get_secured_card(caller.business(business_user_id)))

"""Cards of businesses, and enrollments of businesses in the secured card program."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import StringConstraints

from banking.choices import (
    CardNetwork,
    CardProduct,
    CardStatus,
    EnrollmentStatus,
    SecuredCardStatus,
)
from banking.feed.faults import FaultCode, refused
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import (
    AccountId,
    BusinessId,
    Data,
    Date,
    Last4,
    NotNegativeCents,
    Timestamp,
)
from banking.models import Account, Card, SecuredCard

OTHER_BUSINESS = "This account belongs to another business."


class CardData(Data):
    """A card on an account. Full numbers, expiry dates and CVVs are not taken."""

    account: AccountId
    product_type: CardProduct
    cardholder_name: Annotated[str, StringConstraints(min_length=1, max_length=100)]
    last4: Last4
    network: CardNetwork
    status: CardStatus
    shipping_date: Date | None = None
    created_at: Timestamp


class SecuredCardData(Data):
    """The enrollment of a business in the secured card program.

    The balance of the collateral account secures the credit of the card account.
    """

    business: BusinessId
    enrollment_status: EnrollmentStatus
    status: SecuredCardStatus | None = None
    card_account: AccountId | None = None
    collateral_account: AccountId | None = None
    minimum_payment_cents: NotNegativeCents = 0
    next_payment_due_date: Date | None = None
    enrolled_at: Timestamp | None = None


class CardKind(PlainKind[CardData]):
    """Cards: a card can be canceled and not removed, since its transactions refer to it."""

    announced = frozenset({CardStatus.FROZEN})

    def complete(self, works: Sequence[Work[CardData]], *, at: datetime) -> None:
        businesses = _businesses_of({work.row.account_id for work in works})
        for work in works:
            business = businesses[work.row.account_id]
            if work.had_row and work.row.business_id != business:
                work.refuse(OTHER_BUSINESS, "account")
            work.row.business_id = business

    def remove(self, row: Card, *, at: datetime) -> None:
        reason = "A card cannot be removed; send its status CANCELED instead."
        raise refused(FaultCode.NOT_REMOVABLE, reason=reason)


class SecuredCardKind(PlainKind[SecuredCardData]):
    """Enrollments in the secured card program: both accounts must belong to the business."""

    def complete(self, works: Sequence[Work[SecuredCardData]], *, at: datetime) -> None:
        businesses = _businesses_of(
            {key for work in works for key in _account_keys(work.row) if key}
        )
        for work in works:
            work.row.status = work.data.status or ""
            for field, key in zip(
                ("cardAccount", "collateralAccount"), _account_keys(work.row), strict=True
            ):
                if key and businesses[key] != work.row.business_id:
                    work.refuse(OTHER_BUSINESS, field)

    def represent(self, row: SecuredCard) -> dict[str, Any]:
        return super().represent(row) | {"status": row.status or None}


def _account_keys(row: SecuredCard) -> tuple[int | None, int | None]:
    return row.card_account_id, row.collateral_account_id


def _businesses_of(keys: set[int]) -> dict[int, int | None]:
    return dict(Account.objects.filter(pk__in=keys).values_list("pk", "business_id"))


register(CardKind("cards", CardData, Card, shows=["svc_list_cards", "svc_get_transaction"]))
register(
    SecuredCardKind(
        "secured-cards", SecuredCardData, SecuredCard, shows=["svc_get_secured_card_details"]
    )
)

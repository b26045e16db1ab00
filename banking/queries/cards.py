"""Cards with their holders, and the details of the secured card."""

from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from banking.choices import EnrollmentStatus, SecuredCardStatus
from banking.models import Business, Card, SecuredCard
from banking.reach import EVERYTHING, Reach


@dataclass(frozen=True)
class SecuredCardDetails:
    """The states and amounts of a business's secured card. Units: cents.

    All but `enrollment_status` is None until the card has its accounts. The usage is the posted
    amount owed; open-to-buy is the amount that purchases may still take, after holds.
    """

    enrollment_status: EnrollmentStatus
    account_status: SecuredCardStatus | None = None
    credit_limit_cents: int | None = None
    current_usage_cents: int | None = None
    open_to_buy_cents: int | None = None
    collateral_cents: int | None = None
    minimum_payment_cents: int | None = None
    next_payment_due_date: date | None = None


def list_cards(business: Business, reach: Reach = EVERYTHING) -> QuerySet[Card]:
    """Return the cards of a business, in any status, on accounts in reach, by cardholder's name."""
    return Card.objects.filter(reach.of_accounts(), business=business).order_by(
        "cardholder_name", "pk"
    )


def get_secured_card(business: Business) -> SecuredCardDetails:
    """Return the details of the secured card; NOT_ENROLLED if the business has none."""
    found = SecuredCard.objects.select_related("card_account", "collateral_account")
    card = found.filter(business=business).first()
    if card is None:
        return SecuredCardDetails(EnrollmentStatus.NOT_ENROLLED)
    if card.card_account is None or card.collateral_account is None:
        return SecuredCardDetails(EnrollmentStatus(card.enrollment_status))
    return SecuredCardDetails(
        enrollment_status=EnrollmentStatus(card.enrollment_status),
        account_status=SecuredCardStatus(card.status),
        credit_limit_cents=card.card_account.credit_limit_cents,
        current_usage_cents=max(0, -card.card_account.current_cents),
        open_to_buy_cents=max(0, card.card_account.available_cents),
        collateral_cents=card.collateral_account.current_cents,
        minimum_payment_cents=card.minimum_payment_cents,
        next_payment_due_date=card.next_payment_due_date,
    )

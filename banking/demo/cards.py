"""The cards of a demo business, and its place in the secured card program."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from banking.choices import (
    AccountType,
    CardNetwork,
    CardProduct,
    CardStatus,
    EnrollmentStatus,
    SecuredCardStatus,
)
from banking.days import add_months, midnight
from banking.demo.book import MAIN, Book
from banking.demo.lines import Lines
from banking.demo.profiles import Shop
from banking.models import Card, SecuredCard, Transaction

SECURED, COLLATERAL = AccountType.SECURED_CARD, AccountType.SECURED_CARD_COLLATERAL
MINIMUM_PAYMENT = 2_500
SHIPPED_AFTER = timedelta(days=2)


@dataclass
class Wallet:
    """The cards of a business, and its purchases by card with the shop of each."""

    plastic: Card
    virtual: Card
    secured: Card | None = None
    others: tuple[Card, ...] = ()
    bought: list[tuple[Transaction, Shop]] = field(default_factory=list)


def issue_cards(lines: Lines, book: Book) -> Wallet:
    """Plan a physical and a virtual card, and return the cards of the business.

    A large business also gets a secured card, and cards in other statuses.
    """
    first, last = book.profile.owners[0].name, book.profile.owners[-1].name
    wallet = Wallet(
        _card(book, CardProduct.DEBIT_PHYSICAL, first),
        _card(book, CardProduct.DEBIT_VIRTUAL, first),
    )
    if book.profile.is_large:
        wallet.secured = _card(book, CardProduct.SECURED_CREDIT, first)
        lately = book.days.until - timedelta(days=4)
        wallet.others = (
            _card(book, CardProduct.DEBIT_PHYSICAL, last, status=CardStatus.FROZEN),
            _card(book, CardProduct.DEBIT_VIRTUAL, last, status=CardStatus.CANCELED),
            _card(book, CardProduct.DEBIT_PHYSICAL, last, status=CardStatus.SHIPPED, day=lately),
        )
    cards = [wallet.plastic, wallet.virtual, wallet.secured, *wallet.others]
    lines.add("cards", *(card for card in cards if card))
    return wallet


def enroll(lines: Lines, book: Book) -> None:
    """Plan the enrollment in the secured card program, with the transfer of the collateral.

    Does nothing for a business without an account of a secured card.
    """
    if SECURED not in book.accounts:
        return
    account = book.accounts[SECURED]
    at = midnight(book.days.first) + timedelta(hours=17)
    amount = account.credit_limit_cents or 0
    book.move(MAIN, COLLATERAL, amount, at=at, description="Secured card collateral")
    following = add_months(book.days.until.replace(day=1), 1)
    place = SecuredCard(
        business=book.business,
        enrollment_status=EnrollmentStatus.ENROLLED,
        status=SecuredCardStatus.CURRENT,
        card_account=account,
        collateral_account=book.accounts[COLLATERAL],
        minimum_payment_cents=MINIMUM_PAYMENT,
        next_payment_due_date=following.replace(day=5),
        enrolled_at=at,
    )
    lines.add("secured-cards", place)


def _card(
    book: Book,
    product: CardProduct,
    name: str,
    *,
    status: CardStatus = CardStatus.ACTIVE,
    day: date | None = None,
) -> Card:
    is_secured = product == CardProduct.SECURED_CREDIT
    created_at = midnight(day or book.days.first) + timedelta(hours=16)
    is_plastic = product != CardProduct.DEBIT_VIRTUAL
    return Card(
        external_id=book.dice.uuid(created_at),
        business=book.business,
        account=book.accounts[SECURED if is_secured else MAIN],
        product_type=product,
        cardholder_name=name,
        last4=book.dice.digits(4),
        network=CardNetwork.MASTERCARD if is_secured else CardNetwork.VISA,
        status=status,
        shipping_date=created_at.date() + SHIPPED_AFTER if is_plastic else None,
        created_at=created_at,
    )

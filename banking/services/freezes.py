"""Freezes of accounts and cards: one clerk proposes to begin or end each, a second confirms."""

from datetime import datetime
from typing import Any

from banking.choices import AccountStatus, CardStatus, FeedResult
from banking.models import Account, Card, StaffChange, User
from banking.services import bank_operations, feed_changes
from banking.services.balances import AccountClosed
from banking.services.bank_operations import OperationRefused
from banking.signals import status_began

WRONG_STATE = "The account cannot be frozen or unfrozen in its present state."
ONLY_ACTIVE = "Only an active card can be frozen."
ONLY_FROZEN = "Only a frozen card can be unfrozen."


def propose_freeze(account: Account, *, reason: str, by: User, at: datetime) -> StaffChange:
    """Propose to freeze an account. Raises: AlreadyProposed, OperationRefused, AccountTooNew."""
    text = f"Freeze {bank_operations.name_of(account)}. It sends no money from then on."
    return bank_operations.propose(
        FREEZE_ACCOUNT, account, summary=[text], reason=reason, by=by, at=at
    )


def propose_unfreeze(account: Account, *, reason: str, by: User, at: datetime) -> StaffChange:
    """Propose to end a freeze. Raises: AlreadyProposed, OperationRefused, AccountTooNew."""
    text = f"Unfreeze {bank_operations.name_of(account)}."
    return bank_operations.propose(
        UNFREEZE_ACCOUNT, account, summary=[text], reason=reason, by=by, at=at
    )


def propose_card_freeze(card: Card, *, reason: str, by: User, at: datetime) -> StaffChange:
    """Propose to freeze a card. Raises: AlreadyProposed, OperationRefused, AccountTooNew."""
    text = f"Freeze {_name_card(card)}."
    return bank_operations.propose(FREEZE_CARD, card, summary=[text], reason=reason, by=by, at=at)


def propose_card_unfreeze(card: Card, *, reason: str, by: User, at: datetime) -> StaffChange:
    """Propose to unfreeze a card. Raises: AlreadyProposed, OperationRefused, AccountTooNew."""
    text = f"Unfreeze {_name_card(card)}."
    return bank_operations.propose(UNFREEZE_CARD, card, summary=[text], reason=reason, by=by, at=at)


def _name_card(card: Card) -> str:
    business = card.business.legal_name
    return f"the card ••••{card.last4} of {card.cardholder_name}, {business}"


def _card(change: StaffChange) -> Card:
    return Card.objects.get(pk=change.payload["row"])


def _basis_of_card(change: StaffChange) -> Any:
    return _card(change).status


def _freeze_account(change: StaffChange) -> None:
    at = bank_operations.time_of(change)
    _set_frozen(bank_operations.account_of(change), at, at=at)


def _unfreeze_account(change: StaffChange) -> None:
    at = bank_operations.time_of(change)
    _set_frozen(bank_operations.account_of(change), None, at=at)


def _set_frozen(account: Account, frozen_at: datetime | None, *, at: datetime) -> None:
    """Begin a freeze at `frozen_at`, or end it with None, and tell the bank's systems.

    Raises: AccountClosed; OperationRefused if the account is frozen, or not frozen, already.
    """
    if account.status != AccountStatus.OPEN:
        raise AccountClosed(f"{account} is closed")
    feed_changes.announce("accounts", [account], FeedResult.UPDATED, at=at)
    rows = Account.objects.of_customers().open().filter(pk=account.pk)
    other_state = rows.filter(frozen_at__isnull=frozen_at is not None)
    if not other_state.update(frozen_at=frozen_at):
        raise OperationRefused(WRONG_STATE)


def _freeze_card(change: StaffChange) -> None:
    card = _move_card(change, CardStatus.ACTIVE, CardStatus.FROZEN, refusal=ONLY_ACTIVE)
    status_began.send(Card, rows=[card], at=bank_operations.time_of(change))


def _unfreeze_card(change: StaffChange) -> None:
    _move_card(change, CardStatus.FROZEN, CardStatus.ACTIVE, refusal=ONLY_FROZEN)


def _move_card(
    change: StaffChange, source: CardStatus, target: CardStatus, *, refusal: str
) -> Card:
    """Change the status of a card from `source` to `target`, and tell the bank's systems.

    Raises: OperationRefused with the text `refusal` if the card has another status.
    """
    card = _card(change)
    at = bank_operations.time_of(change)
    feed_changes.announce("cards", [card], FeedResult.UPDATED, at=at)
    if not Card.objects.filter(pk=card.pk, status=source).update(status=target):
        raise OperationRefused(refusal)
    card.status = target
    return card


FREEZE_ACCOUNT = bank_operations.register(
    "FREEZE_ACCOUNT",
    "Freeze of an account",
    basis=bank_operations.state_of_account,
    carry_out=_freeze_account,
    model=Account,
)
UNFREEZE_ACCOUNT = bank_operations.register(
    "UNFREEZE_ACCOUNT",
    "End of an account's freeze",
    basis=bank_operations.state_of_account,
    carry_out=_unfreeze_account,
    model=Account,
)
FREEZE_CARD = bank_operations.register(
    "FREEZE_CARD",
    "Freeze of a card",
    basis=_basis_of_card,
    carry_out=_freeze_card,
    model=Card,
)
UNFREEZE_CARD = bank_operations.register(
    "UNFREEZE_CARD",
    "End of a card's freeze",
    basis=_basis_of_card,
    carry_out=_unfreeze_card,
    model=Card,
)

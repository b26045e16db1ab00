"""Transfers between accounts of one business: one posting, a transaction on each account."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from banking.choices import TransactionType
from banking.feed import booking_rules, references
from banking.feed.booking_rules import Books, open_books
from banking.feed.faults import FaultCode, fault, refused
from banking.feed.registry import Kind, Target, Work, register
from banking.feed.schemas import AccountId, Cents, Data, Text, Timestamp
from banking.models import Posting, Transaction
from banking.services import ledger
from banking.services.ledger import Draft

UNBALANCED = "The amounts do not add up to zero."
OTHER_BUSINESS = "This account belongs to another business."
TWICE = "An account has one entry in a transfer."
FIXED = "A posted transfer keeps its values; only its status may become REVERSED."
NOT_REMOVABLE = "A transfer cannot be removed; send the status REVERSED."


class EntryPart(Data):
    """One side of a transfer: an account and the money that it gets; negative when it pays."""

    account: AccountId
    amount_cents: Cents
    id: UUID | None = Field(
        default=None, description="The UUID of its transaction in the tools; new unless given."
    )


class TransferData(Data):
    """A transfer between accounts of one business."""

    status: Literal["POSTED", "REVERSED"] = "POSTED"
    entries: Annotated[list[EntryPart], Field(min_length=2, max_length=20)]
    currency: Literal["USD"] = "USD"
    occurred_at: Timestamp
    reversed_at: Timestamp | None = Field(default=None, description="Of a reversed one; required.")
    description: Text = ""


class TransferKind(Kind[TransferData]):
    """Transfers. The row of a transfer is its posting."""

    name, schema, model = "transfers", TransferData, Posting
    shows = ("svc_search_transactions", "svc_search_tax_bucket_transactions")

    def save(self, works: Sequence[Work[TransferData]], *, at: datetime) -> None:
        keys = {key for work in works for key in _account_keys(work)}
        books = open_books(keys, at=at)
        for work in works:
            _check(work, books)
        good = [work for work in works if not work.faults]
        new = [work for work in good if work.row is None]
        drafts = [_draft(work, books) for work in new]
        if drafts:
            ledger.record(drafts, dict(books.accounts))
        for work, draft in zip(new, drafts, strict=True):
            work.row = draft.posting
        for work in good:
            if work.data.reversed_at and _is_to_be_reversed(work):
                booking_rules.reverse(work.row, at=work.data.reversed_at, reason="by the bank")

    def remove(self, row: Posting, *, at: datetime) -> None:
        raise refused(FaultCode.NOT_REMOVABLE, reason=NOT_REMOVABLE)

    def represent(self, row: Posting) -> dict[str, Any]:
        rows = list(row.transactions.order_by("account_id"))
        names = references.external_ids_of("accounts", {one.account_id for one in rows})
        reversal = getattr(row, "reversed_by", None)
        return {
            "status": "REVERSED" if reversal else "POSTED",
            "entries": [
                {
                    "account": names[one.account_id],
                    "amountCents": one.amount_cents,
                    "id": one.external_id,
                }
                for one in rows
            ],
            "currency": "USD",
            "occurredAt": row.posted_at,
            "reversedAt": reversal and reversal.posted_at,
            "description": row.description,
        }

    def target_of(self, row: Posting) -> Target:
        return Target(None, row.pk)


def _account_keys(work: Work[TransferData]) -> Iterable[int]:
    return [work.target("accounts", part.account) or 0 for part in work.data.entries]


def _check(work: Work[TransferData], books: Books) -> None:
    """Refuse a line that cannot be booked whole, before anything is booked.

    A line for a stored transfer with other accounts, amounts, time or text is refused.
    """
    if work.row is None:
        _check_new(work, books)
    elif not _is_same(work):
        work.refuse(FIXED)
        return
    if _is_to_be_reversed(work):
        _check_reversal(work, books)


def _check_new(work: Work[TransferData], books: Books) -> None:
    """Refuse a new transfer that is unbalanced or not within one business."""
    parts, keys = work.data.entries, list(_account_keys(work))
    if sum(part.amount_cents for part in parts) or not all(part.amount_cents for part in parts):
        work.refuse(UNBALANCED, "entries")
    if len(set(keys)) != len(keys):
        work.refuse(TWICE, "entries")
    for place, key in enumerate(keys):
        account = books.accounts[key]
        books.refuse_unbookable(work, account, work.data.occurred_at, "occurredAt")
        if account.business_id != books.accounts[keys[0]].business_id:
            work.refuse(OTHER_BUSINESS, "entries", place, "account")


def _draft(work: Work[TransferData], books: Books) -> Draft:
    data = work.data
    rows = [
        Transaction(
            account=books.accounts[key],
            transaction_type=TransactionType.FUND_TRANSFER,
            amount_cents=part.amount_cents,
            occurred_at=data.occurred_at,
            category_id="TRANSFERS_IN" if part.amount_cents > 0 else "TRANSFERS_OUT",
            description=data.description,
            **({"external_id": part.id} if part.id else {}),
        )
        for key, part in zip(_account_keys(work), data.entries, strict=True)
    ]
    draft = Draft(rows, data.occurred_at, description=data.description)
    if work.line.id:
        draft.posting.id = work.line.id
    return draft


def _is_to_be_reversed(work: Work[TransferData]) -> bool:
    return work.data.status == "REVERSED" and not hasattr(work.row, "reversed_by")


def _check_reversal(work: Work[TransferData], books: Books) -> None:
    """Refuse a reversal whose time is missing, or at which an account takes no posting."""
    reversed_at = work.data.reversed_at
    if reversed_at is None:
        work.faults.append(fault(FaultCode.FIELD_MISSING, "data", "reversedAt"))
        return
    for key in _account_keys(work):
        books.refuse_unbookable(work, books.accounts[key], reversed_at, "reversedAt")


def _is_same(work: Work[TransferData]) -> bool:
    """Return whether the line has the accounts, amounts, time and text of the stored posting.

    The text of a line that is REVERSED does not count. False if the posting was reversed and the
    status of the line is not REVERSED.
    """
    posting, data = work.row, work.data
    stored = set(posting.transactions.values_list("account_id", "amount_cents"))
    sent = set(zip(_account_keys(work), (part.amount_cents for part in data.entries), strict=True))
    stays = data.status == "REVERSED" or (
        data.description == posting.description and not hasattr(posting, "reversed_by")
    )
    return stays and (stored, posting.posted_at) == (sent, data.occurred_at)


register(TransferKind())

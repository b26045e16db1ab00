"""The data of a transaction, as a line has them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from banking.choices import TransactionType
from banking.feed.schemas import AccountId, CardId, Cents, Data, Reference, Text, Timestamp
from banking.feed.schemas import Id as ExternalId

Status = Literal["PENDING", "POSTED", "RELEASED", "REVERSED"]
Merchant = Annotated[ExternalId, Reference("merchants")]
Location = Annotated[ExternalId, Reference("locations")]


class TransactionData(Data):
    """A movement of money on one account. Balances follow from transactions and are never sent."""

    account: AccountId
    transaction_type: TransactionType
    status: Status
    amount_cents: Cents = Field(description="US cents, negative when money leaves; not zero.")
    currency: Literal["USD"] = "USD"
    occurred_at: Timestamp
    settled_at: Timestamp | None = Field(
        default=None, description="Of a posted one; `occurredAt` unless given."
    )
    settles_at: Timestamp | None = Field(
        default=None, description="When a pending one is due to settle by itself."
    )
    reversed_at: Timestamp | None = Field(default=None, description="Of a reversed one; required.")
    category: Annotated[str, StringConstraints(max_length=24)] = Field(
        default="", description="A code of svc_list_transaction_categories; else by the type."
    )
    is_business: bool = True
    description: Text = ""
    note: Text = ""
    merchant: Merchant | None = None
    merchant_name: Annotated[str, StringConstraints(max_length=120)] = Field(
        default="", description="As the network spelled it."
    )
    mcc: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$|^$")] = Field(
        default="", description="With `merchantName` instead of `merchant`."
    )
    location: Location | None = None
    card: CardId | None = None
    original_amount_cents: int | None = Field(
        default=None, ge=0, le=10**14, description="In the smallest unit of its currency."
    )
    original_currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$|^$")] = ""

"""The ledger as a source of anchors: each entry, with its posting."""

from banking.models import Entry
from foundation.anchoring.sources import RangeSource, register

POSTING = [
    "posting_id",
    "posting__posted_at",
    "posting__description",
    "posting__posted_by_id",
    "posting__idempotency_key",
    "posting__reverses_id",
]

register(RangeSource("ledger", Entry, ["account_id", "amount_cents", "posted_at", *POSTING]))

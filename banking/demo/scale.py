"""Lines of transactions by the million, made while they are sent, to try the speed of the feed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from banking.choices import AccountType, BusinessType, FilingStatus
from banking.demo.dice import Dice
from banking.demo.lines import encode
from banking.demo.transaction_types import TRANSACTION_TYPES, DemoType

SPAN = timedelta(days=3 * 365)
PENDING = timedelta(days=2)  # the newest are still holds
MERCHANTS = 400


@dataclass(frozen=True)
class Scale:
    """The size of generated data: the numbers of transactions and of businesses.

    `share` is the fraction (0 to 1) of the transactions that are on the first business's account.
    External ids begin with `tag`: a run with another tag adds records and changes none.
    """

    count: int
    tag: str
    businesses: int = 1001
    share: float = 0.8
    seed: int = 7


def write_lines(scale: Scale, *, until: datetime) -> Iterator[bytes]:
    """Yield the lines of merchants, businesses, accounts and transactions.

    The transactions are of the three years before `until`; those of the last days are pending.
    """
    dice = Dice(f"{scale.seed}:{scale.tag}")
    for number in range(MERCHANTS):
        data = {"name": f"Merchant {number}", "mcc": "5999"}
        yield encode("merchants", data, external_id=f"merchant-{number}")
    for number in range(scale.businesses):
        yield _business(scale, number, until - SPAN)
    for number in range(scale.businesses):
        yield _account(scale, number, until - SPAN)
    kinds = dice.choices(TRANSACTION_TYPES, [kind.share for kind in TRANSACTION_TYPES], k=1000)
    for number in range(scale.count):
        at = time_of(scale, number, until=until)
        yield _transaction(scale, dice, kinds[dice.randrange(1000)], number, at, until)


def time_of(scale: Scale, number: int, *, until: datetime) -> datetime:
    """Return the time of a transaction, by its number from 0: they are spread evenly."""
    return until - SPAN * (1 - (number + 1) / (scale.count + 1))


def _business(scale: Scale, number: int, at: datetime) -> bytes:
    data = {
        "legal_name": f"Scale {scale.tag}-{number} LLC",
        "business_type": BusinessType.LLC,
        "filing_status": FilingStatus.SINGLE,
        "incorporation_state": "TX",
        "email": f"scale-{scale.tag}-{number}@example.com",
        "created_at": at,
    }
    return encode("businesses", data, external_id=f"{scale.tag}-{number}")


def _account(scale: Scale, number: int, at: datetime) -> bytes:
    data = {
        "business": f"{scale.tag}-{number}",
        "account_type": AccountType.MAIN_ACCOUNT,
        "name": "Business checking",
        "opened_at": at,
    }
    return encode("accounts", data, external_id=f"{scale.tag}-{number}")


def _transaction(
    scale: Scale, dice: Dice, kind: DemoType, number: int, at: datetime, until: datetime
) -> bytes:
    is_first = scale.businesses == 1 or dice.random() < scale.share
    account = 0 if is_first else dice.randrange(1, scale.businesses)
    data = {
        "account": f"{scale.tag}-{account}",
        "transaction_type": kind.transaction_type,
        "status": "PENDING" if at >= until - PENDING else "POSTED",
        "amount_cents": kind.sign * dice.cents(kind.least, kind.most),
        "occurred_at": at,
        "category": kind.category,
        "description": f"{kind.category.capitalize()} {number}",
    }
    if kind.is_bought:
        data["merchant"] = f"merchant-{dice.randrange(MERCHANTS)}"
    return encode("transactions", data, external_id=f"{scale.tag}-{number}")

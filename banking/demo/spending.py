"""Card purchases, refunds and cash withdrawals of a demo business."""

from datetime import date, datetime, timedelta
from typing import Any

from banking.choices import AccountType, TransactionType
from banking.days import midnight, month_end
from banking.demo.book import MAIN, Book
from banking.demo.cards import SECURED, Wallet
from banking.demo.profiles import Shop
from banking.demo.shops import MACHINE, PRIVATE
from banking.models import Transaction

SECURED_PERCENT = 12  # of all purchases
QUIET_SHARE = 0.4
DOLLARS = {"EUR": 1.09, "GBP": 1.27}
ABROAD_FEE_PERCENT = 1
ATM_FEE = 250


def spend(book: Book, wallet: Wallet) -> None:
    """Plan the card purchases, refunds, withdrawals and secured card payments of the history."""
    for month in book.days.firsts():
        days = book.days.of_month(month)
        share = QUIET_SHARE if book.days.is_quiet(month) else 1.0
        count = round(book.profile.purchases * share * len(days) / month_end(month).day)
        for day in sorted(book.dice.choices(days, k=count)):
            _buy_something(book, wallet, day)
        for place, shop in enumerate(filter(is_subscription, book.profile.shops)):
            day = month.replace(day=4 + 5 * place)
            if day in days:
                _buy(book, wallet, shop, day, settles_at=midnight(day) + timedelta(hours=33))
        for day in book.dice.choices(days, k=1):
            _withdraw(book, wallet, day)
        _pay_secured_card(book, month)


def is_subscription(shop: Shop) -> bool:
    """Return whether a shop charges the same amount every month."""
    return shop.low == shop.high


def leave_pending(book: Book, wallet: Wallet) -> None:
    """Plan a pending transaction of each type but FEE on the last day."""
    day = book.days.until - timedelta(days=1)
    settles_at = book.days.end + timedelta(hours=30)
    dice, shops = book.dice, book.profile.shops
    shop = next(shop for shop in shops if shop.place)
    _buy(book, wallet, shop, day, settles_at=settles_at)
    _withdraw(book, wallet, day, settles_at=settles_at)
    _return(book, wallet, wallet.bought[-1], dice.timestamp(day), settles_at)
    for kind, note in [
        (TransactionType.CHECK_DEPOSIT, f"Check {dice.digits(4)}, mobile deposit"),
        (TransactionType.CACHE_DEPOSIT, "Cash deposit at the counter"),
        (TransactionType.FUND_TRANSFER, "Brightpay card sales"),
    ]:
        book.enter(
            kind,
            dice.round_cents(300, 1200),
            at=settles_at,
            category=book.profile.income_category,
            description=note,
            occurred_at=dice.timestamp(day),
        )


def _buy_something(book: Book, wallet: Wallet, day: date) -> None:
    is_private = book.dice.happens(book.profile.private_percent)
    shops = [shop for shop in book.profile.shops if not is_subscription(shop)]
    shop = book.dice.choice(PRIVATE if is_private else shops)
    settles_at = midnight(day + timedelta(days=book.dice.randint(1, 2))) + timedelta(hours=9)
    _buy(book, wallet, shop, day, settles_at=settles_at)
    bought_at = wallet.bought[-1][0].occurred_at
    back_at = bought_at + timedelta(days=book.dice.randint(2, 9))
    if book.dice.happens(3) and back_at < book.days.end - timedelta(days=2):
        _return(book, wallet, wallet.bought[-1], back_at, back_at + timedelta(days=1))


def _buy(book: Book, wallet: Wallet, shop: Shop, day: date, *, settles_at: datetime) -> None:
    dice = book.dice
    card = wallet.plastic if shop.place else wallet.virtual
    if wallet.secured and dice.happens(SECURED_PERCENT):
        card = wallet.secured
    amount = dice.cents(shop.low, shop.high) if shop.low < shop.high else shop.low * 100
    facts: dict[str, Any] = {"original_amount_cents": amount, "original_currency": shop.currency}
    row = book.enter(
        TransactionType.PURCHASE,
        -round(amount * DOLLARS.get(shop.currency, 1)),
        at=settles_at,
        occurred_at=dice.timestamp(day),
        category=shop.category,
        account=AccountType(card.account.account_type),
        card=card,
        is_business=shop not in PRIVATE,
        **_where(book, shop),
        **(facts if shop.currency else {}),
    )
    wallet.bought.append((row, shop))
    if shop.currency and settles_at < book.days.end:
        fee = max(1, -row.amount_cents * ABROAD_FEE_PERCENT // 100)
        book.charge(fee, at=settles_at, description="Foreign transaction fee")


def _return(
    book: Book, wallet: Wallet, bought: tuple[Transaction, Shop], at: datetime, settles_at: datetime
) -> None:
    """Plan a refund of all or 40 percent of a purchase."""
    row, shop = bought
    book.enter(
        TransactionType.REFUND,
        -row.amount_cents * book.dice.choice([40, 100, 100]) // 100 or 1,
        at=settles_at,
        occurred_at=at,
        category=shop.category,
        account=AccountType(row.account.account_type),
        card=row.card,
        is_business=row.is_business,
        **_where(book, shop),
    )


def _withdraw(book: Book, wallet: Wallet, day: date, *, settles_at: datetime | None = None) -> None:
    at = book.dice.timestamp(day)
    book.enter(
        TransactionType.ATM,
        -book.dice.round_cents(40, 300),
        at=settles_at or at,
        occurred_at=at,
        category="CASH_WITHDRAWAL",
        card=wallet.plastic,
        **_where(book, MACHINE),
    )
    if settles_at is None:
        book.charge(ATM_FEE, at=at + timedelta(seconds=1), description="ATM fee")


def _pay_secured_card(book: Book, month: date) -> None:
    """Plan a payment of the secured card's balance on the fifth of the month."""
    at = midnight(month.replace(day=5)) + timedelta(hours=12)
    if SECURED not in book.accounts or at >= book.days.end:
        return
    account = book.accounts[SECURED]
    rows = [row for posting in book.planned if posting.at < at for row in posting.transactions]
    owed = -sum(row.amount_cents for row in rows if row.account is account)
    if owed > 0:
        book.move(MAIN, SECURED, owed, at=at, description="Secured card payment")


def _where(book: Book, shop: Shop) -> dict[str, Any]:
    merchant = book.directory.merchant(shop)
    location = book.directory.location(shop, book.profile.place)
    city = f" {location.city} {location.state}" if location else ""
    return {
        "merchant": merchant,
        "merchant_raw_name": f"{merchant.name}{city}".upper().strip(),
        "location": location,
        "description": f"{merchant.name}{city}".strip(),
    }

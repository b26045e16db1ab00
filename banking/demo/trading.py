"""Monthly income and costs of a demo business, except for cards, invoices and bills."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from banking.calendar import next_business_day
from banking.choices import AccountType, TransactionType
from banking.days import midnight, month_end
from banking.demo.book import MAIN, Book
from banking.demo.offers import PLANS

PAYOUT_DAYS = {0, 2, 4}
CASH_DAY, PAY_DAYS = 1, (10, 25)
QUIET_PERCENT = 40
TAX_DAYS = {(1, 15), (4, 15), (6, 15), (9, 15)}  # of the quarterly estimated taxes
SALES_TAX_MONTHS = {1, 4, 7, 10}
BUCKET, SAVING = AccountType.TAX_BUCKET, AccountType.SAVING_BUCKET
EMERGENCY, LOC = AccountType.EMERGENCY_BUCKET, AccountType.LOC


def trade(book: Book) -> None:
    """Plan the opening deposit and, for each month of the history, income, wages and costs.

    The monthly costs include the owner's draw, savings, and use of the line of credit.
    """
    opened_at = midnight(book.days.first) + timedelta(hours=15)
    amount = book.profile.investment * 100
    book.pay(amount, at=opened_at, category="OWNER_INVESTMENT", description="Opening deposit")
    for month in book.days.firsts():
        for day in book.days.of_month(month):
            _earn(book, day)
        _pay_wages(book, month)
        _pay_monthly_costs(book, month)


def set_aside(book: Book) -> None:
    """Plan transfers to the tax bucket, a share of each half month's income, and tax payments."""
    received: dict[date, int] = {}
    for posting in book.planned:
        for row in posting.transactions:
            if row.category_id in {"SALES", "SERVICES"}:
                half = _half_end(row.occurred_at.date())
                received[half] = received.get(half, 0) + row.amount_cents
    saved = 0
    for half in sorted(received):
        at = midnight(half) + timedelta(hours=23, minutes=30)
        amount = received[half] * book.profile.tax_percent // 100
        if at < book.days.end and amount:
            saved = _pay_taxes(book, saved, up_to=half)
            book.move(MAIN, BUCKET, amount, at=at, description="Set aside for taxes")
            saved += amount


def _half_end(day: date) -> date:
    return day.replace(day=15) if day.day <= 15 else month_end(day)


def _pay_taxes(book: Book, saved: int, *, up_to: date) -> int:
    """Plan the payment of the quarter's tax if `up_to` is a day of TAX_DAYS.

    `saved` is the balance of the tax bucket. Return the cents that remain in the bucket.
    """
    is_due = (up_to.month, up_to.day) in TAX_DAYS
    amount = saved * 9 // 10 // 100 * 100
    if not is_due or not amount:
        return saved
    at = midnight(up_to) + timedelta(hours=15)
    book.move(BUCKET, MAIN, amount, at=at, description="Out of the tax bucket")
    at += timedelta(minutes=20)
    note = "Estimated income tax, U.S. Treasury"  # the owner's, not the business's
    book.pay(-amount, at=at, category="OWNER_DRAW", description=note)
    return saved - amount


def _earn(book: Book, day: date) -> None:
    profile, dice = book.profile, book.dice
    share = QUIET_PERCENT if book.days.is_quiet(day) else 100
    at = dice.timestamp(day)
    if profile.payouts and day.weekday() in PAYOUT_DAYS:
        amount = dice.cents(*profile.payouts) * share // 100
        description = f"Brightpay card sales, {day:%b} {day.day}"
        book.pay(amount, at=at, category="SALES", description=description)
    if profile.cash and day.weekday() == CASH_DAY:
        amount = dice.round_cents(*profile.cash, step=5) * share // 100
        cash, note = TransactionType.CACHE_DEPOSIT, "Cash deposit at the counter"
        book.enter(cash, amount, at=at, category="SALES", description=note)
    if profile.checks and day.day in {9, 23}:
        amount = dice.cents(*profile.checks) * share // 100
        check, note = TransactionType.CHECK_DEPOSIT, f"Check {dice.digits(4)}, mobile deposit"
        book.enter(check, amount, at=at, category="SALES", description=note)


def _pay_wages(book: Book, month: date) -> None:
    """Plan wages twice a month, and payroll taxes. In the quiet beginning, one person is paid."""
    staff = book.profile.staff[: 1 if book.days.is_quiet(month) else None]
    for half, day in enumerate(PAY_DAYS, start=1):
        at = _at(month, day, hour=16)
        for name, salary in staff if at < book.days.end else ():
            description = f"Salary {month:%B}, {half} of 2, {name}"
            book.pay(-salary * 50, at=at, category="PAYROLL", description=description)
            at += timedelta(minutes=1)
    at = _at(month, 20, hour=17)
    if staff and at < book.days.end:
        amount = sum(salary for _, salary in staff) * 20
        book.pay(-amount, at=at, category="PAYROLL", description=f"Payroll taxes {month:%B}")


def _pay_monthly_costs(book: Book, month: date) -> None:
    """Plan the plan's fee, owner's draw, savings, sales tax, and use of the line of credit."""
    profile, share = book.profile, QUIET_PERCENT if book.days.is_quiet(month) else 100
    steps: list[tuple[int, Callable[[datetime], None]]] = [
        (2, lambda at: _pay_for_plan(book, at)),
        (6, lambda at: _draw(book, profile.draw * share, at)),
        (8, lambda at: _save(book, profile.saving * share, at)),
        (11, lambda at: _borrow(book, at)),
        (20, lambda at: _remit_sales_tax(book, at)),
        (26, lambda at: _repay(book, at)),
    ]
    for day, step in steps:
        at = _at(month, day, hour=18)
        if at < book.days.end:
            step(at)


def _pay_for_plan(book: Book, at: datetime) -> None:
    name, price_cents, _ = PLANS[book.profile.plan]
    if price_cents:
        book.charge(price_cents, at=at, description=f"{name} plan, {at:%B}")


def _remit_sales_tax(book: Book, at: datetime) -> None:
    if book.profile.invoices and at.month in SALES_TAX_MONTHS:
        note = f"Sales tax, {book.profile.state}"
        book.pay(-book.dice.cents(180, 620), at=at, category="TAXES", description=note)


def _draw(book: Book, amount: int, at: datetime) -> None:
    if amount:
        book.pay(-amount, at=at, category="OWNER_DRAW", description="Owner's draw")


def _save(book: Book, amount: int, at: datetime) -> None:
    """Plan savings, and a third as much for emergencies, some of which is used twice a year."""
    if SAVING in book.accounts and amount:
        book.move(MAIN, SAVING, amount, at=at, description="Savings")
    if EMERGENCY in book.accounts and amount and not book.days.is_quiet(at.date()):
        book.move(MAIN, EMERGENCY, amount // 3, at=at, description="For emergencies")
        if at.month in {5, 11} and (at := at + timedelta(days=1)) < book.days.end:
            book.move(EMERGENCY, MAIN, amount // 4, at=at, description="For a repair")


def _borrow(book: Book, at: datetime) -> None:
    if LOC in book.accounts and at.month in {2, 6, 10} and not book.days.is_quiet(at.date()):
        book.move(LOC, MAIN, 450_000, at=at, description="Drawn on the line of credit")


def _repay(book: Book, at: datetime) -> None:
    """Plan interest of a percent of the debt on the line of credit, and a repayment, if any."""
    if LOC not in book.accounts:
        return
    owed = -sum(
        row.amount_cents
        for posting in book.planned
        for row in posting.transactions
        if row.account is book.accounts[LOC]
    )
    if owed <= 0:
        return
    interest = owed // 100
    note = "Interest on the line of credit"
    book.charge(interest, at=at, description=note, account=LOC, category="INTEREST_PAID")
    at += timedelta(minutes=5)
    amount = min(owed + interest, 120_000 + interest)
    book.move(MAIN, LOC, amount, at=at, description="Repaid on the line of credit")


def _at(month: date, day: int, *, hour: int) -> datetime:
    return midnight(next_business_day(month.replace(day=day))) + timedelta(hours=hour)

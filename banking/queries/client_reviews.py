"""Reviews of all clients of an accountant at once: which of them need attention.

Each check is a statement or a few for all clients together, however many they are. A client that
shows statements only is checked for its statement alone. Accesses are read anew by each call.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Sum

from banking.choices import (
    AccessLevel,
    AccessStatus,
    AccountType,
    BillStatus,
    ClientCheck,
    TransactionType,
)
from banking.days import DAY, midnight
from banking.models import (
    Account,
    Accountant,
    Bill,
    Business,
    ClientAccess,
    Invoice,
    Receipt,
    Statement,
    TaxBucket,
    Transaction,
    TransactionTotal,
)
from banking.queries.accountants import Client
from banking.queries.profits import Profit, get_profits
from banking.queries.taxes import estimate_on
from banking.reach import EVERYTHING, Reach
from banking.tax.tables import NoStateTable, NoTaxTables

NOT_SORTED = ("OTHER_EXPENSE", "OTHER_INCOME")  # the categories of what is not categorized
RECEIPT_FROM_CENTS = 7_500  # 26 CFR 1.274-5(c)(2)(iii): below $75 no receipt is asked for

NONE = (0, 0)
NOT_ESTIMATED = NONE  # in place of the amounts of a client whose tax is not known
Among = Sequence[Business] | Sequence[int]  # businesses or their keys
Amounts = dict[int, tuple[int, int]]  # by the key of a business: how many, cents


@dataclass(frozen=True)
class ReviewedClient:
    """A client that a check found, the number of rows that it found, and their cents together."""

    business: Business
    count: int
    amount_cents: int


@dataclass(frozen=True)
class ReviewedCheck:
    """The clients that a check found, those with the largest amount or number first.

    `not_estimated` is the number of clients whose tax is not known, so that the check skips them.
    """

    check: ClientCheck
    clients: tuple[ReviewedClient, ...]
    not_estimated: int = 0

    @property
    def amount_cents(self) -> int:
        """Return the amounts of all clients together."""
        return sum(client.amount_cents for client in self.clients)


@dataclass(frozen=True)
class ClientFigures:
    """Balance, last statement and overdue counts of an accountant's client.

    A figure is None if it is not known, or if the accountant is not allowed to read it.
    `last_statement` is a month, for example 2026-03. Units: cents.
    """

    available_balance_cents: int | None
    last_statement: str | None
    bills_overdue_count: int | None
    invoices_overdue_count: int | None


@dataclass(frozen=True)
class ClientReview:
    """The clients that an accountant may read now, and the results of the checks."""

    businesses: tuple[Business, ...]
    checks: tuple[ReviewedCheck, ...]


@dataclass(frozen=True)
class ReviewTerms:
    """The terms of a review: today, the first day it covers, and the least balance in cents."""

    today: date
    first: date
    least_balance_cents: int


def review_clients(
    accountant: Accountant,
    checks: Sequence[ClientCheck],
    reach: Reach = EVERYTHING,
    *,
    at: datetime,
    first: date,
    least_balance_cents: int,
) -> ClientReview:
    """Run `checks` on all clients that the accountant may read at a time.

    `first` is the first day for uncategorized transactions and missing receipts. Clients that show
    statements only are left out of all checks but STATEMENT_MISSING.
    """
    accesses = ClientAccess.objects.readable_by(accountant, at=at).select_related("business")
    accesses = accesses.filter(reach.of_businesses())
    levels = {access.business: access.level for access in accesses.order_by("business__legal_name")}
    full = [one for one, level in levels.items() if level != AccessLevel.STATEMENTS_ONLY]
    terms = ReviewTerms(at.astimezone(UTC).date(), first, least_balance_cents)
    reviewed = []
    for check in checks:
        among = list(levels) if check is ClientCheck.STATEMENT_MISSING else full
        amounts = CHECKS[check](among, terms)
        unknown = list(amounts.values()).count(NOT_ESTIMATED)
        reviewed.append(ReviewedCheck(check, tuple(_found(amounts, among)), unknown))
    return ClientReview(tuple(levels), tuple(reviewed))


def list_figures(clients: Sequence[Client], *, at: datetime) -> list[ClientFigures]:
    """Return the figures of the clients of a list, in their order. Runs four database queries.

    A client who shares only statements has only `last_statement`. If the access to a client is not
    connected, all figures are None.
    """
    readable = [one for one in clients if one.status == AccessStatus.CONNECTED]
    full = [one.business_id for one in readable if one.level != AccessLevel.STATEMENTS_ONLY]
    terms = ReviewTerms(at.astimezone(UTC).date(), date.min, 0)
    statements = _last_statements([one.business_id for one in readable])
    balances = _balances(full)
    bills, invoices = _bills_overdue(full, terms), _invoices_overdue(full, terms)
    figures = []
    for client in clients:
        key, is_full = client.business_id, client.business_id in full
        figures.append(
            ClientFigures(
                available_balance_cents=balances[key][1] if key in balances else None,
                last_statement=statements.get(key),
                bills_overdue_count=bills.get(key, NONE)[0] if is_full else None,
                invoices_overdue_count=invoices.get(key, NONE)[0] if is_full else None,
            )
        )
    return figures


def _found(amounts: Amounts, among: Sequence[Business]) -> list[ReviewedClient]:
    known = {key: amount for key, amount in amounts.items() if amount != NOT_ESTIMATED}
    found = [ReviewedClient(one, *known[one.pk]) for one in among if one.pk in known]
    return sorted(found, key=lambda client: (-abs(client.amount_cents), -client.count))


def _statements_missing(among: Among, terms: ReviewTerms) -> Amounts:
    """Find clients with a checking account that has no statement of last month.

    The account is open and was opened before this month (UTC). Each client counts as one, with no
    amount.
    """
    month = terms.today.replace(day=1) - DAY
    made = Statement.objects.filter(account=OuterRef("pk"), year=month.year, month=month.month)
    opened = midnight(terms.today.replace(day=1))
    accounts = Account.objects.open().filter(
        ~Exists(made),
        business__in=among,
        account_type=AccountType.MAIN_ACCOUNT,
        opened_at__lt=opened,
    )
    return dict.fromkeys(accounts.values_list("business", flat=True), (1, 0))


def _bills_overdue(among: Among, terms: ReviewTerms) -> Amounts:
    """Count the pending bills past due with a remaining amount, and sum up these amounts.

    Bills in other currencies are counted, but not added up. Units: US cents.
    """
    bills = Bill.objects.filter(
        business__in=among, status=BillStatus.PENDING, due_date__lt=terms.today
    )
    amounts: Amounts = {}
    for bill in bills.with_remaining():
        cents = vars(bill)["remaining_cents"]
        if cents > 0:
            count, before = amounts.get(bill.business_id, (0, 0))
            usd_cents = cents if bill.currency_code == "USD" else 0
            amounts[bill.business_id] = (count + 1, before + usd_cents)
    return amounts


def _invoices_overdue(among: Among, terms: ReviewTerms) -> Amounts:
    invoices = Invoice.objects.overdue(on=terms.today).filter(business__in=among)
    return _summed(invoices, Sum(F("total_cents") - F("paid_cents")))


def _balances_low(among: Among, terms: ReviewTerms) -> Amounts:
    """Find clients whose checking accounts together have less than the least balance."""
    return {
        business: (count, cents)
        for business, (count, cents) in _balances(among).items()
        if cents < terms.least_balance_cents
    }


def _balances(among: Among) -> Amounts:
    """Return the number and the available balance of the open checking accounts of the clients."""
    accounts = Account.objects.open().filter(
        business__in=among, account_type=AccountType.MAIN_ACCOUNT
    )
    return _summed(accounts, Sum(F("current_cents") - F("held_cents")))


def _last_statements(among: Among) -> dict[int, str]:
    """Return the latest month, as 2026-03, with a checking account's statement, by business key."""
    made = Statement.objects.filter(
        business__in=among, account__account_type=AccountType.MAIN_ACCOUNT
    )
    months = made.order_by().values_list("business").annotate(last=Max(F("year") * 12 + F("month")))
    return {business: f"{(last - 1) // 12}-{(last - 1) % 12 + 1:02d}" for business, last in months}


def _taxes_owed(among: Sequence[Business], terms: ReviewTerms) -> Amounts:
    """Find clients whose estimated tax of the year so far exceeds the balance of their tax bucket.

    The amount is the difference. A client whose state or year has no tax tables is returned with
    NOT_ESTIMATED.
    """
    new_year = terms.today.replace(month=1, day=1)
    profits = get_profits(among, first=new_year, last=terms.today)
    buckets = TaxBucket.objects.filter(account__business__in=among, account__closed_at=None)
    saved = dict(buckets.values_list("account__business", "account__current_cents"))
    amounts: Amounts = {}
    for business in among:
        profit = profits.get(business.pk, Profit(0, ()))
        try:
            owed = estimate_on(business, profit, year=terms.today.year).total_cents
        except (NoTaxTables, NoStateTable):
            amounts[business.pk] = NOT_ESTIMATED
            continue
        if (missing := owed - saved.get(business.pk, 0)) > 0:
            amounts[business.pk] = (1, missing)
    return amounts


def _not_sorted(among: Among, terms: ReviewTerms) -> Amounts:
    totals = TransactionTotal.objects.between(terms.first, terms.today).filter(
        business__in=among, category__in=NOT_SORTED, is_pending=False, count__gt=0
    )
    return _summed(totals, Sum(F("in_cents") + F("out_cents")), Sum("count"))


def _without_receipt(among: Among, terms: ReviewTerms) -> Amounts:
    """Count and sum up posted business purchases of RECEIPT_FROM_CENTS or more without receipt."""
    purchases = Transaction.objects.posted().filter(
        ~Exists(Receipt.objects.filter(transaction=OuterRef("pk"))),
        business__in=among,
        is_business=True,
        transaction_type=TransactionType.PURCHASE,
        amount_cents__lte=-RECEIPT_FROM_CENTS,
        occurred_at__gte=midnight(terms.first),
        occurred_at__lt=midnight(terms.today + DAY),
    )
    return _summed(purchases, -Sum("amount_cents"))


def _summed(rows: QuerySet, cents: object, count: object = None) -> Amounts:  # type: ignore[type-arg]  # of any model
    sums = rows.order_by().values_list("business")
    found = sums.annotate(how_many=count or Count("pk"), cents=cents)
    return {business: (how_many, amount) for business, how_many, amount in found}


CHECKS: dict[ClientCheck, Callable[[Sequence[Business], ReviewTerms], Amounts]] = {
    ClientCheck.STATEMENT_MISSING: _statements_missing,
    ClientCheck.BILLS_OVERDUE: _bills_overdue,
    ClientCheck.INVOICES_OVERDUE: _invoices_overdue,
    ClientCheck.BALANCE_LOW: _balances_low,
    ClientCheck.TAX_NOT_SAVED: _taxes_owed,
    ClientCheck.NOT_CATEGORIZED: _not_sorted,
    ClientCheck.RECEIPT_MISSING: _without_receipt,
}

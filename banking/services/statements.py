"""Statements: close the months of an account, one after the other, for good."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate

from banking.choices import STATEMENT_ACCOUNT_TYPES, TransactionType
from banking.days import DAY, midnight, month_end, next_month
from banking.models import Account, Entry, Statement
from banking.models.stored_files import store
from banking.pdf.bank import letterhead
from banking.pdf.statements import AccountStatement, StatementLine, render_statement
from banking.queries.addresses import mailing_lines
from banking.queries.statements import list_transactions
from foundation.files import PDF, Download


class MonthNotOver(Exception):
    """A month that is not over has no statement yet."""


def close_months(*, through: date, at: datetime) -> Iterator[Statement]:
    """Close the open months of all accounts, up to the month that `through` lies in.

    Each statement is committed before the next is made, so a run that stopped can be repeated. An
    account that closed has a last statement for the month in which it closed. Raises: MonthNotOver.
    """
    _require_over(through, at)
    for account in list_unclosed(through=through).select_related("business").order_by("pk"):
        while (month := next_open_month(account)) and month <= through:
            statement = close_month(account, month=month, at=at)
            account.closed_through = month_end(month)
            if statement:
                yield statement


def list_unclosed(*, through: date) -> QuerySet[Account]:
    """Return the accounts with a month to close, up to the month that `through` lies in."""
    has_last_statement = Q(closed_on__lte=F("closed_through"))
    accounts = Account.objects.alias(closed_on=TruncDate("closed_at", tzinfo=UTC))
    return accounts.filter(
        Q(closed_through=None) | Q(closed_through__lt=month_end(through)) & ~has_last_statement,
        account_type__in=STATEMENT_ACCOUNT_TYPES,
        opened_at__lt=midnight(next_month(through)),
    )


def next_open_month(account: Account) -> date | None:
    """Return the first day of the month of the account's next statement, even if it is not over.

    None if the account was closed and has its last statement.
    """
    if account.closed_through is None:
        return account.opened_at.astimezone(UTC).date().replace(day=1)
    following = account.closed_through + DAY
    is_over = account.closed_at and account.closed_at.astimezone(UTC).date() < following
    return None if is_over else following


@transaction.atomic
def close_month(account: Account, *, month: date, at: datetime) -> Statement | None:
    """Make the statement of the account's next open month; nothing may be posted to it after.

    `month` is the first day of the month. None if that is not the account's next open month, for
    example since another process closed it. Raises: MonthNotOver.
    """
    _require_over(month, at)
    locked = (
        Account.objects.select_for_update(of=("self",))
        .select_related("business")
        .get(pk=account.pk)
    )
    if next_open_month(locked) != month:
        return None
    statement = Statement(
        business=locked.business,
        account=locked,
        year=month.year,
        month=month.month,
        created_at=at,
    )
    _add_up(statement)
    for name, value in store(_render(statement)).items():
        setattr(statement, name, value)
    statement.save()
    Account.objects.filter(pk=account.pk).update(closed_through=month_end(month))
    return statement


def _add_up(statement: Statement) -> None:
    """Set the sums of a statement, from the entries of its month."""
    came = Coalesce(Sum("amount_cents", filter=Q(amount_cents__gt=0)), 0)
    left = Coalesce(Sum("amount_cents", filter=Q(amount_cents__lt=0)), 0)
    entries = Entry.objects.filter(
        account=statement.account,
        posted_at__gte=midnight(statement.first_day),
        posted_at__lt=statement.ends_at,
    )
    sums = entries.aggregate(came=came, left=left, count=Count("id"))
    previous = statement.account.statements.order_by("-year", "-month").first()
    statement.opening_cents = previous.closing_cents if previous else 0
    statement.in_cents, statement.out_cents = sums["came"], -sums["left"]
    statement.closing_cents = statement.opening_cents + sums["came"] + sums["left"]
    statement.transaction_count = sums["count"]


def _render(statement: Statement) -> Download:
    account = statement.account
    fees = Q(transaction_type=TransactionType.FEE, amount_cents__lt=0)
    fee_cents = -list_transactions(statement).aggregate(
        fees=Coalesce(Sum("amount_cents", filter=fees), 0)
    )["fees"]
    content = render_statement(
        AccountStatement(
            head=letterhead(),
            business_name=statement.business.legal_name,
            address_lines=mailing_lines(statement.business_id),
            account_name=account.name,
            account_last4=account.account_number[-4:],
            start_date=statement.first_day,
            end_date=month_end(statement.first_day),
            opening_balance_cents=statement.opening_cents,
            money_in_cents=statement.in_cents,
            money_out_cents=fee_cents - statement.out_cents,
            fees_cents=-fee_cents,
            closing_balance_cents=statement.closing_cents,
            lines=_lines(statement),
            created_at=statement.created_at,
        )
    )
    name = f"statement-{statement.first_day:%Y-%m}-{account.account_number[-4:]}.pdf"
    return Download(PDF, name, content)


def _lines(statement: Statement) -> Iterator[StatementLine]:
    balance_cents = statement.opening_cents
    for row in list_transactions(statement).select_related("category", "merchant").iterator(500):
        balance_cents += row.amount_cents
        yield StatementLine(
            posted_date=row.settled_at.date() if row.settled_at else statement.first_day,
            description=row.merchant_name or row.description,
            category=row.category.display_name,
            amount_cents=row.amount_cents,
            balance_cents=balance_cents,
            is_fee=row.transaction_type == TransactionType.FEE and row.amount_cents < 0,
        )


def _require_over(month: date, at: datetime) -> None:
    if at.astimezone(UTC).date() <= month_end(month):
        raise MonthNotOver(f"{month:%Y-%m} is not over")

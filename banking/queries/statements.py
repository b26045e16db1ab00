"""Statements: the closed months of a business's accounts, and those of an accountant's clients."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from banking.choices import AccountType
from banking.days import midnight
from banking.models import Accountant, Business, ClientAccess, Statement, Transaction
from banking.reach import EVERYTHING, Reach
from foundation.database.compiled_queries import CompiledQuery
from foundation.external_ids import parse

STATEMENT = CompiledQuery(
    lambda business, external_id: list_statements(business).filter(external_id=external_id)
)


@dataclass(frozen=True)
class ClientStatements:
    """The latest statements of an accountant's clients, and the clients that have none."""

    statements: list[Statement]
    without: list[Business]


def list_statements(
    business: Business,
    reach: Reach = EVERYTHING,
    *,
    year: int | None = None,
    account_type: AccountType | None = None,
) -> QuerySet[Statement]:
    """Return the statements of a business, the most recent month first, with their accounts.

    Statements of accounts out of reach, or with a day out of reach, are left out.
    """
    found = Statement.objects.filter(reach.of_whole_months(), business=business)
    found = found.select_related("account")
    if year is not None:
        found = found.filter(year=year)
    if account_type is not None:
        found = found.filter(account__account_type=account_type)
    return found.order_by("-year", "-month", "-id")


def get_statement(
    business: Business, external_id: str | UUID, reach: Reach = EVERYTHING
) -> Statement:
    """Return a statement of an account in reach; its days may be out of reach.

    Raises: Statement.DoesNotExist.
    """
    statement = STATEMENT.first(business=business.pk, external_id=parse(external_id))
    if statement is None or not reach.has_account(statement.account_id):
        raise Statement.DoesNotExist
    return statement


def get_any_statement(external_id: UUID) -> Statement:
    """Return a statement of any business, with its business and its account.

    The caller must check who asks. Raises: Statement.DoesNotExist.
    """
    return Statement.objects.select_related("account", "business").get(external_id=external_id)


def get_latest_statement(business: Business, reach: Reach = EVERYTHING) -> Statement:
    """Return the latest statement of a checking account that is wholly in reach.

    Raises: Statement.DoesNotExist.
    """
    latest = list_statements(business, reach, account_type=AccountType.MAIN_ACCOUNT).first()
    if latest is None:
        raise Statement.DoesNotExist
    return latest


def list_transactions(statement: Statement) -> QuerySet[Transaction]:
    """Return the transactions posted in the statement's month, in the order of their entries."""
    return Transaction.objects.filter(
        account=statement.account_id,
        posting__entries__account=statement.account_id,
        posting__entries__posted_at__gte=midnight(statement.first_day),
        posting__entries__posted_at__lt=statement.ends_at,
    ).order_by("posting__entries__posted_at", "posting__entries__id")


def iterate_transactions(statement: Statement, batch_size: int) -> Iterator[Transaction]:
    """Yield the transactions of `list_transactions` with their merchants, a query for each batch.

    A slow reader holds no cursor and no transaction open between two batches.
    """
    rows = (
        list_transactions(statement)
        .select_related("merchant")
        .annotate(entry_at=F("posting__entries__posted_at"), entry_id=F("posting__entries__id"))
    )
    batch = list(rows[:batch_size])
    yield from batch
    while len(batch) == batch_size:
        last: Any = batch[-1]
        is_later = Q(entry_at__gt=last.entry_at) | Q(entry_id__gt=last.entry_id)
        batch = list(rows.filter(is_later, entry_at__gte=last.entry_at)[:batch_size])
        yield from batch


def get_client_statements(
    accountant: Accountant, reach: Reach = EVERYTHING, *, at: datetime
) -> ClientStatements:
    """Return the latest checking account statement of each client that the accountant may read.

    Clients are sorted by name. Only statements that are wholly in reach count.
    """
    latest = Statement.objects.filter(
        reach.of_whole_months(),
        business=OuterRef("pk"),
        account__account_type=AccountType.MAIN_ACCOUNT,
    ).order_by("-year", "-month", "-id")
    clients = Business.objects.filter(
        reach.of_businesses("pk"),
        pk__in=ClientAccess.objects.readable_by(accountant, at=at).values("business"),
    ).order_by("legal_name", "pk")
    chosen = {
        business: business.latest_id
        for business in clients.annotate(latest_id=Subquery(latest.values("pk")[:1]))
    }
    found = Statement.objects.in_bulk([pk for pk in chosen.values() if pk])
    statements = [(found[pk], business) for business, pk in chosen.items() if pk]
    for statement, business in statements:
        statement.business = business
    return ClientStatements(
        statements=[statement for statement, _ in statements],
        without=[business for business, pk in chosen.items() if not pk],
    )

"""Statements: the closed months of a business's accounts, and those of an accountant's clients."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from banking.choices import AccountType
from banking.external_ids import parse
from banking.files import stream_zip
from banking.models import Accountant, Business, Statement

UNSAFE = re.compile(r"[^\w .-]+")


@dataclass(frozen=True)
class ClientStatements:
    """The latest statements of an accountant's clients, and the clients that have none."""

    statements: list[Statement]
    skipped: list[Business]

    def stream(self) -> Iterator[bytes]:
        """Yield a ZIP archive of them, one statement in memory at a time."""
        return stream_zip(
            (_name_in_archive(statement), statement.read().content) for statement in self.statements
        )


def list_statements(
    business: Business, *, year: int | None = None, account_type: AccountType | None = None
) -> QuerySet[Statement]:
    """Return the statements of a business, the most recent month first, with their accounts."""
    found = Statement.objects.filter(business=business).select_related("account")
    if year is not None:
        found = found.filter(year=year)
    if account_type is not None:
        found = found.filter(account__account_type=account_type)
    return found.order_by("-year", "-month", "-id")


def get_statement(business: Business, external_id: str | UUID) -> Statement:
    """Return a statement of the business. Raises: Statement.DoesNotExist."""
    return list_statements(business).get(external_id=parse(external_id))


def get_latest_statement(business: Business) -> Statement:
    """Return the latest statement of the checking account. Raises: Statement.DoesNotExist."""
    latest = list_statements(business, account_type=AccountType.MAIN_ACCOUNT).first()
    if latest is None:
        raise Statement.DoesNotExist
    return latest


def get_client_statements(accountant: Accountant) -> ClientStatements:
    """Return the latest statement of each client that is connected, by the client's name."""
    latest = Statement.objects.filter(
        business=OuterRef("pk"), account__account_type=AccountType.MAIN_ACCOUNT
    ).order_by("-year", "-month", "-id")
    clients = Business.objects.filter(
        pk__in=accountant.accesses.connected().values("business")
    ).order_by("legal_name", "pk")
    chosen = {
        business: business.latest_id
        for business in clients.annotate(latest_id=Subquery(latest.values("pk")[:1]))
    }
    statements = Statement.objects.select_related("business", "account").in_bulk(
        [pk for pk in chosen.values() if pk]
    )
    return ClientStatements(
        statements=[statements[pk] for pk in chosen.values() if pk],
        skipped=[business for business, pk in chosen.items() if not pk],
    )


def _name_in_archive(statement: Statement) -> str:
    """Return a name that no other statement has and every file system takes."""
    client = UNSAFE.sub("", statement.business.legal_name).strip(" .")[:80]
    return f"{client} {statement.business.external_id}/{statement.file_name}"

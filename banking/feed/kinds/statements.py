"""Statements: a line closes a month of an account; the statement is made from the ledger."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any

from django.db import transaction
from pydantic import Field

from banking.feed import references
from banking.feed.faults import FaultCode, Refused, refused
from banking.feed.plain import FIXED_VALUE
from banking.feed.registry import Kind, Work, register
from banking.feed.schemas import AccountId, Cents, Data
from banking.models import Account, Statement
from banking.services import statements

NOT_OVER = "This month is not over."
NOT_NEXT = "Months are closed one after the other, from the account's first."
OTHER_BALANCE = "The ledger has another balance at the end of this month."


class StatementData(Data):
    """The closed month of an account. Nothing can be posted to a closed month."""

    account: AccountId
    year: Annotated[int, Field(ge=1900, le=2999)]
    month: Annotated[int, Field(ge=1, le=12)]
    closing_cents: Cents | None = Field(
        default=None, description="If it is sent, the ledger's balance must be the same."
    )


class StatementKind(Kind[StatementData]):
    """Statements: a month that is closed stays closed."""

    name, schema, model = "statements", StatementData, Statement
    shows = ("svc_list_statements", "svc_download_statement", "svc_download_client_statement")

    def save(self, works: Sequence[Work[StatementData]], *, at: datetime) -> None:
        for work in sorted(works, key=lambda one: (one.data.year, one.data.month)):
            try:
                work.row = self._close(work, at=at)
            except Refused as exc:
                work.faults += exc.faults

    def remove(self, row: Statement, *, at: datetime) -> None:
        reason = "A statement cannot be removed."
        raise refused(FaultCode.NOT_REMOVABLE, reason=reason)

    def represent(self, row: Statement) -> dict[str, Any]:
        account = references.external_ids_of("accounts", [row.account_id])
        return {
            "account": account.get(row.account_id),
            "year": row.year,
            "month": row.month,
            "closingCents": row.closing_cents,
        }

    def _close(self, work: Work[StatementData], *, at: datetime) -> Statement:
        """Return the statement of the month, made now or before; set `had_row`. Raises: Refused."""
        data = work.data
        account = Account.objects.get(pk=work.target("accounts", data.account) or 0)
        found = account.statements.filter(year=data.year, month=data.month).first()
        if work.row and work.row != found:
            raise refused(FaultCode.VALUE_REFUSED, "data", "month", reason=FIXED_VALUE)
        work.had_row = found is not None
        with transaction.atomic():
            statement = found or _make(account, work, at=at)
            if data.closing_cents not in (None, statement.closing_cents):
                raise refused(FaultCode.VALUE_REFUSED, "data", "closingCents", reason=OTHER_BALANCE)
        return statement


def _make(account: Account, work: Work[StatementData], *, at: datetime) -> Statement:
    """Close the month of the line, which must be the account's next open month. Raises: Refused."""
    month = date(work.data.year, work.data.month, 1)
    try:
        made = statements.close_month(account, month=month, at=at)
    except statements.MonthNotOver:
        raise refused(FaultCode.VALUE_REFUSED, "data", "month", reason=NOT_OVER) from None
    if made is None:
        raise refused(FaultCode.VALUE_REFUSED, "data", "month", reason=NOT_NEXT)
    if work.line.id:
        made.external_id = work.line.id
        made.save(update_fields=["external_id"])
    return made


register(StatementKind())

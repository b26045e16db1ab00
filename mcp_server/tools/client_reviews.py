"""Tool for accountants: which of all clients need something done."""

from datetime import date
from typing import Annotated
from uuid import UUID

from django.utils import timezone
from pydantic import AliasPath, Field

from banking.choices import ClientCheck
from banking.days import DAY
from banking.queries import client_reviews
from banking.queries.client_reviews import ReviewedCheck
from mcp_server.caller import Caller
from mcp_server.errors import denied, invalid
from mcp_server.limits import Limit
from mcp_server.registry import tool
from mcp_server.schema import Dollars, Page, Result, StartDate
from mcp_server.scopes import Scope
from mcp_server.validation import to_cents

BY_CLIENT = {Limit.NAMES}  # its figures are of whole clients, and of now
LOW_BALANCE = 1_000.0
NAMES_PER_PAGE = 500
NEEDED = {
    ClientCheck.STATEMENT_MISSING: Scope.STATEMENTS,
    ClientCheck.BILLS_OVERDUE: Scope.BILLS,
    ClientCheck.INVOICES_OVERDUE: Scope.INVOICES,
    ClientCheck.BALANCE_LOW: Scope.ACCOUNTS,
    ClientCheck.TAX_NOT_SAVED: Scope.TAX,
    ClientCheck.NOT_CATEGORIZED: Scope.TRANSACTIONS,
    ClientCheck.RECEIPT_MISSING: Scope.TRANSACTIONS,
}


class ClientFound(Result):
    """A client that a check found."""

    external_id: UUID = Field(validation_alias=AliasPath("business", "external_id"))
    business_name: str = Field(validation_alias=AliasPath("business", "legal_name"))
    count: int
    amount_cents: int
    amount_usd: str = ""


class CheckResult(Result):
    """A check, how many clients it found, and one page of them, the largest amount first."""

    check: ClientCheck
    client_count: int
    amount_cents: int = Field(
        description="Of all clients found. Bills in other currencies than USD are counted only."
    )
    amount_usd: str = ""
    not_estimated: int = Field(
        description="Of TAX_NOT_SAVED: clients left out, since their state has no tax tables."
    )
    clients: list[ClientFound]
    names: list[str] = Field(
        default_factory=list,
        description="With brief only: the clients' names, in place of clients; long ones cut.",
    )


class Review(Result):
    """The results of the checks of all clients that may be read now."""

    as_of: date
    start_date: date
    client_count: int
    checks: list[CheckResult]
    not_granted: list[ClientCheck] = Field(description="Checks of data that was not granted.")
    page: int
    page_size: int


@tool(Scope.CLIENTS, title="Review clients", is_for_accountants=True, within=BY_CLIENT)
def svc_review_clients(
    caller: Caller,
    check: Annotated[
        ClientCheck | None, Field(description="This check alone; left out: all checks.")
    ] = None,
    below_usd: Annotated[
        Dollars, Field(description="US dollars: BALANCE_LOW is a checking balance below this.")
    ] = LOW_BALANCE,
    start_date: Annotated[
        StartDate | None,
        Field(
            description="First day (UTC), inclusive, of NOT_CATEGORIZED and RECEIPT_MISSING; left "
            "out: the first of last month."
        ),
    ] = None,
    page: Page = 0,
    size: Annotated[int, Field(ge=1, le=100, description="Clients of a check, per page.")] = 5,
    brief: Annotated[
        bool, Field(description="With check: names alone, 500 per page whatever the size.")
    ] = False,
) -> Review:
    """Check all clients for missing statements and receipts, overdue bills, low balances, tax.

    TAX_NOT_SAVED is estimated tax beyond the tax bucket; RECEIPT_MISSING counts business purchases
    from 75 dollars. To name all clients of one check, pass it with brief. For one client's rows,
    call the tools of that client.
    """
    if brief and check is None:
        raise invalid("brief", "needs check")
    size = NAMES_PER_PAGE if brief else size
    now = timezone.now()
    first = start_date or (now.date().replace(day=1) - DAY).replace(day=1)
    wanted = [one for one in ClientCheck if check in {None, one}]
    granted = [one for one in wanted if NEEDED[one] in caller.scopes]
    if not granted:
        raise denied("The user did not grant the data of this check.")
    found = client_reviews.review_clients(
        caller.accountant(),
        granted,
        caller.reach,
        at=now,
        first=first,
        least_balance_cents=to_cents(below_usd),
    )
    caller.concerned = [business.pk for business in found.businesses]
    return Review(
        as_of=now.date(),
        start_date=first,
        client_count=len(found.businesses),
        checks=[_page_of(reviewed, page, size, brief=brief) for reviewed in found.checks],
        not_granted=[one for one in wanted if one not in granted],
        page=page,
        page_size=size,
    )


def _page_of(reviewed: ReviewedCheck, page: int, size: int, *, brief: bool) -> CheckResult:
    clients = list(reviewed.clients[page * size : (page + 1) * size])
    return CheckResult(
        check=reviewed.check,
        client_count=len(reviewed.clients),
        amount_cents=reviewed.amount_cents,
        not_estimated=reviewed.not_estimated,
        clients=[] if brief else clients,
        names=[_shortened(client.business.legal_name) for client in clients] if brief else [],
    )


def _shortened(name: str) -> str:
    """Return a name of 32 characters at most: the middle is cut, since ends tell branches apart."""
    return name if len(name) <= 32 else f"{name[:20].rstrip()}…{name[-11:].lstrip()}"

"""Tools for accountants: their profile, their clients, and the statements of clients."""

from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import AliasPath, Field

from banking.choices import AccessLevel, AccessStatus, BusinessType
from banking.queries import accountants, client_reviews, statements
from banking.queries.client_reviews import ClientFigures
from banking.services import client_statements
from mcp_server.caller import NO_SUCH_CLIENT, NOT_AMONG, Caller
from mcp_server.errors import denied
from mcp_server.limits import EVERY_LIMIT, OF_RECORDS
from mcp_server.registry import tool
from mcp_server.schema import DateOf, ExternalId, FileResult, Page, Result, Search, Text
from mcp_server.scopes import Scope

ClientId = Annotated[ExternalId, Field(description="The client's externalId, from list_customers.")]
Size = Annotated[int, Field(ge=1, le=50, description="Rows per page.")]
ClientSearch = Annotated[
    Search, Field(description="Part of a business's or owner's name, in any case.")
]


class Client(Result):
    """A business with its access status. Names and email are those of its primary owner."""

    external_id: UUID
    business_name: str
    business_type: BusinessType
    status: AccessStatus
    email: str
    first_name: Text
    last_name: Text


class ClientList(Result):
    """All clients of one accountant."""

    customers: list[Client]
    total_count: int


class Selection(Result):
    """The id and name of the client that `select_customer` found among the accountant's clients.

    Nothing is stored: each later call gives the id again.
    """

    selected: bool
    customer_external_id: UUID
    business_name: str


class AccountantProfile(Result):
    """The signed-in accountant."""

    external_id: UUID = Field(validation_alias=AliasPath("user", "external_id"))
    first_name: Text = Field(validation_alias=AliasPath("user", "first_name"))
    last_name: Text = Field(validation_alias=AliasPath("user", "last_name"))
    firm_name: str
    email: str = Field(validation_alias=AliasPath("user", "email"))
    partner_referral_code: str


class ClientWithAccess(Client):
    """A client with the level of the accountant's access."""

    access_level: AccessLevel = Field(validation_alias="level")
    connected_date: DateOf | None = Field(validation_alias="granted_at")
    available_balance_cents: int | None = Field(description="Of checking; null if not granted.")
    available_balance_usd: str | None = None
    last_statement: str | None = Field(description="Its month, as 2026-03.")
    bills_overdue_count: int | None
    invoices_overdue_count: int | None


class ClientPage(Result):
    """One page of an accountant's clients."""

    clients: list[ClientWithAccess] = Field(validation_alias="items")
    page: int
    page_size: int
    total_count: int
    total_pages: int


class ClientStatement(FileResult):
    """A client's latest statement."""

    statement_id: UUID
    year: int
    month: int


class Skipped(Result):
    """A client without a statement in the archive, and the reason."""

    external_id: UUID = Field(validation_alias=AliasPath("business", "external_id"))
    reason: str


class ClientStatements(FileResult):
    """The latest statements of an accountant's clients."""

    client_count: int = Field(description="Clients in the archive.")
    skipped: list[Skipped]


class Terms(Result):
    """Terms of service that were not accepted yet for a client."""

    document_id: UUID = Field(validation_alias="external_id")
    title: str
    version: str
    url: str


class AccessState(Result):
    """The state of the access to a client."""

    business_user_id: UUID = Field(validation_alias=AliasPath("access", "business", "external_id"))
    business_name: str = Field(validation_alias=AliasPath("access", "business", "legal_name"))
    status: AccessStatus
    access_level: AccessLevel = Field(validation_alias=AliasPath("access", "level"))
    granted_date: DateOf | None = Field(validation_alias=AliasPath("access", "granted_at"))
    pending_terms_of_service: list[Terms] = Field(validation_alias="pending_terms")


@tool(Scope.CLIENTS, title="List customers", is_for_accountants=True, within=EVERY_LIMIT)
def list_customers(caller: Caller) -> ClientList:
    """List all clients of the accountant with externalId, contact details and connection status.

    To search among many, call `svc_list_accountant_clients`.
    """
    found = accountants.list_clients(caller.accountant(), caller.reach, at=timezone.now())
    caller.concerned = [client.business_id for client in found]
    return ClientList(customers=found, total_count=len(found))


@tool(Scope.CLIENTS, title="Select customer", is_for_accountants=True, within=EVERY_LIMIT)
def select_customer(caller: Caller, customer_external_id: ClientId) -> Selection:
    """Confirm a connected client's externalId and name; nothing is remembered between calls."""
    business = caller.business(customer_external_id, parameter="customerExternalId")
    return Selection(
        selected=True,
        customer_external_id=business.external_id,
        business_name=business.legal_name,
    )


@tool(Scope.CLIENTS, title="Get accountant profile", is_for_accountants=True, within=EVERY_LIMIT)
def svc_get_accountant_profile(caller: Caller) -> AccountantProfile:
    """Get the accountant's own name, firm, email and partner referral code."""
    return AccountantProfile.model_validate(caller.accountant())


@tool(Scope.CLIENTS, title="List accountant clients", is_for_accountants=True, within=EVERY_LIMIT)
def svc_list_accountant_clients(
    caller: Caller, search: ClientSearch = None, page: Page = 0, size: Size = 20
) -> ClientPage:
    """List a page of clients with access level, balance, last statement and what is overdue.

    For all clients at once, call `list_customers`; for those who need attention,
    `svc_review_clients`.
    """
    now = timezone.now()
    found = accountants.search_clients(
        caller.accountant(),
        caller.reach,
        at=now,
        search=search or "",
        page=page,
        page_size=size,
    )
    caller.concerned = [client.business_id for client in found.items]
    figures = client_reviews.list_figures(found.items, at=now)
    clients = [
        vars(client) | _granted(of, caller) for client, of in zip(found.items, figures, strict=True)
    ]
    return ClientPage.model_validate(found.of(clients))


@tool(
    Scope.STATEMENTS, title="Download client statement", is_for_accountants=True, within=OF_RECORDS
)
def svc_download_client_statement(caller: Caller, business_user_id: ClientId) -> ClientStatement:
    """Download the latest monthly statement of one client's checking account, a PDF.

    For earlier months, call `svc_list_statements` and `svc_download_statement`.
    """
    business = caller.business(business_user_id)
    statement = statements.get_latest_statement(business, caller.reach)
    return ClientStatement.of(
        statement.read(),
        statement_id=statement.external_id,
        year=statement.year,
        month=statement.month,
    )


@tool(
    Scope.STATEMENTS,
    title="Download all client statements",
    is_for_accountants=True,
    within=OF_RECORDS,
)
def svc_download_all_client_statements(caller: Caller) -> ClientStatements:
    """Download a ZIP archive with the latest monthly statement of every connected client."""
    archive = client_statements.write_client_statements(
        caller.accountant(), caller.reach, at=timezone.now()
    )
    caller.concerned = [statement.business_id for statement in archive.statements]
    return ClientStatements.of(
        archive.file.read(), client_count=len(archive.statements), skipped=archive.skipped
    )


@tool(Scope.CLIENTS, title="Get client access status", is_for_accountants=True, within=EVERY_LIMIT)
def svc_get_client_access_status(caller: Caller, business_user_id: ClientId) -> AccessState:
    """Get status and level of the access to a client, and terms of service yet to be accepted."""
    try:
        state = accountants.get_access_state(
            caller.accountant(), business_user_id, at=timezone.now()
        )
    except accountants.NoAccess:
        raise denied(NO_SUCH_CLIENT) from None
    caller.concerned = [state.access.business_id]
    if not caller.reach.has_business(state.access.business_id):
        raise denied(NOT_AMONG)
    return AccessState.model_validate(state)


def _granted(figures: ClientFigures, caller: Caller) -> dict[str, Any]:
    """Return the figures of a client; null where a scope is missing or a limit forbids them."""
    scopes = {
        "available_balance_cents": Scope.ACCOUNTS,
        "last_statement": Scope.STATEMENTS,
        "bills_overdue_count": Scope.BILLS,
        "invoices_overdue_count": Scope.INVOICES,
    }
    known = vars(figures)
    granted = caller.scopes if caller.reach.has_all_rows else ()
    return {name: known[name] if scope in granted else None for name, scope in scopes.items()}

"""Downloads by signed-in users themselves, logged beside the calls of assistants."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from oauth2_provider.models import Application

from banking.choices import BooksFormat
from banking.models import Accountant, Business, Statement, User
from banking.queries.statements import get_any_statement
from banking.services import books
from foundation.files import Stream
from foundation.throttling import rate_limits
from mcp_server.caller import Caller
from mcp_server.errors import ErrorCode, ToolError
from mcp_server.models import ANSWERED, PAGES_CLIENT_ID, Connection
from mcp_server.scopes import Scope
from mcp_server.services import access_log

DOWNLOAD_BOOKS = "download_books"  # stands in the access log where a tool's name would
BOOKS_SCOPE = Scope.TRANSACTIONS  # closed to accountants who may see statements only


class StatementsOnly(Exception):
    """The client lets the accountant see statements only."""


@dataclass(frozen=True)
class PageRequest:
    """The user of a signed-in page, the request's id, and its time of arrival."""

    user: User
    request_id: str
    at: datetime


def find_business(user: User, external_id: str | None) -> Business:
    """Return the user's own business, or the client that is named, if its books may be seen.

    Raises: StatementsOnly, Business.DoesNotExist; of a stranger's business it does not tell
    whether it exists.
    """
    caller = Caller(user, scope=BOOKS_SCOPE)
    try:
        return caller.business(external_id)
    except ToolError:
        if caller.concerned:
            raise StatementsOnly from None
        raise Business.DoesNotExist from None
    except Accountant.DoesNotExist:  # the core has sent the user and not yet the accountant
        raise Business.DoesNotExist from None


def download_books(request: PageRequest, statement_id: UUID, chosen: BooksFormat) -> Stream:
    """Return a month's file for accounting software, and log the download before it begins.

    A download that an accountant's access level refuses is logged, too. Raises:
    ObjectDoesNotExist, also for strangers; StatementsOnly, FormatUnavailable, RateLimited.
    """
    connection = _connection(request)
    limit = settings.TOOL_CALLS_PER_MINUTE
    rate_limits.spend({f"tools:{connection.pk}": limit}, at=request.at)
    statement = get_any_statement(statement_id)
    try:
        find_business(request.user, str(statement.business.external_id))
    except StatementsOnly:
        _log(request, connection, statement, ErrorCode.ACCESS_DENIED.value)
        raise
    file = books.write_books(statement, chosen)
    _log(request, connection, statement, ANSWERED)
    return file


def _connection(request: PageRequest) -> Connection:
    """Return the connection under which the log has the user's own downloads.

    Its client holds no token, and no redirect leads to it.
    """
    own = Connection.objects.filter(user=request.user, application__client_id=PAGES_CLIENT_ID)
    if found := own.first():
        return found
    application, _ = Application.objects.get_or_create(
        client_id=PAGES_CLIENT_ID,
        defaults={
            "name": "Signed-in pages",
            "client_type": Application.CLIENT_CONFIDENTIAL,
            "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
        },
    )
    connection, _ = Connection.objects.get_or_create(
        user=request.user,
        application=application,
        defaults={"client_name": application.name, "created_at": request.at},
    )
    return connection


def _log(request: PageRequest, connection: Connection, statement: Statement, outcome: str) -> None:
    access_log.record(
        connection_id=connection.pk,
        tool=DOWNLOAD_BOOKS,
        business_ids=[statement.business_id],
        outcome=outcome,
        duration_ms=0,  # the file is made while it is sent
        request_id=request.request_id,
        at=request.at,
    )

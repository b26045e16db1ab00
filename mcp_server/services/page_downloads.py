"""Downloads by signed-in users themselves, logged beside the calls of assistants."""

from functools import partial
from uuid import UUID

from django.conf import settings

from banking.choices import BooksFormat
from banking.models import Accountant, Business, User
from banking.queries.statements import get_any_statement
from banking.services import books
from foundation.files import Stream
from foundation.throttling import rate_limits
from mcp_server.caller import Caller
from mcp_server.errors import ErrorCode, ToolError
from mcp_server.scopes import Scope
from mcp_server.services import page_log
from mcp_server.services.page_log import DOWNLOAD_BOOKS, PageRequest

BOOKS_SCOPE = Scope.TRANSACTIONS  # closed to users who see statements only


class StatementsOnly(Exception):
    """The client lets the accountant see statements only, or the owner is a partner."""


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

    A download that an access level or a role refuses is logged, too. Raises:
    ObjectDoesNotExist, also for strangers; StatementsOnly, FormatUnavailable, RateLimited.
    """
    connection = page_log.get_connection(request)
    limit = settings.TOOL_CALLS_PER_MINUTE
    rate_limits.spend({f"tools:{connection.pk}": limit}, at=request.at)
    statement = get_any_statement(statement_id)
    concerned = [statement.business_id]
    log = partial(
        page_log.record, request, DOWNLOAD_BOOKS, business_ids=concerned, connection=connection
    )
    try:
        find_business(request.user, str(statement.business.external_id))
    except StatementsOnly:
        log(outcome=ErrorCode.ACCESS_DENIED.value)
        raise
    file = books.write_books(statement, chosen)
    log()
    return file

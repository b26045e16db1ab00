"""Log the pages and files that signed-in users open, beside the calls of assistants."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import Application

from banking.models import User
from mcp_server.models import ACCEPT_INVITATION, ANSWERED, OPEN_CLIENTS, PAGES_CLIENT_ID, Connection
from mcp_server.services import access_log

HOME = "open_home"
STATEMENT = "open_statement"
TAX_STATEMENT = "open_tax_statement"
RECEIPT = "open_receipt"
BOOKS = "open_books"
DOWNLOAD_BOOKS = "download_books"
PAGES: Final[dict[str, Promise]] = {  # names in the access log, where a tool's name would stand
    HOME: _("Home page"),
    OPEN_CLIENTS: _("List of clients"),
    ACCEPT_INVITATION: _("Acceptance of the invitation"),
    STATEMENT: _("Statement"),
    TAX_STATEMENT: _("Tax statement"),
    RECEIPT: _("Receipt"),
    BOOKS: _("Accounting files"),
    DOWNLOAD_BOOKS: _("Download for accounting software"),
}


@dataclass(frozen=True)
class PageRequest:
    """The user of a signed-in page, the request's id, and its time of arrival."""

    user: User
    request_id: str
    at: datetime


def record(
    request: PageRequest,
    page: str,
    *,
    business_ids: Sequence[int],
    outcome: str = ANSWERED,
    connection: Connection | None = None,
) -> None:
    """Log that a user opened a page with the data of some businesses.

    `connection` is the one of `get_connection`, where the caller has it already.
    """
    access_log.record(
        connection_id=(connection or get_connection(request)).pk,
        tool=page,
        business_ids=business_ids,
        outcome=outcome,
        duration_ms=0,  # the page is made while it is sent
        request_id=request.request_id,
        at=request.at,
    )


def get_connection(request: PageRequest) -> Connection:
    """Return the connection under which the log has the pages that a user opens.

    It is created for the first page.

    Its client holds no token, and no redirect leads to it.
    """
    own = Connection.objects.filter(user=request.user, application__client_id=PAGES_CLIENT_ID)
    if found := own.first():
        return found
    application, _is_new = Application.objects.get_or_create(
        client_id=PAGES_CLIENT_ID,
        defaults={
            "name": "Signed-in pages",
            "client_type": Application.CLIENT_CONFIDENTIAL,
            "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
        },
    )
    connection, _is_new = Connection.objects.get_or_create(
        user=request.user,
        application=application,
        defaults={"client_name": application.name, "created_at": request.at},
    )
    return connection

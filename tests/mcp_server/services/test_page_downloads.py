from datetime import UTC, date, datetime
from uuid import UUID

import pytest
from oauth2_provider.models import Application

from banking.choices import AccessLevel, AccessStatus, BooksFormat
from banking.models import Business, Statement
from banking.services import statements
from banking.services.books import FormatUnavailable
from foundation.throttling.rate_limits import RateLimited
from mcp_server.models import PAGES_CLIENT_ID, AccessLogEntry, Connection
from mcp_server.queries.activity import list_calls
from mcp_server.queries.connections import list_assistants
from mcp_server.services import connections
from mcp_server.services.page_downloads import (
    StatementsOnly,
    download_books,
    find_business,
)
from mcp_server.services.page_log import PageRequest
from tests import factories

OPENED = datetime(2026, 3, 1, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 12, tzinfo=UTC)
UNKNOWN = UUID("01900000-0000-7000-8000-000000000000")


@pytest.fixture
def march(business):
    factories.make_account(business, opened_at=OPENED)
    [statement] = statements.close_months(through=date(2026, 3, 31), at=APRIL)
    return statement


def take(user, statement_id, chosen=BooksFormat.OFX):
    return download_books(PageRequest(user, "r-1", APRIL), statement_id, chosen)


def logged():
    return [
        (row.connection.user, row.tool, row.business, row.outcome, row.request_id)
        for row in AccessLogEntry.objects.order_by("pk")
    ]


def test_an_owners_download_is_in_the_access_log(owner, business, march):
    file = take(owner, march.external_id)

    assert file.file_name.startswith("books-2026-03-")
    assert logged() == [(owner, "download_books", business, "OK", "r-1")]


@pytest.mark.parametrize("level", [AccessLevel.FULL, AccessLevel.READ_ONLY])
def test_an_owner_sees_the_downloads_of_the_accountant(owner, accountant, business, march, level):
    factories.make_access(accountant, business, level=level)

    take(accountant.user, march.external_id)

    [call] = list_calls(owner).items
    assert (call.tool, call.user_name) == ("download_books", accountant.user.get_full_name())


def test_an_accountant_with_statements_alone_is_refused_and_logged(
    owner, accountant, business, march
):
    factories.make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)

    with pytest.raises(StatementsOnly):
        take(accountant.user, march.external_id)

    assert logged() == [(accountant.user, "download_books", business, "ACCESS_DENIED", "r-1")]
    assert list_calls(owner).total_count == 1


@pytest.mark.parametrize(
    "ended",
    [
        {"status": AccessStatus.REVOKED, "revoked_at": APRIL},
        {"status": AccessStatus.PENDING_TERMS, "granted_at": None},
    ],
)
def test_an_access_that_does_not_hold_opens_nothing(accountant, business, march, ended):
    factories.make_access(accountant, business, **ended)

    with pytest.raises(Business.DoesNotExist):
        take(accountant.user, march.external_id)
    assert logged() == []


def test_a_stranger_gets_what_a_wrong_id_gets(march, make_user):
    factories.make_business_owner(user=(stranger := make_user()))

    with pytest.raises(Business.DoesNotExist):
        take(stranger, march.external_id)
    with pytest.raises(Statement.DoesNotExist):
        take(stranger, UNKNOWN)
    with pytest.raises(Business.DoesNotExist):
        find_business(make_user(), None)


def test_a_format_that_the_bank_does_not_write_is_not_logged(owner, march, settings):
    settings.INTUIT_BANK_ID = ""

    with pytest.raises(FormatUnavailable):
        take(owner, march.external_id, BooksFormat.QBO)
    assert logged() == []


def test_downloads_are_limited_by_the_minute(owner, march, settings):
    settings.RATE_LIMIT_FACTOR, settings.TOOL_CALLS_PER_MINUTE = 1, 1
    take(owner, march.external_id)

    with pytest.raises(RateLimited):
        take(owner, march.external_id)


def test_the_connection_of_the_pages_is_no_assistant(owner, march):
    take(owner, march.external_id)
    connections.end_all(owner, at=APRIL)

    take(owner, march.external_id)

    assert list_assistants(owner, at=APRIL) == []
    assert Connection.objects.count() == Application.objects.count() == 1
    assert len(logged()) == 2


def test_a_further_download_takes_five_statements_before_its_lines(
    owner, march, settings, django_assert_num_queries
):
    settings.RATE_LIMIT_FACTOR = 1
    take(owner, march.external_id)

    with django_assert_num_queries(5):  # connection, limit, statement, business, log
        take(owner, march.external_id)


@pytest.mark.parametrize("uri", ["", "https://example.com/callback", "http://127.0.0.1/callback"])
def test_nobody_signs_in_for_the_client_of_the_pages(owner, march, client, uri):
    take(owner, march.external_id)
    client.force_login(owner, "django.contrib.auth.backends.ModelBackend")
    asked = {
        "response_type": "code",
        "client_id": PAGES_CLIENT_ID,
        "code_challenge": "c" * 43,
        "code_challenge_method": "S256",
        "scope": "transactions:read",
        **({"redirect_uri": uri} if uri else {}),
    }

    assert client.get("/authorize", asked).status_code == 400
    sent = {"grant_type": "client_credentials", "client_id": PAGES_CLIENT_ID}
    assert client.post("/token", sent).status_code in {400, 401}

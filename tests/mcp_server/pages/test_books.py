"""The page of files for accounting software: who sees what, and what is downloaded."""

from datetime import UTC, date, datetime

import pytest
from django.test import Client

from banking.choices import AccessLevel, BooksFormat
from banking.services import statements
from mcp_server.models import AccessLogEntry
from mcp_server.pages import books
from mcp_server.queries import client_accesses
from tests import factories
from tests.banking.books.reading import read_ofx

OPENED = datetime(2026, 1, 1, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 12, tzinfo=UTC)
PAGE = "/books"
UNKNOWN = "01900000-0000-7000-8000-000000000000"


@pytest.fixture
def account(business):
    account = factories.make_account(business, opened_at=OPENED)
    factories.make_transaction(account, 9_900, description="Invoice 7")
    return account


@pytest.fixture
def closed(account):
    """The statements of January to March."""
    return list(statements.close_months(through=date(2026, 3, 31), at=APRIL))


def browse(user, language="en"):
    client = Client(headers={"accept-language": language})
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def file_of(statement, chosen=BooksFormat.OFX):
    return f"{PAGE}/{statement.external_id}/{chosen}"


def test_it_needs_a_sign_in(closed):
    for path in (PAGE, file_of(closed[0])):
        assert Client().get(path)["Location"] == f"/sign-in?next={path}"


def test_staff_have_no_books(make_user, closed):
    staff = make_user(user_type="STAFF", is_superuser=True)

    assert browse(staff).get(PAGE).status_code == 403
    assert browse(staff).get(file_of(closed[0])).status_code == 403


def test_an_owner_sees_every_closed_month_with_each_format(owner, account, closed):
    text = browse(owner).get(PAGE).content.decode()

    assert [name in text for name in ("January 2026", "February 2026", "March 2026")] == [True] * 3
    assert text.index("March 2026") < text.index("January 2026")
    assert all(file_of(each, chosen) in text for each in closed for chosen in BooksFormat)
    assert account.masked_number in text
    assert account.account_number not in text


def test_it_is_empty_before_a_month_has_ended(owner, account):
    assert "No month has been closed yet" in browse(owner).get(PAGE).content.decode()


def test_a_user_without_a_business_sees_an_empty_page(make_user):
    assert "No month has been closed yet" in browse(make_user()).get(PAGE).content.decode()


def test_it_is_spanish_for_who_reads_spanish(owner, closed):
    text = browse(owner, "es").get(PAGE).content.decode()

    assert "Archivos contables" in text
    assert "marzo de 2026" in text


def test_the_months_are_paged(owner, closed, monkeypatch):
    monkeypatch.setattr(books, "PAGE_SIZE", 2)

    first, last = (browse(owner).get(f"{PAGE}{page}").content.decode() for page in ("", "?page=1"))

    assert "Page 1 of 2" in first
    assert "January 2026" not in first
    assert "January 2026" in last


def test_the_page_takes_as_many_statements_for_many_months_as_for_one(
    owner, closed, django_assert_num_queries
):
    client = browse(owner)

    client.get(PAGE)

    # session, user, second factor, business, count and months, two for the log, and three to
    # prolong the session
    with django_assert_num_queries(11):
        client.get(PAGE)


def test_a_download_is_the_file_of_its_month_and_logged(owner, business, closed):
    response = browse(owner).get(file_of(closed[2]))

    content = b"".join(response.streaming_content)
    last4 = closed[2].account.account_number[-4:]
    assert response["Content-Disposition"] == f'attachment; filename="books-2026-03-{last4}.ofx"'
    assert (response["Content-Type"], response["X-Content-Type-Options"]) == (
        "application/x-ofx",
        "nosniff",
    )
    assert len(read_ofx(content).account.statement.transactions) == 1
    entry = AccessLogEntry.objects.get()
    assert (entry.tool, entry.business, entry.outcome) == ("download_books", business, "OK")
    assert entry.request_id == response["X-Request-Id"]


def test_a_head_request_is_no_download(owner, closed):
    response = browse(owner).head(file_of(closed[2]))

    assert response.status_code == 405
    assert not AccessLogEntry.objects.exists()


@pytest.mark.parametrize("chosen", BooksFormat)
def test_each_format_can_be_downloaded(owner, closed, chosen):
    response = browse(owner).get(file_of(closed[2], chosen))

    assert response.status_code == 200
    assert b"".join(response.streaming_content)


def test_the_log_on_the_page_of_assistants_names_the_download(owner, closed):
    client = browse(owner)
    list(client.get(file_of(closed[0])).streaming_content)

    text = client.get("/connected-assistants").content.decode()

    assert "This website" in text
    assert "Download for accounting software" in text
    assert "You have no connected assistants" in text


def test_what_is_not_there_is_not_found(owner, closed, make_business):
    client = browse(owner)

    for path in (
        file_of(closed[0], "PDF"),
        f"{PAGE}/{UNKNOWN}/OFX",
        f"{PAGE}?business={make_business().external_id}",
        f"{PAGE}?business=nonsense",
    ):
        assert client.get(path).status_code == 404


def test_a_stranger_finds_nothing(closed, make_user):
    factories.make_business_owner(user=(stranger := make_user()))

    assert browse(stranger).get(file_of(closed[0])).status_code == 404
    assert file_of(closed[0]) not in browse(stranger).get(PAGE).content.decode()


def test_an_accountant_chooses_a_client(accountant, business, closed):
    factories.make_access(accountant, business)
    client, page = browse(accountant.user), f"{PAGE}?business={business.external_id}"

    assert page.removeprefix(PAGE) in client.get(PAGE).content.decode()
    assert file_of(closed[0]) in client.get(page).content.decode()
    assert client.get(file_of(closed[0])).status_code == 200


def test_the_owner_sees_when_the_accountant_looked(owner, accountant, business, closed):
    access, client = factories.make_access(accountant, business), browse(accountant.user)
    list_of_clients = client.get(PAGE)
    before = client_accesses.list_accesses(business, at=APRIL)[0]
    client.get(f"{PAGE}?business={business.external_id}")
    after = client_accesses.list_accesses(business, at=APRIL)[0]

    assert list_of_clients.status_code == 200
    assert (before.access, before.last_looked_at) == (access, None)
    assert after.last_looked_by == accountant.user.get_full_name()
    assert "nobody has looked yet" not in browse(owner).get("/account/accountants").content.decode()


def test_an_opened_page_is_under_activity_and_a_refused_one_is_not(owner, accountant, business):
    factories.make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)
    browse(accountant.user).get(f"{PAGE}?business={business.external_id}")
    client = browse(owner)
    client.get(PAGE)

    entry = AccessLogEntry.objects.get()
    assert (entry.tool, entry.connection.user) == ("open_books", owner)
    log = client.get("/connected-assistants").content.decode()
    assert log.count("Accounting files") == 3  # in the navigation, in the filter and in the row


def test_an_accountant_with_statements_alone_is_told_so(accountant, business, closed):
    factories.make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)
    client = browse(accountant.user)

    assert "Lets you see statements only" in client.get(PAGE).content.decode()
    for path in (f"{PAGE}?business={business.external_id}", file_of(closed[0])):
        response = client.get(path)
        assert response.status_code == 403
        assert "This client lets you see statements only" in response.content.decode()


def test_an_accountant_without_clients_is_told_so(accountant):
    text = browse(accountant.user).get(PAGE).content.decode()

    assert "No client has given you access." in text


def test_an_accountant_whose_record_is_still_to_come_sees_nothing(make_user, business, closed):
    client = browse(make_user(user_type="ACCOUNTANT"))

    assert "No client has given you access." in client.get(PAGE).content.decode()
    for path in (f"{PAGE}?business={business.external_id}", file_of(closed[0])):
        assert client.get(path).status_code == 404


def test_an_accountant_needs_a_second_factor_where_one_is_required(
    accountant, business, closed, settings
):
    factories.make_access(accountant, business)
    settings.CUSTOMER_SECOND_FACTOR = True

    response = browse(accountant.user).get(file_of(closed[0]))

    assert response["Location"].startswith("/second-factor")


def test_too_many_downloads_are_told_when_to_come_back(owner, closed, settings):
    settings.RATE_LIMIT_FACTOR, settings.TOOL_CALLS_PER_MINUTE = 1, 1
    client = browse(owner)
    list(client.get(file_of(closed[0])).streaming_content)

    response = client.get(file_of(closed[0]))

    assert response.status_code == 429
    assert int(response["Retry-After"]) <= 60

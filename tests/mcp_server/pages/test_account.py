"""The first page after the sign-in: what it shows, to whom, and what is logged."""

from datetime import UTC, date, datetime

import pytest
from django.test import Client

from banking.choices import AccessLevel, AccountType, BusinessType
from banking.models import Business, BusinessOwner, Receipt
from banking.services import statements
from mcp_server.models import AccessLogEntry
from tests import factories
from tests.mcp_server.conftest import connect

PAGE = "/account"
OPENED = datetime(2026, 1, 1, tzinfo=UTC)
APRIL = datetime(2026, 4, 2, 12, tzinfo=UTC)


@pytest.fixture
def account(business):
    account = factories.make_account(business, opened_at=OPENED)
    factories.make_transaction(account, 123_456, description="Invoice 7")
    return account


def browse(user, language="en"):
    client = Client(headers={"accept-language": language})
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def see(user, language="en"):
    return browse(user, language).get(PAGE).content.decode()


def test_it_needs_a_sign_in(db):
    assert Client().get(PAGE)["Location"] == f"/sign-in?next={PAGE}"


def test_staff_see_a_message(make_user):
    assert browse(make_user(user_type="STAFF", is_superuser=True)).get(PAGE).status_code == 403


def test_an_owner_sees_balances_and_masked_numbers(owner, business, account):
    text = see(owner)

    assert business.legal_name in text
    assert "$1,234.56" in text
    assert account.masked_number in text
    assert account.account_number not in text
    assert "Invoice 7" in text
    assert "set aside for taxes" not in text


def test_an_owner_reads_what_the_tax_bucket_is_for(owner, business):
    factories.make_account(business, account_type=AccountType.TAX_BUCKET)

    assert "For money that you set aside for taxes." in see(owner)


def test_what_is_held_is_not_available(owner, account):
    factories.make_transaction(account, -5_000, pending=True)

    text = see(owner)

    assert "$1,184.56" in text
    assert "available, balance $1,234.56" in text
    assert ">Pending<" in text


def test_an_owner_reads_that_an_account_is_frozen(owner, account):
    assert "Frozen" not in see(owner)
    type(account).objects.filter(pk=account.pk).update(frozen_at=datetime(2026, 3, 2, tzinfo=UTC))

    assert "Frozen: this account can receive money, but cannot send it." in see(owner)
    assert "Bloqueada: esta cuenta puede recibir dinero" in see(owner, "es")


def test_a_transaction_with_a_receipt_links_to_it(owner, account):
    row = factories.make_transaction(account, -900, description="Lunch")
    Receipt.objects.create(transaction=row, number="R-1", issued_at=APRIL)

    text = see(owner)

    assert text.count(f"{PAGE}/transactions/{row.external_id}/receipt") == 1
    assert text.count("/receipt") == 1
    assert 'aria-label="Receipt of Lunch"' in text


def test_papers_are_linked_and_open(owner, account):
    (statement,) = statements.close_months(through=date(2026, 1, 31), at=APRIL)
    client = browse(owner)

    assert "January 2026" in client.get(PAGE).content.decode()
    assert f"{PAGE}/statements/{statement.external_id}" in client.get(PAGE).content.decode()


def test_assistants_and_accountants_are_named(owner, business, accountant):
    connect(owner)
    factories.make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)

    text = see(owner)

    assert "Not used yet" in text
    assert accountant.user.get_full_name() in text
    assert "Everyone at the firm sees statements only, no one has looked yet" in text


def test_an_empty_business_has_an_empty_page(owner):
    text = see(owner)

    assert "No open account." in text
    assert "No transactions yet." in text
    assert "No accountant has access." in text


def test_nothing_of_others_is_shown(make_user, account):
    other = make_user()
    factories.make_business_owner(factories.make_business(), user=other)

    assert "Invoice 7" not in see(other)


def test_a_user_without_a_business_sees_a_message(make_user):
    assert "You have no business account" in see(make_user())
    assert not AccessLogEntry.objects.exists()


def test_each_look_is_logged_and_shown_as_this_website(owner, business):
    client = browse(owner)
    client.get(PAGE)

    entry = AccessLogEntry.objects.get()
    log = client.get("/connected-assistants").content.decode()

    assert (entry.tool, entry.business, entry.outcome) == ("open_home", business, "OK")
    assert "This website" in log
    assert "Home page" in log
    assert "You have no connected assistants" in log


def test_it_is_spanish_for_who_reads_spanish(owner, account):
    text = see(owner, "es")

    assert "Últimos movimientos" in text
    assert "disponible" in text


@pytest.mark.parametrize("business_type", BusinessType)
def test_a_partner_reads_the_type_of_the_business_in_spanish(owner, business, business_type):
    Business.objects.update(business_type=business_type)
    BusinessOwner.objects.update(role="UBO", sign_in_role="PARTNER")

    text = see(owner, "es")

    assert "Tipo de empresa" in text
    assert business_type.label not in text


@pytest.mark.parametrize("count", [1, 5])
def test_the_statements_do_not_grow_with_the_records(
    owner, business, count, django_assert_num_queries
):
    for _ in range(count):
        account = factories.make_account(business, opened_at=OPENED)
        factories.make_transaction(account, 100)
        factories.make_access(business=business)
        connect(owner)
    list(statements.close_months(through=date(2026, 2, 28), at=APRIL))
    client = browse(owner)
    client.get(PAGE)

    with django_assert_num_queries(20):
        client.get(PAGE)


@pytest.mark.parametrize(
    ("language", "state", "through"),
    [
        ("en", "Oregon", "Owner, through Harbor Trust"),
        ("es", "Oregón", "Propietario, a través de Harbor Trust"),
    ],
)
def test_a_partner_reads_the_state_and_the_trusts_by_name(
    owner, business, language, state, through
):
    Business.objects.update(incorporation_state="OR")
    BusinessOwner.objects.update(
        role="UBO", sign_in_role="PARTNER", ownership_percent=30, held_through="Harbor Trust"
    )

    text = see(owner, language)

    assert f"<span>{state}</span>" in text
    assert through in text
    assert "30%" in text

import pytest
from django.db import transaction

from banking.models import Account
from tests.banking.admin.conftest import add_business
from tests.staff import crawl, make_chief, require_a_strict_page

PAYEES = ["000123456789", "GB82WEST12345698765432"]

pytestmark = pytest.mark.one_database  # it crawls pages


@pytest.fixture(scope="module")
def seen(django_db_setup, django_db_blocker):
    """Return the accounts of two businesses, and each page of the back office by its path."""
    with django_db_blocker.unblock(), transaction.atomic():
        for _ in range(2):
            add_business()
        seen = list(Account.objects.all()), dict(crawl(make_chief()))
        transaction.set_rollback(True)
    return seen


def test_no_page_shows_the_number_of_an_account(seen):
    accounts, pages = seen

    shown = "".join(pages.values())
    assert f"/admin/banking/account/{accounts[0].pk}/entries/" in pages
    for number in PAYEES:
        assert number not in shown
        assert f"••••{number[-4:]}" in shown
    for account in accounts:
        assert account.account_number not in shown
        assert account.masked_number in shown


def test_every_page_keeps_the_content_security_policy(seen):
    _, pages = seen

    for path, page in pages.items():
        require_a_strict_page(path, page)

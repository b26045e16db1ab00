"""Each page of the back office, with a bank and a partner to show: what no page may show."""

from types import SimpleNamespace

import pytest
from django.contrib.admin.models import LogEntry
from django.db import transaction

from banking.models import Account
from tests import factories
from tests.banking.admin.conftest import add_business
from tests.factories import SIGNING_SECRET
from tests.onboarding.admin.conftest import tell_partners
from tests.staff import crawl, make_chief, require_a_strict_page

pytestmark = pytest.mark.one_database  # it crawls pages
PAYEES = ["000123456789", "GB82WEST12345698765432"]
SSN, EIN = "912-45-6781", "98-7654320"
PASSPORT, ID_NUMBER = "PA55PORT4711", "NAT10NAL0815"
OWNER_SSN = "923-56-7892"


def make_person():
    """Return a lead of which the bank has every number, and an owner's."""
    lead = factories.make_lead(
        ssn=SSN,
        ein=EIN.replace("-", ""),
        passport_number=PASSPORT,
        id_gov_number=ID_NUMBER,
        supplied_by={"city": "APPLICANT", "ssn": "APPLICANT"},
        city="Bath",
    )
    factories.make_application(lead)
    factories.make_owner(lead, ssn=OWNER_SSN, passport_number=PASSPORT, id_gov_number=ID_NUMBER)
    factories.make_document(lead)
    return lead


@pytest.fixture(scope="module")
def seen(django_db_setup, django_db_blocker):
    """Return rows of the bank and of a lead, each page by its path, and Django's log."""
    with django_db_blocker.unblock(), transaction.atomic():
        for _ in range(2):
            add_business()
        lead, client = make_person(), make_chief()
        tell_partners()
        pages = dict(crawl(client))
        client.post(f"/admin/onboarding/lead/{lead.pk}/change/", {"ssn": SSN})
        seen = SimpleNamespace(
            accounts=list(Account.objects.all()),
            lead=lead,
            owner=lead.owners.get(),
            application=lead.applications.get(),
            pages=pages,
            shown="".join(pages.values()),
            log=list(LogEntry.objects.all()),
        )
        transaction.set_rollback(True)
    return seen


def test_no_page_shows_the_number_of_an_account(seen):
    assert f"/admin/banking/account/{seen.accounts[0].pk}/entries/" in seen.pages
    for number in PAYEES:
        assert number not in seen.shown
        assert f"••••{number[-4:]}" in seen.shown
    for account in seen.accounts:
        assert account.account_number not in seen.shown
        assert account.masked_number in seen.shown


def test_no_page_shows_a_personal_number(seen):
    assert f"/admin/onboarding/lead/{seen.lead.pk}/change/" in seen.pages
    assert f"/admin/onboarding/owner/{seen.owner.pk}/history/" in seen.pages
    for number in (SSN, EIN, PASSPORT, ID_NUMBER, OWNER_SSN):
        assert number not in seen.shown
        assert number.replace("-", "") not in seen.shown
        assert f"••••{number[-4:]}" in seen.shown


def test_no_page_shows_what_opens_an_application(seen):
    assert str(seen.application.external_id) in seen.shown
    assert seen.application.link_digest not in seen.shown
    assert seen.application.token_digest not in seen.shown


def test_no_page_shows_the_secret_of_a_webhook(seen):
    assert "All deliveries" in seen.shown
    assert SIGNING_SECRET not in seen.shown
    assert "test-token" not in seen.shown


def test_every_page_keeps_the_content_security_policy(seen):
    for path, page in seen.pages.items():
        require_a_strict_page(path, page)


def test_the_history_of_changes_has_no_personal_number(seen):
    assert seen.log == []

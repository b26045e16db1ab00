"""A bank to look at: businesses with a row of everything."""

import pytest

from banking.models import (
    Posting,
    Receipt,
    ReceiptLine,
    TaxBucket,
    TaxStatement,
    TermsAcceptance,
)
from banking.models.stored_files import store
from banking.services import ledger
from foundation.files import PDF, Download
from tests import factories
from tests.factories import NOON
from tests.staff import chief, count_queries, make_staff

__all__ = ["chief", "count_queries", "make_staff"]
PAPER = b"%PDF-1.7 a statement"


def make_statement(account, **values):
    sums = {"opening_cents": 100, "in_cents": 50, "out_cents": 30, "closing_cents": 120}
    paper = store(Download(PDF, "statement-2026-02-1234.pdf", PAPER))
    return factories.make_statement(account, **{**sums, "transaction_count": 2, **paper, **values})


def make_tax_statement(business, **values):
    values = {
        "tax_year": 2025,
        "quarter": 5,
        "created_at": NOON,
        **store(Download(PDF, "tax-2025.pdf", PAPER)),
        **values,
    }
    return TaxStatement.objects.create(business=business, **values)


def make_receipt(transaction, **values):
    receipt = Receipt.objects.create(
        transaction=transaction, number="R-1", issued_at=NOON, tax_cents=20, **values
    )
    line = {
        "position": 1,
        "name": "Bread flour",
        "unit_price_cents": -transaction.amount_cents - 20,
    }
    ReceiptLine.objects.create(receipt=receipt, **line)
    return receipt


def add_business():
    """Return a business with at least one row in every table of the bank."""
    business = factories.make_business()
    account = factories.make_account(business)
    bucket = factories.make_account(business, account_type="TAX_BUCKET")
    TaxBucket.objects.create(account=bucket)
    factories.make_transaction(account, 90_000)
    factories.make_transaction(account, -500, pending=True)
    bought = factories.make_transaction(account, -4_000, transaction_type="PURCHASE")
    make_receipt(bought)
    ledger.reverse(bought.posting, at=NOON, reason="Charged twice")
    make_statement(account)
    make_tax_statement(business)
    add_people(business)
    add_papers(business)
    factories.make_card(account)
    factories.make_secured_card(business)
    factories.make_linked_account(business)
    factories.make_job(business)
    factories.make_feed_inbox_line()
    factories.make_reconciliation()
    return business


def add_people(business):
    factories.make_business_owner(business)
    factories.make_address(business)
    factories.make_subscription(business, benefits=2)
    factories.make_duns_registration(business)
    access = factories.make_access(business=business)
    factories.make_referral(access.accountant)
    TermsAcceptance.objects.create(
        terms=factories.make_terms(), business=business, accepted_at=NOON, accepted_by=None
    )


def add_papers(business):
    factories.make_invoice(business, lines=2, discounts=1)
    factories.make_service_item(business)
    supplier = factories.make_supplier(business)
    for method in ("ACH", "WIRE_INTERNATIONAL"):
        factories.make_payee(supplier, method)
    bill = factories.make_bill(supplier)
    factories.make_bill_payment(bill)
    factories.make_bill_attachment(bill)


@pytest.fixture
def fill(db):
    """Add businesses with rows of everything."""

    def add(times):
        return [add_business() for _ in range(times)]

    return add


@pytest.fixture
def business(fill):
    return fill(1)[0]


@pytest.fixture
def account(business):
    """The account that has transactions, as it is kept."""
    return business.accounts.get(account_type="MAIN_ACCOUNT", current_cents__gt=0)


@pytest.fixture
def posting(account):
    return Posting.objects.get(reverses__isnull=False)

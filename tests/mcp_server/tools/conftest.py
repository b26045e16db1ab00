"""Rows that several files of tools ask about."""

import pytest

from banking.choices import TransactionType
from banking.models import Location, Merchant, Receipt, ReceiptLine
from tests.factories import NOON, later


@pytest.fixture
def supplier(business, make_supplier):
    """A supplier of whom everything is known."""
    return make_supplier(
        business,
        name="Mill",
        contact_name="Rosa Miller",
        email="mill@example.com",
        phone_number="+12015550123",
        line1="1 Mill Lane",
        city="Springfield",
        state="IL",
        postal_code="62701",
    )


@pytest.fixture
def account(business, make_account):
    return make_account(business, account_number="200000000006")


@pytest.fixture
def bakery(db):
    return Merchant.objects.create(
        name="Corner Bakery", mcc="5462", website="https://bakery.example.com"
    )


@pytest.fixture
def reno(db):
    return make_location("reno-1", latitude="39.529600", longitude="-119.813800")


@pytest.fixture
def purchase(account, bakery, reno, make_card, make_transaction):
    """A purchase with everything that belongs to one."""
    row = make_transaction(
        account,
        -1_930,
        transaction_type=TransactionType.PURCHASE,
        category_id="MEALS",
        description="Lunch with a client",
        merchant=bakery,
        merchant_raw_name="SQ *CORNER BAKERY",
        location=reno,
        card=make_card(account, last4="4242"),
        original_amount_cents=1_785,
        original_currency="EUR",
        note="Alex paid",
    )
    receipt = Receipt.objects.create(
        transaction=row, number="R-1001", issued_at=NOON, tax_cents=130, tip_cents=300
    )
    ReceiptLine.objects.create(receipt=receipt, position=1, name="Soup", unit_price_cents=1_500)
    return row


def make_location(key, **values):
    values = {
        "line1": "1 Main St",
        "line2": "Suite 2",
        "city": "Reno",
        "state": "NV",
        "postal_code": "89501",
        **values,
    }
    return Location.objects.create(key=key, **values)


@pytest.fixture
def variety(account, business, make_account, make_transaction):
    """Transactions of a business that differ in everything a search may ask for."""
    savings = make_account(business, account_type="SAVING_BUCKET")
    kinds = TransactionType
    return {
        "fee": make_transaction(account, -30, transaction_type=kinds.FEE, category_id="BANK_FEES"),
        "sale": make_transaction(savings, 2_050, at=later(days=1)),
        "hold": make_transaction(
            account, -2_051, at=later(days=2), transaction_type=kinds.ATM, pending=True
        ),
        "cash": make_transaction(
            account, 9_000, at=later(days=40), transaction_type=kinds.CACHE_DEPOSIT
        ),
    }

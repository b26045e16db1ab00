"""Two strangers at one bank: businesses with a row of every noun, told apart by a word."""

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.utils import timezone

from banking.choices import AccountType, AddressKind, PaymentMethod
from banking.models import (
    Accountant,
    Business,
    Category,
    InvoiceLine,
    Location,
    Merchant,
    TaxBucket,
    TermsAcceptance,
    TermsOfService,
    User,
)
from banking.services import accounts, ledger, statements, taxes
from tests import factories
from tests.mcp_server.conftest import Assistant, connect

OPENED = datetime(2026, 3, 1, tzinfo=UTC)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
TODAY = datetime(2026, 4, 2, 12, tzinfo=UTC)
DAY = "2026-03-02"


@dataclass(frozen=True)
class Tenant:
    """A business with its owner and its accountant, their assistants, and what marks it.

    The marks are ids, numbers and words that no other tenant's data holds, in lower case. `asked`
    is what each tool is asked about it, beside whose business is meant.
    """

    business: Business
    owner: User
    accountant: Accountant
    owners_assistant: Assistant
    accountants_assistant: Assistant
    asked: dict[str, dict[str, Any]]
    marks: frozenset[str]

    @property
    def external_id(self):
        return str(self.business.external_id)


@contextmanager
def settling(django_db_blocker):
    """Let tenants settle in on TODAY, with terms that they accept; undo it all in the end."""
    with (
        django_db_blocker.unblock(),
        transaction.atomic(),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(timezone, "now", lambda: TODAY)
        factories.make_terms(title="Accepted", published_at=OPENED)
        yield
        transaction.set_rollback(True)


def settle_in(word, *, cents):
    """Fill a business with everything that a tool can tell; `cents` makes its sums its own."""
    known = _external_ids()
    business, owner = _make_business(word)
    accountant, referral = _make_accountant(word, business)
    account = _make_account(word, business, cents)
    card = factories.make_card(account, cardholder_name=f"{word} Holder")
    purchase = _make_purchase(word, account, card, cents)
    invoice = _make_invoice(word, business, cents)
    bill = _make_bill(word, business, cents)
    _close_quarter(business)
    factories.make_job(business, key=word, status="DONE", finished_at=NOON)
    return Tenant(
        business=business,
        owner=owner,
        accountant=accountant,
        owners_assistant=connect(owner),
        accountants_assistant=connect(accountant.user),
        asked=questions(
            account=account.account_number,
            purchase=str(purchase.external_id),
            place=purchase.location.key,
            invoice=str(invoice.external_id),
            bill=str(bill.external_id),
            document=str(bill.attachments.get().external_id),
            supplier=str(bill.supplier.external_id),
            statement=str(business.statements.get(account=account).external_id),
            tax_statement=str(business.tax_statements.get(quarter=1).external_id),
            referral=str(referral.external_id),
        ),
        marks=frozenset(
            {
                word.lower(),
                *(_external_ids() - known),
                *(row.account_number for row in business.accounts.all()),
            }
        ),
    )


def _external_ids():
    """Return every external id of the bank."""
    return {
        str(external_id)
        for model in apps.get_app_config("banking").get_models()
        if any(field.name == "external_id" for field in model._meta.get_fields())
        for external_id in model.objects.values_list("external_id", flat=True)
    }


def _make_business(word):
    mailbox = word.lower()
    business = factories.make_business(
        legal_name=f"{word} LLC",
        email=f"office@{mailbox}.example.com",
        incorporation_date=date(2010, len(word), 1),
        created_at=OPENED,
    )
    owner = factories.make_user(
        first_name=word, last_name="Owner", email=f"owner@{mailbox}.example.com"
    )
    factories.make_business_owner(
        business, user=owner, first_name=word, last_name="Owner", email=owner.email
    )
    for kind in AddressKind:
        factories.make_address(business, kind=kind, line1=f"{kind.label} at 1 {word} Street")
    factories.make_subscription(business, benefits=2)
    factories.make_duns_registration(business)
    factories.make_linked_account(business, institution_name=f"{word} Savings")
    return business, owner


def _make_accountant(word, business):
    mailbox = word.lower()
    user = factories.make_user(
        user_type="ACCOUNTANT", first_name=word, email=f"books@{mailbox}.example.com"
    )
    accountant = factories.make_accountant(
        user, firm_name=f"{word} Books", partner_referral_code=word.upper()
    )
    factories.make_access(accountant, business)
    factories.make_accountant_invitation(business)
    referral = factories.make_referral(
        accountant,
        business_name=f"{word} Friends LLC",
        email=f"friends@{mailbox}.example.com",
        invite_code=f"invitation-{mailbox}",
        expires_at=datetime(2026, 5, 1, tzinfo=UTC),
    )
    for terms in TermsOfService.objects.filter(title="Accepted"):
        TermsAcceptance.objects.create(terms=terms, business=business, accepted_at=NOON)
    return accountant, referral


def _make_account(word, business, cents):
    kinds = {AccountType.MAIN_ACCOUNT: "checking", AccountType.TAX_BUCKET: "taxes"}
    account, bucket = (
        accounts.open_account(
            business,
            kind,
            at=OPENED,
            name=f"{word} {name}",
            account_number=factories.account_number(),  # no two accounts end in the same digits
        )
        for kind, name in kinds.items()
    )
    TaxBucket.objects.filter(account=bucket).update(auto_set_aside_percent=10)
    factories.make_transaction(
        account, 100 * cents, category_id="SALES", description=f"{word} sale", note=f"{word} note"
    )
    ledger.transfer(
        source=account,
        target=bucket,
        amount_cents=cents,
        at=NOON,
        description=f"{word} set aside",
    )
    factories.make_secured_card(business, minimum_payment_cents=cents)
    return account


def _make_purchase(word, account, card, cents):
    merchant = Merchant.objects.create(name=f"{word} Mill", mcc="5411", website="")
    place = Location.objects.create(
        key=f"loc_{hashlib.sha256(word.encode()).hexdigest()[:12]}",
        line1=f"9 {word} Road",
        city="Springfield",
        state="IL",
        latitude=40,
        longitude=-80,
    )
    purchase = factories.make_transaction(
        account,
        -cents,
        transaction_type="PURCHASE",
        category=Category.objects.get(code="RENT"),
        merchant=merchant,
        merchant_raw_name=f"{word} MILL 7",
        location=place,
        card=card,
        description=f"{word} flour",
    )
    factories.make_receipt(purchase, name=f"{word} flour", number=f"{word}-1")
    return purchase


def _make_invoice(word, business, cents):
    invoice = factories.make_invoice(
        business,
        cents,
        discounts=1,
        number=f"{word}-INV",
        recipient_name=f"{word} Cafe",
        recipient_email=f"cafe@{word.lower()}.example.com",
        description=f"Bread for {word}",
        pay_url=f"https://example.com/pay/{word}",
    )
    InvoiceLine.objects.create(
        invoice=invoice,
        position=1,
        name=f"{word} loaf",
        quantity=1,
        unit_price_cents=cents,
        amount_cents=cents,
    )
    factories.make_service_item(business, name=f"{word} bread", unit_price_cents=cents)
    return invoice


def _make_bill(word, business, cents):
    supplier = factories.make_supplier(
        business,
        name=f"{word} Supplies",
        contact_name=f"{word} Miller",
        email=f"mill@{word.lower()}.example.com",
        line1=f"7 {word} Lane",
    )
    for method in PaymentMethod:
        factories.make_payee(supplier, method, bank_name=f"{word} Bank", line1=f"{word} Box")
    bill = factories.make_bill(
        supplier, 2 * cents, number=f"{word}-BILL", description=f"Flour for {word}"
    )
    factories.make_bill_payment(bill, amount_cents=cents, scheduled_date=TODAY.date())
    factories.make_bill_attachment(
        bill, content=f"of {word}".encode(), file_name=f"{word}.txt", content_type="text/plain"
    )
    return bill


def _close_quarter(business):
    list(statements.close_months(through=date(2026, 3, 31), at=TODAY))
    taxes.make_tax_statement(business, period=taxes.Period(2026, 1), at=TODAY)


def questions(**own):
    range_ = {"startDate": DAY, "endDate": DAY}
    summary = {"chartType": "INCOME", "startDate": DAY, "granularity": "QUARTER"}
    transaction = {
        "accountNo": own["account"],
        "transactionType": "PURCHASE",
        "transactionId": own["purchase"],
    }
    return {
        "list_customers": {},
        "select_customer": {},
        "svc_get_accountant_profile": {},
        "svc_list_accountant_clients": {},
        "svc_download_client_statement": {},
        "svc_download_all_client_statements": {},
        "svc_get_client_access_status": {},
        "svc_search_accountant_referrals": {},
        "svc_get_referral_invite_url": {"referralExternalId": own["referral"]},
        "svc_review_clients": {},
        "svc_get_account_summary": {},
        "svc_list_linked_external_accounts": {},
        "svc_forecast_cash": {},
        "svc_search_transactions": {"accountNo": own["account"], **range_},
        "svc_get_transaction": {**transaction, **range_},
        "svc_list_transaction_categories": {},
        "svc_get_transaction_receipt": {"transactionId": own["purchase"]},
        "svc_get_transaction_locations": {"locationKeys": own["place"]},
        "svc_export_transactions_csv": range_,
        "svc_get_financial_summary": summary,
        "svc_list_invoices": {},
        "svc_get_invoice": {"invoiceExternalId": own["invoice"]},
        "svc_list_invoice_service_items": {},
        "svc_list_bills": {},
        "svc_get_bill": {"billExternalId": own["bill"]},
        "svc_get_bill_payment_methods": {"billExternalId": own["bill"]},
        "svc_download_bill_attachment": {"documentId": own["document"]},
        "svc_list_suppliers": {},
        "svc_get_supplier": {"supplierExternalId": own["supplier"]},
        "svc_list_cards": {},
        "svc_get_secured_card_details": {},
        "svc_estimate_taxes": {},
        "svc_get_tax_bucket": {},
        "svc_search_tax_bucket_transactions": {},
        "svc_list_statements": {},
        "svc_download_statement": {"statementId": own["statement"]},
        "svc_list_tax_statements": {},
        "svc_download_tax_statement": {"statementId": own["tax_statement"]},
        "svc_download_expense_report": {"periodType": "ALL_TIME", "detailedReport": True},
        "svc_download_bank_account_letter": {"variant": "GENERAL"},
        "svc_get_current_user": {},
        "svc_get_business_profile": {},
        "svc_get_business_addresses": {},
        "svc_get_business_owners": {},
        "svc_get_business_plan": {},
        "svc_get_duns_details": {},
    }

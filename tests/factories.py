"""Rows for tests: plain functions, each argument optional, every value a reserved one."""

import itertools
from datetime import UTC, datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages

from banking.choices import (
    AccountType,
    BusinessOwnerRole,
    BusinessType,
    TransactionStatus,
    TransactionType,
)
from banking.models import Account, Business, BusinessOwner, Transaction
from banking.numbers import complete_account_number
from banking.services import ledger
from onboarding.choices import DocumentStatus
from onboarding.models import Application, Document, Lead, Owner, Partner
from onboarding.services import links, partners
from tests.bodies import PDF, PNG, document_data, lead_body

__all__ = ["PDF", "PNG", "document_data", "lead_body"]

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
numbers = itertools.count(1)


def make_partner(**values):
    return Partner.objects.create(**{"name": f"Partner {next(numbers)}", **values})


def make_api_key(partner=None, *, at=None, **values):
    """Return the issued key, its secret with it."""
    at = at or datetime.now(UTC)
    return partners.issue_api_key(partner or make_partner(), at=at, **values)


def make_lead(partner=None, **values):
    """Return a lead without an application; most tests want `make_application`."""
    number = next(numbers)
    values = {"email": f"lead{number}@example.com", "business_name": f"Lead {number}", **values}
    return Lead.objects.create(partner=partner or make_partner(), **values)


def make_application(lead=None, *, at=NOON, **values):
    application = Application(lead=lead or make_lead(), created_at=at, status_changed_at=at)
    links.grant(application, at=at)
    for name, value in values.items():
        setattr(application, name, value)
    application.save()
    return application


def make_owner(lead=None, **values):
    values = {"email": f"owner{next(numbers)}@example.com", **values}
    return Owner.objects.create(lead=lead or make_lead(), **values)


def make_document(lead=None, *, content=PDF, **values):
    name = storages["documents"].save(f"leads/test/{next(numbers)}", ContentFile(content))
    values = {
        "file_name": f"file{next(numbers)}.pdf",
        "content_type": "application/pdf",
        "detected_type": "application/pdf",
        "size_bytes": len(content),
        "sha256": f"{next(numbers):064x}",
        "file": name,
        "status": DocumentStatus.RECEIVED,
        "uploaded_at": NOON,
        **values,
    }
    return Document.objects.create(lead=lead or make_lead(), **values)


def later(**delta):
    return NOON + timedelta(**delta)


def make_business(**values):
    number = next(numbers)
    values = {
        "legal_name": f"Business {number} LLC",
        "business_type": BusinessType.LLC,
        "incorporation_state": "CA",
        "incorporation_date": NOON.date(),
        "email": f"business{number}@example.com",
        "created_at": NOON,
        **values,
    }
    return Business.objects.create(**values)


def make_business_owner(business=None, **values):
    number = next(numbers)
    values = {
        "first_name": "Ada",
        "last_name": f"Owner {number}",
        "email": f"businessowner{number}@example.com",
        "ownership_percent": 100,
        "role": BusinessOwnerRole.PRIMARY_OWNER,
        **values,
    }
    return BusinessOwner.objects.create(business=business or make_business(), **values)


def make_account(business=None, **values):
    """Return an account without money; `services.ledger` puts some there."""
    values = {
        "account_type": AccountType.MAIN_ACCOUNT,
        "name": "Business checking",
        "account_number": complete_account_number(f"2{next(numbers):010d}"),
        "routing_number": "110000000",
        "opened_at": NOON,
        **values,
    }
    return Account.objects.create(business=business or make_business(), **values)


def draft_transaction(account, amount_cents, **values):
    """Return an unsaved transaction, which a service of the ledger writes."""
    values = {
        "transaction_type": TransactionType.FUND_TRANSFER,
        "occurred_at": NOON,
        "category_id": "SALES" if amount_cents > 0 else "OTHER_EXPENSE",
        "description": f"Transaction {next(numbers)}",
        **values,
    }
    return Transaction(account=account, amount_cents=amount_cents, **values)


def make_transaction(account=None, amount_cents=1000, *, at=NOON, pending=False, **values):
    """Return a transaction that went through the ledger, as a hold or posted."""
    account = account or make_account()
    row = draft_transaction(account, amount_cents, **{"occurred_at": at, **values})
    if pending:
        return ledger.hold(row, allow_overdraft=True)
    posting = ledger.post(row, at=at, allow_overdraft=True)
    return Transaction.objects.get(posting=posting, status=TransactionStatus.POSTED)

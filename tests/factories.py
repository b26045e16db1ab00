"""Rows for tests: plain functions, each argument optional, every value a reserved one."""

import hashlib
import itertools
import zlib
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from banking.choices import (
    AccessLevel,
    AccessStatus,
    AccountType,
    AddressKind,
    BillPaymentStatus,
    BillStatus,
    BusinessOwnerRole,
    BusinessType,
    CardNetwork,
    CardProduct,
    CardStatus,
    ConnectionStatus,
    DiscountType,
    DunsStatus,
    EnrollmentStatus,
    FilingStatus,
    InvoiceStatus,
    LinkedAccountType,
    PaymentMethod,
    ReferralStatus,
    SecuredCardStatus,
    SignInRole,
    SubscriptionStatus,
    TransactionStatus,
    TransactionType,
    UserType,
)
from banking.models import (
    Account,
    Accountant,
    AccountantInvitation,
    Bill,
    BillAttachment,
    BillPayment,
    Business,
    BusinessAddress,
    BusinessOwner,
    Card,
    ClientAccess,
    DunsRegistration,
    FeedBatch,
    FeedInboxLine,
    FeedUpload,
    Firm,
    Invoice,
    InvoiceDiscount,
    InvoiceLine,
    Job,
    LinkedAccount,
    Payee,
    Plan,
    PlanBenefit,
    Receipt,
    ReceiptFile,
    ReceiptLine,
    Reconciliation,
    Referral,
    SecuredCard,
    ServiceItem,
    Statement,
    Subscription,
    Supplier,
    TermsOfService,
    Transaction,
    User,
)
from banking.numbers import complete_account_number
from banking.services import holds, ledger
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    DocumentStatus,
    ProposalKind,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import (
    Application,
    Check,
    CheckRun,
    Document,
    Lead,
    Note,
    Owner,
    OwnerInvitation,
    Partner,
    Proposal,
    Webhook,
)
from onboarding.queries.decision_policy import get_needs
from onboarding.queries.reminders import first_look
from onboarding.services.access import links
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, AUDIT_CHAIN_FIELDS
from onboarding.services.partners import api_keys
from tests.bodies import PDF, PNG, document_data, lead_body

__all__ = ["PDF", "PNG", "document_data", "lead_body"]

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
SIGNING_SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
numbers = itertools.count(1)


def make_partner(**values):
    return Partner.objects.create(**{"name": f"Partner {next(numbers)}", **values})


def make_api_key(partner=None, *, at=None, **values):
    """Return the issued key, its secret with it."""
    at = at or datetime.now(UTC)
    return api_keys.issue_api_key(partner or make_partner(), at=at, **values)


def make_lead(partner=None, **values):
    """Return a lead without an application; most tests want `make_application`."""
    number = next(numbers)
    values = {"email": f"lead{number}@example.com", "business_name": f"Lead {number}", **values}
    return Lead.objects.create(partner=partner or make_partner(), **values)


def make_application(lead=None, *, at=NOON, **values):
    application = Application(lead=lead or make_lead(), created_at=at, status_changed_at=at)
    application.remind_at = first_look(Status(values.get("status", Status.CREATED)), at=at)
    links.grant(application, at=at)
    for name, value in values.items():
        setattr(application, name, value)
    application.save()
    return application


def make_owner(lead=None, **values):
    values = {"email": f"owner{next(numbers)}@example.com", **values}
    return Owner.objects.create(lead=lead or make_lead(), **values)


def make_invitation(owner=None, *, at=NOON, **values):
    """Return the invitation of an owner to fill in their own part."""
    owner = owner or make_owner()
    invitation = OwnerInvitation(owner=owner, language="en", invited_at=at)
    links.grant_owner(invitation, at=at)
    for name, value in values.items():
        setattr(invitation, name, value)
    invitation.save()
    return invitation


def make_document(lead=None, *, content=PDF, **values):
    name = storages["documents"].save(f"leads/test/{next(numbers)}", ContentFile(content))
    values = {
        "file_name": f"file{next(numbers)}.pdf",
        "content_type": "application/pdf",
        "detected_type": "application/pdf",
        "size_bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "file": name,
        "status": DocumentStatus.RECEIVED,
        "uploaded_at": NOON,
        **values,
    }
    return Document.objects.create(lead=lead or make_lead(), **values)


def make_check_run(application=None, **values):
    application = application or make_application()
    number = application.check_runs.count() + 1
    values = {"number": number, "cause": RunCause.SUBMITTED, "at": NOON, **values}
    return CheckRun.objects.create(application=application, **values)


def make_check(run=None, **values):
    values = {
        "code": CheckCode.COMPLETENESS,
        "source": CheckSource.BUILT_IN,
        "result": CheckResult.PASS,
        "at": NOON,
        **values,
    }
    return Check.objects.create(run=run or make_check_run(), **values)


def make_proposal(application=None, **values):
    values = {
        "kind": ProposalKind.APPROVE,
        "internal_text": "All is well.",
        "evidence_digest": "0" * 64,
        "proposed_at": NOON,
        **values,
    }
    if "proposed_by" not in values:
        values["proposed_by"] = make_user(user_type=UserType.STAFF)
        may_review = Permission.objects.get(codename="review_application")
        values["proposed_by"].user_permissions.add(may_review)
    application = application or make_application()
    values.setdefault("rule", get_needs(application, ProposalKind(values["kind"])).reference)
    return Proposal.objects.create(application=application, **values)


def make_note(application=None, **values):
    values = {"text": "The phone was answered.", "at": NOON, **values}
    values.setdefault("by", make_user(user_type=UserType.STAFF))
    return Note.objects.create(application=application or make_application(), **values)


def make_webhook(partner=None, **values):
    values = {
        "server_url": f"https://hooks.example.com/{next(numbers)}",
        "token": "test-token",
        "signing_secret": SIGNING_SECRET,
        "created_at": NOON,
        **values,
    }
    return Webhook.objects.create(partner=partner or make_partner(), **values)


def make_event(application=None, event_type=EventType.STARTED, *, by=APPLICANT, at=NOON, **details):
    """Write an event down behind those that its lead has."""
    application = application or make_application()
    application.lead.refresh_from_db(fields=AUDIT_CHAIN_FIELDS)
    return history.record(application, event_type, by=by, at=at, **details)


def later(**delta):
    return NOON + timedelta(**delta)


def make_business(**values):
    number = next(numbers)
    values = {
        "legal_name": f"Business {number} LLC",
        "business_type": BusinessType.LLC,
        "filing_status": FilingStatus.SINGLE,
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
        "sign_in_role": SignInRole.PARTNER_FULL_ACCESS if values.get("user") else "",
        **values,
    }
    return BusinessOwner.objects.create(business=business or make_business(), **values)


def account_number():
    """Return the next account number; two of one test differ in their last four digits."""
    return complete_account_number(f"2{next(numbers):010d}")


def make_account(business=None, **values):
    """Return an account without money; `services.ledger` puts some there."""
    values = {
        "account_type": AccountType.MAIN_ACCOUNT,
        "name": "Business checking",
        "account_number": account_number(),
        "routing_number": "110000000",
        "opened_at": LONG_AGO,
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
        return holds.hold(row, allow_overdraft=True)
    posting = ledger.post(row, at=at, allow_overdraft=True)
    return Transaction.objects.get(posting=posting, status=TransactionStatus.POSTED)


def make_user(**values):
    """Return somebody without a password."""
    number = next(numbers)
    values = {
        "email": f"user{number}@example.com",
        "first_name": "Grace",
        "last_name": f"User {number}",
        **values,
    }
    return User.objects.create(**values)


def make_accountant(user=None, **values):
    number = next(numbers)
    user = user or make_user(user_type=UserType.ACCOUNTANT)
    firm_name = values.pop("firm_name", f"Firm {number}")
    values = {
        "firm": values.get("firm") or Firm.objects.create(name=firm_name),
        "is_manager": "firm" not in values,
        "terms_accepted_at": NOON,
        "partner_referral_code": f"CODE{number}",
        **values,
    }
    return Accountant.objects.create(user=user, **values)


def make_access(accountant=None, business=None, **values):
    """Return an access that holds, of an accountant's firm; another status needs its own dates."""
    accountant = accountant or make_accountant()
    values = {
        "firm": accountant.firm,
        "status": AccessStatus.CONNECTED,
        "level": AccessLevel.FULL,
        "invited_at": NOON,
        "granted_at": NOON,
        **values,
    }
    return ClientAccess.objects.create(
        accountant=accountant, business=business or make_business(), **values
    )


def make_accountant_invitation(business=None, **values):
    """Return an invitation that waits, whose link has the token `token`; or that of a `firm`."""
    business = business or (None if values.get("firm") else make_business())
    values = {
        "email": f"accountant{next(numbers)}@example.com",
        "level": AccessLevel.FULL if business else "",
        "invited_by": values.get("invited_by") or make_user(),
        "invited_at": NOON,
        "sent_at": NOON,
        "expires_at": NOON + timedelta(days=7),
        "token_digest": hashlib.sha256(b"token").hexdigest(),
        **values,
    }
    return AccountantInvitation.objects.create(business=business, **values)


def make_referral(accountant=None, **values):
    number = next(numbers)
    values = {
        "business_name": f"Referred {number} LLC",
        "owner_first_name": "Alan",
        "owner_last_name": f"Owner {number}",
        "email": f"referred{number}@example.com",
        "status": ReferralStatus.INVITED,
        "invite_code": f"invitation-{number}",
        "invited_at": NOON,
        "expires_at": NOON + timedelta(days=30),
        **values,
    }
    return Referral.objects.create(accountant=accountant or make_accountant(), **values)


def make_terms(**values):
    number = next(numbers)
    values = {
        "title": "Terms of service",
        "version": f"1.{number}",
        "url": f"https://example.com/terms/{number}",
        "published_at": NOON,
        **values,
    }
    return TermsOfService.objects.create(**values)


def make_linked_account(business=None, **values):
    values = {
        "institution_name": "Example Savings",
        "account_name": f"Savings {next(numbers)}",
        "last4": "6789",
        "account_type": LinkedAccountType.SAVINGS,
        "connection_status": ConnectionStatus.CONNECTED,
        "last_synced_at": NOON,
        **values,
    }
    return LinkedAccount.objects.create(business=business or make_business(), **values)


def make_statement(account, year=2026, month=2, **values):
    """Return the statement of a month in which nothing happened, by default without a file."""
    values = {
        "opening_cents": 0,
        "in_cents": 0,
        "out_cents": 0,
        "closing_cents": 0,
        "transaction_count": 0,
        "size_bytes": 0,
        "created_at": NOON,
        **values,
    }
    return Statement.objects.create(
        business=account.business, account=account, year=year, month=month, **values
    )


def make_invoice(business=None, total_cents=1000, *, lines=0, discounts=0, **values):
    """Return an invoice that was sent; lines and discounts do not change its sums."""
    number = next(numbers)
    values = {
        "number": f"INV-{number:05d}",
        "status": InvoiceStatus.SENT,
        "recipient_name": f"Customer {number}",
        "recipient_email": f"customer{number}@example.com",
        "issue_date": NOON.date(),
        "due_date": later(days=30).date(),
        "subtotal_cents": total_cents,
        "total_cents": total_cents,
        "created_at": NOON,
        **values,
    }
    invoice = Invoice.objects.create(business=business or make_business(), **values)
    for position in range(lines):
        InvoiceLine.objects.create(
            invoice=invoice,
            position=position + 1,
            name=f"Work {position + 1}",
            quantity=1,
            unit_price_cents=100,
            amount_cents=100,
        )
    for _ in range(discounts):
        InvoiceDiscount.objects.create(
            invoice=invoice,
            name="Loyal customer",
            discount_type=DiscountType.PERCENT,
            value=10,
            amount_cents=10,
        )
    return invoice


def make_service_item(business=None, **values):
    values = {"name": f"Service {next(numbers)}", "unit_price_cents": 9_500, **values}
    return ServiceItem.objects.create(business=business or make_business(), **values)


def make_supplier(business=None, **values):
    values = {"name": f"Supplier {next(numbers)}", "created_at": NOON, **values}
    return Supplier.objects.create(business=business or make_business(), **values)


def make_payee(supplier=None, method=PaymentMethod.ACH, **values):
    """Return how a supplier is paid, with the numbers that the method needs."""
    details = {
        PaymentMethod.ACH: {"routing_number": "110000000", "account_number": "000123456789"},
        PaymentMethod.WIRE_DOMESTIC: {
            "routing_number": "110000000",
            "account_number": "000123456789",
        },
        PaymentMethod.WIRE_INTERNATIONAL: {
            "iban": "GB82WEST12345698765432",
            "swift": "DEUTDEFF",
        },
        PaymentMethod.CHECK: {},
    }[method]
    supplier = supplier or make_supplier()
    values = {"payee_name": supplier.name, **details, **values}
    return Payee.objects.create(supplier=supplier, method=method, **values)


def make_bill(supplier=None, amount_cents=1000, **values):
    supplier = supplier or make_supplier()
    values = {
        "number": f"BILL-{next(numbers):05d}",
        "status": BillStatus.PENDING,
        "invoice_date": NOON.date(),
        "due_date": later(days=30).date(),
        "created_at": NOON,
        **values,
    }
    return Bill.objects.create(
        business=supplier.business, supplier=supplier, amount_cents=amount_cents, **values
    )


def make_bill_payment(bill=None, **values):
    values = {
        "method": PaymentMethod.ACH,
        "amount_cents": 1000,
        "scheduled_date": NOON.date(),
        "status": BillPaymentStatus.SCHEDULED,
        **values,
    }
    return BillPayment.objects.create(bill=bill or make_bill(), **values)


def make_bill_attachment(bill=None, *, content=PDF, **values):
    values = {
        "file_name": f"bill{next(numbers)}.pdf",
        "content_type": "application/pdf",
        "size_bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "file": storages["papers"].save(f"bills/{next(numbers)}", ContentFile(content)),
        "uploaded_at": NOON,
        **values,
    }
    return BillAttachment.objects.create(bill=bill or make_bill(), **values)


def make_receipt(row, *, name="Salt", **values):
    """Return the receipt of a purchase, with one line of the whole amount."""
    cents = -row.amount_cents
    values = {"number": f"R-{next(numbers)}", "issued_at": NOON, **values}
    receipt = Receipt.objects.create(transaction=row, **values)
    ReceiptLine.objects.create(
        receipt=receipt, position=1, name=name, quantity=1, unit_price_cents=cents
    )
    return receipt


def make_receipt_file(receipt, *, content=PNG, **values):
    values = {
        "file_name": "receipt.png",
        "content_type": "image/png",
        "size_bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "file": storages["papers"].save(f"receipts/{next(numbers)}", ContentFile(content)),
        **values,
    }
    return ReceiptFile.objects.create(receipt=receipt, **values)


def make_job(business=None, **values):
    facts = {"kind": "expense_report", "key": str(next(numbers))}
    values = {**facts, "due_at": NOON, "created_at": NOON, **values}
    return Job.objects.create(business=business, **values)


def make_feed_batch(**values):
    values = {"source": "API", "sender": "core", "started_at": NOON, **values}
    return FeedBatch.objects.create(**values)


def make_feed_inbox_line(batch=None, **values):
    values = {
        "line_number": 1,
        "kind": "cards",
        "external_id": f"C-{next(numbers)}",
        "version": 1,
        "text": "{}",
        "missing_kind": "accounts",
        "missing_id": "A-1",
        "received_at": NOON,
        "expires_at": NOON,
        **values,
    }
    return FeedInboxLine.objects.create(batch=batch or make_feed_batch(), **values)


def make_feed_upload(by=None, **values):
    """Return an upload of lines that were refused, whose file is not in the store."""
    values = {
        "file": "feed-uploads/none",
        "file_name": "records.ndjson",
        "file_digest": "0" * 64,
        "counts": {"refused": 1},
        "results": zlib.compress(b'{"line":1,"kind":"","externalId":"","result":"refused"}\n'),
        "uploaded_at": NOON,
        "kept_until": NOON,
        **values,
    }
    by = by or make_user(user_type=UserType.STAFF)
    return FeedUpload.objects.create(uploaded_by=by, **values)


def make_reconciliation(**values):
    values = {"line_count": 2, "difference_count": 0, "started_at": NOON, **values}
    return Reconciliation.objects.create(
        file_name="balances.ndjson", **{"finished_at": NOON, **values}
    )


def make_card(account=None, **values):
    account = account or make_account()
    values = {
        "product_type": CardProduct.DEBIT_PHYSICAL,
        "cardholder_name": "Ada Owner",
        "last4": "4242",
        "network": CardNetwork.VISA,
        "status": CardStatus.ACTIVE,
        "created_at": NOON,
        **values,
    }
    return Card.objects.create(business=account.business, account=account, **values)


def make_secured_card(business=None, **values):
    """Return an enrolled business's secured card with a limit of 500 dollars."""
    business = business or make_business()
    values = {
        "enrollment_status": EnrollmentStatus.ENROLLED,
        "status": SecuredCardStatus.CURRENT,
        "card_account": make_account(
            business, account_type=AccountType.SECURED_CARD, credit_limit_cents=50_000
        ),
        "collateral_account": make_account(
            business, account_type=AccountType.SECURED_CARD_COLLATERAL
        ),
        "enrolled_at": NOON,
        **values,
    }
    return SecuredCard.objects.create(business=business, **values)


def make_address(business=None, **values):
    values = {
        "kind": AddressKind.REGISTERED,
        "line1": "1 Example Street",
        "city": "Springfield",
        "state": "IL",
        "postal_code": "62701",
        **values,
    }
    return BusinessAddress.objects.create(business=business or make_business(), **values)


def make_subscription(business=None, *, benefits=0, **values):
    number = next(numbers)
    plan = Plan.objects.create(code=f"PLAN{number}", name=f"Plan {number}", price_cents=2_900)
    for benefit in range(benefits):
        PlanBenefit.objects.create(plan=plan, code=f"BENEFIT{benefit}", name=f"Benefit {benefit}")
    values = {
        "status": SubscriptionStatus.ACTIVE,
        "started_date": NOON.date(),
        "renewal_date": later(days=30).date(),
        **values,
    }
    return Subscription.objects.create(business=business or make_business(), plan=plan, **values)


def make_duns_registration(business=None, **values):
    business = business or make_business()
    values = {
        "number": f"{next(numbers):09d}",
        "status": DunsStatus.REGISTERED,
        "registered_name": business.legal_name,
        "registered_date": NOON.date(),
        **values,
    }
    return DunsRegistration.objects.create(business=business, **values)


def make_anchor_key(path):
    """Write a new key that signs anchors, and return the path of its file."""
    path.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return path

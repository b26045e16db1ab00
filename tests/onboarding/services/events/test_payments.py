import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.choices import AccountType, PaymentMethod
from banking.models import Account, BillPayment, User
from banking.services import bill_payments, closings, freezes, staff_changes
from onboarding.choices import ApplicationStatus, Role, WebhookType
from onboarding.event_types import PUBLISHED, EventType
from onboarding.models import Event
from onboarding.queries import audit
from tests.factories import (
    NOON,
    make_account,
    make_application,
    make_bill,
    make_bill_payment,
    make_business,
    make_card,
    make_payee,
    make_supplier,
    make_transaction,
    make_webhook,
)

CARD = {
    "account": "A-1",
    "productType": "DEBIT_PHYSICAL",
    "cardholderName": "Ada Reyes",
    "last4": "1234",
    "network": "VISA",
    "createdAt": "2026-01-03T10:00:00Z",
}
PAYMENT = {"bill": "L-1", "method": "ACH", "scheduledDate": "2026-02-10"}
ENDS = {
    "SETTLED": {"settledDate": "2026-02-11"},
    "FAILED": {"failureReason": "Account closed"},
    "SCHEDULED": {},
}


@pytest.fixture
def opened(feed, line):
    """The application of a lead that became a business of the feed, with a card and a bill."""
    outcomes = feed(
        line(
            "businesses",
            "B-1",
            legalName="Harbor Bakery LLC",
            businessType="LLC",
            email="owner@example.com",
            createdAt="2026-01-02T09:00:00Z",
        ),
        account(line),
        line("suppliers", "S-1", business="B-1", name="Mill Co", createdAt="2026-01-05T10:00:00Z"),
        line(
            "bills",
            "L-1",
            supplier="S-1",
            number="1001",
            status="PENDING",
            amountCents=90000,
            invoiceDate="2026-02-01",
            dueDate="2026-02-20",
            createdAt="2026-02-01T10:00:00Z",
        ),
        line("cards", "C-1", **CARD, status="ACTIVE"),
    )
    assert {outcome["result"] for outcome in outcomes} == {"created"}
    status = ApplicationStatus.APPROVED
    return make_application(account=Account.objects.of_customers().get(), status=status)


def account(line, version=1, **data):
    opened = {"openedAt": "2026-01-02T10:00:00Z", "name": "Main"}
    return line(
        "accounts", "A-1", version, business="B-1", accountType="MAIN_ACCOUNT", **opened, **data
    )


def payment(line, name, status, version=1, cents=100):
    data = {**PAYMENT, "status": status, "amountCents": cents, **ENDS[status]}
    return line("bill-payments", name, version, **data)


def take(feed, *lines, **terms):
    outcomes = feed(*lines, **terms)
    assert "refused" not in {outcome["result"] for outcome in outcomes}, outcomes


def recorded():
    assert list(audit.find_faults()) == []
    return [(event.type, event.details) for event in Event.objects.order_by("number")]


def test_a_frozen_card_is_an_event_of_the_bank(feed, line, opened):
    take(feed, line("cards", "C-1", 2, **CARD, status="FROZEN"))

    card = opened.account.cards.get()
    assert recorded() == [("card.frozen", {"card_id": str(card.external_id)})]
    event = Event.objects.get()
    assert (event.role, event.application, event.status) == (Role.BANK, opened, "APPROVED")
    assert event.sequence == 1


def test_a_card_that_stays_frozen_is_no_second_event(feed, line, opened):
    take(feed, line("cards", "C-1", 2, **CARD, status="FROZEN"))
    take(feed, line("cards", "C-1", 3, **{**CARD, "last4": "4321"}, status="FROZEN"))

    assert len(recorded()) == 1


def test_a_card_that_is_frozen_again_is_an_event_again(feed, line, opened):
    for version, status in enumerate(["FROZEN", "ACTIVE", "FROZEN"], start=2):
        take(feed, line("cards", "C-1", version, **CARD, status=status))

    assert [name for name, _ in recorded()] == ["card.frozen"] * 2


def test_payments_that_settle_or_return_are_events(feed, line, opened):
    take(feed, payment(line, "P-1", "SCHEDULED"), payment(line, "P-2", "SCHEDULED"))
    take(feed, payment(line, "P-1", "SETTLED", 2), payment(line, "P-2", "FAILED", 2))

    ids = [str(row.external_id) for row in BillPayment.objects.order_by("pk")]
    assert sorted(recorded(), reverse=True) == [
        ("payment.settled", {"payment_id": ids[0], "method": "ACH"}),
        ("payment.returned", {"payment_id": ids[1], "method": "ACH"}),
    ]


def test_a_new_record_of_a_settled_payment_is_an_event(feed, line, opened):
    take(feed, payment(line, "P-1", "SETTLED"))

    assert [name for name, _ in recorded()] == ["payment.settled"]


def test_a_payment_that_returns_after_it_settled_is_a_second_event(feed, line, opened):
    take(feed, payment(line, "P-1", "SETTLED"))
    take(feed, payment(line, "P-1", "FAILED", 2))

    assert [name for name, _ in recorded()] == ["payment.settled", "payment.returned"]


def test_a_payment_that_ends_without_the_feed_is_an_event(db):
    business = make_business()
    make_application(account=make_account(business, is_primary=True))
    make_transaction(business.accounts.get(), 50_000)
    supplier = make_supplier(business)
    make_payee(supplier, PaymentMethod.ACH)
    bill = make_bill(supplier, amount_cents=10_000)
    settled, returned = (make_bill_payment(bill, amount_cents=cents) for cents in (4_000, 6_000))

    bill_payments.settle_payment(settled, at=NOON)
    bill_payments.fail_payment(returned, at=NOON, reason="Refused by the other bank")

    assert [name for name, _ in recorded()] == ["payment.settled", "payment.returned"]


def test_operations_of_two_clerks_are_events(db):
    application = make_application(account=make_account(is_primary=True))
    account = application.account
    card = make_card(account)
    olga, otto = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        for name in ("olga", "otto")
    )
    said = {"reason": "The customer asked.", "by": olga, "at": NOON}

    frozen = freezes.propose_card_freeze(card, **said)
    assert recorded() == []  # a proposal is tried out, and rolled back
    staff_changes.confirm(frozen, by=otto, at=NOON)
    staff_changes.confirm(closings.propose_closing(account, **said), by=otto, at=NOON)

    assert [name for name, _ in recorded()] == ["card.frozen", "account.closed"]
    assert not list(audit.find_faults())


def test_a_closed_account_is_an_event(feed, line, opened):
    closed = {"status": "CLOSED", "closedAt": "2026-03-01T10:00:00Z"}
    take(feed, account(line, 2, **closed))

    number = opened.account.masked_number
    assert recorded() == [("account.closed", {"account_number_masked": number})]


def test_a_removed_account_is_an_event(feed, line, opened):
    removed = {"kind": "accounts", "externalId": "A-1", "version": 2, "removed": True}
    take(feed, removed)

    assert [name for name, _ in recorded()] == ["account.closed"]


def test_a_refused_line_is_no_event(feed, line, opened):
    [outcome] = feed(line("cards", "C-1", 2, **{**CARD, "last4": "12"}, status="FROZEN"))

    assert outcome["result"] == "refused"
    assert recorded() == []


def test_a_batch_that_is_refused_as_a_whole_is_no_event(feed, line, opened):
    feed(
        line("cards", "C-1", 2, **CARD, status="FROZEN"),
        line("cards", "C-2", 1, **{**CARD, "last4": "12"}, status="ACTIVE"),
        is_atomic=True,
    )

    assert recorded() == []


def test_nothing_is_recorded_about_an_erased_lead(feed, line, opened):
    opened.lead.erased_at = NOON
    opened.lead.save(update_fields=["erased_at"])

    take(feed, line("cards", "C-1", 2, **CARD, status="FROZEN"))

    assert recorded() == []


def test_nothing_is_recorded_about_a_business_without_a_lead(feed, line, opened):
    opened.delete()

    take(feed, line("cards", "C-1", 2, **CARD, status="FROZEN"))

    assert recorded() == []


def test_an_event_names_the_newest_application(feed, line, opened):
    opened.is_current = False
    opened.save(update_fields=["is_current"])
    business = opened.account.business
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    newer = make_application(opened.lead, attempt=2, account=bucket)

    take(feed, line("cards", "C-1", 2, **CARD, status="FROZEN"))

    assert Event.objects.get().application == newer


def test_webhooks_take_the_events_of_their_type(db):
    webhooks = {webhook_type: make_webhook(type=webhook_type) for webhook_type in WebhookType}

    types = {name: set(filter(webhook.wants, PUBLISHED)) for name, webhook in webhooks.items()}

    assert types[WebhookType.PAYMENT] == {
        EventType.PAYMENT_SETTLED,
        EventType.PAYMENT_RETURNED,
        EventType.CARD_FROZEN,
        EventType.ACCOUNT_CLOSED,
    }
    assert types[WebhookType.ONBOARDING] == set(PUBLISHED) - types[WebhookType.PAYMENT]
    assert types[WebhookType.ALL] == set(PUBLISHED)


def test_a_batch_records_its_events_in_few_statements(feed, line, opened):
    take(feed, *(payment(line, f"P-{number}", "SCHEDULED") for number in range(20)))

    with CaptureQueriesContext(connection) as few:
        take(feed, payment(line, "P-0", "SETTLED", 2))
    with CaptureQueriesContext(connection) as many:
        take(feed, *(payment(line, f"P-{number}", "SETTLED", 2) for number in range(1, 20)))

    assert len(recorded()) == 20
    saved = 2 * 18  # a statement of each changed payment, and one of its record
    assert len(many) <= len(few) + saved

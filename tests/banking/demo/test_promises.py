"""What the demo bank has to show, each promise a check of its own; loading takes seconds."""

from datetime import date, timedelta
from io import BytesIO

import pytest
from django.db.models import Count, F, Q, Sum
from django.utils import timezone
from PIL import Image

from banking import mcc
from banking.choices import (
    AccessLevel,
    AccessStatus,
    AccountType,
    AddressKind,
    BillFrequency,
    BillPaymentStatus,
    BillStatus,
    BusinessOwnerRole,
    CardProduct,
    InvoiceStatus,
    PaymentMethod,
    ReferralStatus,
    TransactionType,
)
from banking.demo import bank, cast
from banking.models import (
    Account,
    Accountant,
    BillAttachment,
    BillPayment,
    Business,
    ClientAccess,
    Entry,
    InvoiceDiscount,
    InvoiceLine,
    Location,
    Merchant,
    Payee,
    Receipt,
    TermsOfService,
    Transaction,
    User,
)
from banking.numbers import validate_bic, validate_iban, validate_routing_number
from banking.queries.ledger import find_differences
from tests.banking.demo.tying import require_one_profit_in_every_place

TODAY = date(2026, 11, 21)
TWO_YEARS = 24


def get_main(user=cast.BUSINESS_USER):
    return Business.objects.get(owners__user__email=user)


def get_accountant(user=cast.ACCOUNTANT_USER):
    return Accountant.objects.get(user__email=user)


def expect_the_same_money_in_every_place():
    require_one_profit_in_every_place()


def expect_a_clean_ledger():
    assert list(find_differences()) == []


def expect_three_businesses_of_which_the_accountant_has_two():
    kinds = {"LLC": "CA", "S_CORP": "NY", "SSN": "TX"}
    found = Business.objects.filter(tax_statements__isnull=False).distinct()
    assert dict(found.values_list("business_type", "incorporation_state")) == kinds
    assert (
        get_accountant()
        .firm.accesses.connected(at=timezone.now())
        .filter(business__in=found)
        .count()
        == 2
    )


def expect_all_types_of_transactions_some_of_them_pending():
    rows = get_main().transactions
    assert set(rows.posted().values_list("transaction_type", flat=True)) == set(TransactionType)
    pending = set(rows.pending().values_list("transaction_type", flat=True))
    assert len(pending) >= 5
    assert not rows.pending().filter(settles_at=None, bill_payment=None).exists()
    assert rows.count() > 1000


def expect_everything_a_business_spends_and_earns():
    rows = get_main().transactions
    wanted = {
        "PAYROLL", "RENT", "MEALS", "INVENTORY", "BANK_FEES", "SALES", "TAXES",
        "OWNER_DRAW", "CASH_WITHDRAWAL", "UTILITIES", "INTEREST_PAID",
    }  # fmt: skip
    assert wanted <= set(rows.values_list("category", flat=True))
    assert rows.filter(is_business=False).exists()
    assert set(rows.values_list("original_currency", flat=True)) > {""}


def expect_merchants_and_places_that_look_real():
    assert all(mcc.describe(code) for code in Merchant.objects.values_list("mcc", flat=True))
    assert not Merchant.objects.exclude(website__endswith=".example.com").exists()
    assert Location.objects.filter(latitude=None).count() == 0
    bought = get_main().transactions.filter(transaction_type=TransactionType.PURCHASE)
    assert not bought.filter(Q(merchant=None) | Q(merchant_raw_name="") | Q(card=None)).exists()
    assert bought.exclude(location=None).count() > 100


def expect_over_a_hundred_invoices_in_every_status():
    invoices = get_main().invoices.all()
    assert len(invoices) > 100
    assert {invoice.status_on(TODAY) for invoice in invoices} == set(InvoiceStatus)
    paid = get_main().invoices.filter(status=InvoiceStatus.PAID)
    assert paid.filter(paid_date__gt=F("due_date")).count() > 10
    assert not paid.exclude(payment__amount_cents=F("total_cents")).exists()


def expect_invoices_that_add_up():
    sums = InvoiceLine.objects.values("invoice").annotate(sum=Sum("amount_cents"))
    lines = dict(sums.values_list("invoice", "sum"))
    for invoice in get_main().invoices.all():
        assert lines[invoice.pk] == invoice.subtotal_cents
    assert (
        InvoiceLine.objects.exclude(amount_cents=F("quantity") * F("unit_price_cents")).count() == 0
    )
    assert set(InvoiceDiscount.objects.values_list("discount_type", flat=True)) == {
        "PERCENT", "AMOUNT",
    }  # fmt: skip
    assert get_main().invoices.filter(sales_tax_cents__gt=0).exists()
    assert get_main().service_items.count() > 3


def expect_over_a_hundred_bills_in_every_status():
    bills = get_main().bills.all()
    assert bills.count() > 100
    assert set(bills.values_list("status", flat=True)) == set(BillStatus)
    wanted = {BillFrequency.MONTHLY, BillFrequency.QUARTERLY}
    assert set(bills.exclude(frequency="").values_list("frequency", flat=True)) == wanted
    assert bills.filter(next_payment_date__isnull=False).exists()
    assert bills.filter(recurrence_end_date__isnull=False).exists()


def expect_payments_of_every_status():
    payments = BillPayment.objects.filter(bill__business=get_main())
    assert set(payments.values_list("status", flat=True)) == set(BillPaymentStatus)
    assert payments.filter(status=BillPaymentStatus.SETTLED, transaction=None).count() == 0
    on_their_way = payments.filter(status=BillPaymentStatus.PROCESSING)
    waiting = on_their_way.filter(transaction__status="PENDING", transaction__settles_at=None)
    assert waiting.count() == on_their_way.count()
    partly = payments.filter(
        status=BillPaymentStatus.SETTLED, amount_cents__lt=F("bill__amount_cents")
    )
    assert partly.exists()
    for payment in payments.filter(status=BillPaymentStatus.SETTLED).select_related("transaction"):
        assert payment.transaction.amount_cents == -payment.amount_cents
        assert payment.transaction.settlement_date == payment.settled_date


def expect_files_with_bills():
    attachments = BillAttachment.objects.filter(bill__business=get_main())
    magic = {"application/pdf": b"%PDF-", "image/png": b"\x89PNG"}
    assert {attachment.content_type for attachment in attachments} == set(magic)
    for attachment in attachments:
        content = attachment.read().content
        assert content.startswith(magic[attachment.content_type])
        assert len(content) == attachment.size_bytes


def expect_suppliers_with_every_payment_method():
    payees = Payee.objects.filter(supplier__business=get_main())
    assert {payee.method for payee in payees} == set(PaymentMethod)
    for payee in Payee.objects.all():
        if payee.iban:
            validate_iban(payee.iban)
            validate_bic(payee.swift)
        if payee.routing_number:
            validate_routing_number(payee.routing_number)


def expect_receipts_that_add_up():
    receipts = Receipt.objects.filter(transaction__business=get_main())
    assert receipts.count() > 50
    for receipt in receipts.select_related("transaction").prefetch_related("lines"):
        lines = sum(line.amount_cents for line in receipt.lines.all())
        assert lines + receipt.tax_cents + receipt.tip_cents == -receipt.transaction.amount_cents
    assert receipts.filter(tip_cents__gt=0).exists()


def expect_the_latest_receipt_as_a_picture():
    latest = Receipt.objects.filter(transaction__business=get_main()).latest("issued_at")
    paper = latest.file.read()
    assert paper.content_type == "image/png"
    with Image.open(BytesIO(paper.content)) as picture:
        picture.load()


def expect_tax_money_moving_both_ways():
    rows = get_main().transactions.filter(account__account_type=AccountType.TAX_BUCKET)
    assert rows.filter(amount_cents__gt=0).count() > 20
    assert rows.filter(amount_cents__lt=0).count() > 3
    assert get_main().accounts.get(account_type=AccountType.TAX_BUCKET).tax_bucket.is_active


def expect_every_kind_of_account_and_card():
    accounts = get_main().accounts
    bank_own = {AccountType.CLEARING, AccountType.FEE_INCOME}
    assert set(accounts.values_list("account_type", flat=True)) == set(AccountType) - bank_own
    assert accounts.filter(is_primary=True).count() == 1
    assert set(get_main().cards.values_list("product_type", flat=True)) == set(CardProduct)
    secured = get_main().secured_card
    assert secured.collateral_account.current_cents == secured.card_account.credit_limit_cents
    assert 0 < -secured.card_account.current_cents < secured.card_account.credit_limit_cents
    assert get_main().linked_accounts.count() == 3


def expect_statements_over_two_years():
    statements = get_main().statements
    months = statements.values("year", "month").distinct().order_by()
    assert months.count() > TWO_YEARS
    kinds = set(statements.values_list("account__account_type", flat=True))
    assert kinds == {"MAIN_ACCOUNT", "TAX_BUCKET", "SAVING_BUCKET", "EMERGENCY_BUCKET", "LOC"}
    assert statements.latest("year", "month").read().content.startswith(b"%PDF-")
    quarters = get_main().tax_statements.filter(tax_year=2025).values_list("quarter", flat=True)
    assert sorted(quarters) == [1, 2, 3, 4, 5]


def expect_all_there_is_to_know_of_a_business():
    business = get_main()
    assert {owner.role for owner in business.owners.all()} == set(BusinessOwnerRole)
    assert {address.kind for address in business.addresses.all()} == set(AddressKind)
    assert business.subscription.plan.benefits.count() > 3
    assert len(business.duns_registration.number) == 9
    accepted = business.terms_acceptances.count()
    assert 0 < accepted < TermsOfService.objects.count()


def expect_an_accountant_with_many_clients():
    accesses = get_accountant().firm.accesses
    assert accesses.connected(at=timezone.now()).count() > 20
    assert set(accesses.values_list("status", flat=True)) == set(AccessStatus)
    assert set(accesses.values_list("level", flat=True)) == set(AccessLevel)
    clients = Business.objects.annotate(count=Count("statements", distinct=True))
    assert not clients.filter(count=0).exists()


def expect_many_referrals_in_every_status():
    referrals = get_accountant().referrals.all()
    assert len(referrals) > 20
    assert {referral.status for referral in referrals} == set(ReferralStatus)


def expect_another_accountant_and_a_business_that_neither_may_see():
    other = get_accountant(cast.OTHER_ACCOUNTANT_USER)
    assert other.firm.accesses.connected(at=timezone.now()).exists()
    seen = ClientAccess.objects.values("business")
    assert Business.objects.exclude(pk__in=seen).filter(statements__isnull=False).exists()


def expect_balances_that_are_never_absurd():
    credit = [AccountType.LOC, AccountType.SECURED_CARD]
    for account in Account.objects.of_customers():
        assert account.available_cents >= 0, account
        amounts = Entry.objects.filter(account=account).order_by("posted_at", "id")
        balance, lowest = 0, -(account.credit_limit_cents or 0)
        for amount in amounts.values_list("amount_cents", flat=True):
            balance += amount
            assert balance >= lowest, account
    owed = Account.objects.filter(account_type__in=credit, current_cents__gt=0)
    assert not owed.exists()


def expect_nobody_to_sign_in_without_a_password_of_their_own():
    assert not any(user.has_usable_password() for user in User.objects.all())


def expect_nothing_in_the_future():
    assert not Transaction.objects.filter(occurred_at__date__gte=TODAY).exists()
    yesterday = TODAY - timedelta(days=1)
    assert Transaction.objects.pending().filter(occurred_at__date=yesterday).exists()


PROMISES = [promise for name, promise in list(globals().items()) if name.startswith("expect_")]


@pytest.mark.django_db
def test_the_demo_bank_keeps_every_promise():
    bank.load(bank.Wanted(until=TODAY))

    for promise in PROMISES:
        promise()

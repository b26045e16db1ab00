"""What the database refuses, whoever writes: a case at least for each constraint."""

import copy
import itertools
import re

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, connection, models, transaction
from django.db.models import CheckConstraint, UniqueConstraint
from uuid_utils.compat import uuid7

from banking.choices import (
    AccountStatus,
    AccountType,
    DunsStatus,
    FeedResult,
    PaymentMethod,
    StaffChangeStatus,
)
from banking.models import (
    Account,
    Card,
    Category,
    Deployment,
    Entry,
    FeedChange,
    FeedChunk,
    FeedRecord,
    Firm,
    Location,
    Merchant,
    MerchantTotal,
    PaymentRule,
    Plan,
    PlanBenefit,
    Posting,
    SecuredCard,
    StaffChange,
    StaffEvent,
    Statement,
    TaxBucket,
    TaxStatement,
    TermsAcceptance,
    TransactionTotal,
)
from banking.numbers import complete_account_number
from banking.services import ledger
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import encrypted_names
from tests import factories as make
from tests.factories import NOON, later

TODAY, YESTERDAY = NOON.date(), later(days=-1).date()
FILE = {
    "file_name": "paper.pdf",
    "content_type": "application/pdf",
    "size_bytes": 1,
    "sha256": "0" * 64,
    "file": "paper",
}
MODELS = list(apps.get_app_config("banking").get_models())


def bank_account():
    return ledger.bank_account(AccountType.CLEARING)


def firm():
    return Firm.objects.create(name="Diaz Books", core_id="F-1")


def firm_invitation():
    return make.make_accountant_invitation(firm=firm())


def deployment():
    return Deployment.objects.create(canary="canary", fingerprints={}, recorded_at=NOON)


def saving_bucket():
    return make.make_account(account_type=AccountType.SAVING_BUCKET)


def tax_bucket_account():
    return make.make_account(account_type=AccountType.TAX_BUCKET)


def line_of_credit():
    return make.make_account(account_type=AccountType.LOC, credit_limit_cents=1)


def primary_account():
    return make.make_account(is_primary=True)


def virtual_card():
    return make.make_card(product_type="DEBIT_VIRTUAL")


def wire_abroad():
    return make.make_payee(method=PaymentMethod.WIRE_INTERNATIONAL)


def check():
    return make.make_payee(method=PaymentMethod.CHECK)


def category():
    return Category.objects.get(pk="SALES")


def merchant():
    return Merchant.objects.create(name="Corner Store", mcc="5411")


def location():
    return Location.objects.create(key="corner", latitude=40, longitude=-70)


def imported():
    return make.make_transaction(pending=True, source_id="FITID-1")


def total():
    make.make_transaction()
    return TransactionTotal.objects.filter(granularity="DAY").get()


def merchant_total():
    make.make_transaction()
    return MerchantTotal.objects.get()


def receipt_line():
    row = make.make_transaction(amount_cents=-100)
    return make.make_receipt(row).lines.get()


def payment_rule():
    return PaymentRule.objects.get(method=PaymentMethod.ACH)


def invoice_line():
    return make.make_invoice(lines=1).lines.get()


def invoice_discount():
    return make.make_invoice(discounts=1).discounts.get()


def plan_benefit():
    make.make_subscription(benefits=1)
    return PlanBenefit.objects.get()


def feed_chunk():
    return FeedChunk.objects.create(
        batch=make.make_feed_batch(), first_line=1, results=b"", created_at=NOON
    )


def feed_record():
    return FeedRecord.objects.create(
        kind="cards", external_id="C-1", row_id=1, version=1, digest="0" * 32, updated_at=NOON
    )


def feed_change():
    return FeedChange.objects.create(
        kind="cards", external_id="C-1", version=1, result=FeedResult.CREATED, changed_at=NOON
    )


def statement():
    account = make.make_account()
    return Statement.objects.create(
        business=account.business,
        account=account,
        year=2026,
        month=3,
        opening_cents=0,
        in_cents=0,
        out_cents=0,
        closing_cents=0,
        transaction_count=0,
        created_at=NOON,
        **FILE,
    )


def tax_bucket():
    return TaxBucket.objects.create(account=tax_bucket_account())


def tax_statement():
    return TaxStatement.objects.create(
        business=make.make_business(), tax_year=2026, quarter=1, created_at=NOON, **FILE
    )


def acceptance():
    return TermsAcceptance.objects.create(
        terms=make.make_terms(), business=make.make_business(), accepted_at=NOON
    )


def created_user():
    return make.make_user(created_by=make.make_user())


def owner_with_user():
    return make.make_business_owner(user=make.make_user())


def confirmed_change():
    proposer, second, subject = (make.make_user() for _ in range(3))
    return StaffChange.objects.create(
        kind="access",
        digest="0" * 64,
        subject=subject,
        proposed_by=proposer,
        proposed_at=NOON,
        status=StaffChangeStatus.CONFIRMED,
        settled_by=second,
        settled_at=NOON,
    )


CHECKS = [
    (confirmed_change, {"status": "LOST"}, "staffchange_status_known"),
    (confirmed_change, {"settled_at": None}, "staffchange_settled_at_iff_not_open"),
    (
        confirmed_change,
        {"settled_by_id": models.F("proposed_by_id")},
        "staffchange_never_confirmed_by_its_proposer",
    ),
    (
        confirmed_change,
        {"settled_by_id": models.F("subject_id")},
        "staffchange_never_confirmed_by_its_subject",
    ),
    (created_user, {"confirmed_by_id": models.F("created_by_id")}, "user_not_confirmed_by_creator"),
    (make.make_user, {"confirmed_by_id": models.F("id")}, "user_not_confirmed_by_themselves"),
    (make.make_job, {"status": "LOST", "finished_at": make.NOON}, "job_status_known"),
    (make.make_job, {"finished_at": make.NOON}, "job_finished_iff_not_open"),
    (make.make_user, {"email": "Ada@example.com"}, "user_email_is_lower_case"),
    (make.make_user, {"user_type": "ROBOT"}, "user_type_known"),
    (make.make_user, {"is_superuser": True}, "user_superuser_is_staff"),
    (make.make_business, {"business_type": "CLUB"}, "business_type_known"),
    (make.make_business, {"filing_status": "ALONE"}, "business_filing_status_known"),
    (make.make_business, {"email": "A@example.com"}, "business_email_is_lower_case"),
    (
        make.make_business_owner,
        {"ownership_percent": -1},
        "businessowner_ownership_percent_0_to_100",
    ),
    (
        make.make_business_owner,
        {"ownership_percent": "100.01"},
        "businessowner_ownership_percent_0_to_100",
    ),
    (make.make_business_owner, {"role": "KING"}, "businessowner_role_known"),
    (make.make_business_owner, {"sign_in_role": "KING"}, "businessowner_sign_in_role_known"),
    (owner_with_user, {"role": "UBO", "sign_in_role": ""}, "businessowner_user_may_sign_in"),
    (make.make_address, {"kind": "HOLIDAY"}, "businessaddress_kind_known"),
    (make.make_duns_registration, {"number": ""}, "dunsregistration_facts_match_status"),
    (make.make_duns_registration, {"number": "12345678"}, "dunsregistration_facts_match_status"),
    (make.make_duns_registration, {"status": "PENDING"}, "dunsregistration_facts_match_status"),
    (make.make_duns_registration, {"status": "REPORTED"}, "dunsregistration_facts_match_status"),
    (
        make.make_duns_registration,
        {"registered_date": None},
        "dunsregistration_facts_match_status",
    ),
    (make.make_access, {"level": "ROOT"}, "clientaccess_level_known"),
    (make.make_access, {"granted_at": None}, "clientaccess_dates_match_status"),
    (make.make_access, {"revoked_at": NOON}, "clientaccess_dates_match_status"),
    (make.make_access, {"status": "REVOKED"}, "clientaccess_dates_match_status"),
    (make.make_access, {"status": "PENDING_TERMS"}, "clientaccess_dates_match_status"),
    (make.make_access, {"status": "LOST"}, "clientaccess_dates_match_status"),
    *(
        (make.make_accountant_invitation, values, "accountantinvitation_of_business_or_firm")
        for values in [{"level": "ROOT"}, {"level": ""}, {"business": None}]
    ),
    (firm_invitation, {"firm": None}, "accountantinvitation_of_business_or_firm"),
    (firm_invitation, {"level": "FULL"}, "accountantinvitation_of_business_or_firm"),
    (firm_invitation, {"ends_at": NOON}, "accountantinvitation_of_business_or_firm"),
    (
        make.make_accountant_invitation,
        {"email": "Ada@example.com"},
        "accountantinvitation_email_is_lower_case",
    ),
    (
        make.make_accountant_invitation,
        {"accepted_at": NOON, "withdrawn_at": NOON},
        "accountantinvitation_settled_once",
    ),
    (make.make_referral, {"status": "LOST"}, "referral_status_known"),
    (make.make_referral, {"email": "Ada@example.com"}, "referral_email_is_lower_case"),
    (make.make_referral, {"status": "COMPLETED"}, "referral_completed_at_iff_completed"),
    (make.make_referral, {"completed_at": NOON}, "referral_completed_at_iff_completed"),
    (deployment, {"id": 2}, "deployment_only_one"),
    (make.make_account, {"account_type": "PIGGY_BANK"}, "account_type_known"),
    (make.make_account, {"account_type": "CLEARING"}, "account_of_a_business_or_the_bank"),
    (make.make_account, {"business": None}, "account_of_a_business_or_the_bank"),
    (bank_account, {"current_cents": 1}, "account_bank_keeps_no_balance"),
    (bank_account, {"held_cents": 1}, "account_bank_keeps_no_balance"),
    (make.make_account, {"held_cents": -1}, "account_holds_are_not_negative"),
    (make.make_account, {"credit_limit_cents": 1}, "account_limit_iff_credit"),
    (line_of_credit, {"credit_limit_cents": -1}, "account_limit_iff_credit"),
    (line_of_credit, {"credit_limit_cents": None}, "account_limit_iff_credit"),
    (make.make_account, {"status": "CLOSED"}, "account_closed_is_empty"),
    (make.make_account, {"closed_at": NOON}, "account_closed_is_empty"),
    (make.make_account, {"status": "LOST"}, "account_closed_is_empty"),
    (
        make.make_account,
        {"status": "CLOSED", "closed_at": NOON, "current_cents": 1},
        "account_closed_is_empty",
    ),
    (
        make.make_account,
        {"status": "CLOSED", "closed_at": NOON, "held_cents": 1},
        "account_closed_is_empty",
    ),
    (
        make.make_account,
        {"status": "CLOSED", "closed_at": NOON, "frozen_at": NOON},
        "account_frozen_is_open_and_of_a_business",
    ),
    (make.make_account, {"account_number": "2" * 12}, "account_number_has_check_digit"),
    (make.make_account, {"routing_number": "110000001"}, "account_routing_number_has_check_digit"),
    (saving_bucket, {"is_primary": True}, "account_primary_is_checking"),
    (make.make_linked_account, {"last4": "12a4"}, "linkedaccount_last4_is_four_digits"),
    (make.make_linked_account, {"last4": "123"}, "linkedaccount_last4_is_four_digits"),
    (make.make_linked_account, {"account_type": "GOLD"}, "linkedaccount_type_known"),
    (
        make.make_linked_account,
        {"connection_status": "LOST"},
        "linkedaccount_connection_status_known",
    ),
    (make.make_payee, {"method": "PIGEON"}, "payee_details_match_method"),
    (make.make_payee, {"routing_number": ""}, "payee_details_match_method"),
    (make.make_payee, {"account_number": ""}, "payee_details_match_method"),
    (make.make_payee, {"iban": "GB82WEST12345698765432"}, "payee_details_match_method"),
    (make.make_payee, {"swift": "DEUTDEFF"}, "payee_details_match_method"),
    (wire_abroad, {"swift": ""}, "payee_details_match_method"),
    (wire_abroad, {"iban": ""}, "payee_details_match_method"),
    (wire_abroad, {"routing_number": "110000000"}, "payee_details_match_method"),
    (check, {"routing_number": "110000000"}, "payee_details_match_method"),
    (check, {"account_number": "1"}, "payee_details_match_method"),
    (make.make_payee, {"routing_number": "110000001"}, "payee_routing_number_has_check_digit"),
    (wire_abroad, {"swift": "deutdeff"}, "payee_swift_has_its_shape"),
    (make.make_card, {"last4": "424"}, "card_last4_is_four_digits"),
    (make.make_card, {"product_type": "GOLD"}, "card_product_known"),
    (make.make_card, {"network": "BARTER"}, "card_network_known"),
    (make.make_card, {"status": "LOST"}, "card_status_known"),
    (virtual_card, {"shipping_date": TODAY}, "card_virtual_is_not_shipped"),
    (make.make_secured_card, {"card_account": None}, "securedcard_accounts_iff_enrolled"),
    (make.make_secured_card, {"collateral_account": None}, "securedcard_accounts_iff_enrolled"),
    (make.make_secured_card, {"enrolled_at": None}, "securedcard_accounts_iff_enrolled"),
    (make.make_secured_card, {"status": ""}, "securedcard_accounts_iff_enrolled"),
    (make.make_secured_card, {"enrollment_status": "PENDING"}, "securedcard_accounts_iff_enrolled"),
    (make.make_secured_card, {"enrollment_status": "LOST"}, "securedcard_accounts_iff_enrolled"),
    (category, {"category_type": "GIFT"}, "category_type_known"),
    (merchant, {"mcc": "541"}, "merchant_mcc_has_four_digits"),
    (location, {"latitude": "90.1"}, "location_coordinates_on_earth"),
    (location, {"latitude": None}, "location_coordinates_on_earth"),
    (location, {"longitude": None}, "location_coordinates_on_earth"),
    (location, {"longitude": "-180.1"}, "location_coordinates_on_earth"),
    (make.make_transaction, {"amount_cents": 0}, "transaction_amount_not_zero"),
    (make.make_transaction, {"transaction_type": "GIFT"}, "transaction_type_known"),
    (make.make_transaction, {"posting": None}, "transaction_posted_iff_in_the_ledger"),
    (make.make_transaction, {"settled_at": None}, "transaction_posted_iff_in_the_ledger"),
    (make.make_transaction, {"status": "PENDING"}, "transaction_posted_iff_in_the_ledger"),
    (make.make_transaction, {"status": "LOST"}, "transaction_posted_iff_in_the_ledger"),
    (imported, {"settled_at": NOON}, "transaction_posted_iff_in_the_ledger"),
    (
        make.make_transaction,
        {"original_amount_cents": 1},
        "transaction_original_amount_has_currency",
    ),
    (
        make.make_transaction,
        {"original_currency": "EUR"},
        "transaction_original_amount_has_currency",
    ),
    (
        make.make_transaction,
        {"original_amount_cents": 1, "original_currency": "eur"},
        "transaction_original_amount_has_currency",
    ),
    (total, {"count": -1}, "transactiontotal_not_negative"),
    (total, {"out_cents": -1}, "transactiontotal_not_negative"),
    (total, {"granularity": "YEAR"}, "transactiontotal_granularity_known"),
    (merchant_total, {"count": -1}, "merchanttotal_not_negative"),
    (merchant_total, {"merchant_key": 7, "raw_name": "Mill"}, "merchanttotal_one_name"),
    (make.make_bill, {"status": "LOST"}, "bill_status_known"),
    (make.make_bill, {"amount_cents": 0}, "bill_amount_positive"),
    (make.make_bill, {"due_date": YESTERDAY}, "bill_due_after_invoice"),
    (make.make_bill, {"frequency": "DAILY"}, "bill_dates_need_a_frequency"),
    (make.make_bill, {"next_payment_date": TODAY}, "bill_dates_need_a_frequency"),
    (make.make_bill, {"recurrence_end_date": TODAY}, "bill_dates_need_a_frequency"),
    (make.make_bill_payment, {"amount_cents": 0}, "billpayment_amount_positive"),
    (make.make_bill_payment, {"method": "PIGEON"}, "billpayment_method_known"),
    (make.make_bill_payment, {"status": "LOST"}, "billpayment_status_known"),
    (make.make_bill_payment, {"status": "SETTLED"}, "billpayment_settled_date_iff_settled"),
    (make.make_bill_payment, {"settled_date": TODAY}, "billpayment_settled_date_iff_settled"),
    (make.make_bill_payment, {"status": "FAILED"}, "billpayment_reason_iff_failed"),
    (make.make_bill_payment, {"failure_reason": "Late"}, "billpayment_reason_iff_failed"),
    (payment_rule, {"method": "PIGEON"}, "paymentrule_method_known"),
    (payment_rule, {"per_payment_limit_cents": 0}, "paymentrule_limits_positive"),
    (payment_rule, {"daily_limit_cents": 1}, "paymentrule_limits_positive"),
    (payment_rule, {"cutoff_hour": 24}, "paymentrule_limits_positive"),
    (make.make_invoice, {"status": "OVERDUE"}, "invoice_status_known"),
    (make.make_invoice, {"total_cents": 999}, "invoice_sums_add_up"),
    (
        make.make_invoice,
        {"sales_tax_cents": -1, "total_cents": 999},
        "invoice_sums_not_negative",
    ),
    (
        make.make_invoice,
        {"discount_cents": 1_001, "sales_tax_cents": 1, "total_cents": 0},
        "invoice_sums_not_negative",
    ),
    (make.make_invoice, {"paid_cents": -1}, "invoice_sums_not_negative"),
    (make.make_invoice, {"sales_tax_percent": -1}, "invoice_sums_not_negative"),
    (make.make_invoice, {"status": "PAID"}, "invoice_paid_iff_paid_in_full"),
    (make.make_invoice, {"paid_date": TODAY}, "invoice_paid_iff_paid_in_full"),
    (make.make_invoice, {"paid_cents": 1_000}, "invoice_paid_iff_paid_in_full"),
    (
        make.make_invoice,
        {"status": "PAID", "paid_date": TODAY, "paid_cents": 999},
        "invoice_paid_iff_paid_in_full",
    ),
    (make.make_invoice, {"due_date": YESTERDAY}, "invoice_due_after_issue"),
    (invoice_line, {"quantity": 0}, "invoiceline_quantity_positive"),
    (invoice_line, {"unit_price_cents": -1}, "invoiceline_prices_not_negative"),
    (invoice_line, {"amount_cents": -1}, "invoiceline_prices_not_negative"),
    (invoice_discount, {"discount_type": "GIFT"}, "invoicediscount_type_known"),
    (invoice_discount, {"value": 0}, "invoicediscount_positive"),
    (invoice_discount, {"amount_cents": -1}, "invoicediscount_positive"),
    (make.make_service_item, {"unit_price_cents": -1}, "serviceitem_price_not_negative"),
    (make.make_subscription, {"status": "LOST"}, "subscription_status_known"),
    (make.make_subscription, {"renewal_date": None}, "subscription_renews_unless_canceled"),
    (make.make_subscription, {"status": "CANCELED"}, "subscription_renews_unless_canceled"),
    (statement, {"month": 13}, "statement_month_1_to_12"),
    (statement, {"month": 0}, "statement_month_1_to_12"),
    (statement, {"closing_cents": 1}, "statement_balances_add_up"),
    (statement, {"in_cents": -1, "closing_cents": -1}, "statement_sums_not_negative"),
    (statement, {"out_cents": -1, "closing_cents": 1}, "statement_sums_not_negative"),
    (tax_bucket, {"auto_set_aside_percent": 101}, "taxbucket_percents_0_to_100"),
    (tax_bucket, {"estimated_tax_rate_percent": -1}, "taxbucket_percents_0_to_100"),
    (tax_statement, {"quarter": 0}, "taxstatement_quarter_1_to_5"),
    (tax_statement, {"quarter": 6}, "taxstatement_quarter_1_to_5"),
    (make.make_feed_batch, {"source": "PIGEON"}, "feedbatch_source_known"),
    (feed_change, {"result": FeedResult.STALE}, "feedchange_result_is_a_change"),
    (feed_record, {"version": -1}, "feedrecord_version_not_negative"),
    (feed_record, {"row_id": None}, "feedrecord_has_a_row_unless_removed"),
    (feed_record, {"is_removed": True}, "feedrecord_has_a_row_unless_removed"),
]
FREE_NUMBERS = (complete_account_number(f"9{number:010d}") for number in itertools.count(1))
TWINS = [
    (make.make_job, {}, "job_one_open"),
    (make.make_business_owner, {"email": "twin@example.com"}, "businessowner_one_primary"),
    (make.make_business_owner, {"role": "UBO"}, "businessowner_email_unique"),
    (make.make_address, {}, "businessaddress_one_of_a_kind"),
    (
        make.make_duns_registration,
        {"business": make.make_business},
        "dunsregistration_number_unique",
    ),
    (make.make_access, {}, "clientaccess_pair_unique"),
    (make.make_accountant_invitation, {}, "accountantinvitation_one_pending"),
    (firm_invitation, {}, "accountantinvitation_one_of_firm"),
    (firm, {}, "firm_core_id_unique"),
    (make.make_referral, {"invite_code": "another"}, "referral_email_unique"),
    (primary_account, {"account_number": FREE_NUMBERS.__next__}, "account_one_primary"),
    (tax_bucket_account, {"account_number": FREE_NUMBERS.__next__}, "account_one_open_of_a_type"),
    (make.make_supplier, {}, "supplier_name_unique"),
    (make.make_payee, {}, "payee_method_unique"),
    (merchant, {}, "merchant_unique"),
    (make.make_transaction, {}, "transaction_one_per_posting_and_account"),
    (imported, {}, "transaction_source_unique"),
    (total, {}, "transactiontotal_unique"),
    (merchant_total, {}, "merchanttotal_unique"),
    (receipt_line, {}, "receiptline_position_unique"),
    (make.make_bill, {}, "bill_number_unique"),
    (make.make_invoice, {}, "invoice_number_unique"),
    (invoice_line, {}, "invoiceline_position_unique"),
    (make.make_service_item, {}, "serviceitem_name_unique"),
    (plan_benefit, {}, "planbenefit_code_unique"),
    (statement, {}, "statement_month_unique"),
    (tax_statement, {}, "taxstatement_period_unique"),
    (make.make_terms, {}, "termsofservice_version_unique"),
    (acceptance, {}, "termsacceptance_once"),
    (feed_record, {"row_id": 2}, "feedrecord_unique"),
    (feed_record, {"external_id": "C-2"}, "feedrecord_one_per_row"),
    (feed_chunk, {}, "feedchunk_unique"),
    (make.make_feed_inbox_line, {"pk": uuid7}, "feedinboxline_unique"),
]
TOLD_APART = {  # each has a test of its own below
    "account_number_has_twelve_digits",
    "entry_amount_not_zero",
    "entry_one_per_account",
    "plan_one_default",
    "posting_does_not_reverse_itself",
    "posting_idempotency_key_unique",
    "staffevent_type_known",
}


def constraints(kind):
    return [
        (model, constraint)
        for model in MODELS
        for constraint in model._meta.constraints
        if isinstance(constraint, kind)
    ]


def complaint(name):
    """Return what the database says: SQLite names the columns of a unique constraint instead."""
    if connection.vendor == "postgresql":
        return name
    [(model, constraint)] = [
        found for found in constraints(UniqueConstraint) if found[1].name == name
    ]
    fields = [model._meta.get_field(field) for field in constraint.fields]
    return re.escape(", ".join(f"{model._meta.db_table}.{field.column}" for field in fields))


def twin_of(row, **values):
    """Return an unsaved copy of a row with an id of its own."""
    twin = copy.copy(row)
    twin.pk = None
    if isinstance(twin, ExternalIdModel):
        twin.external_id = uuid7()
    for name, value in values.items():
        setattr(twin, name, value() if callable(value) else value)
    return twin


def test_a_staff_event_of_an_unknown_type_is_refused(db):
    event = StaffEvent(number=1, type="LOST", occurred_at=NOON, digest="0" * 64)

    with pytest.raises(IntegrityError, match="staffevent_type_known"), transaction.atomic():
        event.save()


def test_a_second_default_plan_is_refused(db):
    Plan.objects.create(code="START", name="Start", price_cents=0, is_default=True)
    second = Plan(code="GROW", name="Grow", price_cents=1200, is_default=True)

    with pytest.raises(IntegrityError, match=complaint("plan_one_default")), transaction.atomic():
        Plan.objects.bulk_create([second])


def test_each_check_has_a_case():
    known = {name for _, _, name in CHECKS} | TOLD_APART

    assert {constraint.name for _, constraint in constraints(CheckConstraint)} <= known


def test_each_unique_constraint_has_a_case():
    known = {name for _, _, name in TWINS} | TOLD_APART

    assert {constraint.name for _, constraint in constraints(UniqueConstraint)} <= known


def encrypted(row, values):
    """Return the values as an update of this row takes them."""
    for name in {*values} & {*encrypted_names(type(row))}:
        setattr(row, name, values[name])
        values = values | {name: row._meta.get_field(name).encrypt_for(row)}
    return values


@pytest.mark.parametrize(("maker", "values", "constraint"), CHECKS)
def test_what_cannot_be_is_refused(db, maker, values, constraint):
    row = maker()

    with pytest.raises(IntegrityError, match=rf"\b{constraint}\b"), transaction.atomic():
        type(row).objects.filter(pk=row.pk).update(**encrypted(row, values))


@pytest.mark.parametrize(("maker", "values", "constraint"), TWINS)
def test_what_may_be_once_is_refused_twice(db, maker, values, constraint):
    twin = twin_of(maker(), **values)

    with pytest.raises(IntegrityError, match=complaint(constraint)), transaction.atomic():
        twin.save(force_insert=True)


@pytest.mark.parametrize(
    ("maker", "values"),
    [
        (primary_account, {"is_primary": False}),
        (
            tax_bucket_account,
            {"status": AccountStatus.CLOSED, "closed_at": NOON},
        ),
        (saving_bucket, {}),
        (bank_account, {}),
    ],
)
def test_what_may_be_twice_is_taken(db, maker, values):
    twin = twin_of(maker(), account_number=next(FREE_NUMBERS), **values)

    twin.save(force_insert=True)

    assert Account.objects.filter(pk=twin.pk).exists()


def test_many_may_wait_for_a_duns_number(db):
    for _ in range(2):
        make.make_duns_registration(number="", status=DunsStatus.PENDING, registered_date=None)


def test_an_invitation_is_not_of_a_business_and_a_firm(db):
    row = make.make_accountant_invitation()

    with pytest.raises(IntegrityError, match="of_business_or_firm"), transaction.atomic():
        type(row).objects.filter(pk=row.pk).update(firm=firm())


def test_two_businesses_may_report_one_duns_number(db):
    for _ in range(2):
        make.make_duns_registration(
            number="123456789",
            status=DunsStatus.REPORTED,
            registered_name="",
            registered_date=None,
        )


def test_a_last_quarter_five_is_the_whole_year(db):
    row = tax_statement()

    assert TaxStatement.objects.filter(pk=row.pk).update(quarter=5) == 1


def test_an_account_number_of_another_length_is_refused(db):
    """PostgreSQL stumbles over the missing digit when it computes the check digit."""
    row = make.make_account()
    messages = {"sqlite": "account_number_has_twelve_digits", "postgresql": "invalid input syntax"}

    with pytest.raises((IntegrityError, DataError), match=messages[connection.vendor]):
        Account.objects.filter(pk=row.pk).update(account_number="0" * 11)


def enter(posting, account, amount_cents):
    return Entry.objects.create(
        posting=posting, account=account, amount_cents=amount_cents, posted_at=NOON
    )


def test_an_entry_of_nothing_is_refused(db):
    with pytest.raises(IntegrityError, match="entry_amount_not_zero"):
        enter(Posting(posted_at=NOON), make.make_account(), 0)


def test_a_posting_enters_an_account_once(db):
    posting, account = Posting(posted_at=NOON), make.make_account()
    enter(posting, account, 1)

    with pytest.raises(IntegrityError, match=complaint("entry_one_per_account")):
        enter(posting, account, -1)


def test_a_posting_does_not_reverse_itself(db):
    posting = Posting(posted_at=NOON)
    posting.reverses_id = posting.pk
    enter(posting, make.make_account(), 1)
    enter(posting, bank_account(), -1)

    with pytest.raises(IntegrityError, match="posting_does_not_reverse_itself"):
        posting.save(force_insert=True)


SECRET_OF_A_CARD = re.compile(
    r"cvv|cvc|cvn|csc|security_code|expir(y|ation)|exp_|valid_(thru|until)|(^|_)pan(_|$)"
    r"|card_number|full_number|track|magnetic|pin(_|$)"
)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_no_table_has_a_column_for_the_secrets_of_a_card(model):
    names = [field.name for field in model._meta.get_fields()]

    assert [name for name in names if SECRET_OF_A_CARD.search(name)] == []


@pytest.mark.parametrize("model", [Card, SecuredCard])
def test_no_column_of_a_card_has_room_for_a_full_number(model):
    roomy = [
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, (models.CharField, models.TextField, models.BinaryField))
        and not field.choices
        and (field.max_length is None or field.max_length > 4)
    ]
    numbers = [
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, models.IntegerField) and not field.primary_key
    ]

    assert set(roomy) <= {"cardholder_name"}
    assert all(name.endswith("_cents") for name in numbers)


def test_the_dates_of_a_card_are_not_its_expiry():
    dates = [
        field.name for field in Card._meta.concrete_fields if isinstance(field, models.DateField)
    ]

    assert dates == ["shipping_date", "created_at"]


def test_two_postings_never_have_one_key(db):
    def save(key):
        posting = Posting(posted_at=NOON, idempotency_key=key)
        enter(posting, make.make_account(), 1)
        enter(posting, bank_account(), -1)
        posting.save(force_insert=True)

    for key in ["", "", "payroll-7"]:
        save(key)

    with pytest.raises(IntegrityError, match=complaint("posting_idempotency_key_unique")):
        save("payroll-7")

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from banking.choices import AccountType
from banking.models import Account, TaxBucket, TaxStatement
from banking.queries import taxes
from banking.services import ledger
from banking.tax.tables import NoTaxTables
from tests.factories import NOON, draft_transaction


@pytest.fixture
def account(make_account, make_business):
    """The checking account of a business in Texas, which taxes no income."""
    return make_account(make_business(incorporation_state="TX"))


@pytest.fixture
def bucket(account, make_account):
    bucket = make_account(account.business, account_type=AccountType.TAX_BUCKET)
    return TaxBucket.objects.create(account=bucket, auto_set_aside_percent=25)


def test_the_income_of_the_year_so_far_is_the_default(account, make_transaction):
    make_transaction(account, 9_000_000, at=datetime(2026, 1, 5, tzinfo=UTC))
    make_transaction(account, 5_000_000, at=datetime(2025, 12, 31, tzinfo=UTC))
    make_transaction(account, -1_000_000, category_id="RENT")

    found = taxes.estimate_for(account.business, at=NOON)

    estimate = found.estimate
    assert (estimate.income_cents, estimate.deductibles_cents) == (9_000_000, 1_000_000)
    # 80,000.00 x 0.9235 = 73,880.00; x 0.153 = 11,303.64 (Schedule SE, below the wage base)
    assert estimate.self_employment_tax_cents == 1_130_364
    assert estimate.state_tax_cents == 0
    assert estimate.estimated_rate_for_next_deductible > Decimal("0.2")
    assert (found.savings_cents, found.is_default_income) == (0, True)


def test_another_income_can_be_asked_about(account, make_transaction, bucket):
    make_transaction(account, 1_000_000)
    ledger.transfer(
        source=account,
        target=bucket.account,
        amount_cents=250_000,
        at=NOON,
        description="Set aside",
    )

    found = taxes.estimate_for(account.business, at=NOON, income_cents=8_000_000)

    assert found.estimate.income_cents == 8_000_000
    assert (found.savings_cents, found.is_default_income) == (250_000, False)


def test_the_savings_are_those_of_the_open_bucket(account, bucket, make_account):
    Account.objects.filter(pk=bucket.account_id).update(status="CLOSED", closed_at=NOON)
    opened_again = make_account(account.business, account_type=AccountType.TAX_BUCKET)
    TaxBucket.objects.create(account=opened_again)
    ledger.post(draft_transaction(opened_again, 5_000), at=NOON)

    assert taxes.get_tax_savings_cents(account.business) == 5_000


def test_the_first_day_of_a_year_without_tables_has_an_estimate(account, make_transaction):
    new_year = datetime(2027, 1, 1, tzinfo=UTC)
    make_transaction(account, 9_000_000, at=new_year)

    found = taxes.estimate_for(account.business, at=new_year)

    assert (found.estimate.year, found.estimate.tables_year) == (2027, 2026)
    assert found.estimate.total_cents > 0
    assert found.as_of == date(2027, 1, 1)


@pytest.mark.parametrize(
    ("business_type", "filing_status", "words"),
    [
        ("LLC", "JOINT", "The owner files as: Married, filing jointly."),
        ("S_CORP", "SINGLE", "The owner draws no salary from the S corporation."),
        ("C_CORP", None, "The corporation pays the federal income tax"),
    ],
)
def test_an_estimate_names_its_assumptions(make_business, business_type, filing_status, words):
    business = make_business(
        business_type=business_type,
        incorporation_state="TX",
        filing_status=filing_status or "SINGLE",
    )

    found = taxes.estimate_for(business, at=NOON)

    assert found.filing_status == filing_status
    assert found.assumptions[0].startswith("Income and deductibles are those of 2026-01-01 to")
    assert any(text.startswith(words) for text in found.assumptions)


def test_a_filing_status_that_is_not_known_is_assumed_and_says_so(make_business):
    business = make_business(incorporation_state="", tax_state="TX", filing_status="")

    found = taxes.estimate_for(business, at=NOON)

    assert found.filing_status == "SINGLE"
    assert found.assumptions[1:3] == (
        "How the owner files is not known.",
        "The owner files as: Single.",
    )


def test_an_estimate_on_another_income_says_that_its_deductibles_are_those_so_far(account):
    found = taxes.estimate_for(account.business, at=NOON, income_cents=8_000_000)

    assert found.assumptions[0] == (
        "The income is the one asked about; the deductibles are those of 2026-01-01 to 2026-03-02."
    )


def test_a_year_before_all_tables_is_refused(account):
    with pytest.raises(NoTaxTables):
        taxes.estimate_for(account.business, at=datetime(2024, 5, 1, tzinfo=UTC))


def test_the_bucket_is_that_of_the_business(bucket, make_business, django_assert_num_queries):
    with django_assert_num_queries(1):
        found = taxes.get_tax_bucket(bucket.account.business)
        assert found.account.current_cents == 0

    assert found == bucket
    with pytest.raises(TaxBucket.DoesNotExist):
        taxes.get_tax_bucket(make_business())


def test_tax_statements_are_those_of_the_business_by_period(account, make_business):
    for year, quarter in [(2025, 4), (2025, 5), (2026, 1)]:
        TaxStatement.objects.create(
            business=account.business,
            tax_year=year,
            quarter=quarter,
            created_at=NOON,
            file_name="t.pdf",
            content_type="application/pdf",
            size_bytes=1,
            sha256="0" * 64,
            file="00/0",
        )

    listed = taxes.list_tax_statements(account.business)

    assert [(row.tax_year, row.quarter) for row in listed] == [(2026, 1), (2025, 5), (2025, 4)]
    assert taxes.list_tax_statements(account.business, year=2025).count() == 2
    assert taxes.get_tax_statement(account.business, listed[0].external_id) == listed[0]
    with pytest.raises(TaxStatement.DoesNotExist):
        taxes.get_tax_statement(make_business(), listed[0].external_id)


def test_an_id_that_is_none_is_not_found(make_business):
    with pytest.raises(TaxStatement.DoesNotExist):
        taxes.get_tax_statement(make_business(), "nothing")

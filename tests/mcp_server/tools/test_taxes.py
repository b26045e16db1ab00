"""Taxes, as an assistant sees them."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from banking.choices import AccountStatus, AccountType
from banking.models import Account, TaxBucket
from banking.services import ledger
from tests.factories import NOON, later

ESTIMATE = "svc_estimate_taxes"
BUCKET = "svc_get_tax_bucket"
LIST = "svc_search_tax_bucket_transactions"
OURS = 2  # statements of every call: who asks, and the log
NO_BUCKET = ("NOT_FOUND", "The business has no tax bucket.")


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Answer on a day of a year that there are tax tables of."""
    monkeypatch.setattr(timezone, "now", lambda: later(days=60))


@pytest.fixture
def account(business, make_account):
    """The checking account of the business, in Texas, which taxes no income."""
    business.incorporation_state = "TX"
    business.save()
    return make_account(business)


@pytest.fixture
def bucket(business, make_account):
    account = make_account(business, account_type=AccountType.TAX_BUCKET)
    return TaxBucket.objects.create(
        account=account,
        is_auto_save_enabled=True,
        auto_set_aside_percent="12.50",
        estimated_tax_rate_percent=25,
    )


def set_aside(account, bucket, cents, *, at=NOON):
    """Move money into the bucket and return the bucket's transaction."""
    posting = ledger.transfer(
        source=account,
        target=bucket.account,
        amount_cents=cents,
        at=at,
        description="Set aside for taxes",
    )
    return posting.transactions.get(account=bucket.account)


def amount(cents):
    return {"amountCents": cents, "amountUsd": f"{cents / 100:.2f}"}


def ids(page):
    return [row["transactionId"] for row in page["transactions"]]


def rests_on(estimate):
    """Return what an estimate of the year so far says of itself."""
    assert estimate["sources"][0].startswith("IRS Rev. Proc. 2025-32")
    return {
        "taxYear": 2026,
        "taxTablesYear": 2026,
        "asOf": "2026-05-01",
        "filingStatus": "SINGLE",
        "assumptions": [
            "Income and deductibles are those of 2026-01-01 to 2026-05-01; the rest of the year "
            "is left out.",
            "The owner files as: Single.",
            "One owner has the whole profit, no other income and no dependents, and does not "
            "itemize.",
            "Local taxes, credits and payments already made are left out.",
        ],
        "notes": ["TX: The franchise (margin) tax is left out."],
        "sources": estimate["sources"],
    }


def test_taxes_are_estimated_on_the_year_so_far(
    assistant, account, bucket, make_transaction, django_assert_num_queries
):
    make_transaction(account, 9_000_000, at=datetime(2026, 1, 5, tzinfo=UTC))
    make_transaction(account, -1_000_000, category_id="RENT")
    set_aside(account, bucket, 250_000)

    with django_assert_num_queries(OURS + 2):  # its profit, its savings
        estimate = assistant.call(ESTIMATE)

    # 80,000.00 x 0.9235 = 73,880.00; x 0.153 = 11,303.64 (Schedule SE, below the wage base)
    federal = estimate["breakdown"]["federalIncomeTax"]["amountCents"]
    assert estimate == {
        "estimatedTaxOwedCents": federal + 1_130_364,
        "estimatedTaxOwedUsd": f"{(federal + 1_130_364) / 100:.2f}",
        "taxSavingsCents": 250_000,
        "taxSavingsUsd": "2500.00",
        "incomeCents": 9_000_000,
        "incomeUsd": "90000.00",
        "deductiblesCents": 1_000_000,
        "deductiblesUsd": "10000.00",
        "isDefaultIncome": True,
        "estimatedRateForNextDeductible": estimate["estimatedRateForNextDeductible"],
        "breakdown": {
            "federalIncomeTax": amount(federal),
            "selfEmploymentTax": amount(1_130_364),
            "stateTax": amount(0),
        },
        **rests_on(estimate),
    }
    assert federal > 0
    assert 0.2 < float(estimate["estimatedRateForNextDeductible"]) < 0.4


@pytest.mark.parametrize(
    ("income_usd", "cents"), [(80_000, 8_000_000), (0.1, 10), (1234.567, 123_457), (0, 0)]
)
def test_another_income_can_be_asked_about(assistant, account, income_usd, cents):
    estimate = assistant.call(ESTIMATE, incomeUsd=income_usd)

    assert (estimate["incomeCents"], estimate["isDefaultIncome"]) == (cents, False)


@pytest.mark.parametrize(
    ("asked", "doubts"),
    [
        ({}, []),
        ({"incomeUsd": 90_000, "deductiblesUsd": 10_000}, []),
        (
            {"incomeUsd": 89_999.99},
            ["Doubtful: the income asked about is less than the 90000.00 earned this year."],
        ),
        (
            {"incomeUsd": 120_000, "deductiblesUsd": 120_000.01},
            ["Doubtful: deductibles of 120000.01 exceed the income asked about."],
        ),
        (
            {"incomeUsd": 9_999},
            [
                "Doubtful: the income asked about is less than the 90000.00 earned this year.",
                "Doubtful: deductibles of 10000.00 exceed the income asked about.",
            ],
        ),
        (
            {"deductiblesUsd": 9_999.99},
            ["Doubtful: the deductibles asked about are less than the 10000.00 of this year."],
        ),
    ],
)
def test_figures_that_contradict_each_other_are_doubted(
    assistant, account, make_transaction, asked, doubts
):
    make_transaction(account, 9_000_000, at=datetime(2026, 1, 5, tzinfo=UTC))
    make_transaction(account, -1_000_000, category_id="RENT")

    estimate = assistant.call(ESTIMATE, **asked)

    assert [one for one in estimate["assumptions"] if one.startswith("Doubtful")] == doubts


def test_a_business_that_earned_nothing_owes_nothing(assistant, account):
    nothing = amount(0)

    estimate = assistant.call(ESTIMATE)

    assert estimate == {
        "estimatedTaxOwedCents": 0,
        "estimatedTaxOwedUsd": "0.00",
        "taxSavingsCents": 0,
        "taxSavingsUsd": "0.00",
        "incomeCents": 0,
        "incomeUsd": "0.00",
        "deductiblesCents": 0,
        "deductiblesUsd": "0.00",
        "isDefaultIncome": True,
        "estimatedRateForNextDeductible": "0.0000",
        "breakdown": {
            "federalIncomeTax": nothing,
            "selfEmploymentTax": nothing,
            "stateTax": nothing,
        },
        **rests_on(estimate),
    }


def test_an_income_is_not_negative(assistant):
    message = "incomeUsd: must be a number from 0 to 1000000000000"

    assert assistant.refusal(ESTIMATE, incomeUsd=-1) == ("INVALID_PARAMETER", message)


def test_the_first_of_january_is_estimated_by_the_last_tables(make_assistant, owner, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2027, 1, 1, tzinfo=UTC))

    estimate = make_assistant(owner).call(ESTIMATE, incomeUsd=80_000)

    assert (estimate["taxYear"], estimate["taxTablesYear"]) == (2027, 2026)
    assert estimate["asOf"] == "2027-01-01"
    assert estimate["estimatedTaxOwedCents"] > 0
    assert estimate["notes"][0] == "There are no tax tables of 2027 yet; those of 2026 are used."


def test_a_year_before_all_tables_has_no_estimate(make_assistant, owner, monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2024, 5, 1, tzinfo=UTC))

    code, message = make_assistant(owner).refusal(ESTIMATE)

    assert code == "NOT_FOUND"
    assert message.startswith("Taxes cannot be estimated: there are no tax tables of 2024")


def test_a_state_without_tables_has_no_estimate(assistant, business):
    business.incorporation_state = "PR"
    business.save()

    message = "Taxes cannot be estimated: there are no tax figures of 'PR' for 2026"
    assert assistant.refusal(ESTIMATE) == ("NOT_FOUND", message)


def test_the_bucket_tells_its_balance_and_how_it_is_filled(
    assistant, account, bucket, make_transaction, django_assert_num_queries
):
    make_transaction(account, 1_000_000)
    set_aside(account, bucket, 250_050)

    with django_assert_num_queries(OURS + 1):
        answer = assistant.call(BUCKET)

    assert answer == {
        "balanceCents": 250_050,
        "balanceUsd": "2500.50",
        "isActive": True,
        "isAutoSaveEnabled": True,
        "autoSetAsidePct": 12.5,
        "estimatedTaxRatePct": 25,
        "accountId": str(bucket.account.external_id),
    }


@pytest.mark.parametrize("tool", [BUCKET, LIST])
def test_a_business_without_a_bucket_is_told_so(assistant, account, tool):
    assert assistant.refusal(tool) == NO_BUCKET


@pytest.mark.parametrize("tool", [BUCKET, LIST])
def test_a_closed_bucket_is_none(assistant, bucket, tool):
    closed = {"status": AccountStatus.CLOSED, "closed_at": NOON}
    Account.objects.filter(pk=bucket.account_id).update(**closed)

    assert assistant.refusal(tool) == NO_BUCKET


def test_transfers_are_told_the_newest_first(
    assistant, account, bucket, make_transaction, django_assert_num_queries
):
    make_transaction(account, 1_000_000)
    came = set_aside(account, bucket, 250_050)
    left = make_transaction(bucket.account, -50_000, at=later(days=1), description="", pending=True)

    with django_assert_num_queries(OURS + 3):  # the bucket, how many, the page
        page = assistant.call(LIST)

    assert page == {
        "page": 1,
        "totalCount": 2,
        "transactions": [
            {
                "transactionId": str(left.external_id),
                "amountCents": -50_000,
                "amountUsd": "-500.00",
                "direction": "DEBIT",
                "date": "2026-03-03",
                "description": None,
                "status": "PENDING",
            },
            {
                "transactionId": str(came.external_id),
                "amountCents": 250_050,
                "amountUsd": "2500.50",
                "direction": "CREDIT",
                "date": "2026-03-02",
                "description": "Set aside for taxes",
                "status": "POSTED",
            },
        ],
    }


def test_a_bucket_without_transfers_has_an_empty_page(assistant, bucket):
    assert assistant.call(LIST) == {"page": 1, "totalCount": 0, "transactions": []}


def test_transfers_are_paged_from_1_and_narrowed_by_dates(assistant, bucket, make_transaction):
    rows = [make_transaction(bucket.account, at=later(days=-number)) for number in range(12)]
    names = [str(row.external_id) for row in rows]

    assert ids(assistant.call(LIST)) == names[:10]
    assert ids(assistant.call(LIST, page=2)) == names[10:]
    assert ids(assistant.call(LIST, recordCnt=100)) == names
    assert ids(assistant.call(LIST, startDate="2026-03-01")) == names[:2]
    assert ids(assistant.call(LIST, endDate="2026-02-20")) == names[10:]
    assert ids(assistant.call(LIST, startDate="2026-02-28", endDate="2026-02-28")) == [names[2]]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"recordCnt": 0}, "recordCnt: must be a whole number from 1 to 100"),
        ({"recordCnt": 101}, "recordCnt: must be a whole number from 1 to 100"),
        ({"page": 0}, "page: must be a whole number from 1 to 1000000"),
        (
            {"startDate": "2026-03-02", "endDate": "2026-03-01"},
            "endDate: must not be before startDate, 2026-03-02",
        ),
    ],
)
def test_a_search_refuses_what_it_does_not_know(assistant, bucket, wanted, message):
    assert assistant.refusal(LIST, **wanted) == ("INVALID_PARAMETER", message)


def test_an_accountant_reads_a_clients_taxes(accountants_assistant, business, account, bucket):
    client = {"businessUserId": str(business.external_id)}

    assert accountants_assistant.call(ESTIMATE, **client)["isDefaultIncome"] is True
    assert accountants_assistant.call(BUCKET, **client)["balanceCents"] == 0
    assert accountants_assistant.call(LIST, **client)["totalCount"] == 0


def test_money_of_other_accounts_is_not_the_buckets(assistant, account, bucket, make_transaction):
    make_transaction(account, 1_000_000)

    assert assistant.call(LIST)["totalCount"] == 0

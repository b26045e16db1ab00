"""Statements and documents, as an assistant sees them."""

import base64
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from banking import tasks
from banking.choices import AccessLevel, AccountType, LetterVariant
from banking.models import Job, TaxStatement
from banking.models.stored_files import store
from banking.services import expense_reports, jobs
from foundation.files import PDF, Download
from mcp_server.tools import statements as tools
from tests import factories
from tests.factories import NOON, make_access
from tests.mcp_server.downloads import LINK, without_link

LIST = "svc_list_statements"
DOWNLOAD = "svc_download_statement"
TAX_LIST = "svc_list_tax_statements"
TAX_DOWNLOAD = "svc_download_tax_statement"
REPORT = "svc_download_expense_report"
LETTER = "svc_download_bank_account_letter"
OURS = 2  # statements of every call: who asks, and the log
NOBODY = "00000000-0000-4000-8000-000000000000"
PAPER = b"%PDF-1.7 of the bank"


@pytest.fixture
def account(business, make_account):
    return make_account(business, is_primary=True, account_number="200000000006")


@pytest.fixture(autouse=True)
def key_file(settings, tmp_path):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"


def make_statement(account, year, month):
    paper = Download(PDF, f"statement-{year}-{month:02d}.pdf", PAPER)
    return factories.make_statement(account, year, month, **store(paper))


def make_tax_statement(business, year, quarter):
    return TaxStatement.objects.create(
        business=business,
        tax_year=year,
        quarter=quarter,
        created_at=NOON,
        **store(Download(PDF, f"tax-statement-{year}-{quarter}.pdf", PAPER)),
    )


def opened(file):
    """Return name and content of a PDF; nothing but its link comes with it."""
    assert list(without_link(file)) == ["contentType", "base64", "fileName"]
    assert file["contentType"] == "application/pdf"
    return file["fileName"], base64.b64decode(file["base64"], validate=True)


def test_statements_are_listed_the_most_recent_first(
    assistant, account, business, make_account, django_assert_num_queries
):
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    old = make_statement(account, 2025, 12)
    new = make_statement(bucket, 2026, 1)

    with django_assert_num_queries(OURS + 1):
        listed = assistant.call(LIST)

    assert listed == {
        "statements": [
            {
                "statementId": str(new.external_id),
                "year": 2026,
                "month": 1,
                "accountType": "TAX_BUCKET",
                "createdDate": "2026-03-02",
            },
            {
                "statementId": str(old.external_id),
                "year": 2025,
                "month": 12,
                "accountType": "MAIN_ACCOUNT",
                "createdDate": "2026-03-02",
            },
        ],
        "totalCount": 2,
    }


@pytest.mark.parametrize(
    ("wanted", "months"),
    [
        ({"year": 2025}, [12, 11]),
        ({"accountType": "TAX_BUCKET"}, [1]),
        ({"year": 2025, "accountType": "MAIN_ACCOUNT"}, [12, 11]),
        ({"year": 2024}, []),
        ({"accountType": "LOC"}, []),
    ],
)
def test_statements_are_narrowed_by_year_and_account(
    assistant, account, business, make_account, wanted, months
):
    bucket = make_account(business, account_type=AccountType.TAX_BUCKET)
    for owner, year, month in [(account, 2025, 11), (account, 2025, 12), (bucket, 2026, 1)]:
        make_statement(owner, year, month)

    listed = assistant.call(LIST, **wanted)

    assert [row["month"] for row in listed["statements"]] == months
    assert listed["totalCount"] == len(months)


def test_a_new_business_has_no_statements(assistant):
    assert assistant.call(LIST) == {"statements": [], "totalCount": 0}
    assert assistant.call(TAX_LIST) == {"taxStatements": [], "totalCount": 0}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            {"accountType": "SECURED_CARD"},
            "accountType: must be one of MAIN_ACCOUNT, TAX_BUCKET, SAVING_BUCKET, "
            "EMERGENCY_BUCKET, LOC",
        ),
        ({"year": "2025"}, "year: must be a whole number from 1900 to 2999"),
        ({"year": 25}, "year: must be a whole number from 1900 to 2999"),
    ],
)
def test_a_list_refuses_what_it_does_not_know(assistant, wanted, message):
    assert assistant.refusal(LIST, **wanted) == ("INVALID_PARAMETER", message)


def test_a_statement_is_the_paper_that_was_kept(assistant, account, django_assert_num_queries):
    statement_id = str(make_statement(account, 2026, 1).external_id)

    with django_assert_num_queries(OURS + 1 + LINK):
        file = assistant.call(DOWNLOAD, statementId=statement_id)

    assert opened(file) == ("statement-2026-01.pdf", PAPER)


def test_the_statement_of_another_business_is_not_found(
    assistant, account, make_account, make_business
):
    strange = make_statement(make_account(), 2026, 1)
    strange_tax = make_tax_statement(make_business(), 2025, 4)

    for name in (strange.external_id, NOBODY, "none"):
        expected = (
            "NOT_FOUND",
            "There is no such statement. Take statementId from svc_list_statements.",
        )
        assert assistant.refusal(DOWNLOAD, statementId=str(name)) == expected
    for name in (strange_tax.external_id, NOBODY, "none"):
        expected = (
            "NOT_FOUND",
            "There is no such tax statement. Take statementId from svc_list_tax_statements.",
        )
        assert assistant.refusal(TAX_DOWNLOAD, statementId=str(name)) == expected


@pytest.mark.parametrize("tool", [DOWNLOAD, TAX_DOWNLOAD])
def test_a_download_needs_an_id(assistant, tool):
    message = (
        "statementId: is required: a text of at most 64 characters. statementId from svc_list_"
    )

    code, told = assistant.refusal(tool)

    assert code == "INVALID_PARAMETER"
    assert told.startswith(message)


def test_tax_statements_are_listed_the_latest_period_first(
    assistant, business, django_assert_num_queries
):
    rows = [make_tax_statement(business, *period) for period in [(2025, 4), (2025, 5), (2026, 1)]]

    with django_assert_num_queries(OURS + 1):
        listed = assistant.call(TAX_LIST)

    assert listed == {
        "taxStatements": [
            {
                "statementId": str(row.external_id),
                "taxYear": row.tax_year,
                "quarter": row.quarter,
                "createdDate": "2026-03-02",
            }
            for row in reversed(rows)
        ],
        "totalCount": 3,
    }
    assert assistant.call(TAX_LIST, year=2026)["totalCount"] == 1
    assert assistant.call(TAX_LIST, year=2024) == {"taxStatements": [], "totalCount": 0}


def test_a_tax_statement_is_the_paper_that_was_kept(assistant, business):
    row = make_tax_statement(business, 2025, 5)

    file = assistant.call(TAX_DOWNLOAD, statementId=str(row.external_id))

    assert opened(file) == ("tax-statement-2025-5.pdf", PAPER)


@pytest.mark.parametrize(
    ("period", "name"),
    [
        ("BEGINNING_OF_YEAR", "expenses-2026-01-01-2026-05-15.pdf"),
        ("LAST_YEAR", "expenses-2025-01-01-2025-12-31.pdf"),
        ("MONTHLY", "expenses-2026-05-01-2026-05-15.pdf"),
        ("QUARTERLY", "expenses-2026-04-01-2026-05-15.pdf"),
        ("ALL_TIME", "expenses-2026-03-02-2026-05-15.pdf"),
        ("CUSTOM", "expenses-2026-03-01-2026-03-31.pdf"),
    ],
)
def test_a_report_covers_its_period(
    make_assistant, owner, account, make_transaction, monkeypatch, period, name
):
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 5, 15, 22, tzinfo=UTC))
    make_transaction(account, -1_000, category_id="RENT")
    dates = {"startDate": "2026-03-01", "endDate": "2026-03-31"}  # count with CUSTOM only

    file_name, content = opened(make_assistant(owner).call(REPORT, periodType=period, **dates))

    assert file_name == name
    assert content.startswith(b"%PDF-")


def test_a_detailed_report_is_longer(assistant, account, make_transaction):
    for _ in range(5):
        make_transaction(account, -1_000, category_id="RENT")
    custom = {"periodType": "CUSTOM", "startDate": "2026-03-01", "endDate": "2026-03-31"}

    name, content = opened(assistant.call(REPORT, **custom))
    detailed_name, detailed = opened(assistant.call(REPORT, **custom, detailedReport=True))

    assert detailed_name == f"detailed-{name}"
    assert len(detailed) > len(content)


@pytest.mark.parametrize(
    "dates",
    [
        {"startDate": "1900-01-01", "endDate": "2999-12-31"},
        {"startDate": "2999-12-31", "endDate": "2999-12-31"},
    ],
)
def test_a_report_of_any_length_is_made(assistant, account, make_transaction, dates):
    make_transaction(account, -1_000, category_id="RENT")

    _, content = opened(assistant.call(REPORT, periodType="CUSTOM", **dates))

    assert content.startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            {},
            "periodType: is required: one of BEGINNING_OF_YEAR, LAST_YEAR, MONTHLY, QUARTERLY, "
            "ALL_TIME, CUSTOM. MONTHLY, QUARTERLY and BEGINNING_OF_YEAR: the current one until "
            "today; LAST_YEAR: the whole year before.",
        ),
        (
            {"periodType": "CUSTOM", "endDate": "2026-03-01"},
            "startDate: is required when periodType is CUSTOM, as YYYY-MM-DD",
        ),
        (
            {"periodType": "CUSTOM", "startDate": "2026-03-01"},
            "endDate: is required when periodType is CUSTOM, as YYYY-MM-DD",
        ),
        (
            {"periodType": "CUSTOM", "startDate": "2026-03-02", "endDate": "2026-03-01"},
            "endDate: must not be before startDate, 2026-03-02",
        ),
        (
            {"periodType": "ALL_TIME", "detailedReport": "yes"},
            "detailedReport: must be true or false",
        ),
    ],
)
def test_a_report_refuses_what_it_does_not_know(assistant, wanted, message):
    assert assistant.refusal(REPORT, **wanted) == ("INVALID_PARAMETER", message)


@pytest.mark.parametrize("variant", LetterVariant)
def test_each_letter_is_a_signed_pdf(assistant, account, variant):
    file_name, content = opened(assistant.call(LETTER, variant=variant))

    assert file_name.startswith(f"letter-{variant.lower().replace('_', '-')}-")
    assert content.startswith(b"%PDF-")
    assert b"/ByteRange" in content


def test_a_business_without_an_account_has_no_letter(assistant):
    refusal = assistant.refusal(LETTER, variant="GENERAL")

    assert refusal == ("NOT_FOUND", "There is no such account.")


def test_a_letter_is_one_of_four(assistant):
    message = "variant: must be one of GENERAL, ACH, WIRE_DOMESTIC, WIRE_INTERNATIONAL"

    assert assistant.refusal(LETTER, variant="SEPA") == ("INVALID_PARAMETER", message)


def test_an_accountant_with_statements_only_reads_them(
    accountant, make_assistant, business, account
):
    make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)
    row, client = make_statement(account, 2026, 1), {"businessUserId": str(business.external_id)}
    assistant = make_assistant(accountant.user)

    listed = assistant.call(LIST, **client)
    file = assistant.call(DOWNLOAD, statementId=str(row.external_id), **client)

    assert listed["statements"][0]["statementId"] == str(row.external_id)
    assert opened(file) == ("statement-2026-01.pdf", PAPER)


CUSTOM = {"periodType": "CUSTOM", "startDate": "2026-03-01", "endDate": "2026-03-31"}


@pytest.fixture
def impatience(monkeypatch):
    """Have no worker, and nobody who waits for one."""
    monkeypatch.setattr(jobs, "pause", lambda _seconds: None)
    monkeypatch.setattr(tools, "REPORT_TIMEOUT_SECONDS", 0.01)


def test_a_report_that_takes_long_is_had_by_asking_again(assistant, account, impatience):
    refused = assistant.call(REPORT, **CUSTOM)["error"]
    again = assistant.refusal(REPORT, **CUSTOM)
    tasks.dispatch()

    name, content = opened(assistant.call(REPORT, **CUSTOM))

    assert refused == {
        "code": "INTERNAL_ERROR",
        "message": "The report is still being written. Call again with the same arguments in "
        "15 seconds to get it.",
        "httpStatus": 500,
        "retryAfterSeconds": 15,
    }
    assert again == (refused["code"], refused["message"])
    assert (name, content[:5]) == ("expenses-2026-03-01-2026-03-31.pdf", b"%PDF-")
    assert Job.objects.count() == 1


def test_a_call_answers_before_clients_give_up(assistant, account, monkeypatch):
    waited = []
    monkeypatch.setattr(jobs, "pause", waited.append)
    monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: sum(waited)))

    refused = assistant.call(REPORT, **CUSTOM)["error"]

    assert refused["retryAfterSeconds"] == 15
    assert 20 < sum(waited) < 30


def test_a_report_that_was_had_is_made_anew(assistant, account):
    for _ in range(2):
        opened(assistant.call(REPORT, **CUSTOM))

    assert Job.objects.filter(collected_at__isnull=False).count() == 2


def test_others_wait_for_reports_of_their_own(
    assistant, accountants_assistant, business, account, impatience
):
    assistant.call(REPORT, **CUSTOM)
    assistant.call(REPORT, **CUSTOM, detailedReport=True)
    accountants_assistant.call(REPORT, **CUSTOM, businessUserId=str(business.external_id))

    assert Job.objects.open().filter(business=business).count() == 3


def test_a_report_that_cannot_be_made_is_told(assistant, account, monkeypatch):
    def fail(*_arguments, **_options):
        raise ValueError

    monkeypatch.setattr(expense_reports, "write_expense_report", fail)
    monkeypatch.setattr(jobs, "back_off", lambda _attempts: timedelta())

    assert assistant.refusal(REPORT, **CUSTOM) == (
        "INTERNAL_ERROR",
        "The report could not be made. Call again later, or ask for a shorter period.",
    )

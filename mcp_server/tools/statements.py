"""Tools for statements and other documents as PDF."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import AliasPath, Field

from banking.choices import AccountType, LetterVariant, ReportPeriod
from banking.models import Job
from banking.queries import expenses, statements, taxes
from banking.reach import Reach
from banking.services import expense_reports, jobs, letters
from foundation.files import Download
from mcp_server.caller import Caller
from mcp_server.errors import ErrorCode, ToolError, invalid
from mcp_server.limits import EVERY_LIMIT, OF_BUSINESS, OF_RECORDS, require_days
from mcp_server.registry import tool
from mcp_server.schema import (
    BusinessUserId,
    DateOf,
    EndDate,
    ExternalId,
    FileResult,
    Result,
    StartDate,
    Year,
)
from mcp_server.scopes import Scope
from mcp_server.validation import require_order

REPORT_TIMEOUT_SECONDS = 25.0  # clients time out after 60 seconds, some after 30
RETRY_AFTER_SECONDS = 15

StatementId = Annotated[ExternalId, Field(description="statementId from svc_list_statements.")]
TaxStatementId = Annotated[
    ExternalId, Field(description="statementId from svc_list_tax_statements.")
]
StatementAccountType = Literal[
    AccountType.MAIN_ACCOUNT,
    AccountType.TAX_BUCKET,
    AccountType.SAVING_BUCKET,
    AccountType.EMERGENCY_BUCKET,
    AccountType.LOC,
]


class Statement(Result):
    """The statement of one month of an account."""

    statement_id: UUID = Field(validation_alias="external_id")
    year: int
    month: int
    account_type: StatementAccountType = Field(
        validation_alias=AliasPath("account", "account_type")
    )
    created_date: DateOf = Field(validation_alias="created_at")


class StatementList(Result):
    """Statements, the most recent first."""

    statements: list[Statement]
    total_count: int


class TaxStatement(Result):
    """A tax statement of a quarter or a year."""

    statement_id: UUID = Field(validation_alias="external_id")
    tax_year: int
    quarter: int = Field(description="1 to 4; 5 is the full year.")
    created_date: DateOf = Field(validation_alias="created_at")


class TaxStatementList(Result):
    """Tax statements, the latest period first."""

    tax_statements: list[TaxStatement]
    total_count: int


@tool(Scope.STATEMENTS, title="List statements", within=EVERY_LIMIT)
def svc_list_statements(
    caller: Caller,
    year: Year | None = None,
    account_type: Annotated[
        StatementAccountType | None, Field(description="LOC is the line of credit; left out: all.")
    ] = None,
    business_user_id: BusinessUserId = None,
) -> StatementList:
    """List the monthly statements of the business's accounts, most recent first."""
    business = caller.business(business_user_id)
    found = list(
        statements.list_statements(business, caller.reach, year=year, account_type=account_type)
    )
    return StatementList(statements=found, total_count=len(found))


@tool(Scope.STATEMENTS, title="Download statement", within=OF_RECORDS)
def svc_download_statement(
    caller: Caller, statement_id: StatementId, business_user_id: BusinessUserId = None
) -> FileResult:
    """Download a monthly statement, from `svc_list_statements`, as a PDF."""
    business = caller.business(business_user_id)
    statement = statements.get_statement(business, statement_id, caller.reach)
    require_days(caller.reach, statement.first_day, statement.last_day)
    return FileResult.of(statement.read())


@tool(Scope.STATEMENTS, title="List tax statements", within=OF_BUSINESS)
def svc_list_tax_statements(
    caller: Caller, year: Year | None = None, business_user_id: BusinessUserId = None
) -> TaxStatementList:
    """List the tax statements of quarters and years, the latest period first.

    For the taxes owed so far this year, call `svc_estimate_taxes`.
    """
    made = taxes.list_tax_statements(caller.business(business_user_id), year=year)
    found = [one for one in made if caller.reach.covers(one.first_day, one.last_day)]
    return TaxStatementList(tax_statements=found, total_count=len(found))


@tool(Scope.STATEMENTS, title="Download tax statement", within=OF_BUSINESS)
def svc_download_tax_statement(
    caller: Caller, statement_id: TaxStatementId, business_user_id: BusinessUserId = None
) -> FileResult:
    """Download a tax statement, from `svc_list_tax_statements`, as a PDF."""
    business = caller.business(business_user_id)
    statement = taxes.get_tax_statement(business, statement_id)
    require_days(caller.reach, statement.first_day, statement.last_day)
    return FileResult.of(statement.read())


@tool(
    Scope.STATEMENTS,
    title="Download expense report",
    writes=True,  # a job
    within=OF_BUSINESS & OF_RECORDS,
)
def svc_download_expense_report(
    caller: Caller,
    period_type: Annotated[
        ReportPeriod,
        Field(
            description="MONTHLY, QUARTERLY and BEGINNING_OF_YEAR: the current one until today; "
            "LAST_YEAR: the whole year before."
        ),
    ],
    start_date: StartDate | None = None,
    end_date: EndDate | None = None,
    detailed_report: Annotated[bool, Field(description="true: with every expense.")] = False,
    business_user_id: BusinessUserId = None,
) -> FileResult:
    """Download an expense report as a PDF; the dates count with `CUSTOM` only.

    A detailed report lists every expense. For figures, call `svc_get_financial_summary`.
    After `retryAfterSeconds`, call again with the same arguments.
    """
    business, now = caller.business(business_user_id), timezone.now()
    if period_type is ReportPeriod.CUSTOM:
        _require_dates(start_date, end_date)
    period = expenses.get_period(
        business, period_type, today=now.date(), start=start_date, end=end_date
    )
    period = _within(caller.reach, period)
    job = expense_reports.request_expense_report(
        business, period, by=caller.user, is_detailed=detailed_report, at=now
    )
    return FileResult.of(_collect(job))


@tool(
    Scope.STATEMENTS,
    title="Download bank account letter",
    shows_account_numbers=True,
    needs_account_numbers=True,
    within=EVERY_LIMIT,
)
def svc_download_bank_account_letter(
    caller: Caller,
    variant: Annotated[
        LetterVariant, Field(description="GENERAL, or with the details for one kind of payment.")
    ],
    business_user_id: BusinessUserId = None,
) -> FileResult:
    """Download a signed PDF letter that confirms the account; it shows the full number."""
    business = caller.business(business_user_id)
    return FileResult.of(
        letters.write_letter(business, variant, at=timezone.now(), reach=caller.reach)
    )


def _within(reach: Reach, period: expenses.Period) -> expenses.Period:
    """Return the days of a report that may be read. Raises: ToolError if there are none."""
    first, last = reach.clip(period.first, period.last)
    if first is None or last is None or last < first:
        require_days(reach, period.first, period.last)
        return period
    return expenses.Period(first, last)


def _collect(job: Job) -> Download:
    """Wait for a job and return its file.

    Raises: ToolError if the job failed, or is still running after REPORT_TIMEOUT_SECONDS.
    """
    try:
        return jobs.collect(jobs.wait(job, seconds=REPORT_TIMEOUT_SECONDS), at=timezone.now())
    except jobs.Unfinished:
        message = (
            "The report is still being written. "
            f"Call again with the same arguments in {RETRY_AFTER_SECONDS} seconds to get it."
        )
        raise ToolError(
            ErrorCode.INTERNAL_ERROR, message, retryAfterSeconds=RETRY_AFTER_SECONDS
        ) from None
    except jobs.Failed:
        message = "The report could not be made. Call again later, or ask for a shorter period."
        raise ToolError(ErrorCode.INTERNAL_ERROR, message) from None


def _require_dates(start_date: date | None, end_date: date | None) -> None:
    for parameter, day in {"startDate": start_date, "endDate": end_date}.items():
        if day is None:
            raise invalid(parameter, "is required when periodType is CUSTOM, as YYYY-MM-DD")
    require_order(start_date, end_date)

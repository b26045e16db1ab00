"""Tools for the financial summary: income, expense or profit of a period."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from banking.choices import ChartType, Granularity, GroupBy
from banking.queries import cash_flows, summaries
from mcp_server import ui_resources
from mcp_server.caller import Caller
from mcp_server.errors import invalid
from mcp_server.limits import EVERY_LIMIT, Limit, beyond
from mcp_server.registry import tool
from mcp_server.schema import CustomerExternalId, Date, Result, Text
from mcp_server.scopes import Scope

Period = Literal[Granularity.MONTH, Granularity.QUARTER, Granularity.YEAR]


class Point(Result):
    """Income, expense or profit of a day or month of a summary."""

    period: str
    amount_cents: int
    amount_usd: str = ""


class Group(Result):
    """A part of a summary. `key` is an argument of other tools: a category code, an account id."""

    key: str
    name: Text
    amount_cents: int
    amount_usd: str = ""
    count: int


class CashFlow(Result):
    """The money that moved into and out of the accounts in a period."""

    in_cents: int
    in_usd: str = ""
    out_cents: int
    out_usd: str = ""
    net_cents: int
    net_usd: str = ""


class FinancialSummary(Result):
    """Income, expense or profit of a period; of the parts only those asked for are not null."""

    chart_type: ChartType
    granularity: Period
    total_amount_usd: str = ""
    total_amount_cents: int = Field(validation_alias="total_cents")
    series: list[Point]
    by_category: list[Group] | None = None
    by_merchant: list[Group] | None = None
    by_month: list[Group] | None = None
    by_account: list[Group] | None = None
    start_date: date = Field(validation_alias="first")
    end_date: date = Field(validation_alias="last", description="Inclusive.")
    cash_flow: CashFlow | None = None


@tool(
    Scope.TRANSACTIONS,
    title="Get financial summary",
    within=EVERY_LIMIT,
    page=ui_resources.CASH_FLOW,
)
def svc_get_financial_summary(
    caller: Caller,
    customer_external_id: CustomerExternalId,
    chart_type: Annotated[ChartType, Field(description="The figure that is summed up.")],
    start_date: Annotated[Date, Field(description="Any day (UTC) of the calendar period.")],
    granularity: Annotated[
        Period, Field(description="The calendar period that startDate lies in.")
    ] = Granularity.MONTH,
    is_business: Annotated[
        bool | None, Field(description="Business or private part only; not with PROFIT.")
    ] = None,
    group_by: Annotated[
        GroupBy | None,
        Field(description="Adds the parts of the total, largest first, as byCategory and so on."),
    ] = None,
    with_cash_flow: Annotated[
        bool, Field(description="Adds cashFlow: all money in and out but own transfers.")
    ] = False,
) -> FinancialSummary:
    """Sum up income, expense or profit of a calendar month (by day), quarter or year (by month).

    With groupBy it answers what most was spent on or earned with.

    Posted transactions count. Transfers between own accounts, tax set-asides, owner's draw and
    investment, cash withdrawals and loan principal are neither income nor expense; refunds reduce
    what they refund. PROFIT is income less expense, of business transactions alone. Cash flow is
    what moved, not what was earned: draws, investments, cash and loans count.

    For the transactions behind it, call `svc_search_transactions`.
    """
    business = caller.business(customer_external_id, parameter="customerExternalId")
    if group_by is GroupBy.MERCHANT and not caller.reach.shows_names:
        raise beyond(Limit.NAMES, caller.reach)
    try:
        summary = summaries.get_financial_summary(
            business,
            chart_type,
            start_date,
            granularity,
            is_business=is_business,
            group_by=group_by,
            reach=caller.reach,
        )
    except summaries.NotApplicable:
        raise invalid("isBusiness", "does not apply to PROFIT; leave it out") from None
    groups = {f"by_{summary.group_by.lower()}": summary.groups} if summary.group_by else {}
    flow = None
    if with_cash_flow:
        flow = cash_flows.get_cash_flow(
            business, first=summary.first, last=summary.last, reach=caller.reach
        )
    return FinancialSummary.model_validate(vars(summary) | groups | {"cash_flow": flow})

"""Whether each place that tells a business's money tells the same, computed from its CSV file."""

import csv
import io
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise

from django.db import transaction
from django.db.models import Sum

from banking.choices import ChartType, Granularity, GroupBy
from banking.days import DAY
from banking.models import Business, Category
from banking.money import cents, percent_of
from banking.queries.cash_flows import get_cash_flow
from banking.queries.expenses import Period, get_expenses
from banking.queries.filters import TransactionFilter
from banking.queries.profits import get_profit
from banking.queries.search import search_transactions
from banking.queries.summaries import get_financial_summary
from banking.services import taxes
from banking.services.exports import export_csv

FIRSTS = [date(year, month, 1) for year in (2025, 2026, 2027) for month in (1, 4, 7, 10)]
QUARTERS = list(pairwise(FIRSTS[:9]))
NOW = datetime(2027, 1, 2, tzinfo=UTC)
UNMOVED = {"TRANSFERS_IN", "TRANSFERS_OUT", "HOLD"}


def require_one_profit_in_every_place():
    for business in Business.objects.all():
        rows = read_csv(business)
        assert rows
        for first, until in QUARTERS:
            require_parts_that_add_up(business, first)
            require_a_search_with_the_same_sums(business, rows, first, until)
            require_a_quarter_of_its_own_days(business, rows, first, until)
            require_a_cash_flow_of_what_moved(business, rows, first, until)
            require_a_tax_statement_of_the_same_days(business, rows, first, until)
        require_statements_of_what_settled(business, rows)


def read_csv(business):
    rows = []
    for year in (2024, 2025, 2026):
        filters = TransactionFilter(start_date=date(year, 1, 1), end_date=date(year, 12, 31))
        with transaction.atomic():
            text = export_csv(business, filters).read().content.decode()
            transaction.set_rollback(True)  # takes back how an export lets PostgreSQL plan
        rows += csv.DictReader(io.StringIO(text, newline=""))
    return [
        row | {"cents": cents(row["Amount (USD)"])} for row in rows if row["Status"] == "POSTED"
    ]


def net(rows, column, first, until, **wanted):
    """Return what came less what left in the rows of a period that have the wanted cells."""
    return sum(
        row["cents"]
        for row in rows
        if f"{first}" <= row[column] < f"{until}"
        and all(row[name.replace("_", " ")] == value for name, value in wanted.items())
    )


def require_a_quarter_of_its_own_days(business, rows, first, until):
    income = net(rows, "Time (UTC)", first, until, Counts_as="INCOME")
    expense = -net(rows, "Time (UTC)", first, until, Counts_as="EXPENSE")
    of_business = {"Use": "BUSINESS"}
    earned = net(rows, "Time (UTC)", first, until, Counts_as="INCOME", **of_business)
    spent = -net(rows, "Time (UTC)", first, until, Counts_as="EXPENSE", **of_business)

    assert summed_up(business, ChartType.INCOME, first) == income
    assert summed_up(business, ChartType.EXPENSE, first) == expense
    assert summed_up(business, ChartType.INCOME, first, is_business=True) == earned
    assert summed_up(business, ChartType.EXPENSE, first, is_business=True) == spent
    assert summed_up(business, ChartType.PROFIT, first) == earned - spent

    report = get_expenses(business, Period(first, until - DAY))
    assert sum(category.amount_cents for category in report.categories) == spent
    profit = get_profit(business, first=first, last=until - DAY)
    assert (profit.income_cents, sum(each.amount_cents for each in profit.expenses)) == (
        earned,
        spent,
    )


def require_a_cash_flow_of_what_moved(business, rows, first, until):
    unmoved = set(Category.objects.filter(code__in=UNMOVED).values_list("display_name", flat=True))
    moved = [
        row["cents"]
        for row in rows
        if f"{first}" <= row["Time (UTC)"] < f"{until}" and row["Category"] not in unmoved
    ]

    flow = get_cash_flow(business, first=first, last=until - DAY)

    assert flow.in_cents == sum(amount for amount in moved if amount > 0)
    assert flow.out_cents == -sum(amount for amount in moved if amount < 0)


def require_parts_that_add_up(business, first):
    for chart_type in ChartType:
        for by in GroupBy:
            summary = get_financial_summary(
                business, chart_type, first, Granularity.QUARTER, group_by=by
            )
            assert sum(group.amount_cents for group in summary.groups) == summary.total_cents


def require_a_search_with_the_same_sums(business, rows, first, until):
    wanted = TransactionFilter(start_date=first, end_date=until - DAY, is_pending=False)
    page = search_transactions(business, wanted, page=1, page_size=100)
    within = [row for row in rows if f"{first}" <= row["Time (UTC)"] < f"{until}"]

    assert (page.total_count, page.total_amount_cents) == (
        len(within),
        sum(row["cents"] for row in within),
    )
    settled = {row["Transaction ID"]: row["Settled (UTC)"][:10] for row in within}
    for row in page.transactions:
        assert settled[str(row.external_id)] == f"{row.settlement_date}"


def summed_up(business, chart_type, first, **part):
    return get_financial_summary(
        business, chart_type, first, Granularity.QUARTER, **part
    ).total_cents


def require_a_tax_statement_of_the_same_days(business, rows, first, until):
    quarter = taxes.Period(first.year, (first.month + 2) // 3)
    wanted = {"Use": "BUSINESS"}
    earned = net(rows, "Time (UTC)", first, until, Counts_as="INCOME", **wanted)
    spent = -net(rows, "Time (UTC)", first, until, Counts_as="EXPENSE", **wanted)

    statement = taxes.compose(business, quarter, NOW)

    assert (statement.income_cents, statement.expense_cents) == (earned, spent)
    assert statement.profit_cents == earned - spent
    profit = get_profit(business, first=first, last=until - DAY)
    meals = sum(each.amount_cents for each in profit.expenses if each.category == "MEALS")
    assert spent - profit.deductibles_cents == meals - percent_of(meals, Decimal(50))


def require_statements_of_what_settled(business, rows):
    months = business.statements.values_list("account__account_number", "year", "month")
    for number, year, month, came, left in months.annotate(Sum("in_cents"), Sum("out_cents")):
        settled = [
            row["cents"]
            for row in rows
            if row["Account"] == f"••••{number[-4:]}"
            and row["Settled (UTC)"].startswith(f"{year}-{month:02d}-")
        ]
        assert sum(amount for amount in settled if amount > 0) == came
        assert -sum(amount for amount in settled if amount < 0) == left

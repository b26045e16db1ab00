from datetime import date

import pytest

from banking.queries.expenses import Period
from banking.services.expense_reports import write_expense_report
from tests.factories import later

QUARTER = Period(date(2026, 1, 1), date(2026, 3, 31))


@pytest.fixture
def business(make_account, make_transaction):
    """A business that spent on rent and meals, and had a refund."""
    account = make_account()
    for amount, category in [(-200_000, "RENT"), (-5_000, "MEALS"), (1_000, "MEALS")]:
        make_transaction(account, amount, category_id=category, merchant_raw_name="Tin Spoon Cafe")
    return account.business


@pytest.mark.parametrize("is_detailed", [False, True])
def test_the_report_is_a_pdf_with_the_same_bytes_all_day(business, is_detailed):
    first, second = (
        write_expense_report(business, QUARTER, at=later(hours=hours), is_detailed=is_detailed)
        for hours in range(2)
    )

    assert first.content.startswith(b"%PDF-")
    assert first == second
    kind = "detailed-expenses" if is_detailed else "expenses"
    assert first.file_name == f"{kind}-2026-01-01-2026-03-31.pdf"


@pytest.mark.parametrize("is_detailed", [False, True])
def test_a_business_that_spent_nothing_has_a_report(make_business, is_detailed):
    report = write_expense_report(make_business(), QUARTER, at=later(), is_detailed=is_detailed)

    assert report.content.startswith(b"%PDF-")

from datetime import date

import pytest

from banking import tasks  # noqa: F401 - declares the job
from banking.queries.expenses import Period
from banking.services import jobs
from banking.services.expense_reports import request_expense_report, write_expense_report
from tests.factories import NOON, later, make_business, make_user

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


def request(business, user, *, at=NOON, is_detailed=False):
    return request_expense_report(business, QUARTER, by=user, is_detailed=is_detailed, at=at)


def do(job):
    jobs.run(job.pk, attempt=0, clock=later)
    job.refresh_from_db()
    return job


def test_a_requested_report_is_written_by_a_job(business):
    user = make_user()

    job = do(request(business, user))

    expected = write_expense_report(business, QUARTER, at=later())
    assert (job.status, job.business) == ("DONE", business)
    assert jobs.collect(job, at=NOON) == expected


def test_who_asks_again_before_the_report_is_had_gets_the_same_job(business):
    user = make_user()
    job = request(business, user)
    waiting = request(business, user, at=later(minutes=1))
    do(job)

    written = request(business, user, at=later(minutes=15))
    stale = request(business, user, at=later(minutes=16))

    assert waiting == written == job
    assert stale != job


def test_who_had_the_report_gets_another_job(business):
    user = make_user()
    job = do(request(business, user))
    jobs.collect(job, at=NOON)

    assert request(business, user) != job


def test_others_and_other_reports_have_jobs_of_their_own(business):
    user = make_user()

    asked = [
        request(business, user),
        request(business, make_user()),
        request(make_business(), user),
        request(business, user, is_detailed=True),
    ]

    assert len({job.pk for job in asked}) == 4

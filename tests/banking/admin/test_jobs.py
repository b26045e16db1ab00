import re

import pytest

from tests.factories import NOON, later, make_business, make_job

LIST = "/admin/banking/job/"


@pytest.fixture
def business(db):
    return make_business()


def test_the_list_tells_how_far_each_job_is(chief, business):
    make_job(business, status="RUNNING", done=3, total=1_200, started_at=NOON)
    make_job(
        kind="settle_pending", status="FAILED", finished_at=NOON, outcome="settled 2; 1 failed"
    )

    page = chief.get(LIST).text

    assert re.search(r'kind=settle_pending"[^>]*>\s*Settle pending', page)  # the filter
    for text in ("Expense report", business.legal_name, "3 of 1,200", "badge-running"):
        assert text in page
    for text in ("Settle pending", "The bank", "settled 2; 1 failed", "badge-failed"):
        assert text in page


def test_a_finished_job_is_not_due_and_one_that_told_nothing_has_no_progress(chief, db):
    waiting = make_job(due_at=later(hours=1))
    done = make_job(status="DONE", due_at=later(hours=2), finished_at=later(minutes=2), done=7)

    page = chief.get(LIST).text
    cells = [chief.get(f"{LIST}{job.pk}/change/").text for job in (waiting, done)]

    assert ("13:00" in page, "14:00" in page) == (True, False)
    assert ["13:00" in cells[0], "14:00" in cells[1]] == [True, False]
    assert re.findall(r'field-progress">([^<]*)<', page) == ["7", "-"]


def test_heartbeats_do_not_hide_the_others(chief, db):
    make_job(kind="heartbeat", outcome="at 12:00:00")

    assert "at 12:00:00" not in chief.get(LIST).text


def test_failed_jobs_and_those_of_a_kind_can_be_had_alone(chief, business):
    make_job(business, status="FAILED", finished_at=NOON, outcome="the first")
    make_job(kind="settle_pending", outcome="the second")

    failed = chief.get(LIST, {"status__exact": "FAILED"}).text
    settled = chief.get(LIST, {"kind": "settle_pending"}).text

    assert ("the first" in failed, "the second" in failed) == (True, False)
    assert ("the first" in settled, "the second" in settled) == (False, True)


def test_a_page_tells_about_whom_and_when(chief, business):
    job = make_job(business, status="DONE", finished_at=later(minutes=2), done=7)

    page = chief.get(f"{LIST}{job.pk}/change/").text

    for text in (business.legal_name, "Mar 2, 2026", "12:02", str(job.external_id)):
        assert text in page

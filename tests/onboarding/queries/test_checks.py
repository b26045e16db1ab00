"""Reads of checks."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from onboarding.choices import CheckCode, CheckResult, CheckSource
from onboarding.event_types import NEW_EVIDENCE, EventType
from onboarding.models import Application
from onboarding.queries import checks
from tests.factories import (
    NOON,
    later,
    make_application,
    make_check,
    make_check_run,
    make_document,
    make_event,
    make_lead,
    make_owner,
    make_user,
)
from tests.onboarding.sanctions_files import load

pytestmark = pytest.mark.django_db
MANUAL = {"code": CheckCode.ADDRESS_CONFIRMED, "source": CheckSource.MANUAL}


def test_of_each_check_of_the_newest_run_the_newest_row_holds(django_assert_num_queries):
    application = make_application()
    owner = make_owner(application.lead)
    make_check(make_check_run(application), result=CheckResult.FAIL)
    make_check(result=CheckResult.FAIL)  # of another application
    run = make_check_run(application)
    ages = make_check(run, code=CheckCode.AGES)
    of_owner = make_check(run, code=CheckCode.AGES, ubo_id=owner.external_id)
    make_check(run, **MANUAL, result=CheckResult.WARN)
    tick = make_check(run, **MANUAL, by=make_user())

    with django_assert_num_queries(1):
        current = checks.list_current_checks(application)
        assert {check.run.number for check in current} == {2}

    assert current == [ages, of_owner, tick]


def test_what_was_never_checked_has_no_checks():
    assert checks.list_current_checks(make_application()) == []
    assert checks.list_open_items(make_application()) == []


def test_an_item_is_open_until_somebody_ticks_it():
    run = make_check_run()
    make_check(run, result=CheckResult.WARN)
    make_check(run, **MANUAL, result=CheckResult.WARN)
    assert checks.list_open_items(run.application) == [CheckCode.ADDRESS_CONFIRMED]

    make_check(run, **MANUAL, result=CheckResult.FAIL, by=make_user())

    assert checks.list_open_items(run.application) == []


def test_the_current_list_is_found(tmp_path):
    assert checks.list_current_lists() == []

    loaded = load(tmp_path)

    assert [one.sha256 for one in checks.list_current_lists()] == [loaded.sha256]


def test_a_case_is_outdated_by_another_list_or_newer_answers_or_without_a_run():
    unchecked = make_application()
    other_list, answered, asked, fine = (make_application() for _ in range(4))
    make_check_run(other_list, sanctions_list="b" * 64)
    make_check_run(answered, sanctions_list="a" * 64)
    make_check_run(asked, sanctions_list="a" * 64)
    make_check_run(fine, sanctions_list="b" * 64)
    make_check_run(fine, sanctions_list="a" * 64)
    for case, status in ((answered, "IN_REVIEW"), (asked, "DOCUMENTS_REQUIRED")):
        values = {"status": status, "status_changed_at": later(hours=1)}
        Application.objects.filter(pk=case.pk).update(**values)

    outdated = checks.list_outdated(sha256="a" * 64)

    assert list(outdated) == [unchecked, other_list, answered]


@pytest.mark.parametrize("event_type", sorted(NEW_EVIDENCE))
def test_a_case_is_outdated_by_what_came_in_after_the_newest_run(event_type):
    answered, checked, noted = (make_application() for _ in range(3))
    for case in (answered, checked, noted):
        make_check_run(case)
        make_event(case, event_type)
    make_event(answered, event_type, at=later(minutes=1))
    make_event(checked, event_type, at=later(minutes=1))
    make_check_run(checked, at=later(minutes=2))
    make_event(noted, EventType.NOTED, at=later(minutes=1))

    assert list(checks.list_outdated(sha256="")) == [answered]


def test_where_nobody_looks_at_a_list_none_outdates_a_case():
    make_check_run(sanctions_list="a" * 64)

    assert list(checks.list_outdated(sha256=None)) == []


def test_duplicates_are_found_with_every_partner_and_among_owners():
    lead = make_lead(ssn="123456789", ein="98-7654321")
    owner = make_owner(lead, ssn="223456789")
    make_document(lead, sha256="a" * 64)
    same_ssn = make_lead(ssn="123-45-6789")
    of_owner = make_owner(ssn="223456789").lead
    same_ein = make_lead(ein="987654321")
    same_file = make_document(sha256="a" * 64).lead
    make_lead(ssn="323456789")
    application = make_application(lead)

    found = checks.list_duplicates(application)

    assert [(one.lead, one.code, one.ubo_id) for one in found] == [
        (same_ssn, CheckCode.DUPLICATE_SSN, None),
        (of_owner, CheckCode.DUPLICATE_SSN, owner.external_id),
        (same_ein, CheckCode.DUPLICATE_EIN, None),
        (same_file, CheckCode.DUPLICATE_DOCUMENT, None),
    ]


def test_nobody_is_a_duplicate_of_nothing():
    make_lead()
    make_owner()

    assert checks.list_duplicates(make_application()) == []


def test_no_number_of_others_is_opened():
    lead = make_lead(ein="987654321")
    make_lead(ein="987654321", ssn="123456789")

    (found,) = checks.list_duplicates(make_application(lead, at=NOON))

    assert {"ssn", "ein", "passport_number"} <= found.lead.get_deferred_fields()


def test_no_look_for_duplicates_reads_every_lead():
    application = make_application(make_lead(ssn="123-45-6789", ein="12-3456789"))

    with CaptureQueriesContext(connection) as captured:
        checks.list_duplicates(application)

    statements = [query["sql"] for query in captured]
    asked = [sql for sql in statements if "ssn_index" in sql.partition(" WHERE ")[2]]
    assert len(asked) == 1
    assert "onboarding_lead" not in scanned(asked[0])


def scanned(sql):
    """Return the lines of the plan that read a whole table, where an index could be used."""
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if is_postgresql:
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(("EXPLAIN " if is_postgresql else "EXPLAIN QUERY PLAN ") + sql)
        lines = [str(row[-1]) for row in cursor.fetchall()]
    return " ".join(line for line in lines if "Seq Scan" in line or line.startswith("SCAN"))

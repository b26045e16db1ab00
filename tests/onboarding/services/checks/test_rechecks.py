"""Rechecks: which cases and customers are checked again, and when."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    Risk,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Lead
from onboarding.queries import audit
from onboarding.screening import sanctions
from onboarding.services.checks import check_runs, list_passes, rechecks
from tests.factories import later, make_event
from tests.onboarding.sanctions_files import SDN, load, recheck
from tests.onboarding.services.checks.submitted import screen


def test_a_newer_list_has_cases_and_customers_with_similar_names_checked_again(
    case, submitted, tmp_path
):
    decided, other = submitted("1111"), submitted("2222")
    for one in (decided, other):
        Application.objects.filter(pk=one.pk).update(status=Status.APPROVED)
    similar = Lead.objects.filter(pk__in=[case.lead_id, decided.lead_id])
    similar.update(first_name="Ana", last_name="Perez Nakar")
    load(tmp_path)

    again = [one.application_id for one in recheck(at=later(days=1))]
    assert again == [case.external_id, decided.external_id]
    assert list(recheck(at=later(days=2))) == []

    newest = case.check_runs.first()
    assert (newest.number, newest.cause) == (2, RunCause.LIST_LOADED)
    assert newest.sanctions_list == sanctions.digest_comparison()
    assert newest.checks.get(code=CheckCode.SANCTIONS).details["count"] == 1
    found = Application.objects.get(pk=case.pk)
    assert (found.status, found.risk) == (Status.IN_REVIEW, Risk.HIGH)


def test_another_comparison_has_everybody_checked_again(case, submitted, tmp_path, monkeypatch):
    customer = submitted("1111")
    Application.objects.filter(pk=customer.pk).update(status=Status.APPROVED)
    Lead.objects.update(first_name="Ana", last_name="Perez Nakar")
    load(tmp_path)
    list(recheck(at=later(days=1)))

    monkeypatch.setattr(list_passes, "COMPARISON", list_passes.COMPARISON + 1)

    again = [one.application_id for one in recheck(at=later(days=2))]
    assert again == [case.external_id, customer.external_id]
    assert list(recheck(at=later(days=3))) == []


@pytest.mark.parametrize("status", [Status.APPROVED, Status.APPROVED_TEMPORARY])
def test_a_customer_with_a_new_hit_waits_for_staff_and_stays_approved(submitted, status, tmp_path):
    customer = submitted(first_name="Ana", last_name="Perez Nakar")
    screen()
    Application.objects.filter(pk=customer.pk).update(status=status)
    load(tmp_path)

    list(recheck(at=later(days=1)))

    customer.refresh_from_db()
    assert (customer.status, customer.new_hit_at) == (status, later(days=1))
    last = customer.events.order_by("number").last()
    assert (last.type, last.sequence) == (EventType.CHECKED, None)


def test_customers_wait_for_open_cases_and_for_the_next_run(submitted, tmp_path):
    first, second, case = (submitted(number) for number in ("1111", "2222", "3333"))
    Application.objects.update(status=Status.APPROVED)
    Application.objects.filter(pk=case.pk).update(status=Status.IN_REVIEW)
    Lead.objects.update(first_name="Ana", last_name="Perez Nakar")
    load(tmp_path)

    until = iter([False, True]).__next__
    run = [one.application_id for one in recheck(at=later(hours=1), until=until)]
    late = [one.application_id for one in recheck(at=later(hours=1), until=lambda: True)]
    following = [one.application_id for one in recheck(at=later(hours=1))]

    assert run == [case.external_id, first.external_id]
    assert (late, following) == ([], [second.external_id])


def test_a_customer_whose_hit_is_known_does_not_wait_again(submitted, tmp_path):
    customer = submitted(first_name="Ana", last_name="Perez Nakar")
    screen()
    load(tmp_path)
    list(recheck(at=later(days=1)))
    Application.objects.update(new_hit_at=None)
    load(tmp_path, sdn=[*SDN, SDN[0].replace("36", "37", 1)], at=later(days=2))

    list(recheck(at=later(days=3)))

    customer.refresh_from_db()
    assert (customer.check_runs.count(), customer.new_hit_at) == (2, None)


def test_documents_that_came_in_are_checked_again_too(case):
    Application.objects.update(status_changed_at=later(hours=1))

    assert len(list(recheck(at=later(hours=2)))) == 1

    assert case.check_runs.first().cause == RunCause.ANSWERED


@pytest.mark.parametrize("providers", [["BUILT_IN", "MANUAL"], ["MANUAL"]])
def test_what_came_in_during_a_review_is_checked_again(case, settings, providers):
    settings.CHECK_PROVIDERS = providers
    make_event(case, EventType.DOCUMENT_RECEIVED, at=later(hours=1))

    assert len(list(recheck(at=later(hours=2)))) == 1
    assert list(recheck(at=later(hours=3))) == []

    assert case.check_runs.first().cause == RunCause.ANSWERED
    assert Application.objects.get().status == Status.IN_REVIEW


def test_who_is_approved_for_the_time_being_is_held_against_a_newer_list(submitted, tmp_path):
    application = submitted("0007", first_name="Ibrahim", last_name="Zarquonian")
    screen()
    load(tmp_path)

    assert [one.fault for one in recheck(at=later(days=1))] == [""]

    found = Application.objects.get()
    assert (found.status, found.risk) == (Status.APPROVED_TEMPORARY, Risk.HIGH)
    assert application.check_runs.first().cause == RunCause.LIST_LOADED
    assert list(audit.find_faults()) == []


def test_where_nobody_checks_no_case_is_outdated(case, settings):
    settings.CHECK_PROVIDERS = []
    make_event(case, EventType.CHANGED, at=later(hours=1))

    assert not rechecks.is_outdated(case)
    assert list(recheck(at=later(days=1))) == []


def test_where_nobody_looks_at_the_list_no_case_is_checked_again(case, settings, tmp_path):
    settings.CHECK_PROVIDERS = ["MANUAL"]
    load(tmp_path)

    assert list(recheck(at=later(days=1))) == []


def test_a_case_that_cannot_be_checked_again_stops_none_of_the_others(
    case, submitted, tmp_path, monkeypatch
):
    other = submitted("1111")
    Application.objects.filter(pk=other.pk).update(status=Status.IN_REVIEW)
    run_checks = check_runs.run_checks

    def fail_once(application, **options):
        if application.pk == case.pk:
            raise RuntimeError
        run_checks(application, **options)

    monkeypatch.setattr(rechecks, "run_checks", fail_once)
    Lead.objects.update(first_name="Ana", last_name="Perez Nakar")
    load(tmp_path)

    outcomes = list(recheck(at=later(days=1)))

    assert [one.fault for one in outcomes] == ["RuntimeError", ""]
    assert (case.check_runs.count(), other.check_runs.count()) == (1, 1)

"""Hits of parties of the bank's records: found when they come, and when a list changes."""

import pytest

from banking.choices import FeedResult
from banking.models import Job
from banking.services import feed_changes, jobs
from onboarding import periodic  # noqa: F401 - registers the job that compares again
from onboarding.choices import HitStatus, PartyKind
from onboarding.models import Application, ScreeningHit
from onboarding.services.checks import record_hits
from tests.factories import (
    NOON,
    later,
    make_account,
    make_accountant,
    make_business,
    make_business_owner,
    make_payee,
    make_supplier,
    make_user,
)
from tests.onboarding.cases import make_case
from tests.onboarding.sanctions_files import SDN, load, recheck

pytestmark = pytest.mark.django_db
ANA = {"first_name": "Ana", "last_name": "Perez Nakar"}


def hits(**wanted):
    found = ScreeningHit.objects.filter(is_current=True, **wanted).order_by("party_kind", "pk")
    return [(hit.party_kind, hit.party_row, hit.entry_number) for hit in found]


def test_parties_of_the_records_are_compared_with_a_loaded_list(tmp_path):
    business = make_business(legal_name="Vortexa Holdings LLC")
    owner = make_business_owner(business, **ANA)
    supplier = make_supplier(business, name="Quillon Trading Company")
    payee = make_payee(supplier, payee_name="Ibrahim Tolvek Zarquonian")
    accountant = make_accountant(
        make_user(user_type="ACCOUNTANT", **ANA), firm_name="Quillon Exports"
    )
    load(tmp_path)

    list(recheck(at=later(days=1)))

    assert hits() == [
        ("ACCOUNTANT", accountant.pk, 4001),
        ("BUSINESS", business.pk, 173),
        ("FIRM", accountant.firm_id, 36),
        ("OWNER", owner.pk, 4001),
        ("PAYEE", payee.pk, 2674),
        ("SUPPLIER", supplier.pk, 36),
    ]
    assert set(ScreeningHit.objects.exclude(business=None).values_list("business", flat=True)) == {
        business.pk
    }


def test_a_supplier_may_be_a_person(tmp_path):
    supplier = make_supplier(name="Ana Pérez-Ñakar")
    load(tmp_path)

    list(recheck(at=later(days=1)))

    hit = ScreeningHit.objects.get()
    assert (hit.party_row, hit.subject, hit.score) == (supplier.pk, "PERSON", 100)


def test_changed_records_are_compared_when_they_come(tmp_path):
    load(tmp_path)
    record_hits.screen_changed(at=NOON)
    supplier = make_supplier(name="Quillon Trading")
    other = make_supplier(name="Blue Cafe")
    feed_changes.announce("suppliers", [supplier, other], FeedResult.CREATED, at=NOON)

    count = record_hits.screen_changed(at=later())

    assert (count, hits()) == (2, [("SUPPLIER", supplier.pk, 36)])
    assert record_hits.screen_changed(at=later()) == 0


def test_another_name_ends_a_hit_unless_it_is_confirmed(tmp_path):
    load(tmp_path)
    first, second = (make_supplier(name="Quillon Trading") for _ in range(2))
    for one in (first, second):
        record_hits.screen(PartyKind.SUPPLIER, one.pk, at=NOON)
    confirm(ScreeningHit.objects.get(party_row=second.pk))

    for one in (first, second):
        type(one).objects.filter(pk=one.pk).update(name=f"Blue Cafe {one.pk}")
        record_hits.screen(PartyKind.SUPPLIER, one.pk, at=later())

    assert hits() == [("SUPPLIER", second.pk, 36)]


def confirm(hit):
    judgement = hit.judgements.create(
        verdict=HitStatus.CONFIRMED,
        reason="The same.",
        evidence_digest="d",
        by=make_user(),
        at=NOON,
        status="CONFIRMED",
        settled_at=NOON,
    )
    hit.status, hit.judgement = HitStatus.CONFIRMED, judgement
    hit.save()


def test_a_gone_entry_or_a_gone_record_ends_a_hit(tmp_path):
    load(tmp_path)
    gone, left = make_supplier(name="Quillon Trading"), make_supplier(name="Vortexa Holdings")
    for one in (gone, left):
        record_hits.screen(PartyKind.SUPPLIER, one.pk, at=NOON)
    found = hits()
    gone.delete()

    load(tmp_path, sdn=(SDN[0], *SDN[2:]), at=later(days=1))
    list(recheck(at=later(days=2)))

    assert (len(found), hits()) == (2, [])


def test_a_customer_whose_application_is_compared_has_no_second_hit(tmp_path):
    load(tmp_path)
    case = make_case()
    type(case.lead).objects.update(**ANA)
    business = make_business()
    account = make_account(business)
    Application.objects.update(account=account)
    owner = make_business_owner(business, **ANA)

    record_hits.screen(PartyKind.OWNER, owner.pk, at=NOON)

    assert hits() == []


@pytest.fixture
def broken(monkeypatch):
    """Let each comparison fail until the function that this returns is called."""

    def fail(*_args, **_options):
        raise ValueError("a name that nobody can compare")

    monkeypatch.setattr(record_hits, "find_record", fail)
    return monkeypatch.undo


def test_a_failed_comparison_is_repeated_by_a_job(tmp_path, broken):
    supplier = make_supplier(name="Quillon Trading Company")
    load(tmp_path)

    list(recheck(at=later(days=1)))

    job = Job.objects.get(kind="compare_party")
    assert (job.key, job.due_at) == (f"SUPPLIER-{supplier.pk}", later(days=1, minutes=1))
    assert hits() == []

    broken()
    jobs.run(job.pk, attempt=0, clock=lambda: later(days=2))

    assert hits() == [("SUPPLIER", supplier.pk, 36)]
    job.refresh_from_db()
    assert (job.status, job.outcome) == ("DONE", f"compared supplier {supplier.pk}")


def test_a_comparison_that_keeps_failing_is_repeated_each_day(broken):
    supplier = make_supplier()
    record_hits.try_screen(PartyKind.SUPPLIER, supplier.pk, at=NOON)
    job = Job.objects.get()
    for attempt in range(5):
        jobs.run(job.pk, attempt=attempt, clock=lambda: later(hours=1))
    job.refresh_from_db()
    assert (job.status, job.outcome) == ("FAILED", "ValueError")

    record_hits.repeat_failed(at=later(hours=24))
    assert Job.objects.count() == 1

    record_hits.repeat_failed(at=later(hours=25))
    record_hits.repeat_failed(at=later(hours=25))

    again = Job.objects.get(status="QUEUED")
    assert (again.key, again.due_at) == (job.key, later(hours=25))

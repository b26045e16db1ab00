"""Evidence: one digest, which any change of what a decision rests on changes."""

import hashlib
import json
from types import SimpleNamespace

import pytest

from onboarding.choices import CheckCode, CheckResult, DocumentStatus, Risk
from onboarding.models import Application, Lead, Owner
from onboarding.queries import evidence
from onboarding.queries.leads import open_lead_file
from tests.factories import NOON, later, make_check, make_check_run, make_document
from tests.onboarding.cases import load, make_case
from tests.onboarding.services.leads.test_submissions import make_complete_owner


@pytest.fixture
def case(db):
    case = make_case()
    make_complete_owner(case.lead)
    make_document(case.lead, llc_file_type="UTILITY_BILL")
    make_check(make_check_run(case), code=CheckCode.NAICS)
    return load(case)


def set_lead(case, **values):
    lead = Lead.objects.get(pk=case.lead_id)
    for name, value in values.items():
        setattr(lead, name, value)
    lead.save(update_fields=list(values))


def set_application(case, **values):
    Application.objects.filter(pk=case.pk).update(**values)


def tick(case):
    run = case.check_runs.get()
    make_check(run, code=CheckCode.NAICS, result=CheckResult.FAIL)


REQUEST = {"llc_file_type": "PASSPORT", "reason": "Old.", "requested_at": NOON.isoformat()}
CHANGES = {
    "name": lambda case: set_lead(case, first_name="Augusta"),
    "ssn": lambda case: set_lead(case, ssn="123456780"),
    "passport": lambda case: set_lead(case, passport_number="C01X00T47"),
    "address": lambda case: set_lead(case, business_address={"line1": "2 Example Street"}),
    "share": lambda case: set_lead(case, ownership_percent=30),
    "answers": lambda case: set_lead(case, edd_answers=[{"question": "Why?", "answer": "So."}]),
    "who supplied": lambda case: set_lead(case, supplied_by={"city": "APPLICANT"}),
    "identity": lambda case: set_lead(case, identity_status="VERIFIED"),
    "owner's share": lambda case: case.lead.owners.update(ownership_percent=41),
    "owner's name": lambda case: case.lead.owners.update(last_name="Other"),
    "another owner": lambda case: make_complete_owner(case.lead, ownership_percent=10),
    "one owner less": lambda case: case.lead.owners.all().delete(),
    "another document": lambda case: make_document(case.lead),
    "kind": lambda case: case.lead.documents.update(llc_file_type="PASSPORT"),
    "file": lambda case: case.lead.documents.update(sha256="f" * 64),
    "status": lambda case: case.lead.documents.update(status=DocumentStatus.ACCEPTED),
    "request": lambda case: set_application(case, document_requests=[REQUEST]),
    "risk": lambda case: set_application(case, risk=Risk.HIGH),
    "points": lambda case: set_application(case, risk_points=12),
    "tick": tick,
    "another run": lambda case: make_check(make_check_run(case), code=CheckCode.AGES),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_a_decision_rests_on_changes_the_digest(case, change):
    before = evidence.compute_digest(case)

    change(case)

    assert evidence.compute_digest(load(case)) != before


def test_the_same_evidence_has_the_same_digest(case):
    assert evidence.compute_digest(load(case)) == evidence.compute_digest(load(case))


@pytest.mark.parametrize(
    "values",
    [{"updated_at": later(days=1)}, {"event_count": 7}, {"published_sequence": 3}],
)
def test_bookkeeping_is_no_evidence(case, values):
    before = evidence.compute_digest(case)

    set_lead(case, **values)

    assert evidence.compute_digest(load(case)) == before


def test_a_claim_is_no_evidence(case, make_user):
    before = evidence.compute_digest(case)

    set_application(case, claimed_by=make_user(), claimed_until=NOON)

    assert evidence.compute_digest(load(case)) == before


def test_a_number_that_is_sealed_anew_is_the_same_evidence(case):
    before = evidence.compute_digest(case)

    set_lead(case, ssn=case.lead.ssn)

    assert evidence.compute_digest(load(case)) == before


def test_what_was_hashed_under_an_older_index_key_is_the_same_evidence(case, settings):
    file = open_lead_file(case)
    decided, signed = evidence.compute_digest(case), evidence.compute_answers_digest(file.people)
    old = settings.PII_INDEX_KEYS
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32},{old}"

    digests, answers = (
        evidence.compute_digests(case), evidence.compute_answers_digests(file.people),
    )  # fmt: skip

    assert (digests.index(decided), [*answers.values()].index(signed)) == (1, 1)
    assert evidence.compute_digest(case) == digests[0]
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32}"
    assert decided not in evidence.compute_digests(case)


def test_no_personal_number_is_in_what_is_hashed(case, monkeypatch):
    set_lead(case, passport_number="C01X00T47")
    seen = []
    spy = SimpleNamespace(sha256=lambda data: seen.append(data) or hashlib.sha256(data))
    monkeypatch.setattr(evidence, "hashlib", spy)

    digest = evidence.compute_digest(load(case))

    (written,) = seen
    assert digest == hashlib.sha256(written).hexdigest()
    for number in (case.lead.ssn, case.lead.ein, "C01X00T47"):
        assert number.encode() not in written
    assert json.loads(written)["lead"]["ssn"]


def test_a_digest_takes_six_statements(case, django_assert_num_queries):
    with django_assert_num_queries(6):  # owners, documents, rules, checks, verdicts, holders
        evidence.compute_digest(case)


SIGNED = ["name", "ssn", "passport", "address", "share", "answers"]
SIGNED += ["owner's share", "owner's name", "another owner", "one owner less"]


def test_an_empty_column_and_another_index_change_no_digest_of_answers(case):
    people = open_lead_file(case).people
    before = evidence.compute_answers_digest(people)

    for person in people:
        person.ssn_index, person.title = "0" * 32, ""
        person.unique_id = "changed"

    assert evidence.compute_answers_digest(people) == before


def test_each_signed_name_is_a_column_and_numbers_are_signed():
    columns = {field.name for model in (Lead, Owner) for field in model._meta.concrete_fields}

    assert columns >= evidence.SIGNED
    assert {"ssn", "ein", "birth_date", "ownership_percent"} <= evidence.SIGNED
    assert not {name for name in evidence.SIGNED if name.endswith("_index")}


@pytest.mark.parametrize("change", CHANGES)
def test_the_digest_of_the_answers_follows_what_was_signed_alone(case, change):
    before = evidence.compute_answers_digest(open_lead_file(case).people)

    CHANGES[change](case)

    after = evidence.compute_answers_digest(open_lead_file(load(case)).people)
    assert (after != before) == (change in SIGNED)

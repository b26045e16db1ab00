"""Fixed rows: an altered proposal, result of a check or file, which events fix."""

import pytest
from django.db import connection

from foundation.database import append_only
from onboarding.choices import CheckCode, CheckResult, ProposalKind, RunCause
from onboarding.event_types import EventType
from onboarding.models import Application, Check, CheckRun, Document, Proposal
from onboarding.queries import audit, fixed_rows
from onboarding.services.checks import check_runs, staff_checks
from onboarding.services.documents.arrivals import record_receipt
from onboarding.services.documents.intake import AttachedDocument, Attachments
from onboarding.services.events import history
from onboarding.services.events.history import PARTNER
from onboarding.services.reviews import proposals
from tests.factories import NOON, later, make_document
from tests.onboarding.cases import make_case, make_reviewer

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada():
    return make_reviewer("decide_application")


@pytest.fixture
def case(ada, settings):
    """Return a case in review with a file, checks, a tick and a proposal, whose audit is whole."""
    settings.CHECK_PROVIDERS = ["BUILT_IN", "MANUAL"]
    application = make_case(by=ada)
    document = make_document(application.lead, llc_file_type="UTILITY_BILL")
    attached = Attachments([AttachedDocument(document, is_duplicate=False)], [], [document])
    record_receipt(application, attachments=attached, by=PARTNER, at=NOON)
    check_runs.run_checks(application, cause=RunCause.SUBMITTED, at=NOON)
    code = CheckCode.ADDRESS_CONFIRMED
    staff_checks.tick(
        application, code, CheckResult.PASS, note="It was seen.", by=ada, at=later(minutes=1)
    )
    proposals.decide(
        application,
        ProposalKind.DENY,
        reasons=["RISK_APPETITE"],
        internal_text="Too risky.",
        by=ada,
        at=later(minutes=2),
    )
    return application


def find():
    return [finding.fault for finding in audit.find_faults()]


def test_rows_that_nobody_changed_are_in_order(case):
    assert find() == []


@pytest.mark.parametrize(
    ("model", "values", "event"),
    [
        (Document, {"sha256": "0" * 64}, "Document received"),
        (Document, {"supplied_by": "APPLICANT"}, "Document received"),
        (Proposal, {"internal_text": "Fine."}, "Decision proposed"),
        (Proposal, {"kind": "APPROVE"}, "Decision proposed"),
        (Check.objects.filter(by=None), {"result": "PASS"}, "Checks run"),
        (Check.objects.filter(by=None), {"details": {"hits": []}}, "Checks run"),
        (Check.objects.exclude(by=None), {"note": "Not seen."}, "Check ticked"),
    ],
)
def test_a_changed_row_is_found(case, model, values, event):
    for table in ("onboarding_check", "onboarding_proposal"):
        append_only.unprotect(connection, table)
    rows = model.objects if isinstance(model, type) else model.all()

    rows.update(**values)

    assert f"is about rows that were changed: {event}" in find()


def test_another_proposer_is_found(case):
    Proposal.objects.update(proposed_by=make_reviewer())

    assert find() == ["is about rows that were changed: Decision proposed"]


def test_a_check_that_no_event_names_is_found(case):
    run = CheckRun.objects.latest("number")
    Check.objects.create(run=run, code=CheckCode.AGES, source="BUILT_IN", result="PASS", at=NOON)

    assert find() == ["is about rows that were changed: Checks run"]


def test_deleted_rows_are_found(case):
    Document.objects.all().delete()

    assert find() == ["is about rows that were changed: Document received"]


@pytest.mark.parametrize(
    "values",
    [
        {"settled_note": "The owner asked for it."},
        {"settled_at": later(days=9)},
        {"settled_by": None},
        {"status": "WITHDRAWN"},
    ],
)
def test_a_changed_end_of_a_proposal_is_found(case, values):
    proposals.refuse(
        Proposal.objects.get(),
        note="It is a shop.",
        by=make_reviewer("decide_application"),
        at=NOON,
    )
    before = find()

    Proposal.objects.update(**values)

    assert before == []
    assert find() == ["is about rows that were changed: Proposal rejected"]


def test_a_changed_end_of_a_withdrawn_a_voided_and_a_confirmed_proposal_is_found(case, ada):
    def propose(reason):
        found = Application.objects.get()
        words = {"reasons": ["RISK_APPETITE"], "internal_text": reason}
        return proposals.decide(found, ProposalKind.DENY, **words, by=ada, at=later(minutes=3))

    proposals.withdraw(Proposal.objects.get(), by=ada, at=later(minutes=3))
    propose("Much too risky.")
    history.record(Application.objects.get(), EventType.CHANGED, by=PARTNER, at=later(minutes=4))
    confirmed = propose("Still too risky.")
    proposals.confirm(confirmed, by=make_reviewer("decide_application"), at=later(minutes=5))
    before = find()

    Proposal.objects.update(settled_note="Another note.")

    changed = "is about rows that were changed: "
    ends = ["Proposal withdrawn", "Proposal voided by a change", "Denied"]
    assert before == []
    assert find() == [changed + one for one in ends]


def test_ends_that_events_of_the_first_release_do_not_fix_are_in_order(case, monkeypatch):
    monkeypatch.setattr(fixed_rows, "fix_settled", lambda *rows: {})
    proposals.refuse(
        Proposal.objects.get(),
        note="It is a shop.",
        by=make_reviewer("decide_application"),
        at=NOON,
    )

    assert find() == []


def test_rows_have_one_digest_in_any_order_and_after_they_were_read_again(case):
    checks = list(Check.objects.select_related("run"))

    assert fixed_rows.fix(*checks) == fixed_rows.fix(*reversed(checks))
    assert fixed_rows.fix(*Proposal.objects.all()) == fixed_rows.fix(Proposal.objects.get())

"""Approval requirements: documents that were seen, and checks that are made and current."""

import pytest

from banking.models import Account
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    LlcFileType,
    ProposalKind,
    ProposalStatus,
    Risk,
)
from onboarding.event_types import EventType
from onboarding.models import Application
from onboarding.queries import audit, evidence
from onboarding.services.checks import staff_checks
from onboarding.services.documents import case_documents
from onboarding.services.reviews import proposals
from onboarding.services.reviews.approval_requirements import (
    ChecksOpen,
    ChecksOutdated,
    DocumentsMissing,
    DocumentsUnopened,
)
from tests.factories import (
    NOON,
    later,
    make_check,
    make_check_run,
    make_document,
    make_event,
    make_proposal,
)
from tests.onboarding.cases import load, make_case, propose
from tests.onboarding.sanctions_files import load as load_list

APPROVE, TEMPORARILY, DENY = (
    ProposalKind.APPROVE,
    ProposalKind.APPROVE_TEMPORARILY,
    ProposalKind.DENY,
)
pytestmark = pytest.mark.usefixtures("without_a_checklist")


def test_nothing_is_approved_for_good_whose_document_was_rejected(make, ada):
    case = make()
    document = make_document(case.lead, llc_file_type=LlcFileType.OPERATING_AGREEMENT)
    case_documents.reject(document, reason="It is blurred.", by=ada, at=NOON)

    with pytest.raises(DocumentsMissing, match="approve temporarily"):
        propose(load(case), APPROVE, by=ada)

    propose(load(case), TEMPORARILY, by=ada)
    assert load(case).status == Status.APPROVED_TEMPORARY


@pytest.mark.parametrize("risk", [Risk.LOW, Risk.MEDIUM, Risk.HIGH])
def test_nobody_approves_for_good_without_opening_the_documents(make, ada, bob, risk):
    case = make(risk=risk)
    letter = make_document(case.lead, llc_file_type="UTILITY_BILL", file_name="bill.pdf")
    other = make_document(case.lead, file_name="")
    case_documents.note_opened(letter, by=bob, at=NOON)

    with pytest.raises(DocumentsUnopened) as refusal:
        propose(case, APPROVE, by=ada)

    assert str(refusal.value) == (
        "Open or accept these documents before you approve: Utility bill (bill.pdf); Document."
    )
    assert load(case).status == Status.IN_REVIEW
    for document in (letter, other):
        case_documents.note_opened(document, by=ada, at=NOON)
    propose(case, APPROVE, by=ada)
    assert (load(case).status == Status.APPROVED) is (risk != Risk.HIGH)


def test_a_document_that_a_colleague_accepted_need_not_be_opened(make, ada, bob):
    case = make()
    document = make_document(case.lead)
    Application.objects.update(claimed_by=bob)
    case_documents.accept(document, by=bob, at=NOON)
    Application.objects.update(claimed_by=ada)

    propose(load(case), APPROVE, by=ada)

    assert load(case).status == Status.APPROVED


def test_a_document_that_came_after_the_others_were_opened_is_opened_as_well(make, ada):
    case = make()
    case_documents.note_opened(make_document(case.lead), by=ada, at=NOON)
    make_document(case.lead, file_name="second.pdf")

    with pytest.raises(DocumentsUnopened, match=r": Document \(second.pdf\)."):
        propose(case, APPROVE, by=ada)


@pytest.mark.parametrize("kind", [TEMPORARILY, DENY])
def test_other_decisions_need_no_document_opened(make, ada, kind):
    case = make()
    make_document(case.lead)

    propose(case, kind, by=ada)


@pytest.mark.parametrize("opener", ["ada", "bob"])
def test_of_two_people_either_has_opened_the_documents(make, ada, bob, opener):
    case = make(risk=Risk.HIGH)
    document = make_document(case.lead)
    digest = evidence.compute_digest(case)
    proposal = make_proposal(case, proposed_by=ada, evidence_digest=digest)  # of an older version

    with pytest.raises(DocumentsUnopened):
        proposals.confirm(proposal, by=bob, at=NOON)
    case_documents.note_opened(document, by={"ada": ada, "bob": bob}[opener], at=NOON)
    proposals.confirm(proposal, by=bob, at=NOON)

    assert load(case).status == Status.APPROVED


@pytest.mark.parametrize("kind", [APPROVE, TEMPORARILY])
def test_nothing_is_approved_before_staff_have_checked(make, ada, kind):
    case = make()
    run = make_check_run(case)
    by_hand = {"source": CheckSource.MANUAL, "code": CheckCode.ADDRESS_CONFIRMED}
    make_check(run, result=CheckResult.WARN, **by_hand)

    with pytest.raises(ChecksOpen, match="The business works at its address"):
        propose(case, kind, by=ada)
    make_check(run, by=ada, **by_hand)
    propose(case, kind, by=ada)

    assert load(case).account


@pytest.mark.parametrize("kind", [APPROVE, TEMPORARILY])
def test_nothing_is_approved_on_checks_that_something_overtook(make, ada, kind):
    case = make()
    make_event(case, EventType.DOCUMENT_RECEIVED, at=later(minutes=1))

    with pytest.raises(ChecksOutdated, match="Run the checks again"):
        propose(load(case), kind, by=ada, at=later(minutes=2))
    staff_checks.rerun(load(case), by=ada, at=later(minutes=3))
    propose(load(case), kind, by=ada, at=later(minutes=4))

    assert load(case).account
    assert list(audit.find_faults()) == []


@pytest.mark.parametrize("kind", [APPROVE, TEMPORARILY])
def test_nothing_is_approved_that_was_never_checked(ada, settings, kind):
    case = make_case(by=ada)

    with pytest.raises(ChecksOutdated):
        propose(case, kind, by=ada)
    settings.CHECK_PROVIDERS = []
    propose(case, kind, by=ada)

    assert load(case).account


def test_nothing_is_confirmed_on_a_list_that_is_not_the_newest(make, ada, bob, tmp_path):
    proposal = propose(make(risk=Risk.HIGH), APPROVE, by=ada)
    load_list(tmp_path)

    with pytest.raises(ChecksOutdated):
        proposals.confirm(proposal, by=bob, at=later(hours=1))

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN
    assert not Account.objects.of_customers().exists()


def test_a_denial_is_confirmed_whatever_the_list(make, ada, bob, tmp_path):
    case = make()
    proposal = propose(case, DENY, by=ada)
    load_list(tmp_path)

    proposals.confirm(proposal, by=bob, at=NOON)

    assert load(case).status == Status.DENIED


def test_a_denial_waits_for_no_check(make, ada):
    case = make()
    make_check(make_check_run(case), source=CheckSource.MANUAL, result=CheckResult.WARN)

    assert propose(case, DENY, by=ada)

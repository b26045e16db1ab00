"""The documents and checks that a decision lacks by its rule."""

import pytest

from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    DocumentStatus,
    ProposalKind,
)
from onboarding.models import DocumentRule
from onboarding.queries.decision_evidence import list_lacking
from onboarding.queries.decision_policy import get_needs
from onboarding.queries.leads import open_lead_file
from tests.factories import make_check, make_check_run, make_document, make_owner
from tests.onboarding.cases import load, make_checked_case
from tests.onboarding.policies import set_rule

pytestmark = pytest.mark.django_db
APPROVE, TEMPORARILY = ProposalKind.APPROVE, ProposalKind.APPROVE_TEMPORARILY
LETTER, BILL, ID = "IRS_EIN_LETTER", "UTILITY_BILL", "GOVERNMENT_IDENTIFICATION"


@pytest.fixture
def case(ada):
    case = make_checked_case(by=ada)
    DocumentRule.objects.all().delete()
    DocumentRule.objects.create(
        business_type=case.lead.business_type,
        code="PROOF",
        accepted_types=[LETTER, BILL],
        message="A letter or a bill.",
    )
    return case


def lacking(case, kind=APPROVE):
    case = load(case)
    return list_lacking(get_needs(case, kind), open_lead_file(case))


def accept(document):
    document.status = DocumentStatus.ACCEPTED
    document.save()


def test_a_required_document_is_accepted_and_others_need_not_be(case):
    bill = make_document(case.lead, llc_file_type=BILL)
    make_document(case.lead, llc_file_type="OPERATING_AGREEMENT", file_name="more.pdf")

    before = lacking(case)
    accept(bill)
    after = lacking(case)

    assert before.unaccepted == [bill]
    assert before.sentences == ["Not accepted yet: A letter or a bill."]
    assert (after.unaccepted, after.sentences) == ([], [])


def test_one_accepted_document_of_a_slot_is_enough(case):
    accept(make_document(case.lead, llc_file_type=BILL))
    make_document(case.lead, llc_file_type=LETTER, file_name="letter.pdf")

    assert lacking(case).sentences == []


def test_a_document_that_staff_asked_for_is_accepted_too(case):
    accept(make_document(case.lead, llc_file_type=BILL))
    owner = make_owner(case.lead)
    case.document_requests = [
        {
            "llc_file_type": "PASSPORT",
            "reason": "Who is it?",
            "requested_at": "2026-03-01T00:00:00+00:00",
            "ubo_id": str(owner.external_id),
        }
    ]
    case.save()
    make_document(case.lead, llc_file_type="PASSPORT", file_name="applicant.pdf")
    passport = make_document(
        case.lead, owner=owner, llc_file_type="PASSPORT", file_name="owner.pdf"
    )

    before = lacking(case)
    accept(passport)

    assert before.unaccepted == [passport]
    assert before.sentences == ["Not accepted yet: Who is it?."]
    assert lacking(case).sentences == []


@pytest.mark.parametrize("kind", [TEMPORARILY, ProposalKind.DENY])
def test_other_decisions_of_the_release_need_no_accepted_document(case, kind):
    make_document(case.lead, llc_file_type=BILL)

    assert lacking(case, kind).sentences == []


def test_a_rule_names_further_documents(case):
    set_rule(1, decisions=[TEMPORARILY], document_kinds=[ID])
    card = make_document(case.lead, llc_file_type=ID)

    before = lacking(case, TEMPORARILY)
    accept(card)

    assert before.unaccepted == [card]
    assert before.sentences == ["Not accepted yet: Government identification."]
    assert lacking(case, TEMPORARILY).sentences == []


def test_a_rule_wants_a_check_with_a_document(case, ada):
    set_rule(1, check_codes=[CheckCode.ADDRESS_CONFIRMED])
    run = make_check_run(case)
    item = {"code": CheckCode.ADDRESS_CONFIRMED, "source": CheckSource.MANUAL, "by": ada}
    make_check(run, **item, result=CheckResult.FAIL)
    make_check(run, **item, result=CheckResult.PASS, note="Called the owner.")

    noted = lacking(case)
    make_check(run, **item, result=CheckResult.PASS, details={"document_id": "1"})

    assert noted.sentences == [
        "Name the document that shows it: The business works at its address."
    ]
    assert lacking(case).sentences == []


def test_a_denial_lacks_nothing(case):
    set_rule(1, document_kinds=[ID], needs_accepted_documents=True)

    assert lacking(case, ProposalKind.DENY).sentences == []

"""Documents of a case: accepted, rejected with a reason, named anew, and opened."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentSide, DocumentStatus, LlcFileType
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead
from onboarding.queries import audit
from onboarding.queries.leads import open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.services.documents import case_documents
from onboarding.services.documents.case_documents import NotReviewable
from onboarding.services.reviews import cases
from onboarding.services.reviews.cases import Incomplete, NotClaimed
from tests.factories import NOON, later, make_document
from tests.onboarding.cases import load, make_case, make_reviewer
from tests.onboarding.services.leads.test_submissions import make_complete_owner

REVIEWED = [
    Status.SUBMITTED,
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
]


@pytest.fixture
def ada(db):
    return make_reviewer()


@pytest.fixture
def case(ada):
    return make_case(by=ada)


@pytest.fixture
def document(case):
    return make_document(case.lead, llc_file_type="ARTICLES_OF_ORGANIZATION")


def named(document):
    return {"document_id": str(document.external_id), "llc_file_type": document.llc_file_type}


def missing(case):
    return list_missing_documents(open_lead_file(load(case)).requirements)


def events():
    return list(Event.objects.order_by("number").values_list("type", flat=True))


def test_a_document_is_accepted_and_the_partner_told(document, ada):
    case_documents.accept(document, by=ada, at=NOON)

    document.refresh_from_db()
    assert (document.status, document.status_reason) == (DocumentStatus.ACCEPTED, "")
    event = Event.objects.get()
    assert (event.type, event.sequence) == (EventType.DOCUMENT_ACCEPTED, 1)
    assert event.details == named(document)
    assert list(audit.find_faults()) == []


def test_accepting_twice_is_told_once(document, ada):
    for _ in range(2):
        case_documents.accept(document, by=ada, at=NOON)

    assert events() == [EventType.DOCUMENT_ACCEPTED]


def test_a_rejected_document_is_asked_for_again(case, document, ada):
    case_documents.reject(document, reason=" Page 2 is missing. ", by=ada, at=later(minutes=9))

    document.refresh_from_db()
    assert document.status == DocumentStatus.REJECTED
    assert document.status_reason == "Page 2 is missing."
    event = Event.objects.get()
    assert (event.type, event.sequence) == (EventType.DOCUMENT_REJECTED, 1)
    assert event.details == named(document)
    application = load(case)
    assert application.status == Status.IN_REVIEW
    assert application.document_requests == [
        {
            "llc_file_type": "ARTICLES_OF_ORGANIZATION",
            "reason": "Page 2 is missing.",
            "requested_at": later(minutes=9).isoformat(),
        }
    ]


def test_the_request_for_documents_takes_rejected_ones_along(case, document, ada):
    make_document(case.lead, llc_file_type="IRS_EIN_LETTER")
    case_documents.reject(document, reason="Blurred.", by=ada, at=NOON)

    cases.request_documents(load(case), {}, by=ada, at=NOON)

    event = Event.objects.get(type=EventType.DOCUMENTS_REQUIRED)
    assert event.details == {"missing_docs": ["ARTICLES_OF_ORGANIZATION"]}
    make_document(case.lead, llc_file_type="ARTICLES_OF_ORGANIZATION", uploaded_at=later(hours=1))
    assert missing(case) == []


def test_a_document_of_an_owner_is_asked_for_of_that_owner(case, ada):
    owner = make_complete_owner(case.lead)
    document = make_document(case.lead, owner=owner, llc_file_type="PASSPORT")

    case_documents.reject(document, reason="Expired.", by=ada, at=NOON)

    requests = load(case).document_requests
    assert [one["ubo_id"] for one in requests] == [str(owner.external_id)]


def test_rejecting_again_takes_the_place_of_the_first_time(case, document, ada):
    other = make_document(case.lead, llc_file_type="ARTICLES_OF_ORGANIZATION")

    case_documents.reject(document, reason="Blurred.", by=ada, at=NOON)
    case_documents.reject(other, reason="Cut off.", by=ada, at=NOON)

    assert [one["reason"] for one in load(case).document_requests] == ["Cut off."]


def test_a_rejected_document_may_be_accepted_after_all(case, document, ada):
    case_documents.reject(document, reason="Blurred.", by=ada, at=NOON)

    case_documents.accept(document, by=ada, at=NOON)

    document.refresh_from_db()
    assert (document.status, document.status_reason) == (DocumentStatus.ACCEPTED, "")
    assert load(case).document_requests == []


@pytest.fixture
def waiting(case, document, ada):
    """Return a document that was rejected, for another one of which the applicant is waited."""
    make_document(case.lead, llc_file_type="IRS_EIN_LETTER")
    case_documents.reject(document, reason="Blurred.", by=ada, at=NOON)
    cases.request_documents(load(case), {}, by=ada, at=NOON)
    assert load(case).status == Status.DOCUMENTS_REQUIRED
    return document


def test_the_review_goes_on_with_a_document_that_is_accepted_after_all(case, waiting, ada):
    case_documents.accept(waiting, by=ada, at=later(minutes=9))

    application = load(case)
    assert (application.status, application.claimed_by) == (Status.IN_REVIEW, ada)
    assert application.review_began_at == application.touched_at == later(minutes=9)
    last = Event.objects.latest("number")
    assert (last.type, last.who) == (EventType.IN_REVIEW, str(ada.external_id))
    assert list(audit.find_faults()) == []


def test_the_review_goes_on_with_a_document_that_turns_out_to_be_the_wanted_one(case, waiting, ada):
    sent = make_document(case.lead, llc_file_type="UTILITY_BILL", uploaded_at=later(minutes=5))

    case_documents.change_kind(
        sent, LlcFileType.ARTICLES_OF_ORGANIZATION, by=ada, at=later(minutes=9)
    )

    assert load(case).status == Status.IN_REVIEW
    assert events()[-2:] == [EventType.KIND_CHANGED, EventType.IN_REVIEW]


def test_the_review_goes_on_with_a_file_that_turns_out_to_be_the_proof_of_identity(case, ada):
    for kind in ("ARTICLES_OF_ORGANIZATION", "IRS_EIN_LETTER"):
        make_document(case.lead, llc_file_type=kind)
    cases.request_identity(case, [case.lead], by=ada, at=NOON)
    sent = make_document(case.lead, llc_file_type="UTILITY_BILL", uploaded_at=later(minutes=5))

    case_documents.change_kind(sent, LlcFileType.PASSPORT, by=ada, at=later(minutes=9))

    assert load(case).status == Status.IN_REVIEW
    assert events()[-2:] == [EventType.IDENTITY_COMPLETED, EventType.IN_REVIEW]


def test_while_something_is_missing_the_applicant_is_waited_for(case, waiting, ada):
    case_documents.accept(case.lead.documents.get(llc_file_type="IRS_EIN_LETTER"), by=ada, at=NOON)

    assert load(case).status == Status.DOCUMENTS_REQUIRED


def test_an_accepted_document_may_be_rejected_after_all(document, ada):
    case_documents.accept(document, by=ada, at=NOON)

    case_documents.reject(document, reason="It has expired.", by=ada, at=NOON)

    assert events() == [EventType.DOCUMENT_ACCEPTED, EventType.DOCUMENT_REJECTED]


def test_what_nobody_knows_the_kind_of_is_rejected_without_a_request(case, ada):
    document = make_document(case.lead)

    case_documents.reject(document, reason="What is this?", by=ada, at=NOON)

    assert load(case).document_requests == []


@pytest.mark.parametrize("reason", ["", "  ", "x" * 256])
def test_a_rejection_has_a_reason(document, ada, reason):
    with pytest.raises(Incomplete):
        case_documents.reject(document, reason=reason, by=ada, at=NOON)

    assert not Event.objects.exists()


def test_a_document_is_named_what_it_is(document, ada):
    case_documents.change_kind(document, LlcFileType.UTILITY_BILL, by=ada, at=NOON)

    document.refresh_from_db()
    assert document.llc_file_type == "UTILITY_BILL"
    event = Event.objects.get()
    assert (event.type, event.sequence) == (EventType.KIND_CHANGED, None)
    before = {"previous_llc_file_type": "ARTICLES_OF_ORGANIZATION"}
    assert event.details == {**named(document), **before}


def test_a_document_that_is_that_already_is_left_alone(document, ada):
    case_documents.change_kind(document, document.llc_file_type, by=ada, at=NOON)

    assert not Event.objects.exists()


def test_the_same_file_is_not_there_twice_as_one_kind(case, document, ada):
    same = {"sha256": document.sha256, "file_name": document.file_name}
    make_document(case.lead, llc_file_type="UTILITY_BILL", **same)

    with pytest.raises(NotReviewable, match="as that kind already"):
        case_documents.change_kind(document, LlcFileType.UTILITY_BILL, by=ada, at=NOON)

    document.refresh_from_db()
    assert document.llc_file_type == "ARTICLES_OF_ORGANIZATION"
    assert not Event.objects.exists()


STEPS = [
    lambda one, by: case_documents.accept(one, by=by, at=NOON),
    lambda one, by: case_documents.reject(one, reason="Blurred.", by=by, at=NOON),
    lambda one, by: case_documents.change_kind(one, LlcFileType.PASSPORT, by=by, at=NOON),
]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("status", [DocumentStatus.QUARANTINED, DocumentStatus.REPLACED])
def test_what_is_quarantined_or_replaced_is_not_judged(case, ada, step, status):
    document = make_document(case.lead, status=status, llc_file_type="UTILITY_BILL")

    with pytest.raises(NotReviewable):
        step(document, ada)

    document.refresh_from_db()
    assert document.status == status
    assert not Event.objects.exists()


@pytest.mark.parametrize("step", STEPS)
def test_whoever_has_not_got_the_case_judges_nothing(document, step):
    with pytest.raises(NotClaimed):
        step(document, make_reviewer())

    assert not Event.objects.exists()


@pytest.mark.parametrize("status", Status)
def test_documents_are_judged_while_the_case_is(case, document, ada, status):
    Application.objects.update(status=status)
    Lead.objects.update(identity_status="REQUESTED")

    if status in REVIEWED:
        case_documents.accept(document, by=ada, at=NOON)
    else:
        with pytest.raises(NotReviewable):
            case_documents.accept(document, by=ada, at=NOON)

    assert load(case).status == status


def test_whoever_opens_a_document_is_written_down(document):
    auditor = make_reviewer()

    case_documents.note_opened(document, by=auditor, at=NOON)

    event = Event.objects.get()
    assert (event.type, event.who) == (EventType.DOCUMENT_OPENED, str(auditor.external_id))
    assert (event.details, event.sequence) == (named(document), None)
    assert Application.objects.get().touched_at == NOON  # by the claim, not by this


def test_of_two_judges_at_once_the_documents_chain_stays_whole(in_threads):
    ada = make_reviewer()
    case = make_case(by=ada)
    documents = [make_document(case.lead, llc_file_type="UTILITY_BILL") for _ in range(4)]

    outcomes = in_threads(
        lambda one: case_documents.reject(one, reason=one.file_name, by=ada, at=NOON), documents
    )

    assert not [one for one in outcomes if isinstance(one, Exception)]
    assert len(load(case).document_requests) == 1
    assert list(audit.find_faults()) == []


def test_of_a_rejected_side_of_a_card_only_this_side_is_asked_for(case, ada):
    kind = LlcFileType.GOVERNMENT_IDENTIFICATION
    front, back = (make_document(case.lead, llc_file_type=kind, side=one) for one in DocumentSide)

    case_documents.reject(back, reason="Too dark.", by=ada, at=NOON)
    case_documents.reject(front, reason="Cut off.", by=ada, at=NOON)
    case_documents.reject(back, reason="Blurred.", by=ada, at=NOON)

    asked = [(one["side"], one["reason"]) for one in load(case).document_requests]
    assert asked == [("FRONT", "Cut off."), ("BACK", "Blurred.")]

"""Documents that a member of staff has not looked at."""

import pytest

from onboarding.choices import DocumentStatus
from onboarding.event_types import EventType
from onboarding.queries.documents import list_unopened
from onboarding.services.documents import case_documents
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT
from tests.factories import NOON, make_application, make_document
from tests.onboarding.cases import make_reviewer


@pytest.fixture
def lead(db):
    return make_application().lead


def test_a_document_is_unopened_until_one_of_the_users_opens_it(lead):
    ada, bob, dora = make_reviewer(), make_reviewer(), make_reviewer()
    first, second = make_document(lead), make_document(lead)

    case_documents.note_opened(first, by=ada, at=NOON)

    assert list_unopened([first, second], by=[ada]) == [second]
    assert list_unopened([first, second], by=[bob, ada]) == [second]
    assert list_unopened([first, second], by=[bob, dora]) == [first, second]


@pytest.mark.parametrize("status", sorted({*DocumentStatus} - {DocumentStatus.RECEIVED}))
def test_only_received_documents_are_unopened(lead, status):
    is_stored = status not in {DocumentStatus.PENDING, DocumentStatus.NOT_FETCHED}
    document = make_document(lead, status=status, **({} if is_stored else WITHOUT_FILE))

    assert list_unopened([document], by=[make_reviewer()]) == []


WITHOUT_FILE = {"file": "", "sha256": "", "source_url": "https://partner.example/a.pdf"}


def test_an_event_of_somebody_else_opens_nothing(lead):
    document = make_document(lead)
    named = {"document_id": str(document.external_id)}
    application = lead.applications.get()
    application.lead = lead
    history.record(application, EventType.DOCUMENT_OPENED, by=APPLICANT, at=NOON, **named)

    assert list_unopened([document], by=[make_reviewer()]) == [document]


def test_documents_of_a_lead_take_one_statement(lead, django_assert_num_queries):
    ada, documents = make_reviewer(), [make_document(lead) for _ in range(3)]

    with django_assert_num_queries(1):
        list_unopened(documents, by=[ada])
    with django_assert_num_queries(0):
        list_unopened([], by=[ada])

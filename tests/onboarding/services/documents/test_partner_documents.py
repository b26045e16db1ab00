"""Documents that a partner adds to a lead."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Document, Lead
from onboarding.services.applications import attempts
from onboarding.services.documents import partner_documents
from onboarding.services.leads import registration
from tests.factories import NOON
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import EMAIL, customer_id, incoming

CLOSED = [Status.DENIED, Status.EXPIRED, Status.WITHDRAWN]
SUBMITTED = [Status.SUBMITTED, Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]
APPROVED = [Status.APPROVED, Status.APPROVED_TEMPORARY]


@pytest.fixture
def files(stored_files):
    return stored_files


@pytest.fixture
def upload(make_partner):
    partner = make_partner()
    write(registration.create_lead, partner=partner, details={"email": EMAIL}, at=NOON)

    def upload(*sent):
        return write(
            partner_documents.upload_documents,
            partner=partner,
            customer_id=customer_id(),
            incoming=sent,
            at=NOON,
        )

    return upload


def test_new_and_known_documents_come_back_in_their_order(upload, files):
    upload(incoming(b"%PDF-1.7 one"))

    _, attached = upload(incoming(b"%PDF-1.7 two"), incoming(b"%PDF-1.7 one"))

    assert [one.is_duplicate for one in attached] == [False, True]
    assert len(files()) == Document.objects.count() == 2


def test_only_a_new_document_is_an_update_of_the_lead(upload):
    Lead.objects.update(updated_at=NOON)
    upload(incoming())
    first = Lead.objects.get().updated_at
    upload(incoming())

    assert NOON < first == Lead.objects.get().updated_at


@pytest.mark.parametrize("status", CLOSED)
def test_a_closed_application_takes_no_documents(upload, status, files):
    Application.objects.update(status=status)

    with pytest.raises(attempts.ApplicationClosed):
        upload(incoming())

    assert files() == []


@pytest.mark.parametrize("status", [*SUBMITTED, *APPROVED])
def test_a_submitted_application_takes_documents(upload, status):
    Application.objects.update(status=status)

    assert upload(incoming())[1][0].is_duplicate is False

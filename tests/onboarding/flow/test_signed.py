"""The page of what was signed, and its PDF."""

import pytest
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, FlowSession, SignedRecord
from onboarding.services.access import sessions
from tests.factories import make_application
from tests.onboarding.flow.conftest import Flow
from tests.onboarding.services.leads.test_submissions import make_complete, submit


@pytest.fixture(autouse=True)
def key_file(settings, tmp_path):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"


@pytest.fixture
def flow(db):
    """A browser whose application was signed today."""
    application = make_complete()
    now = timezone.now()
    Application.objects.update(link_expires_at=now + (now - application.created_at))
    flow = Flow(application)
    flow.come_in()
    submit(application, at=now)
    return flow


def test_the_status_leads_to_what_was_signed(flow):
    assert flow.path("signed") in flow.get("status").content.decode()

    page = flow.get("signed").content.decode()

    record = SignedRecord.objects.get()
    for said in ("Analytical Engines LLC", "ending in 6789", record.digest, "José Núñez-Ortega"):
        assert said in page
    assert flow.application.reference in page
    assert flow.path("legal/ACCOUNT_AGREEMENT") in page
    assert flow.path("signed.pdf") in page


def test_the_file_is_saved_under_the_reference(flow):
    response = flow.get("signed.pdf")

    assert response.content.startswith(b"%PDF-")
    assert response["Content-Type"] == "application/pdf"
    name = f"application-{flow.application.reference}.pdf"
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'


@pytest.mark.parametrize("page", ["signed", "signed.pdf"])
def test_before_the_signature_there_is_nothing(make_flow, page):
    flow = make_flow()
    flow.come_in()

    assert flow.get(page).status_code == 404
    assert flow.path("signed") not in flow.get("status").content.decode()


@pytest.mark.parametrize("page", ["signed", "signed.pdf"])
def test_without_a_session_nothing_is_shown(flow, page):
    FlowSession.objects.all().delete()

    assert flow.get(page).status_code == 303


def test_a_signature_before_records_were_kept_has_no_link(make_flow):
    flow = make_flow(status=Status.IN_REVIEW)
    flow.come_in()

    assert flow.path("signed") not in flow.get("status").content.decode()


def test_a_frame_saves_the_file_with_the_key_of_the_session(flow):
    opened = sessions.open_session(
        flow.application, language="en", at=timezone.now(), is_embedded=True
    )
    root = f"/connect/v1/frame/{flow.lead.external_id}"
    headers = {"Authorization": f"Bearer {opened.key}"}

    page = flow.client.get(f"{root}/signed", headers=headers).content.decode()

    assert f'href="{root}/signed.pdf" data-preview="application-' in page
    assert flow.client.get(f"{root}/signed.pdf", headers=headers).status_code == 200
    other = make_application(at=timezone.now())
    path = f"/connect/v1/frame/{other.lead.external_id}/signed"
    assert flow.client.get(path, headers=headers).status_code == 401

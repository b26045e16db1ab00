"""What a partner reads of what the applicant signed."""

import base64

import pytest

from onboarding.models import SignedRecord
from tests.factories import lead_body
from tests.onboarding.conftest import codes


@pytest.fixture(autouse=True)
def key_file(settings, tmp_path):
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"


@pytest.fixture
def lead(api):
    body = lead_body(documentDataList=[], documentUrls=[], duns="987654321")
    return api.create(**body)["customerId"]


def test_what_was_signed_is_returned_with_a_signed_pdf(api, lead):
    assert api.post(f"sandbox/{lead}/submit").status_code == 200

    response = api.get(f"lead/{lead}/signed-record")

    body, record = response.json(), SignedRecord.objects.get()
    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    assert body.keys() == {
        "reference",
        "language",
        "signedName",
        "signedAt",
        "digest",
        "sections",
        "documents",
        "texts",
        "pdf",
    }
    assert (body["digest"], body["reference"]) == (record.digest, record.application.reference)
    assert {"label": "Name", "value": "Ada Example"} in body["sections"][1]["lines"]
    assert body["texts"][0].keys() == {"text", "version", "language", "title", "sha256"}
    assert body["signedAt"].endswith("Z")
    assert base64.b64decode(body["pdf"]).startswith(b"%PDF-")
    assert "6789" in response.content.decode()
    for number in ("123456789", "123-45-6789", "12-3456789"):
        assert number not in response.content.decode()


def test_before_the_signature_there_is_none(api, lead):
    response = api.get(f"lead/{lead}/signed-record")

    assert (response.status_code, codes(response)) == (404, {None: "RESOURCE_NOT_FOUND"})


def test_another_partner_finds_no_lead(api, other_api, lead):
    api.post(f"sandbox/{lead}/submit")

    response = other_api.get(f"lead/{lead}/signed-record")

    assert (response.status_code, codes(response)) == (404, {None: "LEAD_NOT_FOUND"})

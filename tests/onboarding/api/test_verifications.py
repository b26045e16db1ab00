"""Verifications that a partner hands in."""

import pytest

from onboarding.models import Application, Partner, PartnerVerification
from tests.factories import make_document
from tests.onboarding.conftest import codes


@pytest.fixture
def lead(api):
    answer = api.create(email="ada@example.com")
    Partner.objects.update(reliance_contract="Annex 3")
    return Application.objects.get(lead__external_id=answer["customerId"]).lead


@pytest.fixture
def body(lead):
    return {
        "kind": "IDENTITY",
        "method": "IN_PERSON",
        "date": "2026-03-02",
        "reference": "kyc-77",
        "documentIds": [str(make_document(lead).external_id)],
    }


def test_a_verification_is_received(api, lead, body):
    answer = api.post(f"lead/{lead.external_id}/verifications", body)

    made = PartnerVerification.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "verificationId": str(made.external_id),
        "uboId": None,
        "warnings": [],
        **body,
    }


def test_a_retry_adds_nothing(api, lead, body):
    path = f"lead/{lead.external_id}/verifications"

    first, again = (api.post(path, body, Idempotency_Key="k1") for _ in range(2))

    assert first.json() == again.json()
    assert PartnerVerification.objects.count() == 1


def test_without_a_contract_the_error_says_so(api, lead, body):
    Partner.objects.update(reliance_contract="")

    answer = api.post(f"lead/{lead.external_id}/verifications", body)

    assert answer.status_code == 403
    assert list(codes(answer).values()) == ["RELIANCE_NOT_AGREED"]


def test_every_missing_value_is_named(api, lead):
    answer = api.post(f"lead/{lead.external_id}/verifications", {})

    assert codes(answer) == dict.fromkeys(
        ["/kind", "/method", "/date", "/reference", "/documentIds"], "REQUIRED_FIELD_MISSING"
    )


def test_another_partners_lead_is_not_found(api, body, make_lead):
    other = make_lead()

    assert api.post(f"lead/{other.external_id}/verifications", body).status_code == 404

"""Real calls, good and bad: the fixture of this folder holds each answer against the document."""

import pytest
from django.db import OperationalError

from onboarding.queries import leads
from tests.factories import document_data, lead_body
from tests.onboarding.api.described import DOCUMENT, error_body, faults_of_answer, find_operation
from tests.onboarding.conftest import PartnerApi


def test_the_examples_work(api):
    paths = DOCUMENT["paths"]
    lead = example(paths["/service/api/v1/lead"]["put"])
    customer_id = api.create(**lead)["customerId"]
    update = example(paths["/service/api/v1/lead/{customerId}"]["post"])
    upload = example(paths["/service/api/v1/lead/{customerId}/upload"]["put"])

    assert api.post(f"lead/{customer_id}", update).status_code == 200
    assert api.put(f"lead/{customer_id}/upload", upload).status_code == 200

    webhook = api.put("webhooks", example(paths["/service/api/v1/webhooks"]["put"])).json()
    one = "/service/api/v1/webhooks/{webhookId}"
    path = f"webhooks/{webhook['externalId']}"
    assert api.post(path, example(paths[one]["post"])).status_code == 200
    assert api.post(f"{path}/recover", example(paths[f"{one}/recover"]["post"])).status_code == 202


def example(operation):
    [found] = operation["requestBody"]["content"]["application/json"]["examples"].values()
    return found["value"]


def test_a_life_of_a_lead_is_as_described(api):
    lead = api.create(**lead_body())
    path = f"lead/{lead['customerId']}"
    documents = {"documentDataList": [document_data()]}

    assert api.put("lead", lead_body(hat=1), Idempotency_Key="k").status_code == 201
    assert api.put("lead", lead_body(hat=1), Idempotency_Key="k")["Idempotent-Replayed"] == "true"
    assert api.put("lead?validateOnly=true", lead_body(ssn="1")).json()["valid"] is False
    assert api.post(path, lead_body(line2=None)).status_code == 200
    assert api.put(f"{path}/upload", documents).status_code == 200
    assert api.put(f"{path}/upload", documents).json()["documents"][0]["duplicate"] is True
    assert api.get(path).json()["documents"][0]["status"] == "PENDING"
    assert api.get("lead?limit=1").json()["leads"][0]["customerId"] == lead["customerId"]
    assert api.post(f"{path}/session").status_code == 200
    assert api.delete(path).json()["status"] == "WITHDRAWN"
    assert api.get(path).status_code == 200


@pytest.mark.parametrize("path", ["errors", "lifecycle", "document-rules"])
def test_what_the_interface_tells_of_itself_is_as_described(api, path):
    assert api.get(f"meta/{path}", Authorization=None).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "application/xml"])
@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("PUT", "lead", b"{", {}, 400),
        ("PUT", "lead", {"email": "nobody", "uboList": [{"ssn": 1}]}, {}, 400),
        ("PUT", "lead", {}, {"Authorization": None}, 401),
        ("PUT", "lead", {"email": "a@example.com"}, {"Content_Type": "text/plain"}, 415),
        ("PUT", "lead", {"email": "b@example.com", "uniqueId": "taken"}, {}, 409),
        ("PUT", "lead", {"email": "b@example.com"}, {"Idempotency_Key": "used"}, 422),
        ("PUT", "lead", b" " * 40_000_000, {}, 413),
        ("POST", "lead", {}, {}, 405),
        ("GET", "lead?limit=0", None, {}, 400),
        ("GET", "lead/nobody", None, {}, 404),
        ("POST", "lead/nobody", {"email": "a@example.com"}, {}, 404),
        ("PUT", "lead/nobody/upload", {"documentDataList": [document_data()]}, {}, 404),
        ("DELETE", "lead/nobody", None, {}, 404),
        ("PUT", "webhooks", {"serverUrl": "https://10.0.0.1"}, {}, 400),
        ("GET", "webhooks/nobody", None, {}, 404),
        ("POST", "webhooks/nobody/deliveries/nobody/redeliver", None, {}, 404),
        ("GET", "events?after=evt_0", None, {}, 404),
        ("GET", "nowhere", None, {}, 404),
    ],
)
def test_errors_are_as_described(api, accept, method, path, body, headers, status):
    api.put("lead", {"email": "a@example.com", "uniqueId": "taken"}, Idempotency_Key="used")

    response = api.call(method, path, body, Accept=accept, **headers)

    assert response.status_code == status
    assert error_body(response)["httpStatus"] == status


def test_a_key_that_may_not_is_refused_as_described(api):
    api.key.permissions = []
    api.key.save()

    assert api.get("lead").status_code == 403


@pytest.mark.parametrize(("failure", "status"), [(OperationalError, 503), (ZeroDivisionError, 500)])
def test_our_own_failures_are_as_described(api, monkeypatch, failure, status):
    def fail(**_):
        raise failure

    monkeypatch.setattr(leads, "search_applications", fail)

    assert api.get("lead").status_code == status


def test_a_used_up_limit_is_as_described(api, settings):
    settings.RATE_LIMIT_FACTOR, settings.CALLS_PER_MINUTE = 1, 1

    assert [api.get("lead").status_code for _ in range(2)] == [200, 429]


def test_an_answer_that_is_not_described_is_found(api, monkeypatch):
    monkeypatch.undo()
    response = PartnerApi.call(api, "GET", "lead")
    response.headers["X-Secret"] = "1"
    response.content = b'{"leads": [{}], "nextCursor": 5}'

    faults = faults_of_answer(response)

    assert "X-Secret is not declared" in faults
    assert any(fault.startswith("$.nextCursor: type") for fault in faults)
    assert find_operation("PATCH", "/service/api/v1/lead") is None


@pytest.mark.parametrize("path", ["lead", "lead/nobody", "lead?limit=0", "nowhere"])
def test_no_cache_keeps_an_answer(api, path):
    assert api.get(path)["Cache-Control"] == "no-store"


def test_no_cache_keeps_a_refusal_without_a_key(client, db):
    assert client.get("/service/api/v1/lead")["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", ["meta/errors", "meta/lifecycle", "openapi.json"])
def test_what_is_the_same_for_everybody_may_be_kept(client, db, path):
    assert not client.get(f"/service/api/v1/{path}").has_header("Cache-Control")

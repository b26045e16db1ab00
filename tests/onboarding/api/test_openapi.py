"""The OpenAPI document is valid, complete, and says what the code does."""

import json
import re

import pytest
from django.core.management import call_command
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from banking.choices import BusinessType
from onboarding import validators
from onboarding.api import openapi, urls
from onboarding.api.request_serializers import CharField, ListField, RequestSerializer
from onboarding.api.serializers import LeadUpdateSerializer, UploadSerializer
from onboarding.api.webhook_requests import WebhookSerializer
from onboarding.choices import (
    ApplicationStatus,
    ClockMoveStatus,
    DeliveryStatus,
    DenialReason,
    LlcFileType,
    OwnerRole,
    ShownDeliveryStatus,
)
from onboarding.errors import ErrorCode, InvalidValue
from onboarding.event_types import TEST_EVENT, EventType, sent_choices
from onboarding.names import camel
from onboarding.services.events.payloads import compose, compose_test
from onboarding.services.webhooks.endpoints import check_server_url
from tests.factories import NOON
from tests.onboarding.api.described import DOCUMENT, faults_of, operations, resolve
from tests.onboarding.conftest import codes

OPERATIONS = operations()
SCHEMAS = DOCUMENT["components"]["schemas"]
KEYED = [call for call, operation in OPERATIONS.items() if "security" in operation]
WRITES = {
    "createLead": "201", "updateLead": "200", "uploadDocuments": "200", "createWebhook": "201",
    "rotateWebhookSecret": "200", "advanceClock": "200",
    "addVerification": "201", "updateReminders": "200",
}  # fmt: skip


def nodes(node):
    """Yield every object of the document."""
    if isinstance(node, dict):
        yield node
    for child in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from nodes(child)


# The document by itself


def test_the_document_is_valid_openapi():
    validate_schema(DOCUMENT)

    assert DOCUMENT["openapi"] == "3.1.0"
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


def test_every_reference_leads_somewhere():
    for node in nodes(DOCUMENT):
        resolve(node)


def test_making_it_gives_no_warning(tmp_path):
    call_command("spectacular", "--validate", "--fail-on-warn", file=str(tmp_path / "openapi.yaml"))


def test_the_committed_document_names_no_deployment(tmp_path, settings):
    call_command("spectacular", file=str(tmp_path / "openapi.yaml"))

    text = (tmp_path / "openapi.yaml").read_text()
    assert "https://api.example.com" in text
    assert settings.BASE_URL not in text
    assert "127.0.0.1" not in text


def test_the_served_document_names_this_deployment(settings):
    assert DOCUMENT["servers"] == [{"url": settings.BASE_URL, "description": "sandbox"}]


def test_the_document_is_only_read(api):
    response = api.post("openapi.json")

    assert codes(response) == {None: "METHOD_NOT_ALLOWED"}


# Operations


def id_named(found):
    return f"{{{camel(found[1])}}}"


@pytest.mark.parametrize("pattern", urls.urlpatterns, ids=lambda pattern: pattern.name)
def test_every_path_and_method_is_described(pattern):
    path = "/service/api/v1/" + re.sub(r"<str:(\w+)>", id_named, str(pattern.pattern))
    methods = set() if pattern.name in {"openapi", "docs"} else {"get", "put", "post", "delete"}
    served = {method for method in methods if hasattr(pattern.callback.view_class, method)}

    assert set(DOCUMENT["paths"].get(path, {})) == served


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda it: it["operationId"])
def test_every_operation_is_readable(operation):
    assert operation["summary"]
    assert operation["tags"][0] in {"leads", "webhooks", "sandbox", "meta", "bank records"}
    for parameter in operation["parameters"]:
        assert (
            parameter.get("description")
            or "$ref" in parameter["schema"]
            or "default" in str(parameter)
        )
    for response in operation["responses"].values():
        assert resolve(response)["description"]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_answer_declares_its_headers_and_both_formats_of_errors(method, path):
    always = {"X-Request-Id", "API-Version"}
    always |= {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}

    for status, reference in OPERATIONS[method, path]["responses"].items():
        response = resolve(reference)
        assert always <= set(response["headers"])
        assert ("WWW-Authenticate" in response["headers"]) == (status == "401")
        if status in {"429", "503"}:
            assert "Retry-After" in response["headers"]
        if status >= "400":
            assert set(response["content"]) == {"application/json", "application/xml"}


@pytest.mark.parametrize(("method", "path"), KEYED)
def test_every_keyed_operation_refuses_a_call_without_a_key(client, db, method, path):
    key = "bankKey" if path.startswith("/service/bank/") else "accessKey"
    assert OPERATIONS[method, path]["security"] == [{key: []}]

    for authorization in (None, "Vestibule ak_sb_x:sk_sb_y"):
        headers = {"Authorization": authorization} if authorization else {}
        url = re.sub(r"\{\w+\}", "1", path)
        response = client.generic(method, url, headers=headers)
        assert response.status_code == 401


@pytest.mark.parametrize("operation_id", WRITES)
def test_writes_take_an_idempotency_key(operation_id):
    [operation] = [it for it in OPERATIONS.values() if it["operationId"] == operation_id]
    success = operation["responses"][WRITES[operation_id]]

    assert "Idempotency-Key" in {parameter["name"] for parameter in operation["parameters"]}
    assert "Idempotent-Replayed" in success["headers"]
    assert "Retry-After" in resolve(operation["responses"]["409"])["headers"]
    assert "422" in operation["responses"]


def test_every_error_can_be_answered_by_an_operation():
    apart = {"METHOD_NOT_ALLOWED"}  # this is of paths, not of operations
    declared = {
        name
        for operation in OPERATIONS.values()
        for response in operation["responses"].values()
        for name in re.findall(r"`([A-Z0-9_]+)`", resolve(response)["description"])
    }

    assert {code.name for code in ErrorCode} - apart == declared


@pytest.mark.parametrize(
    ("path", "name", "answered"),
    [("lead", "customerId", "customerId"), ("webhooks", "webhookId", "externalId")],
)
def test_what_was_created_leads_to_every_operation_on_it(path, name, answered):
    links = DOCUMENT["paths"][f"/service/api/v1/{path}"]["put"]["responses"]["201"]["links"]

    assert set(links) == {
        operation["operationId"]
        for (_, template), operation in OPERATIONS.items()
        if re.findall(r"\{(\w+)\}", template) == [name]
    }
    for link in links.values():
        assert link["parameters"] == {name: f"$response.body#/{answered}"}


def test_each_type_of_event_is_described_as_it_is_sent(make_event):
    webhooks = DOCUMENT["webhooks"]
    types = [value for value, _ in sent_choices()]
    assert list(webhooks) == types
    events = {event_type: make_event(event_type=EventType(event_type)) for event_type in types[:-1]}
    bodies = {name: compose(event) for name, event in events.items()}
    bodies[TEST_EVENT] = compose_test("evt_1", at=NOON)

    for name, body in bodies.items():
        content = webhooks[name]["post"]["requestBody"]["content"]["application/json"]
        other = "application.approved" if name != "application.approved" else TEST_EVENT
        assert faults_of(content["schema"], json.loads(body)) == []
        assert faults_of(content["schema"], json.loads(bodies[other])) != []


def test_the_catalogue_is_in_the_document():
    described = DOCUMENT["paths"]["/service/api/v1/meta/errors"]["get"]["description"]

    for code in ErrorCode:
        assert f"| {code.number} | `{code.name}` | {code.http_status} |" in described


# Schemas


@pytest.mark.parametrize(
    ("name", "required"),
    [
        ("LeadRequest", {"email"}),
        ("LeadUpdateRequest", {"email"}),
        ("OwnerRequest", set()),
        ("OwnerUpdateRequest", {"email"}),
        ("DocumentDataRequest", {"content", "contentType", "fileName"}),
        ("NewLeadDocumentRequest", {"content", "contentType", "fileName"}),
        ("UploadRequest", {"documentDataList"}),
        ("AddressRequest", set()),
        ("EddAnswerRequest", set()),
        ("WebhookRequest", {"serverUrl"}),
        ("WebhookUpdateRequest", set()),
        ("RecoveryRequest", {"since"}),
    ],
)
def test_requests_require_what_the_contract_requires(name, required):
    assert set(SCHEMAS[name].get("required", [])) == required


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("BusinessType", BusinessType.values),
        ("LlcFileType", LlcFileType.values),
        ("NewLeadLlcFileType", [value for value, _ in LlcFileType.choices_on_create()]),
        ("OwnerRole", OwnerRole.values),
        ("ApplicationStatus", ApplicationStatus.values),
        ("ClockMoveStatus", ClockMoveStatus.values),
        ("DeliveryStatus", ShownDeliveryStatus.values),
        ("DenialReason", DenialReason.values),
        ("WebhookStatus", ["ACTIVE", "DISABLED"]),
        ("WebhookType", ["ONBOARDING", "PAYMENT", "ALL"]),
        ("WebhookVersion", ["V2_0"]),
        ("SentType", [value for value, _ in sent_choices()]),
    ],
)
def test_closed_sets_are_named_and_spelled_as_in_the_contract(name, values):
    assert SCHEMAS[name]["enum"] == values


def test_a_delivery_is_shown_by_its_status_or_as_held():
    held = ("HELD", "Held: webhook disabled")

    assert set(ShownDeliveryStatus.choices) == {*DeliveryStatus.choices, held}


def test_no_other_enum_got_a_made_up_name():
    enums = {name for name, schema in SCHEMAS.items() if "enum" in schema}

    assert enums == {
        "Activity", "ApplicationStatus", "BlankEnum", "BusinessType", "ChangeDenialReason",
        "ChangeStatus", "DeliveryStatus",
        "AccountStatus", "ClockMoveStatus", "DenialReason",
        "DocumentStatus", "EventType", "FeedResult", "Font", "IdentityStatus", "InvitationStatus",
        "LegalText", "LlcFileType", "NewLeadLlcFileType",
        "OwnerRole", "Party", "PaymentMethod", "RequirementKind", "Role", "SentType", "StatusGroup",
        "VerificationKind", "VerificationMethod",
        "WarningCode", "WebhookStatus", "WebhookType", "WebhookVersion",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("check", "texts"),
    [
        (validators.phone_number, ["+12025550123", "+442071838750"]),
        (validators.ssn, ["123-45-6789", "123456789", "912-34-5678"]),
        (validators.ein, ["12-3456789", "123456789"]),
        (validators.state, ["NY", "pr"]),
        (validators.country, ["US", "gb"]),
        (validators.naics_code, ["54", "541511"]),
        (validators.duns, ["123456789", "12-345-6789"]),
        (validators.https_url, ["https://example.com/a", "HTTPS://EXAMPLE.COM"]),
        (check_server_url, ["https://hooks.example.com/a?b", "http://localhost:9000"]),
        (validators.content_type, ["text/plain; charset=utf-8", "image/svg+xml", "a/b ;c=d"]),
        (validators.file_name, ["a.pdf", "año nuevo.pdf", "-"]),
        (validators.email, ["ada@example.com"]),
    ],
)
def test_what_a_check_passes_its_pattern_passes(check, texts):
    for text in texts:
        check(text)
        assert faults_of(openapi.CHECKED[check], text) == []


@pytest.mark.parametrize(
    ("check", "texts"),
    [
        (validators.phone_number, ["12025550123", "+02025550123", "+1202555012345678"]),
        (validators.ssn, ["000-45-6789", "666456789", "123-00-6789", "123-450000", "123-456789"]),
        (validators.ein, ["07-3456789", "12-345678"]),
        (validators.state, ["N", "New York"]),
        (validators.country, ["USA", "U1"]),
        (validators.naics_code, ["5", "5415110"]),
        (validators.duns, ["12345678", "123-456-789"]),
        (validators.https_url, ["http://example.com", "example.com"]),
        (check_server_url, ["ftp://hooks.example.com", "https://hooks.example.com/#a"]),
        (validators.content_type, ["pdf", "text/", "text /plain", "a/b c"]),
        (validators.file_name, ["a/b", "a\\b", "a\tb", ""]),
    ],
)
def test_what_a_pattern_refuses_its_check_refuses(check, texts):
    for text in texts:
        with pytest.raises(InvalidValue):
            check(text)
        assert faults_of(openapi.CHECKED[check], text) != []


def test_every_check_of_a_text_is_in_the_document():
    plain = {validators.region}  # whose rule depends on the country

    assert {*openapi.CHECKED, *plain} == set(text_checks())


def text_checks():
    pending = [LeadUpdateSerializer(), UploadSerializer(), WebhookSerializer()]
    while pending:
        field = pending.pop()
        if isinstance(field, RequestSerializer):
            pending += field.fields.values()
        elif isinstance(field, ListField):
            pending.append(field.child)
        elif isinstance(field, CharField) and field.check:
            yield field.check


def test_answers_name_the_xml_of_errors():
    assert SCHEMAS["Error"]["xml"] == {"name": "error"}
    assert SCHEMAS["ErrorItem"]["xml"] == {"name": "errors"}

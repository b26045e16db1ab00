"""The resource of webhooks, as a partner meets it."""

import json

import pytest
from django.utils import timezone
from standardwebhooks.webhooks import Webhook as Verifier

from onboarding.models import IdempotencyRecord, Webhook
from tests.onboarding.conftest import PartnerApi, codes

URL = "https://hooks.example.com/in"
SECRETS = {"token", "signingSecret"}


@pytest.fixture
def register(api):
    """Register a webhook and return the answer's JSON."""

    def register(**values):
        response = api.put("webhooks", {"serverUrl": URL, **values})
        assert response.status_code == 201, response.content
        return response.json()

    return register


# Create


def test_a_webhook_is_registered_with_one_url(api):
    response = api.put("webhooks", {"serverUrl": URL})

    answer = response.json()
    webhook = Webhook.objects.get()
    assert response.status_code == 201
    assert answer == {
        "externalId": str(webhook.external_id),
        "token": webhook.token,
        "signingSecret": webhook.signing_secret,
        "serverUrl": URL,
        "status": "ACTIVE",
        "version": "V2_0",
        "type": "ALL",
        "eventTypes": [],
        "description": "",
        "failingSince": None,
        "disabledReason": "",
        "createdAt": webhook.created_at.isoformat().replace("+00:00", "Z"),
        "chaos": None,
        "warnings": [],
    }
    assert webhook.partner == api.partner


def test_its_secret_signs_what_others_verify(register):
    verifier = Verifier(register()["signingSecret"])

    signature = verifier.sign("evt_1", timezone.now(), "{}")

    assert signature.startswith("v1,")


def test_everything_may_be_said(register):
    answer = register(
        type="ONBOARDING",
        version="V2_0",
        status="DISABLED",
        eventTypes=["account.opened", "application.denied", "account.opened"],
        description=" For tests ",
        chaos={"drop": 0.25, "delaySeconds": 3},
    )

    assert answer["eventTypes"] == ["account.opened", "application.denied"]
    assert (answer["type"], answer["status"]) == ("ONBOARDING", "DISABLED")
    assert answer["disabledReason"] == "Disabled over the API."
    assert answer["description"] == "For tests"
    assert answer["chaos"] == {"duplicate": 0, "reorder": 0, "drop": 0.25, "delaySeconds": 3}
    assert Webhook.objects.get().chaos == {"drop": 0.25, "delay_seconds": 3}


@pytest.mark.parametrize(
    ("values", "faults"),
    [
        ({"serverUrl": None}, {"/serverUrl": "REQUIRED_FIELD_MISSING"}),
        ({"serverUrl": " "}, {"/serverUrl": "REQUIRED_FIELD_MISSING"}),
        ({"serverUrl": 1}, {"/serverUrl": "INVALID_TYPE"}),
        ({"serverUrl": "https://x.example.com/" + "x" * 2048}, {"/serverUrl": "VALUE_TOO_LONG"}),
        ({"serverUrl": "http://example.com"}, {"/serverUrl": "WEBHOOK_URL_REJECTED"}),
        ({"serverUrl": "https://a:b@example.com"}, {"/serverUrl": "WEBHOOK_URL_REJECTED"}),
        ({"serverUrl": "https://10.1.2.3"}, {"/serverUrl": "WEBHOOK_URL_REJECTED"}),
        ({"type": "SOME"}, {"/type": "VALUE_NOT_ALLOWED"}),
        ({"version": "V1"}, {"/version": "VALUE_NOT_ALLOWED"}),
        ({"status": "ON"}, {"/status": "VALUE_NOT_ALLOWED"}),
        ({"eventTypes": "account.opened"}, {"/eventTypes": "INVALID_TYPE"}),
        ({"eventTypes": ["account.lost"]}, {"/eventTypes/0": "VALUE_NOT_ALLOWED"}),
        ({"eventTypes": ["lead.changed"]}, {"/eventTypes/0": "VALUE_NOT_ALLOWED"}),
        ({"eventTypes": ["", None]}, {
            "/eventTypes/0": "REQUIRED_FIELD_MISSING", "/eventTypes/1": "INVALID_TYPE",
        }),
        ({"eventTypes": ["account.opened"] * 51}, {"/eventTypes": "VALUE_OUT_OF_RANGE"}),
        ({"description": "x" * 256}, {"/description": "VALUE_TOO_LONG"}),
        ({"chaos": []}, {"/chaos": "INVALID_TYPE"}),
        ({"chaos": {"drop": 1.01}}, {"/chaos/drop": "VALUE_OUT_OF_RANGE"}),
        ({"chaos": {"drop": True}}, {"/chaos/drop": "INVALID_TYPE"}),
        ({"chaos": {"delaySeconds": -1}}, {"/chaos/delaySeconds": "VALUE_OUT_OF_RANGE"}),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(api, values, faults):
    response = api.put("webhooks", {"serverUrl": URL, **values})

    assert response.status_code == 400
    assert codes(response) == faults
    assert not Webhook.objects.exists()


def test_why_a_url_is_refused_is_told_in_both_languages(api):
    response = api.put("webhooks", {"serverUrl": "https://10.1.2.3"}, Accept_Language="es")

    [error] = response.json()["errors"]
    assert error["message"].startswith("This URL cannot receive webhooks: ")
    assert error["localizedMessage"].startswith("Esta URL no puede recibir webhooks: use https")
    assert "10.1.2.3" not in response.content.decode()


def test_what_is_not_known_is_named(register):
    warnings = register(url=URL, chaos={"drops": 1})["warnings"]

    assert {warning["field"] for warning in warnings} == {"/url", "/chaos/drops"}


def test_production_has_no_chaos_and_says_so(make_api_key, settings):
    settings.IS_SANDBOX = False
    api = PartnerApi(make_api_key())

    answer = api.put("webhooks", {"serverUrl": URL, "chaos": {"drop": "everything"}}).json()

    assert [warning["field"] for warning in answer["warnings"]] == ["/chaos"]
    assert "chaos" not in answer
    assert Webhook.objects.get().chaos == {}
    assert "chaos" not in api.get(f"webhooks/{answer['externalId']}").json()


def test_one_too_many_is_refused(api, register, settings):
    settings.WEBHOOKS_MAX = 1
    register()

    response = api.put("webhooks", {"serverUrl": URL})

    assert response.status_code == 409
    assert codes(response) == {None: "WEBHOOK_LIMIT_REACHED"}


# Create again


def test_a_retry_gets_the_same_webhook_with_its_secrets(api):
    first = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k")
    again = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k")

    assert again["Idempotent-Replayed"] == "true"
    assert again.status_code == 201
    assert again.json() == first.json()
    assert Webhook.objects.count() == 1


def test_the_secrets_are_not_kept_with_the_answer(api):
    answer = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k").json()

    record = IdempotencyRecord.objects.get()
    assert set(record.body) == set(answer) - SECRETS
    assert not any(answer[name] in json.dumps(record.body) for name in SECRETS)


def test_after_a_rotation_a_retry_gets_the_secret_that_is_valid(api):
    answer = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k").json()
    rotated = api.post(f"webhooks/{answer['externalId']}/rotate-secret").json()

    again = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k").json()

    assert again["signingSecret"] == rotated["signingSecret"] != answer["signingSecret"]
    assert again["token"] == answer["token"]


def test_once_the_webhook_is_gone_a_retry_finds_nothing(api):
    answer = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k").json()
    api.delete(f"webhooks/{answer['externalId']}")

    again = api.put("webhooks", {"serverUrl": URL}, Idempotency_Key="k")

    assert again.status_code == 404
    assert codes(again) == {None: "WEBHOOK_NOT_FOUND"}


# Read


def test_the_list_has_ones_own_without_secrets(api, other_api, register):
    other_api.put("webhooks", {"serverUrl": URL})
    first, second = register(description="1"), register(description="2")

    listed = api.get("webhooks").json()["webhookList"]

    shown = [
        {name: value for name, value in created.items() if name not in {*SECRETS, "warnings"}}
        for created in (first, second)
    ]
    assert listed == shown
    assert api.get(f"webhooks/{first['externalId']}").json() == shown[0]


# Update


def test_what_is_absent_is_kept_and_null_clears(api, register):
    created = register(description="Old", eventTypes=["account.opened"], chaos={"drop": 1})

    changed = api.post(
        f"webhooks/{created['externalId']}", {"eventTypes": None, "chaos": None, "hat": 1}
    ).json()

    assert changed["description"] == "Old"
    assert (changed["eventTypes"], changed["chaos"]) == ([], None)
    assert changed["serverUrl"] == URL
    assert [warning["field"] for warning in changed["warnings"]] == ["/hat"]
    assert SECRETS.isdisjoint(changed)


def test_it_is_disabled_and_enabled_again(api, register):
    path = f"webhooks/{register()['externalId']}"

    disabled = api.post(path, {"status": "DISABLED"}).json()
    Webhook.objects.update(failing_since=timezone.now())
    enabled = api.post(path, {"status": "ACTIVE"}).json()

    assert (disabled["status"], disabled["disabledReason"]) == (
        "DISABLED",
        "Disabled over the API.",
    )
    assert (enabled["status"], enabled["disabledReason"]) == ("ACTIVE", "")
    assert enabled["failingSince"] is None


@pytest.mark.parametrize("name", ["serverUrl", "status"])
def test_what_must_be_there_cannot_be_cleared(api, register, name):
    path = f"webhooks/{register()['externalId']}"

    for cleared in (None, " "):
        response = api.post(path, {name: cleared})
        assert codes(response) == {f"/{name}": "REQUIRED_FIELD_MISSING"}


def test_an_update_is_checked_as_a_new_one_is(api, register):
    path = f"webhooks/{register()['externalId']}"

    response = api.post(path, {"serverUrl": "https://10.0.0.1", "type": "SOME"})

    assert codes(response) == {
        "/serverUrl": "WEBHOOK_URL_REJECTED",
        "/type": "VALUE_NOT_ALLOWED",
    }


# Rotate and delete


def test_a_new_secret_is_shown_once(api, register):
    created = register()
    path = f"webhooks/{created['externalId']}"

    rotated = api.post(f"{path}/rotate-secret").json()

    webhook = Webhook.objects.get()
    assert rotated == {
        "externalId": created["externalId"],
        "signingSecret": webhook.signing_secret,
        "previousSecretExpiresAt": webhook.previous_expires_at.isoformat().replace("+00:00", "Z"),
    }
    assert webhook.previous_secret == created["signingSecret"]


def test_a_retried_rotation_does_not_rotate_twice(api, register):
    created = register()
    path = f"webhooks/{created['externalId']}/rotate-secret"

    first = api.post(path, Idempotency_Key="k")
    again = api.post(path, Idempotency_Key="k")

    assert again["Idempotent-Replayed"] == "true"
    assert again.json() == first.json()
    assert Webhook.objects.get().previous_secret == created["signingSecret"]
    assert first.json()["signingSecret"] not in str(IdempotencyRecord.objects.values())


def test_a_deleted_webhook_is_gone(api, register):
    created = register()
    path = f"webhooks/{created['externalId']}"

    deleted = api.delete(path)

    assert deleted.json()["externalId"] == created["externalId"]
    assert api.get(path).status_code == api.delete(path).status_code == 404
    assert api.get("webhooks").json() == {"webhookList": []}


# Whose it is


@pytest.mark.parametrize(
    ("method", "tail"),
    [
        ("GET", ""),
        ("POST", ""),
        ("DELETE", ""),
        ("POST", "/test"),
        ("POST", "/rotate-secret"),
        ("POST", "/recover"),
        ("GET", "/deliveries"),
        ("POST", "/deliveries/0190a1b2-0000-7000-8000-000000000000/redeliver"),
    ],
)
def test_what_is_not_ones_own_is_not_found(api, other_api, method, tail):
    other = other_api.put("webhooks", {"serverUrl": URL}).json()["externalId"]

    for webhook_id in (other, "0190a1b2-0000-7000-8000-000000000000", "nobody", "x" * 300):
        response = api.call(
            method, f"webhooks/{webhook_id}{tail}", b"{" if method == "POST" else None
        )
        assert response.status_code == 404
        assert codes(response) == {None: "WEBHOOK_NOT_FOUND"}


def test_a_key_needs_the_permission_to_manage_webhooks(api, register):
    path = f"webhooks/{register()['externalId']}"
    api.key.permissions = ["lead:read", "lead:write", "sandbox:simulate"]
    api.key.save()

    answers = [
        api.get("webhooks"),
        api.put("webhooks", {"serverUrl": URL}),
        api.post(path, {"status": "DISABLED"}),
        api.post(f"{path}/rotate-secret"),
        api.post(f"{path}/test"),
        api.get(f"{path}/deliveries"),
        api.delete(path),
    ]

    assert {answer.status_code for answer in answers} == {403}
    assert Webhook.objects.get().is_active

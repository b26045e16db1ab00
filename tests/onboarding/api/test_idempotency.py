"""Idempotency-Key: a retry gets the first answer, whatever happened to it."""

import json
from datetime import timedelta

import pytest
from django.core.files.storage import storages
from django.utils import timezone

from onboarding.models import Application, Document, IdempotencyRecord, Lead
from onboarding.services.access import links
from tests.factories import document_data, lead_body
from tests.onboarding.conftest import PartnerApi, codes

BODY = {"email": "ada@example.com", "firstName": "Ada"}


@pytest.fixture
def customer_id(api):
    return api.create()["customerId"]


def row():
    """Return the one stored record as text."""
    return str(IdempotencyRecord.objects.values().get())


def age(**delta):
    """Let time pass for the stored records."""
    for record in IdempotencyRecord.objects.all():
        record.locked_until -= timedelta(**delta)
        record.expires_at -= timedelta(**delta)
        record.save()


def stored_files():
    storage = storages["documents"]
    leads = storage.listdir("leads")[0] if storage.exists("leads") else []
    return {(lead, file) for lead in leads for file in storage.listdir(f"leads/{lead}")[1]}


def test_a_repeated_create_gets_the_first_answer_with_a_fresh_token(api):
    first = api.put("lead", lead_body(), Idempotency_Key="k1")
    again = api.put("lead", lead_body(), Idempotency_Key="k1")

    assert (first.status_code, again.status_code) == (201, 201)
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    fresh = {"token", "tokenExpiresAt", "locationExpiresAt"}
    before, after = first.json(), again.json()
    assert after.keys() == before.keys()
    assert {name for name in before if before[name] != after[name]} <= fresh
    assert after["location"] == before["location"]
    assert after["token"] != before["token"]
    assert Lead.objects.count() == Application.objects.count() == 1


def test_the_fresh_token_and_the_link_are_those_that_work(api):
    api.put("lead", BODY, Idempotency_Key="k1")

    again = api.put("lead", BODY, Idempotency_Key="k1").json()

    application = Application.objects.get()
    assert application.token_digest == links.digest(again["token"])
    assert application.link_digest == links.digest(again["location"].rpartition("/")[2])


def test_a_replay_has_the_headers_of_any_answer(api, settings):
    settings.RATE_LIMIT_FACTOR = 1
    api.put("lead", BODY, Idempotency_Key="k1")

    again = api.put("lead", BODY, Idempotency_Key="k1")

    assert again["API-Version"] == "2.0.0"
    assert again["X-Request-Id"]
    assert again["RateLimit-Remaining"] == "58"
    assert again["Content-Type"] == "application/json"


def test_a_replay_tells_what_was_first_although_the_lead_has_changed(api):
    first = api.put("lead", BODY, Idempotency_Key="k1").json()
    api.create(metadata={"tier": "gold"}, uboList=[{"email": "o@example.com"}])

    again = api.put("lead", BODY, Idempotency_Key="k1").json()

    assert (
        (again["metadata"], again["uboData"]) == (first["metadata"], first["uboData"]) == ({}, [])
    )


def test_after_a_new_session_a_replay_has_the_link_that_works_now(api):
    first = api.put("lead", BODY, Idempotency_Key="k1").json()
    session = api.post(f"lead/{first['customerId']}/session", {"rotateLink": True}).json()

    again = api.put("lead", BODY, Idempotency_Key="k1").json()

    assert again["location"] == session["location"] != first["location"]


def test_neither_token_nor_link_nor_key_is_stored(api):
    key = "123-45-6789"
    answer = api.put("lead", lead_body(), Idempotency_Key=key).json()

    stored = row()
    assert answer["customerId"] in stored
    assert answer["token"] not in stored
    assert answer["location"] not in stored
    assert answer["location"].rpartition("/")[2] not in stored
    assert key not in stored
    assert set(IdempotencyRecord.objects.get().body) == set(answer) - {"token", "location"}


def test_another_body_is_refused(api):
    api.put("lead", BODY, Idempotency_Key="k1")

    response = api.put("lead", {**BODY, "firstName": "Eve"}, Idempotency_Key="k1")

    assert response.status_code == 422
    assert codes(response) == {None: "IDEMPOTENCY_KEY_REUSED"}
    assert Lead.objects.get().first_name == "Ada"


def test_another_body_is_one_of_other_bytes(api):
    api.put("lead", b'{"email": "ada@example.com"}', Idempotency_Key="k1")

    response = api.put("lead", b'{"email":"ada@example.com"}', Idempotency_Key="k1")

    assert response.status_code == 422


def test_a_call_that_still_runs_is_told_with_a_time_to_retry(api):
    api.put("lead", BODY, Idempotency_Key="k1")
    IdempotencyRecord.objects.update(completed_at=None, http_status=None, body=None)

    response = api.put("lead", BODY, Idempotency_Key="k1")

    assert response.status_code == 409
    assert 1 < int(response["Retry-After"]) <= 30
    assert codes(response) == {None: "IDEMPOTENCY_IN_PROGRESS"}


def test_who_waits_as_long_as_told_gets_the_key_of_a_call_that_died(api):
    api.put("lead", BODY, Idempotency_Key="k1")
    IdempotencyRecord.objects.update(completed_at=None, http_status=None, body=None)
    age(seconds=17)
    held = api.put("lead", BODY, Idempotency_Key="k1")
    age(seconds=int(held["Retry-After"]))

    again = api.put("lead", BODY, Idempotency_Key="k1")

    assert (held.status_code, again.status_code) == (409, 201)
    assert int(held["Retry-After"]) <= 13


def test_a_call_that_died_is_done_again_after_its_lease(api):
    first = api.put("lead", BODY, Idempotency_Key="k1").json()
    IdempotencyRecord.objects.update(completed_at=None, http_status=None, body=None)
    age(seconds=30)

    again = api.put("lead", BODY, Idempotency_Key="k1")

    assert again.status_code == 201
    assert "Idempotent-Replayed" not in again
    assert again.json()["customerId"] == first["customerId"]


def test_a_partners_key_is_nobody_elses(api, other_api):
    api.put("lead", BODY, Idempotency_Key="k1")

    response = other_api.put("lead", {**BODY, "firstName": "Eve"}, Idempotency_Key="k1")

    assert response.status_code == 201
    assert "Idempotent-Replayed" not in response


def test_all_access_keys_of_a_partner_share_their_keys(api, make_api_key):
    api.put("lead", BODY, Idempotency_Key="k1")

    again = PartnerApi(make_api_key(api.partner)).put("lead", BODY, Idempotency_Key="k1")

    assert again["Idempotent-Replayed"] == "true"


def test_a_key_is_for_one_method_and_path(api):
    created = api.put("lead", BODY, Idempotency_Key="k1").json()
    path = f"lead/{created['customerId']}"

    updated = api.post(path, {**BODY, "lastName": "Example"}, Idempotency_Key="k1")
    uploaded = api.put(
        f"{path}/upload", {"documentDataList": [document_data()]}, Idempotency_Key="k1"
    )

    assert (updated.status_code, uploaded.status_code) == (200, 200)
    assert IdempotencyRecord.objects.count() == 3


@pytest.mark.parametrize("path", ["lead", "lead/", "lead//"])
def test_a_trailing_slash_is_the_same_path(api, path):
    api.put("lead", BODY, Idempotency_Key="k1")

    assert api.put(path, BODY, Idempotency_Key="k1")["Idempotent-Replayed"] == "true"


def test_a_repeated_update_gets_the_first_answer(api, customer_id):
    body = {**BODY, "lastName": "Example"}

    first = api.post(f"lead/{customer_id}", body, Idempotency_Key="k1")
    again = api.post(f"lead/{customer_id}/", body, Idempotency_Key="k1")

    assert first.json()["updatedFields"] == ["firstName", "lastName"]
    assert again.json() == first.json()
    assert again["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize("size", [100, 400_000])
def test_a_repeated_upload_gets_the_first_answer(api, customer_id, size):
    body = {"documentDataList": [document_data(b"%PDF-1.7".ljust(size, b" "))]}

    first = api.put(f"lead/{customer_id}/upload", body, Idempotency_Key="k1")
    again = api.put(f"lead/{customer_id}/upload", body, Idempotency_Key="k1")

    assert first.json()["documents"][0]["duplicate"] is False
    assert again.json() == first.json()
    assert again["Idempotent-Replayed"] == "true"
    assert Document.objects.count() == 1


@pytest.mark.parametrize(
    "key", ["", " ", "a b", "k" * 201, "clé", "k\x7f", "k\t1", "k\x00", "\x1b[31m", "ключ"]
)
def test_a_malformed_key_is_refused_and_nothing_done(api, key):
    response = api.put("lead", BODY, Idempotency_Key=key)

    assert response.status_code == 400
    assert codes(response) == {None: "IDEMPOTENCY_KEY_INVALID"}
    assert not Lead.objects.exists()
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize("key", ["k", "k" * 200, "!~{}\"'%", "a,b;c"])
def test_any_visible_ascii_is_a_key(api, key):
    api.put("lead", BODY, Idempotency_Key=key)

    assert api.put("lead", BODY, Idempotency_Key=key)["Idempotent-Replayed"] == "true"


def test_a_refused_call_frees_its_key(api):
    refused = api.put("lead", {**BODY, "email": "nobody"}, Idempotency_Key="k1")
    corrected = api.put("lead", BODY, Idempotency_Key="k1")

    assert (refused.status_code, corrected.status_code) == (400, 201)
    assert "Idempotent-Replayed" not in corrected


def test_a_call_that_failed_frees_its_key_and_leaves_nothing(api, monkeypatch):
    def fail(*_args, **_options):
        raise RuntimeError("the power went")

    before = stored_files()
    with monkeypatch.context() as broken:
        broken.setattr("onboarding.api.writes.idempotency.complete", fail)
        failed = api.put("lead", lead_body(), Idempotency_Key="k1")
    left = Lead.objects.count(), IdempotencyRecord.objects.count(), stored_files()
    again = api.put("lead", lead_body(), Idempotency_Key="k1")

    assert (failed.status_code, left, again.status_code) == (500, (0, 0, before), 201)
    assert stored_files() > before


def test_a_body_that_cannot_be_read_claims_no_key(api):
    assert api.put("lead", b"{", Idempotency_Key="k1").status_code == 400
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize(
    "customer_id", ["1", "123-45-6789", "%00", "é", "x" * 3000, "-" * 300 + "0" * 32]
)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_path_to_no_lead_is_not_found_and_never_stored(api, customer_id, method, monkeypatch):
    monkeypatch.setattr(IdempotencyRecord, "save", None)
    path = f"lead/{customer_id}" + ("/upload" if method == "PUT" else "")

    response = api.call(method, path, BODY, Idempotency_Key="k1")

    assert response.status_code == 404
    assert codes(response) == {None: "LEAD_NOT_FOUND"}


def test_after_a_day_a_key_is_new(api):
    api.put("lead", BODY, Idempotency_Key="k1")
    age(hours=24)

    response = api.put("lead", {**BODY, "lastName": "Example"}, Idempotency_Key="k1")

    assert response.status_code == 201
    assert "Idempotent-Replayed" not in response
    assert IdempotencyRecord.objects.get().expires_at > timezone.now() + timedelta(hours=23)


def test_within_a_day_it_is_not(api):
    api.put("lead", BODY, Idempotency_Key="k1")
    age(hours=23, minutes=59)

    assert api.put("lead", BODY, Idempotency_Key="k1")["Idempotent-Replayed"] == "true"


def test_a_preview_uses_no_key(api):
    api.put("lead?validateOnly=true", BODY, Idempotency_Key="k1")

    assert api.put("lead", BODY, Idempotency_Key="k1").status_code == 201
    assert IdempotencyRecord.objects.count() == 1


def test_errors_of_the_key_are_xml_to_who_wants_it(api):
    response = api.put("lead", BODY, Idempotency_Key="", Accept="*/*")

    assert response["Content-Type"].startswith("application/xml")
    assert b"<code>1201</code>" in response.content


@pytest.mark.parametrize("operation", ["create", "update", "upload"])
def test_of_eight_calls_at_once_one_works(in_threads, make_api_key, operation):
    issued = make_api_key()
    path = "lead"
    method, body = "PUT", lead_body()
    if operation != "create":
        path += "/" + PartnerApi(issued).create()["customerId"]
    if operation == "update":
        method = "POST"
    if operation == "upload":
        path, body = f"{path}/upload", {"documentDataList": [document_data()]}

    responses = in_threads(
        lambda _: PartnerApi(issued).call(method, path, body, Idempotency_Key="k1"), range(8)
    )

    worked = [
        each for each in responses if each.status_code < 300 and "Idempotent-Replayed" not in each
    ]
    assert len(worked) == 1
    for response in responses:
        if response.status_code == 409:
            assert codes(response) == {None: "IDEMPOTENCY_IN_PROGRESS"}
            assert 1 <= int(response["Retry-After"]) <= 30
        else:
            assert stable(response) == stable(worked[0])
    assert Lead.objects.count() == IdempotencyRecord.objects.count() == 1


def stable(response):
    """Return the answer without what each answer has for itself."""
    fresh = {"token", "tokenExpiresAt", "locationExpiresAt"}
    return {
        name: value for name, value in json.loads(response.content).items() if name not in fresh
    }


def test_a_retry_during_a_rotation_of_keys_gets_the_first_answer(api, settings):
    first = api.put("lead", BODY, Idempotency_Key="k-1")
    settings.PII_INDEX_KEYS = f"2026:{'5e' * 32},{settings.PII_INDEX_KEYS}"
    settings.PII_KEYS = f"new:{'4d' * 32},{settings.PII_KEYS}"

    again = api.put("lead", BODY, Idempotency_Key="k-1")

    assert (again.status_code, again.json()["customerId"]) == (201, first.json()["customerId"])
    assert again["Idempotent-Replayed"] == "true"

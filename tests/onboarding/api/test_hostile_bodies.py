"""Bodies that nobody sends in good faith: a clean refusal, and nothing stored."""

import json

import pytest
from django.test import RequestFactory

from onboarding.api.parsers import MalformedBody, read_body
from onboarding.models import IdempotencyRecord, Lead
from tests.onboarding.conftest import codes

DEEP = b'{"email":"a@example.com","x":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
BODIES = {
    "nothing": (b"", "MALFORMED_BODY"),
    "no JSON": (b"{email:1}", "MALFORMED_BODY"),
    "cut": (b'{"email":"a@example.com"', "MALFORMED_BODY"),
    "two documents": (b"{}{}", "MALFORMED_BODY"),
    "a list": (b"[]", "INVALID_TYPE"),
    "a string": (b'"x"', "INVALID_TYPE"),
    "null": (b"null", "INVALID_TYPE"),
    "10,000 levels": (DEEP, "MALFORMED_BODY"),
    "33 levels": (b'{"x":' + b"[" * 33 + b"]" * 33 + b"}", "MALFORMED_BODY"),
    "a key twice": (b'{"email":"a@example.com","email":"b@example.com"}', "MALFORMED_BODY"),
    "a nested key twice": (
        b'{"email":"a@example.com","metadata":{"a":"1","a":"2"}}',
        "MALFORMED_BODY",
    ),
    "an escaped NUL": (b'{"email":"a@example.com","firstName":"a\\u0000b"}', "MALFORMED_BODY"),
    "a NUL in a key": (b'{"email":"a@example.com","metadata":{"a\\u0000":"b"}}', "MALFORMED_BODY"),
    "a raw NUL": (b'{"email":"a@example.com\0"}', "MALFORMED_BODY"),
    "half a surrogate pair": (b'{"email":"a@example.com","firstName":"\\ud800"}', "MALFORMED_BODY"),
    "NaN": (b'{"email":"a@example.com","ownershipPercent":NaN}', "MALFORMED_BODY"),
    "Infinity": (b'{"email":"a@example.com","ownershipPercent":-Infinity}', "MALFORMED_BODY"),
    "not UTF-8": ('{"email":"é@example.com"}'.encode("latin-1"), "MALFORMED_BODY"),
    "UTF-16": (json.dumps({"email": "a@example.com"}).encode("utf-16"), "MALFORMED_BODY"),
    "a byte order mark": (b'\xef\xbb\xbf{"email":"a@example.com"}', "MALFORMED_BODY"),
    "a number of 5,000 digits": (
        b'{"email":"a@example.com","x":' + b"9" * 5000 + b"}",
        "MALFORMED_BODY",
    ),
    "1e999": (b'{"email":"a@example.com","ownershipPercent":1e999}', "VALUE_OUT_OF_RANGE"),
}


@pytest.mark.parametrize("name", BODIES)
def test_a_hostile_body_is_refused(api, name):
    body, code = BODIES[name]

    response = api.put("lead", body)

    assert response.status_code == 400
    assert set(codes(response).values()) == {code}
    assert not Lead.objects.exists()


@pytest.mark.parametrize("name", BODIES)
def test_a_hostile_body_is_refused_when_it_is_large(api, name, settings):
    settings.JSON_MAX_BYTES = 64 * 1024
    body, _ = BODIES[name]
    padded = body + b" " * (70 * 1024)

    response = api.put("lead", padded)

    assert response.status_code in {400, 413}
    assert not Lead.objects.exists()


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "application/xml",
        "",
        "json",
    ],
)
def test_only_json_in_utf8_is_read(api, content_type):
    response = api.put("lead", b'{"email":"a@example.com"}', Content_Type=content_type)

    assert response.status_code == 415
    assert codes(response) == {None: "UNSUPPORTED_MEDIA_TYPE"}


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON; charset=UTF-8", "application/merge-patch+json"],
)
def test_json_has_several_names(api, content_type):
    assert (
        api.put("lead", b'{"email":"a@example.com"}', Content_Type=content_type).status_code == 201
    )


def test_a_compressed_body_is_not_read(api):
    assert api.put("lead", {"email": "a@example.com"}, Content_Encoding="gzip").status_code == 415


def test_json_over_256_kib_is_too_large(api):
    response = api.put("lead", {"email": "a@example.com", "x": "y" * 300_000})

    assert response.status_code == 413
    assert codes(response) == {None: "REQUEST_TOO_LARGE"}


def test_a_body_of_40_mib_is_refused_by_its_length(api):
    response = api.put("lead", b'{"email":"' + b"a" * 40 * 1024**2 + b'"}')

    assert response.status_code == 413
    assert codes(response) == {None: "REQUEST_TOO_LARGE"}


def test_a_chunked_body_needs_a_server_that_marks_its_end(api):
    response = api.put("lead", b"", Transfer_Encoding="chunked")

    assert response.status_code == 411
    assert codes(response) == {None: "LENGTH_REQUIRED"}


def test_nothing_hostile_keeps_an_idempotency_key(api):
    api.put("lead", b"[]", Idempotency_Key="k")

    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize(
    ("name", "limit", "code"),
    [
        ("uboList", 10, "VALUE_OUT_OF_RANGE"),
        ("eddQuestionData", 100, "VALUE_OUT_OF_RANGE"),
        ("documentUrls", 10, "TOO_MANY_DOCUMENTS"),
        ("documentDataList", 10, "TOO_MANY_DOCUMENTS"),
    ],
)
def test_a_list_that_is_too_long_is_one_fault(api, name, limit, code):
    response = api.put("lead", {"email": "a@example.com", name: [1] * 50_000})

    assert response.status_code == 400
    assert codes(response) == {f"/{name}": code}
    assert f"at most {limit} " in response.json()["errors"][0]["message"]


def test_an_answer_names_a_hundred_faults(api):
    answers = [{"question": 1, "answer": 1, "questionId": 1}] * 100

    response = api.put("lead", {"email": "a@example.com", "eddQuestionData": answers})

    assert response.status_code == 400
    assert len(response.json()["errors"]) == 100


@pytest.mark.parametrize("metadata", [{f"{n}": 1 for n in range(20_000)}, {"k" * 41: ""}])
def test_metadata_that_is_too_large_is_one_fault(api, metadata):
    response = api.put("lead", {"email": "a@example.com", "metadata": metadata})

    assert codes(response) == {"/metadata": "METADATA_LIMIT_EXCEEDED"}


def test_an_answer_names_a_hundred_warnings(api):
    unknown = {f"x{number}": 1 for number in range(10_000)}

    created = api.create(**unknown)
    updated = api.post(f"lead/{created['customerId']}", {**unknown, "email": "ada@example.com"})

    assert len(created["warnings"]) == len(updated.json()["warnings"]) == 100


def test_a_chunked_body_that_breaks_off_is_malformed():
    class Broken:
        def read(self, size):
            raise ConnectionResetError

    headers = {"Transfer-Encoding": "chunked"}
    request = RequestFactory().put("/", b"{}", "application/json", headers=headers)
    request.META |= {"wsgi.input": Broken(), "wsgi.input_terminated": True}

    with pytest.raises(MalformedBody):
        read_body(request)

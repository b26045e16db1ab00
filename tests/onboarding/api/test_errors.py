"""Errors: one body, XML or JSON, English or Spanish, on every path."""

from xml.etree import ElementTree

import pytest
from django.db import OperationalError
from django.test import Client

from onboarding.errors import ErrorCode
from onboarding.services.leads import registration
from tests.onboarding.conftest import codes
from tests.random_values import without_random_values

LEAD = ("PUT", "lead")
READS = ("GET", "lead/nobody")
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("operation", "accept", "media_type"),
    [
        (LEAD, None, "application/xml"),
        (LEAD, "*/*", "application/xml"),
        (LEAD, "application/json, text/plain, */*", "application/xml"),
        (LEAD, "application/xml", "application/xml"),
        (LEAD, "text/xml", "application/xml"),
        (LEAD, BROWSER, "application/xml"),
        (LEAD, "application/json", "application/json"),
        (LEAD, "application/json, application/xml;q=0", "application/json"),
        (LEAD, "", "application/xml"),
        (LEAD, "text/html", "application/xml"),
        (LEAD, "image/png", "application/xml"),
        (LEAD, "text/csv, application/json", "application/json"),
        (READS, None, "application/json"),
        (READS, "*/*", "application/json"),
        (READS, "application/xml", "application/xml"),
        (READS, "application/json, application/xml", "application/json"),
        (READS, "", "application/json"),
        (READS, "text/html", "application/json"),
    ],
)
def test_lead_operations_prefer_xml_and_everything_else_json(api, operation, accept, media_type):
    method, path = operation

    response = api.call(method, path, {"email": "nobody"}, Accept=accept)

    assert response["Content-Type"].partition(";")[0] == media_type


@pytest.mark.parametrize(("method", "path"), [("POST", "lead/1"), ("PUT", "lead/1/upload")])
def test_update_and_upload_prefer_xml_too(api, method, path):
    response = api.call(method, path, {"email": "ada@example.com"}, Accept="*/*")

    assert response["Content-Type"] == "application/xml; charset=utf-8"


def test_the_xml_body_is_the_contracts(api):
    response = api.put(
        "lead", {"email": "nobody", "ssn": "1"}, Accept="*/*", X_Request_Id="req-12345"
    )

    root = ElementTree.fromstring(response.content)
    assert root.tag == "error"
    assert root.findtext("httpStatus") == "400"
    assert root.findtext("reasonPhrase") == "Bad Request"
    assert root.findtext("requestId") == "req-12345"
    assert [{child.tag: child.text for child in item} for item in root.findall("errors")] == [
        {
            "code": "2012",
            "codeName": "INVALID_SSN",
            "message": ErrorCode.INVALID_SSN.texts["en"],
            "localizedMessage": ErrorCode.INVALID_SSN.texts["en"],
            "field": "/ssn",
        },
        {
            "code": "2010",
            "codeName": "INVALID_EMAIL",
            "message": ErrorCode.INVALID_EMAIL.texts["en"],
            "localizedMessage": ErrorCode.INVALID_EMAIL.texts["en"],
            "field": "/email",
        },
    ]


@pytest.mark.parametrize(
    ("languages", "language"),
    [
        ("es", "es"),
        ("es-MX,es;q=0.9", "es"),
        ("de, es;q=0.5", "es"),
        ("de", "en"),
        ("en, es", "en"),
    ],
)
def test_the_localized_message_speaks_the_callers_language(api, languages, language):
    error = api.put("lead", {}, Accept_Language=languages).json()["errors"][0]

    assert error["message"] == ErrorCode.REQUIRED_FIELD_MISSING.texts["en"]
    assert error["localizedMessage"] == ErrorCode.REQUIRED_FIELD_MISSING.texts[language]


def test_parameters_of_a_text_are_translated(api):
    error = api.put("lead", {"email": 5}, Accept_Language="es").json()["errors"][0]

    assert error["message"] == "This must be a string."
    assert error["localizedMessage"] == "Esto debe ser una cadena."


@pytest.mark.parametrize("path", ["nowhere", "lead/1/2/3", "meta", "", "../v2/lead"])
def test_a_path_that_leads_nowhere_says_so(api, path):
    response = api.get(path)

    assert response.status_code == 404
    assert codes(response) == {None: "RESOURCE_NOT_FOUND"}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "lead", {"GET", "PUT"}),
        ("PUT", "lead/1", {"GET", "POST", "DELETE"}),
        ("GET", "lead/1/upload", {"PUT"}),
        ("OPTIONS", "lead/1/session", {"POST"}),
        ("POST", "meta/errors", {"GET"}),
    ],
)
def test_a_method_that_is_not_there_names_those_that_are(api, method, path, allowed):
    response = api.call(method, path)

    assert response.status_code == 405
    assert codes(response) == {None: "METHOD_NOT_ALLOWED"}
    assert allowed <= set(response["Allow"].split(", "))


def test_without_credentials_a_challenge_is_answered(db):
    response = Client().put("/service/api/v1/lead", headers={"Accept": "application/json"})

    assert response.status_code == 401
    assert codes(response) == {None: "AUTHENTICATION_REQUIRED"}
    assert response["WWW-Authenticate"] == 'Vestibule realm="lead-api"'


@pytest.mark.parametrize("permissions", [["lead:read"], []])
def test_a_key_does_what_it_may(api, permissions):
    api.key.permissions = permissions
    api.key.save()

    response = api.put("lead", {"email": "ada@example.com"})

    assert response.status_code == 403
    assert codes(response) == {None: "PERMISSION_DENIED"}
    assert "lead:write" in response.json()["errors"][0]["message"]
    assert api.get("lead").status_code == (200 if permissions else 403)


def test_a_database_that_is_away_is_a_503(api, monkeypatch):
    def away(**_options):
        raise OperationalError("connection refused")

    monkeypatch.setattr(registration, "create_lead", away)

    response = api.put("lead", {"email": "ada@example.com"})

    assert response.status_code == 503
    assert codes(response) == {None: "SERVICE_UNAVAILABLE"}
    assert response["Retry-After"] == "5"


def test_an_unforeseen_fault_is_a_500_without_detail(api, monkeypatch):
    def fail(**_options):
        raise ValueError("ssn 123-45-6789 of ada@example.com")

    monkeypatch.setattr(registration, "create_lead", fail)

    response = api.put("lead", {"email": "ada@example.com"})

    assert response.status_code == 500
    assert codes(response) == {None: "INTERNAL_ERROR"}
    assert "6789" not in without_random_values(response.content.decode())


def test_every_code_has_its_own_number_and_both_texts():
    numbers = [code.number for code in ErrorCode]

    assert len(numbers) == len(set(numbers))
    assert all(code.texts["en"] and code.texts["es"] for code in ErrorCode)


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_too_many_parameters_are_a_400(api, method):
    response = api.call(method, "lead?" + "&".join(f"x{number}=1" for number in range(1001)), {})

    assert response.status_code == 400
    assert codes(response) == {None: "BAD_REQUEST"}

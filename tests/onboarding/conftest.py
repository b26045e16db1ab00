"""What the tests of onboarding build on: rows, and a partner that calls the API."""

import json

import pytest
from django.test import Client


class PartnerApi:
    """Calls the Lead API as a partner does, with a key of its own."""

    root = "/service/api/v1/"

    def __init__(self, issued, client=None):
        self.key, self.partner = issued.key, issued.key.partner
        self.authorization = f"Vestibule {issued.key.access_key}:{issued.secret}"
        self.client = client or Client(raise_request_exception=False)

    def call(self, method, path, body=None, **headers):
        """Send `body` as JSON, or as it is if it is bytes; headers as `Idempotency_Key="…"`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": self.authorization, "Accept": "application/json", **named}
        content_type = sent.pop("Content-Type", "application/json")
        data = body if isinstance(body, bytes) else json.dumps(body) if body is not None else b""
        return self.client.generic(
            method,
            self.root + path,
            data,
            headers={name: value for name, value in sent.items() if value is not None},
            CONTENT_TYPE=content_type if body is not None else "",
        )

    def put(self, path, body=None, **headers):
        return self.call("PUT", path, body, **headers)

    def post(self, path, body=None, **headers):
        return self.call("POST", path, body, **headers)

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def delete(self, path, **headers):
        return self.call("DELETE", path, **headers)

    def create(self, **values):
        """Register a lead and return the answer's JSON."""
        response = self.put("lead", {"email": "ada@example.com", **values})
        assert response.status_code == 201, response.content
        return response.json()


@pytest.fixture
def api(make_api_key):
    return PartnerApi(make_api_key())


@pytest.fixture
def other_api(make_api_key):
    """Another partner."""
    return PartnerApi(make_api_key())


def codes(response):
    """Return the code names of an error body by the field that each is about."""
    return {error["field"]: error["codeName"] for error in response.json()["errors"]}

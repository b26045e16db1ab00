"""What clients are answered while the database is away."""

import pytest
from django.db import OperationalError
from django.test import Client


@pytest.mark.parametrize(("method", "path"), [("post", "/register"), ("put", "/register/some")])
def test_registration_asks_the_client_to_come_again(db, monkeypatch, method, path):
    def fail(*_):
        raise OperationalError("password=hunter2")

    monkeypatch.setattr("mcp_server.oauth.registration.read_metadata", fail)

    response = getattr(Client(), method)(path, {}, content_type="application/json")

    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Access-Control-Allow-Origin"] == "*"
    assert response.json()["error"] == "temporarily_unavailable"

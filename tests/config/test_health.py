"""The two questions that a load balancer asks."""

import pytest
from django.core.files.storage import storages
from django.db import DatabaseError

from config import health


def test_a_process_that_serves_is_alive(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.django_db
def test_a_migrated_process_is_ready(client):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "faults": []})


@pytest.mark.django_db
def test_a_pending_migration_is_a_fault(client, monkeypatch):
    monkeypatch.setattr(health.MigrationExecutor, "migration_plan", lambda *_: ["one"])

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == ["database: migrations are pending"]


def test_a_database_that_is_away_is_a_fault(client, monkeypatch):
    def fail(*_):
        raise DatabaseError("password=hunter2")

    monkeypatch.setattr(health, "MigrationExecutor", fail)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == ["database: unreachable"]


@pytest.mark.django_db
def test_a_store_that_is_away_is_a_fault(client, monkeypatch):
    def fail(_name):
        raise OSError("disk gone")

    monkeypatch.setattr(storages["documents"], "exists", fail)

    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == ["document store: unreachable"]

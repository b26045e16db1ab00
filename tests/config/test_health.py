"""The two questions that a load balancer asks."""

import threading
from types import SimpleNamespace

import pytest
from django.db import DatabaseError, InterfaceError

from config import health

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forget():
    """Let each test ask anew."""
    health.forget()
    yield
    health.forget()


def faults(client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    return answer.json()["faults"]


def test_a_process_that_serves_is_alive(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_migrated_process_is_ready(client):
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "faults": [], "outbound": "on"}


def test_a_process_that_sends_nothing_is_ready_and_says_so(client, settings):
    settings.OUTBOUND = False

    answer = client.get("/readyz")

    assert (answer.status_code, answer.json()["outbound"]) == (200, "off")


def test_a_pending_migration_is_a_fault_until_it_is_there(client, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(health.MigrationExecutor, "migration_plan", lambda *_: ["one"])
        assert faults(client) == ["database: migrations are pending"]
    health.forget()

    assert client.get("/readyz").status_code == 200


def test_a_worker_ends_while_a_migration_is_pending(db, monkeypatch):
    monkeypatch.setattr(health.connection, "close", lambda: None)
    health.exit_unless_migrated()
    health.forget()
    monkeypatch.setattr(health.MigrationExecutor, "migration_plan", lambda *_: ["one"])

    with pytest.raises(SystemExit, match="Migrations are pending"):
        health.exit_unless_migrated()


def test_many_probes_ask_the_database_once_a_second(client, monkeypatch, django_assert_num_queries):
    health.require_migrations()
    clock = iter([0.1, 0.5, 0.9, 1.2, 1.2, 1.2])
    monkeypatch.setattr(health, "time", SimpleNamespace(monotonic=lambda: next(clock)))

    with django_assert_num_queries(1):
        for _ in range(3):
            client.get("/readyz")
    with django_assert_num_queries(1):
        client.get("/readyz")


def test_probes_get_the_last_answer_while_the_database_hangs(client, monkeypatch):
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(health, "CACHE_SECONDS", 0)
    monkeypatch.setattr(health, "CHECKS", [pytest.fail])
    held = threading.Lock()
    monkeypatch.setattr(health, "_lock", held)

    with held:  # as a thread that measures holds it
        assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize("error", [DatabaseError, InterfaceError])
def test_a_database_that_is_away_is_a_fault(client, monkeypatch, error):
    def fail(*_):
        raise error("password=hunter2")

    monkeypatch.setattr(health.connection, "cursor", fail)

    assert faults(client) == ["database: unreachable"]


def test_a_process_that_ends_soon_is_not_ready(client, monkeypatch):
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(health.draining, "is_set", lambda: True)

    assert faults(client) == ["process: ends soon"]


def test_a_store_that_is_away_leaves_the_process_ready(client, monkeypatch):
    def fail(*_):
        raise OSError("disk gone")

    monkeypatch.setattr("django.core.files.storage.InMemoryStorage.save", fail)

    assert client.get("/readyz").status_code == 200

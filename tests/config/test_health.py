"""The two questions that a load balancer asks."""

from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, InterfaceError

from config import health
from onboarding.models import Lead
from tests.factories import NOON, later, make_job

WORK = 3  # statements on what workers do
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forget():
    """Let each test ask for the migrations anew."""
    health.require_migrations.cache_clear()
    yield
    health.require_migrations.cache_clear()


@pytest.fixture
def files(monkeypatch, tmp_path):
    """Return the folder of a document store on disk."""
    store = FileSystemStorage(location=tmp_path / "media")
    monkeypatch.setattr(health, "storages", {"documents": store})
    return Path(store.location)


def faults(client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    return answer.json()["faults"]


def test_a_process_that_serves_is_alive(client):
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_migrated_process_is_ready(client):
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "faults": [],
        "work": {"heartbeatSeconds": None, "oldestJobSeconds": 0, "oldestEventSeconds": 0},
    }


def test_a_pending_migration_is_a_fault_until_it_is_there(client, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(health.MigrationExecutor, "migration_plan", lambda *_: ["one"])
        assert faults(client) == ["database: migrations are pending"]

    assert client.get("/readyz").status_code == 200


def test_the_migrations_are_looked_up_until_they_are_there(client, django_assert_num_queries):
    client.get("/readyz")

    with django_assert_num_queries(1 + WORK):
        client.get("/readyz")


def test_how_workers_fare_is_told_and_takes_nobody_out_of_service(client, make_event, monkeypatch):
    make_event()
    make_job(kind="heartbeat", status="DONE", finished_at=NOON)
    make_job(due_at=later(hours=1))
    monkeypatch.setattr(health.timezone, "now", lambda: later(hours=2))

    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json()["work"] == {
        "heartbeatSeconds": 7200,
        "oldestJobSeconds": 3600,
        "oldestEventSeconds": 7200,
    }


def test_what_was_published_waits_no_more(client, make_event):
    lead = make_event().application.lead
    Lead.objects.filter(pk=lead.pk).update(published_sequence=1)

    assert client.get("/readyz").json()["work"]["oldestEventSeconds"] == 0


@pytest.mark.parametrize("error", [DatabaseError, InterfaceError])
def test_a_database_that_is_away_is_a_fault(client, monkeypatch, error):
    def fail(*_):
        raise error("password=hunter2")

    monkeypatch.setattr(health.connection, "cursor", fail)

    assert faults(client) == ["database: unreachable"]
    assert client.get("/readyz").json()["work"] is None


@pytest.mark.parametrize("error", [OSError, RuntimeError])
def test_a_store_that_is_away_is_a_fault(client, monkeypatch, error):
    def fail(*_):
        raise error("disk gone")

    monkeypatch.setattr(storages["documents"], "save", fail)

    assert faults(client) == ["document store: unreachable"]


def test_a_folder_that_cannot_be_made_is_a_fault(client, files):
    files.write_bytes(b"a file where the folder should be")

    assert faults(client) == ["document store: unreachable"]


def test_the_probe_leaves_no_file(client, files):
    assert client.get("/readyz").status_code == 200

    assert list(files.iterdir()) == []

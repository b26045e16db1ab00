"""Programs compare their secrets with those of their database."""

import pytest
from django.db import connection, transaction
from django.db.backends.signals import connection_created

from banking.models import Deployment
from banking.services import deployments
from banking.services.deployments import SecretsDiffer
from config import deployment, health
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forget():
    """Let each test ask anew, and disconnect what it connected."""
    deployment.verify_once.cache_clear()
    health.forget()
    yield
    deployment.verify_once.cache_clear()
    health.forget()
    for receiver in (deployment.verify_program, deployment.verify_command):
        connection_created.disconnect(receiver)


@pytest.fixture
def wrong(settings):
    """Record the secrets, then change one."""
    deployments.verify(at=NOON, may_record=True)
    settings.LINK_KEY = "another"


@pytest.fixture
def connect(monkeypatch):
    """Tell the receivers of a new connection; return whether they closed it."""
    closed = []
    monkeypatch.setattr(connection, "close", lambda: closed.append(True))

    def connect():
        connection_created.send(sender=type(connection), connection=connection)
        return bool(closed)

    return connect


def test_a_process_with_other_secrets_is_not_ready(client, wrong):
    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["faults"] == ["secrets: not those of the database"]


def test_a_program_records_its_secrets_at_its_first_connection_and_asks_no_more(
    connect, django_assert_num_queries
):
    connection_created.connect(deployment.verify_program)

    assert not connect()

    assert Deployment.objects.exists()
    with django_assert_num_queries(0):
        connect()


def test_a_command_records_nothing(connect):
    deployment.verify_commands()

    assert not connect()

    assert not Deployment.objects.exists()


def test_no_statement_follows_on_a_connection_with_other_secrets(connect, wrong):
    deployment.verify_commands()

    for _ in range(2):
        with pytest.raises(SecretsDiffer, match="LINK_KEY"):
            connect()


def test_a_comparison_that_fails_is_logged(connect, monkeypatch, caplog):
    def fail(**_):
        raise deployment.Error("permission denied")

    monkeypatch.setattr(deployment, "verify", fail)
    deployment.verify_commands()

    assert not connect()

    assert "the secrets are not compared at this connection: permission denied" in caplog.messages


def test_a_table_that_is_not_there_is_no_warning(connect, caplog):
    with connection.cursor() as cursor, transaction.atomic():
        cursor.execute("ALTER TABLE banking_deployment RENAME TO elsewhere")
        deployment.verify_commands()

        assert not connect()

        transaction.set_rollback(True)
    assert caplog.messages == []


def test_a_table_that_is_not_there_yet_is_asked_again(connect, monkeypatch):
    def fail(**_):
        raise deployment.Error("no such table")

    with monkeypatch.context() as patch:
        patch.setattr(deployment, "verify", fail)
        connection_created.connect(deployment.verify_program)
        assert not connect()

    connect()

    assert Deployment.objects.exists()

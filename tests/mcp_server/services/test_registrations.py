"""Clients that introduced themselves and never came back are forgotten."""

from datetime import timedelta

import pytest
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken

from mcp_server.services import connections, registrations
from tests.factories import NOON, later, make_user


@pytest.fixture
def client_(db):
    """Return a client that registered at noon, with the token that manages it."""
    client = Application.objects.create(registration_source="dcr", client_type="public")
    Application.objects.filter(pk=client.pk).update(created=NOON)
    token = {"token": "manages", "scope": "registration", "expires": later(days=9999)}
    AccessToken.objects.create(application=client, **token)
    return client


def grant(client):
    Grant.objects.create(user=make_user(), application=client, code="c", expires=timezone.now())


def issue(client):
    AccessToken.objects.create(
        user=make_user(), application=client, token="t", expires=timezone.now()
    )


def renew(client):
    RefreshToken.objects.create(user=make_user(), application=client, token="r")


def connect(client):
    connection = connections.connect(make_user(), client, at=NOON)
    connections.end(connection, at=NOON)


def provision(client):
    Application.objects.filter(pk=client.pk).update(registration_source="manual")


def test_a_client_that_was_never_used_is_deleted(client_):
    assert registrations.purge_unused(before=later(seconds=1)) == 1
    assert not Application.objects.exists()
    assert not AccessToken.objects.exists()


def test_a_younger_one_is_kept(client_):
    assert registrations.purge_unused(before=NOON) == 0


@pytest.mark.parametrize("use", [grant, issue, renew, connect, provision])
def test_one_that_was_used_or_is_ours_is_kept(client_, use):
    use(client_)

    assert registrations.purge_unused(before=later(days=1)) == 0
    assert Application.objects.get() == client_


def test_many_are_deleted_batch_by_batch(db, monkeypatch):
    monkeypatch.setattr(registrations, "BATCH_SIZE", 2)
    for _ in range(5):
        Application.objects.create(registration_source="dcr", client_type="public")

    assert registrations.purge_unused(before=timezone.now() + timedelta(minutes=1)) == 5


def test_counting_costs_one_statement(client_, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert registrations.unused(before=later(days=1)).count() == 1

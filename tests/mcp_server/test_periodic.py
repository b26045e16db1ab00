"""What workers do for assistants again and again."""

from datetime import timedelta

from django.utils import timezone
from oauth2_provider.models import AccessToken, Application

from mcp_server import periodic
from mcp_server.models import Connection


def test_tokens_that_ended_are_deleted(make_assistant, owner):
    ended = make_assistant(owner, expires=timezone.now() - timedelta(days=1))
    live = make_assistant(owner)

    outcome = periodic.clear_tokens(None, at=timezone.now())

    assert outcome.startswith("deleted the codes and tokens that had ended by ")
    left = AccessToken.objects.all()
    assert [token.token for token in left] == [live.token]
    assert ended.token != live.token


def test_accesses_end_after_their_last_day(assistant):
    tomorrow = timezone.now() + timedelta(days=1)
    Connection.objects.update(access_until=timezone.now().date())

    assert periodic.end_accesses(None, at=timezone.now()) == "ended 0 accesses and 0 connections"
    assert periodic.end_accesses(None, at=tomorrow) == "ended 0 accesses and 1 connections"


def test_clients_that_nobody_connected_are_deleted(db):
    values = {"client_type": "public", "authorization_grant_type": "authorization-code"}
    source = Application.RegistrationSource.DCR
    client = Application.objects.create(name="Unused", registration_source=source, **values)

    early = periodic.purge_client_registrations(None, at=client.created + timedelta(days=29))
    late = periodic.purge_client_registrations(None, at=client.created + timedelta(days=31))

    assert (early, late) == ("deleted 0 clients never used", "deleted 1 clients never used")


def test_clients_with_a_metadata_document_go_when_it_has_expired(db):
    values = {
        "client_type": "public",
        "authorization_grant_type": "authorization-code",
        "registration_source": Application.RegistrationSource.CIMD,
    }
    for name, days in (("Expired", -1), ("Fresh", 1)):
        expires_at = timezone.now() + timedelta(days=days)
        Application.objects.create(name=name, cimd_expires_at=expires_at, **values)

    outcome = periodic.purge_client_documents(None, at=timezone.now())

    assert "1" in outcome
    assert [client.name for client in Application.objects.all()] == ["Fresh"]

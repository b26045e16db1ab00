"""Connections between users and assistants: create, pause, resume and end them."""

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken, set_token_value

from banking.models import User
from mcp_server.limits import Limits
from mcp_server.models import Connection, FileLink
from mcp_server.scopes import Scope

LOOPBACK_URI = "http://127.0.0.1/callback"


class NotForStaff(Exception):
    """Members of staff connect no assistants."""


@transaction.atomic
def connect(user: User, application: Application, *, host: str = "", at: datetime) -> Connection:
    """Save that a user allows an assistant to read; renews an ended or paused connection.

    `host` is the host of the redirect that got the answer; other hosts that the client registered
    are not stored.
    """
    first = {"client_name": application.name, "created_at": at, "consented_at": at}
    Connection.objects.get_or_create(user=user, application=application, defaults=first)
    connection = Connection.objects.select_for_update(of=("self",)).get(
        user=user, application=application
    )
    connection.client_name, connection.client_host = application.name, host
    if connection.ended_at:
        connection.consented_at = at
    connection.paused_at = connection.ended_at = None
    changed = ["client_name", "client_host", "consented_at", "paused_at", "ended_at"]
    connection.save(update_fields=changed)
    return connection


def drop_wider_tokens(connection: Connection, scopes: Iterable[str]) -> None:
    """Delete the connection's tokens that may read more than the user has now agreed to.

    A new consent that grants less takes the rest away, whichever device holds the older tokens.
    """
    agreed = set(scopes)
    theirs = Q(user=connection.user_id, application=connection.application_id)
    wider = [token for token in AccessToken.objects.filter(theirs) if set(token.scopes) - agreed]
    if not wider:
        return
    RefreshToken.objects.filter(access_token__in=wider).delete()
    AccessToken.objects.filter(pk__in=[token.pk for token in wider]).delete()


@transaction.atomic
def set_limits(connection: Connection, limits: Limits, *, at: datetime) -> None:
    """Set how much the assistant may read, from its next call on; its links to files end.

    Full numbers are a scope, which is added to its tokens or removed from them. A code that was not
    exchanged yet is deleted, because it has the scopes of before.
    """
    theirs = Q(user=connection.user_id, application=connection.application_id)
    Grant.objects.filter(theirs).delete()
    connection = Connection.objects.select_for_update(of=("self",)).get(pk=connection.pk)
    for name, value in limits.columns().items():
        setattr(connection, name, value)
    connection.limits_changed_at = at
    connection.save(update_fields=[*limits.columns(), "limits_changed_at"])
    for token in AccessToken.objects.filter(theirs).order_by("pk"):
        scopes = [one for one in token.scope.split() if one != Scope.ACCOUNT_NUMBERS]
        scopes += [Scope.ACCOUNT_NUMBERS.value] if limits.shows_numbers else []
        AccessToken.objects.filter(pk=token.pk).update(scope=" ".join(scopes))
    FileLink.objects.filter(connection=connection).delete()


@transaction.atomic
def limit_at_consent(
    user: User, application: Application, limits: Limits, *, at: datetime
) -> Connection:
    """Set the limits that the user chose with the scopes, before the client has its tokens.

    They apply to tokens of an earlier consent at once; links to files are deleted. A new connection
    counts as ended until `connect`; an earlier one whose last day has passed is ended first.
    """
    first = {
        "client_name": application.name,
        "created_at": at,
        "consented_at": at,
        "ended_at": at,
    }
    connection, _ = Connection.objects.get_or_create(
        user=user, application=application, defaults=first
    )
    if connection.ended_at is None and connection.is_over(on=at.astimezone(UTC).date()):
        end(connection, at=at)  # its tokens must not be good again
    columns = {**limits.columns(), "limits_changed_at": at}
    Connection.objects.filter(pk=connection.pk).update(**columns)
    FileLink.objects.filter(connection=connection).delete()
    return connection


def hold(user_id: int, application: Application) -> Connection | None:
    """Return a user's connection to a client, locked until the transaction ends.

    None if there is none, or if it has ended.

    Each function that issues or ends tokens holds this lock: it locks the code first, the
    connection next and the tokens last. Two refreshes, or a refresh and an ending, cannot deadlock.
    """
    connections = Connection.objects.select_for_update(of=("self",))
    return connections.filter(user=user_id, application=application, ended_at=None).first()


@transaction.atomic
def pause(connection: Connection, *, at: datetime) -> bool:
    """Let the assistant read nothing until `resume`; return whether that changed anything.

    Deletes its links to files, and codes that were not exchanged yet: the user agreed to such a
    code before the pause, so it must not end the pause.
    """
    theirs = Q(user=connection.user_id, application=connection.application_id)
    Grant.objects.filter(theirs).delete()
    FileLink.objects.filter(connection=connection).delete()
    unpaused = Connection.objects.filter(pk=connection.pk, ended_at=None, paused_at=None)
    return bool(unpaused.update(paused_at=at))


def resume(connection: Connection) -> bool:
    """Let a paused assistant read again; return whether that changed anything."""
    paused = Connection.objects.filter(pk=connection.pk, paused_at__isnull=False)
    return bool(paused.update(paused_at=None))


@transaction.atomic
def end(connection: Connection, *, at: datetime) -> None:
    """End a connection: delete its codes, tokens and links to files.

    Only a new consent of the user renews it.
    """
    theirs = Q(user=connection.user_id, application=connection.application_id)
    Grant.objects.filter(theirs).delete()
    Connection.objects.select_for_update(of=("self",)).get(pk=connection.pk)
    RefreshToken.objects.filter(theirs).delete()
    AccessToken.objects.filter(theirs).delete()
    FileLink.objects.filter(connection=connection).delete()
    Connection.objects.filter(pk=connection.pk, ended_at=None).update(ended_at=at, paused_at=None)


@transaction.atomic
def end_all(user: User, *, at: datetime) -> int:
    """End every connection of a user, and return how many there were."""
    live = list(Connection.objects.filter(user=user, ended_at=None).order_by("pk"))
    for connection in live:
        end(connection, at=at)
    return len(live)


def end_over(*, at: datetime) -> int:
    """End the connections whose last day has passed, and return how many there were."""
    today = at.astimezone(UTC).date()
    over = list(Connection.objects.filter(access_until__lt=today, ended_at=None).order_by("pk"))
    for connection in over:
        end(connection, at=at)
    return len(over)


def end_if_spent(connection: Connection, *, at: datetime) -> None:
    """End a connection that has no token left which could still be used."""
    theirs = Q(user=connection.user_id, application=connection.application_id)
    readable = AccessToken.objects.filter(theirs, expires__gt=at)
    renewable = RefreshToken.objects.filter(theirs, revoked=None)
    if not readable.exists() and not renewable.exists():
        end(connection, at=at)


@transaction.atomic
def remove_client(application: Application, *, at: datetime) -> None:
    """Delete a client at its own request, and end its connections."""
    for connection in application.connections.filter(ended_at=None).order_by("pk"):
        end(connection, at=at)
    application.delete()


@transaction.atomic
def issue_token(user: User, *, client_name: str, scopes: Iterable[str], at: datetime) -> str:
    """Connect a client without a browser, and return an access token: for trying the tools.

    The client is found by its name, or created. Raises: NotForStaff.
    """
    if user.is_staff:
        raise NotForStaff("members of staff connect no assistants")
    application, _ = Application.objects.get_or_create(
        name=client_name,
        registration_source=Application.RegistrationSource.MANUAL,
        defaults={
            "client_type": Application.CLIENT_PUBLIC,
            "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
            "redirect_uris": LOOPBACK_URI,
        },
    )
    connection = connect(user, application, at=at)
    if connection.is_over(on=at.astimezone(UTC).date()):  # a new access, without the former end
        Connection.objects.filter(pk=connection.pk).update(access_until=None)
    lifetime = timedelta(seconds=settings.OAUTH2_PROVIDER["ACCESS_TOKEN_EXPIRE_SECONDS"])
    token = AccessToken(
        user=user,
        application=application,
        scope=" ".join(scopes),
        expires=at + lifetime,
        resource=[settings.MCP_URL],
    )
    secret = secrets.token_urlsafe(32)
    set_token_value(token, secret)
    token.save()
    return secret

"""Links to files that assistants downloaded: short-lived, bound to the connection, in the log.

The link of a stored file, which never changes, names that file. Of any other file a copy is kept in
the encrypted store: a file that is made again may differ from the one whose size and SHA-256 the
assistant was told. The statements of `attach` are written by hand, because each download needs them
and the ORM would build them anew.
"""

import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.core.files.base import ContentFile
from django.urls import reverse

from banking.choices import AccessLevel, AccessStatus, UserType
from banking.models import Accountant
from banking.models.stored_files import file_storage, old_files
from banking.queries import accountants
from banking.services import stores
from foundation.database.prepared_statements import adapt, fetch
from foundation.files import Download
from foundation.privacy.secret_digests import digest
from foundation.throttling import rate_limits
from mcp_server.caller import OPEN_TO_ALL_LEVELS, Caller
from mcp_server.errors import ErrorCode, ToolError
from mcp_server.models import ANSWERED, OPENED_LINK, Connection, FileLink
from mcp_server.queries import connections
from mcp_server.registry import TOOLS
from mcp_server.schema import FileResult
from mcp_server.scopes import Scope
from mcp_server.services import access_log
from mcp_server.services.authentication import Grant

LIFETIME = timedelta(minutes=10)
MAX_LIVE = 20  # links of one connection; a new one removes the oldest
FOLDER = "links"
INSERT = """
    INSERT INTO mcp_server_filelink
        (file, file_name, content_type, size_bytes, sha256, digest, connection_id, tool,
         business_ids, created_at, expires_at)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
    RETURNING (SELECT count(*) FROM mcp_server_filelink WHERE connection_id = %s)
"""
REMOVE_OLDEST = """
    DELETE FROM mcp_server_filelink WHERE id IN (
        SELECT id FROM mcp_server_filelink WHERE connection_id = %s
        ORDER BY created_at DESC, id DESC LIMIT 1000 OFFSET %s
    ) RETURNING file
"""


class NoLink(Exception):
    """There is no such link, it has expired, or its file is gone or may no longer be read."""


def attach(result: FileResult, *, tool: str, caller: Caller, grant: Grant, at: datetime) -> None:
    """Give a result a link to its file, and store a copy unless the file is in the store already.

    Deletes the oldest links of the connection beyond MAX_LIVE.
    """
    secret, file = secrets.token_urlsafe(32), result.download
    expires_at = at + LIFETIME
    row = {
        "file": file.stored_as or _store(file),
        "file_name": file.file_name,
        "content_type": file.content_type,
        "size_bytes": result.size_bytes,
        "sha256": result.sha256,
        "digest": digest(secret),
        "connection_id": grant.connection_id,
        "tool": tool,
        "business_ids": json.dumps(caller.concerned),
        "created_at": adapt(at),
        "expires_at": adapt(expires_at),
    }
    [(count,)] = fetch(INSERT, [*row.values(), grant.connection_id])
    if count >= MAX_LIVE:  # whether the new row is counted differs between the databases
        _delete_files(name for (name,) in fetch(REMOVE_OLDEST, [grant.connection_id, MAX_LIVE]))
    result.download_url = settings.BASE_URL + reverse("file_link", args=[secret])
    result.expires_at = expires_at


def open_link(secret: str, *, request_id: str, at: datetime) -> Download:
    """Return the file of a link, and log that it was opened, or that this was refused.

    Raises: NoLink; RateLimited, of which only the first in a window is logged.
    """
    found = FileLink.objects.select_related("connection__user")
    link = found.filter(digest=digest(secret), expires_at__gt=at).first()
    if link is None:
        raise NoLink
    try:
        _spend(link, at=at)
    except rate_limits.RateLimited as exc:
        if exc.is_first:
            _log(link, ErrorCode.RATE_LIMITED.value, request_id=request_id, at=at)
        raise
    if not _may_still_read(link, at=at):
        _log(link, ErrorCode.ACCESS_DENIED.value, request_id=request_id, at=at)
        raise NoLink
    try:
        file = link.read()
    except FileNotFoundError:
        raise NoLink from None
    _log(link, ANSWERED, request_id=request_id, at=at)
    return file


def purge(*, at: datetime) -> int:
    """Delete links that have expired, with their files, and return their number.

    Deletes also the files of links that were removed, or whose process was killed before it could
    record them. Raises: StoreOfAnother.
    """
    stores.require_own()  # a restored copy would delete files of production
    ended = dict(FileLink.objects.filter(expires_at__lte=at).values_list("pk", "file"))
    FileLink.objects.filter(pk__in=ended).delete()
    _delete_files(ended.values())
    for name in old_files(FOLDER, before=at - LIFETIME):
        file_storage().delete(name)
    return len(ended)


def _store(file: Download) -> str:
    name = f"{FOLDER}/{secrets.token_hex(16)}"  # tells nothing of the secret
    return file_storage().save(name, ContentFile(file.content))


def _delete_files(names: Iterable[str]) -> None:
    """Delete the files that were copied for links. Keep original files, which other rows name."""
    for name in names:
        if name.startswith(f"{FOLDER}/"):
            file_storage().delete(name)


def _may_still_read(link: FileLink, *, at: datetime) -> bool:
    """Return whether the connection may read the file now: it is asked again at each opening."""
    connection, scope = link.connection, TOOLS[link.tool].scope
    is_over = connection.is_over(on=at.astimezone(UTC).date())
    if is_over or connection.paused_at or not connection.user.is_active:
        return False
    if connection.limits_changed_at and link.created_at <= connection.limits_changed_at:
        return False  # made by a call that began before the change
    if not all(connections.holds_scope(connection, one, at=at) for one in TOOLS[link.tool].scopes):
        return False
    return set(link.business_ids) <= _readable(connection, scope, at=at)


def _readable(connection: Connection, scope: Scope, *, at: datetime) -> set[int]:
    """Return the keys of the businesses that the user of a connection may read."""
    caller = Caller(connection.user, scope=scope)
    try:
        if connection.user.user_type != UserType.ACCOUNTANT:
            return {caller.business(None).pk}
        clients = accountants.list_clients(caller.accountant(), at=at)
    except (ToolError, Accountant.DoesNotExist):
        return set()
    return {
        client.business_id
        for client in clients
        if client.status == AccessStatus.CONNECTED
        and (client.level != AccessLevel.STATEMENTS_ONLY or scope in OPEN_TO_ALL_LEVELS)
    }


def _spend(link: FileLink, *, at: datetime) -> None:
    subject = f"links:{link.connection_id}"
    rate_limits.spend({subject: settings.TOOL_DOWNLOADS_PER_MINUTE}, at=at)


def _log(link: FileLink, outcome: str, *, request_id: str, at: datetime) -> None:
    access_log.record(
        connection_id=link.connection_id,
        tool=f"{OPENED_LINK}{link.tool}",
        business_ids=link.business_ids,
        outcome=outcome,
        duration_ms=0,  # the file is sent afterwards
        request_id=request_id,
        limits=connections.list_limits(link.connection, at=at),
        at=at,
    )

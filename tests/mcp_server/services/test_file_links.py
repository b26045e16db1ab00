"""Links to downloaded files: what they hold, when they end, and what the log says."""

import base64
import hashlib
from contextlib import suppress
from datetime import date, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken

from banking.choices import AccessLevel
from banking.models.stored_files import file_storage
from mcp_server import periodic
from mcp_server.limits import Limits
from mcp_server.models import AccessLogEntry, FileLink
from mcp_server.registry import TOOLS
from mcp_server.services import connections, file_links
from tests.factories import make_access
from tests.mcp_server.conftest import connect
from tests.mcp_server.tools.test_statements import PAPER, make_statement

DOWNLOAD = "svc_download_statement"


@pytest.fixture(autouse=True)
def empty_folder():
    """Delete the files of other tests, whose rows are gone."""
    with suppress(FileNotFoundError):
        for name in file_storage().listdir(file_links.FOLDER)[1]:
            file_storage().delete(f"{file_links.FOLDER}/{name}")


@pytest.fixture
def statement(business, make_account):
    return make_statement(make_account(business, is_primary=True), 2026, 1)


@pytest.fixture
def download(assistant, statement):
    """Return a function that downloads the statement."""

    def call(**arguments):
        return assistant.call(DOWNLOAD, statementId=str(statement.external_id), **arguments)

    return call


@pytest.fixture
def download_letter(assistant, statement, settings, tmp_path):
    """Return a function that downloads a file which is made anew each time."""
    settings.LETTER_SIGNING_FILE = tmp_path / "letter.pem"
    return lambda: assistant.call("svc_download_bank_account_letter", variant="GENERAL")


def copies():
    """Return the names of the copies of files in the store."""
    try:
        return file_storage().listdir(file_links.FOLDER)[1]
    except FileNotFoundError:  # nothing was stored yet
        return []


def follow(url):
    """Open a link without any sign-in."""
    assert url.startswith(f"{settings.BASE_URL}/files/")
    return Client().get(url.removeprefix(settings.BASE_URL))


def log():
    return list(AccessLogEntry.objects.order_by("pk").values_list("tool", "outcome", "business"))


def age_links(age):
    now = timezone.now()
    FileLink.objects.update(created_at=now - age, expires_at=now - age + file_links.LIFETIME)


def test_each_download_has_a_delivery_and_no_other_tool():
    with_delivery = {
        name for name, tool in TOOLS.items() if "delivery" in tool.input_schema["properties"]
    }

    assert with_delivery == {name for name, tool in TOOLS.items() if tool.is_download}
    assert len(with_delivery) == 9


def test_a_download_is_answered_as_ever_with_a_link_besides(download):
    file = download()

    assert base64.b64decode(file["base64"]) == PAPER
    assert file["sizeBytes"] == len(PAPER)
    assert file["sha256"] == hashlib.sha256(PAPER).hexdigest()
    assert file["fileName"] == "statement-2026-01.pdf"
    assert follow(file["downloadUrl"]).getvalue() == PAPER


def test_a_link_alone_holds_no_file(download):
    file = download(delivery="link")

    assert file["base64"] is None
    assert follow(file["downloadUrl"]).getvalue() == PAPER


def test_auto_is_a_link_for_large_files(download, monkeypatch):
    small = download(delivery="auto")
    monkeypatch.setattr("mcp_server.schema.LARGE_FILE_BYTES", len(PAPER) - 1)
    large = download(delivery="auto")

    assert small["base64"] is not None
    assert large["base64"] is None


def test_another_delivery_is_refused(assistant):
    code, message = assistant.refusal(DOWNLOAD, statementId="x", delivery="mail")

    assert (code, message) == (
        "INVALID_PARAMETER",
        "delivery: must be one of inline, link, auto",
    )


def test_a_file_is_in_an_answer_once(assistant, statement):
    arguments = {"statementId": str(statement.external_id)}
    call = {"name": DOWNLOAD, "arguments": arguments}
    encoded = base64.b64encode(PAPER).decode()

    new = assistant.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    old = assistant.post(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}, version="2025-03-26"
    )

    assert new.content.decode().count(encoded) == 1
    assert "until expiresAt" in new.json()["result"]["content"][0]["text"]
    assert old.content.decode().count(encoded) == 2  # the version has text only


def test_a_file_is_sent_to_be_saved_and_stored_nowhere(download):
    response = follow(download()["downloadUrl"])

    assert response.status_code == 200
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Disposition"] == 'attachment; filename="statement-2026-01.pdf"'
    assert response["Cache-Control"] == "no-store"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "no-referrer"
    assert not response.cookies


def test_the_secret_is_in_no_row(download):
    secret = download()["downloadUrl"].rpartition("/")[2]

    link = FileLink.objects.get()

    assert len(secret) == 43
    assert secret not in str([vars(link), list(AccessLogEntry.objects.values())])
    assert link.digest == hashlib.sha256(secret.encode()).hexdigest()


def test_each_opening_is_in_the_log_of_the_business(download, business):
    url = download()["downloadUrl"]

    follow(url)
    follow(url)

    opened = (f"link:{DOWNLOAD}", "OK", business.pk)
    assert log() == [(DOWNLOAD, "OK", business.pk), opened, opened]


def test_each_opening_is_logged_with_the_limits_that_held(assistant, download):
    narrowed = Limits(first_day=date(2025, 1, 1), shows_numbers=True)
    connections.set_limits(assistant.connection, narrowed, at=timezone.now())
    url = download()["downloadUrl"]
    follow(url)
    type(assistant.connection).objects.update(paused_at=timezone.now())
    follow(url)
    entries = AccessLogEntry.objects.order_by("pk").values_list("tool", "limits")

    assert list(entries) == [
        (DOWNLOAD, "FROM"),
        (f"link:{DOWNLOAD}", "FROM"),
        (f"link:{DOWNLOAD}", "FROM"),  # refused
    ]


def test_a_link_ends_after_ten_minutes(download):
    url = download()["downloadUrl"]

    age_links(timedelta(minutes=9))
    assert follow(url).status_code == 200
    age_links(timedelta(minutes=10))
    ended = follow(url)

    assert ended.status_code == 404
    assert ended["Cache-Control"] == "no-store"
    assert "This link no longer works" in ended.content.decode()


@pytest.mark.parametrize("address", ["x", "%00", "x" * 500, "ü"])
def test_a_guess_leads_nowhere(db, address):
    assert Client().get(f"/files/{address}").status_code == 404


@pytest.mark.parametrize("how", ["pause", "end"])
def test_a_link_ends_with_the_connection(assistant, download, how):
    url = download()["downloadUrl"]

    getattr(connections, how)(assistant.connection, at=timezone.now())

    assert follow(url).status_code == 404
    assert not FileLink.objects.exists()


def test_a_link_made_while_its_connection_was_paused_is_refused_and_logged(
    assistant, download, business
):
    url = download()["downloadUrl"]
    type(assistant.connection).objects.update(paused_at=timezone.now())

    assert follow(url).status_code == 404
    assert log()[-1] == (f"link:{DOWNLOAD}", "ACCESS_DENIED", business.pk)


def test_a_link_ends_after_the_last_day_of_the_access(assistant, download):
    url, yesterday = download()["downloadUrl"], timezone.now().date() - timedelta(days=1)
    type(assistant.connection).objects.update(access_until=yesterday)

    assert follow(url).status_code == 404


def test_a_link_ends_with_the_scope(download):
    url = download()["downloadUrl"]
    AccessToken.objects.update(scope="profile:read")

    assert follow(url).status_code == 404


def test_a_link_ends_when_its_user_may_not_sign_in(download, owner):
    url = download()["downloadUrl"]
    type(owner).objects.filter(pk=owner.pk).update(is_active=False)

    assert follow(url).status_code == 404


def test_the_link_of_an_accountant_ends_with_the_access(accountant, business, statement):
    access = make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)
    assistant = connect(accountant.user)
    file = assistant.call("svc_download_all_client_statements", delivery="link")
    opened = follow(file["downloadUrl"])
    access.delete()

    assert opened["Content-Type"] == "application/zip"
    assert follow(file["downloadUrl"]).status_code == 404
    assert log()[-2:] == [
        ("link:svc_download_all_client_statements", "OK", business.pk),
        ("link:svc_download_all_client_statements", "ACCESS_DENIED", business.pk),
    ]


def test_openings_are_limited(download, settings):
    settings.RATE_LIMIT_FACTOR = 1
    settings.TOOL_DOWNLOADS_PER_MINUTE = 2
    url = download()["downloadUrl"]

    statuses = [follow(url).status_code for _ in range(4)]

    assert statuses == [200, 200, 429, 429]
    assert [outcome for _, outcome, _ in log()[1:]] == ["OK", "OK", "RATE_LIMITED"]


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "count"), [("download", 0), ("download_letter", 2)])
def test_a_connection_has_few_links_at_once(request, monkeypatch, kind, count):
    download = request.getfixturevalue(kind)
    monkeypatch.setattr(file_links, "MAX_LIVE", 2)

    first, *others = [download()["downloadUrl"] for _ in range(3)]

    assert follow(first).status_code == 404
    assert [follow(url).status_code for url in others] == [200, 200]
    assert FileLink.objects.count() == 2
    assert len(copies()) == count


def test_room_is_made_among_the_links_of_one_connection(download, accountant, business, statement):
    make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)
    elsewhere = connect(accountant.user)
    arguments = {
        "statementId": str(statement.external_id),
        "businessUserId": str(business.external_id),
    }
    other = elsewhere.call(DOWNLOAD, **arguments)["downloadUrl"]

    urls = [download()["downloadUrl"] for _ in range(file_links.MAX_LIVE + 1)]

    assert follow(other).status_code == 200
    assert [follow(url).status_code for url in urls] == [404] + [200] * file_links.MAX_LIVE


def test_the_link_of_a_stored_file_keeps_no_copy(download, statement):
    file = download()

    assert copies() == []
    assert FileLink.objects.get().file.name == statement.file.name
    assert follow(file["downloadUrl"]).getvalue() == PAPER


def test_the_link_of_a_file_that_was_made_keeps_the_very_file(download_letter):
    file = download_letter()
    anew = download_letter()

    assert len(copies()) == 2
    assert anew["sha256"] != file["sha256"]
    assert follow(file["downloadUrl"]).getvalue() == base64.b64decode(file["base64"])


def test_a_stored_file_outlives_its_links(download, statement, own_store, monkeypatch):
    monkeypatch.setattr(file_links, "MAX_LIVE", 1)
    for _ in range(2):
        download()

    periodic.purge_file_links(None, at=timezone.now() + file_links.LIFETIME)

    assert not FileLink.objects.exists()
    assert statement.read().content == PAPER


def test_the_link_of_a_stored_file_that_is_gone_leads_nowhere(download, statement):
    url = download()["downloadUrl"]
    file_storage().delete(statement.file.name)

    assert follow(url).status_code == 404


def test_what_ended_is_deleted_with_its_file(download_letter, own_store):
    download_letter()
    [name] = copies()
    early = periodic.purge_file_links(None, at=timezone.now())
    late = periodic.purge_file_links(None, at=timezone.now() + file_links.LIFETIME)

    assert (early, late) == (
        "deleted 0 links that had expired",
        "deleted 1 links that had expired",
    )
    assert not file_storage().exists(f"{file_links.FOLDER}/{name}")


def test_files_without_a_link_are_deleted(assistant, download_letter, own_store):
    download_letter()
    assert copies()
    connections.end(assistant.connection, at=timezone.now())

    periodic.purge_file_links(None, at=timezone.now() + file_links.LIFETIME + timedelta(minutes=1))

    assert copies() == []

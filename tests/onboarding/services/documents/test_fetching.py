from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import InMemoryStorage, storages
from django.db import connection

from foundation.privacy.encrypted_spools import EncryptedSpool
from onboarding import validators
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus
from onboarding.event_types import EventType
from onboarding.models import Document, Event, Lead
from onboarding.queries import audit, fixed_rows
from onboarding.queries.leads import open_lead_file
from onboarding.services.documents import fetching, intake
from onboarding.services.documents.fetching import dispatch, fetch
from onboarding.uploads import MEMORY_BYTES, Uploads
from tests.factories import NOON, PDF, later, make_application, make_document
from tests.servers import serving

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def store(db, settings, tmp_path, monkeypatch):
    settings.DOCUMENT_SPOOL = tmp_path / "spool"
    storage = InMemoryStorage()
    monkeypatch.setitem(vars(storages)["_storages"], "documents", storage)
    monkeypatch.setattr(Document.file.field, "storage", storage)


@pytest.fixture
def application(db):
    return make_application(status=Status.IN_PROGRESS)


def to_fetch(application, url, **values):
    values = {"status": DocumentStatus.PENDING, "fetch_due_at": NOON, **values}
    return Document.objects.create(
        lead=application.lead, source_url=url, uploaded_at=NOON, **values
    )


def answer(content=PDF, *headers, status=200):
    rows = [f"HTTP/1.1 {status} Some", f"Content-Length: {len(content)}", *headers]
    return "\r\n".join([*rows, "", ""]).encode() + content


def fetched(application, given, *, path="files/letter.pdf", times=1, at=NOON):
    """Fetch a document from a server, and return it as it is after that."""
    with serving(given) as server:
        document = to_fetch(application, server.url + path)
        for attempt in range(times):
            fetch(document.pk, attempt=attempt, at=at + attempt * timedelta(hours=1))
    document.refresh_from_db()
    return document


def stored():
    storage = storages["documents"]
    folders, _ = storage.listdir("leads") if storage.exists("leads") else ([], [])
    return [name for folder in folders for name in storage.listdir(f"leads/{folder}")[1]]


def requirement_codes(application):
    return [one.code for one in open_lead_file(application).requirements]


def test_due_documents_are_handed_out_the_oldest_first_and_not_twice(application):
    pks = [
        to_fetch(application, f"https://example.com/{age}", fetch_due_at=later(seconds=-age)).pk
        for age in range(3)
    ]
    to_fetch(application, "https://example.com/early", fetch_due_at=later(seconds=1))

    assert dispatch(at=NOON, limit=2) == [(pks[2], 0), (pks[1], 0)]
    assert dispatch(at=NOON, limit=2) == [(pks[0], 0)]
    assert dispatch(at=NOON, limit=2) == []
    assert len(dispatch(at=NOON + MINUTE, limit=9)) == 4


def test_a_file_is_received_as_an_upload_is(application):
    before = Lead.objects.get().updated_at

    document = fetched(application, answer(PDF, "Content-Type: application/pdf"))

    assert document.status == DocumentStatus.RECEIVED
    assert (document.file_name, document.content_type) == ("letter.pdf", "application/pdf")
    assert (document.detected_type, document.size_bytes) == ("application/pdf", len(PDF))
    assert (document.fetch_due_at, document.fetch_attempts) == (None, 1)
    assert document.file.read() == PDF
    assert document.file.name.endswith(str(document.external_id))
    event = Event.objects.get()
    assert (event.type, event.role) == (EventType.DOCUMENT_RECEIVED, "PARTNER")
    details = {"document_id": str(document.external_id), "llc_file_type": ""}
    assert event.details == details | fixed_rows.fix(document)
    assert list(audit.find_faults()) == []
    assert Lead.objects.get().updated_at > before


def test_a_large_file_waits_on_disk_and_leaves_nothing_there(application, settings):
    content = PDF + bytes(MEMORY_BYTES)

    document = fetched(application, answer(content, "Content-Type: application/pdf"))

    assert document.file.read() == content
    assert list(Path(settings.DOCUMENT_SPOOL).iterdir()) == []


def test_nothing_waits_for_the_network_within_a_transaction(application, monkeypatch):
    atomic = []
    call = fetching.http_client.send_request

    def watched(*args, **kwargs):
        atomic.append(connection.in_atomic_block and len(connection.savepoint_ids))
        return call(*args, **kwargs)

    monkeypatch.setattr(fetching.http_client, "send_request", watched)
    outside = connection.in_atomic_block and len(connection.savepoint_ids)

    fetched(application, answer())

    assert atomic == [outside]


def test_of_two_messages_one_fetches(application):
    with serving(answer()) as server:
        document = to_fetch(application, server.url)

        for _ in range(2):
            fetch(document.pk, attempt=0, at=NOON)

    assert len(server.requests) == 1
    assert Event.objects.count() == 1


def test_who_lost_its_lease_changes_nothing(application):
    uploads = Uploads()
    document = to_fetch(application, "https://example.com/a.pdf", fetch_attempts=1)
    Document.objects.update(fetch_attempts=2)
    upload = uploads.new()
    upload.write(PDF)

    incoming = intake.inspect(upload, content_type="application/pdf", file_name="a.pdf")
    fetching._receive(document, incoming, NOON)  # noqa: SLF001 - a race, without the race
    fetching._note(document, fetching._Failed("late"), NOON)  # noqa: SLF001 - as above

    document.refresh_from_db()
    assert (document.status, document.status_reason) == (DocumentStatus.PENDING, "")
    assert stored() == []
    assert not Event.objects.exists()


def test_what_fails_is_tried_again_and_given_up_after_the_third_time(application):
    waits = []
    with serving(answer(b"", status=500)) as server:
        document = to_fetch(application, server.url)
        for attempt in range(3):
            at = NOON + attempt * timedelta(hours=1)
            fetch(document.pk, attempt=attempt, at=at)
            document.refresh_from_db()
            waits.append(document.fetch_due_at and document.fetch_due_at - at)
            assert document.status_reason == "the server answered 500"

    assert waits == [MINUTE, 10 * MINUTE, None]
    assert len(server.requests) == 3
    assert document.status == DocumentStatus.NOT_FETCHED
    assert document.uploaded_at == at
    assert dispatch(at=later(days=9), limit=9) == []


def test_a_failure_that_passes_leaves_no_trace(application):
    answers = [answer(b"", status=503), answer()]

    document = fetched(application, lambda one: one.sendall(answers.pop(0)), times=2)

    assert (document.status, document.status_reason) == (DocumentStatus.RECEIVED, "")


def test_given_up_becomes_a_requirement_until_the_file_comes_by_hand(application):
    fetched(application, answer(b"", status=404), times=3)
    assert "DOCUMENT_NOT_FETCHED" in requirement_codes(application)

    make_document(application.lead, uploaded_at=later(days=1))

    assert "DOCUMENT_NOT_FETCHED" not in requirement_codes(application)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (answer(b"", "Location: /", status=302), "the server answered 302"),
        (answer(bytes(101)), "the file is larger than 100 bytes"),
    ],
)
def test_what_would_only_repeat_itself_is_given_up_at_once(application, settings, given, reason):
    settings.DOCUMENT_MAX_BYTES = 100

    document = fetched(application, given)

    assert (document.status, document.status_reason) == (DocumentStatus.NOT_FETCHED, reason)
    assert stored() == []


@pytest.mark.parametrize(
    "url",
    ["https://169.254.169.254/latest/meta-data", "https://10.0.0.1/", "http://2130706433/a.pdf"],
)
def test_an_address_of_the_house_is_refused_at_once(application, url):
    document = to_fetch(application, url)

    fetch(document.pk, attempt=0, at=NOON)

    document.refresh_from_db()
    assert document.status == DocumentStatus.NOT_FETCHED
    assert document.status_reason


def test_loopback_is_called_only_where_a_setting_allows_it(application, settings):
    settings.ALLOW_LOOPBACK = False

    document = fetched(application, answer())

    assert document.status_reason == "the host is not at a public address"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (answer(b""), "the file is empty"),
        (answer(PDF, status=206), "the server answered 206"),
        (answer(PDF, "Content-Encoding: gzip"), "the server sent it compressed"),
        (answer(PDF)[:-3], "the answer is not HTTP, or not whole"),
    ],
)
def test_what_is_no_whole_file_is_tried_again(application, given, reason):
    document = fetched(application, given)

    assert document.status == DocumentStatus.PENDING
    assert document.status_reason.startswith(reason)
    assert stored() == []


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.EXPIRED, Status.DENIED])
def test_nothing_is_fetched_for_an_application_that_has_ended(status):
    application = make_application(status=status)

    with serving(answer()) as server:
        document = to_fetch(application, server.url)
        fetch(document.pk, attempt=0, at=NOON)

    document.refresh_from_db()
    assert document.status == DocumentStatus.NOT_FETCHED
    assert document.status_reason == "the application had ended"
    assert not server.requests


def test_an_application_that_ends_meanwhile_gets_no_file(application):
    received = fetching._receive  # noqa: SLF001 - what happens just before it

    def late(*args):
        type(application).objects.update(status=Status.WITHDRAWN)
        return received(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fetching, "_receive", late)
        document = fetched(application, answer())

    assert document.status_reason == "the application had ended"
    assert stored() == []
    assert not Event.objects.exists()


def test_a_worker_killed_at_the_last_attempt_ends_it(application):
    document = to_fetch(application, "https://files.example.com/a.pdf", fetch_attempts=3)

    fetch(document.pk, attempt=3, at=NOON)

    document.refresh_from_db()
    assert document.status_reason == "the last attempt was interrupted"


def test_an_active_file_is_quarantined(application):
    document = fetched(
        application,
        answer(b"<html><script>alert(1)</script></html>", "Content-Type: application/pdf"),
    )

    assert document.status == DocumentStatus.QUARANTINED
    assert document.status_reason == "Active content: text/html."


def test_a_fetched_file_is_looked_at_to_its_end(application):
    padded = b"padding " * 2000 + b"<script>alert(1)</script>"

    document = fetched(application, answer(padded, "Content-Type: text/plain"))

    assert document.status == DocumentStatus.QUARANTINED


def test_a_file_that_the_lead_has_is_put_aside(application):
    with serving(answer()) as server:
        pair = [to_fetch(application, f"{server.url}{folder}/a.pdf") for folder in "xy"]
        for document in pair:
            fetch(document.pk, attempt=0, at=NOON)

    standings = [Document.objects.get(pk=one.pk) for one in pair]
    assert [one.status for one in standings] == ["RECEIVED", "REPLACED"]
    assert standings[1].status_reason == "The lead has this file already."
    assert Event.objects.count() == 1
    assert "DOCUMENT_NOT_FETCHED" not in requirement_codes(application)


def test_of_workers_that_bring_one_file_at_once_each_writes_down_what_it_brought(in_threads):
    application = make_application(status=Status.IN_PROGRESS)
    with serving(answer()) as server:
        urls = [f"{server.url}{number % 4}/a.pdf" for number in range(8)]
        pks = {url: to_fetch(application, url).pk for url in dict.fromkeys(urls)}

        results = in_threads(lambda url: fetch(pks[url], attempt=0, at=NOON), urls)

    assert results == [None] * 8
    assert len(server.requests) == 4
    standings = sorted(Document.objects.values_list("status", flat=True))
    assert standings == ["RECEIVED", "REPLACED", "REPLACED", "REPLACED"]
    assert Event.objects.count() == 1
    assert list(audit.find_faults()) == []


def test_a_fetch_after_which_nothing_is_missing_moves_the_application(make_application):
    """That the rule was taken back meanwhile is the only way: no URL says what its file is."""
    application = make_application(status=Status.DOCUMENTS_REQUIRED)

    fetched(application, answer())

    application.refresh_from_db()
    assert application.status == Status.IN_REVIEW
    types = Event.objects.order_by("number").values_list("type", flat=True)
    assert list(types) == [EventType.DOCUMENT_RECEIVED, EventType.IN_REVIEW]
    assert Event.objects.first().details["action"] == "firstUploadDocs"


def refuse_writes(*args, **kwargs):
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("place", ["store", "spool"])
def test_an_attempt_counts_only_where_files_can_be_stored(
    application, monkeypatch, settings, place
):
    content = PDF + bytes(MEMORY_BYTES)  # so large that it passes through the spool
    target = storages["documents"] if place == "store" else EncryptedSpool
    with serving(answer(content)) as server, monkeypatch.context() as patch:
        document = to_fetch(application, server.url + "a.pdf")
        patch.setattr(target, "save" if place == "store" else "write", refuse_writes)
        for _ in range(settings.DOCUMENT_URL_TRIES + 1):
            fetch(document.pk, attempt=0, at=NOON)
        document.refresh_from_db()
        waiting = (document.status, document.fetch_attempts, document.fetch_due_at)
        patch.undo()
        fetch(document.pk, attempt=0, at=NOON + MINUTE)

    document.refresh_from_db()
    assert waiting == (DocumentStatus.PENDING, 0, NOON + MINUTE)
    assert (document.status, document.size_bytes) == (DocumentStatus.RECEIVED, len(content))


@pytest.mark.parametrize(("age", "wait"), [(0, 1), (2, 2), (45, 45), (600, 60)])
def test_while_files_cannot_be_stored_fetches_become_rare(application, monkeypatch, age, wait):
    monkeypatch.setattr(storages["documents"], "save", refuse_writes)

    document = fetched(application, answer(), at=NOON + age * MINUTE)

    assert (document.status, document.fetch_attempts) == (DocumentStatus.PENDING, 0)
    assert document.fetch_due_at == NOON + (age + wait) * MINUTE


def test_a_transaction_that_fails_leaves_no_file(application, monkeypatch):
    def fail(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr(fetching, "record_receipt", fail)

    with pytest.raises(ZeroDivisionError):
        fetched(application, answer())

    assert stored() == []
    document = Document.objects.get()
    assert (document.status, document.fetch_due_at) == (DocumentStatus.PENDING, NOON + MINUTE)


@pytest.mark.parametrize(
    ("path", "header", "name"),
    [
        ("a/b.pdf?c=d.png", "", "b.pdf"),
        ("a/Gr%C3%B6%C3%9Fe.pdf", "", "Größe.pdf"),
        ("a/..%2F..%2Fetc%2Fpasswd", "", "passwd"),
        ("a/%E2%80%AEfdp.pdf", "", "fdp.pdf"),
        ("", "", "document.pdf"),
        ("download.php", "", "document.pdf"),
        ("..", "", "document.pdf"),
        ("a.pdf", 'attachment; filename="b c.pdf"', "b c.pdf"),
        ("a.pdf", "attachment; filename*=UTF-8''%e2%82%ac.pdf", "€.pdf"),
        ("a.pdf", 'attachment; filename="../../b.pdf"', "b.pdf"),
        ("a.pdf", 'attachment; filename="C:\\\\x\\\\b.pdf"', "b.pdf"),
        ("a.pdf", "attachment; filename*=nonsense''b.pdf", "a.pdf"),
        ("a.pdf", "attachment", "a.pdf"),
        ("a.pdf", 'attachment; filename=""', "a.pdf"),
        ("a.pdf", "attachment; filename=" + "x" * 3000, "a.pdf"),
        ("a.pdf", f"attachment; filename={'x' * 300}.pdf", "x" * 251 + ".pdf"),
        ("a.pdf", f"attachment; filename=a.{'x' * 300}", "a." + "x" * 253),
    ],
)
def test_a_file_is_named_by_its_server_or_by_its_url(application, path, header, name):
    sent = [f"Content-Disposition: {header}"] if header else []

    document = fetched(application, answer(PDF, *sent), path=path)

    assert document.file_name == name
    assert validators.file_name(name) == name
    assert document.status == DocumentStatus.RECEIVED


def test_a_name_in_utf8_is_read_though_headers_are_latin1(application):
    given = answer(PDF, 'Content-Disposition: attachment; filename="Größe.pdf"')

    assert fetched(application, given).file_name == "Größe.pdf"


@pytest.mark.parametrize("sent", ["", "nonsense", "a/" + "b" * 200])
def test_a_type_that_is_none_is_unknown(application, sent):
    document = fetched(application, answer(PDF, f"Content-Type: {sent}"))

    assert document.content_type == "application/octet-stream"
    assert document.status == DocumentStatus.RECEIVED

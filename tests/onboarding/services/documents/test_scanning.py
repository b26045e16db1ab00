"""First scans, by a real clamd: a file is sent at once, and received once it is clean."""

import os
import subprocess
import sys
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

import pytest
from django.conf import settings as project
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import connection
from django.utils import timezone

from onboarding import tasks
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, LlcFileType, ProposalKind, Role
from onboarding.event_types import EventType
from onboarding.models import Document, Lead
from onboarding.queries import audit, fixed_rows
from onboarding.queries.leads import open_lead_file
from onboarding.services.checks import screenings
from onboarding.services.documents import applicant_documents, fetching, scanning
from onboarding.services.documents.case_documents import (
    NotOpenable,
    NotReviewable,
    accept,
    note_opened,
)
from onboarding.services.documents.intake import inspect
from onboarding.services.reviews import proposals
from onboarding.services.reviews.approval_requirements import DocumentsUnscanned
from onboarding.uploads import Upload
from tests.clamd import EICAR, EICAR_PDF, NAMED, STREAM_MAX_BYTES
from tests.factories import NOON, PDF, later, make_application, make_document, make_lead
from tests.onboarding.cases import make_checked_case, make_reviewer
from tests.onboarding.services.file_stores import write
from tests.servers import serving

LETTER = LlcFileType.IRS_EIN_LETTER.value
ARTICLES = LlcFileType.ARTICLES_OF_ORGANIZATION.value
SECOND = timedelta(seconds=1)


@pytest.fixture
def application(scanner, db):
    """An application of a company that waits for its letter."""
    application = make_application(make_lead(business_type="LLC"), status=Status.DOCUMENTS_REQUIRED)
    make_document(application.lead, llc_file_type=ARTICLES)
    return application


def send(application, content=PDF, *, kind=LETTER, name="letter.pdf", at=NOON):
    """Send a file as the applicant does, and return its document."""
    upload = Upload()
    upload.write(content)
    sent = inspect(upload, content_type="application/pdf", file_name=name, llc_file_type=kind)
    [attached] = write(applicant_documents.add_documents, application, [sent], at=at)
    return attached.document


def run_due(at=NOON):
    """Scan the files that are due, as a worker does."""
    due = scanning.dispatch(at=at, limit=9)
    for pk, attempt in due:
        scanning.scan(pk, attempt=attempt, at=at)
    return len(due)


def events(application, *types):
    found = application.lead.events.order_by("number")
    return [event for event in found if event.type in types] if types else list(found)


def missing(application):
    return [one.code for one in open_lead_file(application).requirements if one.is_awaited]


def test_a_clean_file_is_sent_at_once_and_received_after_its_scan(application):
    document = send(application)

    assert (document.status, document.scan_due_at) == (DocumentStatus.PENDING, NOON)
    assert "EIN_PROOF_MISSING" not in missing(application)
    assert events(application) == []
    application.refresh_from_db()
    assert application.status == Status.DOCUMENTS_REQUIRED

    assert run_due(later(seconds=2)) == 1

    document.refresh_from_db()
    assert (document.status, document.status_reason) == (DocumentStatus.RECEIVED, "")
    assert (document.scan_due_at, document.malware) == (None, "")
    assert document.scanned_at == later(seconds=2)
    assert "/1/" in document.scanned_with


def test_the_receipt_has_its_events_once_and_moves_the_application(application):
    document = send(application)
    [(pk, attempt)] = scanning.dispatch(at=NOON, limit=1)

    for _ in range(2):  # a message that is delivered twice
        scanning.scan(pk, attempt=attempt, at=NOON)
    run_due(later(days=1))

    [received] = events(application, EventType.DOCUMENT_RECEIVED)
    assert received.role == Role.APPLICANT
    assert received.details == {
        "document_id": str(document.external_id),
        "llc_file_type": LETTER,
        "action": "firstUploadDocs",
        **fixed_rows.fix(document),
    }
    assert len(events(application, EventType.IN_REVIEW)) == 1
    application.refresh_from_db()
    assert application.status == Status.IN_REVIEW
    assert list(audit.find_faults()) == []


def test_the_application_moves_when_the_last_of_its_files_is_scanned(application):
    send(application)
    send(application, PDF + b"2", kind="UTILITY_BILL")
    due = scanning.dispatch(at=NOON, limit=9)

    statuses = []
    for pk, attempt in due:
        scanning.scan(pk, attempt=attempt, at=NOON)
        application.refresh_from_db()
        statuses.append(application.status)

    assert statuses == [Status.DOCUMENTS_REQUIRED, Status.IN_REVIEW]


def test_an_applicant_who_is_signing_is_not_disturbed_by_a_scan(application):
    send(application)
    before = Lead.objects.get().updated_at

    run_due()

    assert Lead.objects.get().updated_at == before


@pytest.mark.parametrize("content", [EICAR, EICAR_PDF])
def test_malware_is_quarantined_and_the_document_is_missing_again(application, content):
    document = send(application, content, name="letter.pdf" if content != EICAR else "eicar.txt")

    run_due()

    document.refresh_from_db()
    assert (document.status, document.malware) == (DocumentStatus.QUARANTINED, NAMED)
    assert document.status_reason == f"Malware: {NAMED}"
    assert "EIN_PROOF_MISSING" in missing(application)
    application.refresh_from_db()
    assert application.status == Status.DOCUMENTS_REQUIRED
    [found] = events(application, EventType.MALWARE_FOUND)
    assert found.role == Role.CHECKS
    assert found.details["malware"] == NAMED
    [received] = events(application, EventType.DOCUMENT_RECEIVED)
    assert "action" not in received.details


def test_malware_from_a_partners_url_is_quarantined(application, settings):
    body = EICAR_PDF
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with serving(head.encode() + body) as server:
        document = Document.objects.create(
            lead=application.lead,
            source_url=server.url + "letter.pdf",
            status=DocumentStatus.PENDING,
            uploaded_at=NOON,
            fetch_due_at=NOON,
        )
        fetching.fetch(document.pk, attempt=0, at=NOON)
    document.refresh_from_db()
    fetched = (document.status, bool(document.file), document.fetch_due_at)

    run_due()

    document.refresh_from_db()
    assert fetched == (DocumentStatus.PENDING, True, None)
    assert (document.status, document.malware) == (DocumentStatus.QUARANTINED, NAMED)
    [received] = events(application, EventType.DOCUMENT_RECEIVED)
    assert received.role == Role.PARTNER


def test_a_file_that_is_quarantined_for_its_type_is_scanned_too(application):
    document = send(application, b"#!/bin/sh\n" + EICAR, name="run.sh")
    before = document.status

    run_due()

    document.refresh_from_db()
    assert before == document.status == DocumentStatus.QUARANTINED
    assert document.malware == NAMED
    assert len(events(application, EventType.DOCUMENT_RECEIVED)) == 1


def test_a_replaced_file_keeps_its_status_and_its_malware_is_known(application):
    old = send(application, EICAR_PDF)
    upload = Upload()
    upload.write(PDF)
    new = inspect(
        upload, content_type="application/pdf", file_name="letter.pdf", llc_file_type=LETTER
    )

    write(applicant_documents.replace_document, application, old.external_id, new, at=NOON)
    run_due()

    old.refresh_from_db()
    assert (old.status, old.malware) == (DocumentStatus.REPLACED, NAMED)
    assert not old.is_openable
    received = events(application, EventType.DOCUMENT_RECEIVED)
    assert [event.details["document_id"] for event in received] == [
        str(Document.objects.get(status=DocumentStatus.RECEIVED, llc_file_type=LETTER).external_id)
    ]


def test_while_clamd_is_down_files_wait_ever_longer_and_are_received_later(application, settings):
    address, settings.CLAMD_ADDRESS = settings.CLAMD_ADDRESS, "/run/no-clamd/socket"
    document = send(application)
    waits, at = [], NOON
    for _ in range(9):
        assert run_due(at) == 1
        document.refresh_from_db()
        waits.append((document.scan_due_at - at).total_seconds())
        at = document.scan_due_at

    assert waits == [5, 10, 20, 40, 80, 160, 320, 600, 600]
    assert document.status == DocumentStatus.PENDING
    assert document.status_reason.startswith("Not scanned yet: clamd is away")
    assert run_due(at - SECOND) == 0
    settings.CLAMD_ADDRESS = address
    assert run_due(at) == 1
    document.refresh_from_db()
    assert (document.status, document.status_reason) == (DocumentStatus.RECEIVED, "")


def test_a_file_that_clamd_does_not_take_waits_with_the_reason(application):
    document = send(application, PDF + bytes(2 * STREAM_MAX_BYTES))

    run_due()

    document.refresh_from_db()
    assert document.status == DocumentStatus.PENDING
    assert "StreamMaxLength" in document.status_reason


def test_a_file_that_cannot_be_read_waits_and_says_so(application, caplog):
    document = send(application)
    storages["documents"].delete(document.file.name)

    run_due()

    document.refresh_from_db()
    assert document.status == DocumentStatus.PENDING
    assert "cannot be read" in document.status_reason
    storages["documents"].save(document.file.name, ContentFile(PDF))
    run_due(later(minutes=1))
    document.refresh_from_db()
    assert document.status == DocumentStatus.RECEIVED


def test_a_file_other_than_the_received_is_not_scanned_in_its_place(application):
    document = send(application)
    storages["documents"].delete(document.file.name)
    storages["documents"].save(document.file.name, ContentFile(PDF + b"forged"))

    run_due()

    document.refresh_from_db()
    assert document.status == DocumentStatus.PENDING
    assert "cannot be read" in document.status_reason


def test_nothing_is_released_unscanned_when_the_scanner_is_switched_off(application, settings):
    document = send(application)
    settings.SCANNER = "none"

    assert run_due(later(days=1)) == 0

    document.refresh_from_db()
    assert document.status == DocumentStatus.PENDING


def test_without_a_scanner_a_file_is_received_at_once(db):
    application = make_application(make_lead(business_type="LLC"), status=Status.IN_PROGRESS)

    document = send(application)

    assert (document.status, document.scan_due_at) == (DocumentStatus.RECEIVED, None)
    assert len(events(application, EventType.DOCUMENT_RECEIVED)) == 1


def test_a_sweep_scans_what_is_due(application):
    document = send(application, at=timezone.now())

    tasks.sweep()

    document.refresh_from_db()
    assert document.status == DocumentStatus.RECEIVED


def test_one_message_scans_all_that_is_due(application):
    now = timezone.now()
    documents = [send(application, PDF + bytes([n]), kind="", at=now) for n in range(6)]

    tasks.scan_document(document_id=documents[0].pk, attempt=0)

    assert {one.status for one in application.lead.documents.all()} == {DocumentStatus.RECEIVED}


def test_an_application_is_screened_after_the_scan_of_its_files(scanner, db, settings):
    lead = make_lead(business_type="SSN", ssn="123-45-1000")
    application = make_application(lead, status=Status.IN_PROGRESS)
    send(application, kind="GOVERNMENT_IDENTIFICATION")
    application.status = Status.SUBMITTED
    application.save(update_fields=["status"])
    screen = partial(screenings.screen_submitted, clock=lambda: NOON, until=lambda: False)

    early = screenings.is_waiting(at=NOON), screen()
    screenings.screen(application, at=NOON)
    application.refresh_from_db()
    unmoved = application.status
    run_due()

    assert (early, unmoved) == ((False, 0), Status.SUBMITTED)
    assert (screenings.is_waiting(at=NOON), screen()) == (True, 1)


def test_staff_may_not_open_accept_or_approve_before_the_scan(scanner, db):
    ada = make_reviewer()
    case = make_checked_case(by=ada)
    make_document(case.lead, llc_file_type=ARTICLES, status=DocumentStatus.ACCEPTED)
    document = make_document(
        case.lead,
        llc_file_type=LETTER,
        status=DocumentStatus.PENDING,
        scan_due_at=NOON,
        file_name="letter.pdf",
    )

    with pytest.raises(NotOpenable, match="before it is scanned"):
        note_opened(document, by=ada, at=NOON)
    with pytest.raises(NotReviewable):
        accept(document, by=ada, at=NOON)
    with pytest.raises(DocumentsUnscanned, match=r"letter\.pdf"):
        proposals.decide(case, ProposalKind.APPROVE, internal_text="", by=ada, at=NOON)


def test_staff_may_not_open_malware(scanner, db):
    ada = make_reviewer()
    document = make_document(make_checked_case(by=ada).lead, malware=NAMED)

    with pytest.raises(NotOpenable, match="found malware"):
        note_opened(document, by=ada, at=NOON)


HANGING_SCAN = """
import sys
from datetime import datetime
import django
django.setup()
from onboarding.services.documents import scanning
scanning.scan(int(sys.argv[1]), attempt=0, at=datetime.fromisoformat(sys.argv[2]))
"""


def database_url():
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


@pytest.mark.django_db(transaction=True)
def test_a_scan_whose_worker_is_killed_is_made_again_after_its_lease(scanner):
    application = make_application(make_lead(business_type="LLC"), status=Status.DOCUMENTS_REQUIRED)
    document = send(application)

    def hang(connection):
        while connection.recv(65536):
            pass

    with serving(hang) as slow_clamd:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings_test",
            "DATABASE_URL": database_url(),
            "SCANNER": "clamd",
            "CLAMD_ADDRESS": f"127.0.0.1:{slow_clamd.port}",
        }
        command = [sys.executable, "-c", HANGING_SCAN, str(document.pk), NOON.isoformat()]
        worker = subprocess.Popen(command, cwd=project.BASE_DIR, env=environment)
        deadline = timezone.now() + timedelta(minutes=2)
        while not Document.objects.filter(pk=document.pk, scan_attempts=1).exists():
            assert timezone.now() < deadline
            assert worker.poll() is None
        worker.kill()
        worker.wait()

    assert run_due(NOON + scanning.LEASE - SECOND) == 0
    assert run_due(NOON + scanning.LEASE) == 1
    document.refresh_from_db()
    assert (document.status, document.scan_attempts) == (DocumentStatus.RECEIVED, 2)
    assert len(events(application, EventType.DOCUMENT_RECEIVED)) == 1


def test_a_worker_whose_lease_has_ended_changes_nothing(application, monkeypatch):
    document = send(application, EICAR_PDF)
    clean, scan = scanning.Verdict("", "ClamAV"), scanning.get_verdict

    def scan_too_long(document):
        monkeypatch.setattr(scanning, "get_verdict", scan)
        run_due(NOON + scanning.LEASE)
        return clean

    monkeypatch.setattr(scanning, "get_verdict", scan_too_long)
    run_due()

    document.refresh_from_db()
    assert (document.status, document.malware) == (DocumentStatus.QUARANTINED, NAMED)

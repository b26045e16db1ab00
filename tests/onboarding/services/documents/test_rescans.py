"""Scans of files that were received before the newest signatures."""

import pytest

from foundation.jobs.registry import Incomplete
from foundation.scanning.stored_files import ask_version
from onboarding import periodic
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, ProposalStatus
from onboarding.event_types import EventType
from onboarding.models import Document
from onboarding.services.documents.rescans import count_outdated, rescan_outdated
from tests.clamd import EICAR_RULE, ClamdServer
from tests.factories import NOON, later, make_application, make_document, make_lead, make_proposal

NEW_MALWARE = b"%PDF-1.4 a trick that nobody knew"
NEW_RULE = ("Test.Trick", NEW_MALWARE[9:])
NEW_NAME = "Test.Trick.UNOFFICIAL"


class JobContext:
    arguments = {}

    def __init__(self):
        self.reports = []

    def progress(self, done, total):
        self.reports.append((done, total))


@pytest.fixture
def scanner(settings):
    """A clamd of the test's own, since its signatures change."""
    server = ClamdServer()
    settings.SCANNER, settings.CLAMD_ADDRESS = "clamd", server.address
    yield server
    server.remove()


@pytest.fixture
def running(scanner):
    return scanner.start()


def make_filed(of=Status.IN_REVIEW, **values):
    """Return a document of an application in a status."""
    return make_document(make_application(make_lead(), status=of).lead, **values)


def rescan(at=NOON):
    return periodic.rescan_documents(JobContext(), at=at)


def event_types(document):
    return [event.type for event in document.lead.events.order_by("number")]


@pytest.mark.django_db
def test_malware_that_newer_signatures_know_is_found_in_older_files(running):
    infected = make_filed(content=NEW_MALWARE, status=DocumentStatus.RECEIVED)
    clean = make_filed()
    first = rescan()
    infected.refresh_from_db()
    before = (infected.status, infected.is_openable)

    running.load_signatures(2, EICAR_RULE, NEW_RULE)
    second = rescan(later(days=1))

    infected.refresh_from_db()
    clean.refresh_from_db()
    assert before == (DocumentStatus.RECEIVED, True)
    assert first.startswith("scanned 2 files with ClamAV")
    assert first.endswith("; 0 are left")
    assert second.startswith("scanned 2 files")
    assert (infected.status, infected.malware) == (DocumentStatus.QUARANTINED, NEW_NAME)
    assert event_types(infected) == [EventType.MALWARE_FOUND]
    assert not infected.is_openable
    assert (clean.status, clean.malware) == (DocumentStatus.RECEIVED, "")
    assert "/2/" in clean.scanned_with
    assert event_types(clean) == []
    assert rescan(later(days=2)).startswith("scanned 0 files")


@pytest.mark.django_db
@pytest.mark.parametrize("of", [Status.IN_REVIEW, Status.APPROVED])
@pytest.mark.parametrize("status", [DocumentStatus.ACCEPTED, DocumentStatus.REJECTED])
def test_files_that_staff_have_judged_are_quarantined_too(running, of, status):
    document = make_filed(of, content=NEW_MALWARE, status=status)
    running.load_signatures(2, NEW_RULE)

    rescan()

    document.refresh_from_db()
    assert document.status == DocumentStatus.QUARANTINED
    assert event_types(document) == [EventType.MALWARE_FOUND]


@pytest.mark.django_db
def test_an_open_proposal_is_void_when_its_evidence_is_malware(running):
    document = make_filed(content=NEW_MALWARE)
    application = document.lead.applications.get()
    proposal = make_proposal(application)
    running.load_signatures(2, NEW_RULE)

    rescan()

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.VOIDED


@pytest.mark.django_db
def test_the_longest_unscanned_come_first_and_a_run_ends_in_time(running):
    newest, oldest, never = (
        make_filed(scanned_at=at, scanned_with="ClamAV 1/0/x")
        for at in (later(days=-1), later(days=-2), None)
    )
    version = ask_version()

    assert count_outdated(version) == 3
    faults = rescan_outdated(version, at=NOON)
    next(faults)
    first = set(Document.objects.filter(scanned_at=NOON))
    next(faults)
    second = set(Document.objects.filter(scanned_at=NOON)) - first
    assert (first, second) == ({never}, {oldest})
    assert list(rescan_outdated(version, at=NOON, until=lambda: True)) == []
    assert list(faults) == [""]
    newest.refresh_from_db()
    assert newest.scanned_with == version


@pytest.mark.django_db
def test_a_file_without_a_verdict_lets_the_others_come_first(running, caplog):
    lost, other = make_filed(), make_filed()
    lost.file.storage.delete(lost.file.name)

    with pytest.raises(Incomplete, match=r"scanned 1 files .* 1 are left; 1 failed"):
        rescan()

    lost.refresh_from_db()
    other.refresh_from_db()
    assert (lost.scanned_at, lost.scanned_with) == (NOON, "")
    assert (lost.status, other.scanned_with) == (DocumentStatus.RECEIVED, ask_version())


@pytest.mark.django_db
def test_files_before_their_first_scan_and_known_malware_are_left_out(running):
    make_filed(status=DocumentStatus.PENDING, scan_due_at=NOON)
    make_filed(status=DocumentStatus.QUARANTINED, malware=NEW_NAME)

    assert rescan().startswith("scanned 0 files")


@pytest.mark.django_db
def test_without_clamd_the_job_fails_with_the_reason(scanner):
    with pytest.raises(Incomplete, match="clamd is away"):
        rescan()


@pytest.mark.django_db
def test_without_a_scanner_there_is_nothing_to_do(settings):
    assert rescan() == "no scanner is set"


@pytest.mark.django_db
def test_the_job_reports_each_file(running):
    make_filed()
    make_filed()
    context = JobContext()

    periodic.rescan_documents(context, at=NOON)

    assert context.reports == [(1, 0), (2, 0)]

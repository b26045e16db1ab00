"""Files that came from outside: scanned by a real clamd, opened when they are clean."""

import base64

import orjson
import pytest

from banking import tasks
from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import BillAttachment, ReceiptFile
from banking.models.stored_files import NotOpenable
from foundation.jobs.registry import Incomplete
from tests.banking.feed.conftest import books, spent, supplies
from tests.banking.feed.conftest import business as fed_business
from tests.banking.feed.kinds.test_bill_attachments import FILE
from tests.banking.feed.kinds.test_receipts import RECEIPT
from tests.clamd import EICAR_PDF, NAMED
from tests.factories import NOON, later

__all__ = ["books", "spent", "supplies"]
business = fed_business
BAD = {"content": base64.b64encode(EICAR_PDF).decode()}
PAPER = {name: FILE[name] for name in ("fileName", "contentType", "content")}


class JobContext:
    def progress(self, done, total):
        pass


def scan(at=NOON):
    return tasks.scan_files(JobContext(), at=at)


def state_of(kind, name):
    data = orjson.loads(reading.find_record(KINDS[kind], name).data)
    return data["scan"] if kind == "bill-attachments" else data["file"]["scan"]


@pytest.fixture
def sent(scanner, feed, line, supplies, spent):
    """A clean attachment, and a receipt with malware."""
    feed(
        line("bill-attachments", "F-1", **FILE), line("receipts", "1", **RECEIPT, file=PAPER | BAD)
    )
    return BillAttachment.objects.get(), ReceiptFile.objects.get()


def test_a_file_is_opened_by_nobody_before_its_scan(sent):
    for file in sent:
        with pytest.raises(NotOpenable, match="waits for its malware scan"):
            file.read()
    assert state_of("bill-attachments", "F-1") == state_of("receipts", "1") == "PENDING"


def test_a_scan_releases_clean_files_and_closes_others(sent, caplog):
    clean, infected = sent

    assert scan().startswith("scanned 2 files with ClamAV")

    clean.refresh_from_db()
    infected.refresh_from_db()
    assert clean.read().file_name == FILE["fileName"]
    assert (infected.malware, infected.scanned_at) == (NAMED, NOON)
    with pytest.raises(NotOpenable, match="Malware was found"):
        infected.read()
    assert state_of("bill-attachments", "F-1") == "CLEAN"
    assert state_of("receipts", "1") == "QUARANTINED"
    assert f"malware in {infected}: {NAMED}" in caplog.messages
    assert scan(later(days=1)).startswith("scanned 0 files")


def test_a_new_file_in_the_place_of_malware_is_scanned_anew(sent, feed, line):
    scan()
    feed(line("receipts", "1", 2, **RECEIPT, file=PAPER))
    before = state_of("receipts", "1")

    scan(later(days=1))

    assert (before, state_of("receipts", "1")) == ("PENDING", "CLEAN")


def test_a_verdict_about_a_file_that_was_replaced_meanwhile_is_dropped(sent, feed, line):
    class Replacing(JobContext):
        def progress(self, done, total):
            feed(line("receipts", "1", 2, **RECEIPT, file=PAPER))

    tasks.scan_files(Replacing(), at=NOON)  # the attachment comes first

    assert ReceiptFile.objects.get().malware == ""


def test_files_wait_while_the_scanner_is_away(sent, settings):
    settings.CLAMD_ADDRESS = "/no/such/socket"

    with pytest.raises(Incomplete, match="clamd is away"):
        scan()

    settings.SCANNER = "none"
    assert scan() == "no scanner is set"
    assert state_of("receipts", "1") == "PENDING"


def test_files_of_before_there_was_a_scanner_stay_open_until_they_are_scanned(
    feed, line, supplies, clamd, settings
):
    feed(line("bill-attachments", "F-1", **FILE | BAD))
    row = BillAttachment.objects.get()
    settings.SCANNER, settings.CLAMD_ADDRESS = "clamd", clamd.address
    was_open = row.is_openable

    scan()

    row.refresh_from_db()
    assert (was_open, row.is_openable) == (True, False)

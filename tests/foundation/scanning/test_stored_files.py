"""Scans of stored files; what follows a verdict is tested with documents and files of records."""

import pytest
from django.core.files.base import ContentFile

from foundation.scanning.clamd import ScanFailed
from foundation.scanning.stored_files import ask_version, get_verdict, is_scanned
from tests.clamd import EICAR_PDF, NAMED


def test_a_file_has_the_verdict_of_the_scanner(scanner):
    clean, infected = ContentFile(b"%PDF-"), ContentFile(EICAR_PDF)

    assert [get_verdict(file.open).malware for file in (clean, infected)] == ["", NAMED]
    assert get_verdict(clean.open).version == ask_version()
    assert is_scanned()


def test_a_file_that_cannot_be_read_has_no_verdict(scanner, caplog):
    class Lost:
        name = "lost"

        def open(self):
            raise FileNotFoundError

    with pytest.raises(ScanFailed, match="cannot be read"):
        get_verdict(Lost().open)


def test_without_a_scanner_nothing_is_scanned():
    assert not is_scanned()

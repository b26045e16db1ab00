"""Findings have texts."""

from foundation.inspection.file_contents import REASONS
from foundation.pdf.findings import Finding


def test_staff_are_told_each_finding():
    assert set(REASONS) == set(Finding)

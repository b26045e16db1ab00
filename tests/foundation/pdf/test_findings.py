"""Findings have texts."""

from foundation.pdf.findings import Finding
from onboarding.file_contents import REASONS


def test_staff_are_told_each_finding():
    assert set(REASONS) == set(Finding)

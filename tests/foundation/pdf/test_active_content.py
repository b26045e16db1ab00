"""Objects of a PDF file; the kinds of active content are in tests/onboarding/test_file_contents."""

import pytest

from foundation.pdf.active_content import find_active_content
from foundation.pdf.findings import Finding
from tests.pdf_files import make_pdf

DEEP = b"[" * 400_000 + b"]" * 400_000
ENDLESS = b"<< /S /GoTo /D [3 0 R /Fit] /Next 5 0 R >>"


@pytest.mark.parametrize("is_compressed", [False, True])
def test_an_object_that_nothing_leads_to_is_looked_at(is_compressed):
    pdf = make_pdf(b"null", b"[[<< /A << /S /Launch >> >>]]", is_compressed=is_compressed)

    assert find_active_content(pdf) == Finding.START.encode()


def test_an_endless_chain_of_actions_is_no_ordinary_one():
    assert find_active_content(make_pdf(ENDLESS, catalog=b"/OpenAction 5 0 R")) == b"START"


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.7\n", make_pdf(DEEP)])
def test_what_cannot_be_read_is_damaged(content):
    assert find_active_content(content) == Finding.DAMAGED.encode()


def test_an_ordinary_page_has_nothing():
    assert find_active_content(make_pdf()) == b""

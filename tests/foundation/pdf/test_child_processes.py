"""Child processes that read files from outside."""

import pytest

from foundation.pdf.child_processes import Unreadable, run_child
from tests.pdf_files import make_pdf


def test_the_child_gets_the_content_and_answers():
    assert run_child("foundation.pdf", make_pdf(), "check") == b""


def test_a_child_that_fails_has_read_nothing():
    with pytest.raises(Unreadable) as refused:
        run_child("foundation.pdf", make_pdf(), "write")

    assert not refused.value.is_slow

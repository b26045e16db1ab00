"""The bytes of statements and records."""

import pytest

from foundation.anchoring.statements import Record, Statement, Unreadable

STATEMENT = Statement(
    number=2, at="2026-03-02T12:00:00+00:00", key="k", ranges={"log": (3, 9)}, records=1, root="r"
)


def test_a_statement_is_read_as_it_was_written():
    assert Statement.from_bytes(STATEMENT.to_bytes()) == STATEMENT


def test_a_source_that_the_statement_does_not_know_is_not_covered():
    assert STATEMENT.covered("log") == 9
    assert STATEMENT.covered("another") == 0


def test_a_record_is_read_as_it_was_written():
    record = Record("log", "1-9", 9, "ab")

    assert Record.from_bytes(record.to_bytes()) == record


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": "other"}', b"\xff"])
def test_other_bytes_are_refused(content):
    with pytest.raises(Unreadable):
        Statement.from_bytes(content)
    with pytest.raises(Unreadable):
        Record.from_bytes(content)

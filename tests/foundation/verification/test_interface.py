import pytest

from foundation.verification import interface
from foundation.verification.interface import (
    Account,
    Outcome,
    Pending,
    Rejected,
    Reply,
    Result,
    Unusable,
)


def test_an_account_shows_no_secret():
    shown = repr(Account("a", "https", "https://a.example.com", "t0ken", "s3cret"))

    assert "t0ken" not in shown
    assert "s3cret" not in shown


@pytest.mark.parametrize("reference", ["", "a b", "<b>", "é", "x" * 101, "-x"])
def test_a_reference_has_an_agreed_shape(reference):
    with pytest.raises(Unusable):
        Result(Outcome.PASS, reference)


@pytest.mark.parametrize("reasons", [("a",), ("A B",), ("A",) * 11, ("",)])
def test_reasons_are_codes(reasons):
    with pytest.raises(Unusable):
        Result(Outcome.FAIL, "r", reasons)


def test_a_pending_answer_needs_no_reference_but_a_good_one():
    assert Pending().reference == ""
    with pytest.raises(Unusable):
        Pending("a b")


@pytest.mark.parametrize("content", [b"", b"x", b"[]", b'"a"', b"\xff", b"[" * 100_000])
def test_an_answer_is_a_json_object(content):
    with pytest.raises(Unusable):
        interface.parse_object(content)


@pytest.mark.parametrize(("status", "kind"), [(302, Unusable), (500, Unusable), (422, Rejected)])
def test_only_a_success_has_a_result(status, kind):
    interface.require_success(Reply(202, {}, b""))
    with pytest.raises(kind):
        interface.require_success(Reply(status, {}, b""))

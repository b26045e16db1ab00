import pytest
from django.core.management import CommandError, call_command

from banking.models import Account, Transaction
from banking.services import bill_payments, holds, ledger
from tests.factories import NOON, draft_transaction


@pytest.fixture
def account(make_account):
    account = make_account()
    ledger.post(draft_transaction(account, 10_000), at=NOON)
    holds.hold(draft_transaction(account, -1_000), settles_at=NOON)
    return account


def test_what_is_due_is_settled(account, capsys):
    call_command("settle_pending")

    assert capsys.readouterr().out.splitlines() == [
        "settled 1 pending transactions",
        "sent 0 bill payments, 0 failed",
        "settled 0 bill payments, 0 failed",
    ]
    assert not Transaction.objects.pending().exists()


def test_a_dry_run_settles_nothing(account, capsys):
    call_command("settle_pending", "--dry-run")

    assert capsys.readouterr().out.splitlines() == [
        "would settle 1 pending transactions",
        "would send 0 bill payments",
        "would settle 0 bill payments",
    ]
    assert Transaction.objects.pending().exists()


def test_what_cannot_settle_is_named(account, capsys):
    Account.objects.filter(pk=account.pk).update(closed_through="2199-12-31")

    with pytest.raises(CommandError, match="1 could not be settled"):
        call_command("settle_pending")

    assert "closed through 2199-12-31" in capsys.readouterr().err


@pytest.fixture
def payments(account, make_supplier, make_payee, make_bill, make_bill_payment):
    """Return payments of bills: one that left long ago, one that is due, and one without funds."""
    supplier = make_supplier(account.business)
    make_payee(supplier, "ACH")
    payments = [
        make_bill_payment(make_bill(supplier, amount_cents), amount_cents=amount_cents)
        for amount_cents in (1_000, 2_000, 8_000)
    ]
    bill_payments.send_payment(payments[0], at=NOON)
    return payments


def test_bill_payments_leave_and_settle(payments, capsys):
    call_command("settle_pending")

    captured = capsys.readouterr()
    assert captured.out.splitlines()[1:] == [
        "sent 1 bill payments, 1 failed",
        "settled 1 bill payments, 0 failed",
    ]
    assert captured.err == f"{payments[2]}: The available balance does not cover it.\n"


def test_a_dry_run_leaves_bill_payments(payments, capsys):
    call_command("settle_pending", "--dry-run")

    assert capsys.readouterr().out.splitlines()[1:] == [
        "would send 2 bill payments",
        "would settle 1 bill payments",
    ]
    payments[1].refresh_from_db()
    assert payments[1].status == "SCHEDULED"

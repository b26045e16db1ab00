import pytest
from django.core.management import CommandError, call_command

from banking.models import Account, Transaction
from banking.services import ledger
from tests.factories import NOON, draft_transaction


@pytest.fixture
def account(make_account):
    account = make_account()
    ledger.post(draft_transaction(account, 10_000), at=NOON)
    ledger.hold(draft_transaction(account, -1_000), settles_at=NOON)
    return account


def test_what_is_due_is_settled(account, capsys):
    call_command("settle_pending")

    assert capsys.readouterr().out == "settled 1 pending transactions\n"
    assert not Transaction.objects.pending().exists()


def test_a_dry_run_settles_nothing(account, capsys):
    call_command("settle_pending", "--dry-run")

    assert capsys.readouterr().out == "would settle 1 pending transactions\n"
    assert Transaction.objects.pending().exists()


def test_what_cannot_settle_is_named(account, capsys):
    Account.objects.filter(pk=account.pk).update(closed_through="2199-12-31")

    with pytest.raises(CommandError, match="1 could not be settled"):
        call_command("settle_pending")

    assert "closed through 2199-12-31" in capsys.readouterr().err

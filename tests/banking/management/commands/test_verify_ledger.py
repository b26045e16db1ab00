import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from banking.management.commands import verify_ledger
from banking.models import Account


def test_a_ledger_that_agrees_is_clean(make_transaction, capsys):
    make_transaction()

    call_command("verify_ledger")

    assert capsys.readouterr().out == "the ledger is clean: 1 postings, no difference\n"


@pytest.mark.django_db(transaction=True)
def test_each_difference_is_named(make_transaction, capsys):
    account = make_transaction().account
    Account.objects.filter(pk=account.pk).update(current_cents=7)

    with pytest.raises(CommandError, match="1 differences among 1 postings"):
        call_command("verify_ledger")

    assert "current balance is 7, should be 1000" in capsys.readouterr().out


@pytest.mark.skipif(connection.vendor != "postgresql", reason="one process reads SQLite")
@pytest.mark.django_db(transaction=True)
def test_two_processes_find_what_one_finds(make_transaction, capsys, monkeypatch):
    monkeypatch.setattr(verify_ledger, "MANY", 1)
    account = make_transaction().account
    Account.objects.filter(pk=account.pk).update(current_cents=7)

    with pytest.raises(CommandError, match="1 differences among 1 postings"):
        call_command("verify_ledger", "--processes=2")

    assert "current balance is 7, should be 1000" in capsys.readouterr().out

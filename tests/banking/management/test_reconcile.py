"""manage.py reconcile: a file of balances, and the run that staff see."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from banking.feed import reconciliation
from banking.models import Reconciliation
from banking.services import ledger
from tests.factories import NOON, draft_transaction


@pytest.fixture
def file(tmp_path, make_account):
    """A file with the balance of an account that has 500 cents."""
    account = make_account()
    ledger.post(draft_transaction(account, 500), at=NOON)
    path = tmp_path / "balances.ndjson"
    line = '{"account": "%s", "date": "%s", "balanceCents": 500, "count": 1}\n'
    path.write_text(line % (account.external_id, NOON.date()))
    return path


def run(file):
    out = StringIO()
    call_command("reconcile", str(file), stdout=out)
    return out.getvalue()


def test_equal_books_end_well_and_are_recorded(file):
    assert run(file) == "no difference in 1 lines\n"

    found = Reconciliation.objects.get()
    assert (found.file_name, found.line_count, found.differences) == ("balances.ndjson", 1, [])


def test_differences_end_the_command_with_a_failure_and_are_kept(file, monkeypatch):
    monkeypatch.setattr(reconciliation, "KEPT", 1)
    line = file.read_text().replace('"balanceCents": 500', '"balanceCents": 501')
    file.write_text(line.replace('"count": 1', '"count": 2'))

    with pytest.raises(CommandError, match="2 differences in 1 lines"):
        run(file)

    found = Reconciliation.objects.get()
    assert found.difference_count == 2
    (text,) = found.differences
    assert text.endswith("has a balance of 500 cents here, 501 in the file")


def test_a_file_without_lines_is_no_agreement(file):
    file.write_text("\n")

    with pytest.raises(CommandError, match="no lines"):
        run(file)


def test_a_file_that_is_not_there_is_named(db):
    with pytest.raises(CommandError, match="No such file"):
        run("/nowhere.ndjson")

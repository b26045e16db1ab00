import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from banking.models import Account, Transaction
from banking.queries.ledger import find_differences

FILES = Path(__file__).parents[2] / "imports" / "files"
NUMBER = b"000012345678"  # of the account that the samples name


@pytest.fixture
def account(make_account, make_card):
    """An account with the card that `card.qfx` names."""
    account = make_account()
    make_card(account, last4="4242")
    return account


@pytest.fixture
def of_account(account, tmp_path):
    """Let a sample file name the account."""

    def write(sample):
        file = tmp_path / sample
        content = (FILES / sample).read_bytes()
        file.write_bytes(content.replace(NUMBER, account.account_number.encode()))
        return file

    return write


@pytest.fixture
def imported(account):
    """Import a file and return the two streams; the command's refusal is the third."""

    def call(file, *options, **more):
        out, err = io.StringIO(), io.StringIO()
        refusal = ""
        try:
            call_command(
                "import_transactions", str(file), *options, stdout=out, stderr=err,
                **{"account": str(account.external_id), **more},
            )  # fmt: skip
        except CommandError as exc:
            refusal = str(exc)
        return out.getvalue(), err.getvalue(), refusal

    return call


def test_an_ofx_file_is_imported_once(imported, of_account, account):
    first, err, refusal = imported(of_account("checking.ofx"))
    second, _, _ = imported(of_account("checking.ofx"))

    account.refresh_from_db()
    assert first == "imported 7 transactions: 6 posted, 1 held, 0 settled; 0 were there\n"
    assert second == "imported 0 transactions: 0 posted, 0 held, 0 settled; 7 were there\n"
    assert (err, refusal) == ("", "")
    assert (account.current_cents, account.held_cents) == (71925, 7500)
    assert not list(find_differences())


@pytest.mark.parametrize(
    ("file", "cents", "held"),
    [("card.qfx", 50000, 0), ("statement-v02.xml", 22175, 0), ("statement-v08.xml", 78749, 7500)],
)
def test_other_kinds_are_imported(imported, of_account, account, file, cents, held):
    imported(of_account(file))

    account.refresh_from_db()
    assert (account.current_cents, account.held_cents) == (cents, held)
    assert not list(find_differences())


def test_a_csv_file_is_imported_by_its_mapping(imported, account):
    out, err, _ = imported(FILES / "larkspur.csv", mapping=FILES / "larkspur.toml")

    account.refresh_from_db()
    assert out == "imported 5 transactions: 4 posted, 1 held, 0 settled; 0 were there\n"
    assert err == ""
    assert (account.current_cents, account.held_cents) == (138925, 7500)


def test_the_account_may_be_named_by_its_number(imported, account):
    out, _, _ = imported(FILES / "card.qfx", account=account.account_number)

    assert "3 posted" in out


def test_refused_lines_are_named_and_the_rest_is_imported(imported, of_account):
    out, err, refusal = imported(of_account("faulty.ofx"))

    assert out.startswith("imported 2 transactions")
    assert "line 10 has the amount '-1,234': a comma of thousands?\n" in err
    assert "line 24 has the id of a transaction with another amount\n" in err
    assert refusal == "lines refused: 16"


def test_all_or_nothing_imports_nothing_when_a_line_is_refused(imported, of_account):
    out, err, refusal = imported(of_account("faulty.ofx"), "--all-or-nothing")

    assert out.startswith("would import 2 transactions")
    assert err.count("line ") == 16
    assert refusal == "lines refused: 16; nothing was imported"
    assert not Transaction.objects.exists()


def test_a_dry_run_imports_nothing(imported, of_account):
    out, _, refusal = imported(of_account("checking.ofx"), "--dry-run")

    assert out == "would import 7 transactions: 6 posted, 1 held, 0 settled; 0 were there\n"
    assert refusal == ""
    assert not Transaction.objects.exists()


@pytest.mark.parametrize(
    ("file", "options", "reason"),
    [
        ("larkspur.csv", {}, "needs --mapping"),
        ("card.qfx", {"mapping": FILES / "plain.toml"}, "no other kind has one"),
        ("larkspur.csv", {"mapping": FILES / "plain.toml"}, "no column 'date'"),
        ("larkspur.csv", {"mapping": FILES / "card.qfx"}, "it is not TOML"),
        ("faulty.csv", {"mapping": FILES / "larkspur.toml"}, "no column 'Date'"),
        ("card.qfx", {"kind": "camt"}, "not ISO 20022"),
        ("bomb.xml", {}, "document type"),
        ("bomb.ofx", {"kind": "ofx"}, "document type"),
        ("missing.csv", {}, "No such file"),
        (".", {}, "directory"),
        ("card.qfx", {"account": "123456789012"}, "no account of a customer"),
        ("card.qfx", {"account": "100000000008"}, "no account of a customer"),
        ("card.qfx", {"account": "everything"}, "no account of a customer"),
    ],
)
def test_what_cannot_be_imported_is_refused_with_a_reason(imported, file, options, reason):
    _, _, refusal = imported(FILES / file, **options)

    assert reason in refusal
    assert not Transaction.objects.exists()


def test_a_closed_account_is_refused(imported, account):
    Account.objects.filter(pk=account.pk).update(status="CLOSED", closed_at=account.opened_at)

    assert "is closed" in imported(FILES / "card.qfx")[2]


def test_an_interrupted_import_says_so(imported, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("banking.services.imports.import_transactions", interrupted)

    assert imported(FILES / "card.qfx")[2] == "interrupted; run again to import the rest"


@pytest.mark.parametrize("file", ["checking.ofx", "statement-v02.xml", "statement-v08.xml"])
def test_a_file_of_another_account_is_refused(imported, account, file):
    _, _, refusal = imported(FILES / file)

    assert refusal == (
        f"The file is of the account ••••5678, not of ••••{account.account_number[-4:]}. "
        "With --any-account it is taken."
    )
    assert not Transaction.objects.exists()


def test_a_file_of_a_card_on_another_account_is_refused(imported, account, make_account):
    account.cards.update(account=make_account())

    _, _, refusal = imported(FILES / "card.qfx")

    assert refusal.startswith("The file is of the account ••••4242, not of ••••")
    assert not Transaction.objects.exists()


def test_a_file_of_another_account_is_taken_where_that_is_meant(imported):
    out, err, refusal = imported(FILES / "checking.ofx", "--any-account")

    assert out.startswith("imported 7 transactions")
    assert (err, refusal) == ("", "")

from dataclasses import replace

import pytest

from banking.choices import AccountStatus
from banking.imports.transactions import Fault
from banking.models import Account, Posting, Transaction, TransactionTotal
from banking.queries.ledger import find_differences
from banking.services import imports, ledger
from banking.services.balances import AccountClosed
from banking.services.import_batches import ImportCounts
from tests.banking.services.importing import LINE, balances, numbered, run
from tests.factories import NOON, draft_transaction


@pytest.fixture
def account(make_account):
    return make_account()


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(imports, "BATCH_SIZE", 10)


def test_the_same_lines_again_change_nothing(account):
    lines = [*numbered(30), *numbered(10, 30, is_pending=True, settled_date=None)]
    run(account, lines)
    before = (balances(account), Posting.objects.count(), TransactionTotal.objects.count())

    counts, faults = run(account, lines)

    assert (counts, faults) == (ImportCounts(unchanged=40), [])
    assert (balances(account), Posting.objects.count(), TransactionTotal.objects.count()) == before


@pytest.mark.parametrize("start", [0, 5])
def test_lines_twice_in_a_file_go_in_once(account, small_batches, start):
    lines = numbered(15)

    counts, _ = run(account, [*lines, *lines[start:]])

    assert counts == ImportCounts(posted=15, unchanged=15 - start)
    assert balances(account) == (-7500, 0)


def test_the_same_id_on_another_account_is_another_transaction(account, make_account):
    run(account, [LINE])

    assert run(make_account(), [LINE])[0] == ImportCounts(posted=1)


def test_faults_are_passed_on_and_the_rest_goes_in(account):
    fault = Fault(3, "has no id")

    counts, faults = run(account, [LINE, fault, replace(LINE, external_id="b")])

    assert (counts, faults) == (ImportCounts(posted=2, refused=1), [fault])


def test_a_refused_line_leaves_nothing_of_all_or_nothing(account, small_batches):
    lines = [*numbered(25), Fault(99, "has no id"), *numbered(5, 30)]

    counts, faults = run(account, lines, all_or_nothing=True)

    assert counts == ImportCounts(posted=30, refused=1)
    assert len(faults) == 1
    assert not Transaction.objects.exists()
    assert balances(account) == (0, 0)


def test_all_goes_in_when_nothing_is_refused(account, small_batches):
    counts, _ = run(account, numbered(25), all_or_nothing=True)

    assert counts == ImportCounts(posted=25)
    assert balances(account) == (-12_500, 0)
    assert not list(find_differences())


def test_a_dry_run_says_what_it_would_do(account, small_batches):
    lines = numbered(15)

    counts, _ = run(account, [*lines, *lines], dry_run=True)

    assert counts == ImportCounts(posted=15, unchanged=15)
    assert not Transaction.objects.exists()


def test_a_closed_account_takes_nothing(make_account):
    account = make_account(status=AccountStatus.CLOSED, closed_at=NOON)

    with pytest.raises(AccountClosed):
        run(account, [LINE])


def test_broken_off_in_the_middle_it_goes_on_where_it_was(account, small_batches):
    def breaking():
        yield from numbered(25)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(account, breaking())
    half = Transaction.objects.count()
    counts, _ = run(account, numbered(45))

    assert half == 20
    assert counts == ImportCounts(posted=25, unchanged=20)
    assert balances(account) == (-22_500, 0)
    assert not list(find_differences())


def test_broken_off_all_or_nothing_leaves_nothing(account, small_batches):
    def breaking():
        yield from numbered(25)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(account, breaking(), all_or_nothing=True)

    assert not Transaction.objects.exists()
    assert balances(account) == (0, 0)


def test_a_batch_costs_few_statements(account, django_assert_max_num_queries):
    lines = [replace(line, merchant_name="Cafe", mcc="5812") for line in numbered(1000)]

    with django_assert_max_num_queries(60):
        run(account, lines)


def test_eight_imports_of_one_file_at_once_write_it_once(make_account, in_threads, monkeypatch):
    monkeypatch.setattr(imports, "BATCH_SIZE", 25)
    account = make_account()
    lines = [
        replace(line, merchant_name=f"Cafe {n % 7}", mcc="5812")
        for n, line in enumerate(numbered(100))
    ]

    outcomes = in_threads(lambda _: run(account, lines)[0], range(8))

    assert sum(outcomes, ImportCounts()) == ImportCounts(posted=100, unchanged=700)
    assert balances(account) == (-50_000, 0)
    assert not list(find_differences())


def test_imports_and_postings_at_once_neither_lose_nor_double(
    make_account, in_threads, monkeypatch
):
    monkeypatch.setattr(imports, "BATCH_SIZE", 10)
    account = make_account()

    def write(number):
        if number % 2:
            for _ in range(5):
                ledger.post(draft_transaction(Account(pk=account.pk), 1000), at=NOON)
            return None
        return run(account, numbered(40, 40 * number), all_or_nothing=number == 0)[0]

    failures = [
        outcome for outcome in in_threads(write, range(4)) if isinstance(outcome, Exception)
    ]

    assert failures == []
    assert balances(account) == (2 * 5 * 1000 - 80 * 500, 0)
    assert not list(find_differences())

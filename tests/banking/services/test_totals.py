from banking.models import TransactionTotal
from banking.services import totals
from tests.factories import later


def rows(**filters):
    found = TransactionTotal.objects.filter(**filters).order_by("starts_on")
    return list(found.values_list("starts_on", "count", "in_cents", "out_cents"))


def test_days_and_months_are_counted(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 500)
    make_transaction(account, 700)
    make_transaction(account, 900, at=later(days=40))

    days = [(str(day), count, came) for day, count, came, _ in rows(granularity="DAY")]
    months = [(str(day), count, came) for day, count, came, _ in rows(granularity="MONTH")]

    assert days == [("2026-03-02", 2, 1_200), ("2026-04-11", 1, 900)]
    assert months == [("2026-03-01", 2, 1_200), ("2026-04-01", 1, 900)]


def test_kinds_are_counted_apart(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 500)
    make_transaction(account, -200)
    make_transaction(account, -300, is_business=False)
    make_transaction(account, -400, pending=True)

    assert len(rows(granularity="DAY")) == 4


def test_what_is_taken_away_leaves_zero(make_transaction):
    row = make_transaction()

    totals.add([row], sign=-1)

    assert {numbers[1:] for numbers in rows()} == {(0, 0, 0)}

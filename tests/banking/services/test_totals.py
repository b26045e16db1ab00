from datetime import date

from banking.models import Merchant, MerchantTotal, TransactionTotal
from banking.queries.ledger import find_differences
from banking.services import totals
from tests.factories import later, make_transaction


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


def test_posted_rows_are_counted_by_merchant_and_month(make_account, make_transaction):
    account, mill = make_account(), Merchant.objects.create(name="Mill", mcc="5411")
    for amount in (-300, -200, 50):
        spent = {"merchant": mill, "merchant_raw_name": "MILL 7", "category_id": "MEALS"}
        make_transaction(account, amount, **spent)
    make_transaction(account, -70, merchant_raw_name="CORNER")
    make_transaction(account, -90, merchant=mill, pending=True)

    totals = MerchantTotal.objects.order_by("out_cents")

    assert list(
        totals.values_list("merchant_key", "raw_name", "count", "in_cents", "out_cents")
    ) == [
        (0, "CORNER", 1, 0, 70),
        (mill.pk, "", 3, 50, 500),
    ]
    assert set(totals.values_list("starts_on", flat=True)) == {date(2026, 3, 1)}


def test_what_is_taken_away_leaves_the_merchants_total(make_transaction):
    row = make_transaction(amount_cents=-300, merchant_raw_name="CORNER")

    totals.add([row], sign=-1)

    assert MerchantTotal.objects.get().count == 0


def test_they_are_computed_anew(make_account, make_transaction):
    account, mill = make_account(), Merchant.objects.create(name="Mill", mcc="5411")
    make_transaction(account, -300, merchant=mill, is_business=False)
    make_transaction(account, 700, at=later(days=40), merchant_raw_name="CORNER")
    make_transaction(account, -90, pending=True)
    TransactionTotal.objects.filter(is_pending=False).delete()
    MerchantTotal.objects.update(count=7)
    assert list(find_differences())

    totals.rebuild()

    assert list(find_differences()) == []
    assert (TransactionTotal.objects.count(), MerchantTotal.objects.count()) == (6, 2)


def test_movements_that_are_posted_meanwhile_are_counted_once(make_account, in_threads):
    accounts = [make_account() for _ in range(3)]

    def work(account):
        for _ in range(3):
            if account:
                make_transaction(account, 100)
            else:
                totals.rebuild()

    failed = [error for error in in_threads(work, [*accounts, None]) if error]

    assert list(find_differences()) == []
    assert len(failed) == 0
    assert sum(row.count for row in MerchantTotal.objects.all()) == 9

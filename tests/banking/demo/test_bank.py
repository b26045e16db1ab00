"""The demo bank as a whole."""

from datetime import date

import pytest
from django.db import models, transaction

from banking.demo import accountants, bank
from banking.models import (
    Accountant,
    Bill,
    BillPayment,
    Business,
    Card,
    Entry,
    Invoice,
    Location,
    Posting,
    Receipt,
    Referral,
    Statement,
    TaxStatement,
    Transaction,
    User,
)

TODAY = date(2026, 11, 21)
SMALL = bank.Wanted(until=TODAY, businesses=1, months=3)
LOOKED_AT = [
    Accountant, Bill, BillPayment, Business, Card, Entry, Invoice, Location, Posting, Receipt,
    Referral, Statement, TaxStatement, Transaction, User,
]  # fmt: skip
TINY = bank.Wanted(until=TODAY, businesses=1, months=1)
KEYS = (models.AutoField, models.ForeignKey)
DRAWN = {  # columns that the bank draws anew for each record
    (User, "password"), (Referral, "invite_code"), (TaxStatement, "external_id"),
    (Accountant, "external_id"),
}  # fmt: skip

pytestmark = pytest.mark.django_db


def rows(model):
    """Return every row without keys and other columns that the bank drew."""
    names = [
        field.attname
        for field in model._meta.concrete_fields
        if not (isinstance(field, KEYS) or field.primary_key or (model, field.name) in DRAWN)
    ]
    return sorted(map(repr, model.objects.values_list(*names)))


def rows_of_a_load(wanted):
    with transaction.atomic():
        bank.load(wanted)
        loaded = {model: rows(model) for model in LOOKED_AT}
        transaction.set_rollback(True)
    return loaded


def test_the_same_seed_on_the_same_day_gives_the_same_rows():
    first, second = rows_of_a_load(SMALL), rows_of_a_load(SMALL)

    assert all(first.values())
    for model in LOOKED_AT:
        assert first[model] == second[model], model


def test_a_load_that_breaks_leaves_nothing(monkeypatch):
    def broken(*_args, **_kwargs):
        raise InterruptedError

    monkeypatch.setattr(accountants, "plan_referrals", broken)

    with pytest.raises(InterruptedError):
        bank.load(TINY)

    assert not bank.is_loaded()
    assert not Business.objects.exists()
    assert not Posting.objects.exists()


@pytest.mark.parametrize("until", [date(2026, 3, 1), date(2028, 2, 29), date(2026, 1, 1)])
def test_it_can_be_as_of_any_day(until):
    bank.load(bank.Wanted(until=until, businesses=1, months=1, seed=3))

    assert bank.is_loaded()
    assert not Transaction.objects.filter(occurred_at__date__gte=until).exists()
    assert not Posting.objects.filter(posted_at__date__gte=until).exists()

"""Firms of the accountants who are older than firms."""

from importlib import import_module
from types import SimpleNamespace

from django.apps import apps
from django.db import connection

from banking.models import Accountant, Firm
from tests.factories import NOON, later, make_access, make_accountant, make_business

found_firms = import_module("banking.migrations.0032_firms_of_accountants").found_firms
NAME = "Oak & Ledger CPA"


def test_each_accountant_gets_a_firm_with_the_accesses_of_the_accountant(db, monkeypatch):
    monkeypatch.setattr(Accountant, "firm_name", NAME, raising=False)  # a column until then
    business = make_business()
    people = [make_accountant(is_manager=False, terms_accepted_at=None) for _ in range(3)]
    first, second, without = people
    accesses = [
        make_access(first, granted_at=later(days=2)),
        make_access(first, business, granted_at=later(days=1)),
        make_access(first, status="PENDING_TERMS", granted_at=None),
        make_access(second, business),
    ]
    Firm.objects.update(name="Not this firm")

    found_firms(apps, SimpleNamespace(connection=connection))

    for row in [*people, *accesses]:
        row.refresh_from_db()
    firms = [person.firm for person in people]
    assert [firm.name for firm in firms] == [NAME] * 3
    assert len(set(firms)) == 3  # a name does not prove that two firms are one
    assert [person.is_manager for person in people] == [True] * 3
    assert [access.firm for access in accesses] == [first.firm] * 3 + [second.firm]
    assert [person.terms_accepted_at for person in people] == [later(days=1), NOON, None]
    assert not without.firm.accesses.exists()

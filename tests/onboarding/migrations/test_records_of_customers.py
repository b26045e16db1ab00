"""Customers who were approved before there was a record of customers."""

import importlib
from datetime import date
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from banking.services import account_opening
from onboarding.choices import CustomerStatus, Risk
from onboarding.models import Application, Customer
from tests.factories import NOON, later, make_application
from tests.onboarding.customers import make_customer

pytestmark = pytest.mark.django_db
MIGRATION = importlib.import_module("onboarding.migrations.0075_records_of_customers")
EDITOR = SimpleNamespace(connection=connection)


def test_each_application_with_an_account_becomes_a_customer_once():
    high, unrated, closed = make_customer(), make_customer(), make_customer()
    Customer.objects.all().delete()
    Application.objects.filter(pk=high.application_id).update(risk=Risk.HIGH)
    Application.objects.filter(pk=unrated.application_id).update(risk="")
    account_opening.close(closed.application.account, at=later(days=3))
    make_application()

    MIGRATION.make_records(apps, EDITOR)
    MIGRATION.make_records(apps, EDITOR)

    made = {one.application_id: one for one in Customer.objects.select_related("lead")}
    assert made.keys() == {high.application_id, unrated.application_id, closed.application_id}
    first, second = made[high.application_id], made[unrated.application_id]
    assert (first.risk, first.review_due_on, first.since) == (Risk.HIGH, date(2027, 3, 2), NOON)
    assert (first.lead, first.business) == (high.lead, high.business)
    assert (second.risk, second.review_due_on) == (Risk.MEDIUM, date(2028, 3, 2))
    last = made[closed.application_id]
    assert (last.status, last.closed_at) == (CustomerStatus.CLOSED, later(days=3))
    assert last.review_due_on is None

"""Accounts that were opened before facts were left empty."""

import importlib
from datetime import date

from django.apps import apps

from banking.choices import AddressKind
from banking.models import DunsRegistration

MIGRATION = importlib.import_module("onboarding.migrations.0017_repair_openings")


def test_made_up_facts_are_emptied_and_dropped_ones_recorded(
    make_application, make_lead, make_account, make_address, settings
):
    lead = make_lead(duns="123456789", ssn="123456789", incorporation_state="")
    account = make_account()
    make_address(account.business, line1="1 Example Street")
    make_application(lead, account=account)
    untouched = make_account().business
    settings.PII_KEYS = f"other:{'0' * 64}"  # the numbers of the lead cannot be read any more

    MIGRATION.repair(apps, None)
    MIGRATION.repair(apps, None)

    business = account.business
    business.refresh_from_db()
    assert (business.incorporation_date, business.filing_status) == (None, "")
    assert (business.incorporation_state, business.tax_state) == ("", "CA")
    operational = business.addresses.get(kind=AddressKind.OPERATIONAL)
    assert operational.line1 == "1 Example Street"
    registration = DunsRegistration.objects.get()
    assert (registration.business, registration.status) == (business, "REPORTED")
    untouched.refresh_from_db()
    assert untouched.incorporation_date == date(2026, 3, 2)

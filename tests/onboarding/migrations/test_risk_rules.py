"""The table of risks to start with."""

import importlib

import pytest
from django.apps import apps

from banking.choices import BusinessType
from onboarding.choices import CheckCode
from onboarding.models import RiskRule
from onboarding.geography import COUNTRIES

MIGRATION = importlib.import_module("onboarding.migrations.0011_risk_rules")
KNOWN = {
    "BUSINESS_TYPE": set(BusinessType.values),
    "CHECK": set(CheckCode.values),
    "COUNTRY": {*COUNTRIES, "*"},
    "OWNER_ABROAD": {"*"},
}


@pytest.mark.django_db
def test_a_second_run_restores_what_is_gone_and_keeps_what_staff_wrote():
    gone, edited = RiskRule.objects.all()[:2]
    gone.delete()
    RiskRule.objects.filter(pk=edited.pk).update(points=7)
    count = RiskRule.objects.count()

    MIGRATION.add(apps, None)

    assert RiskRule.objects.count() == count + 1
    assert RiskRule.objects.get(pk=edited.pk).points == 7


def test_each_rule_can_be_met():
    rules = list(MIGRATION.list_rules())

    assert len({(factor, value) for factor, value, *_ in rules}) == len(rules)
    for factor, value, *_ in rules:
        assert value.isdecimal() if factor == "NAICS" else value in KNOWN[factor]

"""The table of risks, as it is asked."""

import pytest

from onboarding.choices import RiskFactor
from onboarding.models import RiskRule
from onboarding.queries.risks import get_industry_risks, get_risk_table

NAICS, COUNTRY = RiskFactor.NAICS, RiskFactor.COUNTRY


@pytest.fixture
def table():
    return get_risk_table(
        [
            RiskRule(factor=NAICS, value="52", points=1),
            RiskRule(factor=NAICS, value="5223", points=2, is_prohibited=True, reason="Money."),
            RiskRule(factor=NAICS, value="522390", points=3),
            RiskRule(factor=COUNTRY, value="FR", points=4),
            RiskRule(factor=COUNTRY, value="*", points=5),
        ]
    )


@pytest.mark.parametrize(
    ("factor", "value", "points"),
    [
        (NAICS, "524210", 1),
        (NAICS, "522320", 2),
        (NAICS, "522390", 3),
        (COUNTRY, "FR", 4),
        (COUNTRY, "DE", 5),
    ],
)
def test_the_most_exact_rule_counts(table, factor, value, points):
    assert table.find(factor, value).points == points


def test_what_no_rule_is_for_is_not_found(table):
    assert table.find(NAICS, "541511") is None


def test_a_more_exact_rule_lifts_a_prohibition(table):
    assert table.prohibits("522320")
    assert not table.prohibits("522390")
    assert table.reason_of("522320") == "Money."
    assert table.reason_of("541511") == ""


def test_a_code_may_be_too_short_to_tell(table):
    assert table.may_hide_prohibited("52")
    assert not table.may_hide_prohibited("5223")
    assert not table.may_hide_prohibited("54")


@pytest.mark.django_db
def test_the_table_is_what_staff_left(django_assert_num_queries):
    with django_assert_num_queries(1):
        assert get_risk_table().prohibits("713210")


def test_the_table_of_industries_has_the_rules_for_their_codes_alone(db):
    rules = get_industry_risks().rules

    assert rules
    assert {factor for factor, _value in rules} == {NAICS}
    assert rules.items() <= get_risk_table().rules.items()

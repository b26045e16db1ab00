"""Risks: what adds to them."""

import pytest

from onboarding.choices import CheckCode, CheckResult, Risk, RiskFactor
from onboarding.models import RiskRule
from onboarding.queries.leads import open_lead_file
from onboarding.screening import Finding
from onboarding.services.checks import risks
from tests.onboarding.services.leads.test_submissions import (
    ADDRESS,
    make_complete,
    make_complete_owner,
)

pytestmark = pytest.mark.django_db


def rate(application=None, *findings):
    return risks.rate(open_lead_file(application or make_complete()), findings)


def reasons(rating):
    return [(one["factor"], one["value"], one["points"]) for one in rating.reasons]


@pytest.fixture
def rule():
    """Make a rule of a table that has no other."""
    RiskRule.objects.all().delete()

    def make(factor, value, points):
        return RiskRule.objects.create(factor=factor, value=value, points=points, reason="So.")

    return make


def test_a_software_firm_at_home_is_no_risk():
    assert rate() == risks.Rating(Risk.LOW, 0, [])


@pytest.mark.parametrize(
    ("points", "risk"),
    [(19, Risk.LOW), (20, Risk.MEDIUM), (49, Risk.MEDIUM), (50, Risk.HIGH)],
)
def test_points_make_the_risk(rule, points, risk):
    rule(RiskFactor.BUSINESS_TYPE, "LLC", points)

    rating = rate()

    assert (rating.risk, rating.points) == (risk, points)


def test_every_reason_is_named_most_points_first():
    application = make_complete(naics_code="522390", business_type="DBA")

    rating = rate(application, Finding(CheckCode.SANCTIONS, CheckResult.WARN))

    assert (rating.risk, rating.points) == (Risk.HIGH, 85)
    assert rating.reasons[0] == {
        "factor": "CHECK",
        "value": "SANCTIONS",
        "points": 50,
        "reason": "A name is like one on the sanctions list.",
    }
    assert reasons(rating)[1:] == [("NAICS", "522390", 30), ("BUSINESS_TYPE", "DBA", 5)]


def test_whose_home_is_abroad_counts_once_and_its_country_too():
    application = make_complete()
    for country in ("FR", "DE"):
        make_complete_owner(application.lead, address={**ADDRESS, "country": country})

    assert reasons(rate(application)) == [("COUNTRY", "DE", 10), ("OWNER_ABROAD", "DE", 10)]


@pytest.mark.parametrize(
    "values",
    [
        {"country": "IR"},
        {"id_country": "IR"},
        {"business_address": {**ADDRESS, "country": "IR"}},
        {"mailing_address": {**ADDRESS, "country": "ir"}},
    ],
)
def test_a_country_counts_wherever_it_stands(values):
    assert ("COUNTRY", "IR", 50) in reasons(rate(make_complete(**values)))


def test_territories_are_no_other_country():
    assert rate(make_complete(country="PR")).points == 0


def test_a_check_counts_once_and_only_if_it_did_not_pass(rule):
    rule(RiskFactor.CHECK, "DUPLICATE_SSN", 30)
    warned = Finding(CheckCode.DUPLICATE_SSN, CheckResult.WARN)

    assert rate(None, warned, warned).points == 30
    assert rate(None, Finding(CheckCode.DUPLICATE_SSN, CheckResult.PASS)).points == 0
    assert rate(None, Finding(CheckCode.DUPLICATE_SSN, CheckResult.FAIL)).points == 30


def test_what_says_nothing_of_the_business_adds_nothing():
    unscreened = Finding(CheckCode.SANCTIONS, CheckResult.WARN, rated=False)

    assert rate(None, unscreened).points == 0


def test_points_have_an_end(rule):
    rule(RiskFactor.BUSINESS_TYPE, "LLC", 900)
    rule(RiskFactor.NAICS, "54", 900)

    assert rate().points == 1000


def test_a_rule_without_points_is_no_reason(rule):
    rule(RiskFactor.BUSINESS_TYPE, "LLC", 0)

    assert rate().reasons == []

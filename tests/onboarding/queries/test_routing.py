"""Rules that fit, in their order, and the person whom a team's rule leads to."""

from datetime import timedelta

import pytest

from onboarding.choices import RoutedWork
from onboarding.models import Absence, Application, CustomerCase, RoutingRule, Team
from onboarding.queries import routing
from onboarding.queries.routing import Facts
from tests.factories import NOON, make_partner, make_user
from tests.onboarding.cases import load, make_case, make_reviewer
from tests.onboarding.customers import make_review

FACTS = Facts(RoutedWork.CASE, 7, "HIGH", "es", "LLC")


@pytest.mark.parametrize(
    ("values", "does_fit"),
    [
        ({}, True),
        ({"work": "CASE", "partner_id": 7, "risk": "HIGH"}, True),
        ({"language": "es", "business_type": "LLC"}, True),
        ({"work": "HIT"}, False),
        ({"partner_id": 8}, False),
        ({"risk": "LOW"}, False),
        ({"language": "en"}, False),
        ({"business_type": "LLP"}, False),
        ({"risk": "HIGH", "language": "en"}, False),
    ],
)
def test_a_rule_fits_if_each_of_its_facts_does(values, does_fit):
    assert routing.fits(RoutingRule(**values), FACTS) is does_fit


def test_the_first_rule_that_fits_counts(db):
    ada, bob = make_reviewer(), make_reviewer()
    RoutingRule.objects.create(position=2, person=ada)
    RoutingRule.objects.create(position=1, person=bob, risk="HIGH")
    partner = make_partner()

    high, low = (
        routing.find_route(Facts(RoutedWork.CASE, partner.pk, risk, "en", "LLC"), at=NOON)
        for risk in ("HIGH", "LOW")
    )

    assert (high.person, low.person) == (bob, ada)


def test_the_facts_of_a_case_are_read(db):
    case = load(make_case(business_type="LLC"))

    facts = routing.read_facts(case, RoutedWork.CASE)

    assert facts == Facts(RoutedWork.CASE, case.lead.partner_id, case.risk, "en", "LLC")


def test_of_a_team_the_one_who_is_present_and_has_the_fewest_cases_gets_the_next(db):
    busy, free, absent, former = (make_reviewer() for _ in range(4))
    viewer = make_user(user_type="STAFF")
    team = Team.objects.create(name="Spanish")
    team.members.set([busy, free, absent, former, viewer])
    former.is_active = False
    former.save()
    make_case()
    Application.objects.update(assignee=busy)
    day = NOON.date()
    Absence.objects.create(user=absent, deputy=busy, first_day=day, last_day=day)
    RoutingRule.objects.create(position=1, team=team)

    assert routing.find_route(FACTS, at=NOON).person == free


def test_open_cases_of_customers_count_as_cases_of_their_assignee(db):
    busy, free = make_reviewer(), make_reviewer()
    team = Team.objects.create(name="Spanish")
    team.members.set([busy, free])
    make_review(by=busy)
    RoutingRule.objects.create(position=1, team=team)

    assert routing.find_route(FACTS, at=NOON).person == free

    CustomerCase.objects.update(status="CLOSED", outcome="NO_CHANGE", closed_at=NOON)
    assert routing.find_route(FACTS, at=NOON).person == busy


def test_deputies_of_each_other_lead_to_nobody(db):
    ada, bob = make_reviewer(), make_reviewer()
    first, last = NOON.date(), NOON.date() + timedelta(days=3)
    for user, deputy in ((ada, bob), (bob, ada)):
        Absence.objects.create(user=user, deputy=deputy, first_day=first, last_day=last)

    assert routing.find_present(ada, at=NOON) is None
    assert routing.find_present(ada, at=NOON + timedelta(days=9)) == ada

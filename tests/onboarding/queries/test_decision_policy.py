"""The policy of decisions: the rule that applies, and the floor under every rule."""

import pytest

from onboarding.choices import CheckCode, CheckResult, ProposalKind, Risk
from onboarding.models import Application, DecisionRule, PolicyVersion
from onboarding.queries.decision_policy import (
    DEMANDS,
    digest_demands,
    digest_version,
    get_needs,
    get_policy,
    list_needs,
)
from tests.factories import make_check, make_check_run
from tests.onboarding.cases import load, make_case, make_checked_case, make_reviewer
from tests.onboarding.hits import clear, make_hit
from tests.onboarding.policies import set_rule

pytestmark = pytest.mark.django_db
APPROVE, TEMPORARILY = ProposalKind.APPROVE, ProposalKind.APPROVE_TEMPORARILY
DENY, REOPEN = ProposalKind.DENY, ProposalKind.REOPEN


@pytest.fixture
def case():
    """A checked case of low risk."""
    case = make_checked_case(by=make_reviewer())
    Application.objects.update(risk=Risk.LOW)
    return load(case)


def number_of(case, kind=APPROVE):
    return get_needs(load(case), kind).rule.number


@pytest.mark.parametrize(
    ("kind", "risk", "is_failed", "number"),
    [
        (DENY, Risk.LOW, False, 10),
        (REOPEN, Risk.HIGH, True, 20),
        (APPROVE, Risk.HIGH, True, 30),
        (TEMPORARILY, Risk.LOW, True, 40),
        (APPROVE, Risk.HIGH, False, 50),
        (TEMPORARILY, Risk.HIGH, False, 60),
        (APPROVE, Risk.MEDIUM, False, 70),
        (TEMPORARILY, Risk.LOW, False, 80),
    ],
)
def test_the_policy_of_the_release_says_what_code_said_before(case, kind, risk, is_failed, number):
    Application.objects.update(risk=risk)
    result = CheckResult.FAIL if is_failed else CheckResult.WARN
    make_check(make_check_run(case), code=CheckCode.AGES, result=result)

    needs = get_needs(load(case), kind)

    assert needs.rule.number == number
    assert bool(needs.second_person_reasons) == (number < 70)
    assert needs.rule.people == (2 if number < 70 else 1)
    assert needs.rule.needs_accepted_documents == (kind is APPROVE)


def test_the_first_version_holds_the_rules_of_the_release():
    version = PolicyVersion.objects.get()

    assert version.number == get_policy().version == 1
    assert version.digest == digest_version(1, version.rules)
    assert len(version.rules) == DecisionRule.objects.count() == 8


@pytest.mark.parametrize("kind", ProposalKind)
def test_no_rule_undercuts_four_eyes(case, kind):
    set_rule(1, people=1)
    Application.objects.update(risk=Risk.HIGH)

    needs = get_needs(load(case), kind)

    assert needs.rule.number == 1
    assert needs.second_person_reasons


def test_a_failed_check_takes_two_under_every_rule(case):
    set_rule(1, people=1)
    make_check(make_check_run(case), code=CheckCode.AGES, result=CheckResult.FAIL)

    assert get_needs(case, APPROVE).second_person_reasons == ["This check failed: Ages."]


def test_a_rule_may_ask_for_a_second_person_at_low_risk(case):
    set_rule(1, decisions=[TEMPORARILY], people=2, reason="No temporary accounts alone.")

    assert get_needs(case, TEMPORARILY).second_person_reasons == ["No temporary accounts alone."]
    assert get_needs(case, APPROVE).second_person_reasons == []


def conditions(case):
    return [
        ({"risks": ["LOW", "MEDIUM"]}, {"risks": ["HIGH"]}),
        ({"business_types": [case.lead.business_type]}, {"business_types": ["DBA"]}),
        ({"partner_id": case.lead.partner_id}, {"screening": "CLEARED"}),
        ({"screening": "NONE"}, {"lists": ["SDN"]}),
        ({"has_failed_check": False}, {"has_failed_check": True}),
        ({"decisions": ["APPROVE"]}, {"decisions": ["DENY", "REOPEN"]}),
    ]


@pytest.mark.parametrize("place", range(6))
def test_a_rule_applies_if_all_its_conditions_hold(case, place):
    holding, failing = conditions(case)[place]

    set_rule(1, **failing)
    set_rule(2, **holding)

    assert number_of(case) == 2


def test_another_partners_rule_is_not_met(case, make_partner):
    set_rule(1, partner=make_partner())

    assert number_of(case) == 70


def test_cleared_hits_and_their_list_are_conditions(case, ada, bob):
    hit = make_hit(case)
    set_rule(1, lists=["SDN"], screening="CLEARED")
    assert get_needs(case, APPROVE).has_open_hits
    assert number_of(case) == 70

    clear(case, hit, by=ada, second=bob)

    assert number_of(case) == 1
    assert not get_needs(case, APPROVE).has_open_hits


def test_the_lowest_number_comes_first(case):
    set_rule(9, risks=["LOW"])
    set_rule(3, risks=["LOW"])

    assert number_of(case) == 3


def test_without_a_rule_that_applies_an_approver_and_a_second_person_decide(case):
    DecisionRule.objects.all().delete()
    set_rule(1, decisions=[DENY])

    needs = get_needs(case, APPROVE)

    assert (needs.rule.number, needs.rule.needs_accepted_documents) == (0, True)
    assert needs.permission == "onboarding.confirm_application"
    assert needs.second_person_reasons


def test_the_digest_is_of_what_a_rule_demands_and_of_nothing_else(case):
    before = get_needs(case, APPROVE)
    DecisionRule.objects.filter(number=70).update(number=71)
    set_rule(71, reason="In other words.", sampled_percent=5)
    same = get_needs(case, APPROVE)
    set_rule(71, shortest_reason=9)
    other = get_needs(case, APPROVE)

    assert same.rule.number == 71
    assert same.are_those_of(before.reference)
    assert not other.are_those_of(before.reference)
    assert not same.are_those_of({})


@pytest.mark.parametrize("name", DEMANDS)
def test_each_demand_changes_the_digest(name):
    rule = get_policy().rules[0]
    before = digest_demands(rule)

    others = {
        "decider": "APPROVER",
        "people": 1,
        "needs_accepted_documents": True,
        "document_kinds": ["PASSPORT"],
        "check_codes": ["ADDRESS_CONFIRMED"],
        "shortest_reason": 9,
    }
    setattr(rule, name, others[name])

    assert digest_demands(rule) != before


def test_several_decisions_take_three_statements(case, django_assert_num_queries):
    with django_assert_num_queries(3):
        found = list_needs(case, [*ProposalKind])

    assert [*found] == [*ProposalKind]


def test_a_denial_takes_one_statement(case, django_assert_num_queries):
    with django_assert_num_queries(1):
        get_needs(case, DENY)


def test_a_case_without_a_run_has_needs(db):
    assert number_of(make_case()) == 70

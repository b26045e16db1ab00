"""The decision policy in the back office."""

import html

import pytest

from banking.models import StaffChange
from onboarding.models import DecisionRule, PolicyVersion
from tests.staff import confirm_change, require_a_strict_page, text_of

RULES = "/admin/onboarding/decisionrule/"
VERSIONS = "/admin/onboarding/policyversion/"


@pytest.fixture
def form():
    return {
        "number": "5",
        "decisions": ["APPROVE"],
        "risks": ["MEDIUM"],
        "business_types": ["DBA", "SSN"],
        "screening": "CLEARED",
        "lists": "sdn, ",
        "has_failed_check": "0",
        "partner": "",
        "decider": "APPROVER",
        "people": "2",
        "needs_accepted_documents": "on",
        "document_kinds": ["PASSPORT"],
        "check_codes": ["ADDRESS_CONFIRMED"],
        "shortest_reason": "20",
        "sampled_percent": "0",
        "reason": "Sole proprietors with hits.",
    }


def test_a_rule_is_added_by_two_administrators(form, chief, make_partner):
    partner = make_partner(name="Harbor Payroll")

    chief.post(f"{RULES}add/", {**form, "partner": partner.pk})
    assert not DecisionRule.objects.filter(number=5).exists()
    change = confirm_change()

    rule = DecisionRule.objects.get(number=5)
    assert (rule.partner, rule.lists, rule.has_failed_check) == (partner, ["SDN"], False)
    assert (rule.business_types, rule.check_codes) == (["DBA", "SSN"], ["ADDRESS_CONFIRMED"])
    assert "partner Harbor Payroll" in change.summary[1]
    assert PolicyVersion.objects.count() == 2


def test_a_rule_is_changed_and_keeps_what_was_not_touched(chief):
    rule = DecisionRule.objects.get(number=30)
    page = chief.get(f"{RULES}{rule.pk}/change/").content.decode()
    form = {
        "number": "30",
        "decisions": ["APPROVE"],
        "has_failed_check": "1",
        "decider": "REVIEWER",
        "people": "2",
        "needs_accepted_documents": "on",
        "shortest_reason": "40",
        "sampled_percent": "0",
        "reason": rule.reason,
    }

    require_a_strict_page(RULES, page)
    chief.post(f"{RULES}{rule.pk}/change/", form)
    summary = confirm_change().summary

    assert '<option value="1" selected>Yes</option>' in page
    assert summary[0] == "Change rule 30."
    rule.refresh_from_db()
    assert (rule.has_failed_check, rule.shortest_reason) == (True, 40)


def test_a_rule_is_deleted_by_two_administrators(chief):
    rule = DecisionRule.objects.get(number=80)

    chief.post(f"{RULES}{rule.pk}/delete/", {"post": "yes"})
    assert DecisionRule.objects.filter(pk=rule.pk).exists()
    confirm_change()

    assert not DecisionRule.objects.filter(pk=rule.pk).exists()
    assert len(PolicyVersion.objects.get(number=2).rules) == 7


@pytest.mark.parametrize(
    "values",
    [
        {"number": "10"},
        {"number": "0"},
        {"decisions": ["WIN"]},
        {"risks": ["NONE"]},
        {"screening": "OPEN"},
        {"people": "0"},
        {"people": "3"},
        {"sampled_percent": "101"},
        {"check_codes": ["AGES"]},
        {"decider": "VIEWER"},
        {"reason": ""},
    ],
)
def test_a_rule_that_says_nothing_known_is_refused(form, chief, values):
    answer = chief.post(f"{RULES}add/", {**form, **values})

    assert answer.status_code == 200
    assert not StaffChange.objects.exists()


def test_the_list_leads_to_versions_and_proposed_changes(chief, make_staff):
    assert VERSIONS in chief.get(RULES).content.decode()
    assert "/admin/banking/staffchange/?status__exact=OPEN" in chief.get(RULES).content.decode()
    shown = make_staff("view_decisionrule", "view_policyversion").get(RULES).content.decode()
    assert VERSIONS in shown
    assert "/admin/banking/staffchange/" not in shown


def test_the_list_reads_in_words(chief):
    answer = chief.get(RULES)

    page = html.unescape(text_of(answer))
    require_a_strict_page(RULES, answer.content.decode())

    assert "Approve, risk high" in page
    assert "A reviewer proposes, a second person confirms." in page


def test_staff_read_the_rules_and_their_versions(make_staff):
    reader = make_staff("view_decisionrule", "view_policyversion")
    version = PolicyVersion.objects.get()

    page = text_of(reader.get(f"{VERSIONS}{version.pk}/change/"))

    assert "50. Approve, risk high A reviewer proposes" in page
    assert reader.get(RULES).status_code == reader.get(VERSIONS).status_code == 200
    assert reader.post(f"{RULES}add/", {}).status_code == 403


def test_versions_are_read_only(chief):
    version = PolicyVersion.objects.get()

    assert chief.post(f"{VERSIONS}{version.pk}/change/", {"number": "9"}).status_code == 403
    assert chief.get(f"{VERSIONS}add/").status_code == 403

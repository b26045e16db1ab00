"""The table of risks in the back office."""

import pytest

from banking.errors import StepRefused
from banking.models import StaffChange, User
from banking.services import staff_changes
from banking.services.staff_changes import ChangeVoid
from onboarding.models import RiskRule
from tests.factories import NOON
from tests.staff import confirm_change

RULES = "/admin/onboarding/riskrule/"


@pytest.fixture
def form():
    return {"factor": "COUNTRY", "value": "fr", "points": "15", "reason": "Another law."}


def test_staff_add_a_rule(form, chief):
    chief.post(f"{RULES}add/", form)
    confirm_change()

    rule = RiskRule.objects.get(factor="COUNTRY", value="FR")
    assert (rule.points, rule.is_prohibited, rule.reason) == (15, False, "Another law.")


def test_staff_prohibit_an_industry(chief):
    form = {"factor": "NAICS", "value": "4841", "points": "0", "is_prohibited": "on"}

    chief.post(f"{RULES}add/", {**form, "reason": "Trucks."})
    confirm_change()

    assert RiskRule.objects.get(value="4841").is_prohibited


def test_staff_change_the_points(form, chief):
    rule = RiskRule.objects.get(factor="CHECK", value="SANCTIONS")
    values = {"factor": "CHECK", "value": "SANCTIONS", "reason": rule.reason}

    chief.post(f"{RULES}{rule.pk}/change/", {**values, "points": "80"})
    rule.refresh_from_db()
    assert rule.points != 80
    confirm_change()

    rule.refresh_from_db()
    assert rule.points == 80


def test_one_administrator_alone_cannot_make_hits_count_nothing(chief):
    rule = RiskRule.objects.get(factor="CHECK", value="SANCTIONS")
    values = {"factor": "CHECK", "value": "SANCTIONS", "reason": rule.reason, "points": "0"}
    chief.post(f"{RULES}{rule.pk}/change/", values)
    proposer = User.objects.get(pk=chief.session["_auth_user_id"])

    with pytest.raises(StepRefused):
        staff_changes.confirm(StaffChange.objects.get(status="OPEN"), by=proposer, at=NOON)

    assert RiskRule.objects.get(pk=rule.pk).points == rule.points > 0


@pytest.mark.parametrize(
    "values",
    [
        {"value": "XX"},
        {"value": "IR"},
        {"factor": "BUSINESS_TYPE", "value": "GMBH"},
        {"factor": "NAICS", "value": "7"},
        {"factor": "NAICS", "value": "*"},
        {"factor": "CHECK", "value": "*"},
        {"factor": "OWNER_ABROAD", "value": "Europe"},
        {"factor": "WEATHER"},
        {"is_prohibited": "on"},
        {"points": "-1"},
        {"points": "1001"},
        {"reason": ""},
    ],
)
def test_a_rule_that_could_not_be_met_is_refused(form, chief, values):
    count = RiskRule.objects.count()

    response = chief.post(f"{RULES}add/", {**form, **values})

    assert response.status_code == 200
    assert RiskRule.objects.count() == count


def test_the_table_can_be_read_and_searched(chief):
    page = chief.get(f"{RULES}?q=gambling").content.decode()

    assert "7132" in page
    assert "SANCTIONS" not in page


def test_changing_rules_needs_the_permission(form, make_staff):
    assert make_staff("view_riskrule").post(f"{RULES}add/", form).status_code == 403


def test_nothing_is_deleted_before_a_second_administrator_confirms(chief):
    rule = RiskRule.objects.get(factor="CHECK", value="SANCTIONS")

    answer = chief.post(f"{RULES}{rule.pk}/delete/", {"post": "yes"}, follow=True)

    assert "Proposed. It takes effect when" in answer.content.decode()
    assert RiskRule.objects.filter(pk=rule.pk).exists()
    assert confirm_change().summary == ["Delete CHECK SANCTIONS."]
    assert not RiskRule.objects.filter(pk=rule.pk).exists()


def test_several_rules_are_not_deleted_from_the_list(chief):
    rule = RiskRule.objects.first()
    form = {"action": "delete_selected", "_selected_action": rule.pk, "post": "yes"}

    chief.post(RULES, form)

    assert RiskRule.objects.filter(pk=rule.pk).exists()


def test_a_proposal_says_what_would_change(chief):
    rule = RiskRule.objects.get(factor="CHECK", value="SANCTIONS")
    values = {"factor": "CHECK", "value": "SANCTIONS", "reason": rule.reason}

    chief.post(f"{RULES}{rule.pk}/change/", {**values, "points": "80"})

    said = StaffChange.objects.get().summary
    assert said == ["Change CHECK SANCTIONS.", f"points 80 instead of {rule.points}"]


@pytest.mark.parametrize("step", ["change", "delete"])
def test_an_id_that_is_spelled_otherwise_is_a_proposal_too(chief, step):
    rule = RiskRule.objects.get(factor="CHECK", value="SANCTIONS")
    values = {"factor": "CHECK", "value": "SANCTIONS", "reason": rule.reason, "points": "80"}

    chief.post(f"{RULES}_2B{rule.pk}/{step}/", {**values, "post": "yes"})  # the id is +1

    assert StaffChange.objects.count() == 1
    assert RiskRule.objects.get(pk=rule.pk).points == rule.points


@pytest.mark.parametrize("page", ["add", "change"])
def test_a_rule_that_changed_meanwhile_voids_the_proposal(form, chief, page):
    rule = RiskRule.objects.get(factor="CHECK", value="SANCTIONS")
    path = f"{RULES}add/" if page == "add" else f"{RULES}{rule.pk}/change/"
    chief.post(path, form)
    if page == "add":
        RiskRule.objects.create(factor="COUNTRY", value="FR", points=1, reason="Another.")
    else:
        RiskRule.objects.filter(pk=rule.pk).update(points=1)

    with pytest.raises(ChangeVoid):
        confirm_change()

    assert not RiskRule.objects.filter(points=15, value="FR").exists()


def test_the_list_names_what_a_code_stands_for(chief):
    page = chief.get(RULES).text

    for name in ("Doing business as", "SSN compared with other leads", "Any other country"):
        assert name in page

"""Administrators change teams, rules and absences; the rules are tried on made-up cases."""

import pytest

from banking.models import StaffEvent
from onboarding.models import Absence, RoutingRule, Team
from tests.factories import make_partner
from tests.onboarding.cases import make_reviewer
from tests.staff import text_of

ROOT = "/admin/onboarding/"
EMPTY = {"work": "", "partner": "", "risk": "", "language": "", "business_type": "", "person": ""}


@pytest.fixture
def ada(db):
    return make_reviewer(first_name="Ada", last_name="Byron")


def test_a_team_a_rule_and_an_absence_are_added_each_with_an_event(ada, chief):
    bob = make_reviewer()
    chief.post(f"{ROOT}team/add/", {"name": "Spanish", "members": [ada.pk]})
    team = Team.objects.get()
    rule = {**EMPTY, "position": 1, "language": "es", "team": team.pk}
    chief.post(f"{ROOT}routingrule/add/", rule)
    days = {"first_day": "2026-03-02", "last_day": "2026-03-06"}
    chief.post(f"{ROOT}absence/add/", {"user": ada.pk, "deputy": bob.pk, **days})

    assert RoutingRule.objects.get().team == team
    assert Absence.objects.get().deputy == bob
    events = StaffEvent.objects.order_by("number")
    assert [event.type for event in events] == ["ROUTING_CHANGED"] * 3
    assert "members: Ada Byron" in events[0].details["summary"]


def test_a_rule_is_about_any_language_that_applicants_read(ada, chief, settings):
    settings.LANGUAGES = [*settings.LANGUAGES, ("pt-br", "Português do Brasil")]
    form = text_of(chief.get(f"{ROOT}routingrule/add/"))
    chief.post(
        f"{ROOT}routingrule/add/", {**EMPTY, "position": 1, "language": "pt-br", "person": ada.pk}
    )

    assert RoutingRule.objects.get().language == "pt-br"
    assert "Brazilian Portuguese" in form
    assert "Brazilian Portuguese" in text_of(chief.get(f"{ROOT}routingrule/"))
    assert "Brazilian Portuguese" in text_of(chief.get(f"{ROOT}routingrule/try/"))


def test_a_rule_about_a_language_that_nobody_reads_is_refused(ada, chief):
    rule = {**EMPTY, "position": 1, "language": "xx", "person": ada.pk}
    chief.post(f"{ROOT}routingrule/add/", rule)

    assert not RoutingRule.objects.exists()


def test_a_rule_leads_to_a_team_or_to_a_person(ada, chief):
    page = chief.post(f"{ROOT}routingrule/add/", {**EMPTY, "position": 1, "team": ""})

    assert "Choose a team or a person." in page.content.decode()


def test_a_deleted_rule_is_an_event(ada, chief):
    rule = RoutingRule.objects.create(position=1, person=ada)

    chief.post(f"{ROOT}routingrule/{rule.pk}/delete/", {"post": "yes"})

    assert not RoutingRule.objects.exists()
    assert StaffEvent.objects.get().details["summary"][0].startswith("Deleted routing rule")


def test_rules_are_tried(ada, chief):
    partner = make_partner()
    RoutingRule.objects.create(position=1, person=ada, risk="HIGH")
    facts = {"work": "CASE", "partner": partner.pk, "language": "en", "business_type": "LLC"}

    high = text_of(chief.get(f"{ROOT}routingrule/try/", {**facts, "risk": "HIGH"}))
    low = text_of(chief.get(f"{ROOT}routingrule/try/", {**facts, "risk": "LOW"}))

    assert "Ada Byron would get the case now" in high
    assert "No rule fits" in low


@pytest.mark.parametrize("name", ["team", "routingrule", "absence"])
def test_the_lists_are_shown(name, ada, chief):
    RoutingRule.objects.create(position=1, person=ada)
    Team.objects.create(name="Spanish").members.add(ada)

    assert chief.get(f"{ROOT}{name}/").status_code == 200

"""Each change of the routing is a staff event with the values."""

from banking.models import StaffEvent
from onboarding.models import RoutingRule, Team
from onboarding.services.routing_changes import record_change
from tests.factories import NOON
from tests.onboarding.cases import make_reviewer


def test_a_change_is_recorded_with_the_values(db):
    ada = make_reviewer(first_name="Ada", last_name="Byron")
    team = Team.objects.create(name="Spanish")
    team.members.add(ada)
    rule = RoutingRule.objects.create(position=3, team=team, language="es")

    record_change(team, "Changed", by=ada, at=NOON)
    record_change(rule, "Deleted", by=ada, at=NOON)

    changed, deleted = StaffEvent.objects.order_by("number")
    assert changed.details["summary"] == [
        "Changed team Spanish.",
        "name: Spanish",
        "members: Ada Byron",
    ]
    assert deleted.details["summary"] == [
        "Deleted routing rule routing rule 3.",
        "position: 3",
        "language: es",
        "team: Spanish",
    ]

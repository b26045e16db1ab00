"""An export of a list is a staff event."""

from banking.models import StaffEvent
from banking.services.list_exports import record_export
from tests.factories import NOON, make_user


def test_an_export_is_recorded_with_its_filters(db):
    user = make_user(user_type="STAFF")

    record_export(label="leads", filters={"risk": "HIGH", "q": "x"}, rows=1, by=user, at=NOON)

    event = StaffEvent.objects.get()
    assert (event.type, event.who) == ("LIST_EXPORTED", str(user.external_id))
    assert event.details["summary"] == ["Leads: 1 row.", "q: x", "risk: HIGH"]

"""Searches by personal numbers are recorded, others are not."""

import pytest

from banking.models import StaffEvent, User
from onboarding.models import Application, Lead
from onboarding.queries.everything import Asked
from onboarding.services.privacy.number_searches import search_and_record
from tests.factories import NOON


@pytest.mark.parametrize(
    ("text", "searched"),
    [("6789", "the last four digits"), ("900-70-4321", "the whole number")],
)
def test_it_says_how_much_was_searched_and_how_many_were_found(text, searched, make_application):
    application = make_application()
    application.lead.ssn = "123-45-6789"
    application.lead.save(update_fields=["ssn"])
    by = User.objects.create_user("iris@example.com", user_type="STAFF")
    asked = Asked(text, may_search_numbers=True, viewable=[Application, Lead])

    groups = search_and_record(asked, by=by, at=NOON)

    event = StaffEvent.objects.get()
    found = sum(len(group.found) for group in groups)
    assert event.details == {"searched": searched, "found": found, "by": "iris@example.com"}
    assert event.occurred_at == NOON
    assert found == (text == "6789")


@pytest.mark.parametrize("text", ["ada stone", "2025550132", "12345"])
def test_other_texts_are_not_recorded(text, db):
    by = User.objects.create_user("iris@example.com", user_type="STAFF")

    search_and_record(Asked(text, may_search_numbers=True), by=by, at=NOON)

    assert not StaffEvent.objects.exists()

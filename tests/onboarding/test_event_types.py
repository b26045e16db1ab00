"""Each type of event is declared whole, recorded by a service and tested.

A failure names the file to edit.
"""

import re
from pathlib import Path

import pytest
from django.conf import settings

from onboarding.api.webhook_representations import EventDataSerializer
from onboarding.choices import MOVES
from onboarding.event_types import EVENT_BY_STATUS, PUBLISHED, EventType, MailKind, internal
from onboarding.names import wire

ENTRIES = "onboarding/event_types.py"


def code_of(folder):
    return "\n".join(path.read_text() for path in (settings.BASE_DIR / folder).rglob("*.py"))


@pytest.mark.parametrize("event_type", [one for one in EventType if one not in PUBLISHED])
def test_each_type_is_published_or_not_for_a_reason(event_type):
    assert event_type.spec.unpublished_because, f"Give {event_type.name} a reason in {ENTRIES}."


def test_each_type_is_recorded_by_a_service():
    code = code_of("onboarding/services")
    recorded = {*EVENT_BY_STATUS.values()}  # by `lifecycle.move`
    forgotten = [
        one.name for one in EventType if one not in recorded and f"EventType.{one.name}" not in code
    ]

    assert not forgotten, (
        f"No module of onboarding/services/ records {forgotten}: call `history.record` in one, or "
        f"remove the entries from {ENTRIES}."
    )


def test_each_type_that_a_service_records_is_declared():
    used = set(re.findall(r"\bEventType\.([A-Z]\w+)", code_of("onboarding/services")))

    assert not used - set(EventType.__members__), (
        f"Declare {used - set(EventType.__members__)} in {ENTRIES}."
    )


def test_each_type_is_in_a_test_of_a_service():
    code = code_of("tests/onboarding/services")
    forgotten = [
        one.name for one in EventType if f"EventType.{one.name}" not in code and one not in code
    ]

    assert not forgotten, f"Write a test of {forgotten} in tests/onboarding/services/."


def test_each_kind_of_mail_has_a_template():
    folder = Path("templates/onboarding/mail")
    paths = [folder / f"{kind.lower()}.txt" for kind in MailKind]

    missing = [str(path) for path in paths if not (settings.BASE_DIR / path).exists()]

    assert not missing, f"Write {missing}, as the templates beside it."


def test_the_details_that_partners_are_sent_are_in_the_api():
    fields = EventDataSerializer().fields
    unknown = {name for one in PUBLISHED for name in one.spec.details if wire(name) not in fields}

    assert not unknown, (
        f"Add {unknown} to EventDataSerializer in onboarding/api/webhook_representations.py."
    )


def test_each_move_has_one_event():
    targets = {target for moves in MOVES.values() for target in moves}
    statuses = [one.spec.status for one in EventType if one.spec.status]

    assert sorted(statuses) == sorted(targets), f"See `status` of the entries in {ENTRIES}."


@pytest.mark.parametrize("event_type", [one for one in EventType if one not in PUBLISHED])
def test_internal_events_have_nothing_that_only_partners_and_applicants_are_sent(event_type):
    spec = event_type.spec

    assert spec == internal(spec.unpublished_because, spec.effect), (
        f"See {event_type} in {ENTRIES}."
    )

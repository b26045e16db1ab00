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
MAILS = Path("templates/onboarding/mail")
FACTS_OF_MAILS = "applicant_mails.py"  # names kinds of mails, and queues none


def code_of(folder, without=""):
    paths = (settings.BASE_DIR / folder).rglob("*.py")
    return "\n".join(path.read_text() for path in paths if path.name != without)


def names_in(code, enum):
    return set(re.findall(rf"\b{enum}\.([A-Z]\w+)", code))


@pytest.mark.parametrize("event_type", [one for one in EventType if one not in PUBLISHED])
def test_each_type_is_published_or_not_for_a_reason(event_type):
    assert event_type.spec.unpublished_because, f"Give {event_type.name} a reason in {ENTRIES}."


def test_each_type_is_recorded_by_a_service():
    named = names_in(code_of("onboarding/services"), "EventType")
    recorded = {*EVENT_BY_STATUS.values()}  # by `lifecycle.move`
    forgotten = [one.name for one in EventType if one not in recorded and one.name not in named]

    assert not forgotten, (
        f"No module of onboarding/services/ records {forgotten}: call `history.record` in one, or "
        f"remove the entries from {ENTRIES}."
    )


def test_each_type_that_a_service_records_is_declared():
    used = names_in(code_of("onboarding/services"), "EventType")

    assert not used - set(EventType.__members__), (
        f"Declare {used - set(EventType.__members__)} in {ENTRIES}."
    )


def test_each_type_is_in_a_test_of_a_service():
    code = code_of("tests/onboarding/services")
    named = names_in(code, "EventType")
    forgotten = [one.name for one in EventType if one.name not in named and f'"{one}"' not in code]

    assert not forgotten, f"Write a test of {forgotten} in tests/onboarding/services/."


def test_each_kind_of_mail_has_a_template():
    paths = [MAILS / f"{kind.lower()}.txt" for kind in MailKind]

    missing = [str(path) for path in paths if not (settings.BASE_DIR / path).exists()]

    assert not missing, f"Write {missing}, as the templates beside it."


@pytest.mark.parametrize("block", ["subject", "text"])
@pytest.mark.parametrize("kind", MailKind)
def test_each_mail_has_a_subject_and_a_text(kind, block):
    path = MAILS / f"{kind.lower()}.txt"
    written = re.search(
        f"{{% block {block} %}}(?!\\s*{{% endblock)", (settings.BASE_DIR / path).read_text()
    )

    assert written, f"Write the block {block} of {path}."


def test_each_kind_of_mail_is_queued():
    code = code_of("onboarding/services", without=FACTS_OF_MAILS) + code_of("onboarding/queries")
    queued = {one.spec.mail.name for one in EventType if one.spec.mail} | names_in(code, "MailKind")
    forgotten = set(MailKind.__members__) - queued

    assert not forgotten, (
        f"Nothing queues {forgotten}: give an event `mail` in {ENTRIES}, or call `outbox.queue` in "
        "a module of onboarding/services/."
    )


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

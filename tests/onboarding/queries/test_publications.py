from datetime import timedelta

import pytest

from onboarding.event_types import TEST_EVENT, EventType
from onboarding.models import Publication
from onboarding.queries.publications import EventNotFound, EventsGone, read_feed
from tests.factories import NOON

DAY = timedelta(days=1)


@pytest.fixture
def publish(make_event, make_application, make_lead):
    """Publish the start of a new application of a partner; return under which id."""

    def publish(partner, *, at=NOON):
        event = make_event(make_application(make_lead(partner)), EventType.STARTED)
        message_id = f"evt_{event.external_id.hex}"
        Publication.objects.create(
            message_id=message_id,
            partner=partner,
            lead=event.lead,
            event=event,
            type=event.type,
            body=f'{{"id":"{message_id}"}}',
            published_at=at,
        )
        return message_id

    return publish


def read(partner, *, at=NOON, size=25, **where):
    feed = read_feed(partner=partner, at=at, size=size, **where)
    return feed.bodies, feed.next_after, feed.has_more


def bodies(*message_ids):
    return [f'{{"id":"{message_id}"}}' for message_id in message_ids]


def test_a_feed_is_read_in_pages_until_its_end_and_later_from_there(make_partner, publish):
    partner = make_partner()
    publish(make_partner())
    first, second, third = (publish(partner) for _ in range(3))

    assert read(partner, size=2) == (bodies(first, second), second, True)
    assert read(partner, size=2, after=second) == (bodies(third), third, False)
    assert read(partner, after=third) == ([], third, False)
    fourth = publish(partner)
    assert read(partner, after=third) == (bodies(fourth), fourth, False)


def test_a_feed_without_events_has_nowhere_to_read_on(make_partner):
    assert read(make_partner()) == ([], None, False)


def test_a_page_takes_one_statement_and_one_more_to_find_its_place(
    make_partner, publish, django_assert_num_queries
):
    partner = make_partner()
    first = publish(partner)

    with django_assert_num_queries(1):
        read(partner)
    with django_assert_num_queries(2):
        read(partner, after=first)


def test_an_event_is_shown_for_thirty_days(make_partner, publish):
    partner = make_partner()
    publish(partner, at=NOON - timedelta(milliseconds=1))
    shown = publish(partner, at=NOON)

    assert read(partner, at=NOON + 30 * DAY) == (bodies(shown), shown, False)


def test_an_event_of_a_machine_whose_clock_is_ahead_is_shown(make_partner, publish):
    partner = make_partner()
    publish(partner, at=NOON - timedelta(milliseconds=1))
    ahead = publish(partner, at=NOON + timedelta(minutes=9))
    right = publish(partner, at=NOON)

    assert read(partner, at=NOON + 30 * DAY) == (bodies(ahead, right), right, False)


def test_who_would_miss_events_is_told(make_partner, publish):
    partner = make_partner()
    first = publish(partner, at=NOON - DAY)
    publish(partner, at=NOON)
    publish(partner, at=NOON + DAY)

    with pytest.raises(EventsGone) as refused:
        read(partner, at=NOON + 30 * DAY + timedelta(seconds=1), after=first)

    assert [fault.path for fault in refused.value.faults] == [("after",)]


def test_who_has_read_everything_reads_on_however_long_ago_that_was(make_partner, publish):
    partner = make_partner()
    last = publish(partner)

    assert read(partner, at=NOON + 400 * DAY, after=last) == ([], last, False)


def test_an_event_that_is_not_the_partners_is_not_found(make_partner, publish):
    partner = make_partner()
    of_another = publish(make_partner())

    for unknown in (of_another, "evt_1", "x" * 5000):
        with pytest.raises(EventNotFound):
            read(partner, after=unknown)


def test_a_test_of_a_webhook_is_no_event(make_partner):
    partner = make_partner()
    Publication.objects.create(
        message_id="evt_test", partner=partner, type=TEST_EVENT, body="{}", published_at=NOON
    )

    assert read(partner) == ([], None, False)
    with pytest.raises(EventNotFound):
        read(partner, after="evt_test")

import json

import pytest
from django.db import OperationalError

from onboarding.choices import WebhookStatus, WebhookType
from onboarding.event_types import EventType
from onboarding.models import Delivery, Lead, Mail, Publication
from onboarding.services.events import payloads, publications
from tests.factories import NOON, later

STATEMENTS = 15  # one of them locks, on PostgreSQL alone


def messages(**conditions):
    found = Publication.objects.filter(**conditions).order_by("pk")
    return [json.loads(one.body) for one in found]


def test_what_happened_is_published_in_its_order(make_event, make_application):
    application = make_application()
    events = [make_event(application, kind) for kind in (EventType.CREATED, EventType.STARTED)]

    publications.publish(at=later(minutes=1))

    sent = messages(lead=application.lead)
    assert [one["sequence"] for one in sent] == [1, 2]
    assert [one["id"] for one in sent] == [f"evt_{event.external_id.hex}" for event in events]
    assert {one.published_at for one in Publication.objects.all()} == {later(minutes=1)}


def test_nothing_is_published_twice(make_event):
    make_event()

    made = [publications.publish(at=NOON) for _ in range(2)]

    assert made == [1, 0]
    assert Publication.objects.count() == 1


def test_only_what_is_new_is_published(make_event, make_application):
    application = make_application()
    make_event(application)
    publications.publish(at=NOON)
    make_event(application, EventType.SUBMITTED)

    publications.publish(at=NOON)

    assert [one["type"] for one in messages()] == ["application.started", "application.submitted"]


def test_what_is_the_house_s_own_is_not_published(make_event):
    event = make_event(None, EventType.CHANGED)

    publications.publish(at=NOON)

    assert not Publication.objects.exists()
    assert Lead.objects.get(pk=event.lead_id).published_sequence == 0


def test_the_second_request_for_documents_asks_again(make_event, make_application):
    application = make_application()
    for _ in range(2):
        make_event(application, EventType.DOCUMENTS_REQUIRED)

    publications.publish(at=NOON)

    asked = [one["data"]["action"] for one in messages(type=EventType.DOCUMENTS_REQUIRED)]
    assert asked == ["firstRequestedDocs", "resubmitDocs"]


def test_each_webhook_of_the_partner_gets_what_it_wants(make_event, make_webhook, make_partner):
    event = make_event()
    partner = event.lead.partner
    everything = make_webhook(partner)
    named = make_webhook(partner, event_types=[EventType.STARTED])
    make_webhook(partner, event_types=[EventType.DENIED])
    make_webhook(partner, type=WebhookType.PAYMENT)
    make_webhook(partner, status=WebhookStatus.DISABLED)
    make_webhook(make_partner())

    publications.publish(at=NOON)

    webhooks = Delivery.objects.values_list("lane__webhook", flat=True)
    assert sorted(webhooks) == [everything.pk, named.pk]


def test_applicants_are_written_what_concerns_them(make_event):
    event = make_event(None, EventType.DOCUMENTS_REQUIRED)

    publications.publish(at=NOON)

    assert Mail.objects.get().event == event


def test_a_lead_that_cannot_be_published_holds_up_no_other(
    make_event, make_webhook, monkeypatch, caplog
):
    bad, good = make_event(), make_event()
    make_webhook(good.lead.partner)
    compose = payloads.compose

    def break_down(event, **options):
        if event.pk == bad.pk:
            raise ZeroDivisionError
        return compose(event, **options)

    monkeypatch.setattr(payloads, "compose", break_down)
    made = [publications.publish(at=NOON) for _ in range(2)]

    assert made == [1, 0]
    assert Publication.objects.get().event == good
    assert Delivery.objects.count() == 1
    assert f"the events of lead {bad.lead_id} could not be published" in caplog.text
    monkeypatch.undo()
    assert publications.publish(at=NOON) == 1


def test_without_a_database_nothing_is_tried_one_by_one(make_event, monkeypatch):
    make_event()
    tries = []

    def go_away(*_arguments, **_options):
        tries.append(1)
        raise OperationalError

    monkeypatch.setattr(payloads, "compose", go_away)
    with pytest.raises(OperationalError):
        publications.publish(at=NOON)

    assert tries == [1]


@pytest.mark.parametrize("count", [1, 20])
def test_publishing_costs_the_same_for_many_leads(
    make_event, make_lead, make_application, make_webhook, django_assert_max_num_queries, count
):
    webhook = make_webhook()
    for _ in range(count):
        make_event(make_application(make_lead(webhook.partner)))

    with django_assert_max_num_queries(STATEMENTS):
        publications.publish(at=NOON)


def test_publishers_at_once_publish_each_event_once(in_threads, make_event, make_webhook):
    webhook = make_webhook()
    leads = [make_event(at=NOON).lead for _ in range(8)]
    Lead.objects.filter(pk__in=[lead.pk for lead in leads]).update(partner=webhook.partner)

    results = in_threads(lambda _: publications.publish(at=NOON), range(8))
    publications.publish(at=NOON)

    assert not [result for result in results if isinstance(result, Exception)]
    assert Publication.objects.count() == Delivery.objects.count() == 8

"""Webhooks, deliveries and publications: what staff see, what they may do, and no secret."""

import pytest
from django.db import connection

from banking.models import StaffChange
from banking.services import staff_changes
from onboarding.choices import DeliveryStatus
from onboarding.models import Delivery, DeliveryAttempt, Publication, Webhook
from onboarding.services.webhooks import deliveries, endpoints
from tests.factories import NOON
from tests.onboarding.admin.conftest import tell_partners
from tests.staff import confirm_change, text_of

ROOT = "/admin/onboarding/"
WEBHOOKS, DELIVERIES, PUBLICATIONS = (
    f"{ROOT}{name}/" for name in ("webhook", "delivery", "publication")
)


@pytest.fixture
def tell(db):
    return tell_partners


def page_of(row):
    return f"{ROOT}{row._meta.model_name}/{row.pk}/change/"


def rows():
    return [
        Webhook.objects.latest("pk"),
        Delivery.objects.latest("pk"),
        Publication.objects.latest("pk"),
    ]


# What is seen


def test_a_webhook_says_whether_it_works(tell, chief):
    delivery = tell()
    Webhook.objects.update(
        status="DISABLED", disabled_reason="The endpoint answered 410 Gone.", failing_since=NOON,
        event_types=["application.started"], chaos={"drop": 0.5},
    )  # fmt: skip
    Delivery.objects.filter(pk=delivery.pk).update(
        status=DeliveryStatus.FAILED, next_attempt_at=None
    )

    listed = text_of(chief.get(WEBHOOKS))
    page = text_of(chief.get(page_of(delivery.lane.webhook)))

    for text in (listed, page):
        for fact in ("Production", "hooks.example.com", "Disabled", "410 Gone", "Mar 2, 2026"):
            assert fact in text
    for fact in ("Held 1", "Given up 1", "application.started", "drop 0.5", "All deliveries"):
        assert fact in page


def test_a_delivery_is_shown_with_its_attempts(tell, chief):
    delivery = tell()

    page = chief.get(page_of(delivery))

    text = text_of(page)
    for fact in ("Applicant began", "To be sent", "15 ms", "500", "The answer was 500."):
        assert fact in text
    assert "&lt;b&gt;Oh no&lt;/b&gt;" in page.content.decode()
    listed = text_of(chief.get(f"{DELIVERIES}?webhook={delivery.lane.webhook_id}"))
    for fact in ("Applicant began", delivery.publication.lead.business_name, "Test No lead"):
        assert fact in listed


def test_what_waits_for_a_disabled_webhook_is_held(tell, chief):
    delivery = tell()
    webhook = delivery.lane.webhook
    pages = [DELIVERIES, *map(page_of, (delivery, webhook, delivery.publication))]
    assert ["Held:" in text_of(chief.get(page)) for page in pages] == [True, False, False, False]

    endpoints.disable_webhook(webhook, reason="Gone.")

    for page in pages:
        assert "badge-held" in chief.get(page).content.decode()
        assert "badge-pending" not in chief.get(page).content.decode()
    assert "Held 2" in text_of(chief.get(page_of(webhook)))
    for status, count in {"HELD": 2, "PENDING": 0, "FAILED": 0}.items():
        listed = chief.get(f"{DELIVERIES}?status={status}").context["cl"]
        assert listed.result_count == count


def test_a_publication_is_shown_word_for_word(tell, chief):
    publication = tell().publication

    text = text_of(chief.get(page_of(publication)))

    assert publication.message_id in text
    assert "&quot;sequence&quot;: 1" in text
    assert "hooks.example.com" in text
    assert publication.message_id in text_of(chief.get(f"{PUBLICATIONS}?type=application.started"))
    assert publication.message_id not in text_of(chief.get(f"{PUBLICATIONS}?type=webhook.test"))


def test_the_page_of_a_partner_has_its_webhooks(tell, chief, make_staff):
    webhook = tell().lane.webhook
    tell()

    page = chief.get(page_of(webhook.partner)).content.decode()

    assert page.count("hooks.example.com") == 1
    viewer = make_staff("view_partner")
    assert "hooks.example.com" not in viewer.get(page_of(webhook.partner)).content.decode()


def test_what_was_deleted_is_hidden_from_staff(tell, chief):
    delivery = tell()
    webhook, publication = delivery.lane.webhook, delivery.publication
    endpoints.delete_webhook(webhook, at=NOON)

    for path in (WEBHOOKS, DELIVERIES):
        assert chief.get(path).context["cl"].result_count == 0
    for row in (webhook, delivery):
        assert chief.get(page_of(row)).status_code == 302  # "perhaps it was deleted?"
    for row in (webhook.partner, publication):
        assert "hooks.example.com" not in chief.get(page_of(row)).content.decode()
    shown = chief.get("/admin/").context["figures"]["Webhooks"]
    assert [figure.value for figure in shown] == ["0", "0"]
    chief.post(f"{WEBHOOKS}{webhook.pk}/enable/")
    assert not Webhook.objects.filter(status="ACTIVE").exists()


def test_the_home_page_counts_what_does_not_work(make_webhook, chief, make_staff):
    make_webhook()
    make_webhook(failing_since=NOON)
    for _ in range(2):
        make_webhook(status="DISABLED", failing_since=NOON)

    shown = chief.get("/admin/").context["figures"]["Webhooks"]

    assert [(figure.label, figure.value) for figure in shown] == [
        ("Failing", "1"),
        ("Disabled", "2"),
    ]
    for figure in shown:
        assert str(chief.get(figure.url).context["cl"].result_count) == figure.value
    assert make_staff("view_lead").get("/admin/").context["figures"]["Webhooks"] == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (WEBHOOKS, ["external_id", "partner.external_id", "server_url"]),
        (DELIVERIES, ["delivery.external_id", "external_id", "publication.message_id"]),
        (PUBLICATIONS, ["publication.message_id", "partner.external_id"]),
    ],
)
def test_rows_are_found_by_what_others_call_them(tell, chief, path, found):
    delivery = tell()
    tell()
    webhook = delivery.lane.webhook
    webhook.delivery, webhook.publication = delivery, delivery.publication

    for names in found:
        term = webhook
        for name in names.split("."):
            term = getattr(term, name)
        response = chief.get(path, {"q": str(term)})
        assert response.context["cl"].result_count in {1, 2}, names


@pytest.mark.one_database
def test_no_screen_opens_a_secret(tell, chief):
    tell()
    pages = [WEBHOOKS, DELIVERIES, PUBLICATIONS, f"{WEBHOOKS}?q=hooks", f"{DELIVERIES}?q=hooks"]
    pages += [page_of(row) for row in rows()]
    gone = "'e1.gone.AAAA'"
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE onboarding_webhook SET token = {gone}, signing_secret = {gone}")
        cursor.execute(f"UPDATE onboarding_lead SET ssn = {gone}")

    assert {chief.get(page).status_code for page in pages} == {200}


# What may be done


def test_a_webhook_is_disabled_at_once_and_enabled_by_a_second_administrator(tell, chief):
    webhook = tell().lane.webhook
    path = f"{WEBHOOKS}{webhook.pk}/"

    page = chief.post(f"{path}disable/", follow=True).content.decode()
    again = chief.post(f"{path}disable/", follow=True).content.decode()
    proposed = chief.post(f"{path}enable/", follow=True).content.decode()

    webhook.refresh_from_db()
    assert not webhook.is_active
    assert "is disabled." in page
    assert "is already disabled." in again
    assert "takes effect when a second administrator has confirmed it" in proposed
    assert StaffChange.objects.get().summary == [
        f"Send events of {webhook.partner} to {webhook.server_url} again.",
        "It was disabled: Disabled by the bank.",
    ]
    confirm_change()
    webhook.refresh_from_db()
    assert webhook.is_active
    assert "is already enabled." in chief.post(f"{path}enable/", follow=True).content.decode()
    assert "Disabled." in chief.get(f"{path}history/").content.decode()


def test_a_webhook_with_another_url_meanwhile_is_not_enabled(make_webhook, chief):
    webhook = make_webhook(status="DISABLED")
    chief.post(f"{WEBHOOKS}{webhook.pk}/enable/")
    Webhook.objects.update(server_url="https://other.example.com/")

    with pytest.raises(staff_changes.ChangeVoid):
        confirm_change()

    assert not Webhook.objects.get().is_active


def test_many_webhooks_are_disabled_at_once(make_webhook, chief):
    chosen = [make_webhook().pk for _ in range(2)]

    chief.post(WEBHOOKS, {"action": "disable_selected", "_selected_action": chosen})
    disabled = {webhook.is_active for webhook in Webhook.objects.all()}
    chief.post(WEBHOOKS, {"action": "enable_selected", "_selected_action": chosen})

    assert disabled == {False}
    assert StaffChange.objects.count() == 2


def test_a_delivery_is_sent_again(tell, chief):
    delivery = tell()
    Delivery.objects.update(status=DeliveryStatus.FAILED, next_attempt_at=None)

    page = chief.post(f"{DELIVERIES}{delivery.pk}/send_again/", follow=True).content.decode()

    delivery.refresh_from_db()
    assert delivery.status == DeliveryStatus.PENDING
    assert "will be sent again." in page
    assert "Sent again." in chief.get(f"{DELIVERIES}{delivery.pk}/history/").content.decode()


def test_many_deliveries_are_sent_again_but_not_to_a_disabled_webhook(tell, chief):
    kept, sent = tell(), tell()
    Delivery.objects.update(status=DeliveryStatus.FAILED, next_attempt_at=None)
    Webhook.objects.filter(pk=kept.lane.webhook_id).update(status="DISABLED")
    action = {"action": "send_selected_again", "_selected_action": [kept.pk, sent.pk]}

    page = chief.post(DELIVERIES, action, follow=True).content.decode()

    kept.refresh_from_db()
    sent.refresh_from_db()
    assert (kept.status, sent.status) == (DeliveryStatus.FAILED, DeliveryStatus.PENDING)
    assert "is disabled. Enable it first." in page


@pytest.mark.parametrize(
    ("name", "steps"), [("webhook", ["enable", "disable"]), ("delivery", ["send_again"])]
)
def test_steps_need_a_permission_and_a_post(tell, make_staff, chief, name, steps):
    tell()
    row = {"webhook": Webhook, "delivery": Delivery}[name].objects.latest("pk")
    viewer = make_staff(f"view_{name}")

    for step in steps:
        assert viewer.post(f"{ROOT}{name}/{row.pk}/{step}/").status_code == 403
        assert chief.get(f"{ROOT}{name}/{row.pk}/{step}/").status_code == 405
        assert f"/{step}/" not in viewer.get(page_of(row)).content.decode()


def test_who_may_not_view_deliveries_sees_none_on_the_page_of_a_webhook(tell, make_staff):
    webhook = tell().lane.webhook

    page = make_staff("view_webhook").get(page_of(webhook)).content.decode()

    assert "All deliveries" not in page
    assert "Given up" not in page


def test_nothing_is_added_edited_or_deleted(tell, chief):
    tell()

    for row in rows():
        page = f"{ROOT}{row._meta.model_name}/"
        statuses = [
            chief.post(page_of(row), {"status": "DELIVERED"}).status_code,
            chief.post(f"{page}{row.pk}/delete/", {"post": "yes"}).status_code,
            chief.post(f"{page}add/", {}).status_code,
        ]
        assert statuses == [403, 403, 403]


@pytest.mark.parametrize("name", ["webhook", "delivery", "publication"])
def test_staff_without_permissions_see_nothing(tell, make_staff, name):
    tell()
    staff = make_staff()

    assert staff.get(f"{ROOT}{name}/").status_code == 403


# What it costs


@pytest.mark.parametrize("name", ["webhook", "delivery", "publication"])
def test_a_list_takes_as_many_statements_for_thirty_rows_as_for_three(name, tell, count_queries):
    tell(3)
    few = count_queries(f"{ROOT}{name}/")

    tell(27)

    assert count_queries(f"{ROOT}{name}/") == few


def test_a_page_takes_as_many_statements_for_many_rows(tell, count_queries):
    tell()
    few = [count_queries(page_of(row)) for row in rows()]
    webhook, delivery, _ = rows()
    for number in range(2, 20):
        deliveries.send_test(webhook, at=NOON)
        DeliveryAttempt.objects.create(delivery=delivery, number=number, at=NOON, duration_ms=1)

    assert [count_queries(page_of(row)) for row in (webhook, delivery)] == few[:2]
